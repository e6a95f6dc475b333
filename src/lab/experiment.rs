//! Experiments as data: who runs on what, how often, how long.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use crate::algo::{self, Info, Settings};
use crate::error::Error;
use crate::problem::queens::{Queens, Surface};
use crate::problem::sudoku::format::{ReadOptions, canonical, read_one, shortened};
use crate::problem::{BoxShape, Geometry, NamedProblem, Problem, Puzzle};

/// Which engine runs a contender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// The native engine.
    Cpu,
    /// The GPU engine, on whatever adapter.
    Gpu,
}

impl Place {
    /// What users call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Gpu => "gpu",
        }
    }
}

/// An algorithm with its parameters, on an engine.
#[derive(Debug, Clone)]
pub struct Contender {
    /// What tables call it.
    pub name: String,
    /// The algorithm and its parameters.
    pub settings: Settings,
    /// Individuals.
    pub pop: usize,
    /// Where it runs.
    pub place: Place,
    /// Generations after which it gives up.
    pub max_generations: u32,
}

impl Contender {
    /// An algorithm as it was published, on the native engine.
    pub fn new(info: &'static Info) -> Self {
        Self {
            name: info.name.to_owned(),
            settings: Settings::new(info),
            pop: info.pop,
            place: Place::Cpu,
            max_generations: info.max_generations,
        }
    }

    /// Reads `algo:key=value:...`. Besides the parameters of the algorithm, `pop` is a key; without it the
    /// population is `pop`, or the algorithm's.
    ///
    /// ```
    /// use gpusudoku::lab::experiment::Contender;
    ///
    /// let contender = Contender::parse("lsga:elite=0:pop=300", None).unwrap();
    /// assert_eq!(contender.pop, 300);
    /// assert_eq!(contender.name, "lsga:elite=0:pop=300");
    /// ```
    pub fn parse(text: &str, pop: Option<usize>) -> Result<Self, Error> {
        let mut parts = text.split(':');
        let mut contender = Self::new(algo::find(parts.next().unwrap_or_default())?);
        contender.pop = pop.unwrap_or(contender.pop);
        for pair in parts {
            contender.set_pair(pair)?;
        }
        contender.name = text.to_owned();
        Ok(contender)
    }

    /// Sets a parameter, or the population.
    fn set_pair(&mut self, pair: &str) -> Result<(), Error> {
        match pair.split_once('=') {
            Some((key, value)) if key.trim() == "pop" => {
                let pop = value.trim().parse().ok().filter(|&pop: &usize| pop > 0);
                self.pop = pop.ok_or_else(|| Error::BadValue {
                    key: "pop".to_owned(),
                    value: value.to_owned(),
                    expected: "a whole number from 1".to_owned(),
                })?;
                Ok(())
            }
            _ => self.settings.set_pair(pair),
        }
    }
}

/// Parameters as JSON has them.
pub fn params(settings: &Settings) -> Map<String, Value> {
    let value = |value| serde_json::to_value(value).unwrap_or(Value::Null);
    let pairs = settings.iter();
    pairs
        .map(|(param, it)| (param.key.to_owned(), value(it)))
        .collect()
}

/// Contenders x problems x runs.
#[derive(Debug, Clone)]
pub struct Experiment {
    /// Who runs.
    pub contenders: Vec<Contender>,
    /// On what.
    pub problems: Vec<NamedProblem>,
    /// Runs of each on each.
    pub runs: u32,
    /// Seed of the first run; the others count up.
    pub seed: u64,
    /// Evaluations after which to give up.
    pub max_evaluations: Option<u64>,
    /// Seconds after which to give up.
    pub time_limit: Option<f64>,
}

/// The most runs of a part of an experiment, and the most pairs of contenders and problems: their lists,
/// and what comes of them, are kept in memory.
pub const MAX_CASES: usize = 1 << 20;

/// The most contenders: each is compared with all others.
pub const MAX_CONTENDERS: usize = 1 << 10;

/// Why so many of both are too many, if they are.
pub(super) fn excess(contenders: usize, problems: usize) -> Option<String> {
    if contenders > MAX_CONTENDERS {
        return Some(format!(
            "{contenders} contenders are too many: expected at most {MAX_CONTENDERS}"
        ));
    }
    (contenders.saturating_mul(problems) > MAX_CASES).then(|| {
        format!(
            "{contenders} contenders on {problems} problems are too many: expected at most \
             {MAX_CASES} pairs"
        )
    })
}

/// One run of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Case {
    /// Which of the runs.
    pub run: u32,
    /// Which of the problems.
    pub problem: usize,
    /// Which of the contenders.
    pub contender: usize,
}

/// Part `index` of `of`, counted from 1: runs index - 1, index - 1 + of, ...
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Which part.
    pub index: u32,
    /// Of how many.
    pub of: u32,
}

impl Shard {
    /// Everything.
    pub const WHOLE: Self = Self { index: 1, of: 1 };

    /// Part `index` of `of`, if there is one.
    pub fn new(index: u32, of: u32) -> Option<Self> {
        (1..=of).contains(&index).then_some(Self { index, of })
    }

    /// How many of so many runs belong to it.
    pub fn share(self, runs: u32) -> u32 {
        let from_first = runs.saturating_sub(self.index - 1);
        from_first.div_ceil(self.of)
    }

    /// Whether a run belongs to it.
    pub fn has(self, run: u32) -> bool {
        run % self.of == self.index - 1
    }
}

impl Experiment {
    /// Why a part of it is too large, if it is.
    pub fn excess(&self, shard: Shard) -> Option<String> {
        let (contenders, problems) = (self.contenders.len(), self.problems.len());
        // A part may have no run at all.
        let runs = shard.share(self.runs).max(1) as usize;
        let runs = runs.saturating_mul(contenders).saturating_mul(problems);
        excess(contenders, problems).or_else(|| {
            (runs > MAX_CASES).then(|| {
                format!(
                    "{runs} runs are too many: expected at most {MAX_CASES}; --shard makes parts of \
                     an experiment"
                )
            })
        })
    }

    /// All runs of a part, every problem and contender once before any of them again: whatever was
    /// finished when an experiment ends early can be compared.
    pub fn cases(&self, shard: Shard) -> Vec<Case> {
        let mut cases = Vec::new();
        for run in (0..self.runs).filter(|&run| shard.has(run)) {
            for problem in 0..self.problems.len() {
                for contender in 0..self.contenders.len() {
                    cases.push(Case {
                        run,
                        problem,
                        contender,
                    });
                }
            }
        }
        cases
    }

    /// The first of its contenders that cannot run on a problem: where, and why.
    pub fn unfit(&self) -> Option<(String, Error)> {
        let pairs = { self.problems.iter() }
            .flat_map(|problem| self.contenders.iter().map(move |it| (problem, it)));
        { pairs }.find_map(|(problem, contender)| {
            let settings = &contender.settings;
            match problem.problem.reduce(settings.propagation()) {
                Ok(instance) => match settings.build().representation(&instance) {
                    Some(_) => None,
                    None => {
                        let place = format!("{} on {}", contender.name, problem.name);
                        Some((place, Error::NotForQueens))
                    }
                },
                Err(contradiction) => {
                    Some((problem.name.clone(), Error::NoSolution(contradiction)))
                }
            }
        })
    }

    /// What the first line of its results says.
    pub fn design(&self) -> Design {
        Design {
            contenders: self.contenders.iter().map(ContenderDesign::new).collect(),
            problems: self.problems.iter().map(ProblemDesign::new).collect(),
            runs: self.runs,
            seed: self.seed,
            max_evaluations: self.max_evaluations,
            time_limit: self.time_limit,
        }
    }
}

/// An experiment as a file holds it: all that determines its runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Design {
    /// Who runs.
    pub contenders: Vec<ContenderDesign>,
    /// On what.
    pub problems: Vec<ProblemDesign>,
    /// Runs of each on each.
    pub runs: u32,
    /// Seed of the first run.
    pub seed: u64,
    /// Evaluations after which to give up.
    pub max_evaluations: Option<u64>,
    /// Seconds after which to give up.
    pub time_limit: Option<f64>,
}

/// A contender as a file holds it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ContenderDesign {
    /// What tables call it.
    pub name: String,
    /// The algorithm.
    pub algo: String,
    /// Individuals.
    pub pop: usize,
    /// Where it runs.
    pub backend: Place,
    /// Generations after which it gives up.
    pub max_generations: u32,
    /// Its parameters.
    pub params: Map<String, Value>,
}

impl ContenderDesign {
    fn new(contender: &Contender) -> Self {
        Self {
            name: contender.name.clone(),
            algo: contender.settings.info().name.to_owned(),
            pop: contender.pop,
            backend: contender.place,
            max_generations: contender.max_generations,
            params: params(&contender.settings),
        }
    }
}

impl ContenderDesign {
    fn contender(&self) -> Result<Contender, Error> {
        let mut settings = Settings::new(algo::find(&self.algo)?);
        for (key, value) in &self.params {
            match value {
                Value::String(text) => settings.set(key, text)?,
                Value::Bool(true) => settings.set(key, "on")?,
                Value::Bool(false) => settings.set(key, "off")?,
                number => settings.set(key, &number.to_string())?,
            }
        }
        Ok(Contender {
            name: self.name.clone(),
            settings,
            pop: self.pop,
            place: self.backend,
            max_generations: self.max_generations,
        })
    }
}

/// A problem as a file holds it, complete, so that solutions can be verified without its source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProblemDesign {
    /// What tables call it.
    pub name: String,
    /// `sudoku`, `latin`, `queens` or `torus`.
    pub kind: Kind,
    /// N.
    pub size: usize,
    /// Rows and columns of a box.
    #[serde(rename = "box")]
    pub boxes: Option<[usize; 2]>,
    /// The cells in canonical form.
    pub puzzle: Option<String>,
    /// How many of them are given.
    pub givens: Option<usize>,
}

/// Kinds of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Rows, columns and boxes.
    Sudoku,
    /// Rows and columns.
    Latin,
    /// Queens on a board.
    Queens,
    /// Queens on a torus.
    Torus,
}

/// Why the problem of a file is none.
#[derive(Debug, Error)]
#[error("the problem {:?} is none: {reason}", shortened(.name))]
pub struct NoProblem {
    name: String,
    reason: String,
}

impl ProblemDesign {
    fn new(named: &NamedProblem) -> Self {
        let name = named.name.clone();
        match &named.problem {
            Problem::Sudoku(puzzle) => {
                let boxes = puzzle.geometry().boxes();
                Self {
                    name,
                    kind: boxes.map_or(Kind::Latin, |_| Kind::Sudoku),
                    size: puzzle.geometry().size(),
                    boxes: boxes.map(|shape| [shape.rows, shape.cols]),
                    puzzle: Some(canonical(puzzle.givens())),
                    givens: Some(puzzle.givens().filled()),
                }
            }
            Problem::Queens(queens) => Self {
                name,
                kind: match queens.surface() {
                    Surface::Board => Kind::Queens,
                    Surface::Torus => Kind::Torus,
                },
                size: queens.size(),
                boxes: None,
                puzzle: None,
                givens: None,
            },
        }
    }

    /// The problem.
    pub fn problem(&self) -> Result<Problem, NoProblem> {
        let none = |reason: String| NoProblem {
            name: self.name.clone(),
            reason,
        };
        let queens = |surface| {
            let queens = Queens::new(self.size, surface);
            queens.map(Problem::from).map_err(|e| none(e.to_string()))
        };
        match self.kind {
            Kind::Queens => queens(Surface::Board),
            Kind::Torus => queens(Surface::Torus),
            Kind::Sudoku | Kind::Latin => {
                let text = self.puzzle.as_deref().unwrap_or_default();
                let entry =
                    read_one(text.as_bytes(), &self.reading()).map_err(|e| none(e.to_string()))?;
                let geometry = self.geometry().map_err(|e| none(e.to_string()))?;
                if entry.grid.geometry() != geometry {
                    return Err(none(format!("it is not a {geometry}")));
                }
                let puzzle = Puzzle::new(entry.grid);
                puzzle.map(Problem::from).map_err(|e| none(e.to_string()))
            }
        }
    }

    /// The most characters that the text of an answer can have.
    pub fn longest_answer(&self) -> usize {
        let cells = match self.kind {
            Kind::Queens | Kind::Torus => self.size,
            Kind::Sudoku | Kind::Latin => self.size.saturating_mul(self.size),
        };
        cells.saturating_mul(self.size.to_string().len() + 1)
    }

    fn geometry(&self) -> Result<Geometry, crate::problem::sudoku::GeometryError> {
        match self.boxes {
            Some([rows, cols]) => Geometry::sudoku(rows, cols),
            None => Geometry::latin(self.size),
        }
    }

    /// How its cells, and those of its solutions, are read.
    pub fn reading(&self) -> ReadOptions {
        ReadOptions {
            boxes: self.boxes.map(|[rows, cols]| BoxShape { rows, cols }),
            latin: self.boxes.is_none(),
            alphabet: None,
        }
    }
}

impl Design {
    /// The experiment that it is of: what one process plans, another can carry out a part of.
    pub fn experiment(&self) -> Result<Experiment, String> {
        let contenders = { self.contenders.iter() }.map(ContenderDesign::contender);
        let problems = self.problems.iter().map(|it| {
            let name = it.name.clone();
            let problem = it.problem().map_err(|error| error.to_string())?;
            Ok(NamedProblem { name, problem })
        });
        Ok(Experiment {
            contenders: contenders
                .collect::<Result<_, Error>>()
                .map_err(|e| e.to_string())?,
            problems: problems.collect::<Result<_, String>>()?,
            runs: self.runs,
            seed: self.seed,
            max_evaluations: self.max_evaluations,
            time_limit: self.time_limit,
        })
    }

    /// A digest of everything that determines the runs, the version of this program included.
    pub fn id(&self) -> String {
        let text = serde_json::to_string(self).expect("a design is plain data");
        let text = format!("{} {text}", env!("CARGO_PKG_VERSION"));
        format!("{:016x}", xxh3_64(text.as_bytes()))
    }

    /// Why it is too large to be read, if it is.
    pub fn excess(&self) -> Option<String> {
        excess(self.contenders.len(), self.problems.len())
    }

    /// How many runs it has.
    pub fn cases(&self) -> usize {
        self.contenders.len() * self.problems.len() * self.runs as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::sudoku::builtin;

    #[test]
    fn an_experiment_is_read_back_from_its_design() {
        let grid = |name: &str| NamedProblem {
            name: name.to_owned(),
            problem: builtin::find(name).unwrap().puzzle().clone().into(),
        };
        let experiment = Experiment {
            contenders: algo::ALL.iter().map(Contender::new).collect(),
            problems: vec![grid("easy-1"), grid("sd2")],
            runs: 3,
            seed: 5,
            max_evaluations: Some(1000),
            time_limit: Some(0.5),
        };
        let design = experiment.design();
        let text = serde_json::to_string(&design).unwrap();
        let read: Design = serde_json::from_str(&text).unwrap();
        assert_eq!(read.experiment().unwrap().design(), design);
        assert!(experiment.unfit().is_none());
        let queens = Queens::new(8, Surface::Board).unwrap();
        let unfit = Experiment {
            problems: vec![NamedProblem {
                name: "queens:8".to_owned(),
                problem: queens.into(),
            }],
            ..experiment
        };
        let (place, error) = unfit.unfit().unwrap();
        assert_eq!(place, "memetic on queens:8");
        assert!(matches!(error, Error::NotForQueens));
    }
}
