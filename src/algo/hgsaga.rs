//! HGSAGA: gravitational search until it stagnates, then a genetic algorithm.
//!
//! Ojugo & Yoro, section 4; gravitational search is that of Rashedi, Nezamabadi-pour & Saryazdi,
//! "GSA: A Gravitational Search Algorithm" (2009).
//!
//! ```text
//! P = 64 random permutations
//! repeat until the best has not improved for some generations:
//!     M_j = (fit_j - worst) / (best - worst)                         (eqs. 6 to 8)
//!     F = sum over the kbest of rand_j G M_i M_j (x_j - x_i) / R_ij   (eqs. 1 and 2)
//!     a = F / M_i; v = rand v + a; x = x + v                         (eqs. 3 to 5)
//! repeat:
//!     choose parents by tournament; crossover, mutation; children take the places of the worst
//! ```
//!
//! On permutations the distance R_ij is the number of genes in which two agents differ, and a force
//! is the probability that such a gene takes over the other's value. (x_j - x_i) / R_ij has length
//! 1, so the number of genes that move does not depend on the distance, and M_i cancels out.

use std::sync::Arc;

use super::hybrid::{self, Kinds};
use super::settings::{READING, param};
use super::stagnation::{Restarts, Stagnation};
use super::{Algorithm, AlgorithmState, Feedback, Info, Kind, Param, Settings, Stage, Task};
use crate::codec::{Codec, DecodeError, Persist};
use crate::operators::{GravitationalSearch, Recombine, Start, Variation};
use crate::plan::{Plan, Representation};
use crate::problem::Instance;
use crate::rng::Rate;

/// HGSAGA in the list of algorithms.
pub const INFO: Info = Info {
    name: "hgsaga",
    title: "gravitational search until it stagnates, then a genetic algorithm",
    source: hybrid::SOURCE,
    pop: hybrid::POP,
    max_generations: hybrid::MAX_GENERATIONS,
    params: PARAMS,
    build: |settings| Box::new(Hgsaga::new(settings)),
};

/// The genetic part.
const GENETIC: hybrid::Genetic = hybrid::Genetic {
    crossover: ("1", "section 4.2"),
    always: ("0", READING),
    mutations: ("up-to", READING),
    per: ("2", "section 2.2"),
    most: ("all", "section 2.2"),
    tries: ("0", READING),
    accept: ("not-worse", READING),
};

const PARAMS: &[Param] = &hybrid::join::<22>(&[
    &[
        param(
            "g0",
            Kind::Rate,
            "1",
            "initial G: the share of its genes that the heaviest agent moves at the most",
            "eq. 1, no value given",
        ),
        param(
            "alpha",
            Kind::Number(0.0, 1000.0),
            "20",
            "decay of G: G = g0 exp(-alpha t / horizon)",
            "Rashedi et al.",
        ),
        param(
            "horizon",
            Kind::Count(1, 100_000),
            "50",
            "generations over which G decays, and kbest falls to 1",
            READING,
        ),
        param(
            "kbest",
            Kind::Count(1, GravitationalSearch::MOST_BEST),
            "64",
            "agents that attract, at the beginning",
            "Rashedi et al.",
        ),
        param(
            "inertia",
            Kind::Rate,
            "1",
            "a gene keeps its velocity with a probability up to this",
            "eq. 4",
        ),
        param(
            "stagnation",
            Kind::Count(1, 1_000_000),
            "10",
            "generations without a better best after which the genetic algorithm takes over",
            "section 4.2, no value given",
        ),
    ],
    &GENETIC.params(),
    &[hybrid::RESTART],
    &hybrid::PROBLEM,
]);

/// HGSAGA with its parameters.
#[derive(Debug, Clone)]
pub struct Hgsaga {
    settings: Settings,
    kinds: Kinds,
    schedule: Arc<[u32]>,
    genetic: Recombine,
}

impl Hgsaga {
    /// HGSAGA with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            kinds: Kinds::new(settings),
            schedule: schedule(
                settings.number("g0"),
                settings.number("alpha"),
                settings.count("horizon"),
                settings.count("kbest"),
            ),
            genetic: hybrid::genetic(settings),
        }
    }
}

/// G and kbest of each generation up to the horizon.
fn schedule(g0: f64, alpha: f64, horizon: u32, kbest: u32) -> Arc<[u32]> {
    let row = |t: u32| {
        let time = f64::from(t) / f64::from(horizon);
        let g = Rate::new(g0 * libm::exp(-alpha * time)).unwrap_or(Rate::NEVER);
        let fewer = (f64::from(kbest - 1) * time).round() as u32;
        [g.threshold(), kbest - fewer]
    };
    (0..=horizon).flat_map(row).collect()
}

impl Algorithm for Hgsaga {
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        Some(self.kinds.representation(instance))
    }

    fn begin(&self, task: &Task<'_>) -> Box<dyn AlgorithmState> {
        Box::new(Switching {
            gravity: GravitationalSearch {
                begin: 0,
                schedule: self.schedule.clone(),
                inertia: self.settings.rate("inertia"),
            },
            genetic: self.genetic,
            limit: self.settings.count("stagnation"),
            stagnation: Stagnation::NEW,
            falling: true,
            restarts: Restarts::new(Start::Fresh, &self.settings, task.instance),
        })
    }
}

/// The hybrid control of section 4.2.
struct Switching {
    gravity: GravitationalSearch,
    genetic: Recombine,
    limit: u32,
    stagnation: Stagnation,
    /// Whether gravitational search still goes on.
    falling: bool,
    restarts: Restarts,
}

impl Persist for Switching {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.gravity.begin)?;
        codec.persist(&mut self.stagnation)?;
        codec.persist(&mut self.falling)?;
        codec.require(!self.falling || self.stagnation.generations < self.limit)?;
        codec.persist(&mut self.restarts)
    }
}

impl AlgorithmState for Switching {
    fn stage(&self) -> Stage {
        self.restarts.or(match self.falling {
            true => Stage {
                plan: Plan::from(Variation::GravitationalSearch(self.gravity.clone())),
                generations: self.limit - self.stagnation.generations,
                operator: "gravity",
            },
            false => Stage {
                plan: Plan::from(Variation::Recombine(self.genetic)),
                generations: u32::MAX,
                operator: "genetic",
            },
        })
    }

    fn observe(&mut self, feedback: &Feedback<'_>) {
        for record in feedback.records {
            if self.restarts.note(record) {
                (self.falling, self.stagnation) = (true, Stagnation::NEW);
                self.gravity.begin = record.generation;
            }
            self.stagnation.note(record.best);
            self.falling &= self.stagnation.generations < self.limit;
        }
    }
}
