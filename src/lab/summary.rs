//! What the runs of an experiment say: for each contender on each problem, and for each pair of contenders.

use serde::Serialize;

use super::friedman::friedman;
use super::numbers::{number, probability, readable_seconds};
use super::results::{Results, Run};
use super::statistics::{
    Interval, Spent, ert, ert_interval, holm, mann_whitney, mean, mean_interval, quantile, sorted,
    standard_deviation, wilson,
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

    /// A cost as tables have it.
    pub fn written(self, cost: f64) -> String {
        match self {
            Self::Evaluations | Self::Generations => number(cost),
            Self::Seconds => readable_seconds(cost),
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
    /// Their standard deviation, if there are two.
    pub sd: Option<f64>,
}

impl ToSolution {
    fn new(costs: &[f64]) -> Option<Self> {
        (!costs.is_empty()).then(|| Self {
            median: quantile(&sorted(costs), 0.5),
            mean: mean(costs),
            mean_interval: mean_interval(costs),
            sd: standard_deviation(costs),
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

/// The contenders over all problems on which each of them has runs, ranked by ERT on each: 1 is the cheapest,
/// and those who never solve a problem share the last ranks.
#[derive(Debug, Clone, Serialize)]
pub struct Ranking {
    /// On how many problems.
    pub problems: usize,
    /// Contender by contender.
    pub ranks: Vec<Rank>,
    /// Friedman's statistic.
    pub chi_square: f64,
    /// Its degrees of freedom.
    pub degrees: usize,
    /// Probability of ranks at least as different if all contenders were alike.
    pub p: f64,
    /// Every two of them.
    pub pairs: Vec<RankPair>,
}

/// A contender over all problems.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Rank {
    /// Which contender of the design.
    pub contender: usize,
    /// Its average rank.
    pub rank: f64,
}

/// Two contenders over all problems.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct RankPair {
    /// Which contender of the design.
    pub first: usize,
    /// And which other one.
    pub second: usize,
    /// Of Nemenyi's test.
    pub p_nemenyi: f64,
    /// Of the normal test of two average ranks, after Holm's correction over all pairs.
    pub p_holm: f64,
}

impl Ranking {
    /// What the tests of pairs are.
    pub const PAIRS: &str = "p (Nemenyi): of the two average ranks, given all contenders. p (Holm): of the normal \
                             test of the two, corrected for all pairs.";

    /// Friedman's test in words.
    pub fn sentence(&self) -> String {
        format!(
            "Average ranks by ERT over {} problems, 1 being the cheapest. Friedman: chi-square {:.3} with {} \
             degrees of freedom, p {}.",
            self.problems,
            self.chi_square,
            self.degrees,
            probability(self.p)
        )
    }

    /// Nothing, if there are too few contenders or problems.
    fn new(cells: &[Cell], problems: usize) -> Option<Self> {
        let mut contenders: Vec<usize> = cells.iter().map(|cell| cell.contender).collect();
        contenders.sort_unstable();
        contenders.dedup();
        let mut blocks = vec![Vec::new(); problems];
        for cell in cells {
            // In the order of the contenders, as the cells are.
            blocks[cell.problem].push(cell.ert);
        }
        blocks.retain(|block| block.len() == contenders.len());
        let test = friedman(&blocks)?;
        let ranks = contenders.iter().zip(&test.ranks);
        let pairs = test.pairs.iter().map(|pair| RankPair {
            first: contenders[pair.first],
            second: contenders[pair.second],
            p_nemenyi: pair.p_nemenyi,
            p_holm: pair.p_holm,
        });
        Some(Self {
            problems: blocks.len(),
            ranks: ranks
                .map(|(&contender, &rank)| Rank { contender, rank })
                .collect(),
            chi_square: test.chi_square,
            degrees: test.degrees,
            p: test.p,
            pairs: pairs.collect(),
        })
    }
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
    /// All problems together, if there are enough of contenders and problems.
    pub ranking: Option<Ranking>,
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
        let cells: Vec<Cell> = cells.collect();
        Self {
            measure,
            ranking: Ranking::new(&cells, problems),
            cells,
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
