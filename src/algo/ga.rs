//! GA: the genetic algorithm that preserves building blocks.
//!
//! Sato & Inoue, "Solving Sudoku with Genetic Operations that Preserve Building Blocks" (IEEE CIG
//! 2010), as the NB-COIN and LSGA papers describe it and compare with it.
//!
//! ```text
//! P = random sub-blocks that are permutations and keep the givens
//! repeat for pairs of children, all at once:
//!     choose two parents by tournament
//!     with the crossover rate:
//!         child 1 takes each block-row, child 2 each block-column, of the parent that has more
//!         distinct digits in its lines; otherwise they are copies
//!     swap mutation inside of sub-blocks
//!     local search: of several mutants of a child the best lives
//!     f = distinct digits of all rows and columns, at best 2 N^2      (NB-COIN eq. 1)
//! ```
//!
//! The original is not at hand. Mutation by block, two mutants per child and no elitism are the
//! reading that comes closest to the published generations: with the unmutated child among the
//! candidates, with elitism, or with mutation by individual, the population collapses.

use super::settings::{READING, param, propagate};
use super::{Algorithm, AlgorithmState, Info, Kind, Param, Settings, Steady, Task, grids};
use crate::operators::{BreedBlocks, MutationUnit, Variation};
use crate::plan::{Plan, Representation};
use crate::problem::Instance;

/// GA in the list of algorithms.
pub const INFO: Info = Info {
    name: "ga",
    title: "genetic algorithm that preserves building blocks",
    source: "Sato & Inoue, IEEE CIG 2010",
    pop: 150,
    max_generations: 100_000,
    params: PARAMS,
    build: |settings| Box::new(Ga::new(settings)),
};

const PARAMS: &[Param] = &[
    CROSSOVER,
    MUTATION,
    TOURNAMENT,
    MUTANTS,
    UNIT,
    propagate("none", "not in the paper"),
];

pub(super) const CROSSOVER: Param = param(
    "crossover",
    Kind::Rate,
    "0.3",
    "crossover rate of a pair of parents",
    "NB-COIN Table I",
);
pub(super) const MUTATION: Param = param(
    "mutation",
    Kind::Rate,
    "0.3",
    "rate at which two free cells of a sub-block are swapped",
    "NB-COIN Table I",
);
pub(super) const TOURNAMENT: Param = param(
    "tournament",
    Kind::Count(1, 1000),
    "3",
    "contestants for a parent",
    "Sato & Inoue 2010",
);
pub(super) const MUTANTS: Param = param(
    "mutants",
    Kind::Count(1, 1000),
    "2",
    "mutants of a child of which the best lives; 1 is no local search",
    READING,
);
pub(super) const UNIT: Param = param(
    "mutate",
    Kind::Choice(&["block", "individual"]),
    "block",
    "the mutation rate is that of each sub-block, or of the individual, of which one is mutated",
    READING,
);

/// What the settings say of a generation.
pub(super) fn breed(settings: &Settings) -> BreedBlocks {
    BreedBlocks {
        tournament: settings.count("tournament"),
        crossover: settings.rate("crossover"),
        swap: settings.rate("mutation"),
        mutation: match settings.word("mutate") {
            "individual" => MutationUnit::Individual,
            _ => MutationUnit::Each,
        },
        mutants: settings.count("mutants"),
    }
}

/// The GA with its parameters.
#[derive(Debug, Clone)]
pub struct Ga {
    breed: BreedBlocks,
}

impl Ga {
    /// The GA with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        Self {
            breed: breed(settings),
        }
    }
}

impl Algorithm for Ga {
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        grids(instance, Representation::BLOCKS)
    }

    fn begin(&self, _: &Task<'_>) -> Box<dyn AlgorithmState> {
        Box::new(Steady {
            plan: Plan::from(Variation::BreedBlocks(self.breed)),
            operator: "breed",
        })
    }
}
