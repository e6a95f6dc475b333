//! `gpusudoku run`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gpusudoku::algo::Info;
use gpusudoku::algo::{self, Settings};
use gpusudoku::controller::{self, Config};
use gpusudoku::error::Error;
use gpusudoku::problem::sudoku::builtin;
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{NamedProblem, Problem};

use super::exit::{Failure, Status};
use super::input::ReadArgs;
use super::progress::{Trace, Watch};
use super::request::{Pop, Request};
use super::run_report::{Job, RunFormat, Tally};
use super::saver::{Saver, Subject};
use super::{CommandResult, interrupt, print};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BackendName {
    /// A real GPU if there is one, otherwise the native engine.
    Auto,
    /// The native engine.
    Cpu,
    /// The GPU engine, on a software adapter if there is no other.
    Gpu,
}

/// What a checkpoint tells and nobody else may.
const FIXED_BY_A_CHECKPOINT: [&str; 9] = [
    "problem", "algo", "pop", "seed", "set", "runs", "boxes", "latin", "alphabet",
];

#[derive(Debug, Args)]
pub struct RunArgs {
    /// A file, `-` for standard input, a puzzle's own text, or a built-in name
    /// (easy-1, easy-11, medium-27, medium-29, hard-77, hard-106, sd1, sd2 = ai-escargot, sd3,
    /// fpchs-1, fpchs-2, fpchs-3); or queens:N, torus:N for N queens.
    #[arg(value_name = "PROBLEM", default_value = builtin::DEFAULT)]
    pub(super) problem: String,
    /// The algorithm: memetic, lsga, nb-coin, reseda, ah-lsga, ga, gpu-ga, hs, fpchs, hpsoga, cga,
    /// hgsaga, hgasa or min-conflicts; the last five also for queens [default: memetic, for queens
    /// hgasa].
    #[arg(long)]
    pub(super) algo: Option<String>,
    /// Individuals of the population, or `auto` for as many as fit, up to a million [default: the
    /// algorithm's].
    #[arg(long, value_name = "N")]
    pub(super) pop: Option<Pop>,
    /// Where to run.
    #[arg(long, value_enum, default_value = "auto")]
    pub(super) backend: BackendName,
    /// Adapter of `--backend gpu`, by part of its name or by its number in `gpusudoku adapters`.
    #[arg(long, value_name = "NAME-OR-INDEX")]
    pub(super) adapter: Option<String>,
    /// Seed of all random numbers; equal seeds give equal runs on every backend.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Generations after which to give up [default: the algorithm's, or none with --max-evaluations].
    #[arg(long, value_name = "N")]
    pub(super) max_generations: Option<u32>,
    /// Evaluations after which to give up, at the end of a generation.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) max_evaluations: Option<u64>,
    /// Seconds after which to give up, at the end of a generation.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(super) time_limit: Option<f64>,
    /// Runs of each problem, with seeds counting up.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) runs: u32,
    /// Threads of the native engine [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,
    /// A parameter of the algorithm; see --help-params.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
    /// List the parameters of the algorithm with defaults and source.
    #[arg(long)]
    pub(super) help_params: bool,
    /// How results are written.
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: RunFormat,
    /// CSV file to write with a row for every generation (of gpu-ga: every epoch).
    #[arg(long, value_name = "FILE")]
    pub(super) trace: Option<PathBuf>,
    /// File to save the run to now and then, from which it can go on.
    #[arg(long, value_name = "FILE")]
    pub(super) checkpoint: Option<PathBuf>,
    /// Seconds from one checkpoint to the next [default: 30].
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "checkpoint",
        allow_negative_numbers = true
    )]
    pub(super) checkpoint_every: Option<f64>,
    /// Go on with the run that this file was saved of. The file tells problem, algorithm, population,
    /// seed and budget; backend and threads may be others, and a new budget replaces the old one.
    #[arg(long, value_name = "FILE", conflicts_with_all = FIXED_BY_A_CHECKPOINT)]
    pub(super) resume: Option<PathBuf>,
    /// No progress bar.
    #[arg(long)]
    pub(super) quiet: bool,
    #[command(flatten)]
    pub(super) read: ReadArgs,
}

pub fn run(args: RunArgs) -> CommandResult {
    if args.help_params {
        return help_params(Request::info(&args)?);
    }
    let mut request = Request::resolve(&args)?;
    let mut from = request.from.take();
    let Request {
        problems, settings, ..
    } = &request;
    let info = settings.info();
    let algorithm = settings.build();
    let resumed = from.as_ref().map(|from| from.generation());
    let mut trace = args.trace.clone().map(|path| Trace::new(path, resumed));
    let job = Job {
        info,
        settings,
        format: args.format,
        alone: problems.len() == 1 && request.runs == 1,
    };
    let mut tally = Tally::default();
    let mut fault = None;
    interrupt::listen();
    'all: for problem in problems {
        for run in 0..request.runs {
            let mut config = Config {
                algorithm: &*algorithm,
                propagate: settings.propagation(),
                pop: info.pop,
                seed: request.seed.wrapping_add(u64::from(run)),
                budget: request.budget,
                backend: request.backend.clone(),
            };
            config.pop = match request.pop {
                Pop::Count(pop) => pop,
                Pop::Auto => {
                    pollster::block_on(controller::largest_population(&problem.problem, &config))?
                }
            };
            let saver = request.save.as_ref().map(|(path, every)| {
                let subject = Subject {
                    problem: problem.clone(),
                    settings: settings.clone(),
                    pop: config.pop,
                    seed: config.seed,
                    budget: config.budget,
                };
                Saver::new(subject, path.clone(), *every)
            });
            let mut watch = Watch::new(&problem.name, &config, args.quiet, trace.as_mut(), saver);
            if run == 0 {
                watch.notice = notice(problem);
            }
            let outcome = pollster::block_on(async {
                match from.take() {
                    Some(from) => {
                        controller::resume(&problem.problem, &config, from, &mut watch).await
                    }
                    None => controller::run(&problem.problem, &config, &mut watch).await,
                }
            });
            let refused = watch.refused();
            let saved = match watch.finish() {
                Err(failure) if refused => return Err(failure),
                saved => saved,
            };
            let outcome = match outcome {
                // The other problems may have one.
                Err(error @ Error::NoSolution(_)) => {
                    let failure = Failure::from(error).at(&problem.name);
                    // A tuner has no use for the cost of nothing.
                    if args.format == RunFormat::Irace {
                        return Err(failure);
                    }
                    failure.report();
                    tally.runs += 1;
                    if interrupt::requested() {
                        break 'all;
                    }
                    break;
                }
                Err(Error::NotForQueens) => {
                    return Err(not_for_queens(info, problem));
                }
                outcome => outcome?,
            };
            if let Some(trace) = &mut trace {
                trace.check()?;
            }
            if args.format == RunFormat::Irace && interrupt::requested() {
                // Cut short, it would look cheap to a tuner.
                return Err(Failure::interrupted(format!(
                    "{}: interrupted, so that it has no cost",
                    problem.name
                )));
            }
            job.report(problem, &config, &outcome)?;
            saved?;
            tally.add(&outcome);
            fault = outcome.fault;
            if interrupt::requested() || fault.is_some() {
                break 'all;
            }
        }
    }
    match args.format {
        RunFormat::Text if !job.alone => print(&tally.line())?,
        RunFormat::Irace if fault.is_none() => print(&tally.irace())?,
        _ => {}
    }
    if let Some(violation) = tally.rejected {
        return Err(Error::Rejected(violation).into());
    }
    if let Some(fault) = fault {
        return Err(fault.into());
    }
    let complete = tally.runs as usize == problems.len() * request.runs as usize;
    Ok(if tally.solved == tally.runs && complete {
        Status::Success
    } else {
        Status::Unsolved
    })
}

/// What is to be known of a problem before it is run.
fn notice(problem: &NamedProblem) -> Option<String> {
    let Problem::Queens(queens) = problem.problem else {
        return None;
    };
    let why = queens.impossibility()?;
    Some(format!("{}: {why}", problem.name))
}

fn not_for_queens(info: &Info, problem: &NamedProblem) -> Failure {
    let can = |info: &&'static Info| {
        let instance = problem.problem.reduce(Level::None);
        let algorithm = Settings::new(info).build();
        instance.is_ok_and(|instance| algorithm.individuals(&instance).is_some())
    };
    let others: Vec<_> = algo::ALL.iter().filter(can).map(|info| info.name).collect();
    Failure::bad_input(format!(
        "{} is for Sudoku and Latin squares; for {} there is {}",
        info.name,
        problem.name,
        others.join(", ")
    ))
}

fn help_params(info: &Info) -> CommandResult {
    print(&format!("{}: {}", info.name, info.title))?;
    print(&format!(
        "{}; population {}, at most {} generations",
        info.source, info.pop, info.max_generations
    ))?;
    for param in info.params {
        print("")?;
        print(&format!(
            "  {}={}   [{}]",
            param.key, param.default, param.source
        ))?;
        print(&format!("      {}", param.meaning))?;
        print(&format!("      {}", param.kind))?;
    }
    Ok(Status::Success)
}
