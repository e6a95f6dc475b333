//! Traces of an experiment: a folder with a CSV file for every run.
//!
//! The files are those of [`super::trace`], a folder for each contender and in it a file for each problem and
//! seed. So several runs at a time, several parts of an experiment and its continuation write side by side, and
//! a run that is made again replaces what was left of it.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use super::report::make_folder;
use super::results::Line;
use super::runner::ReadyCase;
use super::trace::{Trace, TracedRun};
use crate::controller::{Observer, Progress};
use crate::engine::EngineInfo;
use crate::error::Error;

/// Characters of a name that a file has.
const MOST_CHARACTERS: usize = 60;

/// A trace that is lost.
#[derive(Debug, Error)]
#[error("cannot write {}: {error}", .path.display())]
pub struct TraceError {
    path: PathBuf,
    error: io::Error,
}

/// The traces of an experiment.
#[derive(Debug)]
pub struct Traces {
    folder: PathBuf,
    failure: Mutex<Option<TraceError>>,
}

impl Traces {
    /// Traces in this folder.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            failure: Mutex::new(None),
        }
    }

    /// Where the trace of a run is.
    pub fn path(&self, contender: &str, problem: &str, seed: u64) -> PathBuf {
        let folder = self.folder.join(file_name(contender));
        folder.join(format!("{}-{seed}.csv", file_name(problem)))
    }

    /// Runs a case and writes its trace. If that is lost, the experiment is given up.
    pub fn run(&self, ready: &ReadyCase<'_>) -> Result<Line, Error> {
        let contender = ready.contender;
        let path = self.path(&contender.name, &ready.problem.name, ready.seed);
        let mut watch = TraceObserver {
            trace: Trace::new(path, None),
            run: TracedRun {
                problem: &ready.problem.name,
                algo: contender.settings.info().name,
                seed: ready.seed,
                pop: contender.pop,
            },
        };
        let path = watch.trace.path().to_owned();
        let lost = |error| {
            let error = TraceError { path, error };
            let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
            ready.give_up();
        };
        let line = ready.run(&mut watch);
        if let Err(error) = watch.trace.check() {
            lost(error);
        }
        line
    }

    /// Tells if a trace was lost.
    pub fn check(self) -> Result<(), TraceError> {
        let failure = self.failure.into_inner();
        let failure = failure.unwrap_or_else(PoisonError::into_inner);
        failure.map_or(Ok(()), Err)
    }
}

/// Writes the trace of one run.
struct TraceObserver<'a> {
    trace: Trace,
    run: TracedRun<'a>,
}

impl Observer for TraceObserver<'_> {
    fn started(&mut self, _: &EngineInfo) {
        // If it cannot be made, neither can the file, and that is told.
        if let Some(folder) = self.trace.path().parent() {
            let _ = make_folder(folder);
        }
        self.trace.open(&self.run);
    }

    fn progress(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        self.trace.add(&self.run, progress);
        match self.trace.failed() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    fn wants_diversity(&self) -> bool {
        true
    }
}

/// A name as part of a path, the same whatever other names there are: what had to be changed has a digest, as
/// another name may look the same then. Some file systems do not tell a from A.
fn file_name(name: &str) -> String {
    let plain = |c: char| match c {
        c if c.is_ascii_alphanumeric() || c == '-' => c,
        _ => '_',
    };
    let changed: String = name.chars().take(MOST_CHARACTERS).map(plain).collect();
    let same = changed == name && !name.contains(|c: char| c.is_ascii_uppercase());
    match same && !name.is_empty() {
        true => changed,
        false => format!("{changed}-{:08x}", xxh3_64(name.as_bytes()) as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_have_files_that_differ() {
        assert_eq!(file_name("nb-coin"), "nb-coin");
        let long = "x".repeat(300);
        let longer = "x".repeat(301);
        let names = [
            "a:b", "a=b", "a_b", "A-b", "a-b", "../b", "", &long, &longer,
        ];
        let files: std::collections::HashSet<String> = names
            .iter()
            .map(|name| file_name(name).to_lowercase())
            .collect();
        assert_eq!(files.len(), names.len());
        for file in files {
            assert!(!file.contains(['/', '.', ':']) && file.len() < 80, "{file}");
        }
    }
}
