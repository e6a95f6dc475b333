//! A puzzle a line, one character a cell: `.sdm` files, and puzzles given as an argument.
//!
//! What follows the cells after white space or a comma, with or without a `#`, is the puzzle's
//! name.

use super::alphabet::{self, MAX_SIZE};
use super::error::{FormatError, Place};
use super::shape;
use super::source::{self, Symbol};
use super::{Entry, Grid, ReadOptions, one_line, push};

pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Vec<Entry>, FormatError> {
    let mut entries = Vec::new();
    for line in source::lines(text) {
        let mut tokens = line.tokens();
        let Some(cells) = tokens.next() else { continue };
        let rest = tokens.next().map(|token| {
            let skipped = line.text.chars().take(token.place.column - 1);
            &line.text[skipped.map(char::len_utf8).sum()..]
        });
        let name = one_line(rest.or(line.comment).unwrap_or_default());
        let grid = grid(cells.symbols(), line.place(), options)?;
        let entry = Entry {
            name,
            grid,
            line: line.number,
        };
        push(&mut entries, entry)?;
    }
    Ok(entries)
}

/// The grid of N * N characters.
pub(super) fn grid(
    symbols: impl Iterator<Item = Symbol>,
    place: Place,
    options: &ReadOptions,
) -> Result<Grid, FormatError> {
    let symbols: Vec<Symbol> = symbols.take(MAX_SIZE * MAX_SIZE + 1).collect();
    if symbols.len() > MAX_SIZE * MAX_SIZE {
        return Err(place.error(format_args!(
            "expected at most {} cells of one character each, found more; write larger grids as \
             numbers",
            MAX_SIZE * MAX_SIZE
        )));
    }
    let size = shape::side_of(symbols.len(), options, place)?;
    let geometry = shape::geometry(size, options, place)?;
    let cells = alphabet::cells(&symbols, size, options.alphabet)?;
    shape::grid(geometry, cells, place)
}

pub(super) fn write(entries: &[Entry]) -> String {
    let mut text = String::new();
    for Entry { name, grid, .. } in entries {
        text.push_str(&cells(grid));
        match name.as_deref().and_then(one_line) {
            Some(name) => text.push_str(&format!(" # {name}")),
            // Sixteen lines of sixteen characters may also be one 16x16 grid; a comment, even
            // an empty one, tells that the grid ends with the line.
            None if entries.len() > 1 => text.push_str(" #"),
            None => {}
        }
        text.push('\n');
    }
    text
}

/// The cells of a grid of at most 9x9, row by row, with `.` for blanks.
pub(super) fn cells(grid: &Grid) -> String {
    grid.cells().iter().map(|&digit| character(digit)).collect()
}

/// The character of a digit up to 9.
pub(super) fn character(digit: u8) -> char {
    match digit {
        0 => '.',
        _ => char::from(b'0' + digit),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Geometry, read, read_one, write};
    use super::*;

    const EASY: &str =
        "..9...1..217...368...2.7....641.358..7.....3.15.428.79...589...485...293..63.28..";

    fn usual(text: &str) -> Result<Vec<Entry>, FormatError> {
        read(text.as_bytes(), &ReadOptions::default())
    }

    #[test]
    fn all_blanks_are_alike() {
        let grid = usual(EASY).unwrap().remove(0).grid;
        assert_eq!(grid.filled(), 38);
        for blank in ["0", "*", "_", "X", "x"] {
            assert_eq!(usual(&EASY.replace('.', blank)).unwrap()[0].grid, grid);
        }
    }

    #[test]
    fn small_grids_are_told_by_their_length() {
        for (size, rows, cols) in [(4, 2, 2), (6, 2, 3), (8, 2, 4), (9, 3, 3)] {
            let text = format!("1{}", ".".repeat(size * size - 1));
            let geometry = usual(&text).unwrap()[0].grid.geometry();
            assert_eq!(geometry, Geometry::sudoku(rows, cols).unwrap());
        }
    }

    #[test]
    fn a_file_holds_many_puzzles_with_names() {
        let text = format!(
            "# collection\n{EASY}\n\n{EASY} easy one\r\n  {EASY} # 2 | two\n1{:.>15}\n",
            ""
        );
        let entries = usual(&text).unwrap();
        let found: Vec<_> = entries
            .iter()
            .map(|entry| {
                (
                    entry.line,
                    entry.name.as_deref(),
                    entry.grid.geometry().size(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                (2, None, 9),
                (4, Some("easy one"), 9),
                (5, Some("2 | two"), 9),
                (6, None, 4)
            ]
        );
    }

    #[test]
    fn sixteen_small_puzzles_are_not_one_large_one() {
        let small = read_one(&[b'.'; 16], &ReadOptions::default()).unwrap();
        let text = write(&vec![small; 16], Format::Line).unwrap();
        assert_eq!(usual(&text).unwrap().len(), 16);
        assert_eq!(usual(&"1..............2\n".repeat(16)).unwrap().len(), 16);
        assert_eq!(usual(&"................\n".repeat(16)).unwrap().len(), 1);
    }

    #[test]
    fn faults_are_located() {
        let message = |text: &str| usual(text).unwrap_err().to_string();
        assert_eq!(
            message(&EASY[1..]),
            "1: expected 81 cells for a 9x9 grid, found 80"
        );
        assert_eq!(
            message(&format!("{EASY}\n{EASY}.\n")),
            "2: expected 81 cells for a 9x9 grid, found 82"
        );
        assert_eq!(
            message(&format!("{EASY}\n {}", EASY.replace('4', "?"))),
            "2:31: expected a digit from 1 to 9 or a blank (. 0 * _ X), found `?`"
        );
        assert_eq!(
            message("12345678........"),
            "1:5: expected a digit from 1 to 4 or a blank (. 0 * _ X), found `5`"
        );
        assert!(message(&".".repeat(49)).contains("--latin"));
        assert!(message(&"1".repeat(10_000)).contains("at most 1296 cells"));
    }
}
