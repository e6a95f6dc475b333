//! What the native engine does for a population that it shares with others ([`crate::engine::shared`]): it makes and
//! surveys a share, and takes in what others have made.

use std::ops::Range;

use super::{AuxiliaryStore, CpuEngine, faults, survey};
use crate::engine::snapshot::{Champion, Emigrants, Memory, SavedAuxiliary};
use crate::operators::{Elite, Variation};
use crate::population::{Population, Record, words_of};
use crate::rng::Key;

impl CpuEngine {
    /// Before generation 0: nobody is kept beside the population, and there has been no best yet.
    pub fn begin(&mut self) {
        self.auxiliary = AuxiliaryStore::Empty;
        self.champion = None;
        self.record = Record::default();
    }

    /// Makes a share of these generations, which run together. Who is not of the share is undefined afterwards.
    /// Returns the swaps of local search.
    pub fn make_share(
        &mut self,
        operator: &Variation,
        generations: (u32, u32),
        share: &Range<usize>,
    ) -> u64 {
        let (first, last) = generations;
        let alone = self.pool.is_none() || share.len() <= 1;
        self.kernels.work_alone(alone);
        let swaps = self.vary(operator, first, last, share.clone());
        self.kernels.work_alone(false);
        swaps
    }

    /// What a generation is like, as far as this share tells.
    pub fn survey_share(&mut self, generation: u32, swaps: u64, share: Range<usize>) -> Record {
        let reinitialised = match generation {
            0 => 0,
            _ => self.record.reinitialised,
        };
        if faults::kernels_lie() && !share.is_empty() {
            self.population.split_mut().2[share.start] = 0;
        }
        let begun = Record {
            generation,
            reinitialised,
            swaps_low: swaps as u32,
            swaps_high: (swaps >> 32) as u32,
            goal: self.goal,
            ..Record::default()
        };
        survey::survey(begun, share.start, &self.population.fitness()[share])
    }

    /// Whether the best of a generation is better than all before it.
    pub fn improves(&self, record: &Record) -> bool {
        let known = self.champion.as_ref();
        known.is_none_or(|known| record.best < known.individual.fitness()[0])
    }

    /// Takes note of what all have found out about a generation. `champion` is its best, if that improves.
    pub fn note(&mut self, record: Record, champion: Option<Population>) {
        self.record = record;
        if let Some(individual) = champion {
            self.champion = Some(Champion {
                individual,
                generation: record.generation,
            });
        }
    }

    /// What [`CpuEngine::note`] was told last, and what has become of it since.
    pub fn record(&self) -> Record {
        self.record
    }

    /// Tells how different the individuals are, if records are to. Everybody has to be known.
    pub fn tell_differences(&mut self) {
        self.count_differences();
    }

    /// Whether records are to tell how different the individuals are.
    pub fn tells_differences(&self) -> bool {
        self.diversity
    }

    /// Elite learning of the current generation. Everybody has to be known.
    pub fn learn_from_elites(&mut self, elite: &Elite) {
        self.learn(elite, Key::new(self.seed, self.record.generation));
    }

    /// Takes in what others have made: fitness, then the words of individuals.
    pub fn take_in(&mut self, share: &Range<usize>, fitness: &[u32], words: &[u32]) {
        let each = words_of(self.population.form());
        let (_, to, known) = self.population.split_mut();
        known[share.clone()].copy_from_slice(fitness);
        to[share.start * each..share.end * each].copy_from_slice(words);
    }

    /// What is kept beside the population, as the next generation will find it.
    pub fn saved_auxiliary(&self) -> SavedAuxiliary {
        self.auxiliary.lasting(self.record.generation)
    }

    /// The emigrants that leave now.
    pub fn send(&mut self, emigrants: Emigrants) {
        self.auxiliary = AuxiliaryStore::from(&SavedAuxiliary::Emigrants(emigrants));
    }

    /// What individuals remember, if they do.
    pub fn memories_mut(&mut self) -> Option<&mut Vec<Memory>> {
        match &mut self.auxiliary {
            AuxiliaryStore::Memories(memories) => Some(memories),
            _ => None,
        }
    }

    /// Leaves nobody beside the population.
    pub fn vacate(&mut self) {
        self.auxiliary = AuxiliaryStore::Empty;
    }
}
