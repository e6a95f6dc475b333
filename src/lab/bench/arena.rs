//! Engines for the same individuals, and their work.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use web_time::Instant;

use super::workload::Past;
use super::{BenchCase, Contender, puzzle};
use crate::engine::gpu::KernelTime;
use crate::engine::{Backend, Engine, Setup};
use crate::error::Error;
use crate::operators::Start;
use crate::plan::{Plan, Representation};
use crate::population::{Population, Record};
use crate::problem::Instance;

/// Individuals that leave their first generations behind; a larger population repeats them.
const SAMPLE: usize = 64;

const SEED: u64 = 1;

/// Engines for the same individuals, each set up when it is needed.
pub struct Arena {
    size: usize,
    pop: usize,
    representation: Representation,
    pub instance: Instance,
    engines: Vec<Option<Engine>>,
}

impl Arena {
    /// Where these will do such work.
    pub fn new(case: BenchCase, contenders: &[Contender]) -> Self {
        Self {
            size: case.size,
            pop: case.pop,
            representation: case.workload.individuals(),
            instance: puzzle(case.size),
            engines: contenders.iter().map(|_| None).collect(),
        }
    }

    /// Whether this is the place for such work.
    pub fn suits(&self, case: BenchCase) -> bool {
        let individuals = case.workload.individuals();
        (self.size, self.pop, self.representation) == (case.size, case.pop, individuals)
    }

    /// The engine of a contender.
    pub async fn engine(&mut self, who: &Contender, at: usize) -> Result<&mut Engine, Error> {
        let setup = Setup {
            representation: self.representation,
            ..Setup::rows(&self.instance, self.pop, SEED)
        };
        let place = &mut self.engines[at];
        if place.is_none() {
            let mut engine = Engine::new(&who.backend, &setup).await?;
            engine.initialise(&Start::Fresh).await?;
            *place = Some(engine);
        }
        Ok(place.as_mut().expect("set up above"))
    }

    /// Another engine of a contender, that can tell what its kernels take if its adapter can.
    pub async fn timed_engine(&self, who: &Contender) -> Result<Engine, Error> {
        let setup = Setup {
            representation: self.representation,
            ..Setup::rows(&self.instance, self.pop, SEED)
        };
        let mut engine = Engine::timed(&who.backend, &setup).await?;
        engine.initialise(&Start::Fresh).await?;
        Ok(engine)
    }

    /// Gives an engine up.
    pub fn dismiss(&mut self, at: usize) {
        self.engines[at] = None;
    }
}

/// Bytes that the engines of so many contenders need, and the buffers beside them.
pub fn memory_for(case: BenchCase, contenders: usize) -> usize {
    // With fitness and swaps.
    let population = case.bytes() + 8 * case.pop;
    // Two each; those that they start from; and two that are copied for each number of threads.
    population.saturating_mul(2 * contenders + 5)
}

/// Small populations that have left their first generations behind, made when they are needed.
#[derive(Default)]
pub struct Samples {
    made: HashMap<(Past, usize), Population>,
}

impl Samples {
    /// The work of a case, from a population that repeats a sample.
    pub async fn work(&mut self, case: BenchCase, instance: &Instance) -> Result<Work, Error> {
        let place = match self.made.entry((case.workload.past(), case.size)) {
            Entry::Occupied(place) => place,
            Entry::Vacant(place) => place.insert_entry(sample(case, instance).await?),
        };
        let sample = place.get();
        let places = (0..SAMPLE).cycle().take(case.pop);
        let words = places.clone().flat_map(|at| sample.words_at(at)).copied();
        let fitness = places.map(|at| sample.fitness()[at]);
        Ok(Work {
            plan: case.workload.plan(instance),
            has_moves: case.workload.has_moves(),
            start: Population::from_parts(instance.form(), words.collect(), fitness.collect()),
        })
    }
}

async fn sample(case: BenchCase, instance: &Instance) -> Result<Population, Error> {
    let setup = Setup {
        representation: case.workload.individuals(),
        ..Setup::rows(instance, SAMPLE, SEED)
    };
    let mut engine = Engine::new(&Backend::Cpu { threads: 0 }, &setup).await?;
    engine.initialise(&Start::Fresh).await?;
    for (plan, generations) in case.workload.past().plans(instance) {
        engine.advance(&plan, generations).await?;
    }
    Ok(engine.population().await?.into_owned())
}

/// Work that always begins with the same population.
pub struct Work {
    plan: Option<Plan>,
    /// Whether what local search does is counted in moves.
    has_moves: bool,
    start: Population,
}

/// What was done.
pub struct Ran {
    pub seconds: f64,
    /// Moves or steps of searches.
    pub moves: Option<u64>,
}

impl Work {
    /// Whether there are no generations, but only fitness.
    pub fn is_evaluation(&self) -> bool {
        self.plan.is_none()
    }

    /// What the kernels of so many generations, or evaluations, take.
    pub async fn profile(
        &self,
        engine: &mut Engine,
        generations: u32,
    ) -> Result<Option<Vec<KernelTime>>, Error> {
        engine.load(&self.start)?;
        engine.profile(self.plan.as_ref(), generations).await
    }

    /// Runs so many generations, or evaluates everybody so many times.
    pub async fn run(&self, engine: &mut Engine, generations: u32) -> Result<Ran, Error> {
        engine.load(&self.start)?;
        // A device has the population when it has done something with it.
        engine.evaluate().await?;
        let clock = Instant::now();
        let mut records = Vec::new();
        match &self.plan {
            None => {
                for _ in 0..generations {
                    engine.evaluate().await?;
                }
            }
            Some(plan) => {
                while (records.len() as u32) < generations {
                    let left = generations - records.len() as u32;
                    let ran = engine.advance(plan, left).await?;
                    if ran.last().is_none_or(|last| last.solved()) {
                        return Err(Error::DeviceFailed {
                            adapter: engine.info().adapter,
                            reason: "it solved a puzzle that has no solution".to_owned(),
                        });
                    }
                    records.extend(ran);
                }
            }
        }
        let seconds = clock.elapsed().as_secs_f64();
        let moves = self
            .has_moves
            .then(|| records.iter().map(Record::swaps).sum());
        Ok(Ran { seconds, moves })
    }
}
