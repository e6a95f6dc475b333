//! What a generation does, as data.
//!
//! An algorithm describes generations as [`Plan`]s; either engine carries them out, kernel by
//! kernel, with the same result to the bit. A generation is one kernel that varies the
//! population, the survey that looks for the best, the worst and a solution, and then perhaps a
//! kernel that learns from it.
//!
//! Some kernels are for grids only. The permutation kernels ([`Recombine`], [`Swarm`],
//! [`Gravitate`], [`Anneal`], [`Resolve`]) see nothing but genes in bricks that stay permutations,
//! and serve grids and queens alike. [`Tabu`] sees a graph whose vertices are coloured from lists.

mod colouring;
mod grids;
mod permutations;
mod representation;

pub use colouring::Tabu;
pub use grids::{
    Admits, Breed, BreedBlocks, Elite, Improvise, Islands, MutationUnit, Order, Parent, Pollinate,
    Repeats, Sample, Survivor,
};
pub use permutations::{
    Accept, Anneal, Cut, Gravitate, More, Mutations, Recombine, Resolve, Swarm, Who,
};
pub use representation::{Domain, Encoding, Family, Objective, Representation, Weights};

use crate::error::Error;
use crate::population::Record;

/// How the initial population is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// At random, within the encoding.
    Fresh,
    /// By sampling a model.
    Sample(Sample),
    /// Queen by queen: each goes to the first of so many random free rows on which no queen before
    /// it attacks it, or to the last of them (Sosic & Gu's initial search). The free rows stand in
    /// ascending order at first; a row that is taken changes places with the first of them. Queens
    /// only.
    Greedy(u32),
}

/// A generation of an evolutionary algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Makes the new population from the old one.
    pub vary: Variation,
    /// Runs after the survey, unless that ended the generations.
    pub learn: Option<Learn>,
    /// The generations end with one whose best is as good as this, solution or not.
    pub until: u32,
}

impl From<Variation> for Plan {
    /// Generations that only vary.
    fn from(vary: Variation) -> Self {
        Self {
            vary,
            learn: None,
            until: 0,
        }
    }
}

impl Plan {
    /// Refuses parameters that no kernel can have, for a population of this size.
    ///
    /// # Panics
    /// If the kernels are not for such individuals, or cannot go together: an algorithm that
    /// plans that is wrong whatever its parameters are.
    pub fn check(&self, representation: Representation, pop: usize) -> Result<(), Error> {
        let bad = |key: &str, value: u32, expected: &str| {
            Err(Error::BadValue {
                key: key.to_owned(),
                value: value.to_string(),
                expected: expected.to_owned(),
            })
        };
        let tournaments = match &self.vary {
            Variation::Breed(breed) => {
                let parents = match breed.parent {
                    Parent::Own => 1,
                    Parent::Tournament(size) => size,
                };
                [parents, breed.survivor.contest().0]
            }
            Variation::BreedBlocks(breed) => [breed.tournament, 1],
            Variation::Islands(islands) => [islands.breed.tournament, 1],
            Variation::Recombine(recombine) => [recombine.tournament, 1],
            Variation::Renew(_)
            | Variation::Improvise(_)
            | Variation::Pollinate(_)
            | Variation::Swarm(_)
            | Variation::Gravitate(_)
            | Variation::Anneal(_)
            | Variation::Resolve(_)
            | Variation::Tabu(_) => [1, 1],
        };
        let permutes = matches!(
            self.vary,
            Variation::Recombine(_)
                | Variation::Swarm(_)
                | Variation::Gravitate(_)
                | Variation::Anneal(_)
                | Variation::Resolve(_)
        );
        let placed = representation.encoding == Encoding::Placement;
        let fits = permutes && representation.are_permutations()
            || matches!(self.vary, Variation::Renew(Start::Fresh))
            || matches!(self.vary, Variation::Renew(Start::Greedy(1..))) && placed
            || matches!(self.vary, Variation::Tabu(_))
                && representation == Representation::COLOURING
            || representation.family() == Family::Grids
                && matches!(
                    (&self.vary, representation.encoding),
                    (Variation::Breed(_), Encoding::Rows)
                        | (
                            Variation::BreedBlocks(_)
                                | Variation::Islands(_)
                                | Variation::Renew(Start::Sample(_)),
                            Encoding::Blocks
                        )
                        | (
                            Variation::Improvise(_) | Variation::Pollinate(_),
                            Encoding::Cells(_)
                        )
                );
        assert!(
            fits,
            "{:?} is not for {:?}",
            self.vary, representation.encoding
        );
        let elites = !permutes
            && !matches!(
                self.vary,
                Variation::Improvise(_) | Variation::Islands(_) | Variation::Tabu(_)
            );
        assert!(
            elites || self.learn.is_none(),
            "there is no room for elites beside what {:?} keeps outside of the population",
            self.vary
        );
        for contestants in tournaments {
            if !(1..1 << 16).contains(&contestants) {
                return bad("tournament", contestants, "from 1 to 65535 contestants");
            }
        }
        let possible = match &self.vary {
            Variation::BreedBlocks(breed) => breed.mutants > 0,
            Variation::Islands(Islands { breed, size, epoch }) => {
                breed.mutants > 0 && *size > 0 && *epoch > 0
            }
            Variation::Improvise(improvise) => improvise.pitches.len() >= 3,
            Variation::Pollinate(pollinate) => !pollinate.levy.is_empty(),
            Variation::Anneal(anneal) => {
                anneal.hold > 0 && anneal.schedule.len().is_multiple_of(Anneal::DELTAS)
            }
            Variation::Gravitate(gravitate) => {
                let rows = gravitate.schedule.chunks_exact(2);
                let whole = rows.len() > 0 && rows.remainder().is_empty();
                whole && { rows }.all(|row| (1..=Gravitate::MOST_BEST).contains(&row[1]))
            }
            Variation::Resolve(resolve) => resolve.tries > 0,
            Variation::Tabu(tabu) => {
                let [least, most] = tabu.factors;
                let longest = most.max(tabu.random);
                let counts = tabu.moves.min(tabu.period).min(tabu.random) > 0;
                least <= most
                    && longest <= Tabu::LONGEST
                    && tabu.period < 4096
                    && counts
                    && tabu.moves <= Tabu::MOST_MOVES
            }
            Variation::Recombine(recombine) => {
                recombine.offspring > 0 && recombine.mutations.per > 0
            }
            Variation::Breed(_) | Variation::Renew(_) | Variation::Swarm(_) => true,
        };
        assert!(possible, "{:?} lacks what its kernel needs", self.vary);
        match (&self.vary, &self.learn) {
            (_, Some(Learn::Elite(Elite { size: 0, .. }))) => {
                bad("elite", 0, "a queue for one at least")
            }
            (Variation::Improvise(Improvise { batch, .. }), _)
                if !(1..=pop).contains(&(*batch as usize)) =>
            {
                let expected = format!("from 1 to {pop}, the size of the population (--pop)");
                bad("batch", *batch, &expected)
            }
            _ => Ok(()),
        }
    }

    /// Generations that always run together: an epoch of islands, otherwise one.
    pub fn stride(&self) -> u32 {
        match &self.vary {
            Variation::Islands(islands) => islands.epoch,
            _ => 1,
        }
    }

    /// Representation or proposals whose fitness generations compute, learning left out; these are the
    /// records of all of them. A generation that ends early, and who stays as it is, count in full, but
    /// tabu searches have counted their moves.
    pub fn evaluations(&self, pop: usize, generations: u32, records: &[Record]) -> u64 {
        match &self.vary {
            Variation::Tabu(_) => records.iter().map(Record::swaps).sum(),
            _ => u64::from(generations) * self.evaluations_each(pop),
        }
    }

    /// The same for one generation; of tabu searches the most there can be.
    pub fn evaluations_each(&self, pop: usize) -> u64 {
        let each = match &self.vary {
            Variation::Improvise(improvise) => return u64::from(improvise.batch),
            Variation::BreedBlocks(breed) => breed.mutants,
            Variation::Islands(islands) => islands.breed.mutants,
            Variation::Recombine(recombine) => {
                return u64::from(recombine.offspring).min(pop as u64);
            }
            Variation::Anneal(anneal) => match anneal.who {
                Who::One(_) => return u64::from(anneal.proposals),
                Who::Everybody => anneal.proposals,
            },
            Variation::Breed(_)
            | Variation::Renew(_)
            | Variation::Pollinate(_)
            | Variation::Swarm(_)
            | Variation::Gravitate(_)
            | Variation::Resolve(_) => 1,
            Variation::Tabu(tabu) => tabu.moves,
        };
        pop as u64 * u64::from(each)
    }
}

/// Kernels that make a new population from the old one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Variation {
    /// Crossover, mutation, local search and tournament on rows that stay permutations.
    Breed(Breed),
    /// Crossover of whole block-rows and block-columns, swaps inside of sub-blocks.
    BreedBlocks(BreedBlocks),
    /// The same on islands that exchange individuals now and then.
    Islands(Islands),
    /// A new population, whatever the old one was.
    Renew(Start),
    /// New harmonies from the memory; the worst of it give way to better ones.
    Improvise(Improvise),
    /// Flower pollination: steps towards the best, or along the difference of two others.
    Pollinate(Pollinate),
    /// Tournament, single-point crossover and swaps within bricks; children replace the worst.
    Recombine(Recombine),
    /// Particles move towards their own best and the swarm's.
    Swarm(Swarm),
    /// Agents move towards heavier ones.
    Gravitate(Gravitate),
    /// Random swaps, accepted by a Metropolis rule.
    Anneal(Anneal),
    /// Swaps that resolve conflicts.
    Resolve(Resolve),
    /// Tabu searches that recolour cells.
    Tabu(Tabu),
}

/// Kernels that change the new population in the light of the survey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Learn {
    /// A queue of elites teaches the worst individual.
    Elite(Elite),
}
