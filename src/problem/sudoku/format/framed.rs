//! Grids with drawn boxes: what `run` prints, and the frames of other programs.
//!
//! Bars and rulers may be ASCII or box-drawing characters. A frame shows its boxes, so they are taken from
//! it where it draws any; where lines of two weights are drawn, the heavier ones are those of the boxes.
//! Lines without a bar that are no rulers belong to no grid: a printed grid may have prose around it.
//! Givens may stand in brackets; to the reader they are like other digits. Blanks may be spaces if every
//! row has its bars in the same columns ([`mod@super::aligned`]).

use super::aligned;
use super::alphabet::{self, Alphabet, spelled_digit};
use super::canonical;
use super::error::{FormatError, Place};
use super::shape;
use super::source::{self, Symbol, Token};
use super::{BoxShape, Entry, Geometry, Grid, ReadOptions, push};

/// An upright line between cells.
fn is_bar(c: char) -> bool {
    matches!(
        c,
        '|' | '\u{a6}' | '│' | '┃' | '┆' | '┇' | '┊' | '┋' | '║' | '╎' | '╏'
    )
}

/// A bar or a piece of a ruler that is drawn heavier than others.
fn is_heavy(c: char) -> bool {
    matches!(
        c,
        '=' | '┃' | '┇' | '┋' | '║' | '╏' | '═' | '━' | '┅' | '┉' | '╍'
    )
}

/// A box-drawing character that goes across.
fn is_across(c: char) -> bool {
    ('\u{2500}'..='\u{257f}').contains(&c) && !is_bar(c)
}

/// A line of dashes between the bands of boxes, or around the grid.
pub(super) fn is_ruler(line: &str) -> bool {
    let drawn = |c: char| {
        matches!(c, '-' | '=' | '+' | '*' | ':' | '.' | '\'') || is_bar(c) || is_across(c)
    };
    line.contains(|c| matches!(c, '-' | '=') || is_across(c))
        && line.chars().all(|c| drawn(c) || c.is_whitespace())
        && !is_row_of_dashes(line)
}

/// Dashes one by one between bars: cells without digits.
fn is_row_of_dashes(line: &str) -> bool {
    let single = |word: &str| matches!(word, "-" | "." | "*") || is_bar_alone(word);
    line.contains(is_bar) && line.split_whitespace().all(single)
}

fn is_bar_alone(word: &str) -> bool {
    let mut characters = word.chars();
    characters.next().is_some_and(is_bar) && characters.next().is_none()
}

/// A row of cells inside an outer frame. Without a bar at its end, a row that begins with blanks may be
/// one whose first box has no digits.
pub(super) fn is_framed_row(line: &str) -> bool {
    let trimmed = line.trim();
    trimmed.starts_with(is_bar)
        && (line.starts_with(is_bar) || trimmed.ends_with(is_bar))
        && !is_ruler(line)
}

/// A row of cells between bars, as opposed to a bar in the name after a puzzle: that stands
/// behind more characters than one box is wide.
pub(super) fn is_barred_row(line: &str) -> bool {
    const WIDEST: usize = 8;
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let near = first.chars().count() <= WIDEST && words.any(|word| word.contains(is_bar));
    !is_ruler(line) && (first.contains(is_bar) || near)
}

/// The rows of one grid so far.
#[derive(Default)]
struct Frame<'a> {
    rows: Vec<Row<'a>>,
    /// The number of rows above each ruler inside the grid.
    rulers: Vec<Mark>,
}

struct Row<'a> {
    place: Place,
    line: &'a str,
    tokens: Vec<Token<'a>>,
    /// The number of tokens left of each bar.
    bars: Vec<Mark>,
}

/// A bar or a ruler.
#[derive(Clone, Copy)]
struct Mark {
    /// How many tokens or rows come before it.
    after: usize,
    heavy: bool,
}

/// Adds a mark. What stands at the same place is one mark, as heavy as its heaviest part.
fn mark(marks: &mut Vec<Mark>, after: usize, heavy: bool) {
    match marks.last_mut() {
        Some(last) if last.after == after => last.heavy |= heavy,
        _ => marks.push(Mark { after, heavy }),
    }
}

pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Vec<Entry>, FormatError> {
    let mut entries = Vec::new();
    let mut frame = Frame::default();
    let lines = || text.lines().map(|line| source::cut_comment(line).0);
    let is_row = if lines().any(is_framed_row) {
        is_framed_row
    } else {
        is_barred_row
    };
    // Where a dash is a blank, `|---|---|---|` is a row without digits.
    let bars = |line: &str| line.chars().filter(|&c| is_bar(c)).count();
    let mut dashed = lines().filter(|line| is_row(line) && line.contains('-'));
    let dashed = dashed.next().map(bars);
    let is_dashes = |line: &str| {
        let blank = |c: char| c == '-' || c.is_whitespace() || is_bar(c);
        dashed == Some(bars(line)) && line.chars().all(blank)
    };
    for (number, line) in (1..).zip(lines()) {
        if is_row(line) || is_dashes(line) {
            frame.push(number, line)?;
        } else if is_ruler(line) {
            mark(&mut frame.rulers, frame.rows.len(), line.contains(is_heavy));
        } else if !frame.rows.is_empty() {
            push(&mut entries, std::mem::take(&mut frame).entry(options)?)?;
        }
    }
    if !frame.rows.is_empty() {
        push(&mut entries, frame.entry(options)?)?;
    }
    Ok(entries)
}

/// What stands between cells of a part of a row.
pub(super) fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, '[' | ']')
}

impl<'a> Frame<'a> {
    fn push(&mut self, number: usize, line: &'a str) -> Result<(), FormatError> {
        let place = Place::line(number);
        if self.rows.len() == Geometry::MAX_LATIN {
            return Err(place.error(format_args!(
                "expected at most {} rows in a frame, found more; leave a blank line between grids",
                Geometry::MAX_LATIN
            )));
        }
        let mut row = Row {
            place,
            line,
            tokens: Vec::new(),
            bars: Vec::new(),
        };
        // Bars count as separators, but where they stand tells the width of the boxes.
        let mut before = 0;
        for part in source::split(number, line, is_bar) {
            let start = part.place.column - 1;
            let drawn = line.chars().skip(before).take(start - before);
            mark(&mut row.bars, row.tokens.len(), { drawn }.any(is_heavy));
            before = start + part.text.chars().count();
            let tokens = source::split(number, part.text, is_between);
            let room = Geometry::MAX_LATIN + 1 - row.tokens.len().min(Geometry::MAX_LATIN);
            row.tokens.extend(tokens.take(room).map(|mut token| {
                token.place.column += part.place.column - 1;
                token
            }));
        }
        if row.tokens.len() > Geometry::MAX_LATIN {
            return Err(place.error(format_args!(
                "expected at most {} cells in a row, found more; is this a grid?",
                Geometry::MAX_LATIN
            )));
        }
        self.rows.push(row);
        Ok(())
    }

    fn entry(self, options: &ReadOptions) -> Result<Entry, FormatError> {
        let first = self.rows.first().map_or(Place::NOWHERE, |row| row.place);
        let (size, spaced) = match self.shape() {
            Ok(shape) => shape,
            // Rows of too few cells may have spaces for blanks.
            Err(error) if self.has_blanks() => return Err(error),
            Err(error) => {
                let lines = self.rows.iter().map(|row| (row.place.line, row.line));
                let Some(tokens) = aligned::tokens(&lines.collect::<Vec<_>>(), is_bar) else {
                    return Err(error);
                };
                return Frame::filled(tokens, self.rulers).entry(options);
            }
        };
        let drawn = self.boxes(size, spaced);
        let tokens: Vec<Token> = self.rows.into_iter().flat_map(|row| row.tokens).collect();
        let options = match drawn {
            Some(_) if options.boxes.is_none() && !options.latin => &ReadOptions {
                boxes: drawn,
                ..*options
            },
            _ => options,
        };
        let geometry = shape::geometry(size, options, first)?;
        let (cells, alphabet) = if spaced {
            canonical::cells(&tokens, size, options.alphabet)?
        } else {
            let symbols: Vec<Symbol> = tokens.iter().flat_map(|token| token.symbols()).collect();
            alphabet::cells(&symbols, size, options.alphabet)?
        };
        Ok(Entry {
            name: None,
            grid: shape::grid(geometry, cells, first)?,
            line: first.line,
            alphabet,
        })
    }

    /// Whether there is a sign for blanks.
    fn has_blanks(&self) -> bool {
        let zero = if self.rows.len() <= 9 { "0" } else { "" };
        let sign = |c: char| ".*_-?".contains(c) || zero.contains(c);
        let mut tokens = self.rows.iter().flat_map(|row| &row.tokens);
        tokens.any(|token| token.text.contains(sign))
    }

    /// A frame whose rows have a token for every cell.
    fn filled(rows: Vec<aligned::Row<'a>>, rulers: Vec<Mark>) -> Self {
        let row = |row: aligned::Row<'a>| {
            let mut bars = Vec::new();
            for (after, bar) in row.bars {
                mark(&mut bars, after, is_heavy(bar));
            }
            Row {
                place: Place::line(row.line),
                line: "",
                tokens: row.tokens,
                bars,
            }
        };
        Self {
            rows: rows.into_iter().map(row).collect(),
            rulers,
        }
    }

    /// N, and whether a row is one token a cell or one character a cell.
    fn shape(&self) -> Result<(usize, bool), FormatError> {
        let first = self.rows.first().map_or(Place::NOWHERE, |row| row.place);
        let count = self.rows.len();
        let by_token = |row: &Row| row.tokens.len();
        let by_symbol = |row: &Row| {
            row.tokens
                .iter()
                .map(|token| token.text.chars().count())
                .sum()
        };
        let spaced = self.width(by_token).abs_diff(count) <= self.width(by_symbol).abs_diff(count);
        let (size, cells_in): (_, &dyn Fn(&Row) -> usize) = if spaced {
            (self.width(by_token), &by_token)
        } else {
            (self.width(by_symbol), &by_symbol)
        };
        if self.rows.iter().all(|row| row.tokens.is_empty()) {
            return Err(first.error("expected cells between the bars, found none"));
        }
        if let Some(row) = self.rows.iter().find(|row| cells_in(row) != size) {
            return Err(row.place.error(format_args!(
                "expected a row of {size} cells like the first one, found {}",
                cells_in(row)
            )));
        }
        if count != size {
            return Err(first.error(format_args!(
                "expected {size} rows of {size} cells from here, found {count}"
            )));
        }
        Ok((size, spaced))
    }

    fn width(&self, cells_in: impl Fn(&Row) -> usize) -> usize {
        self.rows.first().map_or(0, cells_in)
    }

    /// The boxes that the bars and rulers draw, if they draw any.
    fn boxes(&self, size: usize, spaced: bool) -> Option<BoxShape> {
        let row = self.rows.first()?;
        let cells_in = |tokens: &[Token]| -> usize {
            let width = |token: &Token| {
                if spaced {
                    1
                } else {
                    token.text.chars().count()
                }
            };
            tokens.iter().map(width).sum()
        };
        let bar = |&bar: &Mark| Mark {
            after: cells_in(&row.tokens[..bar.after]),
            ..bar
        };
        let bars: Vec<Mark> = row.bars.iter().map(bar).collect();
        let rows = pitch(&self.rulers, size)?;
        let cols = pitch(&bars, size)?;
        (rows * cols == size).then_some(BoxShape { rows, cols })
    }
}

/// The distance of evenly spaced marks strictly inside a grid, of the heavy ones if there are some.
fn pitch(marks: &[Mark], size: usize) -> Option<usize> {
    let inner = marks.iter().filter(|mark| (1..size).contains(&mark.after));
    let any_heavy = inner.clone().any(|mark| mark.heavy);
    let inner: Vec<usize> = inner
        .filter(|mark| mark.heavy || !any_heavy)
        .map(|mark| mark.after)
        .collect();
    let pitch = *inner.first()?;
    let even = inner
        .iter()
        .copied()
        .eq((1..).map(|i| i * pitch).take_while(|&mark| mark < size));
    even.then_some(pitch)
}

/// A grid with its boxes drawn, for people and for [`read`](super::read).
///
/// Digits of a grid larger than 9x9 are right-aligned numbers. A Latin square gets an outer
/// frame only. With `givens`, the digits that stand in them too are put in brackets:
///
/// ```text
/// +------+------+
/// |[1] 2 | 3 [4]|
/// | 3  4 | 1  2 |
/// +------+------+
/// |[2] 1 | 4 [3]|
/// | 4  3 | 2  1 |
/// +------+------+
/// ```
pub fn framed(grid: &Grid, givens: Option<&Grid>) -> String {
    framed_in(grid, givens, None)
}

/// [`framed()`] with the characters of an alphabet, if it has one for every digit of the grid.
pub fn framed_in(grid: &Grid, givens: Option<&Grid>, alphabet: Option<Alphabet>) -> String {
    let geometry = grid.geometry();
    let size = geometry.size();
    let BoxShape { rows, cols } = geometry.boxes().unwrap_or(BoxShape {
        rows: size,
        cols: size,
    });
    let alphabet = alphabet.filter(|alphabet| alphabet.reaches(size));
    let digits = match alphabet {
        Some(_) => 1,
        None => size.to_string().len(),
    };
    let is_given = |row: usize, col: usize| {
        let digit = grid.at(row, col);
        let given = givens.and_then(|givens| givens.cells().get(row * size + col));
        digit != 0 && given == Some(&digit)
    };
    let cell = |row, col| {
        let digit = spelled_digit(grid.at(row, col), alphabet);
        let padding = " ".repeat(digits - digit.len());
        match givens {
            Some(_) if is_given(row, col) => format!("{padding}[{digit}]"),
            Some(_) => format!("{padding} {digit} "),
            None => format!(" {padding}{digit}"),
        }
    };
    let (width, margin) = match givens {
        Some(_) => ((digits + 2) * cols, ""),
        None => ((digits + 1) * cols + 1, " "),
    };
    let ruler = format!(
        "{}+\n",
        format!("+{}", "-".repeat(width)).repeat(size / cols)
    );
    let mut text = String::new();
    for row in 0..size {
        if row % rows == 0 {
            text.push_str(&ruler);
        }
        for start in (0..size).step_by(cols) {
            text.push('|');
            text.extend((start..start + cols).map(|col| cell(row, col)));
            text.push_str(margin);
        }
        text.push_str("|\n");
    }
    text.push_str(&ruler);
    text
}

pub(super) fn write(entries: &[Entry]) -> String {
    let grids: Vec<_> = entries
        .iter()
        .map(|entry| framed(&entry.grid, None))
        .collect();
    grids.join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::{read, read_one};
    use super::*;

    fn usual(text: &str) -> Result<Vec<Entry>, FormatError> {
        read(text.as_bytes(), &ReadOptions::default())
    }

    fn grid(text: &str) -> Grid {
        usual(text).unwrap().remove(0).grid
    }

    #[test]
    fn givens_stand_in_brackets() {
        let (found, givens) = (grid("1234341221434321"), grid("1..4....2..3...."));
        let text = framed(&found, Some(&givens));
        assert_eq!(
            text,
            "+------+------+\n|[1] 2 | 3 [4]|\n| 3  4 | 1  2 |\n+------+------+\n\
             |[2] 1 | 4 [3]|\n| 4  3 | 2  1 |\n+------+------+\n"
        );
        assert_eq!(grid(&text), found);
        assert_eq!(
            framed(&givens, None),
            "+-----+-----+\n| 1 . | . 4 |\n| . . | . . |\n+-----+-----+\n\
             | 2 . | . 3 |\n| . . | . . |\n+-----+-----+\n"
        );
    }

    #[test]
    fn large_digits_are_aligned() {
        let geometry = Geometry::sudoku(2, 5).unwrap();
        let mut cells = vec![0; 100];
        (cells[0], cells[1]) = (10, 9);
        let grid = Grid::new(geometry, cells).unwrap();
        let text = framed(&grid, Some(&grid));
        let mut lines = text.lines();
        assert_eq!(
            lines.next(),
            Some("+--------------------+--------------------+")
        );
        assert_eq!(
            lines.next(),
            Some("|[10] [9]  .   .   . |  .   .   .   .   . |")
        );
        assert_eq!(usual(&text).unwrap()[0].grid, grid);
    }

    #[test]
    fn a_latin_square_has_an_outer_frame() {
        let geometry = Geometry::latin(3).unwrap();
        let square = Grid::new(geometry, vec![1, 2, 3, 2, 0, 0, 3, 0, 0]).unwrap();
        let text = framed(&square, None);
        assert_eq!(
            text,
            "+-------+\n| 1 2 3 |\n| 2 . . |\n| 3 . . |\n+-------+\n"
        );
        let read = read_one(text.as_bytes(), &ReadOptions::from(geometry)).unwrap();
        assert_eq!(read.grid, square);
    }

    #[test]
    fn the_frame_shows_the_boxes_unless_told_otherwise() {
        let tall = Grid::new(Geometry::sudoku(3, 2).unwrap(), vec![0; 36]).unwrap();
        let text = framed(&tall, None);
        assert_eq!(grid(&text), tall);
        let wide = Geometry::sudoku(2, 3).unwrap();
        let told = read_one(text.as_bytes(), &ReadOptions::from(wide)).unwrap();
        assert_eq!(told.grid.geometry(), wide);
    }

    #[test]
    fn prose_around_grids_is_no_row() {
        let one = framed(&grid("1234341221434321"), None);
        let text = format!("solved in 3 s\n{one}a | b\n\n{one}population 5\n");
        let entries = usual(&text).unwrap();
        let lines: Vec<_> = entries.iter().map(|entry| entry.line).collect();
        assert_eq!(lines, [3, 12]);
    }

    #[test]
    fn faults_are_located() {
        let one = framed(&grid("1234341221434321"), None);
        let message = |text: &str| usual(text).unwrap_err().to_string();
        assert_eq!(
            message(&one.replacen("| 3 4 | 1", "| 3 | 1", 1)),
            "3: expected a row of 4 cells like the first one, found 3"
        );
        assert_eq!(
            message(&one.replacen("| 3 4 | 1 2 |\n", "", 1)),
            "2: expected 4 rows of 4 cells from here, found 3"
        );
        assert_eq!(
            message(&one.replacen("4 | 1", "4 | 7", 1)),
            "3:9: expected a digit from 1 to 4 or a blank (. 0 * _ - ? X), found `7`"
        );
        assert!(message("| |\n| |\n").ends_with("found none"));
        assert!(message(&"| 1 |\n".repeat(200)).contains("at most 128 rows"));
    }
}
