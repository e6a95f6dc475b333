//! Who makes which individuals of a population.

use std::ops::Range;

/// A population in shares, one for each worker, in the order of workers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Shares begin at multiples of this.
    pub grain: usize,
    /// Where each share ends.
    ends: Vec<usize>,
}

impl Cut {
    /// Shares in proportion to what workers are worth; `grain` individuals always stay together.
    pub fn new(pop: usize, grain: usize, worth: &[u32]) -> Self {
        let grains = pop.div_ceil(grain) as u128;
        let all = worth
            .iter()
            .map(|&worth| u128::from(worth))
            .sum::<u128>()
            .max(1);
        let mut before = 0;
        let end = |worth: &u32| {
            before += u128::from(*worth);
            // Rounded to the nearest.
            let grains = (2 * grains * before + all) / (2 * all);
            pop.min(grains as usize * grain)
        };
        Self {
            grain,
            ends: worth.iter().map(end).collect(),
        }
    }

    /// The share of a worker.
    pub fn of(&self, worker: usize) -> Range<usize> {
        let start = match worker {
            0 => 0,
            _ => self.ends[worker - 1],
        };
        start..self.ends[worker]
    }

    /// The shares of neighbouring workers as one.
    pub fn of_all(&self, workers: Range<usize>) -> Range<usize> {
        self.of(workers.start).start..self.ends[workers.end - 1]
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.ends.len()
    }
}

/// How much faster a generation has to become for a new cut: what is measured varies by a few hundredths.
const WORTH_THE_MOVE: f64 = 1.1;

/// Whether workers that make so many individuals a second had better be given other shares.
pub fn is_uneven(cut: &Cut, rates: &[u32]) -> bool {
    let rate = |worker: usize| f64::from(rates[worker].max(1));
    let takes = |worker| cut.of(worker).len() as f64 / rate(worker);
    let now = (0..cut.workers()).map(takes).fold(0.0, f64::max);
    let all: f64 = (0..cut.workers()).map(rate).sum();
    let pop = cut.of_all(0..cut.workers()).len() as f64;
    now > WORTH_THE_MOVE * pop / all
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn everybody_is_made_once_and_grains_stay_whole(
            pop in 1usize..5000,
            grain in 1usize..70,
            worth in prop::collection::vec(1u32..1_000_000, 1..70),
        ) {
            let cut = Cut::new(pop, grain, &worth);
            let mut next = 0;
            for worker in 0..cut.workers() {
                let share = cut.of(worker);
                prop_assert_eq!(share.start, next);
                prop_assert!(share.end >= share.start);
                prop_assert!(share.end == pop || share.end.is_multiple_of(grain));
                next = share.end;
            }
            prop_assert_eq!(next, pop);
        }

        #[test]
        fn shares_are_in_proportion(pop in 1usize..100_000, worth in prop::collection::vec(1u32..1000, 1..9)) {
            let cut = Cut::new(pop, 1, &worth);
            let all: u32 = worth.iter().sum();
            for (worker, worth) in worth.iter().enumerate() {
                let ideal = pop as f64 * f64::from(*worth) / f64::from(all);
                prop_assert!((cut.of(worker).len() as f64 - ideal).abs() <= 1.0);
            }
        }
    }

    #[test]
    fn shares_move_when_that_is_worth_it() {
        let cut = Cut::new(1000, 1, &[1, 1]);
        assert!(!is_uneven(&cut, &[100, 100]));
        assert!(!is_uneven(&cut, &[100, 115]));
        assert!(is_uneven(&cut, &[100, 150]));
        assert!(!is_uneven(&Cut::new(1000, 1, &[100, 150]), &[100, 150]));
    }
}
