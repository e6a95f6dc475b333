//! The native engine: operators as Rust code, individuals spread over threads.
//!
//! Nothing is allocated in the loop over individuals.

mod auxiliary;
pub(crate) mod colourings;
mod diversity;
pub(crate) mod grids;
mod individuals;
mod outside;
mod pace;
pub(crate) mod permutations;
mod share;
mod survey;

use std::ops::Range;

use self::auxiliary::AuxiliaryStore;
use self::colourings::AnyColouringKernels;
pub(super) use self::colourings::state_bytes;
use self::grids::AnyGridKernels;
pub use self::individuals::KernelResult;
use self::pace::Pace;
use self::permutations::AnyPermutationKernels;
use super::encoding::EncodingRules;
use super::faults;
use super::snapshot::{Champion, Snapshot};
use super::tables::Tables;
use super::{Setup, best_of};
use crate::error::Error;
use crate::operators::{Elite, NativeFamily, Start, Variation};
use crate::plan::{KernelFamily, Learn, Plan, Representation};
use crate::population::{Population, Record, words_of};
use crate::problem::Instance;
use crate::rng::Key;
use web_time::Instant;

/// The native engine.
pub struct CpuEngine {
    seed: u64,
    threads: usize,
    /// Nothing while generations run: then this is one of its threads.
    pool: Option<rayon::ThreadPool>,
    kernels: Kernels,
    representation: Representation,
    goal: u32,
    diversity: bool,
    /// This generation, and the buffer for the next.
    population: Population,
    next: Population,
    auxiliary: AuxiliaryStore,
    record: Record,
    /// The best individual of the run so far.
    champion: Option<Champion>,
    rules: EncodingRules,
    pace: Pace,
}

/// The kernels that can work on the individuals of a run.
struct Kernels {
    grids: Option<Box<dyn AnyGridKernels>>,
    permutations: Option<Box<dyn AnyPermutationKernels>>,
    colourings: Option<Box<dyn AnyColouringKernels>>,
}

/// A generation that an operator makes, or several that run together.
pub(crate) struct Generation<'a> {
    /// Seed of the run.
    pub seed: u64,
    /// The first of the generations, and the last.
    pub first: u32,
    pub last: u32,
    /// The best individual of the old population.
    pub best_at: u32,
    /// The population before. Islands make their generations in both.
    pub old: &'a mut Population,
    /// The population that is made.
    pub new: &'a mut Population,
    /// What is kept beside them.
    pub auxiliary: &'a mut AuxiliaryStore,
    /// Who is to be made: everybody, unless others make the rest.
    pub share: Range<usize>,
}

impl Generation<'_> {
    /// The randomness of the first of them.
    pub fn key(&self) -> Key {
        Key::new(self.seed, self.first)
    }
}

/// Grids of so many bytes are evaluated before another thread has woken up.
const SOON_EVALUATED: usize = 2 << 20;

/// Threads in use if so many are asked for; 0 asks for one a core.
pub fn threads_for(threads: usize) -> usize {
    match threads {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    }
}

/// Workspaces of the permutation and colouring kernels.
pub fn workspaces_for(threads: usize, pop: usize) -> usize {
    individuals::pieces(threads).min(pop)
}

/// Bytes of a workspace for each queen: gene, target, claim, and four constraints.
pub const WORKSPACE_BYTES_PER_QUEEN: usize = 7 * size_of::<u32>();

impl Kernels {
    fn new(setup: &Setup<'_>, threads: usize) -> Self {
        let tables = match setup.instance {
            Instance::Sudoku(reduction) => Some(Tables::new(reduction, setup.representation)),
            Instance::Queens(_) => None,
        };
        Self {
            permutations: permutations::kernels_for(setup, tables.as_ref(), threads),
            colourings: colourings::kernels_for(setup, threads),
            grids: tables.map(|tables| grids::kernels_for(&tables, threads)),
        }
    }

    /// Has an operator make a generation. Returns the swaps of its local search.
    fn vary(&mut self, operator: &Variation, generation: &mut Generation<'_>) -> u64 {
        if operator.operator().renews() {
            generation.auxiliary.forget();
        }
        match (operator.native_family(), &mut self.grids) {
            (NativeFamily::Grids, grids) => expect_kernels(grids).vary(operator, generation),
            (NativeFamily::Either, Some(grids)) => grids.vary(operator, generation),
            (NativeFamily::Permutations | NativeFamily::Either, _) => {
                expect_kernels(&mut self.permutations).vary(operator, generation)
            }
            (NativeFamily::Colourings, _) => {
                expect_kernels(&mut self.colourings).vary(operator, generation)
            }
        }
    }

    /// Has one thread do all that follows, or all of them.
    fn work_alone(&mut self, alone: bool) {
        if let Some(grids) = &mut self.grids {
            grids.work_alone(alone);
        }
        if let Some(permutations) = &mut self.permutations {
            permutations.work_alone(alone);
        }
        if let Some(colourings) = &mut self.colourings {
            colourings.work_alone(alone);
        }
    }

    fn evaluate(
        &mut self,
        family: KernelFamily,
        population: &mut Population,
        share: &Range<usize>,
    ) {
        match family {
            KernelFamily::Grids => expect_kernels(&mut self.grids).evaluate(population, share),
            KernelFamily::Permutations => {
                expect_kernels(&mut self.permutations).evaluate(population, share);
            }
            KernelFamily::Colouring => {
                expect_kernels(&mut self.colourings).evaluate(population, share);
            }
        }
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
        let population = Population::zeroed(setup.instance.form(), setup.pop);
        Ok(Self {
            seed: setup.seed,
            threads,
            pool,
            kernels: Kernels::new(setup, threads),
            representation: setup.representation,
            goal: setup.instance.goal(),
            diversity: setup.diversity,
            next: population.clone(),
            population,
            auxiliary: AuxiliaryStore::Empty,
            record: Record::default(),
            champion: None,
            rules: EncodingRules::new(setup),
            pace: Pace::default(),
        })
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The number of threads, in words.
    pub fn name(&self) -> String {
        match self.threads {
            1 => "1 thread".to_owned(),
            threads => format!("{threads} threads"),
        }
    }

    /// What the individuals are.
    pub fn representation(&self) -> Representation {
        self.representation
    }

    /// What holds of every individual.
    pub(super) fn rules(&self) -> &EncodingRules {
        &self.rules
    }

    /// Makes the initial population, generation 0.
    pub fn initialise(&mut self, start: &Start) -> Record {
        self.auxiliary = AuxiliaryStore::Empty;
        self.champion = None;
        self.vary(&Variation::Renew(start.clone()), 0, 0, self.everybody());
        self.survey(0, 0);
        self.record
    }

    /// The share of an engine that shares with nobody.
    fn everybody(&self) -> Range<usize> {
        0..self.population.len()
    }

    /// Runs generations until one is solved, at most so many.
    pub fn advance(&mut self, plan: &Plan, generations: u32) -> Vec<Record> {
        // All of them on the pool's own threads, unless one thread is faster: to hand work over and to be told of
        // its end takes as long as many a generation.
        let pool = self.pool.take();
        let indivisible = pool.is_none() || self.population.len() == 1;
        let records = match indivisible || self.pace.alone() {
            true => self.advance_here(plan, generations, true),
            false => in_pool(&pool, || self.advance_here(plan, generations, false)),
        };
        self.kernels.work_alone(false);
        self.pool = pool;
        records
    }

    /// The same, on the thread that calls, alone or with those beside it.
    fn advance_here(&mut self, plan: &Plan, generations: u32, alone: bool) -> Vec<Record> {
        let mut records = Vec::new();
        let last = self.record.generation + generations;
        while self.record.generation < last && !self.record.solved() {
            let first = self.record.generation + 1;
            // Epochs end at multiples of their length, wherever this one began.
            let stride = plan.stride() - self.record.generation % plan.stride();
            let generation = last.min(self.record.generation + stride);
            let alone = alone || self.pace.alone();
            // Nothing is to be found out of what only one thread can do.
            let divisible = self.threads > 1 && self.population.len() > 1;
            let begun = divisible.then(Instant::now);
            self.kernels.work_alone(alone);
            let swaps = self.vary(&plan.vary, first, generation, self.everybody());
            if let Some(begun) = begun {
                self.pace.note(alone, begun.elapsed());
            }
            self.survey(generation, swaps);
            let ended = self.record.solved() || self.record.best <= plan.target_fitness;
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

    /// Runs the operator for these generations and this share; how many swaps its local search made.
    fn vary(&mut self, operator: &Variation, first: u32, last: u32, share: Range<usize>) -> u64 {
        let mut generation = Generation {
            seed: self.seed,
            first,
            last,
            best_at: self.record.best_at,
            old: &mut self.population,
            new: &mut self.next,
            auxiliary: &mut self.auxiliary,
            share: share.clone(),
        };
        let kernels = &mut self.kernels;
        let swaps = in_pool(&self.pool, || kernels.vary(operator, &mut generation));
        std::mem::swap(&mut self.population, &mut self.next);
        let judged = self.representation.family() == KernelFamily::Grids;
        if operator.operator().renews() && !judged {
            self.evaluate_share(&share);
        }
        swaps
    }

    fn survey(&mut self, generation: u32, swaps: u64) {
        self.record = self.survey_share(generation, swaps, self.everybody());
        if self.improves(&self.record) {
            self.champion = Some(Champion {
                individual: self.population.only(self.record.best_at as usize),
                generation,
            });
        }
        self.count_differences();
    }

    /// Tells how different the individuals are, if that was asked for.
    fn count_differences(&mut self) {
        if self.diversity {
            let threads = match has_company(&self.pool) {
                true => self.threads,
                false => 1,
            };
            let population = &self.population;
            let differences = in_pool(&self.pool, || diversity::differences(population, threads));
            self.record.differences_low = differences as u32;
            self.record.differences_high = (differences >> 32) as u32;
        }
    }

    fn learn(&mut self, elite: &Elite, key: Key) {
        let queue = self.auxiliary.elites(&self.population, elite.size);
        let (record, population) = (&mut self.record, &mut self.population);
        let grids = expect_kernels(&mut self.kernels.grids);
        let again = grids.elite(elite, key, record, queue, population);
        record.reinitialised += u32::from(again);
        if population.fitness()[record.worst_at as usize] == 0 {
            (record.best, record.best_at) = (0, record.worst_at);
        }
    }

    /// Evaluates the current population anew.
    pub fn evaluate(&mut self) {
        self.evaluate_share(&self.everybody());
    }

    fn evaluate_share(&mut self, share: &Range<usize>) {
        let (kernels, population) = (&mut self.kernels, &mut self.population);
        let family = self.representation.family();
        let bytes = share.len() * words_of(population.form()) * size_of::<u32>();
        let soon = family == KernelFamily::Grids && bytes <= SOON_EVALUATED;
        let alone = soon || !has_company(&self.pool);
        kernels.work_alone(alone);
        match alone {
            true => kernels.evaluate(family, population, share),
            false => in_pool(&self.pool, || kernels.evaluate(family, population, share)),
        }
        kernels.work_alone(false);
    }

    /// Goes on as if the population were of this generation, and not solved.
    pub fn set_generation(&mut self, generation: u32) {
        self.record.generation = generation;
        self.record.best = u32::MAX;
    }

    /// Puts another population in place of the current one.
    ///
    /// # Panics
    /// If it has another size or form.
    pub fn load(&mut self, population: &Population) {
        assert_eq!(population.form(), self.population.form());
        assert_eq!(population.len(), self.population.len());
        self.population.clone_from(population);
        self.auxiliary.forget();
        self.champion = None;
        (self.record.best, self.record.best_at) = best_of(population);
    }

    /// All that another engine would have to know to go on.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            population: self.population.clone(),
            record: self.record,
            champion: self.champion.clone(),
            auxiliary: self.auxiliary.lasting(self.record.generation),
        }
    }

    /// Goes on from there. The population is taken as it is: [`super::Engine::restore`] checks it.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.population.clone_from(&snapshot.population);
        self.record = snapshot.record;
        self.champion.clone_from(&snapshot.champion);
        self.auxiliary = AuxiliaryStore::from(&snapshot.auxiliary);
    }

    /// The best individual of the run so far; nothing before the first survey.
    pub fn champion(&self) -> Option<&Champion> {
        self.champion.as_ref()
    }

    /// The current population.
    pub fn population(&self) -> &Population {
        &self.population
    }
}

/// The kernels of a family, which the check of plans has made sure of.
fn expect_kernels<K: ?Sized>(kernels: &mut Option<Box<K>>) -> &mut K {
    kernels
        .as_deref_mut()
        .expect("plans are checked against the representation")
}

/// Whether there are other threads: in a pool to be called, or beside this one in the pool that it is of.
fn has_company(pool: &Option<rayon::ThreadPool>) -> bool {
    pool.is_some() || rayon::current_thread_index().is_some()
}

fn in_pool<R: Send>(pool: &Option<rayon::ThreadPool>, work: impl FnOnce() -> R + Send) -> R {
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}
