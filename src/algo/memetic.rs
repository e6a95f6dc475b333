//! Memetic: the portfolio for grids that nothing else solves, and the default.
//!
//! A population of packing searches ([`super::packing`]) that hand their partial grids to tabu searches
//! ([`super::tabu`]) now and then, and take them back. Holes are filled with random candidates on the way to
//! the tabu searches; on the way back, of two cells in conflict the second becomes a hole.
//!
//! ```text
//! candidates = singles, pointing and claiming, singleton and nested probing; stop if nothing is left
//! P = a random candidate in every open cell
//! repeat, in cycles of so many generations:
//!     packing searches go on from P for most of the cycle; F = holes; stop at 0
//!     tabu searches go on from P for the rest of it; F = pairs of cells in conflict; stop at 0
//!     if the best of the tabu searches was better than the best of the packing searches:
//!         their share of the next cycle doubles; otherwise it halves
//!     neither share falls below what that of the tabu searches was at first
//! ```
//!
//! Both searches take about as long for a generation. Packing is the better one on every class on which both were
//! run. Tabu searches are kept, at a sixteenth, for classes that nobody has measured. `docs/large-grids.md` has the
//! figures.

use super::packing::{self, HEAT, PERIOD, RATE, STEPS};
use super::settings::{MEASURED, param, propagate};
use super::{
    Algorithm, AlgorithmState, Feedback, Info, Kind, Param, Settings, Stage, Task, grids, tabu,
};
use crate::codec::{Codec, DecodeError, Persist};
use crate::operators::{Packing, Tabu};
use crate::plan::{Plan, Representation};
use crate::problem::Instance;

/// Memetic in the list of algorithms.
pub const INFO: Info = Info {
    name: "memetic",
    title: "a portfolio of packing and tabu searches",
    source: "our own; TabuCol of Hertz & de Werra, Computing 39, 1987",
    pop: 4,
    max_generations: 1_000_000,
    params: PARAMS,
    build: |settings| Box::new(Memetic::new(settings)),
};

const PARAMS: &[Param] = &[
    STEPS,
    RATE,
    HEAT,
    PERIOD,
    param(
        "cycle",
        Kind::Count(1, 1_000_000),
        "320",
        "generations of a cycle, after which the shares are weighed",
        MEASURED,
    ),
    param(
        "tabu",
        Kind::Number(0.0, 0.5),
        "0.0625",
        "the least share of a cycle that either kind of search has, and that of tabu at first; 0: no tabu",
        MEASURED,
    ),
    propagate("nested", MEASURED),
];

/// A move of a tabu search takes as long as so many steps of a packing search.
const STEPS_PER_MOVE: u32 = 12;

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
}

impl Algorithm for Memetic {
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        grids(instance, Representation::COLOURING)
    }

    fn begin(&self, task: &Task<'_>) -> Box<dyn AlgorithmState> {
        let packing = packing::operator(&self.settings, task.instance);
        let tabu = tabu::operator(&Settings::new(&tabu::INFO), task.instance.reduction());
        let cycle = self.settings.count("cycle");
        let share = self.settings.number("tabu") * f64::from(cycle);
        let least = (share.round() as u32).min(cycle / 2);
        Box::new(Portfolio {
            tabu: Tabu {
                moves: (2 * packing.draws / STEPS_PER_MOVE).clamp(1, Tabu::MOST_MOVES),
                ..tabu
            },
            packing,
            cycle,
            least,
            tabu_generations: least,
            best: NOTHING,
            generation: 0,
        })
    }
}

/// The best fitness of both kinds of search before either has had its turn.
const NOTHING: [u32; 2] = [u32::MAX; 2];

/// Packing searches, and tabu searches at the end of each cycle.
struct Portfolio {
    packing: Packing,
    tabu: Tabu,
    /// Generations of a cycle.
    cycle: u32,
    /// The least of them that either kind has; 0 if there are no tabu searches.
    least: u32,
    /// How many of them are tabu searches' now.
    tabu_generations: u32,
    /// The best fitness in this cycle, of packing and of tabu searches.
    best: [u32; 2],
    generation: u32,
}

impl Persist for Portfolio {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.tabu_generations)?;
        let shares = self.least..=self.cycle - self.least;
        codec.require(shares.contains(&self.tabu_generations))?;
        for best in &mut self.best {
            codec.persist(best)?;
        }
        codec.persist(&mut self.generation)
    }
}

impl Portfolio {
    /// How many generations of the cycle are left to the kind whose turn it is after so many, and whether that is tabu.
    fn turn(&self, generation: u32) -> (u32, bool) {
        let passed = generation % self.cycle;
        let packings = self.cycle - self.tabu_generations;
        match packings.checked_sub(passed) {
            None | Some(0) => (self.cycle - passed, true),
            Some(left) => (left, false),
        }
    }

    /// The shares of the next cycle.
    fn weigh(&mut self) {
        let [packing, tabu] = std::mem::replace(&mut self.best, NOTHING);
        let wanted = match tabu < packing {
            true => 2 * self.tabu_generations,
            false => self.tabu_generations / 2,
        };
        self.tabu_generations = wanted.clamp(self.least, self.cycle - self.least);
    }
}

impl AlgorithmState for Portfolio {
    fn stage(&self) -> Stage {
        let (generations, is_tabu) = self.turn(self.generation);
        let (plan, operator) = match is_tabu {
            true => (Plan::from(self.tabu), "tabu"),
            false => (Plan::from(self.packing), "packing"),
        };
        Stage {
            plan,
            generations,
            operator,
        }
    }

    fn observe(&mut self, feedback: &Feedback<'_>) {
        for record in feedback
            .records
            .iter()
            .filter(|record| record.generation > 0)
        {
            let (_, is_tabu) = self.turn(record.generation - 1);
            let best = &mut self.best[usize::from(is_tabu)];
            *best = record.best.min(*best);
            self.generation = record.generation;
            if record.generation % self.cycle == 0 {
                self.weigh();
            }
        }
    }
}
