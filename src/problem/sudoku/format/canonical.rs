//! The canonical text: characters in a line up to 9x9, rows of numbers above.
//!
//! The reader takes numbers for any size, between white space or commas, in any layout that
//! leaves one way to cut them into grids: N rows of N, a grid a line, or N * N in all.

use super::alphabet::{self, Reading};
use super::error::{FormatError, quoted};
use super::line;
use super::recognise::is_numbers;
use super::shape;
use super::source::{self, Line, Symbol, Token};
use super::{Alphabet, Entry, Geometry, Grid, ReadOptions, push};

/// A grid as text that every version of this program reads the same way.
///
/// Up to 9x9: N * N characters in one line, `.` for blanks. Larger: N lines of N numbers
/// between spaces, 0 for blanks. No line break at the end.
pub fn canonical(grid: &Grid) -> String {
    let size = grid.geometry().size();
    if size <= 9 {
        return line::cells(grid, None);
    }
    let row = |row: &[u8]| row.iter().map(u8::to_string).collect::<Vec<_>>().join(" ");
    let rows: Vec<_> = grid.cells().chunks(size).map(row).collect();
    rows.join("\n")
}

pub(super) fn write(entries: &[Entry]) -> String {
    if entries
        .iter()
        .all(|entry| entry.grid.geometry().size() <= 9)
    {
        return line::write(entries);
    }
    let grids: Vec<_> = entries
        .iter()
        .map(|entry| canonical(&entry.grid) + "\n")
        .collect();
    grids.join("\n")
}

pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Vec<Entry>, FormatError> {
    if !is_numbers(text) {
        return line::read(text, options);
    }
    let Some(size) = grid_size(text, options)? else {
        return Ok(Vec::new());
    };
    let mut entries = Vec::new();
    let mut tokens = Vec::new();
    for token in source::lines(text).flat_map(Line::tokens) {
        tokens.push(token);
        if tokens.len() == size * size {
            push(&mut entries, entry(&tokens, size, options)?)?;
            tokens.clear();
        }
    }
    Ok(entries)
}

/// N of the grids in the text, which hold all of its numbers.
fn grid_size(text: &str, options: &ReadOptions) -> Result<Option<usize>, FormatError> {
    let width = |line: &Line| line.tokens().count();
    let Some(first) = source::lines(text).next() else {
        return Ok(None);
    };
    let columns = width(&first);
    let (mut rows, mut total, mut odd) = (0, 0, None);
    for line in source::lines(text) {
        let width = width(&line);
        rows += 1;
        total += width;
        if width != columns && odd.is_none() {
            odd = Some((line.place(), width));
        }
    }
    let size = match odd {
        None if columns > 0 && rows % columns == 0 => columns,
        None if shape::side(columns).is_some() || rows == 1 => {
            shape::side_of(columns, options, first.place())?
        }
        _ => match (shape::side(total), odd) {
            (Some(side), _) => side,
            (None, Some((place, width))) => {
                return Err(place.error(format_args!(
                    "expected {columns} numbers like in the first line, found {width}"
                )));
            }
            (None, None) => {
                return Err(first.place().error(format_args!(
                    "expected {columns} rows of {columns} numbers from here, found {rows}"
                )));
            }
        },
    };
    // Checked before any cells are gathered, so that a huge file takes no more memory.
    shape::geometry(size, options, first.place())?;
    Ok(Some(size))
}

/// The entry of N * N tokens.
pub(super) fn entry(
    tokens: &[Token],
    size: usize,
    options: &ReadOptions,
) -> Result<Entry, FormatError> {
    let place = super::error::Place::line(tokens.first().map_or(0, |token| token.place.line));
    let geometry: Geometry = shape::geometry(size, options, place)?;
    let (cells, alphabet) = cells(tokens, size, options.alphabet)?;
    Ok(Entry {
        name: None,
        grid: shape::grid(geometry, cells, place)?,
        line: place.line,
        alphabet,
    })
}

/// The cells of an N x N grid from a token for each.
///
/// Tokens of one character are characters of an alphabet if the grid has one: always up to
/// 9x9, and above if it was asked for or if there are letters.
pub(super) fn cells(
    tokens: &[Token],
    size: usize,
    chosen: Option<Alphabet>,
) -> Result<Reading, FormatError> {
    let letter = |token: &Token| token.text.starts_with(|c: char| c.is_ascii_alphabetic());
    if size <= 9 || chosen.is_some() || tokens.iter().any(letter) {
        let symbols: Option<Vec<Symbol>> = tokens.iter().map(|token| token.symbol()).collect();
        if let Some(symbols) = symbols
            && size <= alphabet::MAX_SIZE
        {
            return alphabet::cells(&symbols, size, chosen);
        }
    }
    let cells: Result<_, _> = tokens.iter().map(|&token| cell(token, size)).collect();
    Ok((cells?, None))
}

fn cell(token: Token, size: usize) -> Result<u8, FormatError> {
    if matches!(token.text, "." | "*" | "_" | "-" | "?") {
        return Ok(0);
    }
    let hint = match token.text {
        "-1" => "; -1 is a blank only in Lloyd & Amos's form, which begins with the order",
        _ => "",
    };
    token
        .number()
        .filter(|&digit| digit <= size)
        .and_then(|digit| u8::try_from(digit).ok())
        .ok_or_else(|| {
            token.place.error(format_args!(
                "expected a digit from 1 to {size}, or 0 or `.` for a blank, found {}{hint}",
                quoted(token.text)
            ))
        })
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    fn usual(text: &str) -> Result<Vec<Entry>, FormatError> {
        read(text.as_bytes(), &ReadOptions::default())
    }

    /// A 12x12 grid as numbers: its first row counts to 12, the others are blank.
    fn twelve(separator: &str, blank: &str) -> String {
        let first: Vec<_> = (1..=12).map(|digit| digit.to_string()).collect();
        let others = format!("{}\n", [blank; 12].join(separator)).repeat(11);
        format!("{}\n{others}", first.join(separator))
    }

    #[test]
    fn separators_blanks_and_layout_are_free() {
        let grid = usual(&twelve(" ", "0")).unwrap().remove(0).grid;
        assert_eq!(grid.geometry(), Geometry::sudoku(3, 4).unwrap());
        assert_eq!(
            grid.cells()[..13],
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0]
        );
        for text in [
            twelve(",", "."),
            twelve(", ", "00"),
            twelve("\t", "_"),
            twelve(" ", "0").replace('\n', " "),
            twelve(" ", "0").replacen("0 0", "0\n0", 1),
            format!("# comment\n\n{}", twelve("  ", "0 ")),
        ] {
            assert_eq!(usual(&text).unwrap()[0].grid, grid, "{text}");
        }
        assert_eq!(canonical(&grid) + "\n", twelve(" ", "0"));
    }

    #[test]
    fn several_grids_follow_each_other() {
        let text = format!("{}\n{}", twelve(" ", "0"), twelve(" ", "0"));
        let lines: Vec<_> = usual(&text)
            .unwrap()
            .iter()
            .map(|entry| entry.line)
            .collect();
        assert_eq!(lines, [1, 14]);
        let row = "1 2 3 4 3 4 1 2 2 1 4 3 4 3 2 1\n";
        assert_eq!(usual(&row.repeat(3)).unwrap().len(), 3);
    }

    #[test]
    fn small_grids_may_be_spaced() {
        let text = "1 . X 4\n0 0 0 0\n_ _ * *\n. . . 2\n";
        let cells = [1, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2];
        assert_eq!(usual(text).unwrap()[0].grid.cells(), cells);
        assert_eq!(canonical(&usual(text).unwrap()[0].grid), "1..4...........2");
    }

    #[test]
    fn faults_are_located() {
        let message = |text: &str| usual(text).unwrap_err().to_string();
        let good = twelve(" ", "0");
        assert_eq!(
            message(&good.replacen("12", "13", 1)),
            "1:25: expected a digit from 1 to 12, or 0 or `.` for a blank, found `13`"
        );
        assert!(message(&good.replacen("12", "-1", 1)).contains("begins with the order"));
        assert_eq!(
            message(&good.replacen(" 12", "", 1)),
            "2: expected 11 numbers like in the first line, found 12"
        );
        assert_eq!(
            message(&good[..good.len() - 24]),
            "1: expected 12 rows of 12 numbers from here, found 11"
        );
        assert_eq!(
            message("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"),
            "1: expected 16 cells for a 4x4 grid, found 15"
        );
        assert!(message(&"0 ".repeat(65 * 65)).contains("64x64"));
    }
}
