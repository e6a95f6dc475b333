//! The native engine: every kernel's twin in Rust, individuals spread over threads.
//!
//! Nothing is allocated in the loop over individuals.

mod breed;
mod breed_blocks;
mod diversity;
mod elite;
mod evaluate;
mod improvise;
mod initialise;
mod islands;
mod machine;
mod pollinate;
mod replace_worst;
mod sample;
mod shared;
mod survey;

use self::elite::Queue;
use self::islands::Emigrants;
use self::machine::{Kernels, kernels_for};
use super::tables::Tables;
use super::{Setup, best_at};
use crate::error::Error;
use crate::plan::{Elite, Individuals, Learn, Plan, Start, Vary};
use crate::population::{Population, Record};
use crate::rng::Key;

/// The native engine.
pub struct CpuEngine {
    seed: u64,
    threads: usize,
    pool: Option<rayon::ThreadPool>,
    kernels: Box<dyn Kernels>,
    individuals: Individuals,
    diversity: bool,
    /// This generation, and the buffer for the next.
    population: Population,
    next: Population,
    aside: Aside,
    record: Record,
}

/// Individuals outside of the population. There is room for one kind, as on the GPU: who needs
/// another finds it empty.
enum Aside {
    Nobody,
    /// Elites that teach.
    Elites(Queue),
    /// Improvisations that want a place in the memory.
    Harmonies(Population),
    /// The best of each island.
    Emigrants(Emigrants),
}

impl Aside {
    fn elites(&mut self, like: &Population, size: u32) -> &mut Queue {
        if !matches!(self, Self::Elites(queue) if queue.size() == size) {
            *self = Self::Elites(Queue::new(like, size));
        }
        match self {
            Self::Elites(queue) => queue,
            _ => unreachable!("made above"),
        }
    }

    fn harmonies(&mut self, like: &Population, batch: usize) -> &mut Population {
        if !matches!(self, Self::Harmonies(harmonies) if harmonies.len() == batch) {
            *self = Self::Harmonies(Population::zeroed(like.geometry(), batch));
        }
        match self {
            Self::Harmonies(harmonies) => harmonies,
            _ => unreachable!("made above"),
        }
    }

    fn emigrants(&mut self) -> &mut Emigrants {
        if !matches!(self, Self::Emigrants(_)) {
            *self = Self::Emigrants(Emigrants::default());
        }
        match self {
            Self::Emigrants(emigrants) => emigrants,
            _ => unreachable!("made above"),
        }
    }
}

/// What a kernel has made of an individual besides its cells.
#[derive(Debug, Clone, Copy)]
struct Made {
    fitness: u32,
    /// Swaps of its local search.
    swaps: u32,
}

impl Made {
    fn new(fitness: u32) -> Self {
        Self { fitness, swaps: 0 }
    }
}

impl CpuEngine {
    /// An engine with so many threads; 0 takes one a core.
    pub fn new(setup: &Setup<'_>, threads: usize) -> Result<Self, Error> {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let pool = (threads > 1)
            .then(|| {
                rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .map_err(|error| Error::Threads(error.to_string()))
            })
            .transpose()?;
        let tables = Tables::new(setup.reduction, setup.individuals);
        let population = Population::zeroed(tables.geometry(), setup.pop);
        Ok(Self {
            seed: setup.seed,
            threads,
            pool,
            kernels: kernels_for(&tables, threads),
            individuals: setup.individuals,
            diversity: setup.diversity,
            next: population.clone(),
            population,
            aside: Aside::Nobody,
            record: Record::default(),
        })
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// What the individuals are.
    pub fn individuals(&self) -> Individuals {
        self.individuals
    }

    /// Makes the initial population, generation 0.
    pub fn initialise(&mut self, start: &Start) -> Record {
        let key = Key::new(self.seed, 0);
        self.aside = Aside::Nobody;
        let (kernels, population) = (&mut self.kernels, &mut self.population);
        in_pool(&self.pool, || match start {
            Start::Fresh => kernels.initialise(key, population),
            Start::Sample(sample) => kernels.sample(sample, key, population),
        });
        self.survey(0, 0);
        self.record
    }

    /// Runs generations until one is solved, at most so many.
    pub fn advance(&mut self, plan: &Plan, generations: u32) -> Vec<Record> {
        let mut records = Vec::new();
        let last = self.record.generation + generations;
        while self.record.generation < last && !self.record.solved() {
            let first = self.record.generation + 1;
            // Epochs end at multiples of their length, wherever this one began.
            let stride = plan.stride() - self.record.generation % plan.stride();
            let generation = last.min(self.record.generation + stride);
            let swaps = self.vary(&plan.vary, first, generation);
            self.survey(generation, swaps);
            if let (Some(Learn::Elite(elite)), false) = (&plan.learn, self.record.solved()) {
                self.learn(elite, Key::new(self.seed, generation));
            }
            records.push(self.record);
        }
        records
    }

    /// Runs the varying kernel for these generations; how many swaps its local search made.
    fn vary(&mut self, vary: &Vary, first: u32, generation: u32) -> u64 {
        let key = Key::new(self.seed, first);
        let best_at = self.record.best_at;
        let (kernels, aside) = (&mut self.kernels, &mut self.aside);
        let (old, new) = (&mut self.population, &mut self.next);
        let swaps = in_pool(&self.pool, || match vary {
            Vary::Breed(breed) => kernels.breed(breed, key, old, new),
            Vary::BreedBlocks(breed) => kernels.breed_blocks(breed, key, old, new),
            Vary::Islands(islands) => {
                let emigrants = aside.emigrants();
                kernels.islands(islands, self.seed, first..=generation, old, new, emigrants)
            }
            Vary::Sample(sample) => {
                kernels.sample(sample, key, new);
                0
            }
            Vary::Improvise(improvise) => {
                let harmonies = aside.harmonies(old, improvise.batch as usize);
                kernels.improvise(improvise, key, first, old, harmonies);
                replace_worst::replace_worst(improvise, harmonies, old, new);
                0
            }
            Vary::Pollinate(pollinate) => {
                kernels.pollinate(pollinate, key, best_at, old, new);
                0
            }
        });
        std::mem::swap(&mut self.population, &mut self.next);
        swaps
    }

    fn survey(&mut self, generation: u32, swaps: u64) {
        let reinitialised = match generation {
            0 => 0,
            _ => self.record.reinitialised,
        };
        let population = &self.population;
        self.record = survey::survey(generation, reinitialised, swaps, population.fitness());
        if self.diversity {
            let threads = self.threads;
            let differences = in_pool(&self.pool, || diversity::differences(population, threads));
            self.record.differences_low = differences as u32;
            self.record.differences_high = (differences >> 32) as u32;
        }
    }

    fn learn(&mut self, elite: &Elite, key: Key) {
        let queue = self.aside.elites(&self.population, elite.size);
        let (record, population) = (&mut self.record, &mut self.population);
        let again = self.kernels.elite(elite, key, record, queue, population);
        record.reinitialised += u32::from(again);
        if population.fitness()[record.worst_at as usize] == 0 {
            (record.best, record.best_at) = (0, record.worst_at);
        }
    }

    /// Evaluates the current population anew.
    pub fn evaluate(&mut self) {
        let (kernels, population) = (&mut self.kernels, &mut self.population);
        in_pool(&self.pool, || kernels.evaluate(population));
    }

    /// Puts another population in place of the current one.
    ///
    /// # Panics
    /// If it has another size or geometry.
    pub fn load(&mut self, population: &Population) {
        assert_eq!(population.geometry(), self.population.geometry());
        assert_eq!(population.len(), self.population.len());
        self.population.clone_from(population);
        self.record.best_at = best_at(population);
    }

    /// The current population.
    pub fn population(&self) -> &Population {
        &self.population
    }
}

fn in_pool<R: Send>(pool: &Option<rayon::ThreadPool>, work: impl FnOnce() -> R + Send) -> R {
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
