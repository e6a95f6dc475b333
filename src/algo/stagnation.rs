//! How long the best has not improved.

use crate::codec::{Codec, DecodeError, Persist};

/// The best fitness so far, and for how many generations it has stood.
#[derive(Debug, Clone, Copy)]
pub struct Stagnation {
    best: u32,
    /// Generations since the best has improved.
    pub generations: u32,
}

impl Persist for Stagnation {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.best)?;
        codec.persist(&mut self.generations)
    }
}

impl Stagnation {
    /// Before the first generation.
    pub const NEW: Self = Self {
        best: u32::MAX,
        generations: 0,
    };

    /// Takes note of a generation's best; says whether it is better than all before.
    pub fn note(&mut self, best: u32) -> bool {
        let improved = best < self.best;
        if improved {
            *self = Self {
                best,
                generations: 0,
            };
        } else {
            self.generations = self.generations.saturating_add(1);
        }
        improved
    }
}
