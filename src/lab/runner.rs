//! Carries out the cases of an experiment, several at a time.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::experiment::{Case, Experiment, Place};
use super::jobs::{self, Order};
use super::results::{Improvement, Line, Run, RunKind};
use crate::algo::Algorithm;
use crate::controller::{self, Budget, Config, Observer, Progress};
use crate::engine::Backend;
use crate::engine::gpu::adapter::AdapterChoice;
use crate::error::Error;

/// How much of a machine an experiment may take.
#[derive(Debug, Clone)]
pub struct Means {
    /// Runs of the native engine at a time.
    pub jobs: usize,
    /// Threads of each.
    pub threads: usize,
    /// The adapter of the GPU engine, which makes one run at a time.
    pub adapter: AdapterChoice,
}

/// Carries out cases and hands over each as it finishes, until all are done, one fails, `done` breaks, or
/// somebody sets `stop`. Runs under way are given up then.
///
/// Native runs come first, then those of the GPU, so that neither disturbs the times of the other.
pub fn run(
    experiment: &Experiment,
    cases: &[Case],
    means: &Means,
    stop: &AtomicBool,
    mut done: impl FnMut(Case, Line) -> ControlFlow<()>,
) -> Result<(), Error> {
    let id = &experiment.design().id();
    let mut flow = Ok(ControlFlow::Continue(()));
    for (place, jobs) in [(Place::Cpu, means.jobs), (Place::Gpu, 1)] {
        let there = |case: &Case| experiment.contenders[case.contender].place == place;
        let cases: Vec<Case> = cases.iter().copied().filter(there).collect();
        let work = |case: Case| {
            let line = run_case(experiment, id, case, means, stop);
            // What was cut short is no result.
            let whole = line.is_err() || !stop.load(Ordering::Relaxed);
            whole.then_some((case, line))
        };
        let jobs = jobs.min(cases.len());
        jobs::carry_out(cases, jobs, Order::Finished, stop, work, |result| {
            if let Some((case, line)) = result {
                flow = line.map(|line| done(case, line));
            }
            match flow {
                Ok(flow) => flow,
                Err(_) => ControlFlow::Break(()),
            }
        });
    }
    flow.map(|_| ())
}

/// ImprovementLog where the best of a run is improved, and ends it when everything is to end.
struct ImprovementLog<'a> {
    improvements: Vec<Improvement>,
    stop: &'a AtomicBool,
}

impl Observer for ImprovementLog<'_> {
    fn progress(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        for (record, &evaluations) in progress.records.iter().zip(progress.evaluations) {
            let best = self.improvements.last().map_or(u32::MAX, |it| it.best);
            if record.best < best {
                self.improvements.push(Improvement {
                    generation: record.generation,
                    evaluations,
                    best: record.best,
                });
            }
        }
        match self.stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

fn run_case(
    experiment: &Experiment,
    id: &str,
    case: Case,
    means: &Means,
    stop: &AtomicBool,
) -> Result<Line, Error> {
    let contender = &experiment.contenders[case.contender];
    let named = &experiment.problems[case.problem];
    let algorithm: Box<dyn Algorithm> = contender.settings.build();
    let config = Config {
        algorithm: &*algorithm,
        propagate: contender.settings.propagation(),
        pop: contender.pop,
        seed: experiment.seed.wrapping_add(u64::from(case.run)),
        budget: Budget {
            max_generations: contender.max_generations,
            max_evaluations: experiment.max_evaluations,
            time_limit: experiment.time_limit.map(Duration::from_secs_f64),
        },
        backend: match contender.place {
            Place::Cpu => Backend::Cpu {
                threads: means.threads,
            },
            Place::Gpu => Backend::Gpu {
                adapter: means.adapter.clone(),
                lanes: None,
            },
        },
    };
    let mut log = ImprovementLog {
        improvements: Vec::new(),
        stop,
    };
    let outcome = pollster::block_on(controller::run(&named.problem, &config, &mut log))?;
    if let Some(fault) = outcome.fault {
        // What was cut short is no result.
        return Err(fault);
    }
    Ok(Line {
        kind: RunKind::Run,
        experiment: id.to_owned(),
        contender: contender.name.clone(),
        run: case.run,
        improvements: log.improvements,
        result: Run::new(&named.name, &contender.settings, &config, &outcome),
    })
}
