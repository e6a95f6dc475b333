//! Exit statuses and what leads to them, in one place.

use std::io;
use std::path::Path;

use gpusudoku::error::Error;

/// What the process tells its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Solved and verified, or the command did its job.
    Success = 0,
    /// The budget was spent without a solution, there is none, somebody ended the search, or a checked
    /// grid is not valid.
    Unsolved = 1,
    /// Bad usage or bad input.
    BadInput = 2,
    /// No usable adapter though one was asked for, or it failed for good.
    Adapter = 3,
    /// The independent check rejected a claimed solution, or equal runs have not ended equally.
    Rejected = 4,
}

/// A sentence for the user and the status that goes with it.
#[derive(Debug)]
pub struct Failure {
    status: Status,
    message: String,
}

impl Failure {
    /// Bad usage or bad input.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Self {
            status: Status::BadInput,
            message: message.into(),
        }
    }

    /// The independent check rejected a claimed solution, or equal runs have not ended equally.
    pub fn rejected(message: impl Into<String>) -> Self {
        Self {
            status: Status::Rejected,
            message: message.into(),
        }
    }

    /// Somebody ended the work before it was done.
    pub fn interrupted(message: impl Into<String>) -> Self {
        Self {
            status: Status::Unsolved,
            message: message.into(),
        }
    }

    /// Results could not be written. A reader that has seen enough is no failure.
    pub fn output(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self {
                status: Status::Success,
                message: String::new(),
            };
        }
        Self::bad_input(format!("cannot write to standard output: {error}"))
    }

    /// A file could not be written.
    pub fn cannot_write(path: &Path, error: &io::Error) -> Self {
        Self::bad_input(format!("cannot write {}: {error}", path.display()))
    }

    /// Puts where it happened before the message.
    pub fn at(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// What the process tells its caller.
    #[cfg(feature = "mpi")]
    pub fn status(&self) -> Status {
        self.status
    }

    /// Tells the user and returns the status.
    pub fn report(self) -> Status {
        if !self.message.is_empty() {
            eprintln!("gpusudoku: {}", self.message);
        }
        self.status
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match error {
            Error::NoSolution(_) | Error::Interrupted => Status::Unsolved,
            Error::NoAdapter(_)
            | Error::DeviceUnsupported { .. }
            | Error::DeviceFailed { .. }
            | Error::Team(_) => Status::Adapter,
            Error::Rejected(_) => Status::Rejected,
            _ => Status::BadInput,
        };
        Self {
            status,
            message: error.to_string(),
        }
    }
}
