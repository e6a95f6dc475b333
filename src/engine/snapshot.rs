//! All that an engine would have to know to go on: the same for both, so that a run can begin on one
//! and end on the other.

use super::Setup;
use super::cpu::CpuEngine;
use super::encoding::EncodingRules;
use crate::codec::{Codec, DecodeError, Persist};
use crate::population::{Population, Record, words_of};
use crate::problem::Form;

/// The state of an engine between two generations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The last generation.
    pub population: Population,
    /// What its survey found.
    pub record: Record,
    /// The best individual of the run so far, the first of equals. Nothing before the first survey.
    pub champion: Option<Champion>,
    /// Who and what is kept outside of it.
    pub auxiliary: SavedAuxiliary,
}

/// Who and what an engine keeps outside of the population from one generation to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SavedAuxiliary {
    /// Nobody.
    Empty,
    /// Elites that teach.
    Elites(Queue),
    /// The best of each island.
    Emigrants(Emigrants),
    /// What particles and agents remember, one for each individual.
    Memories(Vec<Memory>),
}

/// The best individual of a run so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Champion {
    /// A population of one.
    pub individual: Population,
    /// The generation that it is from.
    pub generation: u32,
}

/// The queue of elites, first in, first out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Queue {
    /// The elites in a ring; as many as the queue may hold.
    pub members: Population,
    /// How many there are.
    pub len: u32,
    /// Where the next one goes.
    pub next: u32,
    /// The best fitness of all generations so far.
    pub best_ever: u32,
}

impl Queue {
    /// An empty queue.
    pub fn new(form: Form, size: u32) -> Self {
        Self {
            members: Population::zeroed(form, size as usize),
            len: 0,
            next: 0,
            best_ever: u32::MAX,
        }
    }

    /// How many it can hold.
    pub fn size(&self) -> u32 {
        self.members.len() as u32
    }

    /// Those who are in it.
    fn there(&self) -> Population {
        let mut there = self.members.clone();
        there.truncate(self.len as usize);
        there
    }

    /// Takes one more in, in place of the oldest if it is full.
    pub fn push(&mut self, cells: &[u8], fitness: u32) {
        let at = self.next as usize;
        self.members.cells_mut(at).copy_from_slice(cells);
        self.members.split_mut().2[at] = fitness;
        self.next = (self.next + 1) % self.size();
        self.len = (self.len + 1).min(self.size());
    }
}

/// The best of each island at the end of an epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emigrants {
    /// They, island by island.
    pub best: Population,
    /// The generation in which they left.
    pub departure: u32,
}

/// What a particle or an agent remembers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// Its best fitness, if it has been a particle before.
    pub fitness: Option<u32>,
    /// Its genes then.
    pub best: Vec<u32>,
    /// Its velocity: the value that each gene is about to take over, or [`Memory::NO_TARGET`].
    pub velocity: Vec<u32>,
}

impl Memory {
    /// The velocity of a gene that stays as it is.
    pub const NO_TARGET: u32 = u32::MAX;

    /// Nothing is remembered of so many genes.
    pub fn new(genes: usize) -> Self {
        Self {
            fitness: None,
            best: vec![0; genes],
            velocity: vec![Self::NO_TARGET; genes],
        }
    }
}

impl Snapshot {
    /// Whether an engine that is set up so could have been there: everybody is an individual of the
    /// encoding, and everything is of the right size. (Whether fitness is right, an engine finds out.)
    pub fn check(&self, setup: &Setup<'_>) -> Result<(), String> {
        let record = &self.record;
        let pop = setup.pop;
        if self.population.form() != setup.instance.form() || self.population.len() != pop {
            return Err("its population is for another run".to_owned());
        }
        let known = (record.best_at as usize) < pop && (record.worst_at as usize) < pop;
        let goal = setup.instance.goal();
        let solved = { self.population.best() }.is_some_and(|(fitness, _)| fitness <= goal);
        let counts = record.reinitialised <= record.generation;
        if !known || !counts || record.goal != goal || record.solved() != solved {
            return Err("what it says of its last generation cannot be".to_owned());
        }
        let encoding = EncodingRules::new(setup);
        let strange = |population: &Population, who: &str| match encoding.first_stranger(population)
        {
            Some(at) => Err(format!("{who} {at} is none")),
            None => Ok(()),
        };
        strange(&self.population, "individual")?;
        if let Some(champion) = &self.champion {
            let (one, best) = (&champion.individual, record.best);
            let known = one.len() == 1 && one.form() == self.population.form();
            // Learning may have made a solution after the survey.
            let right = one.len() == 1 && (one.fitness()[0] <= best || record.solved());
            if !known || champion.generation > record.generation || !right {
                return Err("what it says of its best individual cannot be".to_owned());
            }
            strange(one, "the best individual of all,")?;
        }
        match &self.auxiliary {
            SavedAuxiliary::Empty => Ok(()),
            SavedAuxiliary::Elites(queue) => {
                // It is filled from the beginning.
                let size = queue.size();
                let ring = queue.len == size || queue.next == queue.len;
                if queue.len == 0 || queue.len > size || queue.next >= size || !ring {
                    return Err("its queue of elites cannot be".to_owned());
                }
                strange(&queue.there(), "elite")
            }
            SavedAuxiliary::Emigrants(emigrants) => {
                if emigrants.best.is_empty() || emigrants.departure != record.generation {
                    return Err("its emigrants cannot be".to_owned());
                }
                strange(&emigrants.best, "emigrant")
            }
            SavedAuxiliary::Memories(memories) => {
                let allowed = encoding.values();
                let right = |memory: &Memory| {
                    let among = |(&value, allowed): (&u32, &u128)| match &encoding {
                        EncodingRules::Rows(rows) => (value as usize) < *rows,
                        _ => value < 128 && allowed >> value & 1 == 1,
                    };
                    // Who was never a particle has no best.
                    let known = memory.fitness.is_some();
                    let best = !known || memory.best.iter().zip(&allowed).all(among);
                    let target = |(value, allowed): (&u32, &u128)| {
                        *value == Memory::NO_TARGET || among((value, allowed))
                    };
                    let lengths = [memory.best.len(), memory.velocity.len()];
                    lengths == [allowed.len(); 2]
                        && best
                        && memory.velocity.iter().zip(&allowed).all(target)
                };
                let fits = memories.len() == pop
                    && setup.representation.are_permutations()
                    && memories.iter().all(right);
                fits.then_some(())
                    .ok_or_else(|| "what individuals remember cannot be".to_owned())
            }
        }
    }
}

impl Snapshot {
    /// The same, and whether the fitness of everybody is what the native engine finds.
    pub fn verify(&self, setup: &Setup<'_>) -> Result<(), String> {
        self.check(setup)?;
        let others = match &self.auxiliary {
            SavedAuxiliary::Elites(queue) => Some(queue.there()),
            SavedAuxiliary::Emigrants(emigrants) => Some(emigrants.best.clone()),
            SavedAuxiliary::Empty | SavedAuxiliary::Memories(_) => None,
        };
        let best = self.champion.as_ref().map(|champion| &champion.individual);
        for population in [Some(&self.population), best, others.as_ref()]
            .into_iter()
            .flatten()
        {
            let setup = Setup {
                pop: population.len(),
                diversity: false,
                ..*setup
            };
            let mut engine = CpuEngine::new(&setup, 0).map_err(|error| error.to_string())?;
            engine.load(population);
            engine.evaluate();
            if engine.population().fitness() != population.fitness() {
                return Err("the fitness that it tells is not that of its individuals".to_owned());
            }
        }
        Ok(())
    }
}

impl Persist for Snapshot {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.population)?;
        let mut record = bytemuck::cast::<Record, [u32; 13]>(self.record);
        for word in &mut record {
            codec.persist(word)?;
        }
        self.record = bytemuck::cast(record);
        let mut known = self.champion.is_some();
        codec.persist(&mut known)?;
        if codec.reads() {
            self.champion = known.then(|| Champion {
                individual: Population::zeroed(self.population.form(), 0),
                generation: 0,
            });
        }
        if let Some(champion) = &mut self.champion {
            codec.persist(&mut champion.individual)?;
            codec.persist(&mut champion.generation)?;
        }
        self.persist_auxiliary(codec)
    }
}

impl Snapshot {
    /// A snapshot to be read.
    pub fn blank(form: Form) -> Self {
        Self {
            population: Population::zeroed(form, 0),
            record: Record::default(),
            champion: None,
            auxiliary: SavedAuxiliary::Empty,
        }
    }

    fn persist_auxiliary(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        let form = self.population.form();
        let mut kind: u32 = match self.auxiliary {
            SavedAuxiliary::Empty => 0,
            SavedAuxiliary::Elites(_) => 1,
            SavedAuxiliary::Emigrants(_) => 2,
            SavedAuxiliary::Memories(_) => 3,
        };
        codec.persist(&mut kind)?;
        if codec.reads() {
            self.auxiliary = match kind {
                0 => SavedAuxiliary::Empty,
                1 => SavedAuxiliary::Elites(Queue::new(form, 0)),
                2 => SavedAuxiliary::Emigrants(Emigrants {
                    best: Population::zeroed(form, 0),
                    departure: 0,
                }),
                3 => SavedAuxiliary::Memories(vec![Memory::new(0); self.population.len()]),
                _ => return Err(DecodeError),
            };
        }
        match &mut self.auxiliary {
            SavedAuxiliary::Empty => Ok(()),
            SavedAuxiliary::Elites(queue) => {
                codec.persist(&mut queue.members)?;
                codec.persist(&mut queue.len)?;
                codec.persist(&mut queue.next)?;
                codec.persist(&mut queue.best_ever)
            }
            SavedAuxiliary::Emigrants(emigrants) => {
                codec.persist(&mut emigrants.best)?;
                codec.persist(&mut emigrants.departure)
            }
            SavedAuxiliary::Memories(memories) => memories.iter_mut().try_for_each(|memory| {
                codec.persist(&mut memory.fitness)?;
                codec.persist(&mut memory.best)?;
                codec.persist(&mut memory.velocity)
            }),
        }
    }
}

impl Persist for Population {
    /// The form is known.
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        if !codec.reads() {
            // It may be large: no copies are made on the way.
            codec.put(self.words());
            codec.put(self.fitness());
            return Ok(());
        }
        let (mut words, mut fitness) = (Vec::new(), Vec::new());
        codec.persist(&mut words)?;
        codec.persist(&mut fitness)?;
        codec.require(words.len() == fitness.len() * words_of(self.form()))?;
        *self = Self::from_parts(self.form(), words, fitness);
        Ok(())
    }
}
