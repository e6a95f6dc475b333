//! Latin squares as list colouring of a graph, like Jin & Hao's benchmark instances.
//!
//! ```text
//! c a comment
//! p edges 9 18
//! e 1 2
//! f 1 3
//! f 2 1 2 3
//! ```
//!
//! `p edges V E` (also `p edge`, `p col`) announces V = n * n vertices, the cells row by row. `e`
//! joins two cells of a row or column; such edges may be left out, as a Latin square has them
//! anyway, but other edges are an error. `f` lists the colours that a cell may take: a single
//! one is a given, several leave the cell blank, and so does the lack of an `f` line. A list may
//! leave out what the givens of its row and column rule out, nothing else: a Latin square knows
//! no other restriction.
//!
//! Cells and colours count from 1; from 0 if a 0 occurs among the cells or among the colours.

use super::error::{FormatError, Place, quoted};
use super::shape;
use super::source::{self, Token};
use super::{Entry, Geometry, ReadOptions};

/// Whether these are the first two words of the line that announces a graph.
pub(super) fn is_header(first: &str, second: &str) -> bool {
    first == "p" && matches!(second, "edge" | "edges" | "col")
}

pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Vec<Entry>, FormatError> {
    let (place, geometry) = header(text, options)?;
    let base = Base::of(text);
    let size = geometry.size();
    let cell = |token: Token| {
        let number = token.number_in(base.cell..=geometry.cells() - 1 + base.cell, "a cell")?;
        Ok(number - base.cell)
    };
    let mut cells: Vec<Option<u8>> = vec![None; geometry.cells()];
    let mut lists: Vec<(usize, Place, u128)> = Vec::new();
    for (kind, mut rest) in records(text) {
        let mut next = |what: &str| {
            rest.next().ok_or_else(|| {
                kind.place
                    .error(format_args!("expected {what} in this line"))
            })
        };
        match kind.text {
            "c" | "p" => {}
            "e" => {
                let (u, v) = (next("two cells")?, next("two cells")?);
                let (at, other) = (cell(u)?, cell(v)?);
                let joined = at / size == other / size || at % size == other % size;
                if !joined || at == other {
                    return Err(u.place.error(format_args!(
                        "expected an edge between two cells of a row or column of a {geometry}, \
                         found {} and {}",
                        u.text, v.text
                    )));
                }
            }
            "f" => {
                let token = next("a cell")?;
                let at = cell(token)?;
                let colours = base.colour..=size - 1 + base.colour;
                let first = next("at least one colour")?.number_in(colours.clone(), "a colour")?;
                let mut digit = u8::try_from(first - base.colour + 1).unwrap_or(u8::MAX);
                let mut list = 1u128 << (first - base.colour);
                for colour in rest {
                    let colour = colour.number_in(colours.clone(), "a colour")?;
                    list |= 1 << (colour - base.colour);
                    if colour != first {
                        digit = 0;
                    }
                }
                lists.push((at, token.place, list));
                if cells[at].replace(digit).is_some() {
                    return Err(token.place.error(format_args!(
                        "expected one list of colours for each cell, found another one for cell {}",
                        token.text
                    )));
                }
            }
            _ => {
                return Err(kind.place.error(format_args!(
                    "expected a line that begins with c, p, e or f, found {}",
                    quoted(kind.text)
                )));
            }
        }
    }
    let cells: Vec<u8> = cells.into_iter().map(Option::unwrap_or_default).collect();
    check_lists(size, &cells, &lists)?;
    Ok(vec![Entry {
        name: None,
        grid: shape::grid(geometry, cells, place)?,
        line: place.line,
        alphabet: None,
    }])
}

/// Refuses lists that leave out a colour which no given of the row or column takes.
fn check_lists(
    size: usize,
    cells: &[u8],
    lists: &[(usize, Place, u128)],
) -> Result<(), FormatError> {
    let taken = |digit: u8| digit.checked_sub(1).map_or(0, |colour| 1u128 << colour);
    let mut rows = vec![0; size];
    let mut columns = vec![0; size];
    for (at, &digit) in cells.iter().enumerate() {
        rows[at / size] |= taken(digit);
        columns[at % size] |= taken(digit);
    }
    let all = u128::MAX >> (128 - size);
    for &(at, place, list) in lists {
        let left_out = all & !(list | rows[at / size] | columns[at % size]);
        if cells[at] == 0 && left_out != 0 {
            return Err(place.error(
                "expected a list of one colour, or of all that the givens leave: cells with other \
                 lists of colours are not supported",
            ));
        }
    }
    Ok(())
}

/// The first word of every line, and the words after it.
fn records(text: &str) -> impl Iterator<Item = (Token<'_>, impl Iterator<Item = Token<'_>>)> {
    (1..).zip(text.lines()).filter_map(|(number, line)| {
        let mut words = source::split(number, line, char::is_whitespace);
        Some((words.next()?, words))
    })
}

/// Where the graph is announced, and the square that has as many cells as it has vertices.
fn header(text: &str, options: &ReadOptions) -> Result<(Place, Geometry), FormatError> {
    let mut headers = records(text).filter(|(kind, _)| kind.text == "p");
    let Some((kind, mut rest)) = headers.next() else {
        return Err(Place::NOWHERE.error("expected a line `p edges VERTICES EDGES`, found none"));
    };
    let expected = |found: &str| {
        kind.place.error(format_args!(
            "expected `p edges VERTICES EDGES` with the number of vertices a square, found {found}"
        ))
    };
    let _edges = rest.next();
    let vertices = rest.next().ok_or_else(|| expected("too few words"))?;
    let size = vertices
        .number()
        .and_then(shape::side)
        .ok_or_else(|| expected(&quoted(vertices.text)))?;
    if let Some((again, _)) = headers.next() {
        return Err(again
            .place
            .error("expected one line that begins with p, found a second one"));
    }
    let place = Place::line(kind.place.line);
    Ok((place, shape::latin(size, options, place)?))
}

/// What cells and colours count from.
struct Base {
    cell: usize,
    colour: usize,
}

impl Base {
    fn of(text: &str) -> Self {
        let mut base = Self { cell: 1, colour: 1 };
        for (kind, rest) in records(text) {
            for (nth, token) in rest.enumerate() {
                let zero = token.number() == Some(0);
                match (kind.text, nth) {
                    ("e", _) | ("f", 0) if zero => base.cell = 0,
                    ("f", _) if zero => base.colour = 0,
                    _ => {}
                }
            }
        }
        base
    }
}

pub(super) fn write(entry: &Entry) -> String {
    let size = entry.grid.geometry().size();
    let edges = size * size * (size - 1);
    let mut text = format!("p edges {} {edges}\n", size * size);
    for at in 0..size * size {
        let (row, col) = (at / size, at % size);
        let right = (col + 1..size).map(|col| row * size + col);
        let below = (row + 1..size).map(|row| row * size + col);
        for other in right.chain(below) {
            text.push_str(&format!("e {} {}\n", at + 1, other + 1));
        }
    }
    for (at, &digit) in entry.grid.cells().iter().enumerate() {
        text.push_str(&format!("f {}", at + 1));
        let colours = match usize::from(digit) {
            0 => 1..=size,
            digit => digit..=digit,
        };
        text.extend(colours.map(|colour| format!(" {colour}")));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{Format, read, read_one, write};
    use super::*;

    fn cells(text: &str) -> Vec<u8> {
        let entry = read_one(text.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(entry.grid.geometry(), Geometry::latin(3).unwrap());
        entry.grid.cells().to_vec()
    }

    #[test]
    fn a_single_colour_is_a_given() {
        let text = "c Latin\np edges 9 18 \ne 1 2 \ne 1 4 \nf 1 3 \nf 2 1 2 3 \nf 9 1 \n";
        assert_eq!(cells(text), [3, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(cells("p edge 9 0\nf 1 2 2\n")[0], 2);
        assert_eq!(cells("p col 9 0\n"), [0; 9]);
    }

    #[test]
    fn lists_leave_out_what_givens_rule_out_and_nothing_else() {
        // Row 1 has a 3, column 2 a 1.
        assert_eq!(
            cells("p edges 9 0\nf 1 3\nf 2 1 2\nf 3 1 2\n")[..3],
            [3, 0, 0]
        );
        assert_eq!(cells("p edges 9 0\nf 1 3\nf 5 1\nf 2 2\nf 8 2 3\n")[7], 0);
        let refused = read(b"p edges 9 0\nf 1 1 2\n", &ReadOptions::default()).unwrap_err();
        assert_eq!((refused.line, refused.column), (2, 3));
        assert!(refused.message.contains("not supported"), "{refused}");
    }

    #[test]
    fn a_zero_tells_what_is_counted_from() {
        assert_eq!(
            cells("p edges 9 1\nf 0 3\nf 8 1\n"),
            [3, 0, 0, 0, 0, 0, 0, 0, 1]
        );
        assert_eq!(cells("p edges 9 1\ne 0 1\nf 8 1\n")[8], 1);
        assert_eq!(cells("p edges 9 1\nf 1 2\nf 2 0\n")[..2], [3, 1]);
    }

    #[test]
    fn every_edge_of_the_square_is_written() {
        let entry = read_one(b"3\n0 0 2\n", &ReadOptions::default()).unwrap();
        let text = write(std::slice::from_ref(&entry), Format::Dimacs).unwrap();
        assert!(
            text.starts_with("p edges 9 18\ne 1 2\ne 1 3\ne 1 4\ne 1 7\n"),
            "{text}"
        );
        assert_eq!(text.matches("e ").count(), 18);
        assert!(text.contains("\nf 1 3\nf 2 1 2 3\n"), "{text}");
        assert_eq!(cells(&text), entry.grid.cells());
    }

    #[test]
    fn faults_are_located() {
        let message = |text: &str| {
            read(text.as_bytes(), &ReadOptions::default())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            message("p edges 9 18\ne 1 2\ne 1 5\n"),
            "3:3: expected an edge between two cells of a row or column of a Latin square of \
             order 3, found 1 and 5"
        );
        for (text, start) in [
            ("p edges 8 18\n", "1:1: expected `p edges VERTICES"),
            ("p edges\n", "1:1: expected `p edges VERTICES"),
            ("p edges 1000000 0\n", "1: a Latin square has"),
            ("p edges 9 0\np edges 9 0\n", "2:1: expected one line"),
            ("p edges 9 1\ne 1 1\n", "2:3: expected an edge between"),
            ("p edges 9 1\ne 1\n", "2:1: expected two cells"),
            ("p edges 9 1\ne 1 10\n", "2:5: expected a cell from 1 to 9"),
            ("p edges 9 1\ne 0 9\n", "2:5: expected a cell from 0 to 8"),
            ("p edges 9 1\nf 1\n", "2:1: expected at least one colour"),
            (
                "p edges 9 1\nf 1 1 4\n",
                "2:7: expected a colour from 1 to 3",
            ),
            ("p edges 9 1\nf 1 1\nf 1 2\n", "3:3: expected one list"),
            ("p edges 9 1\nx 1 1\n", "2:1: expected a line that begins"),
        ] {
            assert!(message(text).starts_with(start), "{}", message(text));
        }
    }
}
