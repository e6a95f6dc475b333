//! Carries out the cases of an experiment, several at a time.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::experiment::{Case, Contender, Experiment, Place};
use super::jobs::{self, Order};
use super::results::{Improvement, Line, Run, RunKind};
use crate::algo::Algorithm;
use crate::controller::{self, Budget, Config, Observer, Progress};
use crate::engine::gpu::adapter::AdapterChoice;
use crate::engine::{Backend, EngineInfo};
use crate::error::Error;
use crate::problem::NamedProblem;

/// How much of a machine an experiment may take.
#[derive(Debug, Clone)]
pub struct Resources {
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
    resources: &Resources,
    stop: &AtomicBool,
    done: impl FnMut(Case, Line) -> ControlFlow<()>,
) -> Result<(), Error> {
    let unwatched = |ready: &ReadyCase<'_>| ready.run(&mut ());
    run_watched(experiment, cases, resources, stop, unwatched, done)
}

/// The same, with somebody who looks on: `watch` is called for every case, in the thread that carries it out, and
/// lets it run before an observer of its own.
pub fn run_watched(
    experiment: &Experiment,
    cases: &[Case],
    resources: &Resources,
    stop: &AtomicBool,
    watch: impl Fn(&ReadyCase<'_>) -> Result<Line, Error> + Sync,
    mut done: impl FnMut(Case, Line) -> ControlFlow<()>,
) -> Result<(), Error> {
    let id = &experiment.design().id();
    let mut flow = Ok(ControlFlow::Continue(()));
    for (place, jobs) in [(Place::Cpu, resources.jobs), (Place::Gpu, 1)] {
        let there = |case: &Case| experiment.contenders[case.contender].place == place;
        let cases: Vec<Case> = cases.iter().copied().filter(there).collect();
        let work = |case: Case| {
            let line = watch(&ReadyCase {
                case,
                contender: &experiment.contenders[case.contender],
                problem: &experiment.problems[case.problem],
                seed: experiment.seed.wrapping_add(u64::from(case.run)),
                experiment,
                id,
                resources,
                stop,
            });
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

/// Logs where the best of a run is improved, and ends it when everything is to end. Somebody else may look on.
struct ImprovementLog<'a> {
    improvements: Vec<Improvement>,
    stop: &'a AtomicBool,
    observer: &'a mut dyn Observer,
}

impl Observer for ImprovementLog<'_> {
    fn started(&mut self, engine: &EngineInfo) {
        self.observer.started(engine);
    }

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
        let flow = self.observer.progress(progress);
        match self.stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => flow,
        }
    }

    fn wants_diversity(&self) -> bool {
        self.observer.wants_diversity()
    }
}

/// A case that can be run.
#[derive(Debug, Clone, Copy)]
pub struct ReadyCase<'a> {
    /// Which one.
    pub case: Case,
    /// Who runs.
    pub contender: &'a Contender,
    /// On what.
    pub problem: &'a NamedProblem,
    /// With what seed.
    pub seed: u64,
    experiment: &'a Experiment,
    id: &'a str,
    resources: &'a Resources,
    stop: &'a AtomicBool,
}

impl ReadyCase<'_> {
    /// Ends the whole experiment: this case, and all others, are no results then.
    pub fn give_up(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Runs it. An observer that ends it has to give up.
    pub fn run(&self, observer: &mut dyn Observer) -> Result<Line, Error> {
        let Self {
            contender,
            experiment,
            resources,
            ..
        } = self;
        let algorithm: Box<dyn Algorithm> = contender.settings.build();
        let config = Config {
            algorithm: &*algorithm,
            propagate: contender.settings.propagation(),
            pop: contender.pop,
            seed: self.seed,
            budget: Budget {
                max_generations: contender.max_generations,
                max_evaluations: experiment.max_evaluations,
                time_limit: experiment.time_limit.map(Duration::from_secs_f64),
            },
            backend: match contender.place {
                Place::Cpu => Backend::Cpu {
                    threads: resources.threads,
                },
                Place::Gpu => Backend::Gpu {
                    adapter: resources.adapter.clone(),
                    mapping: None,
                },
            },
        };
        let mut log = ImprovementLog {
            improvements: Vec::new(),
            stop: self.stop,
            observer,
        };
        let problem = &self.problem.problem;
        let outcome = pollster::block_on(controller::run(problem, &config, &mut log))?;
        if let Some(fault) = outcome.fault {
            // What was cut short is no result.
            return Err(fault);
        }
        Ok(Line {
            kind: RunKind::Run,
            experiment: self.id.to_owned(),
            contender: contender.name.clone(),
            run: self.case.run,
            improvements: log.improvements,
            result: Run::new(&self.problem.name, &contender.settings, &config, &outcome),
        })
    }
}
