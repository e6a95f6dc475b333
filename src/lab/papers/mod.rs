//! The tables of the papers, and how to run them again.
//!
//! `tables.rs` has what was published; here is what turns a table into an [`Experiment`] and sets published
//! and measured figures side by side.

mod tables;

use serde::Serialize;

pub use tables::ALL;

use super::experiment::{Contender, Experiment};
use super::results::{Results, Run};
use super::statistics::{Interval, mean, mean_interval, quantile, sorted, wilson};
use super::summary::Measure;
use crate::error::Error;
use crate::problem::queens::{Queens, Surface};
use crate::problem::sudoku::exact::Limit;
use crate::problem::sudoku::generate::{Recipe, generate};
use crate::problem::sudoku::{Geometry, builtin};
use crate::problem::{NamedProblem, Puzzle};

/// A published table.
#[derive(Debug)]
pub struct Table {
    /// What `reproduce` calls it.
    pub name: &'static str,
    /// Paper and number.
    pub source: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Runs of each algorithm on each problem.
    pub runs: u32,
    /// Whether the paper says so.
    pub runs_are_published: bool,
    /// What is counted.
    pub measure: Measure,
    /// Problems, in the paper's order.
    pub rows: &'static [Row],
    /// Algorithms, in the paper's order.
    pub columns: &'static [Column],
    /// What is known to be wrong with it, or to be read with care.
    pub errors: &'static [&'static str],
}

/// A row of a table: a problem, or a level of many.
#[derive(Debug)]
pub struct Row {
    /// The paper's name.
    pub label: &'static str,
    /// What is run.
    pub problems: Problems,
}

/// What stands behind a row.
#[derive(Debug, Clone, Copy)]
pub enum Problems {
    /// A built-in puzzle.
    Builtin(&'static str),
    /// Queens on a board.
    Queens(usize),
    /// Puzzles that were never published in text: so many new ones with so many givens stand in.
    StandIns {
        /// How many.
        count: u32,
        /// Givens of each.
        givens: usize,
    },
}

/// A column of a table: an algorithm.
#[derive(Debug)]
pub struct Column {
    /// The paper's name.
    pub label: &'static str,
    /// Our contenders for it, as [`Contender::parse`] reads them.
    pub contenders: &'static [&'static str],
    /// Further readings of it, which take so long that only `--all` runs them.
    pub slow: &'static [&'static str],
    /// Whether the paper quotes these figures from another one instead of measuring them.
    pub quoted: bool,
    /// Published figures, one for each row.
    pub figures: &'static [Figure],
}

/// A published figure.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Figure {
    /// Runs solved, in percent.
    pub success: Option<f64>,
    /// The average, where a solution was found.
    pub mean: Option<f64>,
    /// Of a level: the averages of its hardest and its easiest puzzle.
    pub range: Option<(f64, f64)>,
}

/// Seed of the stand-ins; level and number of a puzzle make the rest of it.
const STAND_INS: u64 = 2023;

impl Table {
    /// The table of that name.
    pub fn find(name: &str) -> Option<&'static Self> {
        ALL.iter().find(|table| table.name == name)
    }

    /// The contenders that stand for its columns; quoted columns and slow readings only if all are wanted.
    fn contenders(&self, all: bool) -> Result<Vec<Contender>, Error> {
        let columns = self.columns.iter().filter(|it| all || !it.quoted);
        let specs = columns.flat_map(|column| column.readings(all));
        specs.map(|spec| Contender::parse(spec, None)).collect()
    }

    /// The experiment that runs it again.
    pub fn experiment(&self, runs: u32, seed: u64, all: bool) -> Result<Experiment, Error> {
        let mut problems = Vec::new();
        for (level, row) in self.rows.iter().enumerate() {
            problems.extend(row.problems.all(level, row.label)?);
        }
        Ok(Experiment {
            contenders: self.contenders(all)?,
            problems,
            runs,
            seed,
            max_evaluations: None,
            time_limit: None,
        })
    }

    /// Published figures, and measured ones beside them if there are results.
    pub fn lines(&self, results: Option<&Results>) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut first = 0;
        for (at, row) in self.rows.iter().enumerate() {
            let problems = first..first + row.problems.count();
            first = problems.end;
            for column in self.columns {
                let line = |contender: &'static str| Line {
                    row: row.label,
                    column: column.label,
                    quoted: column.quoted,
                    contender,
                    published: column.figures[at],
                    measured: results.and_then(|results| {
                        let design = &results.header.design;
                        let contender = design
                            .contenders
                            .iter()
                            .position(|it| it.name == contender)?;
                        let of = |problem: usize| -> Vec<&Run> {
                            let runs = results.runs.iter().filter(|(case, _)| {
                                case.problem == problem && case.contender == contender
                            });
                            runs.map(|(_, line)| &line.result).collect()
                        };
                        let runs: Vec<_> = problems.clone().map(of).collect();
                        Measured::new(&runs, self.measure)
                    }),
                };
                lines.extend(column.readings(true).map(line));
            }
        }
        lines
    }
}

impl Column {
    /// Our contenders for it; the slow ones only if all are wanted.
    fn readings(&self, all: bool) -> impl Iterator<Item = &'static str> {
        let slow = if all { self.slow } else { &[] };
        self.contenders.iter().chain(slow).copied()
    }
}

impl Problems {
    /// How many there are.
    fn count(&self) -> usize {
        match self {
            Self::Builtin(_) | Self::Queens(_) => 1,
            Self::StandIns { count, .. } => *count as usize,
        }
    }

    fn all(&self, level: usize, label: &str) -> Result<Vec<NamedProblem>, Error> {
        Ok(match *self {
            Self::Builtin(name) => {
                let known = builtin::find(name).expect("tables name puzzles that are built in");
                vec![NamedProblem {
                    name: known.name.to_owned(),
                    problem: known.puzzle().clone().into(),
                }]
            }
            Self::Queens(size) => {
                let queens = Queens::new(size, Surface::Board)?;
                vec![NamedProblem {
                    name: queens.to_string(),
                    problem: queens.into(),
                }]
            }
            Self::StandIns { count, givens } => {
                let recipe = Recipe {
                    geometry: Geometry::usual(9)?,
                    givens,
                    unique: true,
                    limit: Limit::default(),
                };
                let label = label.to_lowercase();
                let made = (0..count).map(|index| {
                    let seed = STAND_INS + level as u64;
                    let made = generate(&recipe, seed, index, |_, _| {});
                    let puzzle = Puzzle::new(made.puzzle).expect("part of a solved grid");
                    NamedProblem {
                        name: format!("{label}-{:02}", index + 1),
                        problem: puzzle.into(),
                    }
                });
                made.collect()
            }
        })
    }
}

/// A published figure and what was measured.
#[derive(Debug, Clone, Serialize)]
pub struct Line {
    /// The paper's name of the problem or level.
    pub row: &'static str,
    /// The paper's name of the algorithm.
    pub column: &'static str,
    /// Whether the paper took the figure from another one.
    pub quoted: bool,
    /// Ours.
    pub contender: &'static str,
    /// What was published.
    pub published: Figure,
    /// What was measured, if it was run.
    pub measured: Option<Measured>,
}

/// What was measured for a row and a column.
#[derive(Debug, Clone, Serialize)]
pub struct Measured {
    /// Runs on all problems of the row.
    pub runs: usize,
    /// Those that were solved, and verified.
    pub solved: usize,
    /// Those that propagation alone has solved.
    pub by_propagation: usize,
    /// Wilson's interval of the success rate.
    pub rate: Interval,
    /// What solved runs have cost, on average: of a level the mean of its puzzles' averages.
    pub mean: Option<f64>,
    /// Bootstrap interval of that, over runs, of a level over puzzles.
    pub interval: Option<Interval>,
    /// Of a level: the averages of its hardest and its easiest puzzle.
    pub range: Option<(f64, f64)>,
    /// Median cost of the solved runs.
    pub median: Option<f64>,
    /// Mean number of generations that improved the best, as AH-LSGA's paper counts.
    pub effective_generations: Option<f64>,
    /// Mean wall clock of all runs.
    pub seconds: f64,
}

impl Measured {
    /// What the runs on each problem of a row say; nothing if there are none.
    fn new(problems: &[Vec<&Run>], measure: Measure) -> Option<Self> {
        let all: Vec<&Run> = problems.iter().flatten().copied().collect();
        if all.is_empty() {
            return None;
        }
        let costs = |runs: &[&Run]| -> Vec<f64> {
            let solved = runs.iter().filter(|run| run.solved);
            solved.map(|run| measure.of(run)).collect()
        };
        let each = costs(&all);
        let averages: Vec<f64> = problems
            .iter()
            .map(|runs| costs(runs))
            .filter(|costs| !costs.is_empty())
            .map(|costs| mean(&costs))
            .collect();
        let is_level = problems.len() > 1;
        let sample = if is_level { &averages } else { &each };
        let any = !sample.is_empty();
        let seconds: Vec<f64> = all.iter().map(|run| run.seconds).collect();
        let solved = all.iter().filter(|run| run.solved);
        let effective: Vec<f64> = solved
            .map(|run| f64::from(run.effective_generations))
            .collect();
        let by_propagation = |run: &&&Run| run.solved_by.as_deref() == Some("propagation");
        let extreme = |fold: fn(f64, f64) -> f64| averages.iter().copied().reduce(fold);
        Some(Self {
            runs: all.len(),
            solved: each.len(),
            by_propagation: all.iter().filter(by_propagation).count(),
            rate: wilson(each.len(), all.len()),
            mean: any.then(|| mean(sample)),
            interval: any.then(|| mean_interval(sample)),
            range: match is_level {
                true => extreme(f64::max).zip(extreme(f64::min)),
                false => None,
            },
            median: any.then(|| quantile(&sorted(&each), 0.5)),
            effective_generations: any.then(|| mean(&effective)),
            seconds: mean(&seconds),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_can_be_run() {
        for table in ALL {
            for column in table.columns {
                assert!(!column.contenders.is_empty(), "{}", column.label);
                assert_eq!(
                    column.figures.len(),
                    table.rows.len(),
                    "{}: {}",
                    table.name,
                    column.label
                );
            }
            let experiment = table.experiment(2, 1, true).unwrap();
            assert!(!experiment.contenders.is_empty(), "{}", table.name);
            let own = table.experiment(2, 1, false).unwrap();
            assert!(!own.contenders.is_empty(), "{}", table.name);
            assert!(!table.errors.is_empty(), "{}", table.name);
            let rows: usize = table.rows.iter().map(|row| row.problems.count()).sum();
            assert_eq!(rows, experiment.problems.len());
            let names: std::collections::HashSet<_> =
                experiment.problems.iter().map(|it| &it.name).collect();
            assert_eq!(names.len(), rows, "{}: a name twice", table.name);
            assert_eq!(Table::find(table.name).unwrap().title, table.title);
        }
    }
}
