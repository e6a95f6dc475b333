//! Puzzles as text: every format that is read and written, and nothing about their rules.
//!
//! [`read`] recognises the format by itself and returns every puzzle of a file; [`write()`]
//! writes what it reads back. Contradicting givens are no fault of the text: a [`Grid`] may
//! break the rules, and [`Puzzle`](super::Puzzle) is what refuses it.
//!
//! ```
//! use gpusudoku::problem::sudoku::format::{self, Format, ReadOptions};
//!
//! let entry = format::read_one(b"1..4....2..3....", &ReadOptions::default())?;
//! assert_eq!(entry.grid.geometry().size(), 4);
//! assert_eq!(format::write(&[entry], Format::Sdk)?, "1..4\n....\n2..3\n....\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aligned;
mod alphabet;
mod canonical;
mod dimacs;
mod error;
mod fields;
mod foreign;
mod framed;
mod line;
mod listed;
mod lloyd_amos;
mod opensudoku;
#[cfg(test)]
mod properties;
mod recognise;
mod sdk;
mod shape;
mod source;
mod ss;
mod triples;

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{BoxShape, Geometry, Grid};

pub(crate) use alphabet::spelled_digit;
pub use alphabet::{Alphabet, UnknownAlphabet};
pub use canonical::canonical;
pub(crate) use error::shortened;
pub use error::{FormatError, WriteError};
pub use framed::{framed, framed_in};
pub(crate) use opensudoku::escaped;

/// The longest text that is read. The largest Latin square as a graph with all its edges has
/// about 40 MiB.
pub const MAX_BYTES: usize = 64 << 20;

/// The most puzzles that are read from one text.
pub const MAX_PUZZLES: usize = 1 << 20;

/// The longest name of a puzzle, in characters; what is longer is cut. A collection's name goes to all
/// of its puzzles.
pub const MAX_NAME: usize = 200;

/// What a text does not say about its puzzles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The shape of the boxes (`--box`); otherwise the usual one of the size, or the one that a
    /// frame shows.
    pub boxes: Option<BoxShape>,
    /// No boxes at all (`--latin`).
    pub latin: bool,
    /// What characters mean in grids larger than 9x9 (`--alphabet`); otherwise the text must
    /// leave no choice.
    pub alphabet: Option<Alphabet>,
}

impl From<Geometry> for ReadOptions {
    /// The options under which text is read as a grid of this geometry.
    fn from(geometry: Geometry) -> Self {
        Self {
            boxes: geometry.boxes(),
            latin: geometry.boxes().is_none(),
            alphabet: None,
        }
    }
}

/// One puzzle of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What the text calls it.
    pub name: Option<String>,
    /// Its cells.
    pub grid: Grid,
    /// The line where it begins, counted from 1; 0 if it comes from no text.
    pub line: usize,
    /// What its characters meant, if it is larger than 9x9 and was not written in numbers.
    pub alphabet: Option<Alphabet>,
}

impl From<Grid> for Entry {
    fn from(grid: Grid) -> Self {
        Self {
            name: None,
            grid,
            line: 0,
            alphabet: None,
        }
    }
}

/// A way to write puzzles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// A puzzle a line, one character a cell (`.sdm`).
    Line,
    /// Rows of characters with `#` metadata (`.sdk`).
    Sdk,
    /// Simple Sudoku's rows with bars (`.ss`).
    Ss,
    /// Grids with drawn boxes, as [`framed()`] writes them.
    Framed,
    /// The text of [`canonical()`]: characters up to 9x9, numbers above.
    Canonical,
    /// OpenSudoku's XML.
    OpenSudoku,
    /// Lloyd & Amos's instances: order, a number, cells between tabs.
    LloydAmos,
    /// Latin squares as `n` and zero-based `row column value` triples.
    Triples,
    /// Latin squares as list colouring of a graph.
    Dimacs,
    /// A table: commas between the cells of a row, nothing for a blank.
    Csv,
    /// Lists of rows, as JSON and Python have them, 0 for blanks.
    Json,
}

/// A format that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "expected a format, one of {}, found {}",
    Format::ALL.map(|format| format.to_string()).join(", "),
    error::quoted(.0)
)]
pub struct UnknownFormat(String);

impl Format {
    /// Every format.
    pub const ALL: [Self; 11] = [
        Self::Line,
        Self::Sdk,
        Self::Ss,
        Self::Framed,
        Self::Canonical,
        Self::OpenSudoku,
        Self::LloydAmos,
        Self::Triples,
        Self::Dimacs,
        Self::Csv,
        Self::Json,
    ];

    /// Whether grids of this geometry can be written so that they can be read back.
    pub fn holds(self, geometry: Geometry) -> bool {
        let small = geometry.size() <= 9;
        match self {
            Self::Line | Self::Sdk | Self::OpenSudoku => small,
            Self::Ss => small && geometry.boxes().is_some(),
            Self::Framed | Self::Canonical | Self::Csv | Self::Json => true,
            Self::LloydAmos => geometry.boxes().is_some_and(|b| b.rows == b.cols),
            Self::Triples | Self::Dimacs => geometry.boxes().is_none(),
        }
    }

    /// Whether a puzzle can be written so that it can be read back: larger ones with one character a cell
    /// if they came so.
    pub fn holds_entry(self, entry: &Entry) -> bool {
        let size = entry.grid.geometry().size();
        let spelled = || {
            entry
                .alphabet
                .is_some_and(|alphabet| alphabet.reaches(size))
        };
        self.holds(entry.grid.geometry()) || matches!(self, Self::Line | Self::Sdk) && spelled()
    }

    /// Whether a file can hold more than one puzzle.
    pub fn holds_many(self) -> bool {
        match self {
            Self::Line | Self::Ss | Self::Framed | Self::Canonical | Self::OpenSudoku => true,
            Self::Csv | Self::Json => true,
            Self::Sdk | Self::LloydAmos | Self::Triples | Self::Dimacs => false,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Line => "line",
            Self::Sdk => "sdk",
            Self::Ss => "ss",
            Self::Framed => "framed",
            Self::Canonical => "canonical",
            Self::OpenSudoku => "opensudoku",
            Self::LloydAmos => "lloyd-amos",
            Self::Triples => "triples",
            Self::Dimacs => "dimacs",
            Self::Csv => "csv",
            Self::Json => "json",
        })
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        Self::ALL
            .into_iter()
            .find(|format| format.to_string() == text)
            .ok_or_else(|| UnknownFormat(text.to_string()))
    }
}

/// Every puzzle of a text, in whatever format it is; at least one.
pub fn read(text: &[u8], options: &ReadOptions) -> Result<Vec<Entry>, FormatError> {
    let text = decode(text)?;
    if let Some(form) = foreign_form(text) {
        return Err(error::Place::NOWHERE.error(format_args!(
            "expected a puzzle's cells, found {form}, which is not read as it may have rules beside its \
             givens; copy the cells out of it, for example as 81 characters with `.` for blanks"
        )));
    }
    let format = recognise::recognise(text, options);
    read_text(text, format, options).map_err(|error| match format {
        // These do not see empty fields, and would complain of cells that are too few.
        Format::Canonical | Format::Line | Format::Sdk => fields::fault(text).unwrap_or(error),
        _ => error,
    })
}

/// What a text is, if it is of a known form that [`read`] refuses because its puzzles have more than cells:
/// links and packed texts of f-puzzles, SudokuPad and others.
pub fn foreign_form(text: &str) -> Option<&'static str> {
    foreign::form(text)
}

/// Every puzzle of a text that is known to be in a format; at least one.
pub fn read_as(
    text: &[u8],
    format: Format,
    options: &ReadOptions,
) -> Result<Vec<Entry>, FormatError> {
    read_text(decode(text)?, format, options)
}

/// A text with something in it.
fn decode(text: &[u8]) -> Result<&str, FormatError> {
    let text = source::decode(text)?;
    match text.trim().is_empty() {
        true => Err(nothing("an empty text")),
        false => Ok(text),
    }
}

fn nothing(found: &str) -> FormatError {
    error::Place::NOWHERE.error(format_args!(
        "expected a puzzle, for example 81 characters with `.` for blanks, found {found}"
    ))
}

fn read_text(text: &str, format: Format, options: &ReadOptions) -> Result<Vec<Entry>, FormatError> {
    let entries = match format {
        Format::Line => line::read(text, options),
        Format::Sdk => sdk::read(text, options),
        Format::Ss | Format::Framed => framed::read(text, options),
        Format::Canonical => canonical::read(text, options),
        Format::OpenSudoku => opensudoku::read(text, options),
        Format::LloydAmos => lloyd_amos::read(text, options),
        Format::Triples => triples::read(text, options),
        Format::Dimacs => dimacs::read(text, options),
        Format::Csv => fields::read(text, options),
        Format::Json => listed::read(text, options),
    }?;
    if entries.is_empty() {
        return Err(nothing("no puzzle in the text"));
    }
    Ok(entries)
}

/// The only puzzle of a text.
pub fn read_one(text: &[u8], options: &ReadOptions) -> Result<Entry, FormatError> {
    let mut entries = read(text, options)?.into_iter();
    match (entries.next(), entries.next()) {
        (Some(entry), None) => Ok(entry),
        (_, second) => Err(error::Place::line(second.map_or(0, |entry| entry.line)).error(
            format_args!(
                "expected one puzzle, found {} in the text; put the one you want in a file of its own",
                entries.len() + 2
            ),
        )),
    }
}

/// Puzzles in a format. [`read`] with the [`ReadOptions`] of their geometry gives the same grids; of their
/// alphabet, too, where the format does not hold the geometry otherwise ([`Format::holds_entry`]).
pub fn write(entries: &[Entry], format: Format) -> Result<String, WriteError> {
    let first = entries.first().ok_or(WriteError::Nothing)?;
    if entries.len() > 1 && !format.holds_many() {
        let count = entries.len();
        return Err(WriteError::Single { format, count });
    }
    if let Some(entry) = entries.iter().find(|entry| !format.holds_entry(entry)) {
        let geometry = entry.grid.geometry();
        return Err(WriteError::Geometry { format, geometry });
    }
    Ok(match format {
        Format::Line => line::write(entries),
        Format::Sdk => sdk::write(first),
        Format::Ss => ss::write(entries),
        Format::Framed => framed::write(entries),
        Format::Canonical => canonical::write(entries),
        Format::OpenSudoku => opensudoku::write(entries),
        Format::LloydAmos => lloyd_amos::write(first),
        Format::Triples => triples::write(first),
        Format::Dimacs => dimacs::write(first),
        Format::Csv => fields::write(entries),
        Format::Json => listed::write(entries),
    })
}

/// Adds a puzzle, up to [`MAX_PUZZLES`].
fn push(entries: &mut Vec<Entry>, entry: Entry) -> Result<(), FormatError> {
    if entries.len() == MAX_PUZZLES {
        return Err(error::Place::line(entry.line).error(format_args!(
            "expected at most {MAX_PUZZLES} puzzles in a text, found more; split the file"
        )));
    }
    entries.push(entry);
    Ok(())
}

/// A name that fits in a line: trimmed, not too long, without control characters, a comment's sign or
/// what XML has no way to write.
fn one_line(name: &str) -> Option<String> {
    let invisible = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    let visible = |c: char| if invisible(c) { ' ' } else { c };
    let edge = |c: char| c.is_whitespace() || invisible(c) || c == '#';
    let name = name.trim_matches(edge).chars().take(MAX_NAME);
    let name: String = name.map(visible).collect();
    let name = name.trim_matches(edge);
    (!name.is_empty()).then(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &[u8]) -> String {
        read(text, &ReadOptions::default()).unwrap_err().to_string()
    }

    #[test]
    fn names_of_formats_are_read_and_shown() {
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let error = "xls".parse::<Format>().unwrap_err().to_string();
        assert!(
            error.starts_with("expected a format, one of line, sdk,"),
            "{error}"
        );
    }

    #[test]
    fn nothing_to_read_is_said_so() {
        assert!(message(b"").ends_with("found an empty text"));
        assert!(message(b"\xef\xbb\xbf \r\n\n").ends_with("found an empty text"));
        assert!(message(b"# only a comment\n").ends_with("found no puzzle in the text"));
        assert!(message(b"\x7fELF\x02\0").contains("is this a binary file?"));
        assert!(message(b"hello world\n").starts_with("1: expected "));
    }

    #[test]
    fn forms_of_other_programs_are_named() {
        for (text, name) in [
            (
                "https://www.f-puzzles.com/?load=N4IgzglgXgpiBcBOANCALhNAbO8QHU",
                "f-puzzles",
            ),
            ("N4IgzglgXgpiBcBOANCALhNAbO8QHUcBzKAQwCcwA", "f-puzzles"),
            ("https://sudokupad.app/abc123", "SudokuPad"),
            (
                "SCv7_32_f2e4qji9ho1i237s1fji06b3qd7at68vpg5lkqmk8a575i",
                "sudoku.coach",
            ),
            (
                "{\"size\":9,\"grid\":[[{\"value\":5,\"given\":true},{}]]}",
                "JSON object",
            ),
        ] {
            let message = message(text.as_bytes());
            assert!(message.contains(name), "{message}");
            assert!(message.contains("81 characters"), "{message}");
        }
    }

    #[test]
    fn one_puzzle_is_not_two() {
        let options = ReadOptions::default();
        let two = b"1..............2\n\n2..............1\n";
        assert_eq!(read(two, &options).unwrap().len(), 2);
        let error = read_one(two, &options).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("3: expected one puzzle, found 2")
        );
    }

    #[test]
    fn what_a_format_cannot_hold_is_refused() {
        let nine = read_one(&[b'.'; 81], &ReadOptions::default()).unwrap();
        assert_eq!(write(&[], Format::Line), Err(WriteError::Nothing));
        let error = write(&[nine.clone(), nine.clone()], Format::Sdk).unwrap_err();
        assert!(error.to_string().contains("holds one puzzle a file, not 2"));
        let error = write(&[nine], Format::Dimacs).unwrap_err().to_string();
        assert_eq!(
            error,
            "the format dimacs cannot hold a 9x9 Sudoku with 3x3 boxes; use the format canonical"
        );
    }

    #[test]
    fn puzzles_are_counted() {
        let text = "1221\n".repeat(MAX_PUZZLES + 1);
        let latin = ReadOptions {
            latin: true,
            ..ReadOptions::default()
        };
        let error = read(text.as_bytes(), &latin).unwrap_err();
        assert!(error.message.contains("at most 1048576 puzzles"), "{error}");
    }
}
