//! Flags in, configuration out: the commands of `gpusudoku`. The library never sees clap.

// Public are those whose readers of arguments `tests/fuzzing` calls.
mod adapters;
mod algorithms;
pub mod bench;
mod bench_report;
mod check;
pub mod compare;
mod convert;
mod evaluate;
mod exit;
mod experiment;
pub mod generate;
pub mod input;
mod interrupt;
mod manual;
mod picture;
mod processes;
mod progress;
mod quiet;
mod report;
mod reproduce;
mod request;
mod run;
mod run_report;
mod saver;
mod selftest;
mod table;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use gpusudoku::engine::gpu;
use gpusudoku::engine::gpu::shaders::library;

use self::exit::{Failure, Status};
use self::processes::Processes;
use self::request::Request;

/// GPU-accelerated population search for Sudoku, Latin squares and N queens.
#[derive(Debug, Parser)]
#[command(name = "gpusudoku", version, about, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Take the kernels from this folder, laid out as `shaders/` is, instead of those compiled in. For work on
    /// kernels; GPUSUDOKU_SHADERS does the same.
    #[arg(long, global = true, hide = true, value_name = "DIR")]
    shaders: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Solve a problem with a population algorithm.
    #[command(alias = "solve")]
    Run(run::RunArgs),
    /// List the GPU adapters, and which one `auto` takes.
    Adapters(adapters::AdaptersArgs),
    /// Independent verdict on puzzles and solutions.
    Check(check::CheckArgs),
    /// Make new puzzles, Sudoku or Latin squares.
    Generate(generate::GenerateArgs),
    /// Write puzzles in another format.
    Convert(convert::ConvertArgs),
    /// Tell the fitness of a population from a file.
    Evaluate(evaluate::EvaluateArgs),
    /// Run algorithms on problems many times, with statistics.
    Compare(compare::CompareArgs),
    /// Run a paper's table again, published and measured figures side by side.
    Reproduce(reproduce::ReproduceArgs),
    /// Measure the engines of this machine side by side.
    Bench(bench::BenchArgs),
    /// Compare an adapter with the native engine: every algorithm, every kernel, to the bit.
    Selftest(selftest::SelftestArgs),
    /// Make a page with tables and figures of results, and exports of them.
    Report(report::ReportArgs),
    /// Print a script that lets a shell complete commands and options.
    Completions(manual::CompletionsArgs),
    /// Write manual pages, for the program and for each command.
    Man(manual::ManArgs),
}

impl Command {
    /// As far as the arguments tell.
    fn may_look_for_adapters(&self) -> bool {
        match self {
            Self::Run(args) => Request::may_look_for_adapters(args),
            Self::Adapters(_) | Self::Selftest(_) => true,
            Self::Evaluate(args) => args.may_look_for_adapters(),
            Self::Bench(args) => args.may_look_for_adapters(),
            Self::Compare(args) => args.may_look_for_adapters(),
            Self::Reproduce(args) => args.may_look_for_adapters(),
            Self::Check(_) | Self::Generate(_) | Self::Convert(_) | Self::Report(_) => false,
            Self::Completions(_) | Self::Man(_) => false,
        }
    }
}

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    /// For people.
    Text,
    /// One JSON object for each result.
    Json,
}

/// Runs the command of this process.
pub fn main() -> ExitCode {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !gpu::waits() {
            usual(panic);
        }
    }));
    let Cli { command, shaders } = Cli::parse();
    if let Err(failure) = take_shaders(shaders) {
        return ExitCode::from(failure.report() as u8);
    }
    if command.may_look_for_adapters() {
        quiet::without_device_selection();
    }
    let processes = match Processes::join() {
        Ok(processes) => processes,
        Err(failure) => return ExitCode::from(failure.report() as u8),
    };
    let result = match command {
        Command::Run(args) => run::run(args, &processes),
        _ if !processes.team().is_alone() => Err(Failure::bad_input(
            "several processes share the population of `gpusudoku run`: expected that command",
        )),
        Command::Adapters(args) => adapters::adapters(args),
        Command::Check(args) => check::check(args),
        Command::Generate(args) => generate::generate(args),
        Command::Convert(args) => convert::convert(args),
        Command::Evaluate(args) => evaluate::evaluate(args, &processes),
        Command::Compare(args) => compare::compare(args),
        Command::Reproduce(args) => reproduce::reproduce(args),
        Command::Bench(args) => bench::bench(args),
        Command::Selftest(args) => selftest::selftest(args),
        Command::Report(args) => report::report(args),
        Command::Completions(args) => manual::completions(args),
        Command::Man(args) => manual::man(args),
    };
    let status = result.unwrap_or_else(|failure| processes.fail(failure));
    ExitCode::from(status as u8)
}

/// Takes kernels from a folder, if there is one, and says so: results are those of whatever is in there.
fn take_shaders(folder: Option<PathBuf>) -> Result<(), Failure> {
    if let Some(folder) = folder {
        let taken = library::use_folder(folder);
        taken.expect("nothing has been composed before arguments are read");
    }
    let Some(folder) = library::folder() else {
        return Ok(());
    };
    if !folder.is_dir() {
        return Err(Failure::bad_input(format!(
            "{} is no folder with shaders",
            folder.display()
        )));
    }
    eprintln!(
        "SHADERS FROM {}: results are those of the kernels in there, not of this program",
        folder.display()
    );
    Ok(())
}

/// Writes a line of results to standard output.
fn print(line: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .map_err(Failure::output)
}

fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    print(&serde_json::to_string(value).map_err(|error| Failure::output(error.into()))?)
}

type CommandResult = Result<Status, Failure>;
