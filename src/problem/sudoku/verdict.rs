//! What can be said of a grid without any search by populations: valid? solved? how many solutions?

use super::exact::{self, End, Limit};
use super::{Grid, Puzzle};
use crate::problem::verify::verify_grid;

/// What can be said of a grid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it breaks no rule.
    pub valid: bool,
    /// Whether it is complete, too.
    pub solved: bool,
    /// How many solutions it has: a number, a number and `+` if there may be more, or `unknown`.
    pub solutions: String,
    /// The first of them that was found.
    pub solution: Option<Grid>,
    /// The same in words.
    pub sentence: String,
}

impl Verdict {
    /// What can be said of a grid; solutions are counted up to so many.
    pub fn of(grid: &Grid, most: u64, limit: Limit) -> Self {
        if grid.is_complete() {
            return Self::of_complete(grid);
        }
        match Puzzle::new(grid.clone()) {
            Err(error) => Self::wrong(format!("not a puzzle: {error}")),
            Ok(puzzle) => Self::of_puzzle(&puzzle, most, limit),
        }
    }

    /// Whether it is a solution, or may have one.
    pub fn is_good(&self) -> bool {
        self.valid && self.solutions != "0"
    }

    fn of_complete(grid: &Grid) -> Self {
        match verify_grid(grid) {
            Ok(()) => Self {
                valid: true,
                solved: true,
                solutions: "1".to_owned(),
                solution: Some(grid.clone()),
                sentence: "solved, and valid".to_owned(),
            },
            Err(violation) => Self::wrong(format!("complete, but wrong: {violation}")),
        }
    }

    /// A grid that breaks the rules.
    fn wrong(sentence: String) -> Self {
        Self {
            valid: false,
            solved: false,
            solutions: "0".to_owned(),
            solution: None,
            sentence,
        }
    }

    fn of_puzzle(puzzle: &Puzzle, most: u64, limit: Limit) -> Self {
        let found = exact::count_up_to(puzzle, most, limit);
        let more = |known: &str| {
            format!("valid, {known}; whether there is another is not known (--max-nodes)")
        };
        let (solutions, sentence) = match (found.count, found.end) {
            (0, End::Exhausted) => ("0".to_owned(), "valid givens, no solution".to_owned()),
            (0, _) => (
                "unknown".to_owned(),
                "valid givens; how many solutions is not known (--max-nodes)".to_owned(),
            ),
            (1, End::Exhausted) => ("1".to_owned(), "valid, exactly one solution".to_owned()),
            (count, End::Exhausted) => (
                count.to_string(),
                format!("valid, exactly {count} solutions"),
            ),
            (1, End::Limit) => ("1+".to_owned(), more("at least one solution")),
            (count, End::Limit) => (
                format!("{count}+"),
                more(&format!("at least {count} solutions")),
            ),
            (1, End::Enough) => ("1+".to_owned(), "valid, one solution or more".to_owned()),
            (2, End::Enough) => ("2+".to_owned(), "valid, two solutions or more".to_owned()),
            (count, End::Enough) => (
                format!("{count}+"),
                format!("valid, {count} solutions or more"),
            ),
        };
        Self {
            valid: true,
            solved: false,
            solutions,
            solution: found.first,
            sentence,
        }
    }
}
