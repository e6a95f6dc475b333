//! How fast the engines are, side by side in one process.
//!
//! Repetition 1 of every contender comes before repetition 2 of any, so that what else the machine
//! does hits all alike; what counts is the median. Everybody starts from the same population: a
//! sample that has left its first generations behind, repeated until it is as large as is wanted.
//! A repetition goes back to it again and again, outside of the time that is taken, so that who is
//! faster does not get to generations of another kind.
//!
//! ```
//! use gpusudoku::lab::bench::{Bench, Options, Workload, contenders};
//!
//! let options = Options {
//!     sizes: vec![9],
//!     pops: vec![20],
//!     workloads: vec![Workload::Evaluate],
//!     ..Options::quick()
//! };
//! let mut bench = Bench::new(options, contenders([], None))?;
//! for case in bench.cases() {
//!     let row = pollster::block_on(bench.measure(case))?;
//!     assert!(row.outcomes[0].timing().unwrap().rates(case.pop)[1] > 0.0);
//! }
//! # Ok::<(), gpusudoku::error::Error>(())
//! ```

mod arena;
mod contender;
mod copying;
mod growth;
mod puzzle;
mod row;
mod workload;

pub use contender::{Contender, contenders};
pub use growth::{Growth, growth};
pub use puzzle::{SIZES, puzzle};
pub use row::{KernelShare, Outcome, Profile, Row, Spread, Timing};
pub use workload::{MOVES, Workload};

use std::collections::HashMap;
use std::time::Duration;

use self::arena::{Arena, Samples, Work, memory_for};
use self::copying::Copying;
use crate::engine::gpu::KernelTime;
use crate::engine::{Engine, has_memory};
use crate::error::Error;
use crate::population::words_of;
use crate::problem::Geometry;

/// Individuals of the smallest population that tells how long a larger one would take; one that is
/// this many times as large can be told. A GPU needs more of them to be busy.
const PROBE: usize = 16;
const PROBE_OF_A_GPU: usize = 256;

/// Repetitions that even slow work has; after these its time is up once it has taken
/// [`Options::limit`].
const FEWEST: usize = 3;

/// What is to be measured, and how long.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Sizes of grids, some of [`SIZES`].
    pub sizes: Vec<usize>,
    /// Sizes of populations.
    pub pops: Vec<usize>,
    /// Work.
    pub workloads: Vec<Workload>,
    /// Repetitions; slow work has fewer.
    pub repetitions: usize,
    /// A repetition has as many generations as take about this long.
    pub target: Duration,
    /// What would take longer for one generation is skipped; on a software adapter a fifth of that,
    /// as it matters less.
    pub limit: Duration,
    /// Whether adapters are asked what their kernels take.
    pub profile: bool,
}

impl Default for Options {
    /// Some minutes.
    fn default() -> Self {
        Self {
            sizes: vec![9, 16, 25, 36],
            pops: vec![150, 4096, 65_536],
            workloads: Workload::ALL.to_vec(),
            repetitions: 5,
            target: Duration::from_millis(40),
            limit: Duration::from_millis(1500),
            profile: false,
        }
    }
}

impl Options {
    /// Some seconds, for a first look.
    pub fn quick() -> Self {
        Self {
            sizes: vec![9, 16],
            pops: vec![150, 4096],
            repetitions: 3,
            target: Duration::from_millis(10),
            limit: Duration::from_millis(250),
            ..Self::default()
        }
    }

    /// Puts everything in order, once each, and refuses what cannot be measured.
    fn check(&mut self) -> Result<(), Error> {
        let refused = |key: &str, value: &dyn ToString, expected: String| {
            Err(Error::BadValue {
                key: key.to_owned(),
                value: value.to_string(),
                expected,
            })
        };
        self.sizes.sort_unstable();
        self.sizes.dedup();
        self.pops.sort_unstable();
        self.pops.dedup();
        self.workloads.sort_unstable();
        self.workloads.dedup();
        if let Some(size) = self.sizes.iter().find(|size| !SIZES.contains(size)) {
            let sizes = SIZES.map(|size| size.to_string()).join(" or ");
            return refused("size", size, sizes);
        }
        let fits = 1..=Engine::MAX_POP;
        if let Some(pop) = self.pops.iter().find(|pop| !fits.contains(pop)) {
            return refused("pop", pop, format!("from 1 to {} individuals", fits.end()));
        }
        match self.repetitions {
            0 => refused("repetitions", &0, "at least one".to_owned()),
            _ => Ok(()),
        }
    }
}

/// A piece of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BenchCase {
    /// What is done.
    pub workload: Workload,
    /// N of the grids.
    pub size: usize,
    /// Individuals.
    pub pop: usize,
}

impl BenchCase {
    /// Bytes of the individuals.
    pub fn bytes(&self) -> usize {
        let geometry = Geometry::usual(self.size).expect("sizes have been checked");
        4 * words_of(geometry.into()) * self.pop
    }
}

/// Contenders at work.
pub struct Bench {
    options: Options,
    contenders: Vec<Contender>,
    arena: Option<Arena>,
    /// Where engines with small populations show their pace.
    probes: Option<Arena>,
    samples: Samples,
    /// Individuals a second that a contender makes of such work, as far as is known.
    known: HashMap<(Workload, usize, usize), f64>,
}

impl Bench {
    /// Makes ready, and refuses options that cannot be had.
    pub fn new(mut options: Options, contenders: Vec<Contender>) -> Result<Self, Error> {
        options.check()?;
        Ok(Self {
            options,
            contenders,
            arena: None,
            probes: None,
            samples: Samples::default(),
            known: HashMap::new(),
        })
    }

    /// Who takes part.
    pub fn contenders(&self) -> &[Contender] {
        &self.contenders
    }

    /// What is to be measured. In this order engines are set up least often, and small populations
    /// tell what would take too long with large ones.
    pub fn cases(&self) -> Vec<BenchCase> {
        let Options {
            sizes,
            pops,
            workloads,
            ..
        } = &self.options;
        let populations = sizes
            .iter()
            .flat_map(|&size| pops.iter().map(move |&pop| (size, pop)));
        populations
            .flat_map(|(size, pop)| {
                workloads.iter().map(move |&workload| BenchCase {
                    workload,
                    size,
                    pop,
                })
            })
            .collect()
    }

    /// Has every contender do this work. What one of them cannot do is an outcome and no error.
    pub async fn measure(&mut self, case: BenchCase) -> Result<Row, Error> {
        // The engines of the last case make room for those of this one.
        if !self.arena.as_ref().is_some_and(|arena| arena.suits(case)) {
            self.arena = None;
        }
        let profiled = usize::from(self.options.profile);
        let bytes = memory_for(case, self.contenders.len() + profiled);
        if self.arena.is_none() && !has_memory(bytes) {
            let error = Error::Memory {
                pop: case.pop,
                bytes,
            };
            let skipped = Outcome::Skipped(error.to_string());
            return Ok(Row::new(case, vec![skipped; self.contenders.len()]));
        }
        let mut paces = Vec::new();
        for at in 0..self.contenders.len() {
            paces.push(self.foresee(case, at).await);
        }
        if paces.iter().all(Result::is_err) {
            let outcomes = paces.into_iter().filter_map(Result::err);
            return Ok(Row::new(case, outcomes.map(Outcome::Skipped).collect()));
        }
        let mut arena = match self.arena.take() {
            Some(arena) => arena,
            None => Arena::new(case, &self.contenders),
        };
        let work = self.samples.work(case, &arena.instance).await?;
        for (at, pace) in paces.iter_mut().enumerate() {
            if pace.is_ok() {
                *pace = self.warm_up(case, &mut arena, &work, at).await;
            }
            // Who has failed is not to be trusted, and who is too slow is in the way.
            if pace.is_err() {
                arena.dismiss(at);
            }
        }
        let mut row = self.repeat(case, &mut arena, &work, paces).await?;
        if self.options.profile {
            for at in 0..self.contenders.len() {
                if let Some(timing) = row.outcomes[at].timing() {
                    row.profiles[at] = self.profile(case, &arena, &work, at, timing).await;
                }
            }
        }
        for (at, outcome) in row.outcomes.iter().enumerate() {
            if let Some(timing) = outcome.timing() {
                let [_, rate, _] = timing.rates(case.pop);
                self.known.insert((case.workload, case.size, at), rate);
            }
        }
        self.arena = Some(arena);
        Ok(row)
    }

    /// Seconds that a generation will take, unless that is too long. Small populations tell, but
    /// not too small ones: they are never busy.
    async fn foresee(&mut self, case: BenchCase, at: usize) -> Result<f64, String> {
        let key = (case.workload, case.size, at);
        let mut pop = match self.contenders[at].is_gpu() {
            true => PROBE_OF_A_GPU,
            false => PROBE,
        };
        if !self.known.contains_key(&key) {
            while pop < case.pop {
                let pace = self.probe(BenchCase { pop, ..case }, at).await?;
                let next = case.pop.min(pop * PROBE);
                let factor = next as f64 / pop as f64;
                if self.allow(at, pace * factor).is_err() {
                    break;
                }
                pop = next;
            }
        }
        match self.known.get(&key) {
            Some(rate) => self.allow(at, case.pop as f64 / rate),
            // It is small enough to be tried.
            None => Ok(0.0),
        }
    }

    /// Seconds of a generation of this small population.
    async fn probe(&mut self, case: BenchCase, at: usize) -> Result<f64, String> {
        let mut arena = match self.probes.take().filter(|arena| arena.suits(case)) {
            Some(arena) => arena,
            None => Arena::new(case, &self.contenders),
        };
        let work = self.samples.work(case, &arena.instance).await;
        let work = work.map_err(|error| error.to_string())?;
        let pace = self.warm_up(case, &mut arena, &work, at).await;
        if pace.is_err() {
            arena.dismiss(at);
        }
        self.probes = Some(arena);
        pace
    }

    /// Compiles kernels, fills caches, and takes the time of a generation.
    async fn warm_up(
        &mut self,
        case: BenchCase,
        arena: &mut Arena,
        work: &Work,
        at: usize,
    ) -> Result<f64, String> {
        let told = |error: Error| error.to_string();
        let engine = arena.engine(&self.contenders[at], at).await.map_err(told)?;
        let (mut pace, mut spent) = (f64::INFINITY, 0.0);
        // The first generation may have waited for a compiler, and each for other programs.
        for run in 0..5 {
            let seconds = work.run(engine, 1).await.map_err(told)?.seconds;
            spent += seconds;
            pace = seconds.min(pace);
            let compiled = run > 0 || self.contenders[at].adapter.is_none();
            if compiled && spent > self.options.target.as_secs_f64() {
                break;
            }
        }
        let key = (case.workload, case.size, at);
        self.known.insert(key, case.pop as f64 / pace);
        self.allow(at, pace)
    }

    /// These seconds, unless they are too many.
    fn allow(&self, at: usize, seconds: f64) -> Result<f64, String> {
        let (limit, whose) = match self.contenders[at].is_software() {
            true => (self.options.limit / 5, " for software"),
            false => (self.options.limit, ""),
        };
        let limit = limit.as_secs_f64();
        match seconds <= limit {
            true => Ok(seconds),
            false => {
                let digits = if seconds < 10.0 { 2 } else { 0 };
                Err(format!(
                    "a generation takes about {seconds:.digits$} s, more than the limit of {limit} \
                     s{whose}"
                ))
            }
        }
    }

    /// What the kernels of a contender take, on an engine of its own: what was measured before was not
    /// disturbed by timestamps.
    async fn profile(
        &self,
        case: BenchCase,
        arena: &Arena,
        work: &Work,
        at: usize,
        timing: &Timing,
    ) -> Profile {
        let who = &self.contenders[at];
        let Some(info) = &who.adapter else {
            return Profile::None;
        };
        if !info.timestamps {
            return Profile::Unknown("it has no timestamps".to_owned());
        }
        let pace = timing.seconds.median.max(1e-9);
        let together = (self.options.target.as_secs_f64() / pace) as u32;
        let together = together.clamp(1, case.workload.most_generations());
        match self.kernel_times(arena, work, who, together).await {
            Ok(Some(times)) => Profile::Kernels(KernelShare::of(&times)),
            Ok(None) => Profile::Unknown("it has no timestamps".to_owned()),
            Err(error) => Profile::Unknown(error.to_string()),
        }
    }

    /// The times of some repetitions of so many generations.
    async fn kernel_times(
        &self,
        arena: &Arena,
        work: &Work,
        who: &Contender,
        together: u32,
    ) -> Result<Option<Vec<KernelTime>>, Error> {
        let mut engine = arena.timed_engine(who).await?;
        // The first generation may wait for a compiler.
        work.profile(&mut engine, 1).await?;
        let mut all: Option<Vec<KernelTime>> = None;
        for _ in 0..self.options.repetitions {
            let Some(times) = work.profile(&mut engine, together).await? else {
                return Ok(None);
            };
            match &mut all {
                None => all = Some(times),
                Some(all) => {
                    for (all, time) in all.iter_mut().zip(times) {
                        all.seconds.extend(time.seconds);
                    }
                }
            }
        }
        Ok(all)
    }

    /// Repetitions in turn, of everybody who has a pace.
    async fn repeat(
        &self,
        case: BenchCase,
        arena: &mut Arena,
        work: &Work,
        paces: Vec<Result<f64, String>>,
    ) -> Result<Row, Error> {
        let target = self.options.target.as_secs_f64();
        let slowest = paces.iter().flatten().copied().fold(1e-9, f64::max);
        // Everybody runs as many generations together, so that these are of the same kind.
        let together = ((target / slowest) as u32).clamp(1, case.workload.most_generations());
        let mut trials = Vec::new();
        for (pace, contender) in paces.into_iter().zip(&self.contenders) {
            let threads = contender.threads().filter(|_| work.is_evaluation());
            trials.push(match pace {
                Err(reason) => Trial::Ended(reason),
                Ok(pace) => Trial::Runs(Box::new(Runs {
                    times: ((target / (pace.max(1e-9) * f64::from(together))) as u32).max(1),
                    seconds: Vec::new(),
                    moves: None,
                    copying: threads
                        .map(|threads| Copying::new(case.bytes(), threads, self.options.target))
                        .transpose()?,
                    copies: Vec::new(),
                })),
            });
        }
        for _ in 0..self.options.repetitions {
            for (at, trial) in trials.iter_mut().enumerate() {
                let Trial::Runs(runs) = trial else { continue };
                let engine = arena.engine(&self.contenders[at], at).await?;
                let repeated = runs.repeat(work, engine, together, &self.options).await;
                if let Err(error) = repeated {
                    arena.dismiss(at);
                    *trial = Trial::Ended(error.to_string());
                }
            }
        }
        let outcome = |trial| match trial {
            Trial::Ended(reason) => Outcome::Skipped(reason),
            Trial::Runs(runs) => Outcome::Timed(Timing {
                seconds: Spread::of(&runs.seconds),
                repetitions: runs.seconds.len(),
                generations: u64::from(runs.times) * u64::from(together),
                moves: runs.moves,
                memcpy: (!runs.copies.is_empty()).then(|| Spread::of(&runs.copies)),
            }),
        };
        Ok(Row::new(case, trials.into_iter().map(outcome).collect()))
    }
}

/// What becomes of a contender.
enum Trial {
    Runs(Box<Runs>),
    Ended(String),
}

/// Repetitions of a contender.
struct Runs {
    /// How often a repetition goes back to the first population.
    times: u32,
    /// Of a generation, a figure for each repetition.
    seconds: Vec<f64>,
    moves: Option<f64>,
    copying: Option<Copying>,
    copies: Vec<f64>,
}

impl Runs {
    async fn repeat(
        &mut self,
        work: &Work,
        engine: &mut Engine,
        together: u32,
        options: &Options,
    ) -> Result<(), Error> {
        let generations = f64::from(self.times) * f64::from(together);
        let spent = self.seconds.iter().sum::<f64>() * generations;
        if self.seconds.len() >= FEWEST && spent > options.limit.as_secs_f64() {
            return Ok(());
        }
        let (mut seconds, mut moves) = (0.0, None);
        for _ in 0..self.times {
            let ran = work.run(engine, together).await?;
            seconds += ran.seconds;
            moves = ran.moves.map(|ran| moves.unwrap_or(0.0) + ran as f64);
        }
        self.seconds.push(seconds / generations);
        self.moves = moves.map(|moves| moves / generations);
        if let Some(copying) = &mut self.copying {
            self.copies.push(copying.repeat());
        }
        Ok(())
    }
}
