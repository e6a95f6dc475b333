//! What is measured.

use std::fmt;
use std::str::FromStr;

use crate::algo::{Info, Settings, Task, lsga, packing, tabu};
use crate::error::Error;
use crate::operators::{Start, Variation};
use crate::plan::{Plan, Representation};
use crate::problem::Instance;

/// Work for a population.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Workload {
    /// The fitness of everybody.
    Evaluate,
    /// A new population.
    Initialise,
    /// A generation of LSGA without operators: what those of its operators have in common.
    Copy,
    /// A generation of LSGA's crossover.
    Crossover,
    /// A generation of LSGA's two mutations.
    Mutation,
    /// A generation of LSGA's local search in columns and sub-blocks.
    LocalSearch,
    /// A generation of LSGA.
    Lsga,
    /// A generation of tabu searches.
    Tabu,
    /// A generation of packing searches.
    Packing,
}

/// Moves of a tabu search in a generation that is measured: fewer than by default, so that it does
/// not take minutes; many enough for what a generation costs besides moves to disappear.
pub const MOVES: u32 = 2000;

/// LSGA's settings without its operators. A tournament of one is won by the child, so that
/// everybody is written.
const IDLE: [&str; 7] = [
    "pc1=0",
    "pm1=0",
    "pm2=0",
    "column-search=off",
    "block-search=off",
    "elite=0",
    "tournament=1",
];

impl Workload {
    /// All of them. Those with the same individuals stand together, so that they share engines.
    pub const ALL: [Self; 9] = [
        Self::Evaluate,
        Self::Initialise,
        Self::Copy,
        Self::Crossover,
        Self::Mutation,
        Self::LocalSearch,
        Self::Lsga,
        Self::Tabu,
        Self::Packing,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Evaluate => "evaluate",
            Self::Initialise => "initialise",
            Self::Copy => "copy",
            Self::Crossover => "crossover",
            Self::Mutation => "mutation",
            Self::LocalSearch => "local-search",
            Self::Lsga => "lsga",
            Self::Tabu => "tabu",
            Self::Packing => "packing",
        }
    }

    /// What it is, in a line.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Evaluate => "fitness of everybody; on an adapter a submission each time",
            Self::Initialise => "a new population with its fitness",
            Self::Copy => {
                "a generation of LSGA without operators: what the next four have in common"
            }
            Self::Crossover => "the same with LSGA's crossover",
            Self::Mutation => "the same with LSGA's mutations",
            Self::LocalSearch => {
                "the same with LSGA's local search, where these have been; a submission each time"
            }
            Self::Lsga => "a generation of LSGA",
            Self::Tabu => "a generation of tabu searches, 2000 moves for everybody",
            Self::Packing => "a generation of packing searches, 200 steps for every open cell",
        }
    }

    /// What the individuals are.
    pub fn individuals(self) -> Representation {
        match self {
            Self::Tabu | Self::Packing => Representation::COLOURING,
            _ => Representation::ROWS,
        }
    }

    /// What a generation does; nothing if there are none.
    pub fn plan(self, instance: &Instance) -> Option<Plan> {
        Some(match self {
            Self::Evaluate => return None,
            Self::Initialise => Plan::from(Variation::Renew(Start::Fresh)),
            Self::Copy => operators(&[], instance),
            Self::Crossover => operators(&["pc1"], instance),
            Self::Mutation => operators(&["pm1", "pm2"], instance),
            Self::LocalSearch => operators(&["column-search", "block-search"], instance),
            Self::Lsga => plan(&lsga::INFO, &[], instance),
            Self::Tabu => tabu_searches(instance),
            Self::Packing => plan(&packing::INFO, &[], instance),
        })
    }

    /// What the population has behind it.
    pub(super) fn past(self) -> Past {
        match self {
            Self::Tabu => Past::Tabu,
            Self::Packing => Past::Packing,
            Self::LocalSearch => Past::Varied,
            _ => Past::Lsga,
        }
    }

    /// Whether its local search counts moves.
    pub(super) fn has_moves(self) -> bool {
        matches!(self, Self::Tabu | Self::Packing)
    }

    /// Generations that can run together. What local search has searched, it cannot search again.
    pub(super) fn most_generations(self) -> u32 {
        match self {
            Self::LocalSearch => 1,
            _ => 50,
        }
    }
}

/// What a population has behind it. The first generations of a run are not like the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Past {
    /// Generations of LSGA.
    Lsga,
    /// The same, and LSGA's crossover and mutations.
    Varied,
    /// Generations of tabu searches.
    Tabu,
    /// Generations of packing searches, until few holes are left.
    Packing,
}

impl Past {
    /// What has happened, with numbers of generations.
    pub fn plans(self, instance: &Instance) -> Vec<(Plan, u32)> {
        let lsga = || (plan(&lsga::INFO, &[], instance), 30);
        match self {
            Self::Lsga => vec![lsga()],
            Self::Varied => vec![lsga(), (operators(&["pc1", "pm1", "pm2"], instance), 1)],
            Self::Tabu => vec![(tabu_searches(instance), 4)],
            Self::Packing => vec![(plan(&packing::INFO, &[], instance), 100)],
        }
    }
}

impl fmt::Display for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Workload {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let known = Self::ALL.into_iter().find(|known| known.name() == text);
        known.ok_or_else(|| Error::BadValue {
            key: "workload".to_owned(),
            value: text.to_owned(),
            expected: Self::ALL.map(Self::name).join(" or "),
        })
    }
}

/// A generation of LSGA with none but these operators.
fn operators(kept: &[&str], instance: &Instance) -> Plan {
    let is_kept = |pair: &&str| {
        pair.split_once('=')
            .is_some_and(|(key, _)| kept.contains(&key))
    };
    let off: Vec<_> = IDLE.into_iter().filter(|pair| !is_kept(pair)).collect();
    plan(&lsga::INFO, &off, instance)
}

/// A generation of tabu searches.
fn tabu_searches(instance: &Instance) -> Plan {
    plan(&tabu::INFO, &[&format!("moves={MOVES}")], instance)
}

/// What an algorithm with these settings does first.
fn plan(info: &'static Info, pairs: &[&str], instance: &Instance) -> Plan {
    let mut settings = Settings::new(info);
    for pair in pairs {
        let set = settings.set_pair(pair);
        set.expect("settings that the algorithm has");
    }
    let task = Task {
        instance,
        pop: 1,
        seed: 1,
    };
    settings.build().begin(&task).stage().plan
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::bench::puzzle;
    use crate::operators::{BreedRows, Survivor};
    use crate::rng::Rate;

    fn breed(workload: Workload) -> (BreedRows, bool) {
        match workload.plan(&puzzle(9)) {
            Some(Plan {
                vary: Variation::BreedRows(breed),
                learn,
                ..
            }) => (breed, learn.is_some()),
            plan => panic!("{workload}: {plan:?}"),
        }
    }

    #[test]
    fn an_operator_is_that_of_lsga_and_alone() {
        let (lsga, learns) = breed(Workload::Lsga);
        assert!(learns);
        let idle = BreedRows {
            crossover: Rate::NEVER,
            swap: Rate::NEVER,
            reinitialise: Rate::NEVER,
            column_search: false,
            block_search: false,
            survivor: Survivor::Tournament(1),
            ..lsga
        };
        let crossover = BreedRows {
            crossover: lsga.crossover,
            ..idle
        };
        let mutation = BreedRows {
            swap: lsga.swap,
            reinitialise: lsga.reinitialise,
            ..idle
        };
        let search = BreedRows {
            column_search: true,
            block_search: true,
            ..idle
        };
        assert_eq!(breed(Workload::Copy), (idle, false));
        assert_eq!(breed(Workload::Crossover), (crossover, false));
        assert_eq!(breed(Workload::Mutation), (mutation, false));
        assert_eq!(breed(Workload::LocalSearch), (search, false));
    }

    #[test]
    fn names_are_read_back() {
        for workload in Workload::ALL {
            assert_eq!(workload.name().parse::<Workload>().unwrap(), workload);
        }
        let refused = "crossovers".parse::<Workload>().unwrap_err().to_string();
        assert!(refused.contains("evaluate or initialise or "), "{refused}");
    }
}
