//! Memetic: a population of list-colouring tabu searches, for grids that nothing else solves.
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
//! ```
//!
//! What is our own is the tenure. It acts as a temperature, and every class of puzzles has another one
//! at which it is solved: near 3.5 divided by the mean number of candidates of an open cell, half of
//! that in Latin squares. It falls past there again and again, more slowly each time.
//! `docs/large-grids.md` has the figures.

use super::settings::{READING, param, propagate};
use super::{Algorithm, Course, Info, Kind, Param, Settings, Steady, Task, grids};
use crate::plan::{Individuals, Plan, Tabu, Vary};
use crate::problem::{Instance, Reduction};

/// Memetic in the list of algorithms.
pub const INFO: Info = Info {
    name: "memetic",
    title: "a population of list-colouring tabu searches",
    source: "TabuCol of Hertz & de Werra, Computing 39, 1987; the cooling is our own",
    pop: 4,
    max_generations: 100_000,
    params: PARAMS,
    build: |settings| Box::new(Memetic::new(settings)),
};

/// Source of what was found by measuring: `docs/large-grids.md`.
const MEASURED: &str = "measured";

/// Tenure for each cell in conflict at the end of a period, times the mean number of candidates of an
/// open cell: of a Sudoku, and of a Latin square.
const SUITS: [f64; 2] = [2.7, 1.2];

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
        "0.65",
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
        "Hertz & de Werra",
    ),
    propagate("probing", READING),
];

/// Memetic with its parameters.
#[derive(Debug, Clone)]
pub struct Memetic {
    settings: Settings,
}

impl Memetic {
    /// Memetic with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        Self {
            settings: settings.clone(),
        }
    }

    /// What a generation does to what is left of a puzzle.
    fn tabu(&self, reduction: &Reduction) -> Tabu {
        let settings = &self.settings;
        let puzzle = reduction.puzzle();
        let suits = SUITS[usize::from(puzzle.geometry().boxes().is_none())];
        let cells = puzzle.givens().cells().iter().zip(reduction.candidates());
        let lists = cells.filter(|&(&given, _)| given == 0);
        let (cells, candidates) = lists.fold((0, 0), |(cells, candidates), (_, list)| {
            (cells + 1, candidates + list.count_ones())
        });
        let per_cell = f64::from(candidates) / f64::from(cells.max(1));
        let tenure = settings.number("tenure") * suits / per_cell.max(1.0);
        let parts = |tenure: f64| ((tenure * 256.0).round() as u32).min(Tabu::LONGEST);
        Tabu {
            moves: settings.count("moves"),
            factors: [1.0, 1.0 + settings.number("heat")].map(|times| parts(times * tenure)),
            period: settings.count("period"),
            random: settings.count("random"),
        }
    }
}

impl Algorithm for Memetic {
    fn individuals(&self, instance: &Instance) -> Option<Individuals> {
        grids(instance, Individuals::COLOURING)
    }

    fn begin(&self, task: &Task<'_>) -> Box<dyn Course> {
        Box::new(Steady {
            plan: Plan::from(Vary::Tabu(self.tabu(task.instance.reduction()))),
            operator: "tabu",
        })
    }
}
