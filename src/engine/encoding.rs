//! Which individuals an encoding allows. The kernels rely on it, so whatever comes from outside is checked.

use super::Setup;
use super::tables::{Tables, cell_of};
pub use super::whole_rows::REACH;
use super::whole_rows::WholeRows;
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
        /// How many grids are looked at, if rows are the segments.
        rows: Option<WholeRows>,
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
                        let n = tables.size();
                        let rows = (tables.segment_width() == n)
                            .then(|| WholeRows::new(n, &tables.template, &free));
                        Self::Segments {
                            rows: rows.flatten(),
                            tables,
                            free,
                        }
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
                Self::Domains { .. } | Self::Segments { .. } => {
                    self.allow_grid(population.cells(at))
                }
            }
    }

    /// Whether a grid, digits from zero, belongs to the encoding.
    ///
    /// # Panics
    /// If individuals are placements.
    pub fn allow_grid(&self, cells: &[u8]) -> bool {
        match self {
            Self::Rows(_) => panic!("queens stand in columns, not in cells"),
            Self::Domains { tables, holes } => {
                let cells = cells.iter().zip(&tables.domains);
                cells
                    .zip(holes)
                    .all(|((&digit, domain), &hole)| match digit {
                        HOLE => hole,
                        digit => digit < 128 && domain >> digit & 1 == 1,
                    })
            }
            Self::Segments { tables, free, .. } => {
                let (n, width) = (tables.size(), tables.segment_width());
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

    /// The first of so many grids, digits from zero and [`REACH`] bytes behind them, that does not belong to the
    /// encoding.
    pub fn first_strange_grid(&self, cells: &[u8], grids: usize) -> Option<usize> {
        if let Self::Segments {
            rows: Some(rows), ..
        } = self
            && let Some(found) = rows.first_stranger(cells, grids)
        {
            return found;
        }
        let (Self::Domains { tables, .. } | Self::Segments { tables, .. }) = self else {
            return None;
        };
        let each = tables.template.len();
        let mut grids = cells.chunks_exact(each).take(grids);
        grids.position(|grid| !self.allow_grid(grid))
    }

    /// Why a grid, digits from zero, does not belong to the encoding; positions and digits are told from one.
    pub fn objection(&self, cells: &[u8]) -> Option<String> {
        let (Self::Domains { tables, .. } | Self::Segments { tables, .. }) = self else {
            return None;
        };
        if self.allow_grid(cells) {
            return None;
        }
        let (n, width) = (tables.size(), tables.segment_width());
        let place = |cell: usize| format!("row {}, column {}", cell / n + 1, cell % n + 1);
        let is_digit = |digit: u8| usize::from(digit) < n;
        let told = |digit: u8| digit.wrapping_add(1);
        for (cell, &digit) in cells.iter().enumerate() {
            let hole = digit == HOLE && matches!(self, Self::Domains { holes, .. } if holes[cell]);
            if !is_digit(digit) && !hole {
                return Some(format!(
                    "{} has {}, which is not one of the digits 1 to {n}",
                    place(cell),
                    told(digit)
                ));
            }
        }
        match self {
            Self::Rows(_) => None,
            Self::Domains { tables, .. } => {
                let mut cells = cells.iter().zip(&tables.domains).enumerate();
                cells.find_map(|(cell, (&digit, domain))| {
                    let wrong = digit != HOLE && domain >> digit & 1 == 0;
                    wrong.then(|| format!("{} cannot have {}", place(cell), told(digit)))
                })
            }
            Self::Segments { tables, free, .. } => {
                let template = &tables.template;
                let moved = (0..cells.len()).find(|&at| !free[at] && cells[at] != template[at]);
                if let Some(at) = moved {
                    let (given, found) = (told(template[at]), told(cells[at]));
                    return Some(format!("{} is given as {given} and has {found}", place(at)));
                }
                let kind = match width == n {
                    true => "row",
                    false => "sub-block",
                };
                (0..n).find_map(|segment| {
                    let mut seen = 0u128;
                    (0..n).find_map(|k| {
                        let digit = cells[cell_of(n, width, segment, k)];
                        let twice = seen >> digit & 1 == 1;
                        seen |= 1 << digit;
                        twice.then(|| format!("{kind} {} has {} twice", segment + 1, told(digit)))
                    })
                })
            }
        }
    }
}
