//! From a PROBLEM argument to problems: files and standard input; the library knows names, texts and queens.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use clap::Args;
use gpusudoku::problem::argument;
pub use gpusudoku::problem::argument::{NamedGrid, asks_for_queens, parse_box};
use gpusudoku::problem::sudoku::format::{self, Alphabet, ReadOptions};
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
    if let Some(queens) = argument::queens(problem, &args.options()) {
        return Ok(vec![queens?]);
    }
    let grids = grids(problem, args)?.into_iter();
    Ok(grids.map(NamedGrid::problem).collect::<Result<_, _>>()?)
}

/// Reads the grids that a PROBLEM argument names.
pub fn grids(problem: &str, args: &ReadArgs) -> Result<Vec<NamedGrid>, Failure> {
    let options = args.options();
    if asks_for_queens(problem) {
        return Err(Failure::bad_input(format!(
            "{problem}: queens are no grid; only `gpusudoku run` knows them"
        )));
    }
    if problem == "-" {
        return read_from(io::stdin().lock(), "standard input", &options);
    }
    if let Some(grids) = argument::builtin(problem, &options) {
        return Ok(grids?);
    }
    if Path::new(problem).exists() {
        let cannot_read =
            |error: io::Error| Failure::bad_input(format!("cannot read {problem}: {error}"));
        if Path::new(problem).is_dir() {
            return Err(Failure::bad_input(format!(
                "cannot read {problem}: it is a directory"
            )));
        }
        let file = File::open(problem).map_err(cannot_read)?;
        return read_from(file, problem, &options);
    }
    let grids = argument::text(problem, &options);
    Ok(grids.unwrap_or_else(|| Err(argument::unknown(problem)))?)
}

fn read_from(
    reader: impl Read,
    name: &str,
    options: &ReadOptions,
) -> Result<Vec<NamedGrid>, Failure> {
    let mut text = Vec::new();
    // One byte more than is allowed: the reader of formats refuses it.
    reader
        .take(format::MAX_BYTES as u64 + 1)
        .read_to_end(&mut text)
        .map_err(|error| Failure::bad_input(format!("cannot read {name}: {error}")))?;
    Ok(argument::grids(&text, name, options)?)
}
