//! GA-II: a genetic algorithm that purges its population when it is stuck.
//!
//! Gerges, Zouein & Azar, "Genetic Algorithms with Local Optima Handling to Solve Sudoku Puzzles" (ICCAI
//! 2018), as far as its abstract tells: modified crossover and mutation operators, and a "purge approach" that
//! prevents the algorithm from getting stuck in local optima.
//!
//! ```text
//! P = random rows that are permutations and keep the givens
//! repeat for every individual x of P, all at once:
//!     child = x
//!     with the crossover rate: take some rows of a random mate
//!     swap two free cells of a row
//!     each column and each sub-block that repeats digits: swap one of them with a repeated digit of another
//!               column or sub-block in the same row
//!     x = child if it is not worse
//! if the best has not improved for some generations: purge
//! ```
//!
//! The original is not at hand. What is modified, what a purge removes and when it is due are a reading: the one
//! that comes closest to the figures that the LSGA paper quotes. With `encoding=blocks` the operators are those of
//! the [`ga`](super::ga), on whose puzzles the figures are.

use super::settings::{READING, param, propagate};
use super::stagnation::Restarts;
use super::{Algorithm, AlgorithmState, Feedback, Info, Kind, Param, Settings, Stage, Task, grids};
use crate::codec::{Codec, DecodeError, Persist};
use crate::operators::{BreedBlocks, BreedRows, MutationUnit, Start, Survivor, Variation};
use crate::plan::{Encoding, Objective, Plan, Representation};
use crate::problem::Instance;

/// GA-II in the list of algorithms.
pub const INFO: Info = Info {
    name: "ga-ii",
    title: "genetic algorithm that purges a population which is stuck",
    source: "Gerges, Zouein & Azar, ICCAI 2018",
    pop: 150,
    max_generations: 100_000,
    params: PARAMS,
    build: |settings| Box::new(GaIi::new(settings)),
};

const PARAMS: &[Param] = &[
    param(
        "encoding",
        Kind::Choice(&["rows", "blocks"]),
        "rows",
        "what is a permutation: rows, of which children win their place; or sub-blocks, with GA's operators",
        READING,
    ),
    param(
        "fitness",
        Kind::Choice(&["illegal-units", "conflicts"]),
        "illegal-units",
        "count columns and sub-blocks that miss digits, or the digits (blocks: always the digits)",
        READING,
    ),
    param(
        "crossover",
        Kind::Rate,
        "0.2",
        "crossover rate of an individual; of a pair of parents (blocks)",
        READING,
    ),
    param(
        "crossover-row",
        Kind::Rate,
        "0.1",
        "rate of each row to be taken over in a crossover (rows)",
        READING,
    ),
    param(
        "mutation",
        Kind::Rate,
        "1",
        "rate at which two free cells of a row or sub-block are swapped",
        READING,
    ),
    param(
        "mutate",
        Kind::Choice(&["individual", "each"]),
        "individual",
        "the mutation rate is that of the individual, of which one row is mutated, or of each row or sub-block",
        READING,
    ),
    param(
        "partners",
        Kind::CountOrAll(1, 127),
        "1",
        "units with which one that repeats digits tries to swap them (rows)",
        READING,
    ),
    param(
        "rounds",
        Kind::Count(0, 1000),
        "1",
        "how often it does so in a generation at the most; 0: the mutation is a random swap (rows)",
        READING,
    ),
    param(
        "tournament",
        Kind::Count(1, 1000),
        "2",
        "contestants for a place, the child and its parent among them; for a parent (blocks)",
        READING,
    ),
    param(
        "mutants",
        Kind::Count(1, 1000),
        "8",
        "mutants of a child of which the best lives (blocks)",
        READING,
    ),
    param(
        "patience",
        Kind::Count(0, 1_000_000),
        "1000",
        "generations without a better best before a purge; 0: never",
        READING,
    ),
    param(
        "purge",
        Kind::Rate,
        "1",
        "share of the rows that a purge makes anew, in every individual (blocks: always all)",
        READING,
    ),
    propagate("none", "not in the paper"),
];

/// GA-II with its parameters.
#[derive(Debug, Clone)]
pub struct GaIi {
    representation: Representation,
    genetic: Variation,
    purge: Variation,
    patience: u32,
}

impl GaIi {
    /// GA-II with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        let blocks = settings.word("encoding") == "blocks";
        let (crossover, swap) = (settings.rate("crossover"), settings.rate("mutation"));
        let mutation = match settings.word("mutate") {
            "each" => MutationUnit::Each,
            _ => MutationUnit::Individual,
        };
        let tournament = settings.count("tournament");
        let rounds = settings.count("rounds");
        let genetic = match blocks {
            true => Variation::BreedBlocks(BreedBlocks {
                tournament,
                crossover,
                swap,
                mutation,
                mutants: settings.count("mutants"),
            }),
            false => Variation::BreedRows(BreedRows {
                crossover,
                crossover_row: settings.rate("crossover-row"),
                swap,
                mutation,
                column_search: rounds > 0,
                block_search: rounds > 0,
                rounds,
                partners: settings.count("partners"),
                survivor: Survivor::Tournament(tournament),
                ..BreedRows::IDLE
            }),
        };
        let purge = match blocks {
            true => Variation::Renew(Start::Fresh),
            false => Variation::BreedRows(BreedRows {
                reinitialise: settings.rate("purge"),
                ..BreedRows::IDLE
            }),
        };
        let objective = match settings.word("fitness") {
            "illegal-units" if !blocks => Objective::IllegalUnits,
            _ => Objective::MissingDigits,
        };
        let encoding = if blocks {
            Encoding::Blocks
        } else {
            Encoding::Rows
        };
        Self {
            representation: Representation {
                encoding,
                objective,
            },
            genetic,
            purge,
            patience: settings.count("patience"),
        }
    }
}

impl Algorithm for GaIi {
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        grids(instance, self.representation)
    }

    fn begin(&self, _: &Task<'_>) -> Box<dyn AlgorithmState> {
        Box::new(Purging {
            genetic: self.genetic.clone(),
            purges: Restarts::after(self.patience, self.purge.clone(), "purge"),
        })
    }
}

struct Purging {
    genetic: Variation,
    purges: Restarts,
}

impl Persist for Purging {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        codec.persist(&mut self.purges)
    }
}

impl AlgorithmState for Purging {
    fn stage(&self) -> Stage {
        self.purges.or(Stage {
            plan: Plan::from(self.genetic.clone()),
            generations: u32::MAX,
            operator: "genetic",
        })
    }

    fn observe(&mut self, feedback: &Feedback<'_>) {
        for record in feedback.records {
            self.purges.note(record);
        }
    }
}
