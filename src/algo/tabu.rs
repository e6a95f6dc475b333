//! Tabu: a population of list-colouring tabu searches.
//!
//! The moves are those of TabuCol (Hertz & de Werra, "Using Tabu Search Techniques for Graph
//! Coloring", Computing 39, 1987), on the lists of candidates that propagation leaves. That a
//! population of them is work for a GPU has been shown by Goudet, Grelier & Hao ("A Deep Learning
//! Guided Memetic Framework for Graph Coloring Problems", Knowledge-Based Systems 258, 2022).
//!
//! ```text
//! candidates = singles, pointing and claiming, singleton probing; stop if nothing is left
//! P = a random candidate in every open cell
//! repeat for every individual x of P, all at once:
//!     so many times, unless x is a solution:
//!         c = the cells of x that are in conflict
//!         of all moves (a cell of c, another of its candidates) that are not tabu, or lead to fewer
//!         conflicts than any before: make one that leaves the fewest conflicts
//!         the candidate that was left is tabu for  tenure * |c| + random  moves
//!     F = pairs of cells in conflict; stop at 0
//!     tenure falls a little; from its least it goes back to its most, and falls half as fast
//!     after many generations: begin anew
//! ```
//!
//! A tenure that grows with the conflicts is Galinier & Hao's ("Hybrid Evolutionary Algorithms for Graph
//! Coloring", Journal of Combinatorial Optimization 3, 1999); its scale is our own. It acts as a
//! temperature, and every class of puzzles has another one at which it is solved: near 3.2 divided by the mean number of candidates of an open cell, half of
//! that in Latin squares. `docs/large-grids.md` has the figures.

use super::settings::{MEASURED, READING, param, propagate};
use super::{Algorithm, AlgorithmState, Feedback, Info, Kind, Param, Settings, Stage, Task, grids};
use crate::codec::{Codec, DecodeError, Persist};
use crate::operators::{Start, Tabu, Variation};
use crate::plan::{Plan, Representation};
use crate::problem::{Instance, Reduction};

/// Tabu in the list of algorithms.
pub const INFO: Info = Info {
    name: "tabu",
    title: "a population of list-colouring tabu searches",
    source: "TabuCol of Hertz & de Werra, Computing 39, 1987; the scale of its tenure is our own",
    pop: 4,
    max_generations: 100_000,
    params: PARAMS,
    build: |settings| Box::new(TabuSearches::new(settings)),
};

/// Tenure for each cell in conflict at the end of a period, times the mean number of candidates of an
/// open cell: of a Sudoku, and of a Latin square.
const SUITS: [f64; 2] = [2.9, 1.4];

const PARAMS: &[Param] = &[
    param(
        "moves",
        Kind::Count(1, Tabu::MOST_MOVES),
        "10000",
        "moves of every individual in a generation",
        MEASURED,
    ),
    param(
        "tenure",
        Kind::Number(0.0, 4.0),
        "1",
        "how long a candidate is tabu at the end of a period; 1 is what suits the puzzle",
        MEASURED,
    ),
    param(
        "heat",
        Kind::Number(0.0, 4.0),
        "0.25",
        "how much longer, as a share of that, at the beginning of a period",
        MEASURED,
    ),
    param(
        "period",
        Kind::Count(1, 4095),
        "50",
        "generations of the first period; the next ones are twice as long, up to 16 times",
        MEASURED,
    ),
    param(
        "random",
        Kind::Count(1, 1000),
        "6",
        "the random part of those moves is below this",
        MEASURED,
    ),
    param(
        "restart",
        Kind::Count(0, 1_000_000),
        "7000",
        "moves for each open cell after which everybody begins anew; 0: never",
        MEASURED,
    ),
    propagate("probing", READING),
];

/// Tabu with its parameters.
#[derive(Debug, Clone)]
pub struct TabuSearches {
    settings: Settings,
}

impl TabuSearches {
    /// Tabu with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
        }
    }

    /// Generations after which everybody begins anew, where so many cells are open; 0 is never.
    fn restart(&self, cells: usize) -> u32 {
        let moves = u64::from(self.settings.count("restart")) * cells as u64;
        let generations = moves.div_ceil(u64::from(self.settings.count("moves")));
        // One less than the most, so that a round of them can be counted.
        generations.min(u64::from(u32::MAX - 1)) as u32
    }
}

/// What a generation does to what is left of a puzzle, with settings of [`INFO`].
pub fn operator(settings: &Settings, reduction: &Reduction) -> Tabu {
    let puzzle = reduction.puzzle();
    let suits = SUITS[usize::from(puzzle.geometry().boxes().is_none())];
    let tenure = settings.number("tenure") * suits / reduction.choice();
    let parts = |tenure: f64| ((tenure * 256.0).round() as u32).min(Tabu::LONGEST);
    Tabu {
        moves: settings.count("moves"),
        factors: [1.0, 1.0 + settings.number("heat")].map(|times| parts(times * tenure)),
        period: settings.count("period"),
        random: settings.count("random"),
    }
}

impl Algorithm for TabuSearches {
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        grids(instance, Representation::COLOURING)
    }

    fn begin(&self, task: &Task<'_>) -> Box<dyn AlgorithmState> {
        Box::new(Searches {
            tabu: operator(&self.settings, task.instance.reduction()),
            restart: self.restart(task.instance.free_cells()),
            generation: 0,
        })
    }
}

/// Searches, and now and then a new population: some begin in a wrong basin and never leave it.
struct Searches {
    tabu: Tabu,
    restart: u32,
    generation: u32,
}

impl Persist for Searches {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.generation)
    }
}

impl AlgorithmState for Searches {
    fn stage(&self) -> Stage {
        let left = match self.restart {
            0 => u32::MAX,
            restart => restart - self.generation % (restart + 1),
        };
        match left {
            0 => Stage {
                plan: Plan::from(Variation::Renew(Start::Fresh)),
                generations: 1,
                operator: "restart",
            },
            left => Stage {
                plan: Plan::from(Variation::Tabu(self.tabu)),
                generations: left,
                operator: "tabu",
            },
        }
    }

    fn observe(&mut self, feedback: &Feedback<'_>) {
        if let Some(last) = feedback.records.last() {
            self.generation = last.generation;
        }
    }
}
