//! A grid of digits and blanks, and the puzzle it may be.

use std::fmt;

use thiserror::Error;

use super::Geometry;
use super::format::Alphabet;

/// Digits and blanks, row by row: 0 is a blank, 1 to N are digits.
///
/// A grid may break the rules; a [`Puzzle`] may not.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Grid {
    geometry: Geometry,
    cells: Vec<u8>,
}

/// A row, column or box, numbered from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum House {
    /// All cells of one row.
    Row(usize),
    /// All cells of one column.
    Column(usize),
    /// All cells of one box, boxes counted left to right, top to bottom.
    Box(usize),
}

impl fmt::Display for House {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            House::Row(i) => write!(f, "row {}", i + 1),
            House::Column(i) => write!(f, "column {}", i + 1),
            House::Box(i) => write!(f, "box {}", i + 1),
        }
    }
}

/// Why cells are not a grid, or a grid is not a puzzle. Positions count from one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GridError {
    /// Too few or too many cells.
    #[error("a {geometry} has {} cells, found {found}", geometry.cells())]
    CellCount {
        /// The grid that was wanted.
        geometry: Geometry,
        /// The number of cells that there were.
        found: usize,
    },
    /// A digit above N.
    #[error("row {row}, column {col}: {digit} is not a digit of a {geometry}")]
    Digit {
        /// The grid that was wanted.
        geometry: Geometry,
        /// Row of the cell.
        row: usize,
        /// Column of the cell.
        col: usize,
        /// The digit found.
        digit: u8,
    },
    /// The same given twice in a row, column or box.
    #[error("the givens contradict each other: {digit} stands twice in {house}")]
    Contradiction {
        /// Where.
        house: House,
        /// What.
        digit: u8,
    },
}

impl Grid {
    /// A grid from its cells, row by row; 0 is a blank.
    pub fn new(geometry: Geometry, cells: Vec<u8>) -> Result<Self, GridError> {
        if cells.len() != geometry.cells() {
            return Err(GridError::CellCount {
                geometry,
                found: cells.len(),
            });
        }
        let n = geometry.size();
        if let Some(at) = cells.iter().position(|&digit| usize::from(digit) > n) {
            return Err(GridError::Digit {
                geometry,
                row: at / n + 1,
                col: at % n + 1,
                digit: cells[at],
            });
        }
        Ok(Self { geometry, cells })
    }

    /// Size and boxes.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// The cells, row by row; 0 is a blank.
    pub fn cells(&self) -> &[u8] {
        &self.cells
    }

    /// The digit of a cell, 0 for a blank.
    pub fn at(&self, row: usize, col: usize) -> u8 {
        self.cells[row * self.geometry.size() + col]
    }

    /// The number of cells that hold a digit.
    pub fn filled(&self) -> usize {
        self.cells.iter().filter(|&&digit| digit != 0).count()
    }

    /// Whether no cell is blank. A complete grid may still break the rules.
    pub fn is_complete(&self) -> bool {
        !self.cells.contains(&0)
    }

    /// The same cells read with other boxes, or with none.
    pub fn with_geometry(self, geometry: Geometry) -> Result<Self, GridError> {
        Self::new(geometry, self.cells)
    }
}

/// A grid whose givens do not contradict each other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Puzzle {
    givens: Grid,
    alphabet: Option<Alphabet>,
}

impl Puzzle {
    /// A puzzle with the filled cells of a grid as givens.
    pub fn new(givens: Grid) -> Result<Self, GridError> {
        let geometry = givens.geometry();
        let n = geometry.size();
        let mut seen = vec![[false; 3]; n * n];
        for (cell, &digit) in givens.cells().iter().enumerate() {
            if digit == 0 {
                continue;
            }
            let (row, col) = (cell / n, cell % n);
            let houses = [
                Some(House::Row(row)),
                Some(House::Column(col)),
                geometry.box_of(row, col).map(House::Box),
            ];
            for (kind, house) in houses.into_iter().enumerate() {
                let Some(house) = house else { continue };
                let (House::Row(i) | House::Column(i) | House::Box(i)) = house;
                let mark = &mut seen[i * n + usize::from(digit) - 1][kind];
                if std::mem::replace(mark, true) {
                    return Err(GridError::Contradiction { house, digit });
                }
            }
        }
        Ok(Self {
            givens,
            alphabet: None,
        })
    }

    /// The same puzzle, written in an alphabet.
    pub fn in_alphabet(self, alphabet: Option<Alphabet>) -> Self {
        Self { alphabet, ..self }
    }

    /// What its digits are written with, if its text had one character a cell above 9x9. Answers are given
    /// in it, too.
    pub fn alphabet(&self) -> Option<Alphabet> {
        self.alphabet
    }

    /// The givens.
    pub fn givens(&self) -> &Grid {
        &self.givens
    }

    /// Size and boxes.
    pub fn geometry(&self) -> Geometry {
        self.givens.geometry()
    }
}

impl TryFrom<Grid> for Puzzle {
    type Error = GridError;

    fn try_from(givens: Grid) -> Result<Self, GridError> {
        Self::new(givens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(rows: &[&[u8]]) -> Grid {
        let geometry = Geometry::usual(rows.len()).unwrap();
        Grid::new(geometry, rows.concat()).unwrap()
    }

    #[test]
    fn contradictions_name_their_house() {
        let twice = |rows: &[&[u8]]| Puzzle::new(grid(rows)).unwrap_err();
        let blank: &[u8] = &[0, 0, 0, 0];
        let contradiction = |house, digit| GridError::Contradiction { house, digit };
        assert_eq!(
            twice(&[&[1, 0, 0, 1], blank, blank, blank]),
            contradiction(House::Row(0), 1)
        );
        assert_eq!(
            twice(&[&[0, 2, 0, 0], blank, blank, &[0, 2, 0, 0]]),
            contradiction(House::Column(1), 2)
        );
        assert_eq!(
            twice(&[blank, blank, &[0, 0, 3, 0], &[0, 0, 0, 3]]),
            contradiction(House::Box(3), 3)
        );
        let latin = grid(&[blank, blank, &[0, 0, 3, 0], &[0, 0, 0, 3]])
            .with_geometry(Geometry::latin(4).unwrap())
            .unwrap();
        assert!(Puzzle::new(latin).is_ok());
    }

    #[test]
    fn cells_are_counted_and_bounded() {
        let geometry = Geometry::usual(4).unwrap();
        assert!(matches!(
            Grid::new(geometry, vec![0; 15]),
            Err(GridError::CellCount { found: 15, .. })
        ));
        let mut cells = vec![0; 16];
        cells[6] = 5;
        let error = Grid::new(geometry, cells).unwrap_err();
        assert_eq!(
            error.to_string(),
            "row 2, column 3: 5 is not a digit of a 4x4 Sudoku with 2x2 boxes"
        );
    }
}
