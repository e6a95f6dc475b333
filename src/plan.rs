//! What a generation does, as data.
//!
//! An algorithm describes a generation once, as a [`Plan`]; either engine carries it out,
//! kernel by kernel, with the same result to the bit. A generation is one kernel that varies
//! the population, the survey that looks for the best, the worst and a solution, and then
//! perhaps a kernel that learns from it.

use crate::error::Error;
use crate::rng::Rate;

/// A generation of an evolutionary algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Makes the new population from the old one.
    pub vary: Vary,
    /// Runs after the survey, unless the survey found a solution.
    pub learn: Option<Learn>,
}

impl Plan {
    /// Refuses parameters that no kernel can have.
    pub fn check(&self) -> Result<(), Error> {
        let bad = |key: &str, value: u32, expected: &str| Error::BadValue {
            key: key.to_owned(),
            value: value.to_string(),
            expected: expected.to_owned(),
        };
        let Vary::Breed(breed) = &self.vary;
        let parents = match breed.parent {
            Parent::Own => 1,
            Parent::Tournament(size) => size,
        };
        for contestants in [parents, breed.survivor.contest().0] {
            if !(1..1 << 16).contains(&contestants) {
                return Err(bad(
                    "tournament",
                    contestants,
                    "from 1 to 65535 contestants",
                ));
            }
        }
        match &self.learn {
            Some(Learn::Elite(Elite { size: 0, .. })) => {
                Err(bad("elite", 0, "a queue for one at least"))
            }
            _ => Ok(()),
        }
    }
}

/// Kernels that make a new population from the old one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Vary {
    /// Crossover, mutation, local search and tournament on rows that stay permutations.
    Breed(Breed),
}

/// Kernels that change the new population in the light of the survey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Learn {
    /// A queue of elites teaches the worst individual.
    Elite(Elite),
}

/// The operators of a row-permutation genetic algorithm, all of them optional.
///
/// [`Breed::IDLE`] copies the population; switch on what is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breed {
    /// Who is copied and varied.
    pub parent: Parent,
    /// Probability that an individual takes rows from a mate.
    pub crossover: Rate,
    /// Probability of each row to be taken, given a mate.
    pub crossover_row: Rate,
    /// Probability that two free cells of a row are swapped.
    pub swap: Rate,
    /// Probability that the free cells of a row are shuffled.
    pub reinitialise: Rate,
    /// Whether the two mutations strike each row, or one random row of the individual.
    pub mutation: MutationUnit,
    /// Search in illegal columns.
    pub column_search: bool,
    /// Search in illegal sub-blocks.
    pub block_search: bool,
    /// Rounds of column and sub-block search at the most; they end when one swaps nothing.
    pub rounds: u32,
    /// With how many other units an illegal column or sub-block is paired, at the most.
    pub partners: u32,
    /// Which of the cells with equal digits count as repeated.
    pub repeats: Repeats,
    /// Who takes the place in the new population.
    pub survivor: Survivor,
}

impl Breed {
    /// Copies every individual.
    pub const IDLE: Self = Self {
        parent: Parent::Own,
        crossover: Rate::NEVER,
        crossover_row: Rate::NEVER,
        swap: Rate::NEVER,
        reinitialise: Rate::NEVER,
        mutation: MutationUnit::Row,
        column_search: false,
        block_search: false,
        rounds: 0,
        partners: u32::MAX,
        repeats: Repeats::Every,
        survivor: Survivor::Child,
    };
}

/// Whose copy becomes the child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parent {
    /// The individual whose place it is.
    Own,
    /// The best of this many random individuals.
    Tournament(u32),
}

/// What a mutation rate is the rate of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MutationUnit {
    /// Every row tosses its own coins.
    Row,
    /// The individual tosses them once, and one random row is changed.
    Individual,
}

/// Which cells are marked as repeated when a digit stands in a unit more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// Every occurrence.
    Every,
    /// All but the first.
    Later,
}

/// Who takes the place in the new population.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survivor {
    /// The child, however bad.
    Child,
    /// The best of the child, the individual whose place it is, and random others up to this
    /// many contestants; the child wins ties.
    Tournament(u32),
    /// The same, but the child has to be strictly better.
    StrictTournament(u32),
}

impl Survivor {
    /// How many contend for the place, the child among them, and whether the child loses ties.
    pub fn contest(self) -> (u32, bool) {
        match self {
            Survivor::Child => (1, false),
            Survivor::Tournament(size) => (size, false),
            Survivor::StrictTournament(size) => (size, true),
        }
    }
}

/// A first-in-first-out queue of good individuals from which the worst one learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elite {
    /// Length of the queue, at least 1.
    pub size: u32,
    /// Which individuals enter it.
    pub admits: Admits,
}

/// Which individuals enter the queue of elites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admits {
    /// The best of a generation that is better than that of every generation since the queue
    /// began; its first generation always is.
    Improvement,
    /// The best of every generation.
    EveryBest,
}
