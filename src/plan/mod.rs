//! What a generation does, as data.
//!
//! An algorithm describes generations as [`Plan`]s; either engine carries them out, kernel by
//! kernel, with the same result to the bit. A generation is one operator that varies the
//! population ([`crate::operators`]), the survey that looks for the best, the worst and a solution, and then
//! perhaps a kernel that learns from it.

mod representation;

pub use representation::{Domain, Encoding, KernelFamily, Objective, Representation, Weights};

use crate::error::Error;
use crate::operators::kernel::Auxiliary;
use crate::operators::{Elite, Variation};
use crate::population::Record;

/// A generation of an evolutionary algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Makes the new population from the old one.
    pub vary: Variation,
    /// Runs after the survey, unless that ended the generations.
    pub learn: Option<Learn>,
    /// The generations end with one whose best is as good as this, solution or not.
    pub target_fitness: u32,
}

impl<V: Into<Variation>> From<V> for Plan {
    /// Generations that only vary.
    fn from(vary: V) -> Self {
        Self {
            vary: vary.into(),
            learn: None,
            target_fitness: 0,
        }
    }
}

/// Kernels that change the new population in the light of the survey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Learn {
    /// A queue of elites teaches the worst individual.
    Elite(Elite),
}

impl Plan {
    /// Refuses parameters that no kernel can have, for a population of this size.
    ///
    /// # Panics
    /// If the kernels are not for such individuals, or cannot go together: an algorithm that
    /// plans that is wrong whatever its parameters are.
    pub fn check(&self, representation: Representation, pop: usize) -> Result<(), Error> {
        let operator = self.vary.operator();
        assert!(
            operator.suits(representation),
            "{:?} is not for {:?}",
            self.vary,
            representation.encoding
        );
        let has_room = operator.auxiliary(pop as u32) == Auxiliary::Unused;
        assert!(
            has_room || self.learn.is_none(),
            "there is no room for elites beside what {:?} keeps outside of the population",
            self.vary
        );
        operator.check(pop)?;
        match self.learn {
            Some(Learn::Elite(Elite { size: 0, .. })) => Err(Error::BadValue {
                key: "elite".to_owned(),
                value: "0".to_owned(),
                expected: "a queue for one at least".to_owned(),
            }),
            _ => Ok(()),
        }
    }

    /// Generations that always run together: an epoch of islands, otherwise one.
    pub fn stride(&self) -> u32 {
        self.vary.operator().stride()
    }

    /// Individuals or proposals whose fitness generations compute, learning left out; these are the
    /// records of all of them. A generation that ends early, and who stays as it is, count in full, but
    /// tabu searches have counted their moves.
    pub fn evaluations(&self, pop: usize, generations: u32, records: &[Record]) -> u64 {
        match self.vary.operator().counts_moves() {
            true => records.iter().map(Record::swaps).sum(),
            false => u64::from(generations) * self.evaluations_each(pop),
        }
    }

    /// The same for one generation; of tabu searches the most there can be.
    pub fn evaluations_each(&self, pop: usize) -> u64 {
        self.vary.operator().evaluations(pop as u64)
    }
}
