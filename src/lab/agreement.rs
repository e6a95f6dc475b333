//! Whether equal runs have ended equally: the engines promise it, and here it is checked.
//!
//! Runs are equal if problem, algorithm, parameters, population, seed and budget are, whatever the backend
//! and whatever the contender is called. What a time limit has cut short is compared with nothing.

use std::collections::HashMap;
use std::fmt;

use super::experiment::{ContenderDesign, Design};
use super::results::{Results, Run};
use crate::problem::sudoku::format::shortened;

/// Two equal runs that have not ended equally.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    problem: String,
    seed: u64,
    /// What is not the same.
    what: &'static str,
    runs: [Side; 2],
}

/// One of the two.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Side {
    contender: String,
    backend: String,
    value: String,
    hash: String,
}

impl Side {
    fn new(contender: &str, run: &Run, value: String) -> Self {
        Self {
            contender: shortened(contender),
            backend: shortened(&run.backend),
            value: shortened(&value),
            hash: shortened(&run.population_hash),
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            contender,
            backend,
            value,
            hash,
        } = self;
        write!(f, "{value} by {contender} on {backend}")?;
        match value == hash {
            true => Ok(()),
            false => write!(f, " (population_hash {hash})"),
        }
    }
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            problem,
            seed,
            what,
            runs: [one, other],
        } = self;
        write!(
            f,
            "equal runs on {problem} with seed {seed} have not ended equally: {what} is {one}, but {other}"
        )
    }
}

/// Every run that has not ended as the first run that is equal to it, in the order of the cases.
pub fn disagreements(results: &Results) -> Vec<Disagreement> {
    let design = &results.header.design;
    let alike = alike(design);
    let mut first = HashMap::new();
    let mut found = Vec::new();
    for (case, line) in &results.runs {
        let run = &line.result;
        if run.stop == "time" {
            continue;
        }
        let key = (case.run, case.problem, alike[case.contender]);
        let (contender, before) = *first.entry(key).or_insert((&line.contender, run));
        if let Some((what, values)) = difference(before, run) {
            let [one, other] = values;
            found.push(Disagreement {
                problem: shortened(&run.problem),
                seed: run.seed,
                what,
                runs: [
                    Side::new(contender, before, one),
                    Side::new(&line.contender, run, other),
                ],
            });
        }
    }
    found
}

/// For each contender the first one that makes the same runs.
fn alike(design: &Design) -> Vec<usize> {
    let key = |it: &ContenderDesign| {
        let params = serde_json::to_string(&it.params).unwrap_or_default();
        (it.algo.clone(), it.pop, it.max_generations, params)
    };
    let mut first = HashMap::new();
    let contenders = design.contenders.iter().enumerate();
    contenders
        .map(|(at, it)| *first.entry(key(it)).or_insert(at))
        .collect()
}

/// What of two runs is not the same, the digest of the population last: it follows from the others.
fn difference(one: &Run, other: &Run) -> Option<(&'static str, [String; 2])> {
    type Key = (&'static str, fn(&Run) -> String);
    const KEYS: [Key; 4] = [
        ("generations", |run| run.generations.to_string()),
        ("evaluations", |run| run.evaluations.to_string()),
        ("best_fitness", |run| run.best_fitness.to_string()),
        ("population_hash", |run| run.population_hash.clone()),
    ];
    KEYS.into_iter().find_map(|(what, value)| {
        let values = [value(one), value(other)];
        (values[0] != values[1]).then_some((what, values))
    })
}
