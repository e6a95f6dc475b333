//! RESEDA: the restarted estimation of distribution algorithm of Maire & Prissette, "A restarted
//! estimation of distribution algorithm for solving sudoku puzzles" (Monte Carlo Methods and
//! Applications, 2012), as far as section II of the NB-COIN paper tells of it.
//!
//! ```text
//! p[i][k] = 1 / candidates of cell i                  on the digits k that the givens allow
//! repeat:
//!     sample the population, the most certain cell of a sub-block first
//!     r[i][k] = share of digit k at cell i among the best
//!     p = a p + (1 - a) r                             (NB-COIN eq. 3)
//!     if every cell is certain: restart, perhaps with one sub-block of the best as given
//! ```
//!
//! The NB-COIN paper says that a larger a converges faster; by its own equation it is slower. The
//! original is not at hand, so the sampler, the second reason to restart (stagnation) and what is
//! kept are readings. Generation 0 is the first sample.

use rand::RngExt;

use super::model::{Learner, Model, NEIGHBOURS, ONE, RETRIES, Sampling, ones, share_of};
use super::settings::{READING, param, propagate};
use super::stagnation::Stagnation;
use super::{Algorithm, AlgorithmState, Info, Kind, Param, Settings, Task, grids};
use crate::codec::{Codec, DecodeError, Persist};
use crate::observation::DigitBalance;
use crate::operators::{Order, Sample};
use crate::plan::Representation;
use crate::population::Record;
use crate::problem::{Geometry, Grid, Instance};
use crate::rng::Stream;

/// RESEDA in the list of algorithms.
pub const INFO: Info = Info {
    name: "reseda",
    title: "restarted estimation of distribution algorithm",
    source: "Maire & Prissette, Monte Carlo Methods and Applications, 2012",
    pop: 100,
    max_generations: 100_000,
    params: PARAMS,
    build: |settings| Box::new(Reseda::new(settings)),
};

const PARAMS: &[Param] = &[
    param(
        "a",
        Kind::Rate,
        "0.7",
        "share a of the old model in the new one",
        "NB-COIN eq. 3; value from the original",
    ),
    param(
        "best",
        Kind::Rate,
        "0.1",
        "share of the samples from which the model learns",
        "10 of 100 in the original",
    ),
    param(
        "certain",
        Kind::Rate,
        "0.6",
        "restart when the largest probability of every cell is above this",
        "original",
    ),
    param(
        "stagnation",
        Kind::CountOrAll(1, 1_000_000),
        "20",
        "restart after so many generations without a better best; all: never",
        READING,
    ),
    param(
        "keep",
        Kind::Rate,
        "0.5",
        "probability that a restart takes a conflict-free sub-block of the best as given",
        READING,
    ),
    NEIGHBOURS,
    param(
        "order",
        Kind::Choice(&["certain", "random"]),
        "certain",
        "fill the most certain cells of a sub-block first, or cells at random",
        "original",
    ),
    RETRIES,
    propagate("none", "not in the paper"),
];

/// RESEDA with its parameters.
#[derive(Debug, Clone)]
pub struct Reseda {
    /// a, as a multiple of 1 / [`ONE`], and the certainty that ends an epoch.
    old_share: u64,
    certain: u32,
    best_share: f64,
    keep: f64,
    stagnation: u32,
    order: Order,
    neighbours: bool,
    retries: u32,
}

impl Reseda {
    /// RESEDA with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        let fixed = |key| (settings.number(key) * f64::from(ONE)).round();
        Self {
            old_share: fixed("a") as u64,
            certain: fixed("certain") as u32,
            best_share: settings.number("best"),
            keep: settings.number("keep"),
            stagnation: settings.count("stagnation"),
            order: match settings.word("order") {
                "random" => Order::Random,
                _ => Order::Given,
            },
            neighbours: settings.on("neighbours"),
            retries: settings.count("retries"),
        }
    }
}

impl Algorithm for Reseda {
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        grids(instance, Representation::BLOCKS)
    }

    fn begin(&self, task: &Task<'_>) -> Box<dyn AlgorithmState> {
        let initial = Model::uniform(task.instance.reduction());
        let mut epochs = Epochs {
            parameters: self.clone(),
            givens: task.instance.reduction().puzzle().givens().clone(),
            blocks: blocks(task.instance.reduction().puzzle().geometry()),
            selected: share_of(self.best_share, task.pop).max(1),
            rng: Stream::new(task.seed, RESTARTS),
            sample: Sample {
                model: initial.table([]),
                order: self.order,
                neighbours: self.neighbours,
                retries: self.retries,
            },
            model: initial.clone(),
            initial,
            best_cells: Vec::new(),
            stagnation: Stagnation::NEW,
        };
        epochs.publish();
        Box::new(Sampling(epochs))
    }
}

/// The stream of random numbers that decides what restarts keep.
const RESTARTS: u32 = 1;

struct Epochs {
    parameters: Reseda,
    givens: Grid,
    /// The cells of each block.
    blocks: Vec<Vec<usize>>,
    selected: u32,
    rng: Stream,
    initial: Model,
    model: Model,
    sample: Sample,
    /// The best of this epoch, and for how long it has stood.
    best_cells: Vec<u8>,
    stagnation: Stagnation,
}

impl Epochs {
    /// Eq. 3.
    fn update(&mut self, balance: &DigitBalance) {
        let one = u64::from(ONE);
        let (old_share, selected) = (self.parameters.old_share, u64::from(self.selected));
        self.model.update(|cell, digits, weights| {
            let counts = balance.of_cell(cell);
            for digit in ones(digits) {
                // Nobody is among the worst, so no count is negative.
                let share = u64::from(counts[digit].unsigned_abs()) * one / selected;
                let p = old_share * u64::from(weights[digit]) + (one - old_share) * share;
                weights[digit] = (p / one).max(1) as u32;
            }
        });
    }

    /// A new epoch from equal probabilities.
    fn restart(&mut self) {
        self.model = self.initial.clone();
        if self.rng.random_bool(self.parameters.keep) {
            let blocks = self.conflict_free_blocks();
            if !blocks.is_empty() {
                let block = blocks[self.rng.random_range(0..blocks.len())];
                self.keep(block);
            }
        }
        self.stagnation = Stagnation::NEW;
    }

    /// The blocks of the best, free cells among them, none of whose digits is repeated in a row
    /// or column.
    fn conflict_free_blocks(&self) -> Vec<usize> {
        let n = self.model.size();
        let best = &self.best_cells;
        let alone = |cell: usize| {
            let (row, col) = (cell / n, cell % n);
            let peers = (0..n).flat_map(|k| [row * n + k, k * n + col]);
            peers
                .filter(|&peer| peer != cell)
                .all(|peer| best[peer] != best[cell])
        };
        let free = |cell: usize| self.givens.cells()[cell] == 0;
        (0..n)
            .filter(|&block| {
                let mut cells = self.blocks[block].iter().copied();
                cells.clone().any(free) && cells.all(alone)
            })
            .collect()
    }

    /// Takes a block of the best as given: its digits leave their rows and columns, unless that
    /// would leave a cell without any.
    fn keep(&mut self, block: usize) {
        let n = self.model.size();
        let mut candidates = self.initial.candidates().to_vec();
        for &kept in &self.blocks[block] {
            let digit = 1u128 << self.best_cells[kept];
            for k in 0..n {
                for cell in [kept / n * n + k, k * n + kept % n] {
                    if candidates[cell] & !digit != 0 {
                        candidates[cell] &= !digit;
                    }
                }
            }
        }
        for &kept in &self.blocks[block] {
            if self.givens.cells()[kept] == 0 {
                candidates[kept] = 1 << self.best_cells[kept];
            }
        }
        self.model = Model::of_candidates(self.givens.geometry(), candidates);
    }

    /// Brings what kernels read up to date.
    fn publish(&mut self) {
        self.sample.model = match self.parameters.order {
            Order::Random => self.model.table([]),
            Order::Given => self.model.table(self.most_certain_first()),
        };
    }

    /// For each block the order of its free cells, padded to N.
    fn most_certain_first(&self) -> Vec<u32> {
        let n = self.model.size();
        let mut orders = Vec::with_capacity(n * n);
        for (block, cells) in self.blocks.iter().enumerate() {
            let cells = cells.iter().copied();
            let free = cells.filter(|&cell| self.givens.cells()[cell] == 0);
            let mut order: Vec<(u32, u32)> = (0..)
                .zip(free)
                .map(|(index, cell)| (u32::MAX - self.model.certainty(cell), index))
                .collect();
            order.sort_unstable();
            orders.extend(order.into_iter().map(|(_, index)| index));
            orders.resize((block + 1) * n, 0);
        }
        orders
    }
}

/// The cells of each block; of each row in a Latin square.
fn blocks(geometry: Geometry) -> Vec<Vec<usize>> {
    let n = geometry.size();
    let mut blocks = vec![Vec::with_capacity(n); n];
    for cell in 0..geometry.cells() {
        let (row, col) = (cell / n, cell % n);
        blocks[geometry.box_of(row, col).unwrap_or(row)].push(cell);
    }
    blocks
}

impl Persist for Epochs {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.model)?;
        codec.persist(&mut self.stagnation)?;
        codec.persist(&mut self.rng)?;
        codec.persist(&mut self.best_cells)?;
        let (n, cells) = (self.model.size(), self.givens.cells().len());
        let digits = self.best_cells.iter().all(|&digit| usize::from(digit) < n);
        codec.require(digits && self.best_cells.len() == cells)?;
        self.publish();
        Ok(())
    }
}

impl Learner for Epochs {
    fn sample(&self) -> &Sample {
        &self.sample
    }

    fn selected(&self) -> [u32; 2] {
        [self.selected, 0]
    }

    fn learn(&mut self, record: &Record, balance: &DigitBalance) {
        if self.stagnation.note(record.best) {
            self.best_cells.clear();
            self.best_cells.extend_from_slice(balance.best());
        }
        self.update(balance);
        let certain = self.parameters.certain;
        let converged = self.model.certainties().all(|largest| largest > certain);
        if converged || self.stagnation.generations >= self.parameters.stagnation {
            self.restart();
        }
        self.publish();
    }
}
