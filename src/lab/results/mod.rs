//! Results of experiments: a line of JSON for what was planned, a line for every run.
//!
//! Files can be concatenated in any order. What cannot be trusted is refused ([`ResultsError`]); what is
//! merely incomplete is told ([`Flaw`]); nothing is dropped in silence. Solutions are verified again when
//! they are read: a file is no proof.

mod plans;
mod reader;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_64;

pub use reader::{At, Flaw, MAX_LINE, Reader, ResultsError};

use super::experiment::{Case, Design, Shard, params};
use super::machine::Machine;
use crate::algo::Settings;
use crate::controller::{Config, Measured, Outcome, Stop};
use crate::problem::sudoku::format::{canonical, shortened};
use crate::problem::sudoku::propagate::Deductions;
use crate::problem::{Answer, Problem};

/// Version of the format; another one is refused.
pub const VERSION: u32 = 1;

/// One run, as `run --format json` writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Name of the problem.
    pub problem: String,
    /// Name of the algorithm.
    pub algo: String,
    /// `cpu` or `gpu`.
    pub backend: String,
    /// The adapter, or the threads.
    pub adapter: String,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Individuals.
    pub pop: usize,
    /// The last generation.
    pub generations: u32,
    /// Grids whose fitness was computed.
    pub evaluations: u64,
    /// Of the best individual of the run.
    pub best_fitness: u32,
    /// Whether fitness and verifier both say so.
    pub solved: bool,
    /// The same: nothing is called solved that the verifier has not accepted.
    pub verified: bool,
    /// Wall clock.
    pub seconds: f64,
    /// The verified solution in canonical form.
    pub solution: Option<String>,
    /// Digest of the last generation.
    pub population_hash: String,
    /// Parameters of the algorithm.
    pub params: Map<String, Value>,
    /// `search` or `propagation`.
    pub solved_by: Option<String>,
    /// Cells that propagation closed.
    pub propagated: usize,
    /// What each of its techniques did.
    pub deductions: Deductions,
    /// Generations that improved the best.
    pub effective_generations: u32,
    /// The first generation in which an invalid grid had Z = 0.
    pub false_zero: Option<u32>,
    /// The fitness of a solution.
    pub goal: u32,
    /// Why it ended: `solved`, `generations`, `evaluations`, `time`, `stopped` or `fault`.
    pub stop: String,
    /// Why the verifier rejects what fitness calls solved: a fault of this program or of the device.
    pub rejected: Option<String>,
    /// The solution in the alphabet of the puzzle's text, one character a cell in a line; only there if that
    /// was not numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solution_text: Option<String>,
    /// What a run with a choice of engines has found out; only there if it was long enough for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<OtherEngine>,
}

/// The engine that a run was not left to, because it was slower.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OtherEngine {
    /// `cpu` or `gpu`.
    pub backend: String,
    /// The adapter, or the threads.
    pub adapter: String,
    /// How many times its rate the engine had that was taken.
    pub factor: f64,
}

impl From<&Measured> for OtherEngine {
    fn from(measured: &Measured) -> Self {
        Self {
            backend: measured.other.backend.to_owned(),
            adapter: measured.other.adapter.clone(),
            factor: measured.factor,
        }
    }
}

impl Run {
    /// What came of a run.
    pub fn new(problem: &str, settings: &Settings, config: &Config<'_>, outcome: &Outcome) -> Self {
        let by = |by: &str| outcome.solved.then(|| by.to_owned());
        Self {
            problem: problem.to_owned(),
            algo: settings.info().name.to_owned(),
            backend: outcome.engine.backend.to_owned(),
            adapter: outcome.engine.adapter.clone(),
            seed: config.seed,
            pop: config.pop,
            generations: outcome.generations,
            evaluations: outcome.evaluations,
            best_fitness: outcome.best_fitness,
            solved: outcome.solved,
            verified: outcome.solved,
            seconds: outcome.seconds,
            solution: outcome.solution().map(canonical_answer),
            solution_text: None,
            population_hash: format!("{:016x}", outcome.population_hash),
            params: params(settings),
            solved_by: by(match outcome.by_propagation {
                true => "propagation",
                false => "search",
            }),
            propagated: outcome.closed_by_propagation,
            deductions: outcome.deductions,
            effective_generations: outcome.effective_generations,
            false_zero: outcome.false_zero,
            goal: outcome.goal,
            stop: match outcome.stop {
                Stop::Solved => "solved",
                Stop::Generations => "generations",
                Stop::Evaluations => "evaluations",
                Stop::Time => "time",
                Stop::Observer => "stopped",
                Stop::Fault => "fault",
            }
            .to_owned(),
            rejected: outcome.rejected.as_ref().map(ToString::to_string),
            measured: outcome.measured.as_ref().map(OtherEngine::from),
        }
    }
}

impl Run {
    /// With the solution in the alphabet in which its problem was read as well.
    pub fn spelled_like(self, problem: &Problem, outcome: &Outcome) -> Self {
        let text = match (problem, outcome.solution()) {
            (Problem::Sudoku(puzzle), Some(Answer::Grid(grid))) => {
                puzzle.alphabet().and_then(|alphabet| alphabet.text(grid))
            }
            _ => None,
        };
        Self {
            solution_text: text,
            ..self
        }
    }
}

/// An answer as one line: digits, or the row of the queen of each column.
pub fn canonical_answer(answer: &Answer) -> String {
    match answer {
        Answer::Grid(grid) => canonical(grid),
        Answer::Placement(queens) => queens.to_string(),
    }
}

/// Where the best of a run so far was improved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, u64, u32)", into = "(u32, u64, u32)")]
pub struct Improvement {
    /// In this generation.
    pub generation: u32,
    /// After so many evaluations.
    pub evaluations: u64,
    /// To this fitness.
    pub best: u32,
}

impl From<(u32, u64, u32)> for Improvement {
    fn from((generation, evaluations, best): (u32, u64, u32)) -> Self {
        Self {
            generation,
            evaluations,
            best,
        }
    }
}

impl From<Improvement> for (u32, u64, u32) {
    fn from(it: Improvement) -> Self {
        (it.generation, it.evaluations, it.best)
    }
}

/// What tells the line of a plan from that of a run. Older files do not have it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlanKind {
    /// The only value.
    #[default]
    Plan,
}

/// What tells the line of a run from that of a plan. Older files do not have it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunKind {
    /// The only value.
    #[default]
    Run,
}

/// A run of an experiment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Always `run`.
    #[serde(default)]
    pub kind: RunKind,
    /// Which experiment.
    pub experiment: String,
    /// Which contender.
    pub contender: String,
    /// Which of its runs, from 0.
    pub run: u32,
    /// How it came down.
    pub improvements: Vec<Improvement>,
    /// What came of it.
    #[serde(flatten)]
    pub result: Run,
}

/// The first line of a file: what was planned, by what program, on what machine. A file has another one where its
/// experiment has grown, or where another machine went on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Always `plan`.
    #[serde(default)]
    pub kind: PlanKind,
    /// Version of the format.
    pub gpusudoku_results: u32,
    /// Version of the program.
    pub program: String,
    /// Digest of the design.
    pub experiment: String,
    /// What was planned.
    pub design: Design,
    /// Which part of it this file has.
    pub shard: Shard,
    /// Where.
    pub machine: Machine,
}

impl Header {
    /// The header of a part of an experiment that this program runs on this machine.
    pub fn new(design: Design, shard: Shard) -> Self {
        Self {
            kind: PlanKind::Plan,
            gpusudoku_results: VERSION,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            experiment: design.id(),
            design,
            shard,
            machine: Machine::here(),
        }
    }
}

/// Results of one experiment from any number of files.
#[derive(Debug)]
pub struct Results {
    /// What was planned in all: the first header, grown by all others.
    pub header: Header,
    /// Every plan as it was written; a run says to which one it belongs.
    pub plans: Vec<Header>,
    /// Every machine that took part.
    pub machines: Vec<Machine>,
    /// The runs, in the order of [`Case`].
    pub runs: Vec<(Case, Line)>,
    /// What is incomplete.
    pub flaws: Vec<Flaw>,
}

impl Results {
    /// A digest of what every run has come to, whatever it took in time and wherever it ran: the same experiment
    /// has the same on every machine. XXH3 over a line for each run, in order of their text: contender, problem,
    /// seed, generations, evaluations and digest of the last population, with tabs between them.
    pub fn digest(&self) -> u64 {
        let line = |line: &Line| {
            let it = &line.result;
            format!(
                "{}\t{}\t{}\t{}\t{}\t{}\n",
                line.contender,
                it.problem,
                it.seed,
                it.generations,
                it.evaluations,
                it.population_hash
            )
        };
        let mut lines: Vec<String> = self.runs.iter().map(|(_, it)| line(it)).collect();
        lines.sort_unstable();
        xxh3_64(lines.concat().as_bytes())
    }

    /// Results of this process, which no file has.
    pub fn new(header: Header, mut runs: Vec<(Case, Line)>) -> Self {
        runs.sort_unstable_by_key(|(case, _)| *case);
        Self {
            machines: vec![header.machine.clone()],
            plans: vec![header.clone()],
            header,
            runs,
            flaws: Vec::new(),
        }
    }

    /// Only what belongs to one of the plans, which may be a part of what was planned in all.
    pub fn narrowed(self, header: Header) -> Self {
        let places = self.header.design.cases_in(&header.design);
        let runs = self.runs.into_iter();
        let mut runs: Vec<_> = runs
            .filter_map(|(case, line)| Some((places.get(case)?, line)))
            .collect();
        runs.sort_unstable_by_key(|(case, _)| *case);
        Self {
            plans: vec![header.clone()],
            header,
            runs,
            ..self
        }
    }

    /// How many runs were planned of each contender on each problem, problem by problem.
    fn planned_each(&self) -> Vec<u32> {
        let whole = &self.header.design;
        let contenders = whole.contenders.len();
        let mut planned = vec![0; contenders * whole.problems.len()];
        for plan in &self.plans {
            let design = &plan.design;
            let places = design.cases_in(whole);
            for problem in 0..design.problems.len() {
                for contender in 0..design.contenders.len() {
                    let first = Case {
                        run: 0,
                        problem,
                        contender,
                    };
                    if let Some(at) = places.get(first) {
                        let runs = &mut planned[at.problem * contenders + at.contender];
                        *runs = design.runs.max(*runs);
                    }
                }
            }
        }
        planned
    }

    /// Whether as many runs were planned of every contender on every problem.
    pub fn is_even(&self) -> bool {
        let planned = self.planned_each();
        planned.iter().all(|runs| *runs == self.header.design.runs)
    }

    /// How many runs were planned.
    pub fn planned(&self) -> usize {
        let planned = self.planned_each();
        planned.into_iter().map(|runs| runs as usize).sum()
    }

    /// The planned runs that are missing.
    pub fn missing(&self) -> usize {
        self.planned() - self.runs.len()
    }

    /// Which ones, in a few words: for each contender and problem that lacks some.
    pub fn gaps(&self) -> Vec<String> {
        let design = &self.header.design;
        let contenders = design.contenders.len();
        let planned = self.planned_each();
        let mut missing = planned.clone();
        for (case, _) in &self.runs {
            missing[case.problem * contenders + case.contender] -= 1;
        }
        let mut gaps = Vec::new();
        for (c, contender) in design.contenders.iter().enumerate() {
            for (p, problem) in design.problems.iter().enumerate() {
                let at = p * contenders + c;
                if missing[at] > 0 {
                    let (contender, problem) =
                        (shortened(&contender.name), shortened(&problem.name));
                    let (missing, runs) = (missing[at], planned[at]);
                    gaps.push(format!(
                        "{contender} on {problem}: {missing} of {runs} runs"
                    ));
                }
            }
        }
        gaps
    }
}
