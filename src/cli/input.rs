//! PROBLEM arguments: flags that say how text is read, and standard input. The rest is
//! [`gpusudoku::problem::source`]'s.

use std::io;

use clap::Args;
pub use gpusudoku::problem::source::NamedGrid;
// `tests/fuzzing` calls the second one.
use gpusudoku::problem::source::{self, SourceError};
#[allow(unused_imports)]
pub use gpusudoku::problem::source::{asks_for_queens, looks_like_cells};
use gpusudoku::problem::sudoku::format::{Alphabet, ReadOptions};
use gpusudoku::problem::{BoxShape, NamedProblem};

use super::exit::Failure;

/// How puzzle text is read.
#[derive(Debug, Default, Args)]
pub struct ReadArgs {
    /// Shape of the boxes, rows x columns, where it is not the usual one [example: 2x3].
    #[arg(long = "box", value_name = "RxC", value_parser = parse_box)]
    boxes: Option<BoxShape>,
    /// Latin squares: no boxes.
    #[arg(long, conflicts_with = "boxes")]
    latin: bool,
    /// Meaning of one-character cells above 9x9, where the text leaves it open
    /// [1-9A-G, 0-F, A-P, A-Y].
    #[arg(long, value_name = "ALPHABET")]
    alphabet: Option<Alphabet>,
}

impl ReadArgs {
    fn options(&self) -> ReadOptions {
        ReadOptions {
            boxes: self.boxes,
            latin: self.latin,
            alphabet: self.alphabet,
        }
    }
}

/// A box shape as users write it.
pub fn parse_box(text: &str) -> Result<BoxShape, String> {
    text.split_once(['x', 'X'])
        .and_then(|(rows, cols)| Some((rows.parse().ok()?, cols.parse().ok()?)))
        .map(|(rows, cols)| BoxShape { rows, cols })
        .ok_or_else(|| "expected rows x columns, such as 2x3".to_owned())
}

/// Reads what a PROBLEM argument names.
pub fn problems(problem: &str, args: &ReadArgs) -> Result<Vec<NamedProblem>, Failure> {
    Ok(match problem {
        "-" => source::named(grids(problem, args)?)?,
        problem => source::problems(problem, &args.options())?,
    })
}

/// Reads the grids that a PROBLEM argument names.
pub fn grids(problem: &str, args: &ReadArgs) -> Result<Vec<NamedGrid>, Failure> {
    Ok(match problem {
        "-" => source::read_from(io::stdin().lock(), "standard input", &args.options())?,
        problem => source::grids(problem, &args.options())?,
    })
}

impl From<SourceError> for Failure {
    fn from(error: SourceError) -> Self {
        Self::bad_input(error.to_string())
    }
}
