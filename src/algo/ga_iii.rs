//! GA-III: a genetic algorithm whose population is optimised every now and then.
//!
//! Becker & Balci, "Improving an Evolutionary Approach to Sudoku Puzzles by Intermediate Optimization of the
//! Population" (ICISA 2018), as far as its abstract tells: genetic algorithms before it used random swap mutations
//! and filtered mutations and converge slowly; an intermediate local optimisation of the population improves them.
//!
//! ```text
//! P = random sub-blocks that are permutations and keep the givens
//! repeat:
//!     some generations of the GA                          (swap mutations, crossover of block-rows and -columns)
//!     optimise every individual, for some sweeps:         (a sweep counts as a generation)
//!         each cell in conflict changes places with the first of some random cells of its sub-block with which
//!         there are no more conflicts than before
//! ```
//!
//! The original is not at hand. The genetic algorithm is the [`ga`] here, and how often and how far its
//! population is optimised is a reading. What the original filters is not in the abstract and is left out.

use super::ga::{self, CROSSOVER, MUTANTS, MUTATION, TOURNAMENT, UNIT};
use super::settings::{READING, SWITCH, param, propagate};
use super::{Algorithm, AlgorithmState, Feedback, Info, Kind, Param, Settings, Stage, Task, grids};
use crate::codec::{Codec, DecodeError, Persist};
use crate::operators::{BreedBlocks, MinConflicts, Variation};
use crate::plan::{Plan, Representation};
use crate::problem::Instance;

/// GA-III in the list of algorithms.
pub const INFO: Info = Info {
    name: "ga-iii",
    title: "genetic algorithm with intermediate optimisation of the population",
    source: "Becker & Balci, ICISA 2018",
    pop: 150,
    max_generations: 100_000,
    params: PARAMS,
    build: |settings| Box::new(GaIii::new(settings)),
};

const PARAMS: &[Param] = &[
    param(
        "interval",
        Kind::Count(0, 1_000_000),
        "100",
        "generations of the GA between optimisations",
        READING,
    ),
    param(
        "sweeps",
        Kind::Count(0, 1_000_000),
        "10",
        "sweeps of an optimisation over all cells; 0 (and no interval): one",
        READING,
    ),
    param(
        "tries",
        Kind::Count(1, 1000),
        "8",
        "cells of its sub-block with which a cell in conflict tries to change places",
        READING,
    ),
    param(
        "sideways",
        SWITCH,
        "on",
        "whether a swap that leaves as many conflicts will do",
        READING,
    ),
    CROSSOVER,
    MUTATION,
    TOURNAMENT,
    MUTANTS,
    UNIT,
    propagate("none", "not in the paper"),
];

/// GA-III with its parameters.
#[derive(Debug, Clone)]
pub struct GaIii {
    breed: BreedBlocks,
    optimise: MinConflicts,
    interval: u32,
    sweeps: u32,
}

impl GaIii {
    /// GA-III with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        Self {
            breed: ga::breed(settings),
            optimise: MinConflicts {
                tries: settings.count("tries"),
                sideways: settings.on("sideways"),
            },
            interval: settings.count("interval"),
            sweeps: settings.count("sweeps"),
        }
    }
}

impl Algorithm for GaIii {
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        grids(instance, Representation::BLOCKS)
    }

    fn begin(&self, _: &Task<'_>) -> Box<dyn AlgorithmState> {
        // Somebody has to do something.
        let sweeps = match self.interval {
            0 => self.sweeps.max(1),
            _ => self.sweeps,
        };
        Box::new(Intermediate {
            breed: self.breed,
            optimise: self.optimise,
            interval: self.interval,
            sweeps,
            done: 0,
        })
    }
}

/// So many generations of the GA, then so many of the optimisation.
struct Intermediate {
    breed: BreedBlocks,
    optimise: MinConflicts,
    interval: u32,
    sweeps: u32,
    /// Generations of this cycle that are over.
    done: u32,
}

impl Intermediate {
    fn cycle(&self) -> u32 {
        self.interval + self.sweeps
    }
}

impl Persist for Intermediate {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.done)?;
        codec.require(self.done < self.cycle())
    }
}

impl AlgorithmState for Intermediate {
    fn stage(&self) -> Stage {
        match self.done < self.interval {
            true => Stage {
                plan: Plan::from(Variation::BreedBlocks(self.breed)),
                generations: self.interval - self.done,
                operator: "genetic",
            },
            false => Stage {
                plan: Plan::from(Variation::MinConflicts(self.optimise)),
                generations: self.cycle() - self.done,
                operator: "optimise",
            },
        }
    }

    fn observe(&mut self, feedback: &Feedback<'_>) {
        for record in feedback.records {
            self.done = match record.generation {
                0 => 0,
                _ => (self.done + 1) % self.cycle(),
            };
        }
    }
}
