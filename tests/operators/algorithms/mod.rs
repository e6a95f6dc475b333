//! The host's side of algorithms: what they learn from populations, when they start anew, and which
//! operator makes the next generation. Here is how runs are driven by hand, as the controller does.

use gpusudoku::algo::{self, Feedback, Settings, Task};
use gpusudoku::engine::Engine;
use gpusudoku::operators::{Start, Variation};
use gpusudoku::population::{Population, Record};

use crate::common::*;
use crate::support::*;

mod hgasa;
mod hybrids;
mod reseda_restarts;
mod sampling_models;
mod stages;

/// The settings of an algorithm with some parameters changed.
fn settings(name: &str, pairs: &[(&str, &str)]) -> Settings {
    let mut settings = Settings::new(algo::find(name).unwrap());
    for (key, value) in pairs {
        settings.set(key, value).unwrap();
    }
    settings
}

/// What made a record.
#[derive(Debug, Clone, PartialEq)]
struct TracedStep {
    operator: &'static str,
    vary: Option<Variation>,
    record: Record,
}

/// A run and how it came about.
struct RunTrace {
    start: Start,
    steps: Vec<TracedStep>,
    /// The population at the start and after every batch.
    populations: Vec<Population>,
}

impl RunTrace {
    /// A run to this generation, in batches of at most so many strides.
    fn new(
        settings: &Settings,
        task: &Task<'_>,
        mut engine: Engine,
        last: u32,
        batch: u32,
    ) -> Self {
        let mut state = settings.build().begin(task);
        let start = state.start();
        let mut records = vec![begin(&mut engine, &start)];
        let mut trace = Self {
            start,
            steps: vec![TracedStep {
                operator: "initialise",
                vary: None,
                record: records[0],
            }],
            populations: Vec::new(),
        };
        loop {
            let record = *records.last().unwrap();
            let population = population(&mut engine);
            if record.solved() || record.generation == last {
                trace.populations.push(population);
                return trace;
            }
            state.observe(&Feedback {
                records: &records,
                observed: &state.observation().of(&population),
            });
            trace.populations.push(population);
            let stage = state.stage();
            assert!(stage.generations > 0, "a stage of nothing");
            let wanted = (batch * stage.plan.stride())
                .min(stage.generations)
                .min(last - record.generation);
            records = pollster::block_on(engine.advance(&stage.plan, wanted)).unwrap();
            trace.steps.extend(records.iter().map(|&record| TracedStep {
                operator: stage.operator,
                vary: Some(stage.plan.vary.clone()),
                record,
            }));
        }
    }

    fn last(&self) -> &Population {
        self.populations.last().expect("every run has a start")
    }

    fn operators(&self) -> Vec<&'static str> {
        self.steps.iter().map(|step| step.operator).collect()
    }
}
