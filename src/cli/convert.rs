//! `gpusudoku convert`.

use std::fs;
use std::path::PathBuf;

use clap::Args;
use gpusudoku::problem::sudoku::format::{self, Entry, Format};

use super::exit::{Failure, Status};
use super::input::{ReadArgs, grids};
use super::{CommandResult, print};

#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Files, `-` for standard input, puzzles' own texts, or built-in names.
    #[arg(value_name = "PROBLEM", default_value = "-")]
    problems: Vec<String>,
    /// Format: line, sdk, ss, framed, canonical, opensudoku, lloyd-amos, triples, dimacs, csv or json.
    /// Above 9x9, line and sdk are for puzzles that were read in an alphabet.
    #[arg(long, value_name = "FORMAT")]
    to: Format,
    /// File to write instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    read: ReadArgs,
}

/// Writes every puzzle of the texts in one format. Nothing is written unless all can be read.
pub fn convert(args: ConvertArgs) -> CommandResult {
    let mut entries: Vec<Entry> = Vec::new();
    for problem in &args.problems {
        entries.extend(grids(problem, &args.read)?.into_iter().map(|it| it.entry));
    }
    let text = format::write(&entries, args.to)
        .map_err(|error| Failure::bad_input(format!("--to {}: {error}", args.to)))?;
    match &args.out {
        None => print(text.trim_end_matches('\n'))?,
        Some(path) => fs::write(path, text).map_err(|error| {
            Failure::bad_input(format!("cannot write {}: {error}", path.display()))
        })?,
    }
    Ok(Status::Success)
}
