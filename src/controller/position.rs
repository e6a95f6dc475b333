//! Where a run is: enough to go on from there, on either engine and on any machine.

use std::time::Duration;

use crate::engine::snapshot::Snapshot;
use crate::memo::{Keep, Memo, Misfit};
use crate::plan::Objective;
use crate::population::Record;
use crate::problem::Form;

/// Where a run is, after a generation and before the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The population, and all that the engine keeps beside it.
    pub snapshot: Snapshot,
    /// What the course of the algorithm remembers.
    pub course: Vec<u32>,
    /// Evaluations so far.
    pub evaluations: u64,
    /// What is counted over all generations.
    pub tally: Tally,
    /// Wall clock so far.
    pub elapsed: Duration,
}

impl Position {
    /// A position to be read.
    pub fn blank(form: Form) -> Self {
        Self {
            snapshot: Snapshot::blank(form),
            course: Vec::new(),
            evaluations: 0,
            tally: Tally::default(),
            elapsed: Duration::ZERO,
        }
    }

    /// The last generation.
    pub fn generation(&self) -> u32 {
        self.snapshot.record.generation
    }
}

impl Keep for Position {
    fn keep(&mut self, memo: &mut Memo) -> Result<(), Misfit> {
        memo.keep(&mut self.snapshot)?;
        memo.keep(&mut self.course)?;
        memo.keep(&mut self.evaluations)?;
        memo.keep(&mut self.tally.best)?;
        memo.keep(&mut self.tally.effective)?;
        memo.keep(&mut self.tally.false_zero)?;
        let mut nanoseconds = self.elapsed.as_nanos() as u64;
        memo.keep(&mut nanoseconds)?;
        if memo.reads() {
            self.elapsed = Duration::from_nanos(nanoseconds);
        }
        Ok(())
    }
}

/// What is counted over all generations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// The best fitness of all.
    pub best: u32,
    /// Generations that improved it.
    pub effective: u32,
    /// The first generation in which the sums of an invalid grid were all right.
    pub false_zero: Option<u32>,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            best: u32::MAX,
            effective: 0,
            false_zero: None,
        }
    }
}

impl Tally {
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
