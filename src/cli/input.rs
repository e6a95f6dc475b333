//! PROBLEM arguments: flags that say how text is read, and standard input. The rest is
//! [`gpusudoku::problem::argument`]'s.

use std::io;

use clap::Args;
use gpusudoku::problem::argument;
pub use gpusudoku::problem::argument::{NamedGrid, asks_for_queens, parse_box};
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

/// Reads what a PROBLEM argument names.
pub fn problems(problem: &str, args: &ReadArgs) -> Result<Vec<NamedProblem>, Failure> {
    Ok(match problem {
        "-" => argument::named(grids(problem, args)?)?,
        problem => argument::problems(problem, &args.options())?,
    })
}

/// Reads the grids that a PROBLEM argument names.
pub fn grids(problem: &str, args: &ReadArgs) -> Result<Vec<NamedGrid>, Failure> {
    Ok(match problem {
        "-" => argument::read_from(io::stdin().lock(), "standard input", &args.options())?,
        problem => argument::grids(problem, &args.options())?,
    })
}
