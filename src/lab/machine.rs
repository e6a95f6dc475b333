//! What ran an experiment.

use serde::{Deserialize, Serialize};

/// A machine, as far as figures depend on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor, if the system tells.
    pub cpu: Option<String>,
    /// Threads that it can run at once.
    pub threads: usize,
    /// The operating system.
    pub os: String,
    /// The instruction set.
    pub arch: String,
}

impl Machine {
    /// This machine.
    pub fn here() -> Self {
        Self {
            cpu: cpu(),
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
        }
    }
}

fn cpu() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
