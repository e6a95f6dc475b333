//! `gpusudoku check`.

use clap::Args;
use gpusudoku::problem::sudoku::Verdict;
use gpusudoku::problem::sudoku::exact::Limit;
use gpusudoku::problem::sudoku::format::canonical;
use serde_json::json;

use super::exit::Status;
use super::input::{NamedGrid, ReadArgs, grids};
use super::{CommandResult, OutputFormat, print, print_json};

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Files, `-` for standard input, puzzles' own texts, or built-in names.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,
    /// Guesses of the exact solver after which it gives up counting.
    #[arg(long, value_name = "N", default_value_t = Limit::default().nodes)]
    max_nodes: u64,
    /// Count solutions up to so many.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,
    /// How verdicts are written.
    #[arg(long, value_enum, default_value = "text")]
    format: OutputFormat,
    #[command(flatten)]
    read: ReadArgs,
}

/// Says of every grid whether it is valid, solved, and how many solutions it has. Exits with 1
/// if one is wrong, contradicts itself or has no solution, with 2 if one cannot be read.
pub fn check(args: CheckArgs) -> CommandResult {
    let limit = Limit {
        nodes: args.max_nodes,
    };
    let mut status = Status::Success;
    for file in &args.files {
        let problems = match grids(file, &args.read) {
            Ok(problems) => problems,
            // The other files still get their verdicts.
            Err(failure) if args.files.len() > 1 => {
                status = status.max(failure.report());
                continue;
            }
            Err(failure) => return Err(failure),
        };
        for problem in &problems {
            let verdict = Verdict::of(problem.grid(), args.count, limit);
            if !verdict.is_good() {
                status = status.max(Status::Unsolved);
            }
            match args.format {
                OutputFormat::Text => print(&text(&verdict, problem))?,
                OutputFormat::Json => print_json(&json(&verdict, problem))?,
            }
        }
    }
    Ok(status)
}

/// A verdict for people.
fn text(verdict: &Verdict, problem: &NamedGrid) -> String {
    let grid = problem.grid();
    format!(
        "{}: {}, {} of {} cells given: {}",
        problem.name,
        grid.geometry(),
        grid.filled(),
        grid.geometry().cells(),
        verdict.sentence
    )
}

/// A verdict for programs.
fn json(verdict: &Verdict, problem: &NamedGrid) -> serde_json::Value {
    let geometry = problem.grid().geometry();
    json!({
        "problem": problem.name,
        "size": geometry.size(),
        "box": geometry.boxes().map(|shape| shape.to_string()),
        "givens": problem.grid().filled(),
        "valid": verdict.valid,
        "solved": verdict.solved,
        "solutions": verdict.solutions,
        "solution": verdict.solution.as_ref().map(canonical),
        "verdict": verdict.sentence,
    })
}
