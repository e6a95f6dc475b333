//! The size of a grid and the shape of its boxes.

use std::fmt;

use thiserror::Error;

/// The height and width of a box, in cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoxShape {
    /// Rows of a box.
    pub rows: usize,
    /// Columns of a box.
    pub cols: usize,
}

impl fmt::Display for BoxShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.cols)
    }
}

/// An N x N grid, with boxes (Sudoku) or without (Latin square).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Geometry {
    size: usize,
    boxes: Option<BoxShape>,
}

/// Why a grid of some size or shape cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GeometryError {
    /// Sudoku outside 4x4 ... 64x64.
    #[error("a Sudoku has between 4x4 and 64x64 cells, not {0}x{0}")]
    SudokuSize(usize),
    /// Latin square outside 2x2 ... 128x128.
    #[error("a Latin square has between 2x2 and 128x128 cells, not {0}x{0}")]
    LatinSize(usize),
    /// A prime size has no boxes.
    #[error(
        "a {0}x{0} grid has no boxes of at least two rows and two columns; use --latin for a Latin square"
    )]
    NoBoxes(usize),
    /// Boxes of one row or one column repeat the row or column rule.
    #[error(
        "boxes of {0} are rows or columns themselves; a box needs at least two rows and two columns"
    )]
    ThinBox(BoxShape),
}

impl Geometry {
    /// The largest Sudoku.
    pub const MAX_SUDOKU: usize = 64;
    /// The largest Latin square: a set of digits is at most 128 bits.
    pub const MAX_LATIN: usize = 128;

    /// A Sudoku with boxes of `rows` x `cols` cells; its size is their product.
    pub fn sudoku(rows: usize, cols: usize) -> Result<Self, GeometryError> {
        let shape = BoxShape { rows, cols };
        if rows < 2 || cols < 2 {
            return Err(GeometryError::ThinBox(shape));
        }
        let size = rows.saturating_mul(cols);
        if size > Self::MAX_SUDOKU {
            return Err(GeometryError::SudokuSize(size));
        }
        Ok(Self {
            size,
            boxes: Some(shape),
        })
    }

    /// A Sudoku of the given size with its usual boxes: as square as they can be,
    /// wider than high (6x6 has boxes of 2x3, 12x12 of 3x4).
    pub fn usual(size: usize) -> Result<Self, GeometryError> {
        if !(4..=Self::MAX_SUDOKU).contains(&size) {
            return Err(GeometryError::SudokuSize(size));
        }
        let rows = (2..=size.isqrt())
            .rev()
            .find(|rows| size.is_multiple_of(*rows))
            .ok_or(GeometryError::NoBoxes(size))?;
        Self::sudoku(rows, size / rows)
    }

    /// A Latin square: rows and columns only.
    pub fn latin(size: usize) -> Result<Self, GeometryError> {
        if !(2..=Self::MAX_LATIN).contains(&size) {
            return Err(GeometryError::LatinSize(size));
        }
        Ok(Self { size, boxes: None })
    }

    /// N, the number of rows, of columns and of digits.
    pub fn size(&self) -> usize {
        self.size
    }

    /// N * N.
    pub fn cells(&self) -> usize {
        self.size * self.size
    }

    /// The shape of the boxes; none in a Latin square.
    pub fn boxes(&self) -> Option<BoxShape> {
        self.boxes
    }

    /// The box of a cell, counted left to right, top to bottom.
    pub fn box_of(&self, row: usize, col: usize) -> Option<usize> {
        self.boxes
            .map(|b| row / b.rows * (self.size / b.cols) + col / b.cols)
    }
}

impl fmt::Display for Geometry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.size;
        match self.boxes {
            Some(shape) => write!(f, "{n}x{n} Sudoku with {shape} boxes"),
            None => write!(f, "Latin square of order {n}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_boxes_are_wide_and_nearly_square() {
        for (size, rows, cols) in [
            (4, 2, 2),
            (6, 2, 3),
            (8, 2, 4),
            (9, 3, 3),
            (10, 2, 5),
            (12, 3, 4),
            (16, 4, 4),
            (36, 6, 6),
            (62, 2, 31),
            (64, 8, 8),
        ] {
            let geometry = Geometry::usual(size).unwrap();
            assert_eq!(geometry.boxes(), Some(BoxShape { rows, cols }));
            assert_eq!(geometry.size(), size);
        }
    }

    #[test]
    fn impossible_sizes_are_refused() {
        assert_eq!(Geometry::usual(3), Err(GeometryError::SudokuSize(3)));
        assert_eq!(Geometry::usual(65), Err(GeometryError::SudokuSize(65)));
        assert_eq!(Geometry::usual(7), Err(GeometryError::NoBoxes(7)));
        assert!(Geometry::sudoku(1, 9).is_err());
        assert!(Geometry::sudoku(usize::MAX, usize::MAX).is_err());
        assert!(Geometry::latin(1).is_err());
        assert!(Geometry::latin(129).is_err());
    }

    #[test]
    fn every_box_holds_as_many_cells_as_there_are_digits() {
        for (rows, cols) in [(2, 3), (3, 2), (3, 4), (2, 4), (5, 5)] {
            let geometry = Geometry::sudoku(rows, cols).unwrap();
            let n = geometry.size();
            let mut count = vec![0; n];
            for cell in 0..geometry.cells() {
                count[geometry.box_of(cell / n, cell % n).unwrap()] += 1;
            }
            assert!(count.iter().all(|&cells| cells == n));
        }
    }
}
