//! What propagation leaves of a puzzle.
//!
//! Owns the result for those who search the rest; how it comes about belongs to
//! [`propagate`](super::propagate).

use super::Puzzle;
use super::propagate::{Candidates, Contradiction, Deductions, Level};

/// A puzzle with the cells that propagation closed as further givens, and the digits left for
/// the others. It has the solutions of the original.
///
/// ```
/// use gpusudoku::problem::Reduction;
/// use gpusudoku::problem::sudoku::builtin;
/// use gpusudoku::problem::sudoku::propagate::Level;
///
/// let easy = builtin::find("easy-1").unwrap();
/// let reduction = Reduction::new(easy.puzzle(), Level::Singles)?;
/// assert!(reduction.is_complete());
/// assert_eq!(reduction.closed(), 81 - 38);
/// assert_eq!(reduction.puzzle().givens(), easy.solution());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reduction {
    puzzle: Puzzle,
    candidates: Vec<u128>,
    closed: usize,
    deductions: Deductions,
}

impl Reduction {
    /// Propagates a puzzle to a level. A contradiction means that it has no solution; at
    /// [`Level::None`] this is only found where the givens leave a cell without a digit or a
    /// digit without a place.
    pub fn new(puzzle: &Puzzle, level: Level) -> Result<Self, Contradiction> {
        let mut candidates = Candidates::new(puzzle)?;
        let deductions = candidates.propagate(level)?;
        let grid = candidates.to_grid();
        let digits = |cell| candidates.digits(cell).bits();
        Ok(Self {
            closed: grid.filled() - puzzle.givens().filled(),
            candidates: (0..grid.cells().len()).map(digits).collect(),
            puzzle: Puzzle::new(grid).expect("closed cells never contradict each other"),
            deductions,
        })
    }

    /// The givens and the closed cells; the original puzzle at [`Level::None`].
    pub fn puzzle(&self) -> &Puzzle {
        &self.puzzle
    }

    /// For each cell the digits left, bit `d - 1` for the digit `d`: of a given or a closed cell
    /// just its own, at [`Level::None`] the pencil marks that the givens leave.
    pub fn candidates(&self) -> &[u128] {
        &self.candidates
    }

    /// The mean number of candidates of an open cell: how much choice is left. At least 1, also where no
    /// cell is open.
    pub fn choice(&self) -> f64 {
        let cells = self.puzzle.givens().cells().iter().zip(&self.candidates);
        let open = cells.filter(|&(&given, _)| given == 0);
        let (cells, candidates) = open.fold((0, 0), |(cells, candidates), (_, list)| {
            (cells + 1, candidates + list.count_ones())
        });
        f64::from(candidates.max(1)) / f64::from(cells.max(1))
    }

    /// The cells that propagation closed, givens not counted.
    pub fn closed(&self) -> usize {
        self.closed
    }

    /// Whether nothing is left to search: [`puzzle`](Self::puzzle) is the only solution. So it is
    /// for a puzzle that came without blanks, with no cell [`closed`](Self::closed).
    pub fn is_complete(&self) -> bool {
        self.puzzle.givens().is_complete()
    }

    /// What propagation did to get here.
    pub fn deductions(&self) -> Deductions {
        self.deductions
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::problem::sudoku::exact::{self, Count, Limit};
    use crate::problem::sudoku::propagate::samples;
    use crate::problem::sudoku::{Geometry, Grid, builtin};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn a_reduction_has_the_solutions_of_its_puzzle(
            puzzle in samples::small_puzzle(),
            level in prop::sample::select(Level::ALL.to_vec()),
        ) {
            let solutions = samples::solutions(&puzzle, 1000);
            prop_assume!(solutions.len() < 1000);
            let Ok(reduction) = Reduction::new(&puzzle, level) else {
                prop_assert!(solutions.is_empty());
                return Ok(());
            };
            for (cell, &left) in reduction.candidates().iter().enumerate() {
                let holds = |grid: &Grid| left >> (grid.cells()[cell] - 1) & 1 == 1;
                prop_assert!(solutions.iter().all(holds));
            }
            let after = samples::solutions(reduction.puzzle(), 1000);
            let set = |grids: Vec<Grid>| grids.into_iter().collect::<HashSet<_>>();
            prop_assert_eq!(set(after), set(solutions));
        }

        #[test]
        fn closed_cells_are_the_givens_more_than_before(
            puzzle in samples::puzzle(Geometry::usual(9).unwrap()),
            level in prop::sample::select(Level::ALL.to_vec()),
        ) {
            let Ok(reduction) = Reduction::new(&puzzle, level) else { return Ok(()) };
            let after = reduction.puzzle().givens();
            prop_assert_eq!(after.filled(), puzzle.givens().filled() + reduction.closed());
            prop_assert_eq!(reduction.is_complete(), after.filled() == 81);
            for (cell, &given) in puzzle.givens().cells().iter().enumerate() {
                let closed = after.cells()[cell];
                prop_assert!(given == 0 || given == closed);
                if closed != 0 {
                    prop_assert_eq!(reduction.candidates()[cell], 1 << (closed - 1));
                } else if level > Level::None {
                    prop_assert!(reduction.candidates()[cell].count_ones() > 1);
                }
            }
        }

        #[test]
        fn without_propagation_the_pencil_marks_are_left(
            puzzle in samples::puzzle(Geometry::usual(6).unwrap()),
        ) {
            let Ok(reduction) = Reduction::new(&puzzle, Level::None) else { return Ok(()) };
            let givens = puzzle.givens().cells();
            prop_assert_eq!(reduction.puzzle(), &puzzle);
            prop_assert_eq!(reduction.deductions(), Deductions::default());
            for cell in 0..36 {
                for digit in 1..=6 {
                    let seen = (0..36).any(|peer| {
                        givens[peer] == digit && samples::are_peers(puzzle.geometry(), cell, peer)
                    });
                    let open = givens[cell] == digit || givens[cell] == 0 && !seen;
                    prop_assert_eq!(reduction.candidates()[cell] >> (digit - 1) & 1 == 1, open);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn the_exact_solver_says_the_same_of_a_reduction(
            puzzle in prop_oneof![
                samples::puzzle(Geometry::usual(9).unwrap()),
                samples::puzzle(Geometry::usual(16).unwrap()),
                samples::puzzle(Geometry::latin(16).unwrap()),
            ],
        ) {
            let limit = Limit { nodes: 2_000 };
            let before = exact::count(&puzzle, limit);
            let Ok(reduction) = Reduction::new(&puzzle, Level::Probing) else {
                prop_assert!(matches!(before, Count::None | Count::Unknown));
                return Ok(());
            };
            match (before, exact::count(reduction.puzzle(), limit)) {
                (Count::None, after) => prop_assert!(matches!(after, Count::None | Count::Unknown)),
                (Count::One(one), Count::One(same)) => prop_assert_eq!(one, same),
                (Count::One(_), after) => {
                    prop_assert!(matches!(after, Count::AtLeastOne(_) | Count::Unknown));
                }
                (Count::Many(..), after) => {
                    prop_assert!(!matches!(after, Count::None | Count::One(_)));
                }
                (Count::AtLeastOne(_) | Count::Unknown, _) => {}
            }
        }
    }

    #[test]
    fn a_puzzle_without_blanks_is_complete_by_its_givens() {
        let solved = Puzzle::new(builtin::all()[0].solution().clone()).unwrap();
        for level in Level::ALL {
            let reduction = Reduction::new(&solved, level).unwrap();
            assert!(reduction.is_complete());
            assert_eq!(reduction.closed(), 0);
            assert_eq!(reduction.puzzle(), &solved);
        }
    }

    #[test]
    fn a_contradiction_is_handed_on() {
        // Row 1 needs a 4, and column 4 has one already.
        let mut cells = vec![0; 16];
        (cells[0], cells[1], cells[2], cells[15]) = (1, 2, 3, 4);
        let grid = Grid::new(Geometry::latin(4).unwrap(), cells).unwrap();
        let puzzle = Puzzle::new(grid).unwrap();
        for level in Level::ALL {
            let contradiction = Reduction::new(&puzzle, level).unwrap_err();
            assert_eq!(contradiction.to_string(), "no place is left for 4 in row 1");
        }
    }
}
