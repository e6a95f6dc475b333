//! What a device does for a population that it shares with others ([`crate::engine::shared`]): it is told of the
//! individuals that its share is made of, makes it and tells it. Survey and learning are the host's.

use std::ops::Range;

use super::layout::State;
use super::{GpuEngine, TRUNCATED};
use crate::engine::snapshot::{Emigrants, Memory, SavedAuxiliary};
use crate::error::Error;
use crate::operators::Variation;
use crate::operators::kernel::Auxiliary;
use crate::population::{Population, words_of};

/// What is to be made.
#[derive(Debug, Clone)]
pub struct ShareTask<'a> {
    /// What makes it.
    pub operator: &'a Variation,
    /// The first and the last of the generations that run together.
    pub generations: (u32, u32),
    /// The best individual of the old population.
    pub best_at: u32,
    /// Who is to be made.
    pub share: Range<usize>,
    /// Those that arrive at islands, if any do.
    pub emigrants: Option<&'a Emigrants>,
}

/// What was made.
#[derive(Debug)]
pub struct MadeShare {
    /// The fitness of everybody in the share.
    pub fitness: Vec<u32>,
    /// Their packed words.
    pub words: Vec<u32>,
    /// Swaps of local search.
    pub swaps: u64,
}

impl GpuEngine {
    /// Tells the device of individuals of a generation.
    pub fn bring(&mut self, generation: u32, population: &Population, who: Range<usize>) {
        let each = words_of(population.form());
        let to = &self.kernels.buffers.populations[generation as usize % 2];
        let fitness = &population.fitness()[who.clone()];
        let words = &population.words()[who.start * each..who.end * each];
        let [fitness_at, words_at] = [who.start, 2 * self.pop + who.start * each];
        for (at, words) in [(fitness_at, fitness), (words_at, words)] {
            self.context
                .write(to, 4 * at as u64, bytemuck::cast_slice(words));
        }
        self.watch.forget();
    }

    /// Makes a share of a generation.
    pub async fn make_share(&mut self, task: &ShareTask<'_>) -> Result<MadeShare, Error> {
        let (first, last) = task.generations;
        let share = task.share.clone();
        if share.is_empty() {
            return Ok(MadeShare {
                fitness: Vec::new(),
                words: Vec::new(),
                swaps: 0,
            });
        }
        self.kernels.who.share = share.start as u32..share.end as u32;
        // Emigrants of another time do not arrive.
        let waiting = matches!(self.kernels.auxiliary(), Auxiliary::Emigrants(_));
        if task.emigrants.is_none() && waiting {
            self.kernels.vacate();
        }
        let kernels =
            self.prepare_operator(task.operator.operator(), last.wrapping_sub(first) + 1)?;
        if let Some(emigrants) = task.emigrants {
            self.keep_beside(&SavedAuxiliary::Emigrants(emigrants.clone()))?;
        }
        let state = State {
            generation: first.wrapping_sub(1),
            best_at: task.best_at,
            // Emigrants are where they are after one survey.
            surveys: 1,
            stride: last.wrapping_sub(first) + 1,
            ..State::START
        };
        let to = &self.kernels.buffers.state;
        self.context.write(to, 0, bytemuck::bytes_of(&state));
        let mut encoder = self.encoder();
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for kernel in kernels {
            self.kernels.dispatch(&mut pass, kernel, first);
        }
        drop(pass);
        self.record.generation = last;
        let staging = self.download();
        let made = &self.kernels.buffers.populations[last as usize % 2];
        let (each, len) = (words_of(self.form), share.len());
        let parts = [
            (share.start, len),
            (self.pop + share.start, len),
            (2 * self.pop + share.start * each, len * each),
        ];
        let mut to = 0;
        for (from, words) in parts {
            let [from, bytes] = [from, words].map(|words| 4 * words as u64);
            encoder.copy_buffer_to_buffer(made, from, &staging, to, bytes);
            to += bytes;
        }
        let mut fitness: Vec<u32> = self.read_staging(encoder, &staging, to).await?;
        let words = fitness.split_off(2 * len);
        let swaps = fitness.split_off(len);
        if fitness.contains(&TRUNCATED) {
            return Err(self.cuts_loops());
        }
        Ok(MadeShare {
            fitness,
            words,
            swaps: swaps.into_iter().map(u64::from).sum(),
        })
    }

    /// What individuals remember, if they do; right of those that were made here.
    pub async fn memories(&self) -> Result<Option<Vec<Memory>>, Error> {
        match self.kernels.auxiliary() {
            Auxiliary::Memories => match self.saved_auxiliary().await? {
                SavedAuxiliary::Memories(memories) => Ok(Some(memories)),
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Tells the device what individuals remember, or that they remember nothing.
    pub fn remind(&mut self, memories: Option<&[Memory]>) -> Result<(), Error> {
        match memories {
            Some(memories) => self.keep_beside(&SavedAuxiliary::Memories(memories.to_vec())),
            None => {
                self.kernels.forget();
                Ok(())
            }
        }
    }
}
