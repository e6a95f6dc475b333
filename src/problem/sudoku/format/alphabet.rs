//! One character a cell: the digits of small grids, and the rival alphabets of larger ones.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Grid;
use super::error::{FormatError, quoted};
use super::source::Symbol;

/// What a character stands for in a grid larger than 9x9.
///
/// The conventions contradict each other: `C` is 12, 13 or 3. A text is read without being
/// told its alphabet only if it leaves no choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Alphabet {
    /// `1-9A-G`: 1 to 9, then `A` is 10; up to 35x35. `0` is a blank.
    DigitsFromOne,
    /// `0-F`: `0` is 1, `9` is 10, `A` is 11; up to 36x36. `0` is not a blank.
    DigitsFromZero,
    /// `A-P`, `A-Y`: `A` is 1; up to 26x26. `0` is a blank.
    Letters,
}

/// An alphabet that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("expected an alphabet, one of 1-9A-G, 0-F, A-P and A-Y, found {}", quoted(.0))]
pub struct UnknownAlphabet(String);

/// The largest grid written with one character a cell.
pub(super) const MAX_SIZE: usize = 36;

impl Alphabet {
    /// Every alphabet.
    pub const ALL: [Self; 3] = [Self::DigitsFromOne, Self::DigitsFromZero, Self::Letters];

    /// The alphabet by its first and last characters in a grid of N x N cells: `0-F` for 16.
    fn spelled(self, size: usize) -> String {
        let last = (1..=MAX_SIZE)
            .rev()
            .filter(|&digit| digit <= size)
            .find_map(|digit| self.character(digit))
            .unwrap_or('?');
        match self {
            Self::DigitsFromOne => format!("1-9A-{last}"),
            Self::DigitsFromZero => format!("0-{last}"),
            Self::Letters => format!("A-{last}"),
        }
    }

    /// The character of a digit, if the alphabet goes that far.
    pub fn character(self, digit: usize) -> Option<char> {
        let (first, from) = match (self, digit) {
            (Self::DigitsFromOne, 1..=9) => ('1', 1),
            (Self::DigitsFromOne, 10..=35) => ('A', 10),
            (Self::DigitsFromZero, 1..=10) => ('0', 1),
            (Self::DigitsFromZero, 11..=36) => ('A', 11),
            (Self::Letters, 1..=26) => ('A', 1),
            _ => return None,
        };
        char::from_u32(first as u32 + u32::try_from(digit - from).ok()?)
    }

    /// The digit of a character in a grid of N x N cells, 0 for a blank; nothing if the
    /// character has no meaning there.
    fn digit(self, symbol: char, size: usize) -> Option<u8> {
        let letter = u8::try_from(symbol.to_ascii_uppercase()).ok()?;
        let digit = match (self, letter) {
            (_, b'.' | b'*' | b'_' | b'-' | b'?') => 0,
            (Self::DigitsFromOne | Self::Letters, b'0') => 0,
            (Self::DigitsFromOne, b'1'..=b'9') => letter - b'0',
            (Self::DigitsFromOne, b'A'..=b'Z') => letter - b'A' + 10,
            (Self::DigitsFromZero, b'0'..=b'9') => letter - b'0' + 1,
            (Self::DigitsFromZero, b'A'..=b'Z') => letter - b'A' + 11,
            (Self::Letters, b'A'..=b'Z') => letter - b'A' + 1,
            _ => return None,
        };
        (usize::from(digit) <= size).then_some(digit)
    }

    /// A grid in this alphabet: its cells row by row in one line, `.` for blanks. Nothing if the
    /// alphabet has too few characters.
    ///
    /// ```
    /// use gpusudoku::problem::sudoku::format::{Alphabet, ReadOptions, read_one};
    ///
    /// let text = format!("0F{}", ".".repeat(254));
    /// let entry = read_one(text.as_bytes(), &ReadOptions::default())?;
    /// assert_eq!(entry.alphabet, Some(Alphabet::DigitsFromZero));
    /// assert_eq!(Alphabet::DigitsFromZero.text(&entry.grid), Some(text));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn text(self, grid: &Grid) -> Option<String> {
        let character = |&digit: &u8| match digit {
            0 => Some('.'),
            _ => self.character(usize::from(digit)),
        };
        self.reaches(grid.geometry().size())
            .then(|| grid.cells().iter().map(character).collect())?
    }

    /// Whether the alphabet has a character for every digit of an N x N grid.
    pub fn reaches(self, size: usize) -> bool {
        self.character(size).is_some()
    }
}

impl fmt::Display for Alphabet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DigitsFromOne => "1-9A-G",
            Self::DigitsFromZero => "0-F",
            Self::Letters => "A-Y",
        })
    }
}

impl FromStr for Alphabet {
    type Err = UnknownAlphabet;

    /// Reads an alphabet by its beginning; it ends where the grid's size says, so
    /// `1-9A-G` and `1-9A-P` are the same.
    fn from_str(text: &str) -> Result<Self, UnknownAlphabet> {
        let upper = text.to_ascii_uppercase();
        let ends = |last: &str, digits: &str| {
            last.len() == 1
                && last
                    .chars()
                    .all(|c| c.is_ascii_uppercase() || digits.contains(c))
        };
        if upper
            .strip_prefix("1-9A-")
            .is_some_and(|last| ends(last, ""))
        {
            Ok(Self::DigitsFromOne)
        } else if upper.strip_prefix("0-").is_some_and(|last| ends(last, "9")) {
            Ok(Self::DigitsFromZero)
        } else if upper.strip_prefix("A-").is_some_and(|last| ends(last, "")) {
            Ok(Self::Letters)
        } else {
            Err(UnknownAlphabet(text.to_string()))
        }
    }
}

/// The digit of a character in a grid of at most 9x9 cells, 0 for a blank.
fn small_digit(symbol: char, size: usize) -> Option<u8> {
    match symbol {
        '.' | '0' | '*' | '_' | '-' | '?' | 'X' | 'x' => Some(0),
        _ => {
            let digit = u8::try_from(symbol.to_digit(10)?).ok()?;
            (usize::from(digit) <= size).then_some(digit)
        }
    }
}

/// Whether every character can stand in a grid of at most 9x9 cells.
pub(super) fn fits_small(symbols: impl IntoIterator<Item = Symbol>, size: usize) -> bool {
    symbols
        .into_iter()
        .all(|symbol| small_digit(symbol.value, size).is_some())
}

/// A digit for people: a character of the alphabet, otherwise a number; `.` for a blank.
pub(crate) fn spelled_digit(digit: u8, alphabet: Option<Alphabet>) -> String {
    let character = alphabet.and_then(|alphabet| alphabet.character(usize::from(digit)));
    match (digit, character) {
        (0, _) => ".".to_owned(),
        (_, Some(character)) => character.to_string(),
        (_, None) => digit.to_string(),
    }
}

/// Cells, and the alphabet that they were written in if one had to be chosen.
pub(super) type Reading = (Vec<u8>, Option<Alphabet>);

/// The cells of an N x N grid from its characters.
pub(super) fn cells(
    symbols: &[Symbol],
    size: usize,
    chosen: Option<Alphabet>,
) -> Result<Reading, FormatError> {
    let read = |digit: &dyn Fn(char) -> Option<u8>, expected: &str| {
        symbols
            .iter()
            .map(|symbol| {
                digit(symbol.value).ok_or_else(|| {
                    symbol.place.error(format_args!(
                        "expected {expected}, found {}",
                        quoted(symbol.value.encode_utf8(&mut [0; 4]))
                    ))
                })
            })
            .collect::<Result<Vec<u8>, FormatError>>()
    };
    match chosen {
        _ if size <= 9 => {
            let expected = format!("a digit from 1 to {size} or a blank (. 0 * _ - ? X)");
            read(&|symbol| small_digit(symbol, size), &expected).map(|cells| (cells, None))
        }
        Some(alphabet) => {
            let zero = if alphabet == Alphabet::DigitsFromZero {
                ""
            } else {
                " 0"
            };
            let alphabet_name = alphabet.spelled(size);
            let expected = format!("a character of {alphabet_name} or a blank (. * _ - ?{zero})");
            read(&|symbol| alphabet.digit(symbol, size), &expected)
                .map(|cells| (cells, Some(alphabet)))
        }
        None => decide(symbols, size),
    }
}

/// The cells under the only alphabet that explains every character.
fn decide(symbols: &[Symbol], size: usize) -> Result<Reading, FormatError> {
    let contains = |wanted: &[char]| symbols.iter().any(|symbol| wanted.contains(&symbol.value));
    // A text has one sign for its blanks: beside another one, 0 must be a digit. Without this
    // nothing could ever be read as 0-F, as 1-9A-G explains the same characters.
    let zero_is_digit = contains(&['0'])
        && (contains(&['.', '*', '_', '-', '?']) || is_solved_from_zero(symbols, size));
    let mut candidates: Vec<Alphabet> = Alphabet::ALL
        .into_iter()
        .filter(|alphabet| alphabet.reaches(size))
        .filter(|&alphabet| !zero_is_digit || alphabet == Alphabet::DigitsFromZero)
        .collect();
    let names = |alphabets: &[Alphabet]| {
        let names: Vec<_> = alphabets.iter().map(|a| a.spelled(size)).collect();
        names.join(", ")
    };
    let all = names(&candidates);
    for symbol in symbols {
        candidates.retain(|alphabet| alphabet.digit(symbol.value, size).is_some());
        if candidates.is_empty() {
            return Err(symbol.place.error(format_args!(
                "expected the characters of one alphabet of a {size}x{size} grid ({all}) and `.` \
                 for blanks, found {} which fits none together with what stands before it",
                quoted(symbol.value.encode_utf8(&mut [0; 4]))
            )));
        }
    }
    let digits = |value: char| candidates.iter().map(move |a| a.digit(value, size));
    let disputed = symbols.iter().find(|symbol| {
        let first = digits(symbol.value).next();
        digits(symbol.value).any(|digit| Some(digit) != first)
    });
    if let Some(symbol) = disputed {
        let meanings: Vec<_> = candidates
            .iter()
            .map(|alphabet| match alphabet.digit(symbol.value, size) {
                Some(digit @ 1..) => format!("{digit} in {}", alphabet.spelled(size)),
                _ => format!("a blank in {}", alphabet.spelled(size)),
            })
            .collect();
        return Err(symbol.place.error(format_args!(
            "expected characters that fit one alphabet only, found {} which is {}; say which \
             with --alphabet",
            quoted(symbol.value.encode_utf8(&mut [0; 4])),
            meanings.join(" and ")
        )));
    }
    let cells = symbols
        .iter()
        .filter_map(|symbol| digits(symbol.value).next().flatten());
    // Several are left only if there is nothing but blanks.
    let alphabet = match candidates[..] {
        [alphabet] => Some(alphabet),
        _ => None,
    };
    Ok((cells.collect(), alphabet))
}

/// Whether a grid has each of the first N characters from 0 exactly N times. That is a solved grid; as
/// 1-9A-G it would be one from which exactly the last digit was taken away.
fn is_solved_from_zero(symbols: &[Symbol], size: usize) -> bool {
    let mut counts = [0; MAX_SIZE + 1];
    for symbol in symbols {
        let digit = Alphabet::DigitsFromZero.digit(symbol.value, size);
        counts[usize::from(digit.unwrap_or(0))] += 1;
    }
    counts[0] == 0 && counts[1..=size].iter().all(|&count| count == size)
}

#[cfg(test)]
mod tests {
    use super::super::{FormatError, ReadOptions, read_one};
    use super::*;

    /// A 16x16 grid that begins with the given characters, padded with a blank.
    fn cells16(
        start: &str,
        blank: char,
        alphabet: Option<Alphabet>,
    ) -> Result<Vec<u8>, FormatError> {
        let padding = 256 - start.chars().count();
        let text: String = start
            .chars()
            .chain(std::iter::repeat_n(blank, padding))
            .collect();
        let options = ReadOptions {
            alphabet,
            ..ReadOptions::default()
        };
        read_one(text.as_bytes(), &options).map(|entry| entry.grid.cells().to_vec())
    }

    fn message(start: &str, blank: char) -> String {
        cells16(start, blank, None).unwrap_err().to_string()
    }

    #[test]
    fn names_are_read_and_shown() {
        for name in ["1-9A-G", "0-F", "A-Y"] {
            assert_eq!(name.parse::<Alphabet>().unwrap().to_string(), name);
        }
        assert_eq!("A-P".parse(), Ok(Alphabet::Letters));
        assert_eq!("0-f".parse(), Ok(Alphabet::DigitsFromZero));
        for size in 10..=MAX_SIZE {
            for alphabet in Alphabet::ALL {
                assert_eq!(alphabet.spelled(size).parse(), Ok(alphabet));
            }
        }
        for name in [
            "", "A", "A-", "0-", "1-9", "1-9A-", "1-9A-1", "A-9", "0-FF", "é-Y",
        ] {
            assert!(name.parse::<Alphabet>().is_err(), "{name}");
        }
    }

    #[test]
    fn the_text_decides() {
        // G exists only in 1-9A-G once there are digits, P only among letters, and 0 beside
        // another blank only in 0-F.
        assert_eq!(cells16("1CG", '.', None).unwrap()[..4], [1, 12, 16, 0]);
        assert_eq!(cells16("1cg", '0', None).unwrap()[..4], [1, 12, 16, 0]);
        assert_eq!(cells16("ACP", '.', None).unwrap()[..4], [1, 3, 16, 0]);
        assert_eq!(cells16("ACP", '0', None).unwrap()[..4], [1, 3, 16, 0]);
        assert_eq!(cells16("0CF", '.', None).unwrap()[..4], [1, 13, 16, 0]);
        // A solved grid has no blanks.
        let solved: String = (0..16)
            .map(|row| format!("{:X}", (row * 4 + row / 4) % 16))
            .collect();
        let solved = solved.repeat(16);
        assert_eq!(cells16(&solved, '.', None).unwrap()[..2], [1, 5]);
        // Nothing to decide.
        assert_eq!(cells16("", '.', None).unwrap(), [0; 256]);
    }

    #[test]
    fn an_undecided_text_is_refused() {
        assert_eq!(
            message("..C", '.'),
            "1:3: expected characters that fit one alphabet only, found `C` which is 12 in 1-9A-G \
             and 13 in 0-F and 3 in A-P; say which with --alphabet"
        );
        assert!(message("1C", '.').contains("`1` which is 1 in 1-9A-G and 2 in 0-F; say"));
        assert!(message("", '0').contains("`0` which is a blank in 1-9A-G and 1 in 0-F"));
        for (alphabet, digit) in [
            (Alphabet::DigitsFromOne, 12),
            (Alphabet::DigitsFromZero, 13),
            (Alphabet::Letters, 3),
        ] {
            assert_eq!(cells16("C", '.', Some(alphabet)).unwrap()[0], digit);
        }
    }

    #[test]
    fn unexplained_characters_are_named() {
        assert!(message("12Q", '.').starts_with("1:3: expected the characters of one alphabet"));
        assert!(
            message("0G", '.').starts_with("1:2: "),
            "0 is a digit here, so G is none"
        );
        let error = cells16("12G", '.', Some(Alphabet::DigitsFromZero)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "1:3: expected a character of 0-F or a blank (. * _ - ?), found `G`"
        );
    }

    #[test]
    fn every_alphabet_reads_its_own_characters() {
        for alphabet in Alphabet::ALL {
            for digit in 1..=MAX_SIZE {
                if let Some(character) = alphabet.character(digit) {
                    let read = alphabet.digit(character, digit);
                    assert_eq!(read.map(usize::from), Some(digit));
                    assert_eq!(alphabet.digit(character, digit - 1), None);
                }
            }
        }
    }
}
