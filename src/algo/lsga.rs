//! LSGA: a genetic algorithm with column and sub-block local search.
//!
//! Wang, Sun, Du, Li, Zhan, Jeon, Wang & Zhang, "A Novel Evolutionary Algorithm with Column and
//! Sub-Block Local Search for Sudoku Puzzles", IEEE Transactions on Games, 2023.
//!
//! ```text
//! P = random row permutations that keep the givens            (section III-A)
//! repeat for every individual x of P, all at once:            (Algorithm 4)
//!     child = x
//!     with PC1: choose a mate; take each of its rows with PC2 (Algorithm 1)
//!     each row: with PM1 swap two free cells,
//!               with PM2 shuffle the free cells               (Algorithm 2)
//!     local search in illegal columns, then sub-blocks        (Algorithm 3)
//!     F = illegal columns + illegal sub-blocks                (eq. 1); stop at 0
//!     x = child if it wins the tournament
//! elite population learning for the worst                     (eqs. 2 and 3)
//! ```
//!
//! Partners and rows of a local search start at a random place, drawn once for each pass.
//!
//! The paper leaves open what competes in its "tournament of size 2", how often the local
//! search repeats, what counts as repeated, and what enters the elite queue. The defaults are
//! the reading that comes closest to the published figures; the other readings are settings.

use super::settings::{READING, SWITCH, param, propagate};
use super::{Algorithm, AlgorithmState, Info, Kind, Param, Settings, Steady, Task};
use crate::operators::{
    Admits, BreedRows, Elite, MutationUnit, Parent, Repeats, Survivor, Variation,
};
use crate::plan::{Learn, Plan};

/// LSGA in the list of algorithms.
pub const INFO: Info = Info {
    name: "lsga",
    title: "genetic algorithm with column and sub-block local search",
    source: "Wang et al., IEEE Transactions on Games, 2023",
    pop: 150,
    max_generations: 10_000,
    params: PARAMS,
    build: |settings| Box::new(Lsga::new(settings)),
};

const PARAMS: &[Param] = &[
    param(
        "elite",
        Kind::Count(0, 10_000),
        "50",
        "length of the elite queue; 0 switches it off",
        "Table I",
    ),
    param(
        "pc1",
        Kind::Rate,
        "0.2",
        "individual crossover rate",
        "Table I",
    ),
    param("pc2", Kind::Rate, "0.1", "row crossover rate", "Table I"),
    param("pm1", Kind::Rate, "0.3", "swap mutation rate", "Table I"),
    param(
        "pm2",
        Kind::Rate,
        "0.05",
        "re-initialisation mutation rate",
        "Table I",
    ),
    param(
        "tournament",
        Kind::Count(1, 1000),
        "2",
        "contestants of a tournament",
        "Table I",
    ),
    param(
        "selection",
        Kind::Choice(&["survivor", "parent"]),
        "survivor",
        "tournament of the child, its parent and random others for the place; or of random parents, \
         whose child always takes it",
        READING,
    ),
    param(
        "accept",
        Kind::Choice(&["not-worse", "better"]),
        "not-worse",
        "whether a child as good as its parent survives (selection=survivor)",
        READING,
    ),
    param(
        "admits",
        Kind::Choice(&["improvement", "every-best"]),
        "improvement",
        "the elite queue takes only improvements of the best, or the best of every generation",
        READING,
    ),
    param(
        "mutate",
        Kind::Choice(&["row", "individual"]),
        "row",
        "mutation rates are those of each row, or of the individual, of which one row is mutated",
        READING,
    ),
    param(
        "rounds",
        Kind::Count(0, 1000),
        "5",
        "rounds of local search at the most",
        READING,
    ),
    param(
        "partners",
        Kind::CountOrAll(1, 127),
        "all",
        "other units that an illegal one is paired with, legal ones counted (Algorithm 3 has 1)",
        READING,
    ),
    param(
        "repeats",
        Kind::Choice(&["every", "later"]),
        "every",
        "which of equal digits count as repeated: every one, or all but the first",
        READING,
    ),
    param(
        "column-search",
        SWITCH,
        "on",
        "local search in columns",
        "section III-D",
    ),
    param(
        "block-search",
        SWITCH,
        "on",
        "local search in sub-blocks",
        "section III-D",
    ),
    propagate("none", "not in the paper"),
];

/// LSGA with its parameters.
#[derive(Debug, Clone)]
pub struct Lsga {
    breed: BreedRows,
    elite: Option<Elite>,
}

impl Lsga {
    /// LSGA with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        let tournament = settings.count("tournament");
        let (parent, survivor) = match (settings.word("selection"), settings.word("accept")) {
            ("parent", _) => (Parent::Tournament(tournament), Survivor::Child),
            (_, "better") => (Parent::Own, Survivor::StrictTournament(tournament)),
            _ => (Parent::Own, Survivor::Tournament(tournament)),
        };
        let breed = BreedRows {
            parent,
            crossover: settings.rate("pc1"),
            crossover_row: settings.rate("pc2"),
            swap: settings.rate("pm1"),
            reinitialise: settings.rate("pm2"),
            mutation: match settings.word("mutate") {
                "individual" => MutationUnit::Individual,
                _ => MutationUnit::Each,
            },
            column_search: settings.on("column-search"),
            block_search: settings.on("block-search"),
            rounds: settings.count("rounds"),
            partners: settings.count("partners"),
            repeats: match settings.word("repeats") {
                "later" => Repeats::Later,
                _ => Repeats::Every,
            },
            survivor,
        };
        let elite = match settings.count("elite") {
            0 => None,
            size => Some(Elite {
                size,
                admits: match settings.word("admits") {
                    "every-best" => Admits::EveryBest,
                    _ => Admits::Improvement,
                },
            }),
        };
        Self { breed, elite }
    }
}

impl Lsga {
    /// What every generation does.
    pub fn plan(&self) -> Plan {
        Plan {
            vary: Variation::BreedRows(self.breed),
            learn: self.elite.map(Learn::Elite),
            target_fitness: 0,
        }
    }
}

impl Algorithm for Lsga {
    fn begin(&self, _: &Task<'_>) -> Box<dyn AlgorithmState> {
        Box::new(Steady {
            plan: self.plan(),
            operator: "breed",
        })
    }
}
