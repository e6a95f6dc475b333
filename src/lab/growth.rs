//! Experiments that grow: what a plan has more than another, and why two plans cannot be one.
//!
//! Runs of two plans belong together if everything that both name is the same: contenders, problems, the
//! first seed and the budget. More contenders, more problems and more runs only add to it.

use std::collections::HashMap;
use std::fmt::Display;

use serde_json::Value;
use thiserror::Error;

use super::experiment::{Case, ContenderDesign, Design, ProblemDesign, excess};
use crate::problem::sudoku::format::shortened;

/// Why two plans are not for one experiment.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Difference(String);

impl Difference {
    fn new(what: impl Display, there: impl Display, here: impl Display) -> Self {
        let value = |it: &dyn Display| shortened(&it.to_string());
        Self(format!(
            "{what} is {} there and {} here",
            value(&there),
            value(&here)
        ))
    }
}

impl Design {
    /// Takes in what another plan has more. On a difference nothing is taken.
    pub fn grow(&mut self, other: &Self) -> Result<(), Difference> {
        if self.seed != other.seed {
            return Err(Difference::new(
                "the seed of the first run",
                self.seed,
                other.seed,
            ));
        }
        budget("evaluations", self.max_evaluations, other.max_evaluations)?;
        budget("seconds", self.time_limit, other.time_limit)?;
        let contenders = added(&self.contenders, &other.contenders)?;
        let problems = added(&self.problems, &other.problems)?;
        let excess = excess(
            self.contenders.len() + contenders.len(),
            self.problems.len() + problems.len(),
        );
        if let Some(excess) = excess {
            return Err(Difference(format!("together, {excess}")));
        }
        self.contenders.extend(contenders);
        self.problems.extend(problems);
        self.runs = self.runs.max(other.runs);
        Ok(())
    }

    /// Where the cases of this plan are in another one.
    pub fn cases_in(&self, other: &Self) -> CaseMap {
        CaseMap {
            contenders: places(&self.contenders, &other.contenders),
            problems: places(&self.problems, &other.problems),
            runs: other.runs,
        }
    }
}

/// What the cases of a plan are called in another one.
#[derive(Debug, Clone)]
pub struct CaseMap {
    contenders: Vec<Option<usize>>,
    problems: Vec<Option<usize>>,
    runs: u32,
}

impl CaseMap {
    /// The case of the other plan, if it has it.
    pub fn get(&self, case: Case) -> Option<Case> {
        Some(Case {
            run: Some(case.run).filter(|&run| run < self.runs)?,
            problem: (*self.problems.get(case.problem)?)?,
            contender: (*self.contenders.get(case.contender)?)?,
        })
    }
}

/// What plans have several of, told apart by name.
trait Named: Clone + PartialEq {
    fn name(&self) -> &str;

    /// What is not the same of two with one name.
    fn difference(&self, other: &Self) -> Difference;
}

impl Named for ContenderDesign {
    fn name(&self) -> &str {
        &self.name
    }

    fn difference(&self, other: &Self) -> Difference {
        let name = shortened(&self.name);
        let limit = |generations: u32| match generations {
            u32::MAX => "unlimited".to_owned(),
            generations => generations.to_string(),
        };
        if self.algo != other.algo {
            return Difference::new(format!("the algorithm of {name}"), &self.algo, &other.algo);
        }
        if self.pop != other.pop {
            return Difference::new(format!("the population of {name}"), self.pop, other.pop);
        }
        if self.backend != other.backend {
            let [there, here] = [self, other].map(|it| it.backend.name());
            return Difference::new(format!("the backend of {name}"), there, here);
        }
        if self.max_generations != other.max_generations {
            let [there, here] = [self, other].map(|it| limit(it.max_generations));
            let what = format!("the budget of generations of {name}");
            return Difference::new(what, there, here);
        }
        let mut keys = self.params.keys().chain(other.params.keys());
        let key = keys.find(|key| self.params.get(*key) != other.params.get(*key));
        let key = key.map_or("", String::as_str);
        let value = |it: &Self| {
            let value = it.params.get(key).map(Value::to_string);
            value.unwrap_or_else(|| "nothing".to_owned())
        };
        let what = format!("the parameter {} of {name}", shortened(key));
        Difference::new(what, value(self), value(other))
    }
}

impl Named for ProblemDesign {
    fn name(&self) -> &str {
        &self.name
    }

    fn difference(&self, _: &Self) -> Difference {
        Difference(format!(
            "{} is the name of one problem there and of another here",
            shortened(&self.name)
        ))
    }
}

fn budget<T: PartialEq + Display>(
    unit: &str,
    there: Option<T>,
    here: Option<T>,
) -> Result<(), Difference> {
    if there == here {
        return Ok(());
    }
    let text = |it: Option<T>| it.map_or("unlimited".to_owned(), |it| it.to_string());
    let what = format!("the budget of {unit}");
    Err(Difference::new(what, text(there), text(here)))
}

/// Those of `here` that are not there yet.
fn added<T: Named>(there: &[T], here: &[T]) -> Result<Vec<T>, Difference> {
    let mut new = Vec::new();
    for (own, place) in here.iter().zip(places(here, there)) {
        match place.map(|at| &there[at]) {
            None => new.push(own.clone()),
            Some(known) if known == own => {}
            Some(known) => return Err(known.difference(own)),
        }
    }
    Ok(new)
}

/// Where each of some is among others.
fn places<T: Named>(some: &[T], others: &[T]) -> Vec<Option<usize>> {
    let places = others.iter().enumerate();
    let places: HashMap<&str, usize> = places.map(|(at, it)| (it.name(), at)).collect();
    let place = |it: &T| places.get(it.name()).copied();
    some.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::experiment::{Contender, Experiment, Place};
    use crate::problem::NamedProblem;
    use crate::problem::sudoku::builtin;

    fn experiment(algos: &[&str], problems: &[&str], runs: u32) -> Experiment {
        let contender = |text: &&str| Contender::parse(text, Some(12)).unwrap();
        let problem = |name: &&str| NamedProblem {
            name: (*name).to_owned(),
            problem: builtin::find(name).unwrap().puzzle().clone().into(),
        };
        Experiment {
            contenders: algos.iter().map(contender).collect(),
            problems: problems.iter().map(problem).collect(),
            runs,
            seed: 1,
            max_evaluations: None,
            time_limit: None,
        }
    }

    #[test]
    fn a_plan_takes_in_what_another_has_more() {
        let mut plan = experiment(&["lsga", "ga"], &["easy-1"], 5).design();
        let more = experiment(&["nb-coin", "ga"], &["sd1", "easy-1"], 3).design();
        plan.grow(&more).unwrap();
        let whole = experiment(&["lsga", "ga", "nb-coin"], &["easy-1", "sd1"], 5).design();
        assert_eq!(plan, whole);
        assert_eq!(plan.id(), whole.id());
        let case = |run, problem, contender| Case {
            run,
            problem,
            contender,
        };
        let map = more.cases_in(&whole);
        assert_eq!(map.get(case(2, 0, 0)), Some(case(2, 1, 2)));
        assert_eq!(map.get(case(2, 1, 1)), Some(case(2, 0, 1)));
        let back = whole.cases_in(&more);
        assert_eq!(back.get(case(2, 1, 2)), Some(case(2, 0, 0)));
        assert_eq!(back.get(case(3, 1, 2)), None, "a run too many");
        assert_eq!(back.get(case(2, 1, 0)), None, "a contender too many");
    }

    #[test]
    fn what_differs_is_named() {
        let one = experiment(&["lsga"], &["easy-1"], 5);
        let told = |change: &dyn Fn(&mut Experiment)| {
            let mut other = one.clone();
            change(&mut other);
            let mut plan = one.design();
            let difference = plan.grow(&other.design()).unwrap_err();
            assert_eq!(plan, one.design(), "nothing is taken");
            difference.to_string()
        };
        assert_eq!(
            told(&|it| it.seed = 7),
            "the seed of the first run is 1 there and 7 here"
        );
        assert_eq!(
            told(&|it| it.max_evaluations = Some(90)),
            "the budget of evaluations is unlimited there and 90 here"
        );
        assert_eq!(
            told(&|it| it.time_limit = Some(0.5)),
            "the budget of seconds is unlimited there and 0.5 here"
        );
        assert_eq!(
            told(&|it| it.contenders[0].pop = 13),
            "the population of lsga is 12 there and 13 here"
        );
        assert_eq!(
            told(&|it| it.contenders[0].place = Place::Gpu),
            "the backend of lsga is cpu there and gpu here"
        );
        assert_eq!(
            told(&|it| it.contenders[0].max_generations = u32::MAX),
            "the budget of generations of lsga is 10000 there and unlimited here"
        );
        assert_eq!(
            told(&|it| it.contenders[0].settings.set("elite", "0").unwrap()),
            "the parameter elite of lsga is 50 there and 0 here"
        );
        assert_eq!(
            told(&|it| it.problems[0].problem =
                builtin::find("sd1").unwrap().puzzle().clone().into()),
            "easy-1 is the name of one problem there and of another here"
        );
    }
}
