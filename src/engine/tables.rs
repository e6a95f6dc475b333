//! A puzzle compiled into the tables that the kernels of both engines read.

use crate::problem::{Geometry, Puzzle};

/// The unit families in which a digit may be repeated; rows never are (they stay permutations).
///
/// A family is known by one number, its width w: a unit has w cells in each of h = N / w rows,
/// and h units side by side make a band. Cell k of unit u stands in row `u / h * h + k / w`,
/// column `u % h * w + k % w`. Width 1 gives the columns, the width of a box the sub-blocks.
pub const FAMILIES: usize = 2;

/// Index of the columns among the families.
pub const COLUMNS: usize = 0;
/// Index of the sub-blocks among the families.
pub const BLOCKS: usize = 1;

/// What the kernels know of a puzzle.
#[derive(Debug, Clone)]
pub struct Tables {
    geometry: Geometry,
    /// A grid with the givens in place and every row completed in ascending order, digits from
    /// zero; shuffling the free cells of its rows gives every individual.
    pub template: Vec<u8>,
    /// The columns of the free cells of each row.
    pub free: Vec<Vec<u8>>,
    /// For each unit of each family, the set of its free cells.
    pub free_positions: [Vec<u128>; FAMILIES],
}

impl Tables {
    /// The tables of a puzzle.
    pub fn new(puzzle: &Puzzle) -> Self {
        let geometry = puzzle.geometry();
        let n = geometry.size();
        let givens = puzzle.givens();
        let mut template = Vec::with_capacity(geometry.cells());
        let mut free = Vec::with_capacity(n);
        for row in givens.cells().chunks_exact(n) {
            let mut missing = (1..=n as u8).filter(|digit| !row.contains(digit));
            let mut free_columns = Vec::new();
            for (col, &digit) in row.iter().enumerate() {
                let digit = if digit == 0 {
                    free_columns.push(col as u8);
                    missing.next().expect("a row misses a digit per free cell")
                } else {
                    digit
                };
                template.push(digit - 1);
            }
            free.push(free_columns);
        }
        let free_positions = [1, block_width(geometry)].map(|width| {
            (0..n)
                .map(|unit| {
                    (0..n)
                        .filter(|&k| givens.cells()[cell_of(n, width, unit, k)] == 0)
                        .fold(0, |set, k| set | 1 << k)
                })
                .collect()
        });
        Self {
            geometry,
            template,
            free,
            free_positions,
        }
    }

    /// Size and boxes.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// N.
    pub fn size(&self) -> usize {
        self.geometry.size()
    }

    /// Whether there are sub-blocks at all.
    pub fn has_blocks(&self) -> bool {
        self.geometry.boxes().is_some()
    }

    /// Width of the sub-blocks; 1 in a Latin square, where that family is not used.
    pub fn block_width(&self) -> usize {
        block_width(self.geometry)
    }
}

fn block_width(geometry: Geometry) -> usize {
    geometry.boxes().map_or(1, |shape| shape.cols)
}

/// Cell `k` of unit `unit` in the family of this width.
pub fn cell_of(n: usize, width: usize, unit: usize, k: usize) -> usize {
    let height = n / width;
    let row = unit / height * height + k / width;
    let col = unit % height * width + k % width;
    row * n + col
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Grid;

    #[test]
    fn widths_give_columns_and_boxes() {
        for geometry in [
            Geometry::usual(9).unwrap(),
            Geometry::usual(6).unwrap(),
            Geometry::sudoku(3, 2).unwrap(),
            Geometry::sudoku(4, 3).unwrap(),
        ] {
            let n = geometry.size();
            for unit in 0..n {
                for k in 0..n {
                    assert_eq!(cell_of(n, 1, unit, k), k * n + unit);
                    let cell = cell_of(n, block_width(geometry), unit, k);
                    assert_eq!(geometry.box_of(cell / n, cell % n), Some(unit));
                }
            }
        }
    }

    #[test]
    fn the_template_keeps_givens_and_completes_rows() {
        let geometry = Geometry::usual(4).unwrap();
        let cells = vec![0, 3, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 2];
        let puzzle = Puzzle::new(Grid::new(geometry, cells).unwrap()).unwrap();
        let tables = Tables::new(&puzzle);
        assert_eq!(tables.template[..4], [0, 2, 1, 3]);
        assert_eq!(tables.template[4..8], [0, 1, 2, 3]);
        assert_eq!(tables.template[8..12], [0, 1, 2, 3]);
        assert_eq!(tables.free[0], [0, 2, 3]);
        assert!(tables.free[2].is_empty());
        assert_eq!(tables.free_positions[COLUMNS][1], 0b1010);
        assert_eq!(tables.free_positions[BLOCKS][3], 0b0100);
    }
}
