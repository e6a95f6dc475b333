//! What a generation does, as data.
//!
//! An algorithm describes generations as [`Plan`]s; either engine carries them out, kernel by
//! kernel, with the same result to the bit. A generation is one kernel that varies the
//! population, the survey that looks for the best, the worst and a solution, and then perhaps a
//! kernel that learns from it.

use std::sync::Arc;

use crate::error::Error;
use crate::rng::Rate;

/// What an individual is and what makes one better than another. Fixed for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Individuals {
    /// What always holds of every individual.
    pub encoding: Encoding,
    /// What its fitness counts.
    pub objective: Objective,
}

impl Individuals {
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
}

/// The digits that a free cell can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// All of them.
    Any,
    /// The candidates: what givens and propagation have left.
    Candidates,
}

/// What fitness counts. Less is better, and 0 is a solution whatever the objective.
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
}

impl Objective {
    /// The fitness of an invalid grid whose sums are all right.
    pub const FALSE_ZERO: u32 = 1;
}

/// How the initial population is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// At random, within the encoding.
    Fresh,
    /// By sampling a model.
    Sample(Sample),
}

/// A generation of an evolutionary algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Makes the new population from the old one.
    pub vary: Vary,
    /// Runs after the survey, unless the survey found a solution.
    pub learn: Option<Learn>,
}

impl From<Vary> for Plan {
    /// Generations that only vary.
    fn from(vary: Vary) -> Self {
        Self { vary, learn: None }
    }
}

impl Plan {
    /// Refuses parameters that no kernel can have, for a population of this size.
    ///
    /// # Panics
    /// If the kernels are not for such individuals, or cannot go together: an algorithm that
    /// plans that is wrong whatever its parameters are.
    pub fn check(&self, individuals: Individuals, pop: usize) -> Result<(), Error> {
        let bad = |key: &str, value: u32, expected: &str| {
            Err(Error::BadValue {
                key: key.to_owned(),
                value: value.to_string(),
                expected: expected.to_owned(),
            })
        };
        let tournaments = match &self.vary {
            Vary::Breed(breed) => {
                let parents = match breed.parent {
                    Parent::Own => 1,
                    Parent::Tournament(size) => size,
                };
                [parents, breed.survivor.contest().0]
            }
            Vary::BreedBlocks(breed) => [breed.tournament, 1],
            Vary::Islands(islands) => [islands.breed.tournament, 1],
            Vary::Sample(_) | Vary::Improvise(_) | Vary::Pollinate(_) => [1, 1],
        };
        let fits = matches!(
            (&self.vary, individuals.encoding),
            (Vary::Breed(_), Encoding::Rows)
                | (
                    Vary::BreedBlocks(_) | Vary::Islands(_) | Vary::Sample(_),
                    Encoding::Blocks
                )
                | (Vary::Improvise(_) | Vary::Pollinate(_), Encoding::Cells(_))
        );
        assert!(
            fits,
            "{:?} is not for {:?}",
            self.vary, individuals.encoding
        );
        let elites = !matches!(self.vary, Vary::Improvise(_) | Vary::Islands(_));
        assert!(
            elites || self.learn.is_none(),
            "there is no room for elites beside the harmonies or emigrants of {:?}",
            self.vary
        );
        for contestants in tournaments {
            if !(1..1 << 16).contains(&contestants) {
                return bad("tournament", contestants, "from 1 to 65535 contestants");
            }
        }
        let possible = match &self.vary {
            Vary::BreedBlocks(breed) => breed.mutants > 0,
            Vary::Islands(Islands { breed, size, epoch }) => {
                breed.mutants > 0 && *size > 0 && *epoch > 0
            }
            Vary::Improvise(improvise) => improvise.pitches.len() >= 3,
            Vary::Pollinate(pollinate) => !pollinate.levy.is_empty(),
            Vary::Breed(_) | Vary::Sample(_) => true,
        };
        assert!(possible, "{:?} lacks what its kernel needs", self.vary);
        match (&self.vary, &self.learn) {
            (_, Some(Learn::Elite(Elite { size: 0, .. }))) => {
                bad("elite", 0, "a queue for one at least")
            }
            (Vary::Improvise(Improvise { batch, .. }), _)
                if !(1..=pop).contains(&(*batch as usize)) =>
            {
                let expected = format!("from 1 to {pop}, the size of the population (--pop)");
                bad("batch", *batch, &expected)
            }
            _ => Ok(()),
        }
    }

    /// Generations that always run together: an epoch of islands, otherwise one.
    pub fn stride(&self) -> u32 {
        match &self.vary {
            Vary::Islands(islands) => islands.epoch,
            _ => 1,
        }
    }

    /// Grids whose fitness a generation computes, learning left out.
    pub fn evaluations(&self, pop: usize) -> u64 {
        let each = match &self.vary {
            Vary::Improvise(improvise) => return u64::from(improvise.batch),
            Vary::BreedBlocks(breed) => breed.mutants,
            Vary::Islands(islands) => islands.breed.mutants,
            Vary::Breed(_) | Vary::Sample(_) | Vary::Pollinate(_) => 1,
        };
        pop as u64 * u64::from(each)
    }
}

/// Kernels that make a new population from the old one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Vary {
    /// Crossover, mutation, local search and tournament on rows that stay permutations.
    Breed(Breed),
    /// Crossover of whole block-rows and block-columns, swaps inside of sub-blocks.
    BreedBlocks(BreedBlocks),
    /// The same on islands that exchange individuals now and then.
    Islands(Islands),
    /// A new population from a model, whatever the old one was.
    Sample(Sample),
    /// New harmonies from the memory; the worst of it give way to better ones.
    Improvise(Improvise),
    /// Flower pollination: steps towards the best, or along the difference of two others.
    Pollinate(Pollinate),
}

/// Kernels that change the new population in the light of the survey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Learn {
    /// A queue of elites teaches the worst individual.
    Elite(Elite),
}

/// The operators of a row-permutation genetic algorithm, all of them optional.
///
/// [`Breed::IDLE`] copies the population; switch on what is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breed {
    /// Who is copied and varied.
    pub parent: Parent,
    /// Probability that an individual takes rows from a mate.
    pub crossover: Rate,
    /// Probability of each row to be taken, given a mate.
    pub crossover_row: Rate,
    /// Probability that two free cells of a row are swapped.
    pub swap: Rate,
    /// Probability that the free cells of a row are shuffled.
    pub reinitialise: Rate,
    /// Whether the two mutations strike each row, or one random row of the individual.
    pub mutation: MutationUnit,
    /// Search in illegal columns.
    pub column_search: bool,
    /// Search in illegal sub-blocks.
    pub block_search: bool,
    /// Rounds of column and sub-block search at the most; they end when one swaps nothing.
    pub rounds: u32,
    /// With how many other units an illegal column or sub-block is paired, at the most.
    pub partners: u32,
    /// Which of the cells with equal digits count as repeated.
    pub repeats: Repeats,
    /// Who takes the place in the new population.
    pub survivor: Survivor,
}

impl Breed {
    /// Copies every individual.
    pub const IDLE: Self = Self {
        parent: Parent::Own,
        crossover: Rate::NEVER,
        crossover_row: Rate::NEVER,
        swap: Rate::NEVER,
        reinitialise: Rate::NEVER,
        mutation: MutationUnit::Each,
        column_search: false,
        block_search: false,
        rounds: 0,
        partners: u32::MAX,
        repeats: Repeats::Every,
        survivor: Survivor::Child,
    };
}

/// Whose copy becomes the child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parent {
    /// The individual whose place it is.
    Own,
    /// The best of this many random individuals.
    Tournament(u32),
}

/// What a mutation rate is the rate of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MutationUnit {
    /// Every row or sub-block tosses its own coins.
    Each,
    /// The individual tosses them once, and one random row or sub-block is changed.
    Individual,
}

/// Which cells are marked as repeated when a digit stands in a unit more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// Every occurrence.
    Every,
    /// All but the first.
    Later,
}

/// Who takes the place in the new population.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survivor {
    /// The child, however bad.
    Child,
    /// The best of the child, the individual whose place it is, and random others up to this
    /// many contestants; the child wins ties.
    Tournament(u32),
    /// The same, but the child has to be strictly better.
    StrictTournament(u32),
}

impl Survivor {
    /// How many contend for the place, the child among them, and whether the child loses ties.
    pub fn contest(self) -> (u32, bool) {
        match self {
            Survivor::Child => (1, false),
            Survivor::Tournament(size) => (size, false),
            Survivor::StrictTournament(size) => (size, true),
        }
    }
}

/// A first-in-first-out queue of good individuals from which the worst one learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elite {
    /// Length of the queue, at least 1.
    pub size: u32,
    /// Which individuals enter it.
    pub admits: Admits,
}

/// Which individuals enter the queue of elites.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admits {
    /// The best of a generation that is better than that of every generation since the queue
    /// began; its first generation always is.
    Improvement,
    /// The best of every generation.
    EveryBest,
}

/// The operators of a genetic algorithm on sub-blocks that stay permutations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreedBlocks {
    /// Parents are the best of this many random individuals.
    pub tournament: u32,
    /// Probability that a pair of parents is crossed: one child takes the better block-rows, the
    /// other the better block-columns. Otherwise the children are copies.
    pub crossover: Rate,
    /// Probability that two free cells of a sub-block are swapped.
    pub swap: Rate,
    /// Whether each sub-block tosses that coin, or the individual for one of them.
    pub mutation: MutationUnit,
    /// Mutants of a child, at least 1, of which the best lives.
    pub mutants: u32,
}

/// Populations that meet at the end of an epoch only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Islands {
    /// What a generation does on an island.
    pub breed: BreedBlocks,
    /// Individuals of an island; the last one may have fewer.
    pub size: u32,
    /// Generations of an epoch. The best of each island at its end replaces the worst of the next
    /// one at the start of the next epoch. Epochs end at multiples of their length.
    pub epoch: u32,
}

/// A model to be sampled: weights of the digits of each cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The weights, cell after cell, a word a digit; those of a cell sum up to less than 2^31. If
    /// the order is given, it follows: the order of each block's free cells, counted among them,
    /// N words a block.
    pub model: Arc<[u32]>,
    /// In which order the cells of a block are filled. Blocks always come in random order.
    pub order: Order,
    /// Whether digits that stand in the row or column already are left out.
    pub neighbours: bool,
    /// How often a block is begun anew when no digit is left for a cell; after that any digit
    /// that the block still needs will do.
    pub retries: u32,
}

/// In which order the cells of a sampled block are filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Each individual has its own random one.
    Random,
    /// As it stands in the model.
    Given,
}

/// Harmony search: new harmonies from the memory, which is the population.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Improvise {
    /// Improvisations of a generation, at most as many as the memory holds. The best of them faces
    /// the worst of the memory, the second best the second worst, and so on; it replaces it if it
    /// is better. With one improvisation this is harmony search to the letter, with more the memory
    /// that they would leave one after another (copies apart, which take the place of a rival).
    pub batch: u32,
    /// HMCR, PAR (as [`Rate::threshold`]s) and bandwidth (256ths of a place in a cell's domain, up
    /// to 2^15) of the improvisations, in turn.
    pub pitches: Arc<[u32]>,
    /// Whether a harmony that is in the memory already does not enter it.
    pub distinct: bool,
}

/// Flower pollination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pollinate {
    /// Probability of global pollination; otherwise it is local.
    pub switch: Rate,
    /// Levy steps, drawn with equal probability: signed 16.16 fixed-point numbers from -64 to 64.
    pub levy: Arc<[u32]>,
    /// Whether a flower does not move to where another one was.
    pub distinct: bool,
}
