//! What figures were measured on.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::engine::cpu::threads_for;

/// A machine, as far as the system tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name (Linux).
    pub processor: Option<String>,
    /// Cores, counted once however many threads they run (Linux).
    pub cores: Option<usize>,
    /// Threads that can run at once.
    pub threads: usize,
    /// The operating system.
    pub os: String,
    /// The architecture that the program was built for.
    pub arch: String,
}

impl Machine {
    /// This machine.
    pub fn here() -> Self {
        let (processor, cores) = parse(&read("/proc/cpuinfo"));
        Self {
            processor,
            cores,
            threads: threads_for(0),
            os: std::env::consts::OS.to_owned(),
            arch: std::env::consts::ARCH.to_owned(),
        }
    }
}

/// How many threads were busy on average in the last minute, those of others included (Linux).
pub fn load() -> Option<f64> {
    read("/proc/loadavg").split(' ').next()?.parse().ok()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// The name and the cores that `/proc/cpuinfo` tells.
fn parse(text: &str) -> (Option<String>, Option<usize>) {
    let fields = |key: &'static str| {
        let fields = text.lines().filter_map(|line| line.split_once(':'));
        fields.filter_map(move |(name, value)| (name.trim() == key).then_some(value.trim()))
    };
    let name = fields("model name").next().map(str::to_owned);
    let cores: HashSet<_> = fields("physical id").zip(fields("core id")).collect();
    (name, (!cores.is_empty()).then_some(cores.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_a_core_are_one_core() {
        let thread = |core| {
            format!("model name\t: Some CPU @ 3 GHz\nphysical id\t: 0\ncore id\t\t: {core}\n\n")
        };
        let text: String = [0, 1, 0, 1].into_iter().map(thread).collect();
        assert_eq!(parse(&text), (Some("Some CPU @ 3 GHz".to_owned()), Some(2)));
        assert_eq!(parse(""), (None, None));
    }
}
