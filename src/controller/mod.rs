//! The run: budgets, batches, stopping, and the check of what is claimed.
//!
//! The controller lets propagation reduce the problem, begins a state of the algorithm and has an
//! engine carry out its stages in batches of generations. It knows nothing of kernels, and its
//! batches change nothing but the time at which news finish.

mod run_loop;
mod run_state;

pub use self::run_state::{RunState, RunTotals};

use std::ops::ControlFlow;
use std::slice;
use std::sync::Arc;
use std::time::Duration;

use crate::algo::Algorithm;
use crate::engine::cpu::threads_for;
use crate::engine::{Backend, Engine, EngineInfo, Setup, has_memory};
use crate::error::Error;
use crate::plan::{Objective, Plan, Representation};
use crate::population::{Population, Record};
use crate::problem::sudoku::GridError;
use crate::problem::sudoku::propagate::{Deductions, Level};
use crate::problem::verify::{Violation, verify_answer};
use crate::problem::{Answer, Instance, Problem};

/// A batch is made to take about this long: often enough for a progress bar, rarely enough for
/// a submission to cost nothing.
const BATCH: Duration = Duration::from_millis(50);

/// Everything that determines a run but the problem.
pub struct Config<'a> {
    /// What generations do.
    pub algorithm: &'a dyn Algorithm,
    /// How far propagation goes before the first generation.
    pub propagate: Level,
    /// Representation.
    pub pop: usize,
    /// Seed of all random numbers.
    pub seed: u64,
    /// When to give up.
    pub budget: Budget,
    /// Where to run.
    pub backend: Backend,
}

/// When to give up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// After this many generations.
    pub max_generations: u32,
    /// Or at the end of the generation in which so many evaluations are reached.
    pub max_evaluations: Option<u64>,
    /// Or after this time, at the end of a batch.
    pub time_limit: Option<Duration>,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Fitness calls an individual solved.
    Solved,
    /// All generations of the budget ran.
    Generations,
    /// All evaluations of the budget were made.
    Evaluations,
    /// The time was up.
    Time,
    /// The observer said so.
    Observer,
    /// The adapter failed for good.
    Fault,
}

/// How a run ended.
#[derive(Debug)]
pub struct Outcome {
    /// What ran it.
    pub engine: EngineInfo,
    /// Why it ended.
    pub stop: Stop,
    /// The last generation: the first with a solution, if there is one.
    pub generations: u32,
    /// Grids whose fitness was computed.
    pub evaluations: u64,
    /// Fitness of the best individual of the last generation.
    pub best_fitness: u32,
    /// The best individual of the last generation.
    pub best: Answer,
    /// The fitness of a solution: 0, unless none can be as good as that.
    pub goal: u32,
    /// Whether fitness and verifier both call it a solution.
    pub solved: bool,
    /// Whether propagation alone has found it: nothing was left for evolution.
    pub by_propagation: bool,
    /// Free cells that propagation has closed before the first generation.
    pub closed_by_propagation: usize,
    /// What each of its techniques has done.
    pub deductions: Deductions,
    /// Generations that improved the best of all before them.
    pub effective_generations: u32,
    /// The first generation in which the sums of an invalid grid were all right, if the
    /// objective is made of sums.
    pub false_zero: Option<u32>,
    /// What the adapter said, if it failed for good: the rest is as of the last copy of the population.
    pub fault: Option<Error>,
    /// Why the verifier does not, where fitness does: a fault of this program or of the device.
    pub rejected: Option<Violation>,
    /// Wall clock, from set-up of the engine to the verdict.
    pub seconds: f64,
    /// Digest of the last generation, see [`crate::population::Population::digest`].
    pub population_hash: u64,
}

impl Outcome {
    /// The verified solution.
    pub fn solution(&self) -> Option<&Answer> {
        self.solved.then_some(&self.best)
    }
}

/// Somebody who wants to know how a run goes, and may end it.
pub trait Observer {
    /// The engine is set up.
    fn started(&mut self, engine: &EngineInfo) {
        let _ = engine;
    }

    /// Some generations have run; the first call brings generation 0, or nothing new of a run that was
    /// taken up again.
    fn progress(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        let _ = progress;
        ControlFlow::Continue(())
    }

    /// How often the state of the run is to be handed over; never, if it is not wanted.
    fn checkpoint_every(&self) -> Option<Duration> {
        None
    }

    /// The state of the run: at its beginning, as often as it was asked for, and at its end.
    fn checkpoint(&mut self, state: &Arc<RunState>) -> ControlFlow<()> {
        let _ = state;
        ControlFlow::Continue(())
    }

    /// The adapter failed, and this is done about it; unless the observer wants an end, then the run ends
    /// with the best so far.
    fn fault(&mut self, error: &Error, remedy: Remedy) -> ControlFlow<()> {
        let _ = (error, remedy);
        ControlFlow::Continue(())
    }

    /// Whether records should tell how different the individuals are, which costs time.
    fn wants_diversity(&self) -> bool {
        false
    }
}

/// What is done when an adapter fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// The device is made anew, and the run goes on from the last copy of its population; from the
    /// beginning, if there is none yet.
    Rebuild {
        /// How often in a row.
        attempt: u32,
        /// The generation of the copy.
        generation: Option<u32>,
    },
    /// The run goes on with the native engine.
    Native,
    /// None: the run ends.
    Surrender,
}

/// How a run goes.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// The generations since the last call.
    pub records: &'a [Record],
    /// Evaluations from the beginning to the end of each of them.
    pub evaluations: &'a [u64],
    /// The operator that made them.
    pub operator: &'static str,
    /// Cells that evolution has to fill.
    pub free_cells: usize,
    /// Wall clock so far.
    pub elapsed: Duration,
}

/// Nobody looks.
impl Observer for () {}

/// Runs an algorithm on a problem until it is solved or the budget is spent.
///
/// ```
/// use gpusudoku::algo::{Settings, lsga};
/// use gpusudoku::controller::{Budget, Config, run};
/// use gpusudoku::engine::Backend;
/// use gpusudoku::problem::{Problem, sudoku::{builtin, propagate::Level}};
///
/// let problem = Problem::from(builtin::find("easy-1").unwrap().puzzle().clone());
/// let algorithm = Settings::new(&lsga::INFO).build();
/// let config = Config {
///     algorithm: &*algorithm,
///     propagate: Level::None,
///     pop: 150,
///     seed: 1,
///     budget: Budget { max_generations: 10_000, max_evaluations: None, time_limit: None },
///     backend: Backend::Cpu { threads: 1 },
/// };
/// let outcome = pollster::block_on(run(&problem, &config, &mut ())).unwrap();
/// assert!(outcome.solved);
/// ```
pub async fn run(
    problem: &Problem,
    config: &Config<'_>,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    run_loop::carry_out(problem, config, None, observer).await
}

/// Goes on with a run from where it was, to the end that it would have had: on either engine, with any
/// number of threads, on any machine. Problem, algorithm, propagation, population and seed have to be the
/// same; the budget may be another.
pub async fn resume(
    problem: &Problem,
    config: &Config<'_>,
    from: RunState,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    run_loop::carry_out(problem, config, Some(from), observer).await
}

/// The largest population that fits where a run would go, but no more than [`LARGEST_AUTOMATIC`].
pub async fn largest_population(problem: &Problem, config: &Config<'_>) -> Result<usize, Error> {
    let instance = reduce(problem, config)?;
    let setup = Setup {
        instance: &instance,
        representation: representation(config.algorithm, &instance)?,
        pop: LARGEST_AUTOMATIC,
        seed: config.seed,
        diversity: false,
    };
    Engine::largest_population(&config.backend, &setup).await
}

/// Whether a run like this would look for adapters. Of a problem only its size and kind matter, and of
/// grids not even the size.
pub fn looks_for_adapters(problem: &Problem, config: &Config<'_>) -> bool {
    let backend = |setup: &Setup<'_>| config.backend.fallbacks(setup).into_iter().next();
    let first = unreduced(problem, config, backend);
    first.is_ok_and(|backend| matches!(backend, Some(Backend::Gpu { .. })))
}

/// How many runs like this one leave half of the memory to others, up to so many; at least one.
pub fn most_at_once(problem: &Problem, config: &Config<'_>, most: usize) -> usize {
    let bytes = unreduced(problem, config, |setup| {
        Engine::memory(&config.backend, setup)
    });
    // Who cannot run at all needs nothing.
    let bytes = bytes.unwrap_or(0);
    let fits = |jobs: &usize| has_memory(bytes.saturating_mul(2 * jobs));
    (2..=most).rev().find(fits).unwrap_or(1)
}

/// What can be told of a run before propagation, which takes time.
fn unreduced<T>(
    problem: &Problem,
    config: &Config<'_>,
    tell: impl FnOnce(&Setup<'_>) -> T,
) -> Result<T, Error> {
    let instance = problem.reduce(Level::None)?;
    Ok(tell(&Setup {
        instance: &instance,
        representation: representation(config.algorithm, &instance)?,
        pop: config.pop,
        seed: config.seed,
        diversity: false,
    }))
}

/// The largest population that is taken unless somebody asks for more.
pub const LARGEST_AUTOMATIC: usize = 1_000_000;

/// What propagation leaves of the problem. Only probing is work for threads, and it has as many as the
/// native engine may have.
fn reduce(problem: &Problem, config: &Config<'_>) -> Result<Instance, Error> {
    let threads = match config.backend {
        Backend::Auto { threads } | Backend::Cpu { threads } => threads,
        Backend::Gpu { .. } => 0,
    };
    let level = config.propagate;
    let work = || problem.reduce(level);
    let are_here = rayon::current_thread_index().is_some()
        && rayon::current_num_threads() == threads_for(threads);
    let pool = (level == Level::Probing && !are_here)
        .then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build());
    let instance = match pool {
        Some(Ok(pool)) => pool.install(work),
        // A browser has no threads, and needs none.
        Some(Err(_)) | None => work(),
    };
    Ok(instance?)
}

/// What the individuals of an algorithm are, if it is for such a problem.
fn representation(algorithm: &dyn Algorithm, instance: &Instance) -> Result<Representation, Error> {
    let representation = algorithm
        .representation(instance)
        .ok_or(Error::NotForQueens)?;
    let by_attacks = representation.objective == Objective::Attacks;
    if instance.goal() > 0 && !by_attacks {
        return Err(Error::UnknownOptimum {
            goal: instance.goal(),
        });
    }
    Ok(representation)
}

/// Evaluations from the beginning to the end of each generation, if so many were made up to one.
fn count(plan: &Plan, pop: usize, up_to: (Record, u64), records: &[Record]) -> Vec<u64> {
    let (mut before, mut spent) = up_to;
    let mut add = |record: &Record| {
        let ran = record.generation - before.generation;
        let learning = u64::from(record.reinitialised - before.reinitialised);
        let made = plan.evaluations(pop, ran, slice::from_ref(record)) + learning;
        spent = spent.saturating_add(made);
        before = *record;
        spent
    };
    records.iter().map(&mut add).collect()
}

/// The best of a population, and what the verifier has to say if fitness or a survey call it solved.
struct Verdict {
    fitness: u32,
    best: Answer,
    solved: bool,
    violation: Option<Violation>,
}

fn judge(
    problem: &Problem,
    goal: u32,
    claimed: bool,
    population: &Population,
) -> Result<Verdict, GridError> {
    let (fitness, at) = population.best().expect("engines refuse empty populations");
    let best = population.answer(at)?;
    let claimed = claimed || fitness <= goal;
    let violation = match claimed {
        true => verify_answer(problem, &best).err(),
        false => None,
    };
    Ok(Verdict {
        fitness,
        best,
        solved: claimed && violation.is_none(),
        violation,
    })
}

fn last_of(records: &[Record]) -> Record {
    *records
        .last()
        .expect("engines return at least one record until a run is solved")
}

/// Grows or shrinks a batch towards [`BATCH`], at most fourfold at a time.
fn next_batch(batch: u32, took: Duration) -> u32 {
    let ideal = f64::from(batch) * BATCH.as_secs_f64() / took.as_secs_f64().max(1e-6);
    (ideal as u32)
        .clamp(1, batch.saturating_mul(4))
        .min(1 << 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::{Settings, hgasa, lsga, memetic, min_conflicts};
    use crate::engine::gpu::adapter::AdapterChoice;
    use crate::problem::sudoku::builtin;
    use crate::problem::{Queens, Surface};

    /// What a kernel that lies would leave behind.
    #[test]
    fn a_lie_of_fitness_is_found_out() {
        let known = builtin::find("easy-1").unwrap();
        let puzzle = known.puzzle();
        let problem = &Problem::from(puzzle.clone());
        let mut population = Population::zeroed(puzzle.geometry(), 3);
        population.split_mut().2.copy_from_slice(&[5, 0, 0]);
        let digits = known.solution().cells().iter().map(|digit| digit - 1);
        population
            .cells_mut(1)
            .copy_from_slice(&digits.collect::<Vec<_>>());
        let honest = judge(problem, 0, false, &population).unwrap();
        assert_eq!(honest.fitness, 0);
        assert_eq!(honest.violation, None);

        population.cells_mut(1).swap(3, 4);
        let lie = judge(problem, 0, false, &population).unwrap();
        assert!(
            matches!(lie.violation, Some(Violation::House { .. })),
            "{:?}",
            lie.violation
        );

        // A survey that lies is found out as well.
        population.split_mut().2.copy_from_slice(&[5, 4, 6]);
        let lie = judge(problem, 0, true, &population).unwrap();
        assert!(lie.violation.is_some() && !lie.solved);
        let honest = judge(problem, 0, false, &population).unwrap();
        assert!(honest.violation.is_none() && !honest.solved);

        population.cells_mut(1)[0] = 200;
        assert!(judge(problem, 0, false, &population).is_err());
    }

    fn config(algorithm: &dyn Algorithm, pop: usize, backend: Backend) -> Config<'_> {
        Config {
            algorithm,
            propagate: Level::Probing,
            pop,
            seed: 1,
            budget: Budget {
                max_generations: 1,
                max_evaluations: None,
                time_limit: None,
            },
            backend,
        }
    }

    #[test]
    fn as_many_runs_go_at_once_as_memory_holds() {
        let queens = Problem::from(Queens::new(1 << 24, Surface::Board).unwrap());
        let algorithm = Settings::new(&min_conflicts::INFO).build();
        let native = Backend::Cpu { threads: 1 };
        // Nobody has as much memory as that.
        let large = config(&*algorithm, Engine::MAX_POP, native.clone());
        assert_eq!(most_at_once(&queens, &large, 8), 1);
        let small = Problem::from(builtin::find("easy-1").unwrap().puzzle().clone());
        let config = config(&*algorithm, 4, native);
        for jobs in [1, 2, 7] {
            assert_eq!(most_at_once(&small, &config, jobs), jobs);
        }
    }

    #[test]
    fn adapters_are_looked_for_only_where_one_would_be_taken() {
        let grid = Problem::from(builtin::find("easy-1").unwrap().puzzle().clone());
        let board = |size| Problem::from(Queens::new(size, Surface::Board).unwrap());
        let looks = |info, problem: &Problem, pop, backend: Backend| {
            let algorithm = Settings::new(info).build();
            looks_for_adapters(problem, &config(&*algorithm, pop, backend))
        };
        let auto = || Backend::Auto { threads: 0 };
        assert!(!looks(&memetic::INFO, &grid, 4, auto()));
        assert!(looks(&memetic::INFO, &grid, 256, auto()));
        assert!(looks(&lsga::INFO, &grid, 4, auto()));
        assert!(looks(&hgasa::INFO, &board(548), 4, auto()));
        assert!(!looks(&hgasa::INFO, &board(10_000), 4, auto()));
        let gpu = Backend::Gpu {
            adapter: AdapterChoice::Best,
            mapping: None,
        };
        assert!(looks(&memetic::INFO, &grid, 4, gpu));
        assert!(!looks(&lsga::INFO, &grid, 4, Backend::Cpu { threads: 0 }));
    }

    #[test]
    fn batches_settle_at_the_wanted_time() {
        let mut batch = 1;
        for _ in 0..20 {
            batch = next_batch(batch, Duration::from_micros(100) * batch);
        }
        assert_eq!(batch, 500);
        assert_eq!(next_batch(1, Duration::from_secs(9)), 1);
        assert_eq!(next_batch(4, Duration::ZERO), 16);
    }
}
