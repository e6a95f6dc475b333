//! `gpusudoku run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use gpusudoku::algo::{self, Info, Settings};
use gpusudoku::controller::{self, Budget, Config, Outcome, Stop};
use gpusudoku::engine::Backend;
use gpusudoku::engine::gpu::adapter::AdapterChoice;
use gpusudoku::error::Error;
use gpusudoku::lab::results::{Run, canonical_answer};
use gpusudoku::plan::Objective;
use gpusudoku::problem::sudoku::builtin;
use gpusudoku::problem::sudoku::format::framed;
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::verify::Violation;
use gpusudoku::problem::{Answer, NamedProblem, Problem};

use super::exit::{Failure, Status};
use super::input::{ReadArgs, asks_for_queens, problems};
use super::progress::{Trace, Watch, describe};
use super::{CommandResult, interrupt, print, print_json};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BackendName {
    /// A real GPU if there is one, otherwise the native engine.
    Auto,
    /// The native engine.
    Cpu,
    /// The GPU engine, on a software adapter if there is no other.
    Gpu,
}

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RunFormat {
    /// For people.
    Text,
    /// One JSON object for each run.
    Json,
    /// One line for a tuner such as irace or SMAC: cost and seconds. The cost of a run is its
    /// evaluations, ten times that if it is not solved; the line has the mean of all runs.
    Irace,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    /// A file, `-` for standard input, a puzzle's own text, or a built-in name
    /// (easy-1, easy-11, medium-27, medium-29, hard-77, hard-106, sd1, sd2 = ai-escargot, sd3,
    /// fpchs-1, fpchs-2, fpchs-3); or queens:N, torus:N for N queens.
    #[arg(value_name = "PROBLEM", default_value = builtin::DEFAULT)]
    problem: String,
    /// The algorithm: memetic, lsga, nb-coin, reseda, ah-lsga, ga, gpu-ga, hs, fpchs, hpsoga, cga,
    /// hgsaga, hgasa or min-conflicts; the last five also for queens [default: memetic, for queens
    /// hgasa].
    #[arg(long)]
    algo: Option<String>,
    /// Individuals of the population [default: the algorithm's].
    #[arg(long, value_name = "N")]
    pop: Option<usize>,
    /// Where to run.
    #[arg(long, value_enum, default_value = "auto")]
    backend: BackendName,
    /// Adapter of `--backend gpu`, by part of its name or by its number in `gpusudoku adapters`.
    #[arg(long, value_name = "NAME-OR-INDEX")]
    adapter: Option<String>,
    /// Seed of all random numbers; equal seeds give equal runs on every backend.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Generations after which to give up [default: the algorithm's, or none with --max-evaluations].
    #[arg(long, value_name = "N")]
    max_generations: Option<u32>,
    /// Evaluations after which to give up, at the end of a generation.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_evaluations: Option<u64>,
    /// Seconds after which to give up, at the end of a generation.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    time_limit: Option<f64>,
    /// Runs of each problem, with seeds counting up.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Threads of the native engine [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// A parameter of the algorithm; see --help-params.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// List the parameters of the algorithm with defaults and source.
    #[arg(long)]
    help_params: bool,
    /// How results are written.
    #[arg(long, value_enum, default_value = "text")]
    format: RunFormat,
    /// CSV file to write with a row for every generation (of gpu-ga: every epoch).
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// No progress bar.
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    read: ReadArgs,
}

pub fn run(args: RunArgs) -> CommandResult {
    let asked_for = args.algo.as_deref().map(algo::find).transpose()?;
    let info = asked_for.unwrap_or(match asks_for_queens(&args.problem) {
        true => &algo::hgasa::INFO,
        false => &algo::memetic::INFO,
    });
    if args.help_params {
        return help_params(info);
    }
    let problems = problems(&args.problem, &args.read)?;
    let mut settings = Settings::new(info);
    for pair in &args.set {
        settings.set_pair(pair)?;
    }
    let backend = backend(&args)?;
    let budget = Budget {
        max_generations: args.max_generations.unwrap_or(match args.max_evaluations {
            Some(_) => u32::MAX,
            None => info.max_generations,
        }),
        max_evaluations: args.max_evaluations,
        time_limit: args.time_limit.map(parse_seconds).transpose()?,
    };
    let algorithm = settings.build();
    let mut trace = args.trace.clone().map(Trace::new);
    let job = Job {
        info,
        settings: &settings,
        format: args.format,
        alone: problems.len() == 1 && args.runs == 1,
    };
    let mut tally = Tally::default();
    interrupt::listen();
    'all: for problem in &problems {
        for run in 0..args.runs {
            let config = Config {
                algorithm: &*algorithm,
                propagate: settings.propagation(),
                pop: args.pop.unwrap_or(info.pop),
                seed: args.seed.wrapping_add(u64::from(run)),
                budget,
                backend: backend.clone(),
            };
            let mut watch = Watch::new(
                &problem.name,
                config.pop,
                config.seed,
                budget.max_generations,
                args.quiet,
                trace.as_mut(),
            );
            if run == 0 {
                watch.notice = notice(problem);
            }
            let run = controller::run(&problem.problem, &config, &mut watch);
            let outcome = pollster::block_on(run);
            drop(watch);
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
            tally.add(&outcome);
            if interrupt::requested() {
                break 'all;
            }
        }
    }
    match args.format {
        RunFormat::Text if !job.alone => print(&tally.line())?,
        RunFormat::Irace => print(&tally.irace())?,
        _ => {}
    }
    if let Some(violation) = tally.rejected {
        return Err(Error::Rejected(violation).into());
    }
    let complete = tally.runs as usize == problems.len() * args.runs as usize;
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

fn backend(args: &RunArgs) -> Result<Backend, Failure> {
    let threads = args.threads.map_or(0, usize::from);
    if args.adapter.is_some() && args.backend == BackendName::Cpu {
        return Err(Failure::bad_input(
            "--adapter does not go with --backend cpu",
        ));
    }
    if args.threads.is_some() && args.backend == BackendName::Gpu {
        return Err(Failure::bad_input(
            "--threads does not go with --backend gpu",
        ));
    }
    if args.adapter.as_deref() == Some("") {
        return Err(Failure::bad_input(
            "--adapter is empty: expected a name or a number of `gpusudoku adapters`",
        ));
    }
    Ok(match (args.backend, &args.adapter) {
        (BackendName::Cpu, _) => Backend::Cpu { threads },
        (BackendName::Auto, None) => Backend::Auto { threads },
        // Who names an adapter wants the GPU engine.
        (_, adapter) => Backend::Gpu {
            adapter: adapter
                .as_deref()
                .map_or(AdapterChoice::Best, AdapterChoice::from),
            lanes: None,
        },
    })
}

fn parse_seconds(seconds: f64) -> Result<Duration, Failure> {
    const MOST: f64 = 1e9;
    if !(0.0..=MOST).contains(&seconds) {
        return Err(Failure::bad_input(format!(
            "--time-limit {seconds} is not possible: expected from 0 to {MOST} seconds"
        )));
    }
    Ok(Duration::from_secs_f64(seconds))
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

/// What all runs of the command have in common.
struct Job<'a> {
    info: &'static Info,
    settings: &'a Settings,
    format: RunFormat,
    alone: bool,
}

impl Job<'_> {
    fn report(
        &self,
        problem: &NamedProblem,
        config: &Config<'_>,
        outcome: &Outcome,
    ) -> Result<(), Failure> {
        match self.format {
            RunFormat::Json => print_json(&Run::new(&problem.name, self.settings, config, outcome)),
            // One line for all runs, when they are done.
            RunFormat::Irace => Ok(()),
            RunFormat::Text => {
                if self.alone {
                    print(draw(&problem.problem, &outcome.best).trim_end())?;
                }
                print(&self.line(problem, config, outcome))
            }
        }
    }

    fn line(&self, problem: &NamedProblem, config: &Config<'_>, outcome: &Outcome) -> String {
        let best = match outcome.false_zero {
            Some(_) if outcome.best_fitness == Objective::FALSE_ZERO => {
                "best Z = 0, by an invalid grid".to_owned()
            }
            _ if outcome.goal > 0 => {
                format!("best {}, the aim is {}", outcome.best_fitness, outcome.goal)
            }
            _ => format!("best {}", outcome.best_fitness),
        };
        let verdict = match outcome.stop {
            Stop::Solved if !outcome.solved => "REJECTED by the independent check".to_owned(),
            Stop::Solved if outcome.by_propagation => "solved by propagation, verified".to_owned(),
            Stop::Solved if outcome.goal > 0 => format!(
                "solved and verified, with {} attacks, the fewest there can be",
                outcome.best_fitness
            ),
            Stop::Solved => "solved and verified".to_owned(),
            Stop::Generations => format!("not solved ({best}), generations spent"),
            Stop::Evaluations => format!("not solved ({best}), evaluations spent"),
            Stop::Time => format!("not solved ({best}), time is up"),
            Stop::Observer => format!("not solved ({best}), interrupted"),
        };
        let propagated = propagated(outcome);
        let mut line = format!(
            "{}: {verdict}; {} pop {} seed {} on {}: generation {} ({} effective), {} \
             evaluations{propagated}, {:.3} s",
            problem.name,
            self.info.name,
            config.pop,
            config.seed,
            describe(&outcome.engine),
            outcome.generations,
            outcome.effective_generations,
            outcome.evaluations,
            outcome.seconds
        );
        if let Some(generation) = outcome.false_zero {
            line.push_str(&format!(
                "; Z = 0 was reached by an invalid grid in generation {generation}"
            ));
        }
        line
    }
}

/// What propagation did, as a part of a sentence.
fn propagated(outcome: &Outcome) -> String {
    let count = |many: usize, what: &str| match many {
        0 => None,
        1 => Some(format!("1 {what}")),
        many => Some(format!("{many} {what}s")),
    };
    let join =
        |parts: [Option<String>; 2]| parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let did = outcome.deductions;
    let singles = join([
        count(did.naked_singles, "naked single"),
        count(did.hidden_singles, "hidden single"),
    ]);
    let removed = join([
        count(did.locked_candidates, "locked candidate"),
        count(did.probed_candidates, "probed candidate"),
    ]);
    let mut text = String::new();
    if let Some(cells) = count(outcome.closed_by_propagation, "cell") {
        text = format!(", {cells} closed by propagation ({singles})");
    }
    if !removed.is_empty() {
        text.push_str(&format!(", {removed} removed"));
    }
    text
}

/// The largest board that is drawn.
const MAX_BOARD: usize = 64;

/// An answer for the eye: a framed grid with the givens set apart, or a board.
fn draw(problem: &Problem, answer: &Answer) -> String {
    match (problem, answer) {
        (Problem::Sudoku(puzzle), Answer::Grid(grid)) => framed(grid, Some(puzzle.givens())),
        (_, Answer::Placement(queens)) if queens.rows().len() <= MAX_BOARD => queens.board(),
        _ => canonical_answer(answer),
    }
}

/// How many runs, and how long the solved ones took.
#[derive(Default)]
struct Tally {
    runs: u32,
    solved: u32,
    by_propagation: u32,
    generations: u64,
    seconds: f64,
    cost: f64,
    rejected: Option<Violation>,
}

/// How many times an unsolved run costs what it spent (PAR10 of the literature on configuration).
const PENALTY: f64 = 10.0;

impl Tally {
    fn add(&mut self, outcome: &Outcome) {
        self.runs += 1;
        self.seconds += outcome.seconds;
        self.cost += outcome.evaluations as f64 * if outcome.solved { 1.0 } else { PENALTY };
        self.rejected = self.rejected.take().or(outcome.rejected.clone());
        if outcome.solved {
            self.solved += 1;
            self.by_propagation += u32::from(outcome.by_propagation);
            self.generations += u64::from(outcome.generations);
        }
    }

    /// Cost and time of the average run.
    fn irace(&self) -> String {
        let runs = f64::from(self.runs.max(1));
        format!("{} {}", self.cost / runs, self.seconds / runs)
    }

    fn line(&self) -> String {
        let mean = match self.solved {
            0 => String::new(),
            solved => {
                let mean = self.generations as f64 / f64::from(solved);
                format!(", {mean:.1} generations on average")
            }
        };
        let by_propagation = match self.by_propagation {
            0 => String::new(),
            runs => format!(" ({runs} by propagation alone)"),
        };
        format!(
            "{} of {} runs solved{by_propagation}{mean}, {:.3} s in all",
            self.solved, self.runs, self.seconds
        )
    }
}
