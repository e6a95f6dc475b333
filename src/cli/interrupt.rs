//! Ctrl-C and its relatives: the first asks for an end at the next safe point, the second ends at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Set by SIGINT, SIGTERM or SIGHUP.
pub static REQUESTED: AtomicBool = AtomicBool::new(false);

/// What shells report of a process that SIGINT has ended.
const KILLED: i32 = 130;

/// Wrappers such as `timeout` signal a process and then its whole group: what comes so soon is the same
/// request once more.
const ECHO: Duration = Duration::from_millis(200);

/// From now on signals ask instead of killing.
pub fn listen() {
    // Where no handler can be set, signals kill as they always did: nothing written is lost by that.
    let mut first: Option<Instant> = None;
    let _ = ctrlc::set_handler(move || {
        REQUESTED.store(true, Ordering::Relaxed);
        if first.get_or_insert_with(Instant::now).elapsed() > ECHO {
            std::process::exit(KILLED);
        }
    });
}

/// Whether somebody wants an end.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
