//! The node-based models of NB-COIN and RESEDA: for every cell a probability of each digit, as
//! integers, so that host and kernels see the same numbers on every machine.

use std::sync::Arc;

use super::settings::{READING, SWITCH, param};
use super::{AlgorithmState, Feedback, Kind, Param, Stage};
use crate::codec::{Codec, DecodeError, Persist};
use crate::observation::{DigitBalance, Observation, Observed};
use crate::operators::{Sample, Start, Variation};
use crate::plan::Plan;
use crate::population::Record;
use crate::problem::{Geometry, Reduction};

/// The neighbour rule.
pub const NEIGHBOURS: Param = param(
    "neighbours",
    SWITCH,
    "on",
    "whether digits that stand in the row or column of a cell are left out when it is sampled",
    READING,
);

/// What happens at a dead end.
pub const RETRIES: Param = param(
    "retries",
    Kind::Count(0, 100),
    "5",
    "how often a sub-block is sampled anew when no digit is left for a cell",
    READING,
);

/// Somebody who learns a model from the populations that are sampled from it.
pub trait Learner: Persist {
    /// What to sample next.
    fn sample(&self) -> &Sample;

    /// How many of the best and of the worst it learns from.
    fn selected(&self) -> [u32; 2];

    /// A generation was sampled.
    fn learn(&mut self, record: &Record, balance: &DigitBalance);
}

/// The state of an estimation of distribution algorithm: sample, learn, sample.
pub struct Sampling<L>(pub L);

impl<L: Learner> Persist for Sampling<L> {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        self.0.persist(codec)
    }
}

impl<L: Learner> AlgorithmState for Sampling<L> {
    fn start(&self) -> Start {
        Start::Sample(self.0.sample().clone())
    }

    fn stage(&self) -> Stage {
        Stage {
            plan: Plan::from(Variation::Renew(Start::Sample(self.0.sample().clone()))),
            generations: 1,
            operator: "sample",
        }
    }

    fn observation(&self) -> Observation {
        let [best, worst] = self.0.selected();
        Observation::DigitBalance { best, worst }
    }

    fn observe(&mut self, feedback: &Feedback<'_>) {
        let Observed::DigitBalance(balance) = feedback.observed else {
            panic!("this state asks for counts of digits");
        };
        for record in feedback.records {
            self.0.learn(record, balance);
        }
    }
}

/// The probability 1.
pub const ONE: u32 = 1 << 24;

/// Probabilities of the digits of the free cells.
#[derive(Debug, Clone)]
pub struct Model {
    geometry: Geometry,
    /// For each cell the digits that it may hold; none for givens, which are not sampled.
    candidates: Vec<u128>,
    /// Cell after cell, a number for each digit; those of a cell sum up to [`ONE`] or a little less.
    weights: Vec<u32>,
}

impl Persist for Model {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        let weights = self.weights.len();
        codec.persist(&mut self.weights)?;
        codec.require(self.weights.len() == weights)?;
        let sums = self.weights.chunks(self.size());
        let sums = sums.map(|cell| cell.iter().map(|&weight| u64::from(weight)).sum::<u64>());
        codec.require({ sums }.all(|sum| sum <= 2 * u64::from(ONE)))?;
        let legal = u128::MAX >> (128 - self.size());
        for digits in &mut self.candidates {
            codec.persist(digits)?;
            codec.require(*digits & !legal == 0)?;
        }
        Ok(())
    }
}

impl Model {
    /// Equal probabilities for the candidates of every free cell (NB-COIN section III).
    pub fn uniform(reduction: &Reduction) -> Self {
        let givens = reduction.puzzle().givens();
        let candidates = givens
            .cells()
            .iter()
            .zip(reduction.candidates())
            .map(|(&given, &candidates)| if given == 0 { candidates } else { 0 })
            .collect();
        Self::of_candidates(givens.geometry(), candidates)
    }

    /// Equal probabilities for these digits.
    pub fn of_candidates(geometry: Geometry, candidates: Vec<u128>) -> Self {
        let n = geometry.size();
        let mut weights = vec![0; n * geometry.cells()];
        for (weights, &digits) in weights.chunks_exact_mut(n).zip(&candidates) {
            for digit in ones(digits) {
                weights[digit] = ONE / digits.count_ones();
            }
        }
        Self {
            geometry,
            candidates,
            weights,
        }
    }

    /// N.
    pub fn size(&self) -> usize {
        self.geometry.size()
    }

    /// The digits that each cell may hold.
    pub fn candidates(&self) -> &[u128] {
        &self.candidates
    }

    /// The weights of a cell's digits.
    pub fn weights(&self, cell: usize) -> &[u32] {
        &self.weights[cell * self.size()..][..self.size()]
    }

    /// Changes the probabilities of every cell that has a choice; the function gets the cell, its
    /// digits and their weights.
    pub fn update(&mut self, mut change: impl FnMut(usize, u128, &mut [u32])) {
        let n = self.size();
        let cells = self.weights.chunks_exact_mut(n).zip(&self.candidates);
        for (cell, (weights, &digits)) in cells.enumerate() {
            if digits.count_ones() > 1 {
                change(cell, digits, weights);
            }
        }
    }

    /// The largest probability of every cell that has a choice.
    pub fn certainties(&self) -> impl Iterator<Item = u32> + '_ {
        let cells =
            (0..self.candidates.len()).filter(|&cell| self.candidates[cell].count_ones() > 1);
        cells.map(|cell| self.certainty(cell))
    }

    /// The largest probability of a cell.
    pub fn certainty(&self, cell: usize) -> u32 {
        self.weights(cell).iter().copied().max().unwrap_or(0)
    }

    /// The numbers as kernels read them, with what is to stand behind them.
    pub fn table(&self, behind: impl IntoIterator<Item = u32>) -> Arc<[u32]> {
        self.weights.iter().copied().chain(behind).collect()
    }
}

/// So much of a population, rounded down (37 of 150 are 25 %); 29 % of 100 are 29, though .29 has no
/// exact number.
pub fn share_of(share: f64, pop: usize) -> u32 {
    (share * pop as f64 + 1e-9) as u32
}

/// The elements of a set of digits from zero.
pub fn ones(mut set: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        first
    })
}
