//! Rows of a frame whose blanks are spaces: cells by their columns.
//!
//! Only frames whose rows all have their bars in the same columns are read so, and only if there is one
//! way to put as many cells between the bars as there are rows. A text has one sign for its blanks: where
//! another one occurs, a space is none, and what is missing is missing.

use super::Geometry;
use super::error::Place;
use super::framed::is_between;
use super::source::{self, Token};

/// A row with a token for every cell; blanks are `.`.
pub(super) struct Row<'a> {
    /// Counted from 1.
    pub line: usize,
    pub tokens: Vec<Token<'a>>,
    /// The bars before each part, with the number of cells before them.
    pub bars: Vec<(usize, char)>,
}

/// What stands between two bars.
#[derive(Clone, Copy)]
struct Part<'a> {
    /// In characters, from 0.
    start: usize,
    text: &'a str,
    /// The bar before it.
    bar: char,
    /// Whether there is one behind it.
    closed: bool,
}

/// The cells of a grid's rows: line numbers, and lines with spaces for blanks.
pub(super) fn tokens<'a>(
    lines: &[(usize, &'a str)],
    is_bar: fn(char) -> bool,
) -> Option<Vec<Row<'a>>> {
    let size = lines.len();
    let mut rows: Vec<Vec<Part>> = lines.iter().map(|&(_, line)| parts(line, is_bar)).collect();
    strip_indent(&mut rows);
    let model = rows.iter().max_by_key(|row| end(row))?;
    let fits = !model.is_empty() && size.is_multiple_of(model.len());
    if !fits || !(2..=Geometry::MAX_LATIN).contains(&size) {
        return None;
    }
    let cells = size / model.len();
    for row in &rows {
        let same = |(at, part): (usize, &Part)| {
            // What an editor has cut off at the end of a line were blanks.
            let cut = !part.closed;
            let width = part.text.chars().count();
            let wanted = model[at].text.chars().count();
            part.start == model[at].start && (width == wanted || cut && width < wanted)
        };
        if row.len() > model.len() || !row.iter().enumerate().all(same) {
            return None;
        }
    }
    let mut readings = LAYOUTS.into_iter().filter_map(|layout| {
        let read = |(&(line, _), row): (&(usize, &str), &Vec<Part<'a>>)| {
            read(line, row, model, cells, layout)
        };
        lines
            .iter()
            .zip(&rows)
            .map(read)
            .collect::<Option<Vec<Row>>>()
    });
    let found = readings.next()?;
    let texts = |rows: &[Row]| -> Vec<String> {
        let tokens = rows.iter().flat_map(|row| &row.tokens);
        tokens.map(|token| token.text.to_owned()).collect()
    };
    readings
        .all(|other| texts(&other) == texts(&found))
        .then_some(found)
}

/// Takes away what rows without an outer frame are indented by: what the first part is wider than the
/// second, if it is blank.
fn strip_indent(rows: &mut [Vec<Part>]) {
    let width = |part: &Part| part.text.chars().count();
    let indent = rows.iter().find_map(|row| match row[..] {
        [first, second, ..] if second.closed => width(&first).checked_sub(width(&second)),
        _ => None,
    });
    let indent = indent.unwrap_or(0);
    let blank = |row: &Vec<Part>| {
        let text = row.first().map_or("", |part| part.text);
        text.chars().take(indent).all(char::is_whitespace)
    };
    if indent > 0 && rows.iter().all(blank) {
        for first in rows.iter_mut().filter_map(|row| row.first_mut()) {
            first.text = Characters::new(first.text).between(indent, usize::MAX);
            first.start += indent;
        }
    }
}

/// How cells share the characters between two bars.
#[derive(Clone, Copy)]
struct Layout {
    /// Blank characters before the first cell.
    margin: usize,
    /// Blank characters after the last one.
    end: usize,
    /// Blank characters from one cell to the next.
    between: usize,
}

const LAYOUTS: [Layout; 4] = [
    Layout {
        margin: 0,
        end: 0,
        between: 0,
    },
    Layout {
        margin: 0,
        end: 0,
        between: 1,
    },
    Layout {
        margin: 1,
        end: 1,
        between: 1,
    },
    Layout {
        margin: 1,
        end: 1,
        between: 0,
    },
];

impl Layout {
    /// The width of each of so many cells, if they fill a part.
    fn cell(self, width: usize, cells: usize) -> Option<usize> {
        let rest = width.checked_sub(self.margin + self.end + self.between * (cells - 1))?;
        (rest > 0 && rest.is_multiple_of(cells)).then_some(rest / cells)
    }
}

/// The cells of a row in a layout, if nothing stands between them.
fn read<'a>(
    line: usize,
    row: &[Part<'a>],
    model: &[Part<'_>],
    cells: usize,
    layout: Layout,
) -> Option<Row<'a>> {
    let mut found = Row {
        line,
        tokens: Vec::new(),
        bars: Vec::new(),
    };
    for (at, wanted) in model.iter().enumerate() {
        // What is missing at the end of a line were blanks.
        let part = row.get(at);
        let text = Characters::new(part.map_or("", |part| part.text));
        let start = part.map_or(0, |part| part.start);
        let width = layout.cell(wanted.text.chars().count(), cells)?;
        found.bars.push((found.tokens.len(), wanted.bar));
        let mut taken = 0;
        for cell in 0..cells {
            let from = layout.margin + cell * (width + layout.between);
            if !text.are_blank(taken, from) {
                return None;
            }
            taken = from + width;
            let mut tokens = source::split(line, text.between(from, taken), is_between);
            let (column, text) = match (tokens.next(), tokens.next()) {
                (None, _) => (0, "."),
                (Some(token), None) => (start + from + token.place.column, token.text),
                _ => return None,
            };
            let place = Place { line, column };
            found.tokens.push(Token { place, text });
        }
        if !text.are_blank(taken, usize::MAX) {
            return None;
        }
    }
    Some(found)
}

/// The parts of a row, without what is outside of an outer frame.
fn parts(line: &str, is_bar: fn(char) -> bool) -> Vec<Part<'_>> {
    let framed = line.trim_start().starts_with(is_bar) && line.trim_end().ends_with(is_bar);
    let mut parts = Vec::new();
    let (mut start, mut bar) = (0, '|');
    let mut rest = line;
    loop {
        let text = &rest[..rest.find(is_bar).unwrap_or(rest.len())];
        let after = &rest[text.len()..];
        let outside = framed && (start == 0 || after.is_empty());
        if !text.is_empty() && !outside {
            let closed = !after.is_empty();
            parts.push(Part {
                start,
                text,
                bar,
                closed,
            });
        }
        start += text.chars().count() + 1;
        let Some(next) = after.chars().next() else {
            return parts;
        };
        bar = next;
        rest = &after[next.len_utf8()..];
    }
}

fn end(row: &[Part]) -> usize {
    let width = |part: &Part| part.start + part.text.chars().count();
    row.last().map_or(0, width)
}

/// A text by the numbers of its characters.
struct Characters<'a> {
    text: &'a str,
    /// Where each character begins, and where the last one ends.
    bytes: Vec<usize>,
}

impl<'a> Characters<'a> {
    fn new(text: &'a str) -> Self {
        let begins = text.char_indices().map(|(byte, _)| byte);
        let bytes = begins.chain([text.len()]).collect();
        Self { text, bytes }
    }

    /// From one character to another, as far as there are any.
    fn between(&self, from: usize, to: usize) -> &'a str {
        let byte = |at: usize| self.bytes.get(at).copied().unwrap_or(self.text.len());
        &self.text[byte(from)..byte(to)]
    }

    fn are_blank(&self, from: usize, to: usize) -> bool {
        self.between(from, to).chars().all(char::is_whitespace)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Format, Geometry, ReadOptions, framed, read, read_one, write};

    const PUZZLE: &str =
        "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

    fn grid(text: &str) -> super::super::Grid {
        read_one(text.as_bytes(), &ReadOptions::default())
            .unwrap_or_else(|error| panic!("{error}\n{text}"))
            .grid
    }

    #[test]
    fn spaces_are_blanks_where_bars_are_aligned() {
        let entry = read_one(PUZZLE.as_bytes(), &ReadOptions::default()).unwrap();
        let ours = framed(&entry.grid, None);
        let with_givens = framed(&entry.grid, Some(&entry.grid));
        let simple = write(std::slice::from_ref(&entry), Format::Ss).unwrap();
        let narrow = ours
            .replace("| ", "|")
            .replace(" |", "|")
            .replace("-------", "-----");
        let tight = simple
            .lines()
            .map(|row| format!("| {} |\n", row.replace('|', " | ")));
        let tight: String = tight.filter(|row| !row.contains("--")).collect();
        for frame in [ours, with_givens, simple, narrow, tight] {
            let spaced = frame.replace('.', " ");
            assert_eq!(grid(&spaced), entry.grid, "{spaced}");
            let indented: String = spaced.lines().map(|line| format!("    {line}\n")).collect();
            assert_eq!(grid(&indented), entry.grid, "{indented}");
            let cut: String = spaced
                .lines()
                .map(|line| format!("{}\n", line.trim_end()))
                .collect();
            assert_eq!(grid(&cut), entry.grid, "{cut}");
        }
    }

    #[test]
    fn every_cell_may_have_bars_of_its_own() {
        let wanted = grid(PUZZLE);
        let row = |row: &str| {
            let cells = row
                .chars()
                .map(|c| format!(" {} ", if c == '.' { ' ' } else { c }));
            let cells: Vec<String> = cells.collect();
            let boxes: Vec<String> = cells.chunks(3).map(|cells| cells.join("│")).collect();
            format!("║{}║\n", boxes.join("║"))
        };
        let thin = format!("╟{}╢\n", ["───┼───┼───"; 3].join("╫"));
        let thick = format!("╠{}╣\n", ["═══╪═══╪═══"; 3].join("╬"));
        let rows: Vec<String> = (0..9).map(|r| row(&PUZZLE[9 * r..9 * r + 9])).collect();
        let bands: Vec<String> = rows.chunks(3).map(|band| band.join(&thin)).collect();
        let text = format!("{thick}{}{thick}", bands.join(&thick));
        assert_eq!(grid(&text), wanted, "{text}");
        let ascii = text.replace(['║', '│'], "|");
        assert_eq!(grid(&ascii), wanted, "{ascii}");
    }

    #[test]
    fn heavy_lines_are_those_of_the_boxes() {
        let line = |cells: [&str; 6], inner: &str| {
            let pairs: Vec<String> = cells.chunks(2).map(|pair| pair.join(inner)).collect();
            format!("┃{}┃\n", pairs.join("┃"))
        };
        let thin = line(["───"; 6], "┼").replace('┃', "╂");
        let thick = thin.replace('─', "━");
        let row = line([" 1 ", "   ", "   ", "   ", "   ", " 2 "], "│");
        let blank = line(["   "; 6], "│");
        let band = |first: &str| format!("{first}{thin}{blank}{thin}{blank}");
        let text = format!("{thick}{}{thick}{}{thick}", band(&row), band(&blank));
        let found = grid(&text);
        assert_eq!(found.geometry(), Geometry::sudoku(3, 2).unwrap(), "{text}");
        assert_eq!(found.cells()[..6], [1, 0, 0, 0, 0, 2]);
    }

    #[test]
    fn rows_that_are_not_aligned_are_refused() {
        let usual = ReadOptions::default();
        for text in [
            "|1   |   4|\n|    |    |\n|2   |  |\n|    |    |\n",
            "| 1  2 |\n| 3 |\n",
            "|1 2|  |3 |\n|   |  |  |\n|   |  |  |\n|   |  |  |\n",
        ] {
            assert!(read(text.as_bytes(), &usual).is_err(), "{text}");
        }
    }
}
