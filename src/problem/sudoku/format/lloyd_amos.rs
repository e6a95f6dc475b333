//! The form of Lloyd & Amos's instances ("Solving Sudoku with ant colony optimization", 2020).
//!
//! First the order, which is the side of a box (5 for 25x25), then a number without meaning,
//! then the cells between tabs, row by row, with -1 for blanks.

use super::error::{FormatError, quoted};
use super::shape;
use super::source::{self, Line};
use super::{Entry, Geometry, ReadOptions};

/// The side of the boxes of the largest grid.
const MAX_ORDER: usize = Geometry::MAX_SUDOKU.isqrt();

pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Vec<Entry>, FormatError> {
    let mut lines = source::lines(text).peekable();
    let Some(place) = lines.peek().map(|line| line.place()) else {
        return Ok(Vec::new());
    };
    let mut tokens = lines.flat_map(Line::tokens);
    let missing = |what| place.error(format_args!("expected {what}, found the end of the text"));
    let order = tokens
        .next()
        .ok_or_else(|| missing("the order"))?
        .number_in(2..=MAX_ORDER, "an order, the side of a box,")?;
    tokens.next().ok_or_else(|| missing("a second number"))?;
    let size = order * order;
    let geometry = shape::geometry(size, options, place)?;
    let mut cells = Vec::with_capacity(geometry.cells());
    let mut surplus = 0;
    for token in tokens {
        if cells.len() == geometry.cells() {
            surplus += 1;
            continue;
        }
        let digit = match token.text {
            "-1" => Some(0),
            _ => token.number().filter(|digit| (1..=size).contains(digit)),
        };
        let digit = digit.and_then(|digit| u8::try_from(digit).ok());
        cells.push(digit.ok_or_else(|| {
            token.place.error(format_args!(
                "expected a digit from 1 to {size}, or -1 for a blank, found {}",
                quoted(token.text)
            ))
        })?);
    }
    if cells.len() + surplus != geometry.cells() {
        return Err(place.error(format_args!(
            "expected {} cells after the order {order} and a second number, found {}",
            geometry.cells(),
            cells.len() + surplus
        )));
    }
    Ok(vec![Entry {
        name: None,
        grid: shape::grid(geometry, cells, place)?,
        line: place.line,
        alphabet: None,
    }])
}

pub(super) fn write(entry: &Entry) -> String {
    let size = entry.grid.geometry().size();
    let mut text = format!("{}\n1\n", size.isqrt());
    for row in entry.grid.cells().chunks(size) {
        for &digit in row {
            match digit {
                0 => text.push_str("-1\t"),
                _ => text.push_str(&format!("{digit}\t")),
            }
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{Format, read, read_one, write};
    use super::*;

    const ESCARGOT: &str = "3\n1\n1\t-1\t-1\t-1\t-1\t7\t-1\t9\t-1\t\n-1\t3\t-1\t-1\t2\t-1\t-1\t-1\t8\t\n\
        -1\t-1\t9\t6\t-1\t-1\t5\t-1\t-1\t\n-1\t-1\t5\t3\t-1\t-1\t9\t-1\t-1\t\n\
        -1\t1\t-1\t-1\t8\t-1\t-1\t-1\t2\t\n6\t-1\t-1\t-1\t-1\t4\t-1\t-1\t-1\t\n\
        3\t-1\t-1\t-1\t-1\t-1\t-1\t1\t-1\t\n-1\t4\t-1\t-1\t-1\t-1\t-1\t-1\t7\t\n\
        -1\t-1\t7\t-1\t-1\t-1\t3\t-1\t-1\t\n";

    #[test]
    fn the_order_comes_first() {
        let usual = ReadOptions::default();
        let entry = read_one(ESCARGOT.as_bytes(), &usual).unwrap();
        assert_eq!(entry.grid.filled(), 23);
        assert_eq!(entry.grid.cells()[..9], [1, 0, 0, 0, 0, 7, 0, 9, 0]);
        let one_line = ESCARGOT.replace(['\n', '\t'], " ");
        assert_eq!(read_one(one_line.as_bytes(), &usual).unwrap(), entry);
        assert_eq!(write(&[entry], Format::LloydAmos).unwrap(), ESCARGOT);
    }

    #[test]
    fn a_full_grid_needs_no_blank_to_be_told() {
        let text = "2\n0\n1\t2\t3\t4\n3\t4\t1\t2\n2\t1\t4\t3\n4\t3\t2\t1\n";
        let entry = read_one(text.as_bytes(), &ReadOptions::default()).unwrap();
        assert!(entry.grid.is_complete());
    }

    #[test]
    fn faults_are_located() {
        let message = |text: String| {
            read(text.as_bytes(), &ReadOptions::default())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            message(ESCARGOT.replace("\t8\t", "\t10\t")),
            "4:23: expected a digit from 1 to 9, or -1 for a blank, found `10`"
        );
        assert_eq!(
            message(ESCARGOT.replacen("-1\t", "", 1)),
            "1: expected 81 cells after the order 3 and a second number, found 80"
        );
        assert_eq!(
            message(format!("{ESCARGOT}-1")),
            "1: expected 81 cells after the order 3 and a second number, found 82"
        );
        assert!(message("9\n1\n-1 -1".into()).starts_with("1:1: expected an order"));
    }
}
