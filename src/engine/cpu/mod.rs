//! The native engine: every kernel's twin in Rust, individuals spread over threads.
//!
//! Nothing is allocated in the loop over individuals.

mod anneal;
mod breed;
mod breed_blocks;
mod colouring;
mod diversity;
mod elite;
mod evaluate;
mod gravitate;
mod improvise;
mod initialise;
mod islands;
mod machine;
mod permutations;
mod place;
mod pollinate;
mod recombine;
mod replace_worst;
mod resolve;
mod sample;
mod shared;
mod survey;
mod swarm;
mod tabu;

pub(super) use self::colouring::slate_bytes;
use self::colouring::{Colourings, colourings_for};
use self::islands::Ferry;
use self::machine::{Kernels, kernels_for};
use self::permutations::{Permutations, permutations_for};
use super::faults;
use super::snapshot::{Memory, Outside, Queue, Snapshot};
use super::tables::Tables;
use super::{Setup, best_of};
use crate::error::Error;
use crate::plan::{Elite, Family, Learn, Plan, Representation, Start, Variation};
use crate::population::{Population, Record};
use crate::problem::Instance;
use crate::rng::Key;

/// The native engine.
pub struct CpuEngine {
    seed: u64,
    threads: usize,
    /// Nothing while generations run: then this is one of its threads.
    pool: Option<rayon::ThreadPool>,
    /// The kernels for grids, if these are grids.
    grids: Option<Box<dyn Kernels>>,
    /// The permutation kernels, if they can work on these individuals.
    permutations: Option<Box<dyn Permutations>>,
    /// The colouring kernels, if they can.
    colourings: Option<Box<dyn Colourings>>,
    representation: Representation,
    goal: u32,
    diversity: bool,
    /// This generation, and the buffer for the next.
    population: Population,
    next: Population,
    aside: Aside,
    record: Record,
}

/// Representation outside of the population. There is room for one kind, as on the GPU: who needs
/// another finds it empty.
enum Aside {
    Nobody,
    /// Elites that teach.
    Elites(Queue),
    /// Improvisations that want a place in the memory.
    Harmonies(Population),
    /// The best of each island.
    Emigrants(Ferry),
    /// What particles and agents remember.
    Memories(Vec<Memory>),
}

impl Aside {
    fn elites(&mut self, like: &Population, size: u32) -> &mut Queue {
        if !matches!(self, Self::Elites(queue) if queue.size() == size) {
            *self = Self::Elites(Queue::new(like.form(), size));
        }
        match self {
            Self::Elites(queue) => queue,
            _ => unreachable!("made above"),
        }
    }

    fn harmonies(&mut self, like: &Population, batch: usize) -> &mut Population {
        if !matches!(self, Self::Harmonies(harmonies) if harmonies.len() == batch) {
            *self = Self::Harmonies(Population::zeroed(like.form(), batch));
        }
        match self {
            Self::Harmonies(harmonies) => harmonies,
            _ => unreachable!("made above"),
        }
    }

    fn emigrants(&mut self) -> &mut Ferry {
        if !matches!(self, Self::Emigrants(_)) {
            *self = Self::Emigrants(Ferry::default());
        }
        match self {
            Self::Emigrants(ferry) => ferry,
            _ => unreachable!("made above"),
        }
    }

    /// On a GPU the desks of permutation kernels may need the room; memories stay beside them.
    fn make_room(&mut self) {
        if !matches!(self, Self::Memories(_)) {
            *self = Self::Nobody;
        }
    }

    /// Who is new remembers nothing.
    fn forget(&mut self) {
        if let Self::Memories(_) = self {
            *self = Self::Nobody;
        }
    }

    /// What the generation after this one will find of it. Harmonies come anew with each, and emigrants
    /// have to be there at once.
    fn lasting(&self, generation: u32) -> Outside {
        match self {
            Self::Elites(queue) => Outside::Elites(queue.clone()),
            Self::Emigrants(Ferry {
                last: Some(emigrants),
                ..
            }) if emigrants.departure == generation => Outside::Emigrants(emigrants.clone()),
            Self::Memories(memories) => Outside::Memories(memories.clone()),
            Self::Nobody | Self::Harmonies(_) | Self::Emigrants(_) => Outside::Nobody,
        }
    }

    fn memories(&mut self, permutations: &dyn Permutations, pop: usize) -> &mut Vec<Memory> {
        if !matches!(self, Self::Memories(_)) {
            *self = Self::Memories(permutations.memories(pop));
        }
        match self {
            Self::Memories(memories) => memories,
            _ => unreachable!("made above"),
        }
    }
}

impl From<&Outside> for Aside {
    fn from(outside: &Outside) -> Self {
        match outside {
            Outside::Nobody => Self::Nobody,
            Outside::Elites(queue) => Self::Elites(queue.clone()),
            Outside::Emigrants(emigrants) => Self::Emigrants(Ferry::bringing(emigrants.clone())),
            Outside::Memories(memories) => Self::Memories(memories.clone()),
        }
    }
}

/// Threads in use if so many are asked for; 0 asks for one a core.
pub fn threads_for(threads: usize) -> usize {
    match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

/// Desks of the permutation kernels.
pub fn desks_for(threads: usize, pop: usize) -> usize {
    machine::pieces(threads).min(pop)
}

/// Bytes of a desk for each queen: gene, wish, claim, and four lines.
pub const DESK_BYTES_PER_QUEEN: usize = 7 * size_of::<u32>();

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
        let threads = threads_for(threads);
        let pool = (threads > 1)
            .then(|| {
                rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .map_err(|error| Error::Threads(error.to_string()))
            })
            .transpose()?;
        let tables = match setup.instance {
            Instance::Sudoku(reduction) => Some(Tables::new(reduction, setup.representation)),
            Instance::Queens(_) => None,
        };
        let population = Population::zeroed(setup.instance.form(), setup.pop);
        Ok(Self {
            seed: setup.seed,
            threads,
            pool,
            permutations: permutations_for(setup, tables.as_ref(), threads),
            colourings: colourings_for(setup, threads),
            grids: tables.map(|tables| kernels_for(&tables, threads)),
            representation: setup.representation,
            goal: setup.instance.goal(),
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
    pub fn representation(&self) -> Representation {
        self.representation
    }

    /// Makes the initial population, generation 0.
    pub fn initialise(&mut self, start: &Start) -> Record {
        let key = Key::new(self.seed, 0);
        self.aside = Aside::Nobody;
        let population = &mut self.population;
        let (grids, permutations) = (&mut self.grids, &mut self.permutations);
        in_pool(&self.pool, || {
            renew(start, grids, permutations, key, population)
        });
        if self.representation.family() != Family::Grids {
            self.evaluate();
        }
        self.survey(0, 0);
        self.record
    }

    /// Runs generations until one is solved, at most so many.
    pub fn advance(&mut self, plan: &Plan, generations: u32) -> Vec<Record> {
        // All of them on the pool's own threads: to hand work over and to be told of its end takes as long as
        // many a generation.
        let pool = self.pool.take();
        let records = in_pool(&pool, || self.advance_here(plan, generations));
        self.pool = pool;
        records
    }

    /// The same, on the thread that calls and those beside it.
    fn advance_here(&mut self, plan: &Plan, generations: u32) -> Vec<Record> {
        let mut records = Vec::new();
        let last = self.record.generation + generations;
        while self.record.generation < last && !self.record.solved() {
            let first = self.record.generation + 1;
            // Epochs end at multiples of their length, wherever this one began.
            let stride = plan.stride() - self.record.generation % plan.stride();
            let generation = last.min(self.record.generation + stride);
            let swaps = self.vary(&plan.vary, first, generation);
            self.survey(generation, swaps);
            let ended = self.record.solved() || self.record.best <= plan.until;
            if let (Some(Learn::Elite(elite)), false) = (&plan.learn, ended) {
                self.learn(elite, Key::new(self.seed, generation));
            }
            records.push(self.record);
            if ended {
                break;
            }
        }
        records
    }

    /// Runs the varying kernel for these generations; how many swaps its local search made.
    fn vary(&mut self, vary: &Variation, first: u32, generation: u32) -> u64 {
        let key = Key::new(self.seed, first);
        let best_at = self.record.best_at;
        let (grids, permutations) = (&mut self.grids, &mut self.permutations);
        let colourings = &mut self.colourings;
        let aside = &mut self.aside;
        let (old, new) = (&mut self.population, &mut self.next);
        let swaps = in_pool(&self.pool, || match vary {
            Variation::Breed(breed) => able(grids).breed(breed, key, old, new),
            Variation::BreedBlocks(breed) => able(grids).breed_blocks(breed, key, old, new),
            Variation::Islands(islands) => {
                let emigrants = aside.emigrants();
                let generations = first..=generation;
                able(grids).islands(islands, self.seed, generations, old, new, emigrants)
            }
            Variation::Renew(start) => {
                aside.forget();
                renew(start, grids, permutations, key, new);
                0
            }
            Variation::Improvise(improvise) => {
                let harmonies = aside.harmonies(old, improvise.batch as usize);
                able(grids).improvise(improvise, key, first, old, harmonies);
                replace_worst::replace_worst(improvise, harmonies, old, new);
                0
            }
            Variation::Pollinate(pollinate) => {
                able(grids).pollinate(pollinate, key, best_at, old, new);
                0
            }
            Variation::Recombine(recombine) => {
                aside.make_room();
                able(permutations).recombine(recombine, key, old, new);
                0
            }
            Variation::Swarm(swarm) => {
                let permutations = able(permutations);
                let memories = aside.memories(permutations, old.len());
                permutations.swarm(swarm, key, first, old, new, memories);
                0
            }
            Variation::Gravitate(gravitate) => {
                let permutations = able(permutations);
                let memories = aside.memories(permutations, old.len());
                permutations.gravitate(gravitate, key, first, old, new, memories);
                0
            }
            Variation::Anneal(anneal) => {
                aside.make_room();
                able(permutations).anneal(anneal, key, first, old, new)
            }
            Variation::Resolve(resolve) => {
                aside.make_room();
                able(permutations).resolve(resolve, key, old, new)
            }
            Variation::Tabu(tabu) => {
                aside.make_room();
                able(colourings).tabu(tabu, key, first, old, new)
            }
        });
        std::mem::swap(&mut self.population, &mut self.next);
        if matches!(vary, Variation::Renew(_)) && self.representation.family() != Family::Grids {
            self.evaluate();
        }
        swaps
    }

    fn survey(&mut self, generation: u32, swaps: u64) {
        let reinitialised = match generation {
            0 => 0,
            _ => self.record.reinitialised,
        };
        if faults::kernels_lie() {
            self.population.split_mut().2[0] = 0;
        }
        let population = &self.population;
        let begun = Record {
            generation,
            reinitialised,
            swaps_low: swaps as u32,
            swaps_high: (swaps >> 32) as u32,
            goal: self.goal,
            ..Record::default()
        };
        self.record = survey::survey(begun, population.fitness());
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
        let again = able(&mut self.grids).elite(elite, key, record, queue, population);
        record.reinitialised += u32::from(again);
        if population.fitness()[record.worst_at as usize] == 0 {
            (record.best, record.best_at) = (0, record.worst_at);
        }
    }

    /// Evaluates the current population anew.
    pub fn evaluate(&mut self) {
        let population = &mut self.population;
        let (grids, permutations) = (&mut self.grids, &mut self.permutations);
        let colourings = &mut self.colourings;
        in_pool(&self.pool, || match self.representation.family() {
            Family::Grids => able(grids).evaluate(population),
            Family::Permutations => able(permutations).count(population),
            Family::Colouring => able(colourings).clash(population),
        });
    }

    /// Puts another population in place of the current one.
    ///
    /// # Panics
    /// If it has another size or form.
    pub fn load(&mut self, population: &Population) {
        assert_eq!(population.form(), self.population.form());
        assert_eq!(population.len(), self.population.len());
        self.population.clone_from(population);
        self.aside.forget();
        (self.record.best, self.record.best_at) = best_of(population);
    }

    /// All that another engine would have to know to go on.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            population: self.population.clone(),
            record: self.record,
            outside: self.aside.lasting(self.record.generation),
        }
    }

    /// Goes on from there. The population is taken as it is: [`super::Engine::restore`] checks it.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.population.clone_from(&snapshot.population);
        self.record = snapshot.record;
        self.aside = Aside::from(&snapshot.outside);
    }

    /// The current population.
    pub fn population(&self) -> &Population {
        &self.population
    }
}

/// Makes a population from nothing.
fn renew(
    start: &Start,
    grids: &mut Option<Box<dyn Kernels>>,
    permutations: &mut Option<Box<dyn Permutations>>,
    key: Key,
    population: &mut Population,
) {
    match (start, grids) {
        (Start::Fresh, Some(grids)) => grids.initialise(key, population),
        (Start::Fresh, None) => able(permutations).place(0, key, population),
        (Start::Sample(sample), grids) => able(grids).sample(sample, key, population),
        (Start::Greedy(tries), _) => able(permutations).place(*tries, key, population),
    }
}

/// The kernels of a family, which the check of plans has made sure of.
fn able<K: ?Sized>(kernels: &mut Option<Box<K>>) -> &mut K {
    kernels
        .as_deref_mut()
        .expect("plans are checked against the individuals")
}

fn in_pool<R: Send>(pool: &Option<rayon::ThreadPool>, work: impl FnOnce() -> R + Send) -> R {
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
