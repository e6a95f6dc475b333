//! `gpusudoku check`.

use clap::Args;
use gpusudoku::problem::Puzzle;
use gpusudoku::problem::sudoku::GridError;
use gpusudoku::problem::sudoku::exact::{self, Count, Limit};
use gpusudoku::problem::sudoku::format::canonical;
use gpusudoku::problem::verify::verify_grid;
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
    /// How verdicts are written.
    #[arg(long, value_enum, default_value = "text")]
    format: OutputFormat,
    #[command(flatten)]
    read: ReadArgs,
}

/// Says of every grid whether it is valid, solved, and how many solutions it has. Exits with 1
/// if one is wrong or has no solution, with 2 if one cannot be read or contradicts itself.
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
            let verdict = Verdict::of(problem, limit);
            status = status.max(verdict.status);
            match args.format {
                OutputFormat::Text => print(&verdict.text(problem))?,
                OutputFormat::Json => print_json(&verdict.json(problem))?,
            }
            // Bad input is an error as well as a verdict.
            if let (Status::BadInput, Err(failure)) = (verdict.status, problem.puzzle()) {
                failure.report();
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
    /// `0`, `1`, `2+`, `1+` or `unknown`.
    solutions: &'static str,
    solution: Option<String>,
    sentence: String,
}

impl Verdict {
    fn of(problem: &NamedGrid, limit: Limit) -> Self {
        if problem.grid.is_complete() {
            return Self::of_complete(problem);
        }
        match Puzzle::new(problem.grid.clone()) {
            Err(error) => Self::contradiction(&error),
            Ok(puzzle) => Self::of_puzzle(&puzzle, limit),
        }
    }

    fn of_complete(problem: &NamedGrid) -> Self {
        match verify_grid(&problem.grid) {
            Ok(()) => Self {
                status: Status::Success,
                valid: true,
                solved: true,
                solutions: "1",
                solution: Some(canonical(&problem.grid)),
                sentence: "solved, and valid".to_owned(),
            },
            Err(violation) => Self {
                status: Status::Unsolved,
                valid: false,
                solved: false,
                solutions: "0",
                solution: None,
                sentence: format!("complete, but wrong: {violation}"),
            },
        }
    }

    fn contradiction(error: &GridError) -> Self {
        Self {
            status: Status::BadInput,
            valid: false,
            solved: false,
            solutions: "0",
            solution: None,
            sentence: format!("not a puzzle: {error}"),
        }
    }

    fn of_puzzle(puzzle: &Puzzle, limit: Limit) -> Self {
        let (status, solutions, solution, sentence) = match exact::count(puzzle, limit) {
            Count::None => (Status::Unsolved, "0", None, "valid givens, no solution"),
            Count::One(grid) => (
                Status::Success,
                "1",
                Some(grid),
                "valid, exactly one solution",
            ),
            Count::Many(grid, _) => (
                Status::Success,
                "2+",
                Some(grid),
                "valid, two solutions or more",
            ),
            Count::AtLeastOne(grid) => (
                Status::Success,
                "1+",
                Some(grid),
                "valid, at least one solution; whether there is another is not known (--max-nodes)",
            ),
            Count::Unknown => (
                Status::Success,
                "unknown",
                None,
                "valid givens; how many solutions is not known (--max-nodes)",
            ),
        };
        Self {
            status,
            valid: true,
            solved: false,
            solutions,
            solution: solution.as_ref().map(canonical),
            sentence: sentence.to_owned(),
        }
    }

    fn text(&self, problem: &NamedGrid) -> String {
        let grid = &problem.grid;
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
        let geometry = problem.grid.geometry();
        json!({
            "problem": problem.name,
            "size": geometry.size(),
            "box": geometry.boxes().map(|shape| shape.to_string()),
            "givens": problem.grid.filled(),
            "valid": self.valid,
            "solved": self.solved,
            "solutions": self.solutions,
            "solution": self.solution,
            "verdict": self.sentence,
        })
    }
}
