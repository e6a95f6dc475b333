//! The built-in puzzles: those printed in the papers that this crate reproduces.
//!
//! Owns the table in `puzzles/papers.tsv` and the names in it.

use std::sync::LazyLock;

use super::format::{ReadOptions, read_one};
use super::{Grid, Puzzle};

const TABLE: &str = include_str!("../../../puzzles/papers.tsv");

/// Second names of puzzles.
const ALIASES: [(&str, &str); 1] = [("ai-escargot", "sd2")];

/// The puzzle to solve when none is asked for.
pub const DEFAULT: &str = "ai-escargot";

/// A puzzle with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Builtin {
    /// What to call it.
    pub name: &'static str,
    /// The puzzle in a line of characters, `.` for a blank.
    pub text: &'static str,
    /// Its only solution in the same form.
    pub solution_text: &'static str,
    /// Where it comes from, and what was wrong there.
    pub note: &'static str,
    puzzle: Puzzle,
    solution: Grid,
}

impl Builtin {
    /// The puzzle.
    pub fn puzzle(&self) -> &Puzzle {
        &self.puzzle
    }

    /// Its only solution.
    pub fn solution(&self) -> &Grid {
        &self.solution
    }

    /// Reads name, number of givens, puzzle, solution and note, separated by tabs.
    fn parse(line: &'static str) -> Option<Self> {
        let mut fields = line.split('\t');
        let name = fields.next()?;
        let givens: usize = fields.next()?.parse().ok()?;
        let text = fields.next()?;
        let solution_text = fields.next()?;
        let note = fields.next()?;
        let puzzle = Puzzle::new(cells(text)?).ok()?;
        let solution = cells(solution_text)?;
        (puzzle.givens().filled() == givens).then_some(Self {
            name,
            text,
            solution_text,
            note,
            puzzle,
            solution,
        })
    }
}

/// All built-in puzzles, in the order of the table.
pub fn all() -> &'static [Builtin] {
    // The table is part of the program, and a test reads every line of it.
    static ALL: LazyLock<Vec<Builtin>> =
        LazyLock::new(|| lines().filter_map(Builtin::parse).collect());
    &ALL
}

/// The puzzle of a name, in capitals or not.
///
/// ```
/// use gpusudoku::problem::sudoku::builtin;
///
/// let escargot = builtin::find("AI-Escargot").unwrap();
/// assert_eq!(escargot.name, "sd2");
/// assert_eq!(escargot.puzzle().givens().filled(), 23);
/// ```
pub fn find(name: &str) -> Option<&'static Builtin> {
    let name = ALIASES
        .iter()
        .find(|(alias, _)| alias.eq_ignore_ascii_case(name))
        .map_or(name, |&(_, original)| original);
    all()
        .iter()
        .find(|builtin| builtin.name.eq_ignore_ascii_case(name))
}

fn lines() -> impl Iterator<Item = &'static str> {
    TABLE
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

fn cells(text: &str) -> Option<Grid> {
    let entry = read_one(text.as_bytes(), &ReadOptions::default());
    entry.ok().map(|entry| entry.grid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Reduction;
    use crate::problem::sudoku::exact::{self, Count, Limit};
    use crate::problem::sudoku::propagate::Level;
    use crate::problem::verify::verify;

    #[test]
    fn every_line_is_a_puzzle_with_the_solution_printed_and_no_other() {
        assert_eq!(all().len(), lines().count());
        for builtin in all() {
            let count = exact::count(builtin.puzzle(), Limit::default());
            let only = Count::One(builtin.solution().clone());
            assert_eq!(count, only, "{}", builtin.name);
            assert_eq!(verify(builtin.puzzle(), builtin.solution()), Ok(()));
        }
    }

    #[test]
    fn names_are_unique_and_found_in_any_case() {
        for builtin in all() {
            assert_eq!(find(builtin.name), Some(builtin));
            assert_eq!(find(&builtin.name.to_uppercase()), Some(builtin));
        }
        assert_eq!(find(DEFAULT), find("sd2"));
        assert!(find(DEFAULT).is_some());
        assert_eq!(find("easy"), None);
        assert_eq!(find(""), None);
    }

    #[test]
    fn singles_solve_all_but_four_probing_all_but_ai_escargot_and_nested_probing_all() {
        // The cells closed at each level; all of them with singles where a puzzle is not listed.
        let harder = [
            ("hard-106", [0, 12, 13, 57, 57]),
            ("sd1", [0, 24, 24, 57, 57]),
            ("sd2", [0, 1, 1, 1, 58]),
            ("sd3", [0, 5, 5, 59, 59]),
        ];
        for builtin in all() {
            let blanks = 81 - builtin.puzzle().givens().filled();
            let expected = harder
                .iter()
                .find(|(name, _)| *name == builtin.name)
                .map_or([0, blanks, blanks, blanks, blanks], |&(_, closed)| closed);
            let reductions =
                Level::ALL.map(|level| Reduction::new(builtin.puzzle(), level).unwrap());
            let closed = reductions.each_ref().map(Reduction::closed);
            assert_eq!(closed, expected, "{}", builtin.name);
            for reduction in reductions {
                let solved = reduction.puzzle().givens() == builtin.solution();
                assert_eq!(solved, reduction.is_complete());
                assert_eq!(solved, reduction.closed() == blanks);
            }
        }
    }
}
