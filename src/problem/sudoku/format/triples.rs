//! Latin squares as a list of givens: `n`, then `row column value` for each, all from zero.

use super::error::{FormatError, Place};
use super::shape;
use super::source::{self, Line};
use super::{Entry, Geometry, ReadOptions};

pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Vec<Entry>, FormatError> {
    let mut tokens = source::lines(text).flat_map(Line::tokens);
    let Some(order) = tokens.next() else {
        return Ok(Vec::new());
    };
    let place = Place::line(order.place.line);
    let size = order.number_in(2..=Geometry::MAX_LATIN, "the order of a Latin square")?;
    let geometry = shape::latin(size, options, place)?;
    let mut cells = vec![0; geometry.cells()];
    while let Some(row) = tokens.next() {
        let (Some(col), Some(value)) = (tokens.next(), tokens.next()) else {
            return Err(row
                .place
                .error("expected a row, a column and a value, found the end of the text"));
        };
        let last = size - 1;
        let at = row.number_in(0..=last, "a row")? * size + col.number_in(0..=last, "a column")?;
        let digit = value.number_in(0..=last, "a value")? + 1;
        if cells[at] != 0 {
            return Err(row.place.error(format_args!(
                "expected each cell once, found row {} and column {} again",
                row.text, col.text
            )));
        }
        cells[at] = u8::try_from(digit).unwrap_or(u8::MAX);
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
    let mut text = format!("{size}\n");
    for (at, &digit) in entry.grid.cells().iter().enumerate() {
        if digit != 0 {
            text.push_str(&format!("{} {} {}\n", at / size, at % size, digit - 1));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{BoxShape, Format, read, read_one, write};
    use super::*;

    #[test]
    fn rows_columns_and_values_count_from_zero() {
        let text = "4\n0 0 3\n1 2 0\n3 3 1\n";
        let entry = read_one(text.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(entry.grid.geometry(), Geometry::latin(4).unwrap());
        assert_eq!(
            entry.grid.cells(),
            [4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2]
        );
        assert_eq!(write(&[entry], Format::Triples).unwrap(), text);
    }

    #[test]
    fn five_triples_are_not_a_grid_of_sixteen_numbers() {
        let text = "4\n0 0 1\n0 1 2\n0 2 3\n1 0 2\n2 0 3\n";
        let entry = read_one(text.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(entry.grid.filled(), 5);
    }

    #[test]
    fn a_square_may_have_no_givens() {
        let entry = read_one(b"7\n", &ReadOptions::default()).unwrap();
        assert_eq!(entry.grid.geometry(), Geometry::latin(7).unwrap());
        assert_eq!(entry.grid.filled(), 0);
    }

    #[test]
    fn faults_are_located() {
        let usual = ReadOptions::default();
        let message = |text: &str| read(text.as_bytes(), &usual).unwrap_err().to_string();
        assert_eq!(
            message("4\n0 0 3\n1 4 0\n"),
            "3:3: expected a column from 0 to 3, found `4`"
        );
        assert_eq!(
            message("4\n0 0 3\n1 2\n"),
            "3:1: expected a row, a column and a value, found the end of the text"
        );
        assert_eq!(
            message("4\n0 0 3\n0 0 2\n"),
            "3:1: expected each cell once, found row 0 and column 0 again"
        );
        assert!(message("129\n0 0 3\n").starts_with("1:1: expected the order"));
        let boxes = ReadOptions {
            boxes: Some(BoxShape { rows: 2, cols: 2 }),
            ..usual.clone()
        };
        assert!(read(b"4\n0 0 3\n", &boxes).is_err());
    }
}
