//! Tables of spreadsheets: fields between commas, semicolons or tabs, where nothing is a blank.
//!
//! A table in which every field has something needs none of this: it is rows of numbers. Here an empty
//! field counts, so that a row of N cells has N - 1 separators whatever is between them.

use super::error::{FormatError, Place};
use super::source::{self, Token};
use super::{Entry, ReadOptions, canonical, push, shape};

/// What may stand between fields. A comma may be part of none of the others.
const SEPARATORS: [char; 3] = ['\t', ';', ','];

/// The longest cell: a number of three digits in quotes.
const LONGEST: usize = 5;

/// The separator of a table with fields that need it: some are empty, or it is one that no other format
/// has. Every line has as many fields as there are rows in a grid.
pub(super) fn separator(text: &str) -> Option<char> {
    let is_whole =
        |&separator: &char| has_cells(text, separator) && shape_fault(text, separator).is_none();
    SEPARATORS.into_iter().find(is_whole)
}

/// What is wrong with a table whose empty fields no other format can explain.
pub(super) fn fault(text: &str) -> Option<FormatError> {
    let mut separators = SEPARATORS.into_iter();
    let separator = separators.find(|&separator| has_cells(text, separator))?;
    shape_fault(text, separator)
}

/// Whether all fields are cells, and some need this separator to be told.
fn has_cells(text: &str, separator: char) -> bool {
    let mut empty = separator == ';' && text.contains(';');
    for (_, line) in lines(text, separator) {
        let cell = |field: &str| {
            let bare = bare(field);
            empty |= bare.is_empty() && line.contains(separator);
            field.trim().len() <= LONGEST && !bare.contains(char::is_whitespace)
        };
        if !line.split(separator).all(cell) {
            return false;
        }
    }
    empty
}

/// Why the fields are no square.
fn shape_fault(text: &str, separator: char) -> Option<FormatError> {
    let (first, line) = lines(text, separator).next()?;
    let size = width(line, separator);
    let mut rows = 0;
    for (number, line) in lines(text, separator) {
        rows += 1;
        let found = width(line, separator);
        if found != size {
            return Some(Place::line(number).error(format_args!(
                "expected {size} fields like in the first line, found {found}; an empty field is a blank"
            )));
        }
    }
    (size < 2 || rows % size != 0).then(|| {
        Place::line(first).error(format_args!(
            "expected {size} lines of {size} fields from here, found {rows}; an empty field is a blank"
        ))
    })
}

/// The lines of a table with their numbers. Only between tabs is a line of white space a row.
fn lines(text: &str, separator: char) -> impl Iterator<Item = (usize, &str)> {
    let nothing = move |line: &str| match separator {
        '\t' => !line.contains('\t') && line.trim().is_empty(),
        _ => line.trim().is_empty(),
    };
    (1..)
        .zip(text.lines())
        .map(|(number, line)| (number, line, source::cut_comment(line).0))
        // A comment alone in a line is no row without digits.
        .filter(move |(_, full, line)| {
            !nothing(line) && (line.len() == full.len() || !line.trim().is_empty())
        })
        .map(|(number, _, line)| (number, line))
}

fn width(line: &str, separator: char) -> usize {
    line.matches(separator).count() + 1
}

/// A field without white space and quotes around it.
fn bare(field: &str) -> &str {
    let field = field.trim();
    let inside = |quote: char| field.strip_prefix(quote)?.strip_suffix(quote);
    inside('"').or_else(|| inside('\'')).unwrap_or(field).trim()
}

pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Vec<Entry>, FormatError> {
    let Some(separator) = separator(text) else {
        return canonical::read(text, options);
    };
    let mut entries = Vec::new();
    let mut tokens = Vec::new();
    let mut size = 0;
    for (number, line) in lines(text, separator) {
        if size == 0 {
            size = width(line, separator);
            // Checked before any cells are gathered, so that a huge file takes no more memory.
            shape::geometry(size, options, Place::line(number))?;
        }
        let mut column = 1;
        for field in line.split(separator) {
            let text = bare(field);
            let before = &field[..field.find(text).unwrap_or(0)];
            let place = Place {
                line: number,
                column: column + before.chars().count(),
            };
            column += field.chars().count() + 1;
            tokens.push(match text {
                "" => Token { place, text: "." },
                text => Token { place, text },
            });
        }
        if tokens.len() == size * size {
            push(&mut entries, canonical::entry(&tokens, size, options)?)?;
            tokens.clear();
        }
    }
    Ok(entries)
}

/// Commas between the numbers of a row and nothing for a blank; a blank line between grids.
pub(super) fn write(entries: &[Entry]) -> String {
    let cell = |&digit: &u8| match digit {
        0 => String::new(),
        _ => digit.to_string(),
    };
    let grid = |entry: &Entry| -> String {
        let rows = entry.grid.cells().chunks(entry.grid.geometry().size());
        let row = |row: &[u8]| row.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
        rows.map(row).collect()
    };
    entries.iter().map(grid).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::{Format, read_one, write};
    use super::*;

    const PUZZLE: &str =
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    /// The puzzle as a table.
    fn table(separator: &str, cell: impl Fn(char) -> String) -> String {
        let rows = (0..9).map(|row| &PUZZLE[9 * row..9 * row + 9]);
        let row = |row: &str| row.chars().map(&cell).collect::<Vec<_>>().join(separator) + "\n";
        rows.map(row).collect()
    }

    fn plain(c: char) -> String {
        c.to_string().replace('.', "")
    }

    #[test]
    fn empty_fields_are_blanks() {
        let usual = ReadOptions::default();
        let grid = read_one(PUZZLE.as_bytes(), &usual).unwrap().grid;
        for separator in [",", ";", "\t", ", ", " ; "] {
            let quoted = |c: char| format!("\"{}\"", plain(c));
            for text in [table(separator, plain), table(separator, quoted)] {
                let found = read_one(text.as_bytes(), &usual);
                assert_eq!(found.unwrap().grid, grid, "{text}");
                let twice = super::super::read(format!("{text}\n{text}").as_bytes(), &usual);
                assert_eq!(twice.unwrap().len(), 2, "{text}");
            }
        }
    }

    #[test]
    fn tables_are_written() {
        let entry = read_one(b"1..4....2..3....", &ReadOptions::default()).unwrap();
        assert_eq!(
            write(&[entry], Format::Csv).unwrap(),
            "1,,,4\n,,,\n2,,,3\n,,,\n"
        );
    }

    #[test]
    fn faults_are_located() {
        let text = table(",", plain).replacen("9", "10", 1);
        let error = read_one(text.as_bytes(), &ReadOptions::default()).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("2:7: expected a digit from 1 to 9"),
            "{error}"
        );
        let message = |text: &str| {
            let error = read_one(text.as_bytes(), &ReadOptions::default()).unwrap_err();
            error.to_string()
        };
        let ragged = table(",", plain).replacen("6,,,", "6,,", 1);
        assert_eq!(
            message(&ragged),
            "2: expected 9 fields like in the first line, found 8; an empty field is a blank"
        );
        assert_eq!(
            message("5,3,,\n,,,\n"),
            "1: expected 4 lines of 4 fields from here, found 2; an empty field is a blank"
        );
    }
}
