//! What the host knows of a run: what was recorded, and what it has cost so far.

use std::slice;

use super::{RunState, RunTotals};
use crate::plan::Plan;
use crate::population::Record;

/// What the host knows of a run besides the population.
pub struct RunLog {
    /// The generations of the last batch.
    pub records: Vec<Record>,
    /// Evaluations from the beginning to the end of each of them.
    pub evaluations: Vec<u64>,
    /// What is counted over all generations.
    pub totals: RunTotals,
}

impl RunLog {
    /// What was known there.
    pub fn of(state: &RunState) -> Self {
        Self {
            records: vec![state.snapshot.record],
            evaluations: vec![state.evaluations],
            totals: state.totals,
        }
    }

    /// The last generation, and evaluations up to its end.
    pub fn last(&self) -> (Record, u64) {
        let spent = self.evaluations.last().expect("one for each record");
        (last_of(&self.records), *spent)
    }
}

/// Evaluations from the beginning to the end of each generation, if so many were made up to one.
pub fn count(plan: &Plan, pop: usize, up_to: (Record, u64), records: &[Record]) -> Vec<u64> {
    let (mut before, mut spent) = up_to;
    let mut add = |record: &Record| {
        let ran = record.generation - before.generation;
        let learning = u64::from(record.reinitialised - before.reinitialised);
        let made = plan.evaluations(pop, ran, slice::from_ref(record)) + learning;
        spent = spent.saturating_add(made);
        before = *record;
        spent
    };
    records.iter().map(&mut add).collect()
}

/// The record of the last generation.
pub fn last_of(records: &[Record]) -> Record {
    *records
        .last()
        .expect("engines return at least one record until a run is solved")
}
