//! How fast the workers of a process are, and when shares had better be evened out.

use std::mem::{Discriminant, discriminant};

use super::SharedEngine;
use super::cut::{Cut, is_uneven};
use crate::error::Error;
use crate::operators::Variation;

/// Generations after which shares are looked at for the first time; then after twice as many, and so on.
const FIRST_LOOK: u32 = 4;

/// No more than so many generations go by without a look.
const LONGEST: u32 = 256;

/// What workers have made since shares were looked at last.
pub(super) struct Balance {
    operator: Option<Discriminant<Variation>>,
    /// Individuals and seconds, for each worker of this process.
    tallies: Vec<(f64, f64)>,
    /// Generations until the next look, the same in all processes.
    left: u32,
    interval: u32,
}

impl Balance {
    pub fn new(workers: usize) -> Self {
        Self {
            operator: None,
            tallies: vec![(0.0, 0.0); workers],
            left: FIRST_LOOK,
            interval: FIRST_LOOK,
        }
    }

    /// Takes note of a generation: individuals and seconds of each worker.
    pub fn note(&mut self, operator: &Variation, times: &[(usize, f64)]) {
        let operator = discriminant(operator);
        // The first generation of an operator waits for compilers.
        if self.operator.replace(operator) != Some(operator) {
            self.tallies.fill((0.0, 0.0));
            return;
        }
        for ((individuals, seconds), time) in self.tallies.iter_mut().zip(times) {
            *individuals += time.0 as f64;
            *seconds += time.1;
        }
    }

    /// Individuals a second of each worker, 0 of those that have made nobody.
    fn rates(&self) -> Vec<u32> {
        let rate = |&(individuals, seconds): &(f64, f64)| match individuals > 0.0 {
            // No clock is finer than that.
            true => (individuals / seconds.max(1e-9)).clamp(1.0, 1e9) as u32,
            false => 0,
        };
        self.tallies.iter().map(rate).collect()
    }
}

impl SharedEngine {
    /// Gives workers other shares if a generation becomes faster by that. All processes look at the same time.
    pub(super) async fn even_out(&mut self) -> Result<(), Error> {
        if self.cut.workers() == 1 {
            return Ok(());
        }
        self.balance.left -= 1;
        if self.balance.left > 0 {
            return Ok(());
        }
        self.balance.interval = LONGEST.min(2 * self.balance.interval);
        self.balance.left = self.balance.interval;
        let mut rates = self.team.gather(&self.balance.rates())?.concat();
        self.balance.tallies.fill((0.0, 0.0));
        if rates.len() != self.cut.workers() || rates.iter().all(|&rate| rate == 0) {
            return Ok(());
        }
        // Who has made nobody may be as fast as the slowest, and will be measured.
        let slowest = rates.iter().copied().filter(|&it| it > 0).min();
        for rate in &mut rates {
            if *rate == 0 {
                *rate = slowest.unwrap_or(1);
            }
        }
        let cut = Cut::new(self.pop, self.cut.grain, &rates);
        if cut != self.cut && is_uneven(&self.cut, &rates) {
            self.move_to(cut).await?;
        }
        Ok(())
    }
}
