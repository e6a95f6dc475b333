//! The exact solver: propagation and depth-first search.
//!
//! Owns the verdict on how many solutions a puzzle has, and says so when it could not
//! find out. It does not know how the techniques of [`propagate`](super::propagate)
//! work, and nothing of populations.

use super::propagate::{Candidates, Contradiction, Level, Mark};
use super::{Grid, Puzzle};

/// When a search gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The number of guesses.
    pub nodes: u64,
}

impl Default for Limit {
    /// A thousand times what hard 9x9 puzzles need, and seconds on the largest grids.
    fn default() -> Self {
        Self { nodes: 100_000 }
    }
}

/// How many solutions a puzzle has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Count {
    /// No solution.
    None,
    /// Exactly one solution.
    One(Grid),
    /// Two solutions or more; these are two.
    Many(Grid, Grid),
    /// At least one solution: the limit ended the search for a second.
    AtLeastOne(Grid),
    /// The limit ended the search for a first solution.
    Unknown,
}

/// What a search came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A solution.
    Solved(Grid),
    /// There is no solution, or no further one.
    Exhausted,
    /// The limit was reached; there may be a solution or not.
    LimitReached,
}

/// Counts the solutions of a puzzle up to two.
///
/// ```
/// use gpusudoku::problem::sudoku::exact::{self, Count, Limit};
/// use gpusudoku::problem::{Geometry, Grid, Puzzle};
///
/// let blank = Grid::new(Geometry::latin(5)?, vec![0; 25])?;
/// let count = exact::count(&Puzzle::new(blank)?, Limit::default());
/// assert!(matches!(count, Count::Many(first, second) if first != second));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn count(puzzle: &Puzzle, limit: Limit) -> Count {
    let mut search = Search::new(puzzle, limit);
    let first = match search.advance() {
        Outcome::Solved(first) => first,
        Outcome::Exhausted => return Count::None,
        Outcome::LimitReached => return Count::Unknown,
    };
    match search.advance() {
        Outcome::Solved(second) => Count::Many(first, second),
        Outcome::Exhausted => Count::One(first),
        Outcome::LimitReached => Count::AtLeastOne(first),
    }
}

/// Why a count ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// There are no others.
    Exhausted,
    /// There may be others: as many as were asked for are found.
    Enough,
    /// There may be others: the limit was reached.
    Limit,
}

/// How many solutions of a puzzle were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// The number.
    pub count: u64,
    /// The first of them.
    pub first: Option<Grid>,
    /// Whether these are all.
    pub end: End,
}

/// Counts the solutions of a puzzle up to so many.
///
/// ```
/// use gpusudoku::problem::sudoku::exact::{self, End, Limit};
/// use gpusudoku::problem::{Geometry, Grid, Puzzle};
///
/// let blank = Puzzle::new(Grid::new(Geometry::usual(4)?, vec![0; 16])?)?;
/// let counted = exact::count_up_to(&blank, 1000, Limit::default());
/// assert_eq!((counted.count, counted.end), (288, End::Exhausted));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn count_up_to(puzzle: &Puzzle, most: u64, limit: Limit) -> Counted {
    let mut search = Search::new(puzzle, limit);
    let mut counted = Counted {
        count: 0,
        first: None,
        end: End::Enough,
    };
    while counted.count < most {
        match search.advance() {
            Outcome::Solved(grid) => {
                counted.count += 1;
                counted.first.get_or_insert(grid);
            }
            Outcome::Exhausted => {
                counted.end = End::Exhausted;
                break;
            }
            Outcome::LimitReached => {
                counted.end = End::Limit;
                break;
            }
        }
    }
    counted
}

/// Searches for one solution of a puzzle.
pub fn solve(puzzle: &Puzzle, limit: Limit) -> Outcome {
    Search::new(puzzle, limit).advance()
}

/// Up to 16x16 locked candidates cost about the time of the guesses they save; above that
/// they save more than they cost.
const LEVEL: Level = Level::Locked;

/// Failures before the first restart; each later one waits half as long again, so that
/// the search remains complete.
const FIRST_RESTART: u64 = 200;

/// A search through the solutions of a puzzle, one at a time, each of them once.
///
/// Guesses are binary (this digit here, or not) and prefer what failed often: the
/// dom/wdeg rule of Boussemart, Hemery, Lecoutre and Sais (ECAI 2004), with a cell and
/// with a digit in a house as the variables. Restarts make use of what failures taught.
#[derive(Debug, Clone)]
pub struct Search {
    /// None if propagation refutes the puzzle.
    candidates: Option<Candidates>,
    weights: Weights,
    /// The guesses that led to the present candidates.
    guesses: Vec<Guess>,
    /// Whether the present branch is finished: refuted, or its solution handed out.
    finished: bool,
    /// Failures until the next restart, and between the last and the next.
    patience: u64,
    interval: u64,
    /// After the first solution there are no restarts, or it would be found again.
    found: bool,
    nodes: u64,
    limit: Limit,
}

#[derive(Debug, Clone, Copy)]
struct Guess {
    before: Mark,
    cell: usize,
    digit: u8,
}

impl Search {
    /// A search before its first guess.
    pub fn new(puzzle: &Puzzle, limit: Limit) -> Self {
        let candidates = Candidates::new(puzzle)
            .and_then(|mut candidates| candidates.propagate(LEVEL).map(|_| candidates))
            .ok();
        Self {
            weights: candidates.as_ref().map(Weights::new).unwrap_or_default(),
            candidates,
            guesses: Vec::new(),
            finished: false,
            patience: FIRST_RESTART,
            interval: FIRST_RESTART,
            found: false,
            nodes: 0,
            limit,
        }
    }

    /// The number of guesses so far.
    pub fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Goes on to the next solution. Exhausted and limited searches stay so.
    pub fn advance(&mut self) -> Outcome {
        let Some(candidates) = &mut self.candidates else {
            return Outcome::Exhausted;
        };
        loop {
            let changed = if self.finished {
                let Some(guess) = self.guesses.pop() else {
                    return Outcome::Exhausted;
                };
                candidates.undo(guess.before);
                candidates.eliminate(guess.cell, guess.digit)
            } else if let Some((cell, digit)) = self.weights.choose(candidates) {
                if self.nodes >= self.limit.nodes {
                    return Outcome::LimitReached;
                }
                self.nodes += 1;
                let before = candidates.mark();
                self.guesses.push(Guess {
                    before,
                    cell,
                    digit,
                });
                candidates.assign(cell, digit)
            } else {
                self.finished = true;
                self.found = true;
                return Outcome::Solved(candidates.to_grid());
            };
            let propagated = changed.and_then(|()| candidates.propagate(LEVEL));
            self.finished = propagated.is_err();
            if let Err(contradiction) = propagated {
                self.weights.blame(candidates, contradiction);
                self.patience = self.patience.saturating_sub(1);
                if self.patience == 0
                    && !self.found
                    && let Some(first) = self.guesses.first()
                {
                    candidates.undo(first.before);
                    self.guesses.clear();
                    self.finished = false;
                    self.interval += self.interval / 2;
                    self.patience = self.interval;
                }
            }
        }
    }
}

/// How often each cell ran out of digits and each digit of a house out of places, plus one.
#[derive(Debug, Clone, Default)]
struct Weights {
    cells: Vec<u32>,
    slots: Vec<u32>,
}

impl Weights {
    fn new(candidates: &Candidates) -> Self {
        Self {
            cells: vec![1; candidates.digit_counts().len()],
            slots: vec![1; candidates.place_counts().len()],
        }
    }

    fn blame(&mut self, candidates: &Candidates, contradiction: Contradiction) {
        let weight = match contradiction {
            Contradiction::Cell { row, col } | Contradiction::Digit { row, col, .. } => {
                let cell = (row - 1) * candidates.geometry().size() + col - 1;
                &mut self.cells[cell]
            }
            Contradiction::House { house, digit } => &mut self.slots[candidates.slot(house, digit)],
        };
        *weight = weight.saturating_add(1);
    }

    /// A candidate of the cell with the fewest digits for its weight, or of the digit
    /// with the fewest places in a house for its weight, whichever are fewer. None if
    /// every cell is closed.
    fn choose(&self, candidates: &Candidates) -> Option<(usize, u8)> {
        let cell = Tightness::first(candidates.digit_counts(), &self.cells)?;
        let slot = Tightness::first(candidates.place_counts(), &self.slots)?;
        if slot.is_tighter_than(&cell) {
            Some(candidates.first_place(slot.index))
        } else {
            let digit = candidates.digits(cell.index).iter().next()?;
            Some((cell.index, digit))
        }
    }
}

/// How many choices there are, and the weight to divide them by.
struct Tightness {
    count: u8,
    weight: u32,
    index: usize,
}

impl Tightness {
    /// The tightest of all that are undecided, the first of equal ones.
    fn first(counts: &[u8], weights: &[u32]) -> Option<Self> {
        let mut tightest: Option<Self> = None;
        for (index, (&count, &weight)) in counts.iter().zip(weights).enumerate() {
            let this = Self {
                count,
                weight,
                index,
            };
            if count >= 2
                && tightest
                    .as_ref()
                    .is_none_or(|other| this.is_tighter_than(other))
            {
                tightest = Some(this);
            }
        }
        tightest
    }

    fn is_tighter_than(&self, other: &Self) -> bool {
        u64::from(self.count) * u64::from(other.weight)
            < u64::from(other.count) * u64::from(self.weight)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::problem::sudoku::propagate::samples;
    use crate::problem::sudoku::{Geometry, builtin};
    use crate::problem::verify::verify;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn count_agrees_with_brute_force(puzzle in samples::small_puzzle()) {
            let expected = samples::solutions(&puzzle, 2);
            match count(&puzzle, Limit::default()) {
                Count::None => prop_assert_eq!(expected.len(), 0),
                Count::One(grid) => prop_assert_eq!(expected, [grid]),
                Count::Many(first, second) => {
                    prop_assert_eq!(expected.len(), 2);
                    prop_assert_ne!(&first, &second);
                    prop_assert_eq!(verify(&puzzle, &first), Ok(()));
                    prop_assert_eq!(verify(&puzzle, &second), Ok(()));
                }
                undecided => prop_assert!(false, "{:?}", undecided),
            }
        }

        #[test]
        fn no_limit_makes_a_verdict_wrong(puzzle in samples::small_puzzle(), nodes in 0..8_u64) {
            let known = samples::solutions(&puzzle, 2).len();
            match count(&puzzle, Limit { nodes }) {
                Count::None => prop_assert_eq!(known, 0),
                Count::One(_) => prop_assert_eq!(known, 1),
                Count::Many(..) => prop_assert_eq!(known, 2),
                Count::AtLeastOne(grid) => prop_assert_eq!(verify(&puzzle, &grid), Ok(())),
                Count::Unknown => {}
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn a_search_finds_every_solution_once_in_spite_of_restarts(
            puzzle in samples::small_puzzle(),
        ) {
            let expected = samples::solutions(&puzzle, 1000);
            prop_assume!(expected.len() < 1000);
            let mut search = Search::new(&puzzle, Limit { nodes: u64::MAX });
            (search.patience, search.interval) = (1, 2);
            let mut found = HashSet::new();
            while let Outcome::Solved(grid) = search.advance() {
                prop_assert!(found.insert(grid));
            }
            prop_assert_eq!(search.advance(), Outcome::Exhausted);
            prop_assert_eq!(found, expected.into_iter().collect());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn solutions_of_larger_puzzles_pass_the_verifier(puzzle in prop_oneof![
            samples::puzzle(Geometry::sudoku(3, 3).unwrap()),
            samples::puzzle(Geometry::sudoku(4, 3).unwrap()),
            samples::puzzle(Geometry::sudoku(4, 4).unwrap()),
            samples::puzzle(Geometry::sudoku(5, 5).unwrap()),
            samples::puzzle(Geometry::latin(20).unwrap()),
        ]) {
            match count(&puzzle, Limit { nodes: 5_000 }) {
                Count::One(grid) | Count::AtLeastOne(grid) => {
                    prop_assert_eq!(verify(&puzzle, &grid), Ok(()));
                }
                Count::Many(first, second) => {
                    prop_assert_ne!(&first, &second);
                    prop_assert_eq!(verify(&puzzle, &first), Ok(()));
                    prop_assert_eq!(verify(&puzzle, &second), Ok(()));
                }
                Count::None | Count::Unknown => {}
            }
        }
    }

    fn blank(geometry: Geometry) -> Puzzle {
        Puzzle::new(Grid::new(geometry, vec![0; geometry.cells()]).unwrap()).unwrap()
    }

    #[test]
    fn restarts_neither_lose_nor_repeat_the_only_solution() {
        for builtin in builtin::all() {
            let mut search = Search::new(builtin.puzzle(), Limit { nodes: u64::MAX });
            (search.patience, search.interval) = (1, 2);
            assert_eq!(
                search.advance(),
                Outcome::Solved(builtin.solution().clone())
            );
            assert_eq!(search.advance(), Outcome::Exhausted);
        }
    }

    #[test]
    fn the_largest_grids_end_at_the_limit() {
        for geometry in [Geometry::usual(64), Geometry::latin(128)] {
            let puzzle = blank(geometry.unwrap());
            let mut search = Search::new(&puzzle, Limit { nodes: 1_000 });
            assert_eq!(search.advance(), Outcome::LimitReached);
            assert_eq!(search.advance(), Outcome::LimitReached);
            assert_eq!(search.nodes(), 1_000);
        }
    }

    #[test]
    fn blank_grids_have_many_solutions() {
        for geometry in [
            Geometry::usual(9),
            Geometry::usual(12),
            Geometry::usual(25),
            Geometry::latin(2),
            Geometry::latin(50),
        ] {
            let puzzle = blank(geometry.unwrap());
            let Count::Many(first, second) = count(&puzzle, Limit::default()) else {
                panic!("two solutions expected");
            };
            assert_ne!(first, second);
            assert_eq!(verify(&puzzle, &first), Ok(()));
            assert_eq!(verify(&puzzle, &second), Ok(()));
        }
    }

    #[test]
    fn a_puzzle_without_a_solution_is_exhausted() {
        // Row 1 needs a 4, and column 4 has one already.
        let mut cells = vec![0; 16];
        (cells[0], cells[1], cells[2], cells[15]) = (1, 2, 3, 4);
        let puzzle = Puzzle::new(Grid::new(Geometry::latin(4).unwrap(), cells).unwrap()).unwrap();
        assert_eq!(count(&puzzle, Limit { nodes: 0 }), Count::None);
        assert_eq!(solve(&puzzle, Limit::default()), Outcome::Exhausted);
    }
}
