//! A puzzle a line, one character a cell: `.sdm` files, and puzzles given as an argument.
//!
//! What follows the cells after white space or a comma, with or without a `#`, is the puzzle's
//! name. Only if all words of a line have the same length, and together the cells of a grid, are they
//! its rows or parts of them.

use super::alphabet::{self, MAX_SIZE, fits_small, spelled_digit};
use super::error::{FormatError, Place, quoted};
use super::recognise::recognise;
use super::shape;
use super::source::{self, Line, Symbol, Token};
use super::{Alphabet, Entry, Format, Grid, ReadOptions, one_line, push};

pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Vec<Entry>, FormatError> {
    if let Some(alone) = spread(text) {
        return Ok(vec![entry(alone, first_place(text), options)?]);
    }
    let mut entries = Vec::new();
    for line in source::lines(text) {
        if groups(|| line.tokens()).is_some() {
            let name = one_line(line.comment.unwrap_or_default());
            let entry = entry(line.symbols(), line.place(), options)?;
            push(&mut entries, Entry { name, ..entry })?;
            continue;
        }
        let mut tokens = line.tokens();
        let Some(cells) = tokens.next() else { continue };
        let rest = tokens.next().map(|token| {
            let skipped = line.text.chars().take(token.place.column - 1);
            &line.text[skipped.map(char::len_utf8).sum()..]
        });
        let name = one_line(rest.or(line.comment).unwrap_or_default());
        let entry = entry(cells.symbols(), line.place(), options)
            .map_err(|error| row_fault(line).unwrap_or(error))?;
        push(&mut entries, Entry { name, ..entry })?;
    }
    Ok(entries)
}

/// What is wrong with a line that has rows of a grid and not the cells of one: its first words are alike.
fn row_fault(line: Line) -> Option<FormatError> {
    let length = |token: &Token| token.text.chars().take(MAX_SIZE + 1).count();
    let size = line.tokens().next().map(|token| length(&token))?;
    let alike = line.tokens().take_while(|token| length(token) == size);
    if alike.count() < 2 || !(4..=MAX_SIZE).contains(&size) {
        return None;
    }
    let odd = line.tokens().find(|token| length(token) != size);
    Some(match odd {
        Some(token) => token.place.error(format_args!(
            "expected a row of {size} cells like the first one, found {}",
            quoted(token.text)
        )),
        None => line.place().error(format_args!(
            "expected {size} rows of {size} cells in the line, found {}",
            line.tokens().count()
        )),
    })
}

/// N, if tokens of one length above 1 are together the cells of a grid, each its row or a part of one.
fn groups<'a, Tokens: Iterator<Item = Token<'a>>>(tokens: impl Fn() -> Tokens) -> Option<usize> {
    let length = |token: Token| token.text.chars().take(MAX_SIZE + 1).count();
    let first = length(tokens().next()?);
    let mut count = 0;
    for token in tokens() {
        count += 1;
        if length(token) != first || count * first > MAX_SIZE * MAX_SIZE {
            return None;
        }
    }
    // Below 4x4 there are only Latin squares, and one row of a larger grid is likelier.
    let size =
        shape::side(count * first).filter(|&size| size >= 4 && size.is_multiple_of(first))?;
    let fits = size > 9 || fits_small(tokens().flat_map(Token::symbols), size);
    (first > 1 && count > 1 && fits).then_some(size)
}

/// The characters of a grid whose rows stand in fewer lines than there are rows.
fn spread(text: &str) -> Option<impl Iterator<Item = Symbol>> {
    let tokens = || source::lines(text).flat_map(Line::tokens);
    let lines = source::lines(text).take(MAX_SIZE + 1).count();
    let size = groups(tokens)?;
    // As many lines as rows are rows; one line is a puzzle like any other.
    let same = |line: Line| line.symbols().count() * lines == size * size;
    (1 < lines && lines < size && source::lines(text).all(same))
        .then(|| tokens().flat_map(Token::symbols))
}

fn first_place(text: &str) -> Place {
    source::lines(text)
        .next()
        .map_or(Place::NOWHERE, |line| line.place())
}

/// Whether the cells of each puzzle are in groups.
pub(super) fn is_grouped(text: &str) -> bool {
    let lines = || source::lines(text);
    let Some(width) = lines().next().map(|line| line.symbols().count()) else {
        return false;
    };
    // Without a digit, one empty grid is likelier than many.
    let has_digit = || lines().any(|line| line.text.contains(|c| ('1'..='9').contains(&c)));
    let are_rows = || lines().count().is_multiple_of(width) && !has_digit();
    let are_groups = lines().all(|line| groups(|| line.tokens()).is_some());
    are_groups && !are_rows() || spread(text).is_some()
}

/// The puzzle of N * N characters.
pub(super) fn entry(
    symbols: impl Iterator<Item = Symbol>,
    place: Place,
    options: &ReadOptions,
) -> Result<Entry, FormatError> {
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
    let (cells, alphabet) = alphabet::cells(&symbols, size, options.alphabet)?;
    Ok(Entry {
        name: None,
        grid: shape::grid(geometry, cells, place)?,
        line: place.line,
        alphabet,
    })
}

pub(super) fn write(entries: &[Entry]) -> String {
    let write = |unnamed: &str| -> String {
        let line = |Entry {
                        name,
                        grid,
                        alphabet,
                        ..
                    }: &Entry| {
            let name = name.as_deref().and_then(one_line);
            let name = name.map_or(unnamed.to_owned(), |name| format!(" # {name}"));
            format!("{}{name}\n", cells(grid, *alphabet))
        };
        entries.iter().map(line).collect()
    };
    let text = write("");
    // Sixteen lines of sixteen characters may also be one 16x16 grid; a comment, even an empty one, tells
    // that the grid ends with the line.
    let is_lines = |options: &ReadOptions| recognise(&text, options) == Format::Line;
    let geometry = entries.first().map(|entry| entry.grid.geometry());
    let told = geometry.is_none_or(|geometry| is_lines(&ReadOptions::from(geometry)));
    match entries.len() > 1 && !(told && is_lines(&ReadOptions::default())) {
        true => write(" #"),
        false => text,
    }
}

/// The cells of a grid with one character each, row by row, with `.` for blanks. Above 9x9 it takes an
/// alphabet.
pub(super) fn cells(grid: &Grid, alphabet: Option<Alphabet>) -> String {
    let character = |&digit: &u8| character(digit, alphabet);
    grid.cells().iter().map(character).collect()
}

/// The character of a digit up to 9, or of one that the alphabet has.
pub(super) fn character(digit: u8, alphabet: Option<Alphabet>) -> char {
    let spelled = spelled_digit(digit, alphabet);
    spelled.chars().next().unwrap_or('.')
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
        for blank in ["0", "*", "_", "-", "?", "X", "x"] {
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
    fn rows_may_stand_in_one_line() {
        let grid = usual(EASY).unwrap().remove(0).grid;
        let parts = |length: usize, separator: &str, text: &str| {
            let parts = text.as_bytes().chunks(length);
            let parts: Vec<_> = parts
                .map(|part| std::str::from_utf8(part).unwrap())
                .collect();
            parts.join(separator)
        };
        let zeros = EASY.replace('.', "0");
        for text in [EASY, &zeros] {
            for (length, separator) in [(9, " "), (9, ","), (9, "  "), (3, " ")] {
                let text = parts(length, separator, text);
                let found = usual(&text).unwrap();
                assert_eq!((found.len(), &found[0].grid), (1, &grid), "{text}");
                let twice = usual(&format!("{text}\n{text} # again\n")).unwrap();
                assert_eq!((twice.len(), twice[1].name.as_deref()), (2, Some("again")));
            }
        }
        let bands: Vec<_> = EASY
            .as_bytes()
            .chunks(27)
            .map(|band| parts(9, " ", std::str::from_utf8(band).unwrap()))
            .collect();
        assert_eq!(usual(&bands.join("\n")).unwrap()[0].grid, grid);
        let message = |text: &str| usual(text).unwrap_err().to_string();
        let spaced = parts(9, " ", EASY);
        assert_eq!(
            message(&spaced[10..]),
            "1: expected 9 rows of 9 cells in the line, found 8"
        );
        assert_eq!(
            message(&spaced.replacen("...2.7...", "..2.7...", 1)),
            "1:21: expected a row of 9 cells like the first one, found `..2.7...`"
        );
        // A name is no row, and rows of a larger grid are no grids.
        assert_eq!(
            usual("1..4....2..3.... name").unwrap()[0].name.as_deref(),
            Some("name")
        );
        let large = "1234 5678 9ABC DEFG\n".repeat(16);
        assert_eq!(usual(&large).unwrap()[0].grid.geometry().size(), 16);
    }

    #[test]
    fn lines_end_with_their_cells() {
        let entry = read_one(EASY.as_bytes(), &ReadOptions::default()).unwrap();
        let text = write(&[entry.clone(), entry], Format::Line).unwrap();
        assert_eq!(text, format!("{EASY}\n{EASY}\n"));
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
            message(&format!("{EASY}\n {}", EASY.replace('4', "!"))),
            "2:31: expected a digit from 1 to 9 or a blank (. 0 * _ - ? X), found `!`"
        );
        assert_eq!(
            message("12345678........"),
            "1:5: expected a digit from 1 to 4 or a blank (. 0 * _ - ? X), found `5`"
        );
        assert!(message(&".".repeat(49)).contains("--latin"));
        assert!(message(&"1".repeat(10_000)).contains("at most 1296 cells"));
    }
}
