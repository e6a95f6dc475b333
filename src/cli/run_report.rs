//! What `gpusudoku run` says of its runs.

use std::time::Duration;

use clap::ValueEnum;
use gpusudoku::algo::{Info, Settings};
use gpusudoku::controller::{Config, Outcome, Stop};
use gpusudoku::lab::numbers::{number, readable_seconds};
use gpusudoku::lab::results::{Run, canonical_answer};
use gpusudoku::plan::Objective;
use gpusudoku::problem::sudoku::format::framed_in;
use gpusudoku::problem::verify::Violation;
use gpusudoku::problem::{Answer, NamedProblem, Problem};

use super::exit::Failure;
use super::progress::describe;
use super::{print, print_json};

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RunFormat {
    /// For people: the grid of every run in a frame, and a line that sums it up. Of more than 10 runs each
    /// solution stands on one line, as in .sdm files, before the line that sums up its run.
    Text,
    /// One JSON object for each run.
    Json,
    /// One line for a tuner such as irace or SMAC: cost and seconds. The cost of a run is its
    /// evaluations, ten times that if it is not solved; the line has the mean of all runs.
    Irace,
}

/// What all runs of the command have in common.
pub struct Job<'a> {
    pub info: &'static Info,
    pub settings: &'a Settings,
    pub format: RunFormat,
    /// How many there are.
    pub runs: usize,
}

/// The most runs whose grids are drawn: more of them nobody looks at, but may want to put to use.
pub const MOST_DRAWN: usize = 10;

impl Job<'_> {
    /// Prints what came of a run.
    pub fn report(
        &self,
        problem: &NamedProblem,
        config: &Config<'_>,
        outcome: &Outcome,
    ) -> Result<(), Failure> {
        match self.format {
            RunFormat::Json => {
                let run = Run::new(&problem.name, self.settings, config, outcome);
                print_json(&run.spelled_like(&problem.problem, outcome))
            }
            // One line for all runs, when they are done.
            RunFormat::Irace => Ok(()),
            RunFormat::Text => {
                if self.runs <= MOST_DRAWN {
                    print(draw(&problem.problem, &outcome.best).trim_end())?;
                } else if let Some(solution) = outcome.solution() {
                    print(&canonical_answer(solution).replace('\n', " "))?;
                }
                print(&self.line(problem, config, outcome))
            }
        }
    }

    fn line(&self, problem: &NamedProblem, config: &Config<'_>, outcome: &Outcome) -> String {
        let best = match outcome.false_zero {
            Some(_) if outcome.best_fitness == Objective::FALSE_ZERO => {
                "best Z = 0, by an invalid grid".to_owned()
            }
            _ if outcome.goal > 0 => {
                format!("best {}, the aim is {}", outcome.best_fitness, outcome.goal)
            }
            _ => format!("best {}", outcome.best_fitness),
        };
        let verdict = match outcome.stop {
            Stop::Solved if !outcome.solved => "REJECTED by the independent check".to_owned(),
            Stop::Solved if outcome.by_propagation => "solved by propagation, verified".to_owned(),
            Stop::Solved if outcome.goal > 0 => format!(
                "solved and verified, with {} attacks, the fewest there can be",
                outcome.best_fitness
            ),
            Stop::Solved => "solved and verified".to_owned(),
            Stop::Generations => format!("not solved ({best}), generations spent"),
            Stop::Evaluations => format!("not solved ({best}), evaluations spent"),
            Stop::Time => format!("not solved ({best}), time is up"),
            Stop::Observer => format!("not solved ({best}), interrupted"),
            Stop::Fault => format!("not solved ({best}), the adapter failed"),
        };
        let propagated = propagated(outcome);
        let mut engine = describe(&outcome.engine);
        if let Some(measured) = &outcome.measured {
            let factor = number(measured.factor);
            engine += &format!(", {factor} times as fast as {}", measured.other.adapter);
        }
        let mut line = format!(
            "{}: {verdict}; {} pop {} seed {} on {}: generation {} ({} effective), {} \
             evaluations{propagated}, {}",
            problem.name,
            self.info.name,
            config.pop,
            config.seed,
            engine,
            outcome.generations,
            outcome.effective_generations,
            outcome.evaluations,
            readable_seconds(outcome.seconds)
        );
        if let Some(generation) = outcome.false_zero {
            line.push_str(&format!(
                "; Z = 0 was reached by an invalid grid in generation {generation}"
            ));
        }
        line
    }
}

/// What there is, with commas.
fn joined<const N: usize>(parts: [Option<String>; N]) -> String {
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

/// What propagation did, as a part of a sentence.
fn propagated(outcome: &Outcome) -> String {
    let count = |many: usize, what: &str| match many {
        0 => None,
        1 => Some(format!("1 {what}")),
        many => Some(format!("{many} {what}s")),
    };
    let did = outcome.deductions;
    let singles = joined([
        count(did.naked_singles, "naked single"),
        count(did.hidden_singles, "hidden single"),
    ]);
    let removed = joined([
        count(did.locked_candidates, "locked candidate"),
        count(did.probed_candidates, "probed candidate"),
        count(did.nested_candidates, "nested candidate"),
    ]);
    let mut text = String::new();
    if let Some(cells) = count(outcome.closed_by_propagation, "cell") {
        text = format!(", {cells} closed by propagation ({singles})");
    }
    if !removed.is_empty() {
        text.push_str(&format!(", {removed} removed"));
    }
    text
}

/// The largest board that is drawn.
const MAX_BOARD: usize = 64;

/// An answer for the eye: a framed grid with the givens set apart, or a board.
fn draw(problem: &Problem, answer: &Answer) -> String {
    match (problem, answer) {
        (Problem::Sudoku(puzzle), Answer::Grid(grid)) => {
            framed_in(grid, Some(puzzle.givens()), puzzle.alphabet())
        }
        (_, Answer::Placement(queens)) if queens.rows().len() <= MAX_BOARD => queens.board(),
        _ => canonical_answer(answer),
    }
}

/// How many runs, and how long the solved ones took.
#[derive(Default)]
pub struct BatchTotals {
    pub runs: u32,
    pub solved: u32,
    by_propagation: u32,
    generations: u64,
    seconds: f64,
    cost: f64,
    pub rejected: Option<Violation>,
}

/// How many times an unsolved run costs what it spent (PAR10 of the literature on configuration).
const PENALTY: f64 = 10.0;

impl BatchTotals {
    /// Counts a run.
    pub fn add(&mut self, outcome: &Outcome) {
        self.runs += 1;
        self.seconds += outcome.seconds;
        self.cost += outcome.evaluations as f64 * if outcome.solved { 1.0 } else { PENALTY };
        self.rejected = self.rejected.take().or(outcome.rejected.clone());
        if outcome.solved {
            self.solved += 1;
            self.by_propagation += u32::from(outcome.by_propagation);
            self.generations += u64::from(outcome.generations);
        }
    }

    /// Cost and time of the average run.
    pub fn irace(&self) -> String {
        let runs = f64::from(self.runs.max(1));
        format!("{} {}", self.cost / runs, self.seconds / runs)
    }

    /// All runs in one line: how long they took together, so many at a time.
    pub fn line(&self, took: Duration, jobs: usize) -> String {
        let mean = match self.solved {
            0 => String::new(),
            solved => {
                let mean = self.generations as f64 / f64::from(solved);
                format!(", {mean:.1} generations on average")
            }
        };
        let by_propagation = match self.by_propagation {
            0 => String::new(),
            runs => format!(" ({runs} by propagation alone)"),
        };
        let at_a_time = match jobs {
            1 => String::new(),
            jobs => format!(", {jobs} runs at a time"),
        };
        format!(
            "{} of {} runs solved{by_propagation}{mean}, {} in all{at_a_time}",
            self.solved,
            self.runs,
            readable_seconds(took.as_secs_f64())
        )
    }
}
