//! `.sdk`: N rows of N characters, and lines of metadata that begin with `#` and a letter.
//!
//! Of the metadata only the title (`#T`), or failing that the description (`#D`), is kept.
//! SadMan's files put the rows under `[Puzzle]`; their other sections are not read. Spaces
//! and commas between the characters of a row do not matter.

use super::alphabet;
use super::error::{FormatError, Place};
use super::shape;
use super::source::{self, Symbol};
use super::{Entry, ReadOptions, one_line, push};

pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Vec<Entry>, FormatError> {
    let mut entries = Vec::new();
    let mut symbols: Vec<Symbol> = Vec::new();
    let (mut size, mut rows, mut first) = (0, 0, Place::NOWHERE);
    for line in source::lines(text) {
        let width = line.symbols().take(alphabet::MAX_SIZE + 1).count();
        if size == 0 {
            size = width;
        }
        if rows == 0 {
            first = line.place();
        }
        if width > alphabet::MAX_SIZE {
            return Err(line.place().error(format_args!(
                "expected rows of at most {} characters, found more; write larger grids as \
                 numbers with spaces between them",
                alphabet::MAX_SIZE
            )));
        }
        if width != size {
            return Err(line.place().error(format_args!(
                "expected a row of {size} cells like the first one, found {width}"
            )));
        }
        symbols.extend(line.symbols());
        rows += 1;
        if rows == size {
            let geometry = shape::geometry(size, options, first)?;
            let (cells, alphabet) = alphabet::cells(&symbols, size, options.alphabet)?;
            let entry = Entry {
                name: None,
                grid: shape::grid(geometry, cells, first)?,
                line: first.line,
                alphabet,
            };
            push(&mut entries, entry)?;
            symbols.clear();
            rows = 0;
        }
    }
    if rows != 0 {
        return Err(first.error(format_args!(
            "expected {size} rows of {size} cells from here, found {rows}"
        )));
    }
    if let [entry] = entries.as_mut_slice() {
        entry.name = title(text, 'T').or_else(|| title(text, 'D'));
    }
    Ok(entries)
}

/// The text of the first `#` line with the given letter.
fn title(text: &str, letter: char) -> Option<String> {
    text.lines()
        .find_map(|line| line.trim_start().strip_prefix('#')?.strip_prefix(letter))
        .and_then(one_line)
}

pub(super) fn write(entry: &Entry) -> String {
    let mut text = String::new();
    if let Some(name) = entry.name.as_deref().and_then(one_line) {
        text.push_str(&format!("#T{name}\n"));
    }
    for row in entry.grid.cells().chunks(entry.grid.geometry().size()) {
        let character = |&digit: &u8| super::line::character(digit, entry.alphabet);
        text.extend(row.iter().map(character));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{Geometry, read};
    use super::*;

    const PLAIN: &str = "2..1.5..3\n.54...71.\n.1.2.3.8.\n6.28.73.4\n.........\n1.53.98.6\n\
                         .2.7.1.6.\n.81...24.\n7..4.2..1\n";

    fn usual(text: &str) -> Result<Vec<Entry>, FormatError> {
        read(text.as_bytes(), &ReadOptions::default())
    }

    #[test]
    fn metadata_and_sections_surround_the_rows() {
        let plain = usual(PLAIN).unwrap().remove(0);
        assert_eq!(plain.grid.cells()[..9], [2, 0, 0, 1, 0, 5, 0, 0, 3]);
        assert_eq!((plain.name, plain.line), (None, 1));
        let full = format!("#ASomebody\n#DA day\n#TA title\n[Puzzle]\n{PLAIN}[State]\n{PLAIN}");
        let full = usual(&full).unwrap();
        assert_eq!(full.len(), 1);
        assert_eq!(full[0].grid, plain.grid);
        assert_eq!(
            (full[0].name.as_deref(), full[0].line),
            (Some("A title"), 5)
        );
        let described = usual(&format!("#DA day\n{PLAIN}")).unwrap();
        assert_eq!(described[0].name.as_deref(), Some("A day"));
    }

    #[test]
    fn rows_may_be_grouped_or_repeated() {
        let plain = usual(PLAIN).unwrap().remove(0);
        let grouped: String = PLAIN
            .lines()
            .map(|row| format!("{} {} {}\n", &row[..3], &row[3..6], &row[6..]))
            .collect();
        assert_eq!(usual(&grouped).unwrap()[0].grid, plain.grid);
        assert_eq!(
            usual(&grouped.replace('.', "0")).unwrap()[0].grid,
            plain.grid
        );
        assert_eq!(usual(&format!("{PLAIN}\n{PLAIN}")).unwrap().len(), 2);
    }

    #[test]
    fn larger_rows_follow_an_alphabet() {
        let row = "1 2 3 4 5 6 7 8 9 A B C D E F G\n";
        for separator in [" ", "", ",", "\t"] {
            let text = row.replace(' ', separator).repeat(16);
            let grid = usual(&text).unwrap().remove(0).grid;
            assert_eq!(grid.geometry(), Geometry::sudoku(4, 4).unwrap());
            assert_eq!(grid.cells()[15], 16);
        }
    }

    #[test]
    fn latin_squares_need_the_option() {
        let latin = ReadOptions {
            latin: true,
            ..ReadOptions::default()
        };
        let grid = read(b"123\n2..\n3..\n", &latin).unwrap().remove(0).grid;
        assert_eq!(grid.geometry(), Geometry::latin(3).unwrap());
        assert!(usual("123\n2..\n3..\n").is_err());
    }

    #[test]
    fn faults_are_located() {
        let message = |text: &str| usual(text).unwrap_err().to_string();
        assert_eq!(
            message(
                &PLAIN
                    .replacen("..........\n", ".\n........\n", 1)
                    .replace(".........\n", "........\n")
            ),
            "5: expected a row of 9 cells like the first one, found 8"
        );
        assert_eq!(
            message(&PLAIN[10..]),
            "1: expected 9 rows of 9 cells from here, found 8"
        );
        assert_eq!(
            message(&PLAIN.replace('7', "a")),
            "2:7: expected a digit from 1 to 9 or a blank (. 0 * _ - ? X), found `a`"
        );
    }
}
