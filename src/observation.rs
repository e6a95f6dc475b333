//! What the host sees of a generation besides its record.
//!
//! An algorithm says how much that is, and engines find it where the population is: a device sends counts, whose
//! number does not depend on how many individuals there are.

use std::borrow::Cow;
use std::ops::Range;

use crate::engine::shared::Boundary;
use crate::population::Population;

/// What has to be known of a generation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Observation {
    /// Nothing besides its record.
    #[default]
    Records,
    /// Which digits the best have, and the worst have not: [`DigitBalance`].
    DigitBalance {
        /// How many are the best, at most all.
        best: u32,
        /// How many are the worst, at most all.
        worst: u32,
    },
    /// Everybody.
    Population,
}

/// What was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observed<'a> {
    /// Nothing besides the record.
    Records,
    /// Which digits the best have, and the worst have not.
    DigitBalance(DigitBalance),
    /// Everybody, copied only from a device.
    Population(Cow<'a, Population>),
}

impl Observation {
    /// What there is to see in a population.
    ///
    /// # Panics
    /// If digits are to be counted, and the individuals are placements.
    pub fn of(self, population: &Population) -> Observed<'_> {
        match self {
            Self::Records => Observed::Records,
            Self::DigitBalance { best, worst } => {
                Observed::DigitBalance(DigitBalance::new(population, best, worst))
            }
            Self::Population => Observed::Population(Cow::Borrowed(population)),
        }
    }
}

/// For each cell and digit, how many of the best have the digit there, less how many of the worst; and the best
/// individual.
///
/// The order is that of fitness, and the lower of equals is better. Whoever is among the best and among the worst
/// counts for neither.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DigitBalance {
    digits: usize,
    counts: Vec<i32>,
    best: Vec<u8>,
}

impl DigitBalance {
    /// Counts digits; twin of `shaders/common/rank_boundaries.wgsl` and `shaders/grids/digit_balance.wgsl`.
    ///
    /// # Panics
    /// If the individuals are placements, or if there are none.
    pub fn new(population: &Population, best: u32, worst: u32) -> Self {
        let pop = population.len();
        let [best, worst] = [best, worst].map(|count| pop.min(count as usize));
        let behind = pop - worst;
        let key = |(individual, &fitness)| u64::from(fitness) << 32 | individual as u64;
        let mut order: Vec<u64> = population.fitness().iter().enumerate().map(key).collect();
        let first = order.iter().min().expect("at least one individual");
        let fittest = population.cells(*first as u32 as usize).to_vec();
        // Only who is on which side of the two boundaries matters.
        partition(&mut order, best);
        match behind < best {
            true => partition(&mut order[..best], behind),
            false => partition(&mut order[best..], behind - best),
        }
        let digits = population.form().values();
        let mut counts = vec![0; digits * population.form().cells()];
        let mut add_all = |order: &[u64], change: i32| {
            for &key in order {
                let cells = population.cells(key as u32 as usize);
                add(&mut counts, digits, cells, change);
            }
        };
        add_all(&order[..best.min(behind)], 1);
        add_all(&order[best.max(behind)..], -1);
        Self {
            digits,
            counts,
            best: fittest,
        }
    }

    /// The counts of a share of a population, of which all who stand before the first boundary are among the best, and
    /// all who do not stand before the second among the worst.
    pub(crate) fn of_share(
        population: &Population,
        share: Range<usize>,
        boundaries: [Boundary; 2],
    ) -> Vec<i32> {
        let digits = population.form().values();
        let mut counts = vec![0; digits * population.form().cells()];
        let mut equals = [0; 2];
        for individual in share {
            let fitness = population.fitness()[individual];
            let mut stands_before = |at: usize| {
                let Boundary {
                    fitness: other,
                    first,
                } = boundaries[at];
                if fitness == other {
                    equals[at] += 1;
                    return equals[at] <= first;
                }
                fitness < other
            };
            let (among_best, among_worst) = (stands_before(0), !stands_before(1));
            if among_best != among_worst {
                let change = if among_best { 1 } else { -1 };
                add(&mut counts, digits, population.cells(individual), change);
            }
        }
        counts
    }

    /// From counts of so many digits, cell after cell, and the cells of the best individual.
    pub(crate) fn from_parts(digits: usize, counts: Vec<i32>, best: Vec<u8>) -> Self {
        Self {
            digits,
            counts,
            best,
        }
    }

    /// The balance of each digit of a cell.
    pub fn of_cell(&self, cell: usize) -> &[i32] {
        &self.counts[cell * self.digits..][..self.digits]
    }

    /// The cells of the best individual.
    pub fn best(&self) -> &[u8] {
        &self.best
    }
}

/// Counts the digits of an individual.
fn add(counts: &mut [i32], digits: usize, cells: &[u8], change: i32) {
    for (counts, &digit) in counts.chunks_exact_mut(digits).zip(cells) {
        // A hole is no digit.
        if let Some(count) = counts.get_mut(usize::from(digit)) {
            *count += change;
        }
    }
}

/// Brings so many of the lowest to the front.
fn partition(order: &mut [u64], lowest: usize) {
    if lowest < order.len() {
        order.select_nth_unstable(lowest);
    }
}
