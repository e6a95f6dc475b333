//! `gpusudoku evaluate`.

use std::fs;
use std::io::{self, IsTerminal as _, Read as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use clap::Args;
use gpusudoku::Evaluator;
use gpusudoku::engine::Backend;
use gpusudoku::evaluator::representation;
use gpusudoku::population_file::{self, npy};
use gpusudoku::problem::Problem;
use indicatif::{ProgressBar, ProgressStyle};

use super::exit::{Failure, Status};
use super::input::{ReadArgs, problems};
use super::processes::Processes;
use super::request::DeviceFlags;
use super::run::BackendName;
use super::{CommandResult, interrupt, print};

#[derive(Debug, Args)]
pub struct EvaluateArgs {
    /// The puzzle whose givens and boxes count: a file, a puzzle's own text, or a built-in name.
    #[arg(value_name = "PROBLEM")]
    problem: String,
    /// The population: a .npy file, uint8 of shape (pop, N, N) with digits 1 to N; or text, a grid a line; `-` is
    /// text from standard input.
    #[arg(value_name = "POPULATION")]
    population: String,
    /// What individuals have to be: rows, blocks, cells, candidates or partial.
    #[arg(long, value_name = "ENCODING", default_value = "rows")]
    encoding: String,
    /// What is counted: illegal-units, missing-digits, sum-deviation or conflicts [default: the usual one of the
    /// encoding].
    #[arg(long, value_name = "OBJECTIVE")]
    objective: Option<String>,
    /// Where to evaluate.
    #[arg(long, value_enum, default_value = "auto")]
    backend: BackendName,
    /// Adapter of `--backend gpu`, by part of its name or by its number in `gpusudoku adapters`.
    #[arg(long, value_name = "NAME-OR-INDEX")]
    adapter: Option<String>,
    /// Threads of the native engine [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// File to write instead of standard output: .npy for uint32 of shape (pop,), else a number a line.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// No progress bar.
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    read: ReadArgs,
}

impl EvaluateArgs {
    /// As far as the flags tell.
    pub fn may_look_for_adapters(&self) -> bool {
        self.backend != BackendName::Cpu
    }
}

pub fn evaluate(args: EvaluateArgs, processes: &Processes) -> CommandResult {
    let backend = DeviceFlags {
        adapter: args.adapter.as_deref(),
        layout: None,
    }
    .backend(args.backend, args.threads, processes)?;
    if let Backend::Shared(_) = backend {
        return Err(Failure::bad_input(
            "a population is evaluated in one place: expected --backend auto, cpu or gpu, and one adapter",
        ));
    }
    let representation = representation(&args.encoding, args.objective.as_deref())?;
    let [problem] = &problems(&args.problem, &args.read)?[..] else {
        return Err(Failure::bad_input(format!(
            "{} has more than one puzzle: expected the one that the population is of",
            args.problem
        )));
    };
    let Problem::Sudoku(puzzle) = &problem.problem else {
        return Err(Failure::bad_input(format!(
            "{}: queens are no grid; expected a Sudoku or a Latin square",
            args.problem
        )));
    };
    let digits = population_file::read(
        &args.population,
        &read(&args.population)?,
        puzzle.geometry(),
    )
    .map_err(|error| Failure::bad_input(error.to_string()))?;
    let grids = digits.len() / puzzle.geometry().cells();
    let bar = bar(&args, grids);
    let mut evaluator = Evaluator::new(&problem.problem, &backend, representation)?;
    let mut fitness = vec![0; grids];
    interrupt::listen();
    let progress = &mut |done: usize| {
        bar.set_position(done as u64);
        match interrupt::requested() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let evaluated = pollster::block_on(evaluator.evaluate_into(&digits, &mut fitness, progress));
    bar.finish_and_clear();
    evaluated.map_err(|error| Failure::from(error).at(&args.population))?;
    write(args.out.as_deref(), &fitness)?;
    Ok(Status::Success)
}

fn read(population: &str) -> Result<Vec<u8>, Failure> {
    let cannot = |error| Failure::bad_input(format!("cannot read {population}: {error}"));
    if population != "-" {
        return fs::read(population).map_err(cannot);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).map_err(cannot)?;
    Ok(bytes)
}

fn write(out: Option<&Path>, fitness: &[u32]) -> Result<(), Failure> {
    let text = || {
        fitness
            .iter()
            .map(|it| format!("{it}\n"))
            .collect::<String>()
    };
    let Some(path) = out else {
        return print(text().trim_end());
    };
    let written = match path.extension().is_some_and(|it| it == "npy") {
        true => fs::write(path, npy::write_u32(fitness)),
        false => fs::write(path, text()),
    };
    written.map_err(|error| Failure::cannot_write(path, &error))
}

/// A bar on a terminal.
fn bar(args: &EvaluateArgs, grids: usize) -> ProgressBar {
    if args.quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(grids as u64);
    let style = ProgressStyle::with_template("grid {pos}/{len} [{wide_bar}] {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}
