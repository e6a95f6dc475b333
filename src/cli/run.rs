//! `gpusudoku run`.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use gpusudoku::algo::{self, Algorithm, Info};
use gpusudoku::checkpoint::RunPlan;
use gpusudoku::controller::{self, Config, Observer, Outcome, RunState};
use gpusudoku::engine::Backend;
use gpusudoku::engine::cpu::threads_for;
use gpusudoku::engine::gpu::adapter::{self, AdapterChoice};
use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::engine::shared::team::Team;
use gpusudoku::error::Error;
use gpusudoku::lab::jobs::{self, Order};
use gpusudoku::lab::trace::{Trace, TracedRun};
use gpusudoku::plan::KernelFamily;
use gpusudoku::problem::sudoku::builtin;
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{NamedProblem, Problem};
use indicatif::ProgressBar;

use super::exit::{Failure, Status};
use super::input::ReadArgs;
use super::picture::Gallery;
use super::processes::Processes;
use super::progress::{Watch, Watched, runs_bar};
use super::request::{Pop, Request};
use super::run_report::{BatchTotals, Job, RunFormat};
use super::saver::Saver;
use super::{CommandResult, algorithms, interrupt, print};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BackendName {
    /// The native engine, or a real GPU if a run that lasts turns out to be faster there.
    Auto,
    /// The native engine.
    Cpu,
    /// The GPU engine, on a software adapter if there is no other.
    Gpu,
    /// Both, which share the population.
    #[value(name = "cpu+gpu")]
    CpuGpu,
}

/// Mappings of individuals to threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LayoutName {
    /// A subgroup for each individual: lanes that vote in registers.
    Subgroup,
    /// A workgroup for each individual: lanes that vote in workgroup memory.
    Workgroup,
    /// A thread for each individual.
    Thread,
}

impl From<LayoutName> for Mapping {
    fn from(name: LayoutName) -> Self {
        match name {
            LayoutName::Subgroup => Self::Subgroup,
            LayoutName::Workgroup => Self::Workgroup,
            LayoutName::Thread => Self::Thread,
        }
    }
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
    // What there is, the list of algorithms says.
    #[arg(long, value_name = "ALGORITHM", help = algorithms::brief(), long_help = algorithms::list())]
    pub(super) algo: Option<String>,
    /// Individuals of the population, or `auto` for as many as fit, up to a million [default: the
    /// algorithm's].
    #[arg(long, value_name = "N")]
    pub(super) pop: Option<Pop>,
    /// Where to run.
    #[arg(long, value_enum, default_value = "auto")]
    pub(super) backend: BackendName,
    /// Adapter of `--backend gpu`, by part of its name or by its number in `gpusudoku adapters`. Several with commas
    /// between them, or `all`, share the population, and one may stand twice.
    #[arg(long, value_name = "NAME-OR-INDEX,...")]
    pub(super) adapter: Option<String>,
    /// How the GPU engine maps individuals to threads, where kernels can be mapped so [default: chosen for kernel,
    /// size, population and adapter].
    #[arg(long, value_enum)]
    pub(super) layout: Option<LayoutName>,
    /// Seed of all random numbers; equal seeds give equal runs on every backend.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Generations after which to give up, those before a checkpoint included [default: the
    /// algorithm's, or none with --max-evaluations].
    #[arg(long, value_name = "N")]
    pub(super) max_generations: Option<u32>,
    /// Evaluations after which to give up, at the end of a generation, those before a checkpoint
    /// included.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) max_evaluations: Option<u64>,
    /// Seconds from now after which to give up, at the end of a generation; what a run took before its
    /// checkpoint does not count.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(super) time_limit: Option<f64>,
    /// Runs of each problem, with seeds counting up.
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) runs: u32,
    /// Threads of the native engine [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,
    /// Runs of the native engine at a time, of many; they share its threads. One at a time with --trace
    /// and --pop auto [default: one a thread].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) jobs: Option<u16>,
    /// A parameter of the algorithm; see --help-params.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) set: Vec<String>,
    /// List the parameters of the algorithm with defaults and source.
    #[arg(long)]
    pub(super) help_params: bool,
    /// How results are written.
    #[arg(long, value_enum, default_value = "text")]
    pub(super) format: RunFormat,
    /// CSV file to write with a row for every generation (of gpu-ga: every epoch). Its last columns
    /// are the algorithm, and evaluations and seconds since the beginning.
    #[arg(long, value_name = "FILE")]
    pub(super) trace: Option<PathBuf>,
    /// SVG file to draw the solutions to, several a page; further pages are FILE-2, FILE-3 and so on.
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
    /// File to save the run to now and then, from which it can go on. If this run is there already
    /// (same problem, algorithm, parameters, population and seed), it goes on from there; another run, or
    /// anything else, is not overwritten.
    #[arg(long, value_name = "FILE")]
    pub(super) checkpoint: Option<PathBuf>,
    /// Begin anew, whatever the file of --checkpoint has.
    #[arg(long, requires = "checkpoint")]
    pub(super) overwrite: bool,
    /// Seconds from one checkpoint to the next [default: 30].
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "checkpoint",
        allow_negative_numbers = true
    )]
    pub(super) checkpoint_every: Option<f64>,
    /// Go on with the run that this file was saved of. The file tells problem, algorithm, population,
    /// seed and budget; backend and threads may be others, and a new budget replaces the old one:
    /// generations and evaluations in all, or seconds from now.
    #[arg(long, value_name = "FILE", conflicts_with_all = FIXED_BY_A_CHECKPOINT)]
    pub(super) resume: Option<PathBuf>,
    /// No progress bar.
    #[arg(long)]
    pub(super) quiet: bool,
    #[command(flatten)]
    pub(super) read: ReadArgs,
}

pub fn run(args: RunArgs, processes: &Processes) -> CommandResult {
    let team = processes.team();
    if args.help_params {
        return match team.leads() {
            true => help_params(Request::info(&args)?),
            false => Ok(Status::Success),
        };
    }
    let mut request = Request::resolve(&args, processes)?;
    if !team.leads() {
        return follow(request, args.trace.is_some(), &team);
    }
    let svg = args.svg.clone();
    let gallery = svg.map(|path| Gallery::new(path, &request.problems));
    let gallery = gallery.transpose()?;
    let jobs = share(&args, &mut request);
    let from = request.from.take();
    let resumed = from.as_ref().map(|from| from.generation());
    let trace = args.trace.clone().map(|path| Trace::new(path, resumed));
    let all = request.problems.len().saturating_mul(request.runs as usize);
    let batch = Batch {
        request: &request,
        bar: runs_bar(all, args.quiet || jobs == 1),
        has_bars: !args.quiet && jobs == 1,
        from: Mutex::new(from),
        trace: trace.map(Mutex::new),
        hopeless: request.problems.iter().map(|_| false.into()).collect(),
        team: team.clone(),
    };
    let mut output = BatchOutput {
        job: Job {
            info: request.settings.info(),
            settings: &request.settings,
            format: args.format,
            runs: all,
        },
        totals: BatchTotals::default(),
        fault: None,
        impossible: None,
        gallery,
    };
    let mut failure = None;
    interrupt::listen();
    let clock = Instant::now();
    jobs::carry_out(
        batch.cases(),
        jobs,
        Order::Given,
        &interrupt::REQUESTED,
        |case| batch.carry_out(case),
        |ran| {
            let told = ran.map(|ran| batch.bar.suspend(|| output.tell(&batch, ran)));
            match told.unwrap_or(Ok(ControlFlow::Continue(()))) {
                Ok(flow) => flow,
                Err(reason) => {
                    failure = Some(reason);
                    ControlFlow::Break(())
                }
            }
        },
    );
    batch.bar.finish_and_clear();
    // The others wait for the next run.
    team.decide([0; 3])?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    if let Some(gallery) = &output.gallery {
        gallery.write(&request.problems)?;
    }
    let BatchOutput {
        job, totals, fault, ..
    } = output;
    match args.format {
        RunFormat::Text if job.runs > 1 => print(&totals.line(clock.elapsed(), jobs))?,
        RunFormat::Irace if fault.is_none() => print(&totals.irace())?,
        _ => {}
    }
    if let Some(violation) = totals.rejected {
        return Err(Error::Rejected(violation).into());
    }
    if let Some(fault) = fault {
        return Err(fault.into());
    }
    let complete = totals.runs as usize == all;
    Ok(if totals.solved == totals.runs && complete {
        Status::Success
    } else {
        Status::Unsolved
    })
}

/// How many runs go at a time. If there are several, the native engine is to have them, and each gets its
/// share of the threads. Where there is a GPU, they have to be asked for: side by side they would disturb each
/// other's measurements.
fn share(args: &RunArgs, request: &mut Request) -> usize {
    let (Backend::Auto { threads } | Backend::Cpu { threads }) = request.backend else {
        return 1;
    };
    // What is written while a run goes on is of one run; and one may take what memory there is.
    let one = args.trace.is_some() || request.save.is_some() || request.from.is_some();
    if one || request.pop == Pop::Auto {
        return 1;
    }
    let threads = threads_for(threads);
    let runs = request.problems.len().saturating_mul(request.runs as usize);
    let most = args.jobs.map_or(threads, usize::from).min(threads);
    let most = most.min(runs);
    let has_gpu = || pollster::block_on(adapter::find(&AdapterChoice::Automatic)).is_ok();
    let measures = || args.jobs.is_none() && Request::may_look_for_adapters(args) && has_gpu();
    if most == 1 || measures() {
        return 1;
    }
    let algorithm = request.settings.build();
    let config = request.config(&*algorithm, 0);
    let largest = request.problems.iter().max_by_key(|it| size(&it.problem));
    let jobs = largest.map_or(1, |it| controller::most_at_once(&it.problem, &config, most));
    if jobs > 1 {
        request.backend = Backend::Cpu {
            threads: threads / jobs,
        };
    }
    jobs
}

/// Cells, and how many are open.
fn size(problem: &Problem) -> (usize, usize) {
    let cells = problem.form().cells();
    match problem {
        Problem::Sudoku(puzzle) => (cells, cells - puzzle.givens().filled()),
        Problem::Queens(_) => (cells, cells),
    }
}

/// What is to be run, and what the runs share.
struct Batch<'a> {
    request: &'a Request,
    /// Over all runs, if several go at a time.
    bar: ProgressBar,
    /// Whether each run has one of its own.
    has_bars: bool,
    from: Mutex<Option<RunState>>,
    trace: Option<Mutex<Trace>>,
    /// Of each problem, whether it is known to have no solution.
    hopeless: Vec<AtomicBool>,
    /// The processes that carry out each run.
    team: Team,
}

/// One run.
#[derive(Clone, Copy)]
struct RunCase {
    /// The number of its problem.
    problem: usize,
    run: u32,
}

impl RunCase {
    /// Its settings, with a population that fits if none was asked for.
    fn config<'a>(
        self,
        request: &Request,
        algorithm: &'a dyn Algorithm,
    ) -> Result<Config<'a>, Error> {
        let problem = &request.problems[self.problem].problem;
        let mut config = request.config(algorithm, self.run);
        if request.pop == Pop::Auto {
            config.pop = pollster::block_on(controller::largest_population(problem, &config))?;
        }
        Ok(config)
    }
}

/// Carries out what another process leads.
fn follow(mut request: Request, diversity: bool, team: &Team) -> CommandResult {
    /// Somebody who leaves all to the process that leads.
    struct Follower {
        diversity: bool,
    }

    impl Observer for Follower {
        fn wants_diversity(&self) -> bool {
            self.diversity
        }
    }

    interrupt::listen();
    let mut from = request.from.take();
    loop {
        let [goes_on, problem, run] = team.decide([0; 3])?;
        if goes_on == 0 {
            return Ok(Status::Success);
        }
        let case = RunCase {
            problem: problem as usize,
            run,
        };
        let algorithm = request.settings.build();
        let config = case.config(&request, &*algorithm)?;
        let problem = &request.problems[case.problem].problem;
        let follower = &mut Follower { diversity };
        let outcome = pollster::block_on(async {
            match from.take() {
                Some(from) => controller::resume(problem, &config, from, follower).await,
                None => controller::run(problem, &config, follower).await,
            }
        });
        match outcome {
            // The next problem may have one.
            Ok(_) | Err(Error::NoSolution(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// What came of it.
struct Ran {
    case: RunCase,
    pop: usize,
    outcome: Result<Outcome, Error>,
    /// Whether it was ended because it cannot be saved.
    refused: bool,
    saved: Result<(), Failure>,
}

impl Batch<'_> {
    /// All runs. What has no solution is not run again.
    fn cases(&self) -> impl Iterator<Item = RunCase> {
        let runs = self.request.runs;
        let problems = self.hopeless.iter().enumerate();
        problems.flat_map(move |(problem, hopeless)| {
            let runs = (0..runs).take_while(|_| !hopeless.load(Ordering::Relaxed));
            runs.map(move |run| RunCase { problem, run })
        })
    }

    /// The number of a run, from one, and how many there are.
    fn place(&self, case: RunCase) -> (u64, u64) {
        let runs = u64::from(self.request.runs);
        let number = (case.problem as u64 * runs).saturating_add(u64::from(case.run));
        let all = (self.request.problems.len() as u64).saturating_mul(runs);
        (number.saturating_add(1), all)
    }

    /// Carries out a run, unless its problem has turned out to have no solution.
    fn carry_out(&self, case: RunCase) -> Option<Ran> {
        let hopeless = &self.hopeless[case.problem];
        if hopeless.load(Ordering::Relaxed) {
            return None;
        }
        let request = self.request;
        let problem = &request.problems[case.problem];
        let algorithm = request.settings.build();
        let failed = |error| {
            Some(Ran {
                case,
                pop: 0,
                outcome: Err(error),
                refused: false,
                saved: Ok(()),
            })
        };
        let told = self.team.decide([1, case.problem as u32, case.run]);
        let config = told.and_then(|_| case.config(request, &*algorithm));
        let config = match config {
            Ok(config) => config,
            Err(error) => return failed(error),
        };
        let saver = request.save.as_ref().map(|(path, every)| {
            let subject = RunPlan {
                problem: problem.clone(),
                settings: request.settings.clone(),
                pop: config.pop,
                seed: config.seed,
                budget: config.budget,
            };
            Saver::new(subject, path.clone(), *every)
        });
        let mut trace = self.trace.as_ref().map(lock);
        let from = lock(&self.from).take();
        let watched = Watched {
            run: TracedRun {
                problem: &problem.name,
                algo: request.settings.info().name,
                seed: config.seed,
                pop: config.pop,
            },
            budget: config.budget,
            before: from.as_ref().map_or(Duration::ZERO, |from| from.elapsed),
            place: self.place(case),
            counts_moves: counts_moves(&problem.problem, &*algorithm),
        };
        let bar = (!self.has_bars).then_some(&self.bar);
        let mut watch = Watch::new(watched, bar, trace.as_deref_mut(), saver);
        if case.run == 0 {
            let notices = request.notice.iter().cloned();
            watch.notices = notices.chain(notice(problem)).collect();
        }
        let outcome = pollster::block_on(async {
            match from {
                Some(from) => controller::resume(&problem.problem, &config, from, &mut watch).await,
                None => controller::run(&problem.problem, &config, &mut watch).await,
            }
        });
        if let Err(Error::NoSolution(_)) = outcome {
            hopeless.store(true, Ordering::Relaxed);
        }
        self.bar.inc(1);
        Some(Ran {
            case,
            pop: config.pop,
            outcome,
            refused: watch.refused(),
            saved: watch.finish(),
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is known of the runs so far.
struct BatchOutput<'a> {
    job: Job<'a>,
    totals: BatchTotals,
    fault: Option<Error>,
    /// The last problem that had no solution.
    impossible: Option<usize>,
    /// What is drawn, if anything is.
    gallery: Option<Gallery>,
}

impl BatchOutput<'_> {
    /// Tells what came of a run, and whether to go on.
    fn tell(&mut self, batch: &Batch<'_>, ran: Ran) -> Result<ControlFlow<()>, Failure> {
        let problem = &batch.request.problems[ran.case.problem];
        let saved = match ran.saved {
            Err(failure) if ran.refused => return Err(failure),
            saved => saved,
        };
        let outcome = match ran.outcome {
            // The other problems may have one.
            Err(error @ Error::NoSolution(_)) => {
                // Runs beside that one say the same.
                if self.impossible.replace(ran.case.problem) == Some(ran.case.problem) {
                    return Ok(ControlFlow::Continue(()));
                }
                let failure = Failure::from(error).at(&problem.name);
                // A tuner has no use for the cost of nothing.
                if self.job.format == RunFormat::Irace {
                    return Err(failure);
                }
                failure.report();
                self.totals.runs += 1;
                return Ok(ControlFlow::Continue(()));
            }
            Err(Error::NotForQueens) => return Err(algo::not_for(self.job.info, problem).into()),
            outcome => outcome?,
        };
        if let Some(trace) = &batch.trace {
            let mut trace = lock(trace);
            let written = trace.check();
            written.map_err(|error| Failure::cannot_write(trace.path(), &error))?;
        }
        if self.job.format == RunFormat::Irace && interrupt::requested() {
            // Cut short, it would look cheap to a tuner.
            return Err(Failure::interrupted(format!(
                "{}: interrupted, so that it has no cost",
                problem.name
            )));
        }
        let algorithm = self.job.settings.build();
        let mut config = batch.request.config(&*algorithm, ran.case.run);
        config.pop = ran.pop;
        self.job.report(problem, &config, &outcome)?;
        saved?;
        if let Some(gallery) = &mut self.gallery {
            gallery.add(ran.case.problem, &outcome);
        }
        self.totals.add(&outcome);
        self.fault = outcome.fault;
        Ok(match self.fault {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        })
    }
}

/// What is to be known of a problem before it is run.
fn notice(problem: &NamedProblem) -> Option<String> {
    let Problem::Queens(queens) = problem.problem else {
        return None;
    };
    let why = queens.impossibility()?;
    Some(format!("{}: {why}", problem.name))
}

/// Whether the evaluations of an algorithm are moves: only searches of lists colour, and they count moves or steps.
fn counts_moves(problem: &Problem, algorithm: &dyn Algorithm) -> bool {
    let instance = problem.reduce(Level::None);
    let representation = instance.map(|instance| algorithm.representation(&instance));
    matches!(representation, Ok(Some(it)) if it.family() == KernelFamily::Colouring)
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
