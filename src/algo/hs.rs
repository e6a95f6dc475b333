//! HS: harmony search as section IV of the FPCHS paper describes it, after Geem, "Harmony search
//! algorithm for solving Sudoku" (KES 2007).
//!
//! ```text
//! HM = HMS random grids
//! repeat MaxImp times:
//!     for every free cell:                                          (step 3)
//!         with HMCR: the digit of a random member of HM,
//!             with PAR: moved by up to BW
//!         otherwise: any digit
//!     the new harmony replaces the worst of HM if it is better      (step 4)
//! ```
//!
//! A generation is a batch of improvisations that all listen to the same memory. The published
//! objective, right sums of all units, does not make a Sudoku: `objective=sum` has it, and success
//! is decided by the rules all the same. The defaults are the repaired form: digits that units
//! miss, candidates instead of all digits, no member twice in the memory.

use std::sync::Arc;

use super::settings::{READING, SWITCH, param, propagate};
use super::{Algorithm, AlgorithmState, Info, Kind, Param, Settings, Steady, Task, grids};
use crate::operators::{Improvise, Variation};
use crate::plan::{Domain, Encoding, Objective, Plan, Representation};
use crate::problem::Instance;

/// HS in the list of algorithms.
pub const INFO: Info = Info {
    name: "hs",
    title: "harmony search",
    source: "Geem, KES 2007; Abdel-Raouf et al., section IV",
    pop: 50,
    max_generations: 200,
    params: PARAMS,
    build: |settings| Box::new(Hs::new(settings)),
};

const PARAMS: &[Param] = &[
    param(
        "hmcr",
        Kind::Rate,
        "0.9",
        "harmony memory considering rate",
        "no value given; reading",
    ),
    param(
        "par",
        Kind::Rate,
        "0.1",
        "pitch adjusting rate",
        "no value given; reading",
    ),
    param(
        "bw",
        Kind::Number(0.0, 128.0),
        "1",
        "bandwidth: how far a digit moves at the most, in places of its cell's domain",
        "no value given; reading",
    ),
    BATCH,
    OBJECTIVE,
    DOMAIN,
    DISTINCT,
    propagate("none", "not in the paper"),
];

/// Improvisations of a generation.
pub(super) const BATCH: Param = param(
    "batch",
    Kind::CountOrAll(1, 1 << 24),
    "all",
    "improvisations of a generation, 1 in the original; all: as many as the memory holds",
    READING,
);

/// What fitness counts.
pub(super) const OBJECTIVE: Param = param(
    "objective",
    Kind::Choice(&["missing", "sum"]),
    "missing",
    "digits that units miss, or Z: how far the sums of units are from N (N + 1) / 2",
    "repair; the paper has sum (eq. 1)",
);

/// What a cell can hold.
pub(super) const DOMAIN: Param = param(
    "domain",
    Kind::Choice(&["candidates", "any"]),
    "candidates",
    "digits that the givens leave for a cell, or any digit",
    "repair; the paper has any",
);

/// Whether a memory can hold a grid twice.
pub(super) const DISTINCT: Param = param(
    "distinct",
    SWITCH,
    "on",
    "whether a grid that is in the memory already is turned away",
    "repair; not in the paper",
);

/// What the settings say of individuals.
pub(super) fn representation(settings: &Settings) -> Representation {
    Representation {
        encoding: Encoding::Cells(match settings.word("domain") {
            "any" => Domain::Any,
            _ => Domain::Candidates,
        }),
        objective: match settings.word("objective") {
            "sum" => Objective::SumDeviation,
            _ => Objective::MissingDigits,
        },
    }
}

/// The size of a batch for a memory of this size, given as `all` or a number.
pub(super) fn batch_size(batch: u32, pop: usize) -> u32 {
    if batch == u32::MAX { pop as u32 } else { batch }
}

/// A bandwidth as [`Improvise::pitches`] have it.
pub(super) fn bandwidth(places: f64) -> u32 {
    (places * 256.0).round() as u32
}

/// HS with its parameters.
#[derive(Debug, Clone)]
pub struct Hs {
    representation: Representation,
    batch: u32,
    pitch: Arc<[u32]>,
    distinct: bool,
}

impl Hs {
    /// HS with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        Self {
            representation: representation(settings),
            batch: settings.count("batch"),
            pitch: Arc::new([
                settings.rate("hmcr").threshold(),
                settings.rate("par").threshold(),
                bandwidth(settings.number("bw")),
            ]),
            distinct: settings.on("distinct"),
        }
    }
}

impl Algorithm for Hs {
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        grids(instance, self.representation)
    }

    fn begin(&self, task: &Task<'_>) -> Box<dyn AlgorithmState> {
        Box::new(Steady {
            plan: Plan::from(Variation::Improvise(Improvise {
                batch: batch_size(self.batch, task.pop),
                pitches: self.pitch.clone(),
                distinct: self.distinct,
            })),
            operator: "improvise",
        })
    }
}
