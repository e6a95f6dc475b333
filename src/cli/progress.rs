//! What a run shows and writes while it goes: a bar on a terminal, a trace in a file.

use std::fs::{File, OpenOptions};
use std::io::{
    self, BufRead as _, BufReader, BufWriter, IsTerminal as _, Seek as _, SeekFrom, Write as _,
};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gpusudoku::controller::{Config, Observer, Progress, Remedy, RunState};
use gpusudoku::engine::EngineInfo;
use gpusudoku::error::Error;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

use super::exit::Failure;
use super::interrupt;
use super::saver::Saver;

/// A CSV file with a row for every generation of every run. It is made when the first run has
/// started, so that refused input leaves an older file alone.
pub struct Trace {
    path: PathBuf,
    /// The generation up to which an older file has the rows already.
    resumed: Option<u32>,
    file: Option<BufWriter<File>>,
    failure: Option<io::Error>,
}

impl Trace {
    /// A trace to be written there; of a run that goes on after this generation, behind its rows up to
    /// there.
    pub fn new(path: PathBuf, resumed: Option<u32>) -> Self {
        Self {
            path,
            resumed,
            file: None,
            failure: None,
        }
    }

    fn open(&mut self, problem: &str, seed: u64) {
        if self.file.is_none() && self.failure.is_none() {
            let known = self.resumed.map_or(0, |generation| {
                rows_up_to(&self.path, &run_of(problem, seed), generation)
            });
            let mut options = OpenOptions::new();
            let file = options.write(true).create(true).truncate(false);
            let opened = file.open(&self.path).and_then(|mut file| {
                file.set_len(known)?;
                file.seek(SeekFrom::End(0))?;
                Ok(file)
            });
            match opened {
                Ok(file) => {
                    self.file = Some(BufWriter::new(file));
                    if known == 0 {
                        self.write(HEADER);
                    }
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
        let run = run_of(problem, seed);
        for record in progress.records {
            self.write(&format!(
                "{run}{},{},{:.3},{},{:.6},{},{}\n",
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

    /// Writes out what there is.
    fn flush(&mut self) {
        if let (Some(file), None) = (&mut self.file, &self.failure) {
            self.failure = file.flush().err();
        }
    }

    /// Writes out what is left of a run, and tells if anything was lost.
    pub fn check(&mut self) -> Result<(), Failure> {
        self.flush();
        match self.failure.take() {
            None => Ok(()),
            Some(error) => Err(Failure::bad_input(format!(
                "cannot write {}: {error}",
                self.path.display()
            ))),
        }
    }
}

/// The columns of a trace.
const HEADER: &str = "problem,seed,generation,best,mean,worst,diversity,swaps,operator\n";

/// How the rows of a run begin.
fn run_of(problem: &str, seed: u64) -> String {
    format!("\"{}\",{seed},", problem.replace('"', "\"\""))
}

/// How many bytes of a trace are those of a run up to a generation: it may have gone on beyond its last
/// checkpoint, and may have been killed in the middle of a row. 0 if it is the trace of another.
fn rows_up_to(path: &Path, run: &str, generation: u32) -> u64 {
    let Ok(file) = File::open(path) else {
        return 0;
    };
    let mut lines = BufReader::new(file);
    let mut line = String::new();
    let mut kept = 0;
    while lines.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
        let number = line
            .strip_prefix(run)
            .and_then(|rest| rest.split(',').next());
        let number = number.and_then(|number| number.parse::<u32>().ok());
        let known = match kept {
            0 => line == HEADER,
            _ => number.is_some_and(|number| number <= generation) && line.ends_with('\n'),
        };
        if !known {
            break;
        }
        kept += line.len() as u64;
        line.clear();
    }
    kept
}

/// A bar over many runs, on a terminal and unless it is not wanted.
pub fn runs_bar(runs: usize, quiet: bool) -> ProgressBar {
    if quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(runs as u64);
    let style = ProgressStyle::with_template("run {pos}/{len} [{wide_bar}] {elapsed}, {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// Watches one run.
pub struct Watch<'a> {
    /// The bar of this run, or that of all.
    bar: ProgressBar,
    has_bar: bool,
    trace: Option<&'a mut Trace>,
    saver: Option<Saver>,
    problem: &'a str,
    pop: usize,
    seed: u64,
    /// What the user should know once the run has started.
    pub notice: Option<String>,
}

impl<'a> Watch<'a> {
    /// A bar on a terminal, unless there is one for all runs; a trace if there is a file.
    pub fn new(
        problem: &'a str,
        config: &Config<'_>,
        all: Option<&ProgressBar>,
        trace: Option<&'a mut Trace>,
        saver: Option<Saver>,
    ) -> Self {
        let own = || {
            if !io::stderr().is_terminal() {
                return ProgressBar::hidden();
            }
            let bar = ProgressBar::new(u64::from(config.budget.max_generations));
            let style =
                ProgressStyle::with_template("{prefix}: generation {pos}/{len} [{wide_bar}] {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.set_prefix(problem.to_owned());
            bar
        };
        Self {
            bar: all.cloned().unwrap_or_else(own),
            has_bar: all.is_none(),
            trace,
            saver,
            problem,
            pop: config.pop,
            seed: config.seed,
            notice: None,
        }
    }

    /// Tells the user something.
    fn say(&self, line: &str) {
        self.bar.suspend(|| eprintln!("{line}"));
    }

    /// Whether the run was ended because it cannot be saved.
    pub fn refused(&self) -> bool {
        self.saver.as_ref().is_some_and(Saver::failed)
    }

    /// Clears the bar, and writes the last checkpoint.
    pub fn finish(mut self) -> Result<(), Failure> {
        self.saver.as_mut().map_or(Ok(()), Saver::finish)
    }
}

impl Observer for Watch<'_> {
    fn started(&mut self, _engine: &EngineInfo) {
        if let Some(trace) = &mut self.trace {
            trace.open(self.problem, self.seed);
        }
        let lost = self
            .trace
            .as_ref()
            .is_some_and(|trace| trace.failure.is_some());
        if let (Some(notice), false) = (&self.notice, lost) {
            self.say(notice);
        }
    }

    fn checkpoint_every(&self) -> Option<Duration> {
        self.saver.as_ref().map(|saver| saver.every)
    }

    fn checkpoint(&mut self, state: &Arc<RunState>) -> ControlFlow<()> {
        // A checkpoint is no older than its trace.
        if let Some(trace) = &mut self.trace {
            trace.flush();
        }
        match &mut self.saver {
            Some(saver) => saver.take(state),
            None => ControlFlow::Continue(()),
        }
    }

    fn fault(&mut self, error: &Error, remedy: Remedy) -> ControlFlow<()> {
        let ends = interrupt::requested();
        let remedy = match remedy {
            _ if ends => "ending, as was asked for".to_owned(),
            Remedy::Rebuild {
                attempt,
                generation,
            } => format!(
                "attempt {attempt} to go on, from generation {}",
                generation.unwrap_or(0)
            ),
            Remedy::Native => "going on with the CPU engine".to_owned(),
            Remedy::Surrender => "giving up, with the best so far".to_owned(),
        };
        self.say(&format!("{}: {error}; {remedy}", self.problem));
        match ends {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
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
        let shown = self.has_bar && !self.bar.is_hidden();
        if let (true, Some(last)) = (shown, progress.records.last()) {
            let made = (f64::from(last.generation) + 1.0) * self.pop as f64;
            let rate = HumanCount((made / progress.elapsed.as_secs_f64().max(1e-9)) as u64);
            let mean = last.mean(self.pop);
            self.bar.set_position(u64::from(last.generation));
            self.bar.set_message(format!(
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
        if self.has_bar {
            self.bar.finish_and_clear();
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
