//! What the hybrids of the N-queens paper share: the genetic algorithm that all of them have, and
//! what their individuals are.
//!
//! Ojugo & Yoro, "Computational Intelligence in Stochastic Solution for Toroidal N-Queen". Their
//! four hybrids were first used on Sudoku (Perez & Marwala, "Stochastic Optimization Approaches for
//! Solving Sudoku", 2008), and solve both here.

use super::settings::{READING, param, propagate};
use super::{Kind, Param, Settings};
use crate::operators::{Accept, Cut, More, Mutations, Recombine};
use crate::plan::{Encoding, Objective, Representation, Weights};
use crate::problem::Instance;

pub(super) const SOURCE: &str =
    "Ojugo & Yoro, Computational Intelligence in Stochastic Solution for Toroidal N-Queen";
/// Population of the paper: sections 3 and 5.2.
pub(super) const POP: usize = 64;
/// The paper does not give up; this is more than any run of its table takes.
pub(super) const MAX_GENERATIONS: u32 = 1_000_000;

const FITNESS: Param = param(
    "fitness",
    Kind::Choice(&["conflicts", "support-confidence"]),
    "conflicts",
    "count attacks (of Sudoku: digits that rows and columns miss), or weigh the support and the \
     confidence of the rule that a queen which is free on one diagonal is free on the other",
    "sections 1.3 and 2.2",
);
const SUPPORT: Param = param(
    "w1",
    Kind::Number(0.001, 1.0),
    "0.2",
    "weight of the support, if fitness weighs it; in thousandths",
    "section 7",
);
const CONFIDENCE: Param = param(
    "w2",
    Kind::Number(0.0, 1.0),
    "0.8",
    "weight of the confidence",
    "section 7",
);
const BRICKS: Param = param(
    "bricks",
    Kind::Choice(&["blocks", "rows"]),
    "blocks",
    "what stays a permutation in a Sudoku: sub-blocks, or rows",
    READING,
);
/// Where the genetic part of a hybrid differs from the others': the default of each parameter and its source.
pub(super) struct Genetic {
    pub crossover: Sourced,
    pub always: Sourced,
    pub mutations: Sourced,
    pub per: Sourced,
    pub most: Sourced,
    pub tries: Sourced,
    pub accept: Sourced,
}

/// A default and where it stands.
type Sourced = (&'static str, &'static str);

impl Genetic {
    /// The parameters of the genetic part.
    pub const fn params(&self) -> [Param; 10] {
        [
            OFFSPRING,
            TOURNAMENT,
            crossover(self.crossover.0, self.crossover.1),
            CUT,
            always(self.always.0, self.always.1),
            mutations(self.mutations.0, self.mutations.1),
            per(self.per.0, self.per.1),
            most(self.most.0, self.most.1),
            tries(self.tries.0, self.tries.1),
            accept(self.accept.0, self.accept.1),
        ]
    }
}

/// What every hybrid asks of the problem: the objective, and what stays a permutation.
pub(super) const PROBLEM: [Param; 5] = [
    FITNESS,
    SUPPORT,
    CONFIDENCE,
    BRICKS,
    propagate("none", READING),
];

/// Parameters of several parts in one list.
pub(super) const fn join<const N: usize>(parts: &[&[Param]]) -> [Param; N] {
    let mut joined = [FITNESS; N];
    let (mut at, mut part) = (0, 0);
    while part < parts.len() {
        let mut param = 0;
        while param < parts[part].len() {
            joined[at] = parts[part][param];
            at += 1;
            param += 1;
        }
        part += 1;
    }
    assert!(at == N, "as many parameters as the parts have");
    joined
}

const OFFSPRING: Param = param(
    "offspring",
    Kind::Count(1, 1_000_000),
    "30",
    "children of a generation, which take the places of the worst",
    "section 2.2",
);
const TOURNAMENT: Param = param(
    "tournament",
    Kind::Count(1, 1000),
    "3",
    "contestants, of which the best two become parents",
    "section 2.2",
);
const CUT: Param = param(
    "cut",
    Kind::Choice(&["gaussian", "uniform"]),
    "gaussian",
    "how the point of the single-point crossover is drawn",
    "section 2.2",
);
pub(super) const RESTART: Param = param(
    "restart",
    Kind::Count(0, 1_000_000),
    "50",
    "a new population after this many generations for each gene without a better best; 0: never",
    READING,
);

const fn crossover(default: &'static str, source: &'static str) -> Param {
    param(
        "pc",
        Kind::Rate,
        default,
        "rate of the single-point crossover, repaired as partially mapped crossover does it",
        source,
    )
}

const fn always(default: &'static str, source: &'static str) -> Param {
    param(
        "genes",
        Kind::Count(0, 1000),
        default,
        "genes of a child that are mutated whatever the progress",
        source,
    )
}

const fn mutations(default: &'static str, source: &'static str) -> Param {
    param(
        "mutations",
        Kind::Choice(&["each", "up-to", "shared", "none"]),
        default,
        "what the number of mutations m that follows from the best's fitness means: m for each \
         child, a random number up to m for each, or m for all children together",
        source,
    )
}

const fn per(default: &'static str, source: &'static str) -> Param {
    param(
        "per",
        Kind::Count(1, 1000),
        default,
        "conflicts of the best for each mutation: m is their quotient, rounded up",
        source,
    )
}

const fn most(default: &'static str, source: &'static str) -> Param {
    param(
        "most",
        Kind::CountOrAll(1, 1_000_000),
        default,
        "but m is this at the most",
        source,
    )
}

const fn tries(default: &'static str, source: &'static str) -> Param {
    param(
        "tries",
        Kind::Count(0, 1000),
        default,
        "influence function: partners that a mutated gene tries until its new value conforms to \
         the belief space; if none does, it stays. 0: any partner will do",
        source,
    )
}

const fn accept(default: &'static str, source: &'static str) -> Param {
    param(
        "accept",
        Kind::Choice(&["always", "not-worse", "better"]),
        default,
        "when a child takes the place of one of the worst",
        source,
    )
}

/// The genetic algorithm of the hybrids (section 2.2).
pub(super) fn genetic(settings: &Settings) -> Recombine {
    Recombine {
        offspring: settings.count("offspring"),
        tournament: settings.count("tournament"),
        crossover: settings.rate("pc"),
        cut: match settings.word("cut") {
            "uniform" => Cut::Uniform,
            _ => Cut::Gaussian,
        },
        mutations: Mutations {
            always: settings.count("genes"),
            per: settings.count("per"),
            more: match settings.word("mutations") {
                "each" => More::Each,
                "up-to" => More::UpTo,
                "shared" => More::Shared,
                _ => More::None,
            },
            most: settings.count("most"),
        },
        tries: settings.count("tries"),
        accept: match settings.word("accept") {
            "not-worse" => Accept::NotWorse,
            "better" => Accept::Better,
            _ => Accept::Always,
        },
    }
}

/// Queens or grids, whichever the problem is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kinds {
    weights: Option<Weights>,
    grids: Encoding,
}

impl Kinds {
    pub fn new(settings: &Settings) -> Self {
        let thousandths = |key| (settings.number(key) * 1000.0).round() as u32;
        Self {
            weights: (settings.word("fitness") == "support-confidence").then(|| Weights {
                support: thousandths("w1").max(1),
                confidence: thousandths("w2"),
            }),
            grids: match settings.word("bricks") {
                "rows" => Encoding::Rows,
                _ => Encoding::Blocks,
            },
        }
    }

    pub fn representation(&self, instance: &Instance) -> Representation {
        let (encoding, conflicts) = match instance {
            Instance::Queens(_) => (Encoding::Placement, Objective::Attacks),
            Instance::Sudoku(_) => (self.grids, Objective::MissingDigits),
        };
        Representation {
            encoding,
            objective: match self.weights {
                Some(weights) => Objective::SupportConfidence(weights),
                None => conflicts,
            },
        }
    }
}
