//! State as words: one function says what there is, and in which order, for writing and for reading.

use thiserror::Error;

/// Words do not hold what they are read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("its parts do not fit together")]
pub struct DecodeError;

/// Words that are written, or read again.
///
/// ```
/// use gpusudoku::codec::{Persist, Codec, DecodeError};
///
/// #[derive(Default)]
/// struct Patience {
///     left: u32,
///     lost: bool,
/// }
///
/// impl Persist for Patience {
///     fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
///         codec.persist(&mut self.left)?;
///         codec.persist(&mut self.lost)
///     }
/// }
///
/// let words = Codec::encode(&mut Patience { left: 7, lost: true });
/// let mut again = Patience::default();
/// Codec::decode(&words, &mut again).unwrap();
/// assert_eq!((again.left, again.lost), (7, true));
/// ```
#[derive(Debug)]
pub struct Codec {
    words: Vec<u32>,
    /// Where reading goes on; nothing while it is written.
    at: Option<usize>,
}

/// Something with a state.
pub trait Persist {
    /// Writes the state, or replaces it by what is read.
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError>;
}

impl Codec {
    /// The words of a state.
    pub fn encode<T: Persist + ?Sized>(state: &mut T) -> Vec<u32> {
        Self::write(|codec| codec.persist(state))
    }

    /// The words of all that is kept.
    pub fn write(write: impl FnOnce(&mut Self) -> Result<(), DecodeError>) -> Vec<u32> {
        let mut codec = Self {
            words: Vec::new(),
            at: None,
        };
        write(&mut codec).expect("writing cannot fail");
        codec.words
    }

    /// Replaces a state by that of all these words.
    pub fn decode<T: Persist + ?Sized>(words: &[u32], state: &mut T) -> Result<(), DecodeError> {
        Self::read(words.to_vec(), |codec| codec.persist(state))
    }

    /// Reads all these words.
    pub fn read(
        words: Vec<u32>,
        read: impl FnOnce(&mut Self) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let mut codec = Self { words, at: Some(0) };
        read(&mut codec)?;
        codec.require(codec.left() == 0)
    }

    /// Writes a part of a state, or replaces it by what is read.
    pub fn persist<T: Persist + ?Sized>(&mut self, state: &mut T) -> Result<(), DecodeError> {
        state.persist(self)
    }

    /// Writes words as a `Vec` of them would be.
    pub(crate) fn put(&mut self, words: &[u32]) {
        let mut length = words.len() as u64;
        self.persist(&mut length).expect("writing cannot fail");
        self.words.extend_from_slice(words);
    }

    /// Whether it is read. What was read may be checked then.
    pub fn reads(&self) -> bool {
        self.at.is_some()
    }

    /// Refuses what is not so.
    pub fn require(&self, holds: bool) -> Result<(), DecodeError> {
        holds.then_some(()).ok_or(DecodeError)
    }

    /// Words that are not read yet.
    fn left(&self) -> usize {
        self.at.map_or(0, |at| self.words.len() - at)
    }

    /// The next so many words.
    fn take(&mut self, count: usize) -> Result<&[u32], DecodeError> {
        let at = self.at.ok_or(DecodeError)?;
        let words = self.words[at..].get(..count).ok_or(DecodeError)?;
        self.at = Some(at + count);
        Ok(words)
    }

    /// A length, of which no more is believed than there can be.
    fn length(&mut self, length: usize, per_word: usize) -> Result<usize, DecodeError> {
        let mut length = length as u64;
        self.persist(&mut length)?;
        let length = usize::try_from(length).map_err(|_| DecodeError)?;
        self.require(!self.reads() || length.div_ceil(per_word) <= self.left())?;
        Ok(length)
    }
}

impl Persist for u32 {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        match codec.reads() {
            true => *self = codec.take(1)?[0],
            false => codec.words.push(*self),
        }
        Ok(())
    }
}

impl Persist for u64 {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        let mut halves = [*self as u32, (*self >> 32) as u32];
        for half in &mut halves {
            codec.persist(half)?;
        }
        *self = u64::from(halves[1]) << 32 | u64::from(halves[0]);
        Ok(())
    }
}

impl Persist for bool {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        let mut word = u32::from(*self);
        codec.persist(&mut word)?;
        *self = word == 1;
        codec.require(word <= 1)
    }
}

impl Persist for u128 {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        let mut halves = [*self as u64, (*self >> 64) as u64];
        for half in &mut halves {
            codec.persist(half)?;
        }
        *self = u128::from(halves[1]) << 64 | u128::from(halves[0]);
        Ok(())
    }
}

impl<T: Persist + Default> Persist for Option<T> {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        let mut there = self.is_some();
        codec.persist(&mut there)?;
        if codec.reads() {
            *self = there.then(T::default);
        }
        self.as_mut().map_or(Ok(()), |value| codec.persist(value))
    }
}

impl Persist for Vec<u32> {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        if !codec.reads() {
            codec.put(self);
            return Ok(());
        }
        let length = codec.length(0, 1)?;
        *self = codec.take(length)?.to_vec();
        Ok(())
    }
}

/// Four to a word, the first in the lowest.
impl Persist for Vec<u8> {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        let length = codec.length(self.len(), 4)?;
        if codec.reads() {
            let words = codec.take(length.div_ceil(4))?;
            let bytes = words.iter().flat_map(|word| word.to_le_bytes());
            *self = bytes.take(length).collect();
        } else {
            codec.words.extend(self.chunks(4).map(|chunk| {
                let mut four = [0; 4];
                four[..chunk.len()].copy_from_slice(chunk);
                u32::from_le_bytes(four)
            }));
        }
        Ok(())
    }
}

impl Persist for String {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        let mut bytes = std::mem::take(self).into_bytes();
        codec.persist(&mut bytes)?;
        *self = Self::from_utf8(bytes).map_err(|_| DecodeError)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone, Default, PartialEq)]
    struct Everything {
        word: u32,
        wide: u64,
        set: u128,
        flag: bool,
        perhaps: Option<u64>,
        words: Vec<u32>,
        bytes: Vec<u8>,
        text: String,
    }

    impl Persist for Everything {
        fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
            codec.persist(&mut self.word)?;
            codec.persist(&mut self.wide)?;
            codec.persist(&mut self.set)?;
            codec.persist(&mut self.flag)?;
            codec.persist(&mut self.perhaps)?;
            codec.persist(&mut self.words)?;
            codec.persist(&mut self.bytes)?;
            codec.persist(&mut self.text)
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_and_nothing_less_or_more(
            (word, wide, set, flag) in any::<(u32, u64, u128, bool)>(),
            (perhaps, words, bytes, text) in any::<(Option<u64>, Vec<u32>, Vec<u8>, String)>(),
        ) {
            let mut state = Everything { word, wide, set, flag, perhaps, words, bytes, text };
            let before = state.clone();
            let mut codec = Codec::encode(&mut state);
            prop_assert_eq!(&state, &before, "writing changes nothing");
            let mut again = Everything::default();
            Codec::decode(&codec, &mut again).unwrap();
            prop_assert_eq!(again, before);
            let short = &codec[..codec.len() - 1];
            prop_assert_eq!(Codec::decode(short, &mut Everything::default()), Err(DecodeError));
            codec.push(0);
            prop_assert_eq!(Codec::decode(&codec, &mut Everything::default()), Err(DecodeError));
        }

        #[test]
        fn no_length_is_believed(words in any::<Vec<u32>>()) {
            let _ = Codec::decode(&words, &mut Everything::default());
            let mut lengths = words;
            lengths.extend([u32::MAX; 4]);
            prop_assert_eq!(Codec::decode(&lengths, &mut String::new()), Err(DecodeError));
        }
    }
}
