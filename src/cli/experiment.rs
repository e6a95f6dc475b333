//! What the commands that run experiments have in common.

use std::ops::ControlFlow;
use std::path::Path;

use clap::{Args, ValueEnum};
use gpusudoku::engine::cpu::threads_for;
use gpusudoku::engine::gpu::adapter::{self, AdapterChoice};
use gpusudoku::lab::agreement::disagreements;
use gpusudoku::lab::experiment::{Experiment, Place, Shard};
use gpusudoku::lab::report::make_folder;
use gpusudoku::lab::results::{Header, Line, Results};
use gpusudoku::lab::runner::{self, ReadyCase, Resources};
use gpusudoku::lab::store::{Store, StoreError};
use gpusudoku::lab::traces::{TraceError, Traces};

use super::exit::{Failure, Status};
use super::progress::runs_bar;
use super::{CommandResult, interrupt};

/// An engine of an experiment. There is no `auto`: what an experiment is must not depend on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PlaceName {
    /// The native engine.
    Cpu,
    /// The GPU engine, on a software adapter if there is no other.
    Gpu,
}

impl From<PlaceName> for Place {
    fn from(name: PlaceName) -> Self {
        match name {
            PlaceName::Cpu => Self::Cpu,
            PlaceName::Gpu => Self::Gpu,
        }
    }
}

/// How much of the machine an experiment may take.
#[derive(Debug, Args)]
pub struct MeansArgs {
    /// Runs of the native engine at a time; with 1 the times are those of an idle machine
    /// [default: one a core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Threads of each.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Adapter of the GPU engine, by part of its name or by its number in `gpusudoku adapters`.
    #[arg(long, value_name = "NAME-OR-INDEX", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    adapter: Option<String>,
    /// No progress bar.
    #[arg(long)]
    quiet: bool,
}

impl MeansArgs {
    /// Refuses an adapter that nobody would use.
    pub fn check(&self, places: &[PlaceName]) -> Result<(), Failure> {
        match self.adapter.is_some() && !places.contains(&PlaceName::Gpu) {
            true => Err(Failure::bad_input(
                "--adapter does not go with --backend cpu",
            )),
            false => Ok(()),
        }
    }

    /// The same for the library.
    pub fn resources(&self) -> Resources {
        Resources {
            jobs: threads_for(self.jobs.map_or(0, usize::from)),
            threads: usize::from(self.threads),
            adapter: self
                .adapter
                .as_deref()
                .map_or(AdapterChoice::Best, AdapterChoice::from),
        }
    }
}

/// What the process tells its caller of an experiment that went to its end.
pub fn verdict(results: &Results) -> CommandResult {
    let rejected = |line: &Line| {
        let reason = line.result.rejected.as_ref()?;
        let (contender, problem, run) = (&line.contender, &line.result.problem, line.run);
        Some(format!(
            "run {run} of {contender} on {problem}: the independent check rejected a claimed \
             solution: {reason}"
        ))
    };
    let rejected = results.runs.iter().find_map(|(_, line)| rejected(line));
    // Nothing else can be believed of engines that disagree.
    let disagreed = || disagreements(results).first().map(ToString::to_string);
    match rejected.or_else(disagreed) {
        Some(message) => Err(Failure::rejected(message)),
        None => Ok(Status::Success),
    }
}

/// Where an experiment is written.
#[derive(Clone, Copy)]
pub struct Destination<'a> {
    /// The file of results, if there is one.
    pub results: Option<&'a Path>,
    /// The folder of traces, if they are wanted.
    pub traces: Option<&'a Path>,
}

/// Runs a part of an experiment. With a file, finished runs are read from there instead of run again, new
/// ones are written as they finish, and the results are all that the file has then.
pub fn carry_out(
    experiment: &Experiment,
    shard: Shard,
    resources: &MeansArgs,
    into: Destination<'_>,
) -> Result<Results, Failure> {
    let out = into.results;
    if let Some(excess) = experiment.excess(shard) {
        return Err(Failure::bad_input(excess));
    }
    let header = Header::new(experiment.design(), shard);
    // Not after hours on the native engine.
    if experiment
        .contenders
        .iter()
        .any(|it| it.place == Place::Gpu)
    {
        pollster::block_on(adapter::find(&resources.resources().adapter))?;
    }
    let mut cases = experiment.cases(shard);
    let planned = cases.len();
    let new_folder = into.traces.filter(|folder| !folder.exists());
    into.traces.map(make_folder).transpose()?;
    let traces = into.traces.map(Traces::new);
    let store = out.map(|out| Store::open(out, &header)).transpose();
    let mut store = store.inspect_err(|_| {
        // What is refused leaves nothing.
        let _ = new_folder.map(std::fs::remove_dir);
    })?;
    if let (Some(store), Some(out)) = (&store, out) {
        for flaw in store.flaws() {
            eprintln!("gpusudoku: {flaw}");
        }
        if let (Some(traces), Some(folder)) = (&traces, into.traces) {
            let untraced = cases.iter().filter(|&&case| {
                let seed = experiment.seed.wrapping_add(u64::from(case.run));
                let contender = &experiment.contenders[case.contender].name;
                let problem = &experiment.problems[case.problem].name;
                store.has(case) && !traces.path(contender, problem, seed).exists()
            });
            match untraced.count() {
                0 => {}
                runs => eprintln!(
                    "{}: {runs} runs that were made before have no trace",
                    folder.display()
                ),
            }
        }
        cases.retain(|&case| !store.has(case));
        if store.found() > 0 {
            let found = store.found();
            eprintln!("{}: goes on after {found} runs", out.display());
        }
    }
    let bar = runs_bar(cases.len(), resources.quiet);
    let mut runs = Vec::new();
    let mut failure = None;
    let mut done = planned - cases.len();
    interrupt::listen();
    let stop = &interrupt::REQUESTED;
    let watch = |ready: &ReadyCase<'_>| match &traces {
        Some(traces) => traces.run(ready),
        None => ready.run(&mut ()),
    };
    let resources = resources.resources();
    let ran = runner::run_watched(experiment, &cases, &resources, stop, watch, |case, line| {
        bar.inc(1);
        done += 1;
        let Some(store) = &mut store else {
            runs.push((case, line));
            return ControlFlow::Continue(());
        };
        match store.add(&line) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        }
    });
    bar.finish_and_clear();
    ran?;
    traces.map_or(Ok(()), Traces::check)?;
    if failure.is_none() && interrupt::requested() {
        let go_on = match out {
            Some(_) => "the same command goes on from here",
            None => "nothing is kept without --out",
        };
        return Err(Failure::interrupted(format!(
            "interrupted after {done} of {planned} runs; {go_on}"
        )));
    }
    match (failure, store) {
        (Some(error), _) => Err(error.into()),
        (None, Some(store)) => Ok(store.results()?),
        (None, None) => Ok(Results::new(header, runs)),
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Results(error) => error.into(),
            error => Self::bad_input(error.to_string()),
        }
    }
}

impl From<TraceError> for Failure {
    fn from(error: TraceError) -> Self {
        Self::bad_input(error.to_string())
    }
}
