//! The work that is metered: kernels at sizes, with populations that an algorithm has bred before.

use gpusudoku::algo::{AlgorithmState, Feedback, Task};
use gpusudoku::engine::gpu::adapter::AdapterInfo;
use gpusudoku::engine::gpu::capture::{self, Capture, Target};
use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::engine::snapshot::Snapshot;
use gpusudoku::engine::{Backend, Engine, Setup};
use gpusudoku::error::Error;
use gpusudoku::lab::bench::{SIZES, puzzle};
use gpusudoku::lab::experiment::Contender;
use gpusudoku::observation::{DigitBalance, Observation};
use gpusudoku::plan::Plan;
use gpusudoku::population::{Population, Record};
use gpusudoku::problem::{Instance, Queens, Surface};
use pollster::block_on;

/// Some work.
#[derive(Debug, Clone)]
pub struct Work {
    /// The algorithm, with settings that bring short runs to the stage that is meant.
    pub algo: String,
    /// The part of it.
    pub moment: Moment,
    /// Whether there are queens on a board, and no grid.
    pub queens: bool,
    /// The size of the grid, or how many queens there are.
    pub size: usize,
    /// Individuals.
    pub pop: usize,
    /// Generations that are left behind.
    pub before: u32,
}

/// Who chooses how individuals are mapped to threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// `auto`, for the population that there is.
    Auto,
    /// `auto`, as if there were more individuals than it has a rule for.
    AutoForMany,
    /// Whoever asked for this one.
    Fixed(Mapping),
}

impl Choice {
    /// All of them, those of `auto` first.
    pub fn all() -> impl Iterator<Item = Self> {
        let fixed = Mapping::ALL.into_iter().map(Self::Fixed);
        [Self::Auto, Self::AutoForMany].into_iter().chain(fixed)
    }

    /// Whether it is what users get who ask for nothing.
    pub fn is_automatic(self) -> bool {
        !matches!(self, Self::Fixed(_))
    }

    /// Where kernels are to run, chosen so.
    pub fn target(self, adapter: &AdapterInfo) -> Target<'_> {
        Target {
            adapter,
            mapping: match self {
                Self::Fixed(mapping) => Some(mapping),
                _ => None,
            },
            chosen_for: (self == Self::AutoForMany).then_some(usize::MAX),
        }
    }
}

/// A part of an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The initial population.
    Start,
    /// A generation, or those that always run together.
    Generation,
    /// The evaluation of a population.
    Evaluation,
    /// The counts of digits that the algorithm asks for.
    Observation,
}

/// Kernels, with the algorithm and the part of it that launches them: individuals and generations before are those of a
/// kernel that is metered on its own.
pub const KERNELS: &[(&str, &str, Moment, usize, u32)] = &[
    ("grids/breed_rows", "lsga", Moment::Generation, 64, 30),
    ("grids/elite", "lsga", Moment::Generation, 64, 30),
    ("common/survey", "lsga", Moment::Generation, 64, 30),
    ("common/diversity", "lsga", Moment::Generation, 64, 30),
    ("grids/evaluate", "lsga", Moment::Evaluation, 64, 30),
    ("grids/initialise", "lsga", Moment::Start, 64, 0),
    ("grids/sample", "nb-coin", Moment::Generation, 64, 10),
    (
        "common/rank_boundaries",
        "nb-coin",
        Moment::Observation,
        64,
        10,
    ),
    (
        "grids/digit_balance",
        "nb-coin",
        Moment::Observation,
        64,
        10,
    ),
    ("grids/breed_blocks", "ga", Moment::Generation, 64, 20),
    (
        "grids/islands",
        "gpu-ga:island=16:epoch=10",
        Moment::Generation,
        64,
        20,
    ),
    ("grids/improvise", "hs", Moment::Generation, 64, 10),
    ("grids/rank_harmonies", "hs", Moment::Generation, 64, 10),
    ("grids/replace_worst", "hs", Moment::Generation, 64, 10),
    (
        "grids/pollinate",
        "fpchs:improvisations=0",
        Moment::Generation,
        64,
        10,
    ),
    ("permutations/recombine", "cga", Moment::Generation, 64, 10),
    (
        "permutations/particle_swarm",
        "hpsoga",
        Moment::Generation,
        64,
        10,
    ),
    (
        "permutations/gravitational_search",
        "hgsaga",
        Moment::Generation,
        64,
        2,
    ),
    (
        "permutations/rank_population",
        "hgsaga",
        Moment::Generation,
        64,
        2,
    ),
    (
        "permutations/anneal",
        "hgasa:stagnation=1",
        Moment::Generation,
        64,
        20,
    ),
    (
        "permutations/min_conflicts",
        "min-conflicts",
        Moment::Generation,
        16,
        10,
    ),
    (
        "permutations/evaluate_permutations",
        "cga",
        Moment::Evaluation,
        64,
        10,
    ),
    (
        "colourings/tabu",
        "tabu:moves=500",
        Moment::Generation,
        4,
        4,
    ),
    ("colourings/packing", "packing", Moment::Generation, 32, 4),
    (
        "colourings/evaluate_colourings",
        "tabu:moves=500",
        Moment::Evaluation,
        64,
        4,
    ),
];

/// The work that launches a kernel at a size.
pub fn work_of(kernel: &str, size: usize) -> Result<Work, String> {
    let is_wanted = |(name, ..): &&(&str, &str, Moment, usize, u32)| {
        *name == kernel || name.rsplit('/').next() == Some(kernel)
    };
    let found = KERNELS.iter().find(is_wanted);
    let &(_, algo, moment, pop, before) = found.ok_or_else(|| {
        let names: Vec<_> = KERNELS.iter().map(|(name, ..)| *name).collect();
        format!(
            "there is no kernel {kernel}; there are {}",
            names.join(", ")
        )
    })?;
    Ok(Work {
        algo: algo.to_owned(),
        moment,
        queens: kernel.ends_with("queens") || kernel.ends_with("evaluate_permutations"),
        size,
        pop,
        before,
    })
}

/// Everything that is metered: algorithms with parts of them, sizes of grids (or of boards), individuals and generations
/// before. Where `auto` may map large populations in another way, there is one of these.
const ALL: &[(&str, Moment, bool, &[usize], usize, u32)] = &[
    ("lsga", Moment::Start, false, &[9], 64, 0),
    ("lsga", Moment::Generation, false, &[9, 16, 25], 64, 30),
    ("lsga", Moment::Generation, false, &[49], 16, 6),
    ("lsga", Moment::Evaluation, false, &[9, 16, 25, 49], 64, 6),
    ("nb-coin", Moment::Generation, false, &[9, 16, 25], 64, 10),
    ("nb-coin", Moment::Observation, false, &[9], 64, 10),
    ("ga", Moment::Generation, false, &[9, 16, 25], 64, 20),
    (
        "gpu-ga:island=16:epoch=10",
        Moment::Generation,
        false,
        &[9],
        64,
        20,
    ),
    ("hs", Moment::Generation, false, &[9, 16, 25], 64, 10),
    (
        "fpchs:improvisations=0",
        Moment::Generation,
        false,
        &[9, 16, 25],
        64,
        10,
    ),
    ("cga", Moment::Start, true, &[64], 64, 0),
    ("cga", Moment::Generation, false, &[9], 64, 10),
    ("cga", Moment::Evaluation, true, &[64], 64, 10),
    ("hpsoga", Moment::Generation, false, &[9], 64, 10),
    ("hgsaga", Moment::Generation, false, &[9], 64, 2),
    (
        "hgasa:stagnation=1",
        Moment::Generation,
        false,
        &[9],
        64,
        20,
    ),
    ("min-conflicts", Moment::Generation, false, &[9], 16, 10),
    (
        "tabu:moves=500",
        Moment::Generation,
        false,
        &[25, 49],
        4,
        30,
    ),
    ("tabu:moves=500", Moment::Evaluation, false, &[25], 16, 4),
    ("packing", Moment::Generation, false, &[25], 32, 4),
];

/// All work.
pub fn all() -> Vec<Work> {
    let mut works = Vec::new();
    for &(algo, moment, queens, sizes, pop, before) in ALL {
        works.extend(sizes.iter().map(|&size| Work {
            algo: algo.to_owned(),
            moment,
            queens,
            size,
            pop,
            before,
        }));
    }
    works
}

/// What kernels are to do, and what the native engine makes of it.
pub struct Prepared {
    /// The launches.
    pub capture: Capture,
    /// What the native engine made.
    pub expected: Expected,
    /// Individuals and generations, or moves or steps of a search.
    pub units: u64,
    /// What a unit is.
    pub unit: &'static str,
}

/// What the native engine made.
pub enum Expected {
    /// Everything that a run goes on from.
    Snapshot(Box<Snapshot>),
    /// The fitness of a population.
    Fitness(Vec<u32>),
    /// Counts of digits.
    Balance(DigitBalance),
}

/// Where expectations come from.
pub const NATIVE: Backend = Backend::Cpu { threads: 1 };

impl Work {
    /// What it is about.
    pub fn problem(&self) -> String {
        match self.queens {
            true => format!("queens:{}", self.size),
            false => format!("{0}x{0}", self.size),
        }
    }

    fn instance(&self) -> Result<Instance, String> {
        match self.queens {
            true => {
                let queens = Queens::new(self.size, Surface::Board);
                queens
                    .map(Instance::Queens)
                    .map_err(|error| error.to_string())
            }
            false if SIZES.contains(&self.size) => Ok(puzzle(self.size)),
            false => Err(format!(
                "there is no puzzle of size {}; there are {SIZES:?}",
                self.size
            )),
        }
    }

    /// Has the native engine breed the population, captures the launches, and has it do their work.
    pub fn prepare(
        &self,
        adapter: &AdapterInfo,
        choice: Choice,
        diversity: bool,
    ) -> Result<Prepared, String> {
        let told = |error: Error| error.to_string();
        let contender = Contender::parse(&self.algo, Some(self.pop)).map_err(told)?;
        let algorithm = contender.settings.build();
        let instance = self.instance()?;
        let representation = algorithm.representation(&instance);
        let none = || format!("{} does not work on such grids", self.algo);
        let setup = Setup {
            representation: representation.ok_or_else(none)?,
            diversity,
            ..Setup::rows(&instance, self.pop, 1)
        };
        let target = choice.target(adapter);
        let mut engine = block_on(Engine::new(&NATIVE, &setup)).map_err(told)?;
        let mut state = algorithm.begin(&Task {
            instance: &instance,
            pop: self.pop,
            seed: 1,
        });
        let start = state.start();
        let record = block_on(engine.initialise(&start)).map_err(told)?;
        let individuals = (self.pop as u64, "individual");
        let prepared = |capture: Result<Capture, Error>, expected| {
            Ok(Prepared {
                capture: capture.map_err(told)?,
                expected,
                units: individuals.0,
                unit: individuals.1,
            })
        };
        if self.moment == Moment::Start {
            let made = block_on(engine.snapshot()).map_err(told)?;
            let expected = Expected::Snapshot(Box::new(made));
            return prepared(capture::initial(&setup, target, &start), expected);
        }
        let observed = block_on(engine.observe(state.observation())).map_err(told)?;
        state.observe(&Feedback {
            records: &[record],
            observed: &observed,
        });
        let mut left = self.before;
        while left > 0 {
            let now = state.stage().plan.stride().min(left);
            advance(&mut engine, &mut *state, now).map_err(told)?;
            left -= now;
        }
        match self.moment {
            Moment::Start | Moment::Generation => {
                generation(&mut engine, &mut *state, &setup, target).map_err(told)
            }
            Moment::Evaluation => {
                let population = block_on(engine.population()).map_err(told)?.into_owned();
                let expected = Expected::Fitness(population.fitness().to_vec());
                prepared(capture::evaluation(&setup, target, &population), expected)
            }
            Moment::Observation => {
                let population = block_on(engine.population()).map_err(told)?.into_owned();
                let prepared = observation(state.observation(), &population, &setup, target);
                prepared
                    .ok_or_else(|| format!("{} counts nothing", self.algo))?
                    .map_err(told)
            }
        }
    }
}

/// Runs so many generations, and tells the algorithm of them.
fn advance(
    engine: &mut Engine,
    state: &mut dyn AlgorithmState,
    generations: u32,
) -> Result<Vec<Record>, Error> {
    let records = block_on(engine.advance(&state.stage().plan, generations))?;
    let observed = block_on(engine.observe(state.observation()))?;
    state.observe(&Feedback {
        records: &records,
        observed: &observed,
    });
    Ok(records)
}

/// The next generation of a run, or those that always run together. The native engine has made them afterwards.
pub fn generation(
    engine: &mut Engine,
    state: &mut dyn AlgorithmState,
    setup: &Setup<'_>,
    target: Target<'_>,
) -> Result<Prepared, Error> {
    let plan: Plan = state.stage().plan;
    let from = block_on(engine.snapshot())?;
    let capture = capture::generation(setup, target, &from, &plan)?;
    let stride = plan.stride() - from.record.generation % plan.stride();
    let records = advance(engine, state, stride)?;
    let (units, unit) = match plan.vary.operator().counts_moves() {
        true => (records.iter().map(|record| record.swaps()).sum(), "move"),
        false => (setup.pop as u64 * u64::from(stride), "individual"),
    };
    Ok(Prepared {
        capture,
        expected: Expected::Snapshot(Box::new(block_on(engine.snapshot())?)),
        units,
        unit,
    })
}

/// The counts of a population that an algorithm asks for; nothing if it does not.
pub fn observation(
    wanted: Observation,
    population: &Population,
    setup: &Setup<'_>,
    target: Target<'_>,
) -> Option<Result<Prepared, Error>> {
    let Observation::DigitBalance { best, worst } = wanted else {
        return None;
    };
    let capture = capture::observation(setup, target, population, [best, worst]);
    Some(capture.map(|capture| Prepared {
        capture,
        expected: Expected::Balance(DigitBalance::new(population, best, worst)),
        units: setup.pop as u64,
        unit: "individual",
    }))
}

impl Prepared {
    /// What is wrong with the words that emulated kernels have left; nothing if every bit is right.
    pub fn mistake(&self, buffers: &[Vec<u32>]) -> Option<String> {
        let parts = match &self.expected {
            Expected::Fitness(wanted) => {
                let population = self.capture.population(buffers, 0);
                vec![("fitness", population.fitness() != wanted)]
            }
            Expected::Balance(wanted) => {
                vec![("counts of digits", self.capture.balance(buffers) != *wanted)]
            }
            Expected::Snapshot(wanted) => {
                let made = self.capture.snapshot(buffers);
                vec![
                    ("population", made.population != wanted.population),
                    ("record", made.record != wanted.record),
                    ("best individual", made.champion != wanted.champion),
                    ("auxiliary buffer", made.auxiliary != wanted.auxiliary),
                ]
            }
        };
        let wrong = parts.iter().filter(|(_, wrong)| *wrong);
        let names: Vec<_> = wrong.map(|(name, _)| *name).collect();
        (!names.is_empty()).then(|| format!("wrong: {}", names.join(", ")))
    }
}
