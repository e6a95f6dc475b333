//! The run: budgets, batches, stopping, and the check of what is claimed.
//!
//! The controller lets propagation reduce the problem, begins a run of the algorithm and has an
//! engine carry out its stages in batches of generations. It knows nothing of kernels, and its
//! batches change nothing but the time at which news arrive.

mod batch;
mod contest;
mod dissection;
mod preparation;
mod recovery;
mod run_log;
mod run_loop;
mod run_state;
mod verdict;

use std::future::{self, Future};
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

pub use self::contest::Measured;
pub use self::dissection::{Dissection, Step};
pub use self::preparation::{
    LARGEST_AUTOMATIC, largest_population, looks_for_adapters, most_at_once,
};
pub use self::run_state::{RunState, RunTotals};
use crate::algo::{Algorithm, Info};
use crate::engine::snapshot::Champion;
use crate::engine::{Backend, EngineInfo};
use crate::error::Error;
use crate::population::{Population, Record};
use crate::problem::sudoku::propagate::{Deductions, Level};
use crate::problem::verify::Violation;
use crate::problem::{Answer, Problem};

/// Everything that determines a run but the problem.
pub struct Config<'a> {
    /// What generations do.
    pub algorithm: &'a dyn Algorithm,
    /// How far propagation goes before the first generation.
    pub propagate: Level,
    /// Individuals.
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

impl Budget {
    /// What an algorithm's publication spends.
    pub fn of(info: &Info) -> Self {
        Self {
            max_generations: info.max_generations,
            max_evaluations: None,
            time_limit: None,
        }
    }
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
    /// What ran it, at last.
    pub engine: EngineInfo,
    /// How much faster that was than the other engine, if there was a choice and the run long enough for a trial.
    pub measured: Option<Measured>,
    /// Why it ended.
    pub stop: Stop,
    /// The last generation: the first with a solution, if there is one.
    pub generations: u32,
    /// Grids whose fitness was computed.
    pub evaluations: u64,
    /// Fitness of the best individual of the run.
    pub best_fitness: u32,
    /// The best individual of the run.
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

    /// A trial is over, and the run goes on with the faster engine.
    fn measured(&mut self, engine: &EngineInfo, measured: &Measured) {
        let _ = (engine, measured);
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

    /// Whether the population of this moment is wanted; asked after [`Observer::progress`]. A device has to be asked
    /// for it, which takes time.
    fn wants_view(&self, moment: Moment) -> bool {
        let _ = moment;
        false
    }

    /// The population that was wanted.
    fn view(&mut self, view: &View<'_>) {
        let _ = view;
    }

    /// The individual whose way through the next generation is wanted. If there is one, one generation is run.
    fn wants_dissection(&self) -> Option<usize> {
        None
    }

    /// What the steps of an operator have made of that individual.
    fn dissection(&mut self, dissection: &Dissection) {
        let _ = dissection;
    }

    /// How many generations may run before this is asked again, at the most, or that the run is to end. The run
    /// pauses until the answer is there, and its clock with it.
    fn leave(&mut self) -> Leave<'_> {
        Box::pin(future::ready(ControlFlow::Continue(u32::MAX)))
    }
}

/// An answer to [`Observer::leave`], now or later.
pub type Leave<'a> = Pin<Box<dyn Future<Output = ControlFlow<(), u32>> + 'a>>;

/// Where between two batches a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The last generation.
    pub generation: u32,
    /// Whether no other one follows.
    pub ended: bool,
}

/// A population between two batches.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Where the run is.
    pub moment: Moment,
    /// The last generation.
    pub population: &'a Population,
    /// The best individual of the run so far.
    pub champion: Option<&'a Champion>,
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
    /// The run goes on from the last copy with the other places that share its population.
    Others,
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
    recovery::carry_out(problem, config, None, observer).await
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
    recovery::carry_out(problem, config, Some(from), observer).await
}
