//! State as words: one function says what there is, and in which order, for writing and for reading.

use thiserror::Error;

/// Words do not hold what they are read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("its parts do not fit together")]
pub struct Misfit;

/// Words that are written, or read again.
///
/// ```
/// use gpusudoku::memo::{Keep, Memo, Misfit};
///
/// #[derive(Default)]
/// struct Patience {
///     left: u32,
///     lost: bool,
/// }
///
/// impl Keep for Patience {
///     fn keep(&mut self, memo: &mut Memo) -> Result<(), Misfit> {
///         memo.keep(&mut self.left)?;
///         memo.keep(&mut self.lost)
///     }
/// }
///
/// let words = Memo::of(&mut Patience { left: 7, lost: true });
/// let mut again = Patience::default();
/// Memo::recall(&words, &mut again).unwrap();
/// assert_eq!((again.left, again.lost), (7, true));
/// ```
#[derive(Debug)]
pub struct Memo {
    words: Vec<u32>,
    /// Where reading goes on; nothing while it is written.
    at: Option<usize>,
}

/// Something with a state.
pub trait Keep {
    /// Writes the state, or replaces it by what is read.
    fn keep(&mut self, memo: &mut Memo) -> Result<(), Misfit>;
}

impl Memo {
    /// The words of a state.
    pub fn of<T: Keep + ?Sized>(state: &mut T) -> Vec<u32> {
        Self::write(|memo| memo.keep(state))
    }

    /// The words of all that is kept.
    pub fn write(write: impl FnOnce(&mut Self) -> Result<(), Misfit>) -> Vec<u32> {
        let mut memo = Self {
            words: Vec::new(),
            at: None,
        };
        write(&mut memo).expect("writing cannot fail");
        memo.words
    }

    /// Replaces a state by that of all these words.
    pub fn recall<T: Keep + ?Sized>(words: &[u32], state: &mut T) -> Result<(), Misfit> {
        Self::read(words.to_vec(), |memo| memo.keep(state))
    }

    /// Reads all these words.
    pub fn read(
        words: Vec<u32>,
        read: impl FnOnce(&mut Self) -> Result<(), Misfit>,
    ) -> Result<(), Misfit> {
        let mut memo = Self { words, at: Some(0) };
        read(&mut memo)?;
        memo.require(memo.left() == 0)
    }

    /// Writes a part of a state, or replaces it by what is read.
    pub fn keep<T: Keep + ?Sized>(&mut self, state: &mut T) -> Result<(), Misfit> {
        state.keep(self)
    }

    /// Writes words as a `Vec` of them would be.
    pub(crate) fn put(&mut self, words: &[u32]) {
        let mut length = words.len() as u64;
        self.keep(&mut length).expect("writing cannot fail");
        self.words.extend_from_slice(words);
    }

    /// Whether it is read. What was read may be checked then.
    pub fn reads(&self) -> bool {
        self.at.is_some()
    }

    /// Refuses what is not so.
    pub fn require(&self, holds: bool) -> Result<(), Misfit> {
        holds.then_some(()).ok_or(Misfit)
    }

    /// Words that are not read yet.
    fn left(&self) -> usize {
        self.at.map_or(0, |at| self.words.len() - at)
    }

    /// The next so many words.
    fn take(&mut self, count: usize) -> Result<&[u32], Misfit> {
        let at = self.at.ok_or(Misfit)?;
        let words = self.words[at..].get(..count).ok_or(Misfit)?;
        self.at = Some(at + count);
        Ok(words)
    }

    /// A length, of which no more is believed than there can be.
    fn length(&mut self, length: usize, per_word: usize) -> Result<usize, Misfit> {
        let mut length = length as u64;
        self.keep(&mut length)?;
        let length = usize::try_from(length).map_err(|_| Misfit)?;
        self.require(!self.reads() || length.div_ceil(per_word) <= self.left())?;
        Ok(length)
    }
}

impl Keep for u32 {
    fn keep(&mut self, memo: &mut Memo) -> Result<(), Misfit> {
        match memo.reads() {
            true => *self = memo.take(1)?[0],
            false => memo.words.push(*self),
        }
        Ok(())
    }
}

impl Keep for u64 {
    fn keep(&mut self, memo: &mut Memo) -> Result<(), Misfit> {
        let mut halves = [*self as u32, (*self >> 32) as u32];
        for half in &mut halves {
            memo.keep(half)?;
        }
        *self = u64::from(halves[1]) << 32 | u64::from(halves[0]);
        Ok(())
    }
}

impl Keep for bool {
    fn keep(&mut self, memo: &mut Memo) -> Result<(), Misfit> {
        let mut word = u32::from(*self);
        memo.keep(&mut word)?;
        *self = word == 1;
        memo.require(word <= 1)
    }
}

impl Keep for u128 {
    fn keep(&mut self, memo: &mut Memo) -> Result<(), Misfit> {
        let mut halves = [*self as u64, (*self >> 64) as u64];
        for half in &mut halves {
            memo.keep(half)?;
        }
        *self = u128::from(halves[1]) << 64 | u128::from(halves[0]);
        Ok(())
    }
}

impl<T: Keep + Default> Keep for Option<T> {
    fn keep(&mut self, memo: &mut Memo) -> Result<(), Misfit> {
        let mut there = self.is_some();
        memo.keep(&mut there)?;
        if memo.reads() {
            *self = there.then(T::default);
        }
        self.as_mut().map_or(Ok(()), |value| memo.keep(value))
    }
}

impl Keep for Vec<u32> {
    fn keep(&mut self, memo: &mut Memo) -> Result<(), Misfit> {
        if !memo.reads() {
            memo.put(self);
            return Ok(());
        }
        let length = memo.length(0, 1)?;
        *self = memo.take(length)?.to_vec();
        Ok(())
    }
}

/// Four to a word, the first in the lowest.
impl Keep for Vec<u8> {
    fn keep(&mut self, memo: &mut Memo) -> Result<(), Misfit> {
        let length = memo.length(self.len(), 4)?;
        if memo.reads() {
            let words = memo.take(length.div_ceil(4))?;
            let bytes = words.iter().flat_map(|word| word.to_le_bytes());
            *self = bytes.take(length).collect();
        } else {
            memo.words.extend(self.chunks(4).map(|chunk| {
                let mut four = [0; 4];
                four[..chunk.len()].copy_from_slice(chunk);
                u32::from_le_bytes(four)
            }));
        }
        Ok(())
    }
}

impl Keep for String {
    fn keep(&mut self, memo: &mut Memo) -> Result<(), Misfit> {
        let mut bytes = std::mem::take(self).into_bytes();
        memo.keep(&mut bytes)?;
        *self = Self::from_utf8(bytes).map_err(|_| Misfit)?;
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

    impl Keep for Everything {
        fn keep(&mut self, memo: &mut Memo) -> Result<(), Misfit> {
            memo.keep(&mut self.word)?;
            memo.keep(&mut self.wide)?;
            memo.keep(&mut self.set)?;
            memo.keep(&mut self.flag)?;
            memo.keep(&mut self.perhaps)?;
            memo.keep(&mut self.words)?;
            memo.keep(&mut self.bytes)?;
            memo.keep(&mut self.text)
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
            let mut memo = Memo::of(&mut state);
            prop_assert_eq!(&state, &before, "writing changes nothing");
            let mut again = Everything::default();
            Memo::recall(&memo, &mut again).unwrap();
            prop_assert_eq!(again, before);
            let short = &memo[..memo.len() - 1];
            prop_assert_eq!(Memo::recall(short, &mut Everything::default()), Err(Misfit));
            memo.push(0);
            prop_assert_eq!(Memo::recall(&memo, &mut Everything::default()), Err(Misfit));
        }

        #[test]
        fn no_length_is_believed(words in any::<Vec<u32>>()) {
            let _ = Memo::recall(&words, &mut Everything::default());
            let mut lengths = words;
            lengths.extend([u32::MAX; 4]);
            prop_assert_eq!(Memo::recall(&lengths, &mut String::new()), Err(Misfit));
        }
    }
}
