//! What the host sees of a population of which each process knows a share: counts are told, not individuals.

use std::collections::BTreeMap;

use super::{SharedEngine, out_of_step};
use crate::error::Error;
use crate::observation::{DigitBalance, Observation, Observed};

/// Who stands before a place in the order of fitness: all of a lower fitness, and of this one the first so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Boundary {
    pub fitness: u32,
    /// Of those who have the fitness, and whom this process knows.
    pub first: usize,
}

impl SharedEngine {
    /// What there is to see in the current population.
    pub fn observe(&mut self, observation: Observation) -> Result<Observed<'_>, Error> {
        let Observation::DigitBalance { best, worst } = observation else {
            if observation == Observation::Population {
                self.know_everybody()?;
            }
            return Ok(observation.of(self.host.population()));
        };
        if self.whole {
            return Ok(observation.of(self.host.population()));
        }
        let share = self.share_of(self.team.rank());
        let boundaries = self.boundaries(best as usize, self.pop.saturating_sub(worst as usize))?;
        let population = self.host.population();
        let mine = DigitBalance::of_share(population, share.clone(), boundaries);
        let mine: Vec<u32> = bytemuck::cast_slice(&mine).to_vec();
        let mut counts = vec![0i32; mine.len()];
        for told in self.team.gather(&mine)? {
            if told.len() != counts.len() {
                return Err(out_of_step());
            }
            for (count, told) in counts.iter_mut().zip(told) {
                *count += told as i32;
            }
        }
        // Nothing has changed since its survey.
        let best_at = self.host.record().best_at as usize;
        let owner = (0..self.team.size()).find(|&rank| self.share_of(rank).contains(&best_at));
        let words = match share.contains(&best_at) {
            true => population.words_at(best_at).to_vec(),
            false => Vec::new(),
        };
        let words = self.team.broadcast(owner.ok_or_else(out_of_step)?, words)?;
        let cells: &[u8] = bytemuck::cast_slice(&words);
        let (form, cells) = (population.form(), cells.to_vec());
        let best = cells.get(..form.cells()).ok_or_else(out_of_step)?.to_vec();
        let balance = DigitBalance::from_parts(form.values(), counts, best);
        Ok(Observed::DigitBalance(balance))
    }

    /// The boundaries of two places in the order of fitness, the lower of equals first.
    fn boundaries(&self, best: usize, worst: usize) -> Result<[Boundary; 2], Error> {
        let share = self.share_of(self.team.rank());
        let mut mine = BTreeMap::new();
        for &fitness in &self.host.population().fitness()[share] {
            *mine.entry(fitness).or_insert(0u32) += 1;
        }
        let words: Vec<u32> = mine.iter().flat_map(|(&it, &count)| [it, count]).collect();
        let told = self.team.gather(&words)?;
        let mut all: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (rank, words) in told.iter().enumerate() {
            for pair in words.chunks_exact(2) {
                let counts = all.entry(pair[0]).or_insert_with(|| vec![0; told.len()]);
                counts[rank] = pair[1] as usize;
            }
        }
        let rank = self.team.rank();
        Ok([best, worst].map(|place| {
            let mut left = place;
            for (&fitness, counts) in &all {
                let of_all: usize = counts.iter().sum();
                if left < of_all {
                    let before: usize = counts[..rank].iter().sum();
                    let first = left.saturating_sub(before).min(counts[rank]);
                    return Boundary { fitness, first };
                }
                left -= of_all;
            }
            // Behind the last.
            Boundary {
                fitness: u32::MAX,
                first: usize::MAX,
            }
        }))
    }
}
