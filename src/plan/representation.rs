//! What individuals are, and what makes one better than another.

use crate::operators::OwnObjective;
use crate::rng::bounded;

/// What an individual is and what makes one better than another. Fixed for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Representation {
    /// What always holds of every individual.
    pub encoding: Encoding,
    /// What its fitness counts.
    pub objective: Objective,
}

impl Representation {
    /// Rows that are permutations, judged by their illegal columns and sub-blocks.
    pub const ROWS: Self = Self {
        encoding: Encoding::Rows,
        objective: Objective::IllegalUnits,
    };
    /// Sub-blocks that are permutations, judged by the digits that rows and columns miss.
    pub const BLOCKS: Self = Self {
        encoding: Encoding::Blocks,
        objective: Objective::MissingDigits,
    };
    /// Cells with one of their candidates each or none, judged by the pairs that are in conflict and by the holes.
    pub const COLOURING: Self = Self {
        encoding: Encoding::PartialCells,
        objective: Objective::ConflictsAndHoles,
    };
    /// Queens, judged by their attacks.
    pub const QUEENS: Self = Self {
        encoding: Encoding::Placement,
        objective: Objective::Attacks,
    };

    /// Whether there are segments whose genes the permutation kernels can swap, and an objective
    /// that they can count.
    pub fn are_permutations(&self) -> bool {
        use {Encoding as E, Objective as O};
        matches!(
            (self.encoding, self.objective),
            (
                E::Rows | E::Blocks,
                O::MissingDigits | O::SupportConfidence(_)
            ) | (E::Placement, O::Attacks | O::SupportConfidence(_))
        )
    }

    /// The kernels that can tell the fitness.
    pub fn family(&self) -> KernelFamily {
        match self.objective {
            Objective::IllegalUnits
            | Objective::MissingDigits
            | Objective::SumDeviation
            | Objective::Own(_) => KernelFamily::Grids,
            Objective::Attacks | Objective::SupportConfidence(_) => KernelFamily::Permutations,
            Objective::ConflictsAndHoles => KernelFamily::Colouring,
        }
    }
}

/// Kernels that see an individual in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelFamily {
    /// As a grid with rows, columns and sub-blocks.
    Grids,
    /// As genes on lines.
    Permutations,
    /// As a graph whose vertices are coloured from lists.
    Colouring,
}

/// What always holds of every individual, besides that the givens stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Every row is a permutation.
    Rows,
    /// Every sub-block is a permutation. In a Latin square the rows are the blocks.
    Blocks,
    /// Every cell holds a digit of its domain.
    Cells(Domain),
    /// Every cell holds one of its candidates, or is a hole.
    PartialCells,
    /// Every column and every row of the board holds one queen.
    Placement,
}

impl Encoding {
    /// Whether every cell takes whatever digit of its domain, no matter what others have.
    pub fn has_free_digits(self) -> bool {
        matches!(self, Self::Cells(_) | Self::PartialCells)
    }

    /// What users call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::Blocks => "blocks",
            Self::Cells(Domain::Any) => "cells",
            Self::Cells(Domain::Candidates) => "candidates",
            Self::PartialCells => "partial",
            Self::Placement => "placement",
        }
    }

    /// What always holds, in words.
    pub fn rule(self) -> &'static str {
        match self {
            Self::Rows => "givens stand and every row is a permutation",
            Self::Blocks => "givens stand and every sub-block is a permutation",
            Self::Cells(Domain::Any) => "givens stand and every cell has a digit",
            Self::Cells(Domain::Candidates) => "every cell has one of its candidates",
            Self::PartialCells => "every cell has one of its candidates or is a hole",
            Self::Placement => "every column and every row has one queen",
        }
    }
}

/// The digits that a free cell can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// All of them.
    Any,
    /// The candidates: what givens and propagation have left.
    Candidates,
}

/// What fitness counts. Less is better, and 0 is a solution whatever the objective (but see
/// [`crate::problem::Instance::goal`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// Units in which a digit is repeated (LSGA eq. 1).
    IllegalUnits,
    /// Digits that units miss: 162 less the score of Sato & Inoue (NB-COIN eq. 1) at 9x9.
    MissingDigits,
    /// Z: how far the sum of each unit is from N (N + 1) / 2 (FPCHS eq. 1).
    ///
    /// An invalid grid can have Z = 0. It is given the fitness [`Objective::FALSE_ZERO`], which
    /// stands between a solution and every other grid: Z = 1 does not exist. (Rows, columns and
    /// blocks have the same total. If it is wrong, each kind of unit adds at least 1 to Z. If it is
    /// right, the deviations of a kind cancel out, so that Z is even.)
    SumDeviation,
    /// Pairs of queens on each diagonal, added up.
    Attacks,
    /// How much the rule "a gene without conflict on its first line has none on its second, either"
    /// lacks of full support and full confidence.
    SupportConfidence(Weights),
    /// Pairs of cells that hold the same digit and share a row, a column or a sub-block, each once,
    /// whatever they share; and cells without a digit.
    ConflictsAndHoles,
    /// Something of somebody else's, of grids.
    Own(&'static OwnObjective),
}

impl Objective {
    /// What users call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::IllegalUnits => "illegal-units",
            Self::MissingDigits => "missing-digits",
            Self::SumDeviation => "sum-deviation",
            Self::Attacks => "attacks",
            Self::SupportConfidence(_) => "support-confidence",
            Self::ConflictsAndHoles => "conflicts",
            Self::Own(_) => "own",
        }
    }

    /// The fitness of an invalid grid whose sums are all right.
    pub const FALSE_ZERO: u32 = 1;

    /// How many conflicts a fitness stands for, where there are so many genes. Of support and
    /// confidence this is an estimate: the share that is lacking, in genes.
    pub fn conflicts(self, fitness: u32, genes: usize) -> u32 {
        match (self, fitness) {
            (Self::SupportConfidence(weights), 1..) => {
                let lacking = fitness.min(2 * Weights::WHOLE) * 1000;
                let lacking = lacking / (weights.support + weights.confidence);
                1 + bounded(lacking.min(Weights::WHOLE - 1) << 16, genes as u32)
            }
            _ => fitness,
        }
    }

    /// The highest fitness that stands for no more than so many conflicts.
    pub fn fitness_of(self, conflicts: u32, genes: usize) -> u32 {
        match (self, conflicts) {
            (Self::SupportConfidence(_), _) if conflicts as usize >= genes => u32::MAX,
            (Self::SupportConfidence(weights), 1..) => {
                let share = u64::from(conflicts) * u64::from(Weights::WHOLE);
                let weight = u64::from(weights.support + weights.confidence);
                ((share.div_ceil(genes as u64) * weight).div_ceil(1000) - 1) as u32
            }
            _ => conflicts,
        }
    }
}

/// The weights of support and confidence, in thousandths.
///
/// With A the genes that have no conflict on their first line (row, falling diagonal; where rows are
/// the segments, column) and B those that have none on their second (column, rising diagonal; where
/// rows are the segments, sub-block; in a Latin square always row and column), support is |A and B| / N and
/// confidence |A and B| / |A|, or 0 if there is no A; N counts the genes. Fitness is what
/// w1 support + w2 confidence lacks of w1 + w2, in parts of [`Weights::WHOLE`]; what each of the two
/// lacks and the sum are rounded up. 0 is a solution, because w1 is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weights {
    /// w1, from 1 to 1000.
    pub support: u32,
    /// w2, from 0 to 1000.
    pub confidence: u32,
}

impl Weights {
    /// What stands for 1.
    pub const WHOLE: u32 = 1 << 16;
}
