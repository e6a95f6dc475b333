//! Packing: a population of searches that keep partial grids without conflicts.
//!
//! A Sudoku is an exact cover: every cell needs a digit, and every row, column and box needs every digit once. These
//! are its elements; a candidate covers four of them. The search is ours. It is focused, like WalkSAT (Selman, Kautz &
//! Cohen, "Noise Strategies for Improving Local Search", AAAI 1994), because it begins with something that is wrong, and
//! a Metropolis search, because it accepts what is worse with a chance that falls with how much: as Seitz, Alava &
//! Orponen do for satisfiability ("Focused Local Search for Random 3-Satisfiability", Journal of Statistical
//! Mechanics, 2005).
//!
//! ```text
//! candidates = singles, pointing and claiming, singleton probing; stop if nothing is left
//! P = a random candidate in every open cell; of two in conflict, the second is taken out
//! repeat for every individual x of P, all at once:
//!     so many times, unless x is a solution:
//!         e = a random element that x does not cover
//!         c = a random candidate that covers e
//!         m = how many candidates of x cover what c covers
//!         with probability 1 if m <= 1, p if m = 2, p^2 if m = 3: take those m out, and c in
//!     F = cells without a digit; stop at 0
//!     p falls a little; from its least it goes back to its most, and falls half as fast
//! ```
//!
//! p is a temperature. What suits a puzzle depends on the mean number k of candidates of an open cell: some 1.5 / k^2.5 for
//! Sudoku and .7 / k^3 for Latin squares, whatever their size. `docs/large-grids.md` has the figures.

use super::settings::{MEASURED, READING, param, propagate};
use super::{Algorithm, AlgorithmState, Info, Kind, Param, Settings, Steady, Task, grids};
use crate::operators::{Packing, cooling};
use crate::plan::{Plan, Representation};
use crate::problem::Instance;

/// Packing in the list of algorithms.
pub const INFO: Info = Info {
    name: "packing",
    title: "a population of focused Metropolis searches on partial grids",
    source: "our own; focused searches with a temperature as of Seitz, Alava & Orponen 2005",
    pop: 4,
    max_generations: 1_000_000,
    params: PARAMS,
    build: |settings| Box::new(PackingSearches::new(settings)),
};

const PARAMS: &[Param] = &[STEPS, RATE, HEAT, PERIOD, propagate("probing", READING)];

pub(super) const STEPS: Param = param(
    "steps",
    Kind::Count(2, 10_000),
    "200",
    "steps of every individual in a generation, for each open cell",
    MEASURED,
);

pub(super) const RATE: Param = param(
    "rate",
    Kind::Number(0.0, 100.0),
    "1",
    "how often two are thrown out for one at the end of a period; 1 is what suits the puzzle",
    MEASURED,
);

pub(super) const HEAT: Param = param(
    "heat",
    Kind::Number(0.0, 100.0),
    "0.5",
    "how much more often, as a share of that, at the beginning of a period",
    MEASURED,
);

pub(super) const PERIOD: Param = param(
    "period",
    Kind::Count(1, cooling::MOST_PERIOD),
    "250",
    "generations of the first period; the next ones are twice as long, up to 16 times",
    MEASURED,
);

/// The lowest p of a period that suits a puzzle, whose open cells have so many candidates on average. Only what IEEE 754
/// rounds alike everywhere: engines on all machines have the same.
fn suitable_rate(choice: f64, has_boxes: bool) -> f64 {
    match has_boxes {
        true => 1.25 / (choice * choice * choice.sqrt()),
        false => 0.55 / (choice * choice * choice),
    }
}

/// Packing with its parameters.
#[derive(Debug, Clone)]
pub struct PackingSearches {
    settings: Settings,
}

impl PackingSearches {
    /// Packing with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
        }
    }
}

/// What a generation does to what is left of a puzzle, with settings of [`INFO`] or others that have its parameters.
pub(super) fn operator(settings: &Settings, instance: &Instance) -> Packing {
    let reduction = instance.reduction();
    let has_boxes = reduction.puzzle().geometry().boxes().is_some();
    let least = settings.number(RATE.key) * suitable_rate(reduction.choice(), has_boxes);
    let most = least * (1.0 + settings.number(HEAT.key));
    // Saturates: what is always taken is 1 less 2^-32.
    let parts = |rate: f64| (rate * 4_294_967_296.0) as u32;
    let steps = u64::from(settings.count(STEPS.key)) * instance.free_cells() as u64;
    Packing {
        draws: (steps / 2).clamp(1, Packing::MOST_DRAWS.into()) as u32,
        rates: [parts(least), parts(most)],
        period: settings.count(PERIOD.key),
    }
}

impl Algorithm for PackingSearches {
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        grids(instance, Representation::COLOURING)
    }

    fn begin(&self, task: &Task<'_>) -> Box<dyn AlgorithmState> {
        Box::new(Steady {
            plan: Plan::from(operator(&self.settings, task.instance)),
            operator: "packing",
        })
    }
}
