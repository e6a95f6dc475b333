//! What `gpusudoku bench --format json` writes, as far as a figure needs it.

use std::ops::RangeInclusive;

use serde::Deserialize;
use thiserror::Error;

use crate::problem::sudoku::format::shortened;

/// The rates that a machine may have, with room on both sides. Axes could not hold all numbers.
const RATES: RangeInclusive<f64> = 1e-9..=1e18;

/// Why a text is no measurement of engines.
#[derive(Debug, Error)]
#[error("{file}: expected what `gpusudoku bench --format json` writes: {reason}")]
pub struct BenchError {
    file: String,
    reason: String,
}

/// Measurements of engines.
#[derive(Debug, Clone, Deserialize)]
pub struct Measurements {
    /// Version of the program.
    #[serde(default)]
    pub version: Option<String>,
    /// Whether the compiler was not asked for speed.
    #[serde(default)]
    pub debug_build: bool,
    /// What they were made on.
    #[serde(default)]
    pub machine: Option<BenchMachine>,
    /// One for each engine and piece of work.
    pub rows: Vec<Row>,
}

/// The machine of measurements.
#[derive(Debug, Clone, Deserialize)]
pub struct BenchMachine {
    /// The processor, if the system tells.
    #[serde(default)]
    pub processor: Option<String>,
    /// Threads that it can run at once.
    #[serde(default)]
    pub threads: Option<usize>,
    /// The operating system.
    #[serde(default)]
    pub os: Option<String>,
}

/// What an engine made of a piece of work.
#[derive(Debug, Clone, Deserialize)]
pub struct Row {
    /// The work.
    pub workload: String,
    /// N of the grids.
    pub size: usize,
    /// Individuals.
    pub pop: usize,
    /// The engine; of a GPU, the adapter.
    pub engine: String,
    /// Whether the adapter is a program.
    pub software: bool,
    /// Individuals a second.
    #[serde(rename = "individuals_per_second", default)]
    pub rate: Option<f64>,
    /// Why there is no rate.
    #[serde(default)]
    pub skipped: Option<String>,
}

impl Measurements {
    /// Reads the text of a file.
    pub fn read(file: &str, text: &[u8]) -> Result<Self, BenchError> {
        let refused = |reason: String| BenchError {
            file: file.to_owned(),
            reason,
        };
        let bench: Self =
            serde_json::from_slice(text).map_err(|e| refused(shortened(&e.to_string())))?;
        if bench.rows.is_empty() {
            return Err(refused("its list of rows is empty".to_owned()));
        }
        for (at, row) in bench.rows.iter().enumerate() {
            let missing = match row.rate {
                Some(rate) if !RATES.contains(&rate) => "has individuals_per_second that are none",
                None if row.skipped.is_none() => "has neither individuals_per_second nor skipped",
                _ if row.size == 0 || row.pop == 0 => "has a size or pop of 0",
                _ => continue,
            };
            return Err(refused(format!("row {} {missing}", at + 1)));
        }
        Ok(bench)
    }
}
