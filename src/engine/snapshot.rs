//! All that an engine would have to know to go on: the same for both, so that a run can begin on one
//! and end on the other.

use super::Setup;
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
        if !known || record.goal != setup.instance.goal() {
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
                let size = queue.size();
                if size == 0 || queue.len > size || queue.next >= size {
                    return Err("its queue of elites cannot be".to_owned());
                }
                let mut there = queue.members.clone();
                there.truncate(queue.len as usize);
                strange(&there, "elite")
            }
            Outside::Emigrants(emigrants) => strange(&emigrants.best, "emigrant"),
            Outside::Memories(memories) => {
                let genes = setup.instance.free_cells();
                let values = setup.instance.form().values() as u32;
                let right = |memory: &Memory| {
                    let best = memory.best.iter().all(|&value| value < values);
                    let wish = |&value: &u32| value < values || value == Memory::NO_WISH;
                    let lengths = memory.best.len() == genes && memory.velocity.len() == genes;
                    lengths && best && memory.velocity.iter().all(wish)
                };
                let fits = memories.len() == pop
                    && setup.individuals.are_permutations()
                    && memories.iter().all(right);
                fits.then_some(())
                    .ok_or_else(|| "what individuals remember cannot be".to_owned())
            }
        }
    }
}

/// What holds of every individual.
enum Rules {
    /// A brick has the digits of the template's, and those that are not free in their places.
    Bricks(Tables),
    /// Every cell has a digit of its domain.
    Domains(Tables),
    /// Every row has a queen.
    Rows(usize),
}

impl Rules {
    fn new(setup: &Setup<'_>) -> Self {
        match (setup.instance, setup.individuals.encoding) {
            (Instance::Queens(queens), _) => Self::Rows(queens.size()),
            (Instance::Sudoku(reduction), encoding) => {
                let tables = Tables::new(reduction, setup.individuals);
                match encoding {
                    Encoding::Cells(_) => Self::Domains(tables),
                    Encoding::Rows | Encoding::Blocks | Encoding::Placement => Self::Bricks(tables),
                }
            }
        }
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
                Self::Bricks(tables) => {
                    let (n, width) = (tables.size(), tables.brick_width());
                    let cells = population.cells(at);
                    (0..n).all(|brick| {
                        let mut missing = u128::MAX >> (128 - n);
                        (0..n).all(|k| {
                            let cell = cell_of(n, width, brick, k);
                            let digit = cells[cell];
                            let free = tables.free[brick].contains(&(k as u8));
                            let new = digit < 128 && missing >> digit & 1 == 1;
                            if new {
                                missing &= !(1 << digit);
                            }
                            new && (free || digit == tables.template[cell])
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
