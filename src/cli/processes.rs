//! The processes that carry out a command together: one, unless MPI has started several.
//!
//! The first of them reads, writes and decides. The others are told what is to be run, and say nothing unless they
//! fail.

#[cfg(feature = "mpi")]
use gpusudoku::engine::shared::mpi::Session;
use gpusudoku::engine::shared::team::Team;

use super::exit::{Failure, Status};

/// The processes of this command.
pub struct Processes {
    #[cfg(feature = "mpi")]
    session: Option<Session>,
}

impl Processes {
    /// Joins the others, if there are any.
    #[cfg(feature = "mpi")]
    pub fn join() -> Result<Self, Failure> {
        watch::over_this_process()?;
        Ok(Self {
            session: Session::begin()?,
        })
    }

    /// There are no others.
    #[cfg(not(feature = "mpi"))]
    pub fn join() -> Result<Self, Failure> {
        Ok(Self {})
    }

    /// All of them.
    pub fn team(&self) -> Team {
        #[cfg(feature = "mpi")]
        if let Some(session) = &self.session {
            return session.team().clone();
        }
        Team::alone()
    }

    /// Of those on this machine, the number of this one, and how many there are.
    pub fn local(&self) -> (usize, usize) {
        #[cfg(feature = "mpi")]
        if let Some(session) = &self.session {
            return session.local();
        }
        (0, 1)
    }

    /// Tells the user why this process cannot go on. The others cannot go on without it.
    pub fn fail(&self, failure: Failure) -> Status {
        #[cfg(feature = "mpi")]
        if let Some(session) = &self.session {
            let rank = session.team().rank();
            let failure = match rank {
                0 => failure,
                rank => failure.at(&format!("process {rank}")),
            };
            session.abort(failure.status() as i32, || {
                failure.report();
            });
        }
        failure.report()
    }
}

/// A process that is killed cannot say so. Its launcher would end the others with the number of a signal; a process
/// that watches over it ends with a sentence and the status of a device that has failed.
#[cfg(feature = "mpi")]
mod watch {
    use std::process::{Command, exit};
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::{Failure, Status};

    /// Whether somebody has ended this process and the one that works.
    static TERMINATED: AtomicBool = AtomicBool::new(false);

    /// Set for the process that works.
    const WATCHED: &str = "GPUSUDOKU_WATCHED";

    /// Goes on in a child, if a launcher has started this process; this one waits for its end.
    pub fn over_this_process() -> Result<(), Failure> {
        let launched = gpusudoku::engine::shared::mpi::is_launched();
        if !launched || std::env::var_os(WATCHED).is_some() {
            return Ok(());
        }
        let cannot = |error: std::io::Error| {
            Failure::bad_input(format!("cannot start the process that works: {error}"))
        };
        // Launchers signal the whole group: the child decides.
        let _ = ctrlc::set_handler(|| TERMINATED.store(true, Ordering::Relaxed));
        let program = std::env::current_exe().map_err(cannot)?;
        let mut child = { Command::new(program) }
            .args(std::env::args_os().skip(1))
            .env(WATCHED, "1")
            .spawn()
            .map_err(cannot)?;
        let status = child.wait().map_err(cannot)?;
        let Some(code) = status.code() else {
            // By its launcher, which ends all of them and has said why.
            if TERMINATED.load(Ordering::Relaxed) {
                exit(Status::Adapter as i32);
            }
            eprintln!(
                "gpusudoku: a process of the run was killed ({status}), and the others cannot go on without it; \
                 --resume goes on from the last checkpoint, if there is one"
            );
            exit(Status::Adapter as i32);
        };
        exit(code);
    }
}
