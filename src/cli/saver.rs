//! Checkpoints of a run, written while it goes on.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use std::{io, thread};

use gpusudoku::checkpoint::{Checkpoint, RunPlan};
use gpusudoku::controller::RunState;

use super::exit::Failure;

/// Writes positions of a run to a file, one at a time, beside the run.
pub struct Saver {
    subject: RunPlan,
    path: PathBuf,
    pub every: Duration,
    /// The last state; nothing once it is written.
    waiting: Option<Arc<RunState>>,
    writer: Option<JoinHandle<io::Result<()>>>,
    begun: bool,
    /// Whether the user knows that a file could not be written.
    told: bool,
    failure: Option<io::Error>,
}

impl Saver {
    pub fn new(subject: RunPlan, path: PathBuf, every: Duration) -> Self {
        Self {
            subject,
            path,
            every,
            waiting: None,
            writer: None,
            begun: false,
            told: false,
            failure: None,
        }
    }

    /// Takes a state. The first is written at once: who cannot write should know before the run.
    pub fn take(&mut self, state: &Arc<RunState>) -> ControlFlow<()> {
        if self.failed() {
            return ControlFlow::Break(());
        }
        self.waiting = Some(state.clone());
        if !self.begun {
            self.begun = true;
            self.failure = self.write().err();
            return match self.failure {
                Some(_) => ControlFlow::Break(()),
                None => ControlFlow::Continue(()),
            };
        }
        if self.writer.as_ref().is_none_or(JoinHandle::is_finished) {
            let written = self.join();
            self.tell(written);
            self.begin();
        }
        ControlFlow::Continue(())
    }

    /// Whether not even the first state could be written.
    pub fn failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Writes what waits beside the run.
    fn begin(&mut self) {
        if let Some(state) = self.waiting.take() {
            let (checkpoint, path) = (self.checkpoint(state.clone()), self.path.clone());
            let written = thread::Builder::new().spawn(move || checkpoint().save(&path));
            match written {
                Ok(writer) => self.writer = Some(writer),
                // Perhaps there will be a thread next time; at the end none is needed.
                Err(_) => self.waiting = Some(state),
            }
        }
    }

    /// Writes what waits now.
    fn write(&mut self) -> io::Result<()> {
        match self.waiting.take() {
            Some(state) => self.checkpoint(state)().save(&self.path),
            None => Ok(()),
        }
    }

    /// Makes the checkpoint of a state, which is as large as a population, when it is wanted.
    fn checkpoint(&self, state: Arc<RunState>) -> impl FnOnce() -> Checkpoint + Send + 'static {
        let RunPlan {
            problem,
            settings,
            pop,
            seed,
            budget,
        } = self.subject.clone();
        move || Checkpoint {
            problem,
            settings,
            pop,
            seed,
            budget,
            state: Arc::unwrap_or_clone(state),
        }
    }

    /// Waits for the writer, if there is one.
    fn join(&mut self) -> io::Result<()> {
        match self.writer.take().map(JoinHandle::join) {
            None => Ok(()),
            Some(Ok(written)) => written,
            Some(Err(_)) => Err(io::Error::other("the writer has failed")),
        }
    }

    /// Says once what is wrong. A run goes on without a new checkpoint: the next may succeed.
    fn tell(&mut self, written: io::Result<()>) {
        if let (Err(error), false) = (written, self.told) {
            self.told = true;
            eprintln!(
                "gpusudoku: cannot write {}: {error}; the run goes on, and the last checkpoint stands",
                self.path.display()
            );
        }
    }

    /// Writes the last state, and tells if that failed.
    pub fn finish(&mut self) -> Result<(), Failure> {
        let last = self.join();
        let written = match (self.failure.take(), &self.waiting) {
            (Some(failure), _) => Err(failure),
            (None, None) => last,
            (None, Some(_)) => self.write(),
        };
        written.map_err(|error| Failure::cannot_write(&self.path, &error))
    }
}
