//! HPSOGA: a particle swarm that feeds a genetic algorithm.
//!
//! Ojugo & Yoro, section 2; the swarm on permutations is that of their source, Hu, Eberhart & Shi,
//! "ParticleSwarm intelligence for permutation optimization: a case study of n-queens problem" (2003).
//!
//! ```text
//! P = 64 random permutations, velocities of 0
//! repeat:
//!     for each particle and gene:                                    (eq. 3)
//!         v = v with probability omega, otherwise
//!             the own best's value with probability up to phi1, or
//!             the swarm's best's value with probability up to phi2, or none
//!         x = x with the genes swapped that take over their v       (eq. 4)
//!     choose parents by tournament; crossover, mutation; children take the places of the worst
//! ```
//!
//! On permutations a velocity is a possible change (section 2.2), not a distance: a value that a
//! gene is about to take over, or none, so the swaps that it stands for are a sequence with at most
//! one for each gene. Eqs. 1, 2 and 5 are about real numbers and their bounds, which a permutation
//! cannot leave.

use super::hybrid::{self, Kinds};
use super::settings::{READING, param};
use super::stagnation::Restarts;
use super::{Algorithm, AlgorithmState, Feedback, Info, Kind, Param, Settings, Stage, Task};
use crate::codec::{Codec, DecodeError, Persist};
use crate::operators::{ParticleSwarm, Recombine, Start, Variation};
use crate::plan::{Plan, Representation};
use crate::problem::Instance;

/// HPSOGA in the list of algorithms.
pub const INFO: Info = Info {
    name: "hpsoga",
    title: "particle swarm of swap sequences that feeds a genetic algorithm",
    source: hybrid::SOURCE,
    pop: hybrid::POP,
    max_generations: hybrid::MAX_GENERATIONS,
    params: PARAMS,
    build: |settings| Box::new(Hpsoga::new(settings)),
};

/// The genetic part.
const GENETIC: hybrid::Genetic = hybrid::Genetic {
    crossover: ("1", "section 2.2"),
    always: ("0", READING),
    mutations: ("each", "section 2.2"),
    per: ("2", "section 2.2"),
    most: ("all", "section 2.2"),
    tries: ("0", READING),
    accept: ("not-worse", READING),
};

const PARAMS: &[Param] = &hybrid::join::<21>(&[
    &[
        param(
            "inertia",
            Kind::Rate,
            "0.5",
            "omega: probability that a gene keeps its velocity",
            "eq. 3, no value given",
        ),
        param(
            "own",
            Kind::Rate,
            "1",
            "phi1: the particle's confidence in itself",
            "eq. 3, no value given",
        ),
        param(
            "swarm",
            Kind::Rate,
            "1",
            "phi2: its confidence in the swarm",
            "eq. 3, no value given",
        ),
        param(
            "swarm-turn",
            Kind::Count(1, 1_000_000),
            "1",
            "generations of the swarm in turn",
            "section 2.2",
        ),
        param(
            "genetic-turn",
            Kind::Count(1, 1_000_000),
            "1",
            "generations of the genetic algorithm in turn",
            "section 2.2",
        ),
    ],
    &GENETIC.params(),
    &[hybrid::RESTART],
    &hybrid::PROBLEM,
]);

/// HPSOGA with its parameters.
#[derive(Debug, Clone)]
pub struct Hpsoga {
    settings: Settings,
    kinds: Kinds,
    swarm: ParticleSwarm,
    genetic: Recombine,
}

impl Hpsoga {
    /// HPSOGA with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            kinds: Kinds::new(settings),
            swarm: ParticleSwarm {
                inertia: settings.rate("inertia"),
                own: settings.rate("own"),
                swarm: settings.rate("swarm"),
            },
            genetic: hybrid::genetic(settings),
        }
    }
}

impl Algorithm for Hpsoga {
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        Some(self.kinds.representation(instance))
    }

    fn begin(&self, task: &Task<'_>) -> Box<dyn AlgorithmState> {
        Box::new(InTurn {
            swarm: self.swarm,
            genetic: self.genetic,
            turns: ["swarm-turn", "genetic-turn"].map(|key| self.settings.count(key)),
            done: 0,
            restarts: Restarts::new(Start::Fresh, &self.settings, task.instance),
        })
    }
}

/// ParticleSwarm and genetic algorithm in turn.
struct InTurn {
    swarm: ParticleSwarm,
    genetic: Recombine,
    /// How long each has it.
    turns: [u32; 2],
    /// Generations since the last beginning.
    done: u32,
    restarts: Restarts,
}

impl Persist for InTurn {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.done)?;
        codec.persist(&mut self.restarts)
    }
}

impl AlgorithmState for InTurn {
    fn stage(&self) -> Stage {
        let [swarm, genetic] = self.turns;
        let at = self.done % (swarm + genetic);
        self.restarts.or(match at < swarm {
            true => Stage {
                plan: Plan::from(Variation::ParticleSwarm(self.swarm)),
                generations: swarm - at,
                operator: "swarm",
            },
            false => Stage {
                plan: Plan::from(Variation::Recombine(self.genetic)),
                generations: swarm + genetic - at,
                operator: "genetic",
            },
        })
    }

    fn observe(&mut self, feedback: &Feedback<'_>) {
        for record in feedback.records {
            let begins = self.restarts.note(record) || record.generation == 0;
            self.done = if begins { 0 } else { self.done.wrapping_add(1) };
        }
    }
}
