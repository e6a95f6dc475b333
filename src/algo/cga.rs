//! CGA: a genetic algorithm with a belief space.
//!
//! Ojugo & Yoro, section 3, after Reynolds' cultural algorithms.
//!
//! ```text
//! P = 64 random individuals that conform to the belief space
//! repeat:
//!     choose parents by tournament; single-point crossover
//!     mutate three genes of each child, and as many genes of all children together as half of the
//!     best's conflicts; the influence function lets a gene have new values that conform only
//!     children take the places of the worst
//! ```
//!
//! The belief space, and what ensures it:
//!
//! - normative (genes have values from 1 to n) and domain (they are whole numbers): the encoding;
//! - temporal (fixed cells never change): fixed cells are no genes;
//! - spatial (every value once in a row, column and diagonal): of rows, the encoding; of the
//!   others, the influence function. A mutated gene looks for a partner whose value has no conflict
//!   in its place; if it finds none, it stays.
//!
//! The influence function looks at lines, not at whole individuals: what it tries does not count as
//! an evaluation.

use super::hybrid::{self, Kinds};
use super::settings::READING;
use super::stagnation::Restarts;
use super::{Algorithm, AlgorithmState, Feedback, Info, Param, Settings, Stage, Task};
use crate::codec::{Codec, DecodeError, Persist};
use crate::operators::{Recombine, Start, Variation};
use crate::plan::{Plan, Representation};
use crate::problem::Instance;

/// CGA in the list of algorithms.
pub const INFO: Info = Info {
    name: "cga",
    title: "cultural genetic algorithm: a belief space and an influence function",
    source: hybrid::SOURCE,
    pop: hybrid::POP,
    max_generations: hybrid::MAX_GENERATIONS,
    params: PARAMS,
    build: |settings| Box::new(Cga::new(settings)),
};

/// The genetic part.
const GENETIC: hybrid::Genetic = hybrid::Genetic {
    crossover: ("1", "section 3"),
    always: ("3", "section 3"),
    mutations: ("shared", "section 3"),
    per: ("2", "section 3"),
    most: ("all", "section 3"),
    tries: ("10", READING),
    accept: ("always", "section 3"),
};

const PARAMS: &[Param] =
    &hybrid::join::<16>(&[&GENETIC.params(), &[hybrid::RESTART], &hybrid::PROBLEM]);

/// CGA with its parameters.
#[derive(Debug, Clone)]
pub struct Cga {
    settings: Settings,
    kinds: Kinds,
    genetic: Recombine,
}

impl Cga {
    /// CGA with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            kinds: Kinds::new(settings),
            genetic: hybrid::genetic(settings),
        }
    }
}

impl Algorithm for Cga {
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        Some(self.kinds.representation(instance))
    }

    fn begin(&self, task: &Task<'_>) -> Box<dyn AlgorithmState> {
        Box::new(Cultural {
            genetic: self.genetic,
            restarts: Restarts::new(Start::Fresh, &self.settings, task.instance),
        })
    }
}

struct Cultural {
    genetic: Recombine,
    restarts: Restarts,
}

impl Persist for Cultural {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.restarts)
    }
}

impl AlgorithmState for Cultural {
    fn stage(&self) -> Stage {
        self.restarts.or(Stage {
            plan: Plan::from(Variation::Recombine(self.genetic)),
            generations: u32::MAX,
            operator: "genetic",
        })
    }

    fn observe(&mut self, feedback: &Feedback<'_>) {
        for record in feedback.records {
            self.restarts.note(record);
        }
    }
}
