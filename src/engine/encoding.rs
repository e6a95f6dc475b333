//! Which individuals an encoding allows. The kernels rely on it, so whatever comes from outside is checked.

use super::Setup;
use super::tables::{Tables, cell_of};
use crate::plan::Encoding;
use crate::population::{HOLE, Population};
use crate::problem::Instance;

/// What holds of every individual of a run.
#[derive(Debug, Clone)]
pub(crate) enum EncodingRules {
    /// A segment has the digits of the template's, and those that are not free in their places.
    Segments {
        tables: Tables,
        /// Whether each cell is free.
        free: Vec<bool>,
    },
    /// Every cell has a digit of its domain.
    Domains {
        tables: Tables,
        /// Whether each cell may be a hole.
        holes: Vec<bool>,
    },
    /// Every row has a queen.
    Rows(usize),
}

impl EncodingRules {
    pub fn new(setup: &Setup<'_>) -> Self {
        match (setup.instance, setup.representation.encoding) {
            (Instance::Queens(queens), _) => Self::Rows(queens.size()),
            (Instance::Sudoku(reduction), encoding) => {
                let tables = Tables::new(reduction, setup.representation);
                let givens = reduction.puzzle().givens().cells();
                let free: Vec<bool> = givens.iter().map(|&given| given == 0).collect();
                match encoding {
                    Encoding::Cells(_) | Encoding::PartialCells => Self::Domains {
                        holes: match encoding {
                            Encoding::PartialCells => free,
                            _ => vec![false; free.len()],
                        },
                        tables,
                    },
                    Encoding::Rows | Encoding::Blocks | Encoding::Placement => {
                        Self::Segments { tables, free }
                    }
                }
            }
        }
    }

    /// The digits that each gene can have, as bits: those of the free cells of its segment. Of queens only
    /// how many genes there are.
    pub fn values(&self) -> Vec<u128> {
        let tables = match self {
            Self::Rows(rows) => return vec![0; *rows],
            Self::Domains { .. } => return Vec::new(),
            Self::Segments { tables, .. } => tables,
        };
        let (n, width) = (tables.size(), tables.segment_width());
        let segments = tables.free.iter().enumerate().flat_map(|(segment, free)| {
            let cells = free
                .iter()
                .map(|&k| cell_of(n, width, segment, usize::from(k)));
            let digits = cells.fold(0, |set, cell| set | 1 << tables.template[cell]);
            std::iter::repeat_n(digits, free.len())
        });
        segments.collect()
    }

    /// The first individual that does not belong to the encoding.
    pub fn first_stranger(&self, population: &Population) -> Option<usize> {
        (0..population.len()).find(|&at| !self.allow(population, at))
    }

    fn allow(&self, population: &Population, at: usize) -> bool {
        population.is_padded(at)
            && match self {
                Self::Rows(rows) => {
                    let mut seen = vec![false; *rows];
                    let new = |&row: &u32| {
                        let seen = seen.get_mut(row as usize);
                        seen.is_some_and(|seen| !std::mem::replace(seen, true))
                    };
                    population.words_at(at).iter().all(new)
                }
                Self::Domains { tables, holes } => {
                    let cells = population.cells(at).iter().zip(&tables.domains);
                    cells
                        .zip(holes)
                        .all(|((&digit, domain), &hole)| match digit {
                            HOLE => hole,
                            digit => digit < 128 && domain >> digit & 1 == 1,
                        })
                }
                Self::Segments { tables, free } => {
                    let (n, width) = (tables.size(), tables.segment_width());
                    let cells = population.cells(at);
                    (0..n).all(|segment| {
                        let mut missing = u128::MAX >> (128 - n);
                        (0..n).all(|k| {
                            let cell = cell_of(n, width, segment, k);
                            let digit = cells[cell];
                            let new = digit < 128 && missing >> digit & 1 == 1;
                            if new {
                                missing &= !(1 << digit);
                            }
                            new && (free[cell] || digit == tables.template[cell])
                        })
                    })
                }
            }
    }
}
