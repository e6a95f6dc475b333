//! The two engines: the same kernels as native code and as compute shaders, the same
//! population to the bit.
//!
//! Methods are asynchronous because a browser's GPU is; natively they block inside.

pub mod colouring;
pub mod cover;
pub mod cpu;
mod encoding;
mod faults;
pub mod genes;
pub mod gpu;
mod operate;
pub mod parity;
pub mod shared;
pub mod snapshot;
pub mod tables;
mod whole_rows;

use std::borrow::Cow;

use self::cpu::CpuEngine;
use self::gpu::adapter::AdapterChoice;
use self::gpu::shaders::{Mapping, Variant};
use self::gpu::{GpuEngine, KernelTime};
use self::shared::team::Team;
use self::shared::{SharedEngine, Sharing};
use self::snapshot::{Champion, Snapshot};
use crate::error::Error;
use crate::observation::{Observation, Observed};
use crate::operators::{Start, Variation};
use crate::plan::{KernelFamily, Plan, Representation};
use crate::population::{Population, Record, words_of};
use crate::problem::{Form, Instance};

/// Where to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backend {
    /// A real GPU or the native engine; never a software adapter, and no GPU for boards of more than some 500
    /// queens or fewer than 256 searches of lists. A run ([`crate::controller::run`]) begins on the native engine,
    /// and if it lasts it finds out which of the two is faster. An [`Engine`] alone is a GPU if there is one.
    Auto {
        /// Threads of the native engine; 0 is one a core.
        threads: usize,
    },
    /// The native engine.
    Cpu {
        /// Threads; 0 is one a core.
        threads: usize,
    },
    /// The GPU engine.
    Gpu {
        /// Which adapter.
        adapter: AdapterChoice,
        /// How individuals are mapped to threads; chosen for the adapter if not set.
        mapping: Option<Mapping>,
    },
    /// Several places, of this process and of others, that share one population.
    Shared(Sharing),
}

impl Backend {
    /// Places that share one population: of this process these, and of each other process of the team its own.
    ///
    /// # Errors
    /// If there is no place, or if the native engine stands among them twice: it has threads for that.
    ///
    /// # Panics
    /// If one of them is a choice, or shared itself.
    pub fn shared(mut places: Vec<Self>, team: Team) -> Result<Self, Error> {
        let is_engine = |it: &Self| matches!(it, Self::Cpu { .. } | Self::Gpu { .. });
        assert!(places.iter().all(is_engine), "{places:?}");
        let natives = places.iter().filter(|it| matches!(it, Self::Cpu { .. }));
        if places.is_empty() || natives.count() > 1 {
            return Err(Error::BadValue {
                key: "backend".to_owned(),
                value: format!("{} places", places.len()),
                expected: "one place at least, and the native engine at most once".to_owned(),
            });
        }
        // The native engine is the first of a process's workers.
        places.sort_by_key(|it| !matches!(it, Self::Cpu { .. }));
        Ok(match (&places[..], team.is_alone()) {
            ([one], true) => one.clone(),
            _ => Self::Shared(Sharing { places, team }),
        })
    }

    /// The same without a place that has failed, if others are left.
    pub(crate) fn without(&self, place: usize) -> Option<Self> {
        let Self::Shared(Sharing { places, team }) = self else {
            return None;
        };
        let mut places = places.clone();
        if place >= places.len() || !team.is_alone() {
            return None;
        }
        places.remove(place);
        Self::shared(places, team.clone()).ok()
    }

    /// The processes that share a population there.
    pub fn team(&self) -> Team {
        match self {
            Self::Shared(sharing) => sharing.team.clone(),
            _ => Team::alone(),
        }
    }

    /// Threads that the native engine may have; 0 is one a core.
    pub(crate) fn wanted_threads(&self) -> usize {
        match self {
            Self::Auto { threads } | Self::Cpu { threads } => *threads,
            Self::Gpu { .. } => 0,
            Self::Shared(sharing) => {
                let places = sharing.places.iter();
                places.map(Self::wanted_threads).max().unwrap_or(0)
            }
        }
    }

    /// Threads that work on individuals.
    fn threads(&self) -> usize {
        match self {
            Self::Auto { threads } | Self::Cpu { threads } => cpu::threads_for(*threads),
            Self::Gpu { .. } => 1,
            Self::Shared(sharing) => sharing.places.iter().map(Self::threads).max().unwrap_or(1),
        }
    }

    /// Whether there is an adapter for it, if it needs one.
    pub(crate) async fn is_there(&self) -> bool {
        match self {
            Self::Gpu { adapter, .. } => gpu::adapter::find(adapter).await.is_ok(),
            Self::Auto { .. } | Self::Cpu { .. } | Self::Shared(_) => true,
        }
    }

    /// Where to try it, one after the other.
    pub fn fallbacks(&self, setup: &Setup<'_>) -> Vec<Self> {
        match self {
            Self::Auto { threads } => {
                let gpu = Self::Gpu {
                    adapter: AdapterChoice::Automatic,
                    mapping: None,
                };
                let cpu = Self::Cpu { threads: *threads };
                match suits_gpu(setup) {
                    true => vec![gpu, cpu],
                    false => vec![cpu],
                }
            }
            place => vec![place.clone()],
        }
    }
}

/// What an engine is set up for.
#[derive(Debug, Clone, Copy)]
pub struct Setup<'a> {
    /// What is left of the problem.
    pub instance: &'a Instance,
    /// What an individual is, and what makes one better than another.
    pub representation: Representation,
    /// How many there are.
    pub pop: usize,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Whether records tell how different the individuals are, which costs time.
    pub diversity: bool,
}

impl<'a> Setup<'a> {
    /// Rows that are permutations, without diversity. Fitness counts illegal columns and sub-blocks, so a digit that
    /// stands twice in a row would go unseen; [`Engine::load`] refuses such rows.
    pub fn rows(instance: &'a Instance, pop: usize, seed: u64) -> Self {
        Self {
            instance,
            representation: Representation::ROWS,
            pop,
            seed,
            diversity: false,
        }
    }
}

/// What runs a population.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineInfo {
    /// `cpu` or `gpu`.
    pub backend: &'static str,
    /// The adapter's name, or the number of threads.
    pub adapter: String,
    /// Whether it is a GPU in software: right in its results, meaningless in its speed.
    pub software: bool,
}

/// A population at work on one of the engines.
pub enum Engine {
    /// Native code.
    Cpu(Box<CpuEngine>),
    /// Compute shaders.
    Gpu(Box<GpuEngine>),
    /// Several of them, in one process or many.
    Shared(Box<SharedEngine>),
}

impl Engine {
    /// The largest population: the random numbers are tested for individuals up to here.
    pub const MAX_POP: usize = 1 << 24;

    /// Refuses what no engine can hold, before anything is allocated.
    pub fn check(backend: &Backend, setup: &Setup<'_>) -> Result<(), Error> {
        check_population(setup, backend.threads())
    }

    /// Bytes that a run takes, on the native engine with that many threads of the backend.
    pub fn memory(backend: &Backend, setup: &Setup<'_>) -> usize {
        memory(setup, backend.threads())
    }

    /// Sets an engine up.
    pub async fn new(backend: &Backend, setup: &Setup<'_>) -> Result<Self, Error> {
        Self::check(backend, setup)?;
        let cpu = |threads| CpuEngine::new(setup, threads).map(|engine| Self::Cpu(engine.into()));
        match backend {
            Backend::Cpu { threads } => cpu(*threads),
            Backend::Gpu { adapter, mapping } => {
                let engine = GpuEngine::new(setup, adapter, *mapping).await?;
                Ok(Self::Gpu(engine.into()))
            }
            Backend::Shared(sharing) => {
                let engine = SharedEngine::new(sharing, setup).await?;
                Ok(Self::Shared(engine.into()))
            }
            Backend::Auto { threads } => {
                let [first, ..] = &backend.fallbacks(setup)[..] else {
                    return cpu(*threads);
                };
                // Nobody asked for an adapter: what it cannot do, the native engine can.
                match Box::pin(Self::new(first, setup)).await {
                    Err(_) => cpu(*threads),
                    engine => engine,
                }
            }
        }
    }

    /// Sets an engine up for [`Engine::profile`]: a device that can tell how long kernels take is asked
    /// to.
    pub async fn timed(backend: &Backend, setup: &Setup<'_>) -> Result<Self, Error> {
        let Backend::Gpu { adapter, mapping } = backend else {
            return Self::new(backend, setup).await;
        };
        Self::check(backend, setup)?;
        let engine = GpuEngine::timed(setup, adapter, *mapping).await?;
        Ok(Self::Gpu(engine.into()))
    }

    /// Runs generations of a plan, or evaluates everybody if there is none, and tells how long each
    /// kernel took. Nothing if this is no device that can tell.
    pub async fn profile(
        &mut self,
        plan: Option<&Plan>,
        generations: u32,
    ) -> Result<Option<Vec<KernelTime>>, Error> {
        if let Some(plan) = plan {
            let (representation, pop) = self.representation();
            plan.check(representation, pop)?;
        }
        match self {
            Self::Cpu(_) | Self::Shared(_) => Ok(None),
            Self::Gpu(engine) => engine.profile(plan, generations).await,
        }
    }

    /// The largest population that fits, not more than that of the set-up: where there is a choice,
    /// in the first place that is there. Half of the memory is left to others.
    pub async fn largest_population(backend: &Backend, setup: &Setup<'_>) -> Result<usize, Error> {
        if let Backend::Shared(sharing) = backend {
            // Everybody is known everywhere.
            let mut least = setup.pop;
            for place in &sharing.places {
                let fits = Box::pin(Self::largest_population(place, setup)).await?;
                least = least.min(fits);
            }
            let all = sharing.team.gather(&[least as u32])?.concat();
            return Ok(all.into_iter().min().map_or(least, |least| least as usize));
        }
        let mut place = backend.clone();
        let mut most = setup.pop;
        for next in backend.fallbacks(setup) {
            place = next;
            let Backend::Gpu { adapter, .. } = &place else {
                break;
            };
            match gpu::adapter::find(adapter).await {
                Ok(info) => {
                    most = most.min(gpu::fitting_population(&info, setup));
                    break;
                }
                Err(error) if matches!(backend, Backend::Gpu { .. }) => return Err(error),
                Err(_) => {}
            }
        }
        let threads = place.threads();
        let fits = |pop: usize| check_population(&Setup { pop, ..*setup }, threads);
        if most == 0 {
            return Err(Error::PopulationTooLarge {
                pop: 1,
                fits: 0,
                cells: setup.instance.form().cells(),
                place: "the adapter".to_owned(),
            });
        }
        let mut pop = most;
        while pop > 1 && fits(2 * pop).is_err() {
            pop /= 2;
        }
        fits(pop).map(|()| pop)
    }

    /// Gives up an engine that has failed. A device that does not answer is not waited for: what it
    /// holds stays where it is until the process ends.
    pub fn abandon(self) {
        match self {
            Self::Gpu(engine) => engine.abandon(),
            Self::Shared(engine) => engine.abandon(),
            Self::Cpu(_) => {}
        }
    }

    /// Whether it works on a device, which can be lost.
    pub fn may_fail(&self) -> bool {
        match self {
            Self::Cpu(_) => false,
            Self::Gpu(_) => true,
            Self::Shared(engine) => engine.may_fail(),
        }
    }

    /// The processes that share the population.
    pub(crate) fn team(&self) -> Team {
        match self {
            Self::Shared(engine) => engine.team().clone(),
            Self::Cpu(_) | Self::Gpu(_) => Team::alone(),
        }
    }

    /// Of places that share a population, the one that has failed.
    pub(crate) fn lost(&self) -> Option<usize> {
        match self {
            Self::Shared(engine) => engine.lost(),
            Self::Cpu(_) | Self::Gpu(_) => None,
        }
    }

    /// Which engine this is.
    pub fn info(&self) -> EngineInfo {
        match self {
            Self::Cpu(engine) => EngineInfo {
                backend: "cpu",
                adapter: engine.name(),
                software: false,
            },
            Self::Shared(engine) => engine.info().clone(),
            Self::Gpu(engine) => EngineInfo {
                backend: "gpu",
                adapter: engine.info().name.clone(),
                software: engine.info().software,
            },
        }
    }

    /// Makes the initial population, generation 0.
    ///
    /// # Panics
    /// If such individuals cannot start so.
    pub async fn initialise(&mut self, start: &Start) -> Result<Record, Error> {
        let (representation, pop) = self.representation();
        Plan::from(Variation::Renew(start.clone())).check(representation, pop)?;
        match self {
            Self::Cpu(engine) => Ok(engine.initialise(start)),
            Self::Gpu(engine) => engine.initialise(start).await,
            Self::Shared(engine) => engine.initialise(start).await,
        }
    }

    /// Runs generations until one is solved, at most so many; an engine may stop earlier. The
    /// records are those of the generations that ran; generations that always run together
    /// ([`Plan::stride`]) have one for their last.
    pub async fn advance(&mut self, plan: &Plan, generations: u32) -> Result<Vec<Record>, Error> {
        let (representation, pop) = self.representation();
        plan.check(representation, pop)?;
        let records = match self {
            Self::Cpu(engine) => engine.advance(plan, generations),
            Self::Gpu(engine) => engine.advance(plan, generations).await?,
            Self::Shared(engine) => engine.advance(plan, generations).await?,
        };
        faults::delay(self.may_fail(), records.len());
        Ok(records)
    }

    /// What the individuals are, and how many.
    fn representation(&self) -> (Representation, usize) {
        match self {
            Self::Cpu(engine) => (engine.representation(), engine.population().len()),
            Self::Gpu(engine) => (engine.representation(), engine.pop()),
            Self::Shared(engine) => (engine.representation(), engine.pop()),
        }
    }

    /// Evaluates the current population anew.
    pub async fn evaluate(&mut self) -> Result<(), Error> {
        match self {
            Self::Cpu(engine) => {
                engine.evaluate();
                Ok(())
            }
            Self::Gpu(engine) => engine.evaluate().await,
            Self::Shared(engine) => engine.evaluate(),
        }
    }

    /// Puts another population in place of the current one. Its fitness is taken as it is: [`Engine::evaluate`]
    /// finds out what it should be. Nobody in it remembers anything.
    ///
    /// # Errors
    /// If an individual is not one of the encoding, with which kernels would do whatever they do: the givens stand,
    /// and rows or sub-blocks are permutations, cells have digits of their domains, or queens rows of their own.
    ///
    /// # Panics
    /// If it has another size or form.
    pub fn load(&mut self, population: &Population) -> Result<(), Error> {
        if let Some(individual) = self.rules().first_stranger(population) {
            return Err(self.refusal(population, individual));
        }
        self.load_unchecked(population)
    }

    /// The same for a population that is known to be of the encoding.
    fn load_unchecked(&mut self, population: &Population) -> Result<(), Error> {
        match self {
            Self::Cpu(engine) => engine.load(population),
            Self::Gpu(engine) => engine.load(population),
            Self::Shared(engine) => return engine.load(population),
        }
        Ok(())
    }

    /// All that an engine would have to know to go on.
    pub async fn snapshot(&mut self) -> Result<Snapshot, Error> {
        match self {
            Self::Cpu(engine) => Ok(engine.snapshot()),
            Self::Gpu(engine) => engine.snapshot().await,
            Self::Shared(engine) => engine.snapshot().await,
        }
    }

    /// Goes on from where an engine that was set up like this one has been, on whatever machine. Who does
    /// not know where a snapshot comes from verifies it before ([`Snapshot::verify`]).
    pub async fn restore(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        self.load_unchecked(&snapshot.population)?;
        self.evaluate().await?;
        if self.population().await?.fitness() != snapshot.population.fitness() {
            return Err(Error::DeviceFailed {
                adapter: self.info().adapter,
                reason: "it does not agree about the fitness of a copy".to_owned(),
            });
        }
        match self {
            Self::Cpu(engine) => {
                engine.restore(snapshot);
                Ok(())
            }
            Self::Gpu(engine) => engine.restore(snapshot),
            Self::Shared(engine) => engine.restore(snapshot),
        }
    }

    /// The best individual of the run so far, the first of equals; nothing before the first generation, or since
    /// another population was loaded. It is kept where the population is.
    pub async fn champion(&mut self) -> Result<Option<Champion>, Error> {
        match self {
            Self::Cpu(engine) => Ok(engine.champion().cloned()),
            Self::Gpu(engine) => engine.champion().await,
            Self::Shared(engine) => Ok(engine.champion().cloned()),
        }
    }

    /// What there is to see in the current population; devices count, and send the counts alone.
    ///
    /// # Panics
    /// If digits are to be counted, and the individuals are placements.
    pub async fn observe(&mut self, observation: Observation) -> Result<Observed<'_>, Error> {
        match self {
            Self::Cpu(engine) => Ok(observation.of(engine.population())),
            Self::Gpu(engine) => engine.observe(observation).await,
            Self::Shared(engine) => engine.observe(observation),
        }
    }

    /// The current population, copied only from a device.
    pub async fn population(&mut self) -> Result<Cow<'_, Population>, Error> {
        match self {
            Self::Cpu(engine) => Ok(Cow::Borrowed(engine.population())),
            Self::Gpu(engine) => engine.population().await.map(Cow::Owned),
            Self::Shared(engine) => engine.population().map(Cow::Borrowed),
        }
    }
}

/// Searches of lists from which on a GPU is taken if there is one: a workgroup or a thread each, some for every one of
/// its multiprocessors.
const SEARCHES_FOR_A_GPU: usize = 256;

/// The lowest fitness and who has it, for kernels that look up to somebody.
fn best_of(population: &Population) -> (u32, u32) {
    population
        .best()
        .map_or((u32::MAX, 0), |(fitness, at)| (fitness, at as u32))
}

/// Refuses what no engine can hold, before anything is allocated.
fn check_population(setup: &Setup<'_>, threads: usize) -> Result<(), Error> {
    let (form, pop) = (setup.instance.form(), setup.pop);
    if pop == 0 {
        return Err(Error::BadValue {
            key: "pop".to_owned(),
            value: "0".to_owned(),
            expected: "at least one individual".to_owned(),
        });
    }
    // Two populations of cells and fitness have to fit the address space with room to spare.
    let bytes = 2 * (4 * words_of(form) + 4);
    let fits = Engine::MAX_POP.min((isize::MAX as usize / 4) / bytes);
    if pop > fits {
        return Err(Error::PopulationTooLarge {
            pop,
            fits,
            cells: form.cells(),
            place: "any engine".to_owned(),
        });
    }
    let bytes = memory(setup, threads);
    match has_memory(bytes) {
        true => Ok(()),
        false => Err(Error::Memory { pop, bytes }),
    }
}

/// Bytes of two populations with their fitness, and of what is kept beside them.
fn memory(setup: &Setup<'_>, threads: usize) -> usize {
    let (form, pop) = (setup.instance.form(), setup.pop);
    let populations = pop.saturating_mul(2 * (4 * words_of(form) + 4));
    // Swarms remember two words for each gene, and every thread works on several workspaces.
    let memories = match setup.representation.are_permutations() {
        true => pop.saturating_mul(8 * form.cells()),
        false => 0,
    };
    let workspaces = match form {
        Form::Grid(_) => 0,
        Form::Placement(queens) => {
            cpu::workspaces_for(threads, pop) * queens * cpu::WORKSPACE_BYTES_PER_QUEEN
        }
    };
    let states = match setup.instance {
        Instance::Sudoku(reduction) if setup.representation.family() == KernelFamily::Colouring => {
            cpu::workspaces_for(threads, pop) * cpu::state_bytes(reduction)
        }
        _ => 0,
    };
    let beside = memories.saturating_add(workspaces).saturating_add(states);
    populations.saturating_add(beside)
}

/// Whether the address space, a memory limit and the machine can hold so much. A system may promise
/// more than it has, so it is asked for that as well.
pub(crate) fn has_memory(bytes: usize) -> bool {
    let promised = Vec::<u8>::new().try_reserve_exact(bytes).is_ok();
    promised && available_memory().is_none_or(|available| bytes <= available)
}

/// Whether a GPU is worth its while if nobody asks for it. A board that workgroup memory cannot hold is
/// worked on by one workgroup for each individual in slow memory; and a move of a search is so
/// little work that only many searches fill a GPU.
fn suits_gpu(setup: &Setup<'_>) -> bool {
    match (setup.instance.form(), setup.representation.family()) {
        (Form::Placement(queens), _) => !Variant::board(queens).workspace_in_storage(),
        (Form::Grid(_), KernelFamily::Colouring) => setup.pop >= SEARCHES_FOR_A_GPU,
        (Form::Grid(_), _) => true,
    }
}

/// Memory that a process could still have, where the system tells (Linux).
fn available_memory() -> Option<usize> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}
