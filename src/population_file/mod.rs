//! Populations in files: NumPy's `.npy`, or text with a grid a line.
//!
//! Digits are checked by whoever evaluates them; here it is only made sure that there are whole grids.

pub mod npy;

use thiserror::Error;

use crate::problem::Geometry;
use crate::problem::sudoku::format::shortened;

/// Why a file is no population, in a sentence.
#[derive(Debug, Error)]
#[error("{file}{at}: {reason}")]
pub struct PopulationError {
    file: String,
    /// `:LINE` of text.
    at: String,
    reason: String,
}

/// The digits of all grids of a file, row by row, 0 for a blank.
pub fn read(file: &str, bytes: &[u8], geometry: Geometry) -> Result<Vec<u8>, PopulationError> {
    let refused = |at: String, reason: String| PopulationError {
        file: file.to_owned(),
        at,
        reason,
    };
    if npy::is_npy(bytes) {
        return npy::read_grids(bytes, geometry).map_err(|reason| refused(String::new(), reason));
    }
    let Ok(text) = std::str::from_utf8(bytes) else {
        let reason = "it is neither a .npy file nor text".to_owned();
        return Err(refused(String::new(), reason));
    };
    let mut digits = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            let reason = |reason| refused(format!(":{number}"), reason);
            read_line(line, geometry, &mut digits).map_err(reason)?;
        }
    }
    match digits.is_empty() {
        true => Err(refused(String::new(), "there is no grid in it".to_owned())),
        false => Ok(digits),
    }
}

/// Adds the grid of a line: a character a cell up to 9x9, or numbers with blanks or commas between them.
fn read_line(line: &str, geometry: Geometry, digits: &mut Vec<u8>) -> Result<(), String> {
    let cells = geometry.cells();
    let before = digits.len();
    let is_compact = geometry.size() <= 9 && !line.contains([' ', ',', ';', '\t']);
    let cell = |cell: &str| match cell {
        "." | "_" | "*" => Ok(0),
        number => number
            .parse::<u8>()
            .map_err(|_| format!("{:?} is no digit", shortened(number))),
    };
    if is_compact {
        let mut room = [0; 4];
        for character in line.chars() {
            digits.push(cell(character.encode_utf8(&mut room))?);
        }
    } else {
        let numbers = line.split([' ', ',', ';', '\t']);
        for number in numbers.filter(|number| !number.is_empty()) {
            digits.push(cell(number)?);
        }
    }
    match digits.len() - before {
        found if found == cells => Ok(()),
        found => Err(format!("a {geometry} has {cells} cells, found {found}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_a_grid_a_line() {
        let geometry = Geometry::usual(4).unwrap();
        let text = "# two\n1234341221434321\n\n1 2 3 4,3 4 1 2,2 1 4 3,4 3 2 .\n";
        let digits = read("p.txt", text.as_bytes(), geometry).unwrap();
        assert_eq!(
            digits[..16],
            digits[16..][..15]
                .iter()
                .copied()
                .chain([1])
                .collect::<Vec<_>>()
        );
        assert_eq!(digits[31], 0);
    }

    #[test]
    fn what_is_no_population_is_refused_with_its_line() {
        let geometry = Geometry::usual(4).unwrap();
        let refused = |bytes: &[u8]| read("p.txt", bytes, geometry).unwrap_err().to_string();
        assert_eq!(
            refused(b"1234341221434321\n123"),
            "p.txt:2: a 4x4 Sudoku with 2x2 boxes has 16 cells, found 3"
        );
        assert_eq!(refused(b"x234341221434321"), "p.txt:1: \"x\" is no digit");
        assert_eq!(refused(b"\n"), "p.txt: there is no grid in it");
        assert_eq!(
            refused(&[0xff, 1]),
            "p.txt: it is neither a .npy file nor text"
        );
        assert!(refused(b"300 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1").contains("\"300\" is no digit"));
    }
}
