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
use gpusudoku::plan::Plan;
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

/// A part of an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The initial population.
    Start,
    /// A generation, or those that always run together.
    Generation,
    /// The evaluation of a population.
    Evaluation,
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
    ("ga", Moment::Generation, false, &[9, 25], 64, 20),
    (
        "gpu-ga:island=16:epoch=10",
        Moment::Generation,
        false,
        &[9],
        64,
        20,
    ),
    ("hs", Moment::Generation, false, &[9], 64, 10),
    (
        "fpchs:improvisations=0",
        Moment::Generation,
        false,
        &[9],
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
    /// What the native engine made; of an evaluation only the population means something.
    pub expected: Snapshot,
    /// The part of the algorithm.
    pub moment: Moment,
    /// Individuals and generations, or moves or steps of a search.
    pub units: u64,
    /// What a unit is.
    pub unit: &'static str,
}

const NATIVE: Backend = Backend::Cpu { threads: 1 };

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
        mapping: Option<Mapping>,
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
        let target = Target { adapter, mapping };
        let mut engine = block_on(Engine::new(&NATIVE, &setup)).map_err(told)?;
        let mut state = algorithm.begin(&Task {
            instance: &instance,
            pop: self.pop,
            seed: 1,
        });
        let start = state.start();
        let record = block_on(engine.initialise(&start)).map_err(told)?;
        let individuals = (self.pop as u64, "individual");
        if self.moment == Moment::Start {
            return Ok(Prepared {
                capture: capture::initial(&setup, target, &start).map_err(told)?,
                expected: block_on(engine.snapshot()).map_err(told)?,
                moment: self.moment,
                units: individuals.0,
                unit: individuals.1,
            });
        }
        let observed = block_on(engine.observe(state.observation())).map_err(told)?;
        state.observe(&Feedback {
            records: &[record],
            observed: &observed,
        });
        advance(&mut engine, &mut *state, self.before).map_err(told)?;
        let from = block_on(engine.snapshot()).map_err(told)?;
        if self.moment == Moment::Evaluation {
            let capture = capture::evaluation(&setup, target, &from.population);
            return Ok(Prepared {
                capture: capture.map_err(told)?,
                expected: from,
                moment: self.moment,
                units: individuals.0,
                unit: individuals.1,
            });
        }
        let plan: Plan = state.stage().plan;
        let capture = capture::generation(&setup, target, &from, &plan).map_err(told)?;
        let stride = plan.stride() - from.record.generation % plan.stride();
        let records = block_on(engine.advance(&plan, stride)).map_err(told)?;
        let (units, unit) = match plan.vary.operator().counts_moves() {
            true => (records.iter().map(|record| record.swaps()).sum(), "move"),
            false => (individuals.0 * u64::from(stride), individuals.1),
        };
        Ok(Prepared {
            capture,
            expected: block_on(engine.snapshot()).map_err(told)?,
            moment: self.moment,
            units,
            unit,
        })
    }
}

/// Runs so many generations.
fn advance(
    engine: &mut Engine,
    state: &mut dyn AlgorithmState,
    generations: u32,
) -> Result<(), Error> {
    let mut left = generations;
    while left > 0 {
        let plan = state.stage().plan;
        let now = plan.stride().min(left);
        let records = block_on(engine.advance(&plan, now))?;
        let observed = block_on(engine.observe(state.observation()))?;
        state.observe(&Feedback {
            records: &records,
            observed: &observed,
        });
        left -= now;
    }
    Ok(())
}

impl Prepared {
    /// What is wrong with the words that emulated kernels have left; nothing if every bit is right.
    pub fn mistake(&self, buffers: &[Vec<u32>]) -> Option<String> {
        if self.moment == Moment::Evaluation {
            let population = self.capture.population(buffers, 0);
            let wrong = population.fitness() != self.expected.population.fitness();
            return wrong.then(|| "the fitness is wrong".to_owned());
        }
        let made = self.capture.snapshot(buffers);
        let wanted = &self.expected;
        let parts = [
            ("population", made.population != wanted.population),
            ("record", made.record != wanted.record),
            ("best individual", made.champion != wanted.champion),
            ("auxiliary buffer", made.auxiliary != wanted.auxiliary),
        ];
        let wrong: Vec<_> = parts.iter().filter(|(_, wrong)| *wrong).collect();
        let names: Vec<_> = wrong.iter().map(|(name, _)| *name).collect();
        (!names.is_empty()).then(|| format!("wrong: {}", names.join(", ")))
    }
}
