//! How long the best has not improved, and what is done about it.

use super::{Settings, Stage};
use crate::codec::{Codec, DecodeError, Persist};
use crate::operators::{Start, Variation};
use crate::plan::Plan;
use crate::population::Record;
use crate::problem::Instance;

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

/// Begins anew when the best has not improved for long: a genetic algorithm can lose all that it would
/// need for a solution.
#[derive(Debug, Clone)]
pub struct Restarts {
    /// What a new beginning is.
    plan: Plan,
    operator: &'static str,
    /// Generations without a better best; 0: never.
    limit: u32,
    stagnation: Stagnation,
    due: bool,
}

impl Persist for Restarts {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.stagnation)?;
        codec.persist(&mut self.due)?;
        let in_time = self.limit == 0 || self.stagnation.generations < self.limit;
        codec.require(in_time || self.due)
    }
}

impl Restarts {
    /// New populations, after as many generations as [`RESTART`](super::hybrid::RESTART) says.
    pub fn new(start: Start, settings: &Settings, instance: &Instance) -> Self {
        let genes = instance.free_cells().max(1) as u32;
        let limit = settings.count("restart").saturating_mul(genes);
        Self::after(limit, Variation::Renew(start), "restart")
    }

    /// A generation of this, which is called so, after so many without a better best; 0: never.
    pub fn after(limit: u32, vary: Variation, operator: &'static str) -> Self {
        Self {
            plan: Plan::from(vary),
            operator,
            limit,
            stagnation: Stagnation::NEW,
            due: false,
        }
    }

    /// Takes note of a generation; says whether it was a new beginning.
    pub fn note(&mut self, record: &Record) -> bool {
        let restarted = self.due;
        if restarted {
            self.stagnation = Stagnation::NEW;
        }
        self.stagnation.note(record.best);
        self.due = self.limit > 0 && self.stagnation.generations >= self.limit;
        restarted
    }

    /// The stage if it is time to begin anew; otherwise this one, but no further than that.
    pub fn or(&self, stage: Stage) -> Stage {
        if self.due {
            return Stage {
                plan: self.plan.clone(),
                generations: 1,
                operator: self.operator,
            };
        }
        let left = match self.limit {
            0 => u32::MAX,
            limit => limit - self.stagnation.generations,
        };
        Stage {
            generations: stage.generations.min(left),
            ..stage
        }
    }
}
