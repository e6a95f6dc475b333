//! All that an engine would have to know to go on: the same for both, so that a run can begin on one
//! and end on the other.

use super::Setup;
use super::cpu::CpuEngine;
use super::tables::{Tables, cell_of};
use crate::memo::{Keep, Memo, Misfit};
use crate::plan::Encoding;
use crate::population::{Population, Record, words_of};
use crate::problem::{Form, Instance};

/// The state of an engine between two generations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The last generation.
    pub population: Population,
    /// What its survey found.
    pub record: Record,
    /// Who and what is kept outside of it.
    pub outside: Outside,
}

/// Who and what an engine keeps outside of the population from one generation to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outside {
    /// Nobody.
    Nobody,
    /// Elites that teach.
    Elites(Queue),
    /// The best of each island.
    Emigrants(Emigrants),
    /// What particles and agents remember, one for each individual.
    Memories(Vec<Memory>),
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
    /// Its velocity: the value that each gene is about to take over, or [`Memory::NO_WISH`].
    pub velocity: Vec<u32>,
}

impl Memory {
    /// The velocity of a gene that stays as it is.
    pub const NO_WISH: u32 = u32::MAX;

    /// Nothing is remembered of so many genes.
    pub fn new(genes: usize) -> Self {
        Self {
            fitness: None,
            best: vec![0; genes],
            velocity: vec![Self::NO_WISH; genes],
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
        let encoding = Rules::new(setup);
        let strange = |population: &Population, who: &str| {
            let mut all = 0..population.len();
            match all.find(|&at| !encoding.allow(population, at)) {
                Some(at) => Err(format!("{who} {at} is none")),
                None => Ok(()),
            }
        };
        strange(&self.population, "individual")?;
        match &self.outside {
            Outside::Nobody => Ok(()),
            Outside::Elites(queue) => {
                // It is filled from the beginning.
                let size = queue.size();
                let ring = queue.len == size || queue.next == queue.len;
                if queue.len == 0 || queue.len > size || queue.next >= size || !ring {
                    return Err("its queue of elites cannot be".to_owned());
                }
                strange(&queue.there(), "elite")
            }
            Outside::Emigrants(emigrants) => {
                if emigrants.best.is_empty() || emigrants.departure != record.generation {
                    return Err("its emigrants cannot be".to_owned());
                }
                strange(&emigrants.best, "emigrant")
            }
            Outside::Memories(memories) => {
                let allowed = encoding.values();
                let right = |memory: &Memory| {
                    let among = |(&value, allowed): (&u32, &u128)| match &encoding {
                        Rules::Rows(rows) => (value as usize) < *rows,
                        _ => value < 128 && allowed >> value & 1 == 1,
                    };
                    // Who was never a particle has no best.
                    let known = memory.fitness.is_some();
                    let best = !known || memory.best.iter().zip(&allowed).all(among);
                    let wish = |(value, allowed): (&u32, &u128)| {
                        *value == Memory::NO_WISH || among((value, allowed))
                    };
                    let lengths = [memory.best.len(), memory.velocity.len()];
                    lengths == [allowed.len(); 2]
                        && best
                        && memory.velocity.iter().zip(&allowed).all(wish)
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
        let others = match &self.outside {
            Outside::Elites(queue) => Some(queue.there()),
            Outside::Emigrants(emigrants) => Some(emigrants.best.clone()),
            Outside::Nobody | Outside::Memories(_) => None,
        };
        for population in [Some(&self.population), others.as_ref()]
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

/// What holds of every individual.
enum Rules {
    /// A brick has the digits of the template's, and those that are not free in their places.
    Bricks {
        tables: Tables,
        /// Whether each cell is free.
        free: Vec<bool>,
    },
    /// Every cell has a digit of its domain.
    Domains(Tables),
    /// Every row has a queen.
    Rows(usize),
}

impl Rules {
    fn new(setup: &Setup<'_>) -> Self {
        match (setup.instance, setup.representation.encoding) {
            (Instance::Queens(queens), _) => Self::Rows(queens.size()),
            (Instance::Sudoku(reduction), encoding) => {
                let tables = Tables::new(reduction, setup.representation);
                match encoding {
                    Encoding::Cells(_) => Self::Domains(tables),
                    Encoding::Rows | Encoding::Blocks | Encoding::Placement => {
                        let givens = reduction.puzzle().givens().cells();
                        Self::Bricks {
                            free: givens.iter().map(|&given| given == 0).collect(),
                            tables,
                        }
                    }
                }
            }
        }
    }

    /// The digits that each gene can have, as bits: those of the free cells of its brick. Of queens only
    /// how many genes there are.
    fn values(&self) -> Vec<u128> {
        let tables = match self {
            Self::Rows(rows) => return vec![0; *rows],
            Self::Domains(_) => return Vec::new(),
            Self::Bricks { tables, .. } => tables,
        };
        let (n, width) = (tables.size(), tables.brick_width());
        let bricks = tables.free.iter().enumerate().flat_map(|(brick, free)| {
            let cells = free
                .iter()
                .map(|&k| cell_of(n, width, brick, usize::from(k)));
            let digits = cells.fold(0, |set, cell| set | 1 << tables.template[cell]);
            std::iter::repeat_n(digits, free.len())
        });
        bricks.collect()
    }

    fn allow(&self, population: &Population, at: usize) -> bool {
        population.is_padded(at)
            && match self {
                Self::Rows(rows) => {
                    let mut seen = vec![false; *rows];
                    let new = |&row: &u32| {
                        let seen = seen.get_mut(row as usize);
                        seen.is_some_and(|seen| !std::mem::replace(seen, true))
                    };
                    population.words_at(at).iter().all(new)
                }
                Self::Domains(tables) => {
                    let cells = population.cells(at).iter().zip(&tables.domains);
                    { cells }.all(|(&digit, domain)| digit < 128 && domain >> digit & 1 == 1)
                }
                Self::Bricks { tables, free } => {
                    let (n, width) = (tables.size(), tables.brick_width());
                    let cells = population.cells(at);
                    (0..n).all(|brick| {
                        let mut missing = u128::MAX >> (128 - n);
                        (0..n).all(|k| {
                            let cell = cell_of(n, width, brick, k);
                            let digit = cells[cell];
                            let new = digit < 128 && missing >> digit & 1 == 1;
                            if new {
                                missing &= !(1 << digit);
                            }
                            new && (free[cell] || digit == tables.template[cell])
                        })
                    })
                }
            }
    }
}

impl Keep for Snapshot {
    fn keep(&mut self, memo: &mut Memo) -> Result<(), Misfit> {
        memo.keep(&mut self.population)?;
        let mut record = bytemuck::cast::<Record, [u32; 13]>(self.record);
        for word in &mut record {
            memo.keep(word)?;
        }
        self.record = bytemuck::cast(record);
        self.keep_outside(memo)
    }
}

impl Snapshot {
    /// A snapshot to be read.
    pub fn blank(form: Form) -> Self {
        Self {
            population: Population::zeroed(form, 0),
            record: Record::default(),
            outside: Outside::Nobody,
        }
    }

    fn keep_outside(&mut self, memo: &mut Memo) -> Result<(), Misfit> {
        let form = self.population.form();
        let mut kind: u32 = match self.outside {
            Outside::Nobody => 0,
            Outside::Elites(_) => 1,
            Outside::Emigrants(_) => 2,
            Outside::Memories(_) => 3,
        };
        memo.keep(&mut kind)?;
        if memo.reads() {
            self.outside = match kind {
                0 => Outside::Nobody,
                1 => Outside::Elites(Queue::new(form, 0)),
                2 => Outside::Emigrants(Emigrants {
                    best: Population::zeroed(form, 0),
                    departure: 0,
                }),
                3 => Outside::Memories(vec![Memory::new(0); self.population.len()]),
                _ => return Err(Misfit),
            };
        }
        match &mut self.outside {
            Outside::Nobody => Ok(()),
            Outside::Elites(queue) => {
                memo.keep(&mut queue.members)?;
                memo.keep(&mut queue.len)?;
                memo.keep(&mut queue.next)?;
                memo.keep(&mut queue.best_ever)
            }
            Outside::Emigrants(emigrants) => {
                memo.keep(&mut emigrants.best)?;
                memo.keep(&mut emigrants.departure)
            }
            Outside::Memories(memories) => memories.iter_mut().try_for_each(|memory| {
                memo.keep(&mut memory.fitness)?;
                memo.keep(&mut memory.best)?;
                memo.keep(&mut memory.velocity)
            }),
        }
    }
}

impl Keep for Population {
    /// The form is known.
    fn keep(&mut self, memo: &mut Memo) -> Result<(), Misfit> {
        if !memo.reads() {
            // It may be large: no copies are made on the way.
            memo.put(self.words());
            memo.put(self.fitness());
            return Ok(());
        }
        let (mut words, mut fitness) = (Vec::new(), Vec::new());
        memo.keep(&mut words)?;
        memo.keep(&mut fitness)?;
        memo.require(words.len() == fitness.len() * words_of(self.form()))?;
        *self = Self::from_parts(self.form(), words, fitness);
        Ok(())
    }
}
