//! Min-conflicts: conflict-driven swaps, the baseline of the field.
//!
//! Sosic & Gu, "Fast Search Algorithms for the N-Queens Problem" (1991) and "Efficient Local Search
//! with Conflict Minimization: A Case Study of the N-Queens Problem" (1994).
//!
//! ```text
//! place the queens one after the other, each on the first of some random rows where no queen
//! before it attacks it                                                        (initial search)
//! repeat:
//!     for each queen that is attacked: swap it with the first of some random queens with which
//!     that lowers the number of attacks                                          (final search)
//! ```
//!
//! Nearly all queens find a safe row at once, so that few swaps are left, and the time is linear in
//! n. A Sudoku begins at random; its queens are its free cells, which swap within sub-blocks. An
//! evaluation is a sweep over all queens, whatever it tries.

use super::hybrid::{self, Kinds};
use super::settings::{READING, SWITCH, param};
use super::stagnation::Restarts;
use super::{Algorithm, AlgorithmState, Feedback, Info, Kind, Param, Settings, Stage, Task};
use crate::codec::{Codec, DecodeError, Persist};
use crate::operators::{MinConflicts as Sweep, Start, Variation};
use crate::plan::{Plan, Representation};
use crate::problem::Instance;

/// Min-conflicts in the list of algorithms.
pub const INFO: Info = Info {
    name: "min-conflicts",
    title: "conflict-driven swaps after a greedy start",
    source: "Sosic & Gu, Fast Search Algorithms for the N-Queens Problem (1991)",
    pop: 1,
    max_generations: hybrid::MAX_GENERATIONS,
    params: PARAMS,
    build: |settings| Box::new(MinConflicts::new(settings)),
};

const PARAMS: &[Param] = &hybrid::join::<9>(&[
    &[
        param(
            "rows",
            Kind::Count(0, 1000),
            "100",
            "rows that a queen tries in the initial search; 0: all begin at random",
            READING,
        ),
        param(
            "tries",
            Kind::Count(1, 1000),
            "100",
            "partners that a gene in conflict tries in a generation",
            READING,
        ),
        param(
            "sideways",
            SWITCH,
            "on",
            "whether a swap that leaves as many conflicts will do",
            READING,
        ),
        hybrid::RESTART,
    ],
    &hybrid::PROBLEM,
]);

/// Min-conflicts with its parameters.
#[derive(Debug, Clone)]
pub struct MinConflicts {
    settings: Settings,
    kinds: Kinds,
    sweep: Sweep,
}

impl MinConflicts {
    /// Min-conflicts with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
            kinds: Kinds::new(settings),
            sweep: Sweep {
                tries: settings.count("tries"),
                sideways: settings.on("sideways"),
            },
        }
    }
}

impl Algorithm for MinConflicts {
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        Some(self.kinds.representation(instance))
    }

    fn begin(&self, task: &Task<'_>) -> Box<dyn AlgorithmState> {
        let start = match (task.instance, self.settings.count("rows")) {
            (Instance::Queens(_), rows @ 1..) => Start::Greedy(rows),
            _ => Start::Fresh,
        };
        Box::new(Search {
            start: start.clone(),
            sweep: self.sweep,
            restarts: Restarts::new(start, &self.settings, task.instance),
        })
    }
}

struct Search {
    start: Start,
    sweep: Sweep,
    restarts: Restarts,
}

impl Persist for Search {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.restarts)
    }
}

impl AlgorithmState for Search {
    fn start(&self) -> Start {
        self.start.clone()
    }

    fn stage(&self) -> Stage {
        self.restarts.or(Stage {
            plan: Plan::from(Variation::MinConflicts(self.sweep)),
            generations: u32::MAX,
            operator: "resolve",
        })
    }

    fn observe(&mut self, feedback: &Feedback<'_>) {
        for record in feedback.records {
            self.restarts.note(record);
        }
    }
}
