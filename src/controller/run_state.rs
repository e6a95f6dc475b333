//! Where a run is: enough to go on from there, on either engine and on any machine.

use std::time::Duration;

use crate::codec::{Codec, DecodeError, Persist};
use crate::engine::snapshot::Snapshot;
use crate::plan::Objective;
use crate::population::Record;
use crate::problem::Form;

/// Where a run is, after a generation and before the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunState {
    /// The population, and all that the engine keeps beside it.
    pub snapshot: Snapshot,
    /// What the state of the algorithm remembers.
    pub state: Vec<u32>,
    /// Evaluations so far.
    pub evaluations: u64,
    /// What is counted over all generations.
    pub totals: RunTotals,
    /// Wall clock so far.
    pub elapsed: Duration,
}

impl RunState {
    /// A state to be read.
    pub fn blank(form: Form) -> Self {
        Self {
            snapshot: Snapshot::blank(form),
            state: Vec::new(),
            evaluations: 0,
            totals: RunTotals::default(),
            elapsed: Duration::ZERO,
        }
    }

    /// The last generation.
    pub fn generation(&self) -> u32 {
        self.snapshot.record.generation
    }
}

impl Persist for RunState {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.snapshot)?;
        codec.persist(&mut self.state)?;
        codec.persist(&mut self.evaluations)?;
        codec.persist(&mut self.totals.best)?;
        codec.persist(&mut self.totals.effective)?;
        codec.persist(&mut self.totals.false_zero)?;
        let mut nanoseconds = self.elapsed.as_nanos() as u64;
        codec.persist(&mut nanoseconds)?;
        if codec.reads() {
            self.elapsed = Duration::from_nanos(nanoseconds);
        }
        Ok(())
    }
}

/// What is counted over all generations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunTotals {
    /// The best fitness of all.
    pub best: u32,
    /// Generations that improved it.
    pub effective: u32,
    /// The first generation in which the sums of an invalid grid were all right.
    pub false_zero: Option<u32>,
}

impl Default for RunTotals {
    fn default() -> Self {
        Self {
            best: u32::MAX,
            effective: 0,
            false_zero: None,
        }
    }
}

impl RunTotals {
    pub(super) fn add(&mut self, objective: Objective, records: &[Record]) {
        for record in records {
            if record.best < self.best {
                self.best = record.best;
                let effective = u32::from(record.generation > 0);
                self.effective = self.effective.saturating_add(effective);
            }
            let false_zero = objective == Objective::SumDeviation
                && record.best == Objective::FALSE_ZERO
                && self.false_zero.is_none();
            if false_zero {
                self.false_zero = Some(record.generation);
            }
        }
    }
}
