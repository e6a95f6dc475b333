//! What the runs of an experiment say: for each contender on each problem, and for each pair of contenders.

use serde::Serialize;

use super::results::{Results, Run};
use super::statistics::{
    Interval, Spent, ert, ert_interval, holm, mann_whitney, mean, mean_interval, quantile, sorted,
    wilson,
};

/// What a solution costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// Grids whose fitness was computed: fair between populations of different size.
    Evaluations,
    /// Generations: what the papers count.
    Generations,
    /// Wall clock, which depends on the machine and on what else it does.
    Seconds,
}

impl Measure {
    /// What tables and axes call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Evaluations => "evaluations",
            Self::Generations => "generations",
            Self::Seconds => "seconds",
        }
    }

    /// What a run has cost.
    pub fn of(self, run: &Run) -> f64 {
        match self {
            Self::Evaluations => run.evaluations as f64,
            Self::Generations => f64::from(run.generations),
            Self::Seconds => run.seconds,
        }
    }
}

/// A contender on a problem.
#[derive(Debug, Clone, Serialize)]
pub struct Cell {
    /// Which contender of the design.
    pub contender: usize,
    /// Which problem of the design.
    pub problem: usize,
    /// Runs that are finished.
    pub runs: usize,
    /// Those that were solved.
    pub solved: usize,
    /// Those that propagation alone has solved.
    pub by_propagation: usize,
    /// Those in which fitness and verifier disagreed.
    pub rejected: usize,
    /// Wilson's interval of the success rate.
    pub rate: Interval,
    /// What solved runs have cost, if there are any.
    pub to_solution: Option<ToSolution>,
    /// The expected cost of a solution, that of unsolved runs included; infinite without one.
    pub ert: f64,
    /// Its bootstrap interval.
    pub ert_interval: Interval,
    /// Mean wall clock of all runs.
    pub seconds: f64,
}

/// What solved runs have cost.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct ToSolution {
    /// Half of them cost less.
    pub median: f64,
    /// On average.
    pub mean: f64,
    /// Bootstrap interval of the mean.
    pub mean_interval: Interval,
}

impl ToSolution {
    fn new(costs: &[f64]) -> Option<Self> {
        (!costs.is_empty()).then(|| Self {
            median: quantile(&sorted(costs), 0.5),
            mean: mean(costs),
            mean_interval: mean_interval(costs),
        })
    }
}

/// Two contenders on a problem.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Pair {
    /// Which problem of the design.
    pub problem: usize,
    /// Which contender of the design.
    pub first: usize,
    /// And which other one.
    pub second: usize,
    /// How likely a run of the first costs less than one of the second, ties counted half (Vargha &
    /// Delaney's A12). A run without a solution costs more than any with one.
    pub a12: f64,
    /// Of Mann & Whitney's test.
    pub p: f64,
    /// The same after Holm's correction over all pairs and problems of the experiment.
    pub p_holm: f64,
}

/// What an experiment says.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// In what unit costs are.
    pub measure: Measure,
    /// Problem by problem, every contender that has runs.
    pub cells: Vec<Cell>,
    /// Problem by problem, every pair that has runs.
    pub pairs: Vec<Pair>,
}

impl Summary {
    /// What results say if costs are measured so.
    pub fn new(results: &Results, measure: Measure) -> Self {
        let design = &results.header.design;
        let (problems, contenders) = (design.problems.len(), design.contenders.len());
        let mut runs: Vec<Vec<&Run>> = vec![Vec::new(); problems * contenders];
        for (case, line) in &results.runs {
            runs[case.problem * contenders + case.contender].push(&line.result);
        }
        let cells = runs.iter().enumerate().filter(|(_, runs)| !runs.is_empty());
        let cells =
            cells.map(|(at, runs)| Cell::new(at % contenders, at / contenders, runs, measure));
        Self {
            measure,
            cells: cells.collect(),
            pairs: pairs(&runs, contenders, measure),
        }
    }
}

impl Cell {
    fn new(contender: usize, problem: usize, runs: &[&Run], measure: Measure) -> Self {
        let spent: Vec<Spent> = runs
            .iter()
            .map(|run| Spent {
                cost: measure.of(run),
                solved: run.solved,
            })
            .collect();
        let solved = spent.iter().filter(|run| run.solved);
        let costs: Vec<f64> = solved.map(|run| run.cost).collect();
        let by_propagation = |run: &&&Run| run.solved_by.as_deref() == Some("propagation");
        let seconds: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
        Self {
            contender,
            problem,
            runs: runs.len(),
            solved: costs.len(),
            by_propagation: runs.iter().filter(by_propagation).count(),
            rejected: runs.iter().filter(|run| run.rejected.is_some()).count(),
            rate: wilson(costs.len(), runs.len()),
            to_solution: ToSolution::new(&costs),
            ert: ert(&spent),
            ert_interval: ert_interval(&spent),
            seconds: mean(&seconds),
        }
    }

    /// How many runs were solved, and how many of them without any search, as tables have it.
    pub fn solved_of_runs(&self) -> String {
        let by_propagation = match self.by_propagation {
            0 => String::new(),
            runs => format!(" ({runs} by propagation)"),
        };
        format!("{}/{}{by_propagation}", self.solved, self.runs)
    }
}

fn pairs(runs: &[Vec<&Run>], contenders: usize, measure: Measure) -> Vec<Pair> {
    let costs = |runs: &[&Run]| -> Vec<f64> {
        let cost = |run: &&Run| match run.solved {
            true => measure.of(run),
            false => f64::INFINITY,
        };
        runs.iter().map(cost).collect()
    };
    let costs: Vec<_> = runs.iter().map(|runs| costs(runs)).collect();
    let mut pairs = Vec::new();
    for (problem, costs) in costs.chunks(contenders.max(1)).enumerate() {
        for first in 0..contenders {
            for second in first + 1..contenders {
                if let Some(test) = mann_whitney(&costs[first], &costs[second]) {
                    pairs.push(Pair {
                        problem,
                        first,
                        second,
                        a12: 1.0 - test.a12,
                        p: test.p,
                        p_holm: test.p,
                    });
                }
            }
        }
    }
    let corrected = holm(&pairs.iter().map(|pair| pair.p).collect::<Vec<_>>());
    for (pair, p) in pairs.iter_mut().zip(corrected) {
        pair.p_holm = p;
    }
    pairs
}
