//! The kernels that know rows, columns and sub-blocks.

use std::sync::Arc;

use crate::rng::Rate;

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
    /// Representation of an island; the last one may have fewer.
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
