//! The plans of one experiment that grows, put together as they are read.

use std::collections::{HashMap, HashSet};

use super::reader::{At, ResultsError};
use super::{Header, Line};
use crate::lab::experiment::{Case, Design};
use crate::problem::Problem;
use crate::problem::sudoku::format::shortened;

/// The most plans of one experiment; each is looked at for all others.
const MAX_PLANS: usize = 1 << 10;

/// All plans so far.
#[derive(Debug)]
pub(super) struct Plans {
    /// Where the first one is.
    first: At,
    /// What was planned in all.
    pub(super) whole: Header,
    /// Every plan as it was written.
    pub(super) written: Vec<Header>,
    /// Of each plan, by its digest, what it has of the whole.
    parts: HashMap<String, Part>,
    contenders: HashMap<String, usize>,
    problems: HashMap<String, (usize, Problem)>,
}

/// What a plan has of the whole.
#[derive(Debug)]
struct Part {
    at: At,
    runs: u32,
    contenders: HashSet<usize>,
    problems: HashSet<usize>,
}

impl Plans {
    /// Begins with a plan.
    pub(super) fn new(at: At, header: Header) -> Result<Self, ResultsError> {
        let refused = |reason: String| ResultsError::Problem {
            at: at.clone(),
            reason,
        };
        if let Some(reason) = header.design.excess() {
            return Err(refused(reason));
        }
        let mut plans = Self {
            first: at.clone(),
            whole: header.clone(),
            written: Vec::new(),
            parts: HashMap::new(),
            contenders: HashMap::new(),
            problems: HashMap::new(),
        };
        plans.learn_names().map_err(refused)?;
        plans.keep(at, header)?;
        Ok(plans)
    }

    /// Adds a plan, unless it is known.
    pub(super) fn add(&mut self, at: At, header: Header) -> Result<(), ResultsError> {
        if self.parts.contains_key(&header.experiment) {
            return Ok(());
        }
        if self.parts.len() == MAX_PLANS {
            return Err(ResultsError::Plans(at));
        }
        let grown = self.whole.design.grow(&header.design);
        grown.map_err(|difference| ResultsError::Mixed {
            at: at.clone(),
            first: self.first.clone(),
            difference,
        })?;
        self.whole.experiment = self.whole.design.id();
        self.learn_names().map_err(|reason| ResultsError::Problem {
            at: at.clone(),
            reason,
        })?;
        self.keep(at, header)
    }

    /// Notes where the contenders and problems of the whole stand.
    fn learn_names(&mut self) -> Result<(), String> {
        let design = &self.whole.design;
        for (at, contender) in design.contenders.iter().enumerate() {
            self.contenders.insert(contender.name.clone(), at);
        }
        for (at, problem) in design.problems.iter().enumerate() {
            if !self.problems.contains_key(&problem.name) {
                let read = problem.problem().map_err(|error| error.to_string())?;
                self.problems.insert(problem.name.clone(), (at, read));
            }
        }
        Ok(())
    }

    /// Notes what a plan has of the whole.
    fn keep(&mut self, at: At, header: Header) -> Result<(), ResultsError> {
        let Design {
            contenders,
            problems,
            runs,
            ..
        } = &header.design;
        let part = Part {
            at,
            runs: *runs,
            contenders: contenders
                .iter()
                .map(|it| self.contenders[&it.name])
                .collect(),
            problems: problems
                .iter()
                .map(|it| self.problems[&it.name].0)
                .collect(),
        };
        if part.contenders.len() < contenders.len() || part.problems.len() < problems.len() {
            return Err(ResultsError::Problem {
                at: part.at,
                reason: "two contenders or two problems have the same name".to_owned(),
            });
        }
        self.parts.insert(header.experiment.clone(), part);
        self.written.push(header);
        Ok(())
    }

    /// Which case of the whole a run is, and of what problem; refused, if it is none of its plan.
    pub(super) fn case(
        &self,
        at: &At,
        line: &Line,
        what: &str,
    ) -> Result<(Case, &Problem), ResultsError> {
        let Some(part) = self.parts.get(&line.experiment) else {
            return Err(ResultsError::Foreign {
                at: at.clone(),
                what: what.to_owned(),
                experiment: shortened(&line.experiment),
            });
        };
        let result = &line.result;
        let contender = self.contenders.get(&line.contender);
        let contender = contender.filter(|at| part.contenders.contains(at));
        let problem = self.problems.get(&result.problem);
        let problem = problem.filter(|(at, _)| part.problems.contains(at));
        let seed = self.whole.design.seed.wrapping_add(u64::from(line.run));
        match (contender, problem) {
            (Some(&contender), Some((place, problem)))
                if line.run < part.runs && result.seed == seed =>
            {
                let case = Case {
                    run: line.run,
                    problem: *place,
                    contender,
                };
                Ok((case, problem))
            }
            _ => Err(ResultsError::Unplanned {
                at: at.clone(),
                what: what.to_owned(),
                first: part.at.clone(),
            }),
        }
    }
}
