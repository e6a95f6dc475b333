//! NB-COIN: the node-based coincidence algorithm, an estimation of distribution algorithm that
//! learns from good and from bad samples.
//!
//! Waiyapara, Wattanapornprom & Chongstitvatana, "Solving Sudoku Puzzles with Node Based
//! Coincidence Algorithm".
//!
//! ```text
//! M[i][j] = 1 / candidates of position i, on the digits j that the givens allow  (Fig. 7)
//! repeat:
//!     sample the population: sub-blocks that are permutations                    (section IV)
//!     f = distinct digits of all rows and columns, at best 2 N^2                 (eq. 1)
//!     good = best C %, bad = worst C %
//!     M[i][j] += k / L * (how often j is at i in good)                           (eq. 4)
//!     M[i][j] -= k / L * (how often j is at i in bad)                            (eq. 5)
//!     keep M[i][j] below the upper bound and M[i] a distribution
//! ```
//!
//! L is N. The second sums of eqs. 4 and 5 are the same for good and bad groups of one size, so
//! they cancel out. The paper says that the models of sub-blocks are "partially influenced by
//! their neighbourhood models" and not how: with `neighbours` a sampled cell leaves out the digits
//! that its row and column have already. Without a restart on stagnation, which the paper does not
//! mention, the models collapse. Generation 0 is the first sample.

use super::model::{Learner, Model, NEIGHBOURS, ONE, RETRIES, Sampling, ones, share_of};
use super::settings::{param, propagate};
use super::stagnation::Stagnation;
use super::{Algorithm, AlgorithmState, Info, Kind, Param, Settings, Task, grids};
use crate::codec::{Codec, DecodeError, Persist};
use crate::observation::DigitBalance;
use crate::operators::{Order, Sample};
use crate::plan::Representation;
use crate::population::Record;
use crate::problem::Instance;

/// NB-COIN in the list of algorithms.
pub const INFO: Info = Info {
    name: "nb-coin",
    title: "node-based coincidence algorithm: models that learn from good and bad samples",
    source: "Waiyapara et al., Solving Sudoku Puzzles with Node Based Coincidence Algorithm",
    pop: 150,
    max_generations: 100_000,
    params: PARAMS,
    build: |settings| Box::new(NbCoin::new(settings)),
};

const PARAMS: &[Param] = &[
    param(
        "c",
        Kind::Rate,
        "0.25",
        "selection pressure C: share of the population that is good, and share that is bad",
        "Table I",
    ),
    param(
        "k",
        Kind::Number(0.0, 100.0),
        "0.4",
        "step size k",
        "Table I",
    ),
    param(
        "upper",
        Kind::Rate,
        "0.99",
        "upper bound of a probability; what is left is the least that all others share",
        "Table I",
    ),
    NEIGHBOURS,
    param(
        "restart",
        Kind::Count(1, 1_000_000),
        "25",
        "generations without a better best after which the models are forgotten",
        "not in the paper",
    ),
    RETRIES,
    propagate("none", "not in the paper"),
];

/// NB-COIN with its parameters.
#[derive(Debug, Clone)]
pub struct NbCoin {
    selected: f64,
    rule: Rule,
    neighbours: bool,
    restart: u32,
    retries: u32,
}

/// How models learn.
#[derive(Debug, Clone, Copy)]
struct Rule {
    /// k and the upper bound, as multiples of 1 / [`ONE`].
    step: i64,
    upper: i64,
}

impl NbCoin {
    /// NB-COIN with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        let fixed = |key| (settings.number(key) * f64::from(ONE)).round() as i64;
        Self {
            selected: settings.number("c"),
            rule: Rule {
                step: fixed("k"),
                upper: fixed("upper"),
            },
            neighbours: settings.on("neighbours"),
            restart: settings.count("restart"),
            retries: settings.count("retries"),
        }
    }
}

impl Algorithm for NbCoin {
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        grids(instance, Representation::BLOCKS)
    }

    fn begin(&self, task: &Task<'_>) -> Box<dyn AlgorithmState> {
        let initial = Model::uniform(task.instance.reduction());
        Box::new(Sampling(Learning {
            sample: Sample {
                model: initial.table([]),
                order: Order::Random,
                neighbours: self.neighbours,
                retries: self.retries,
            },
            model: initial.clone(),
            initial,
            rule: self.rule,
            selected: share_of(self.selected, task.pop),
            restart: self.restart,
            stagnation: Stagnation::NEW,
        }))
    }
}

struct Learning {
    initial: Model,
    model: Model,
    /// The model as kernels read it.
    sample: Sample,
    rule: Rule,
    /// How many are good, and how many are bad.
    selected: u32,
    restart: u32,
    /// Since the last restart.
    stagnation: Stagnation,
}

impl Learning {
    fn update(&mut self, balance: &DigitBalance) {
        let rule = self.rule;
        self.model.update(|cell, digits, weights| {
            rule.reward_and_punish(digits, weights, balance.of_cell(cell));
        });
    }
}

impl Rule {
    /// Eqs. 4 and 5 for one position: how often each digit is there in the good group, less how often in the bad.
    fn reward_and_punish(self, digits: u128, weights: &mut [u32], balance: &[i32]) {
        let one = i64::from(ONE);
        let others = i64::from(digits.count_ones()) - 1;
        let lower = ((one - self.upper) / others).max(1);
        let upper = self.upper.max(lower);
        let size = weights.len() as i64;
        let mut moved = [0; 128];
        for digit in ones(digits) {
            let reward = self.step * i64::from(balance[digit]) / size;
            let weight = i64::from(weights[digit]) + reward;
            moved[digit] = weight.clamp(lower, upper);
        }
        let sum: i64 = moved.iter().sum();
        for digit in ones(digits) {
            weights[digit] = (moved[digit] * one / sum).max(1) as u32;
        }
    }
}

impl Persist for Learning {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.model)?;
        codec.persist(&mut self.stagnation)?;
        self.sample.model = self.model.table([]);
        Ok(())
    }
}

impl Learner for Learning {
    fn sample(&self) -> &Sample {
        &self.sample
    }

    fn selected(&self) -> [u32; 2] {
        [self.selected; 2]
    }

    fn learn(&mut self, record: &Record, balance: &DigitBalance) {
        self.stagnation.note(record.best);
        if self.stagnation.generations >= self.restart {
            self.model = self.initial.clone();
            self.stagnation = Stagnation::NEW;
        } else {
            self.update(balance);
        }
        self.sample.model = self.model.table([]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(k: f64, upper: f64) -> Rule {
        let fixed = |x: f64| (x * f64::from(ONE)).round() as i64;
        Rule {
            step: fixed(k),
            upper: fixed(upper),
        }
    }

    #[test]
    fn good_digits_gain_what_bad_ones_lose() {
        let mut weights = [ONE / 4; 4];
        rule(0.4, 0.99).reward_and_punish(0b1111, &mut weights, &[2, 0, -1, -1]);
        // .25 + .1 * (2, 0, -1, -1) = .45, .25, .15, .15: they sum up to 1 already.
        for (weight, expected) in weights.into_iter().zip([0.45, 0.25, 0.15, 0.15]) {
            assert!((f64::from(weight) / f64::from(ONE) - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn probabilities_stay_within_their_bounds_and_sum_up_to_one() {
        let mut weights = [ONE / 3, 0, ONE / 3, ONE / 3];
        for _ in 0..100 {
            rule(0.4, 0.99).reward_and_punish(0b1101, &mut weights, &[37, 0, -20, -17]);
            assert_eq!(weights[1], 0);
            let sum: u32 = weights.iter().sum();
            assert!(sum <= ONE && sum > ONE - 4, "{weights:?}");
            assert!(weights[2] > ONE / 250, "{weights:?}");
        }
        assert!(weights[0] > ONE / 100 * 98, "{weights:?}");
    }
}
