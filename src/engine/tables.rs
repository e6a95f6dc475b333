//! A puzzle compiled into the tables that the kernels of both engines read.

use crate::plan::{Domain, Encoding, KernelFamily, Objective, Representation};
use crate::problem::{Geometry, Reduction};

/// The unit kinds between which local search swaps: columns and sub-blocks.
///
/// A kind is known by one number, its width w: a unit has w cells in each of h = N / w rows,
/// and h units side by side make a band. Cell k of unit u stands in row `u / h * h + k / w`,
/// column `u % h * w + k % w`. Width 1 gives the columns, the width of a box the sub-blocks, and
/// width N the rows.
pub const UNIT_KINDS: usize = 2;

/// Index of the columns among the kinds.
pub const COLUMNS: usize = 0;
/// Index of the sub-blocks among the kinds.
pub const BLOCKS: usize = 1;

/// What the kernels know of a puzzle.
///
/// A segment is what stays a permutation: a row, or a sub-block. Segments are units of the kind of
/// width [`Tables::segment_width`], which for rows is N.
#[derive(Debug, Clone)]
pub struct Tables {
    geometry: Geometry,
    representation: Representation,
    /// A grid with the givens in place and every segment completed in ascending order, digits from
    /// zero; shuffling the free cells of its segments gives every individual.
    pub template: Vec<u8>,
    /// The positions of the free cells of each segment.
    pub free: Vec<Vec<u8>>,
    /// For each unit of each kind, the set of its free cells.
    pub free_positions: [Vec<u128>; UNIT_KINDS],
    /// The digits that each cell can hold.
    pub domains: Vec<u128>,
}

impl Tables {
    /// The tables of what is left of a puzzle.
    pub fn new(reduction: &Reduction, representation: Representation) -> Self {
        let puzzle = reduction.puzzle();
        let geometry = puzzle.geometry();
        let n = geometry.size();
        let givens = puzzle.givens().cells();
        let segment_width = segment_width(geometry, representation.encoding);
        let mut template = vec![0; geometry.cells()];
        let mut free = Vec::with_capacity(n);
        for segment in 0..n {
            let cells = (0..n).map(|k| cell_of(n, segment_width, segment, k));
            let digits: Vec<u8> = cells.clone().map(|cell| givens[cell]).collect();
            let mut missing = (1..=n as u8).filter(|digit| !digits.contains(digit));
            let mut positions = Vec::new();
            for (k, (cell, &given)) in cells.zip(&digits).enumerate() {
                let digit = if given == 0 {
                    positions.push(k as u8);
                    missing
                        .next()
                        .expect("a segment misses a digit per free cell")
                } else {
                    given
                };
                template[cell] = digit - 1;
            }
            free.push(positions);
        }
        let free_positions = [1, block_width(geometry)].map(|width| {
            (0..n)
                .map(|unit| {
                    (0..n)
                        .filter(|&k| givens[cell_of(n, width, unit, k)] == 0)
                        .fold(0, |set, k| set | 1 << k)
                })
                .collect()
        });
        let all = u128::MAX >> (128 - n);
        let domains = givens
            .iter()
            .zip(reduction.candidates())
            .map(
                |(&given, &candidates)| match (given, representation.encoding) {
                    (0, Encoding::Cells(Domain::Any)) => all,
                    _ => candidates,
                },
            )
            .collect();
        // What only other kernels can count, they count; meanwhile this will do.
        let objective = match representation.family() {
            KernelFamily::Grids => representation.objective,
            KernelFamily::Permutations | KernelFamily::Colouring => Objective::MissingDigits,
        };
        Self {
            geometry,
            representation: Representation {
                objective,
                ..representation
            },
            template,
            free,
            free_positions,
            domains,
        }
    }

    /// Size and boxes.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// What an individual is.
    pub fn representation(&self) -> Representation {
        self.representation
    }

    /// N.
    pub fn size(&self) -> usize {
        self.geometry.size()
    }

    /// Whether there are sub-blocks at all.
    pub fn has_blocks(&self) -> bool {
        self.geometry.boxes().is_some()
    }

    /// Width of the sub-blocks; 1 in a Latin square, where that kind is not used.
    pub fn block_width(&self) -> usize {
        block_width(self.geometry)
    }

    /// Width of the segments.
    pub fn segment_width(&self) -> usize {
        segment_width(self.geometry, self.representation.encoding)
    }

    /// Whether a digit may be repeated in columns, sub-blocks and rows.
    pub fn faulty(&self) -> [bool; 3] {
        faulty(self.has_blocks(), self.representation.encoding)
    }
}

/// Whether a digit may be repeated in columns, sub-blocks and rows of an encoding.
pub fn faulty(boxes: bool, encoding: Encoding) -> [bool; 3] {
    match encoding {
        Encoding::Rows => [true, boxes, false],
        Encoding::Blocks => [true, false, boxes],
        Encoding::Cells(_) | Encoding::PartialCells | Encoding::Placement => [true, boxes, true],
    }
}

fn block_width(geometry: Geometry) -> usize {
    geometry.boxes().map_or(1, |shape| shape.cols)
}

/// Width of the segments of an encoding.
pub fn segment_width(geometry: Geometry, encoding: Encoding) -> usize {
    match (encoding, geometry.boxes()) {
        (Encoding::Blocks, Some(shape)) => shape.cols,
        _ => geometry.size(),
    }
}

/// Cell `k` of unit `unit` in the kind of this width.
pub fn cell_of(n: usize, width: usize, unit: usize, k: usize) -> usize {
    let height = n / width;
    let row = unit / height * height + k / width;
    let col = unit % height * width + k % width;
    row * n + col
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::sudoku::propagate::Level;
    use crate::problem::{Grid, Puzzle};

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
        let reduction = Reduction::new(&puzzle, Level::None).unwrap();
        let tables = Tables::new(&reduction, Representation::ROWS);
        assert_eq!(tables.template[..4], [0, 2, 1, 3]);
        assert_eq!(tables.template[4..8], [0, 1, 2, 3]);
        assert_eq!(tables.template[8..12], [0, 1, 2, 3]);
        assert_eq!(tables.free[0], [0, 2, 3]);
        assert!(tables.free[2].is_empty());
        assert_eq!(tables.free_positions[COLUMNS][1], 0b1010);
        assert_eq!(tables.free_positions[BLOCKS][3], 0b0100);

        let tables = Tables::new(&reduction, Representation::BLOCKS);
        assert_eq!(tables.template[..4], [0, 2, 0, 1]);
        assert_eq!(tables.template[4..8], [1, 3, 2, 3]);
        assert_eq!(tables.free[0], [0, 2, 3]);
        assert_eq!(tables.free[3], [2]);
    }
}
