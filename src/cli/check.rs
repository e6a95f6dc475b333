//! `gpusudoku check`.

use clap::Args;
use gpusudoku::problem::sudoku::exact::{self, End, Limit};
use gpusudoku::problem::sudoku::format::canonical;
use gpusudoku::problem::verify::verify_grid;
use gpusudoku::problem::{Grid, Puzzle};
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
            status = status.max(verdict.status);
            match args.format {
                OutputFormat::Text => print(&verdict.text(problem))?,
                OutputFormat::Json => print_json(&verdict.json(problem))?,
            }
        }
    }
    Ok(status)
}

/// What can be said of a grid.
struct Verdict {
    status: Status,
    valid: bool,
    solved: bool,
    /// A number, a number and `+` if there may be more, or `unknown`.
    solutions: String,
    solution: Option<String>,
    sentence: String,
}

impl Verdict {
    fn of(grid: &Grid, most: u64, limit: Limit) -> Self {
        if grid.is_complete() {
            return Self::of_complete(grid);
        }
        match Puzzle::new(grid.clone()) {
            Err(error) => Self::wrong(format!("not a puzzle: {error}")),
            Ok(puzzle) => Self::of_puzzle(&puzzle, most, limit),
        }
    }

    fn of_complete(grid: &Grid) -> Self {
        match verify_grid(grid) {
            Ok(()) => Self {
                status: Status::Success,
                valid: true,
                solved: true,
                solutions: "1".to_owned(),
                solution: Some(canonical(grid)),
                sentence: "solved, and valid".to_owned(),
            },
            Err(violation) => Self::wrong(format!("complete, but wrong: {violation}")),
        }
    }

    /// A grid that breaks the rules.
    fn wrong(sentence: String) -> Self {
        Self {
            status: Status::Unsolved,
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
            status: match solutions.as_str() {
                "0" => Status::Unsolved,
                _ => Status::Success,
            },
            valid: true,
            solved: false,
            solutions,
            solution: found.first.as_ref().map(canonical),
            sentence,
        }
    }

    fn text(&self, problem: &NamedGrid) -> String {
        let grid = problem.grid();
        format!(
            "{}: {}, {} of {} cells given: {}",
            problem.name,
            grid.geometry(),
            grid.filled(),
            grid.geometry().cells(),
            self.sentence
        )
    }

    fn json(&self, problem: &NamedGrid) -> serde_json::Value {
        let geometry = problem.grid().geometry();
        json!({
            "problem": problem.name,
            "size": geometry.size(),
            "box": geometry.boxes().map(|shape| shape.to_string()),
            "givens": problem.grid().filled(),
            "valid": self.valid,
            "solved": self.solved,
            "solutions": self.solutions,
            "solution": self.solution,
            "verdict": self.sentence,
        })
    }
}
