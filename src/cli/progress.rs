//! What a run shows and writes while it goes: a bar on a terminal, a trace in a file.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal as _, Write as _};
use std::ops::ControlFlow;
use std::path::PathBuf;

use gpusudoku::controller::{Observer, Progress};
use gpusudoku::engine::EngineInfo;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

use super::exit::Failure;
use super::interrupt;

/// A CSV file with a row for every generation of every run. It is made when the first run has
/// started, so that refused input leaves an older file alone.
pub struct Trace {
    path: PathBuf,
    file: Option<BufWriter<File>>,
    failure: Option<io::Error>,
}

impl Trace {
    /// A trace to be written there.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path,
            file: None,
            failure: None,
        }
    }

    fn open(&mut self) {
        if self.file.is_none() && self.failure.is_none() {
            match File::create(&self.path) {
                Ok(file) => {
                    self.file = Some(BufWriter::new(file));
                    self.write(
                        "problem,seed,generation,best,mean,worst,diversity,swaps,operator\n",
                    );
                }
                Err(error) => self.failure = Some(error),
            }
        }
    }

    fn write(&mut self, text: &str) {
        if let (Some(file), None) = (&mut self.file, &self.failure) {
            self.failure = file.write_all(text.as_bytes()).err();
        }
    }

    fn add(&mut self, problem: &str, seed: u64, pop: usize, progress: &Progress<'_>) {
        let quoted = format!("\"{}\"", problem.replace('"', "\"\""));
        for record in progress.records {
            self.write(&format!(
                "{quoted},{seed},{},{},{:.3},{},{:.6},{},{}\n",
                record.generation,
                record.best,
                record.mean(pop),
                record.worst,
                record.diversity(pop, progress.free_cells),
                record.swaps(),
                progress.operator
            ));
        }
    }

    /// Writes out what is left of a run, and tells if anything was lost.
    pub fn check(&mut self) -> Result<(), Failure> {
        if let (Some(file), None) = (&mut self.file, &self.failure) {
            self.failure = file.flush().err();
        }
        match self.failure.take() {
            None => Ok(()),
            Some(error) => Err(Failure::bad_input(format!(
                "cannot write {}: {error}",
                self.path.display()
            ))),
        }
    }
}

/// Watches one run.
pub struct Watch<'a> {
    bar: Option<ProgressBar>,
    trace: Option<&'a mut Trace>,
    problem: &'a str,
    pop: usize,
    seed: u64,
    /// What the user should know once the run has started.
    pub notice: Option<String>,
}

impl<'a> Watch<'a> {
    /// A bar unless `quiet` or standard error is no terminal; a trace if there is a file.
    pub fn new(
        problem: &'a str,
        pop: usize,
        seed: u64,
        max_generations: u32,
        quiet: bool,
        trace: Option<&'a mut Trace>,
    ) -> Self {
        let bar = (!quiet && io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(u64::from(max_generations));
            let style =
                ProgressStyle::with_template("{prefix}: generation {pos}/{len} [{wide_bar}] {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_prefix(problem.to_owned());
            bar
        });
        Self {
            bar,
            trace,
            problem,
            pop,
            seed,
            notice: None,
        }
    }
}

impl Observer for Watch<'_> {
    fn started(&mut self, _engine: &EngineInfo) {
        if let Some(trace) = &mut self.trace {
            trace.open();
        }
        let lost = self
            .trace
            .as_ref()
            .is_some_and(|trace| trace.failure.is_some());
        if let (Some(notice), false) = (&self.notice, lost) {
            eprintln!("{notice}");
        }
    }

    fn wants_diversity(&self) -> bool {
        self.trace.is_some()
    }

    fn progress(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        if let Some(trace) = &mut self.trace {
            trace.add(self.problem, self.seed, self.pop, progress);
            // A lost trace ends the run: it is what the user wanted.
            if trace.failure.is_some() {
                return ControlFlow::Break(());
            }
        }
        if let (Some(bar), Some(last)) = (&self.bar, progress.records.last()) {
            let made = (f64::from(last.generation) + 1.0) * self.pop as f64;
            let rate = HumanCount((made / progress.elapsed.as_secs_f64().max(1e-9)) as u64);
            let mean = last.mean(self.pop);
            bar.set_position(u64::from(last.generation));
            bar.set_message(format!(
                "best {} mean {mean:.1}, {rate} individuals/s",
                last.best
            ));
        }
        match interrupt::requested() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// An engine in a few words.
pub fn describe(engine: &EngineInfo) -> String {
    let software = if engine.software {
        ", a software adapter"
    } else {
        ""
    };
    format!("{} ({}{software})", engine.backend, engine.adapter)
}
