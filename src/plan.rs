//! What a generation does, as data.
//!
//! An algorithm describes generations as [`Plan`]s; either engine carries them out, kernel by
//! kernel, with the same result to the bit. A generation is one kernel that varies the
//! population, the survey that looks for the best, the worst and a solution, and then perhaps a
//! kernel that learns from it.
//!
//! Some kernels are for grids only. The permutation kernels ([`Recombine`], [`Swarm`],
//! [`Gravitate`], [`Anneal`], [`Resolve`]) see nothing but genes in bricks that stay permutations,
//! and serve grids and queens alike.

use std::sync::Arc;

use crate::error::Error;
use crate::rng::{Rate, bounded};

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
    /// Queens, judged by their attacks.
    pub const QUEENS: Self = Self {
        encoding: Encoding::Placement,
        objective: Objective::Attacks,
    };

    /// Whether there are bricks whose genes the permutation kernels can swap, and an objective
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

    /// Whether only the permutation kernels can tell the fitness.
    pub fn fitness_by_lines(&self) -> bool {
        matches!(
            self.objective,
            Objective::Attacks | Objective::SupportConfidence(_)
        )
    }
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
    /// Every column and every row of the board holds one queen.
    Placement,
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
/// [`crate::problem::Problem::goal`]).
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
}

impl Objective {
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
}

impl Objective {
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
/// the bricks, column) and B those that have none on their second (column, rising diagonal; where
/// rows are the bricks, sub-block), support is |A and B| / N and
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

/// How the initial population is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// At random, within the encoding.
    Fresh,
    /// By sampling a model.
    Sample(Sample),
    /// Queen by queen: each goes to the first of so many random free rows on which no queen before
    /// it attacks it, or to the last of them (Sosic & Gu's initial search). The free rows stand in
    /// ascending order at first; a row that is taken changes places with the first of them. Queens
    /// only.
    Greedy(u32),
}

/// A generation of an evolutionary algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Makes the new population from the old one.
    pub vary: Vary,
    /// Runs after the survey, unless that ended the generations.
    pub learn: Option<Learn>,
    /// The generations end with one whose best is as good as this, solution or not.
    pub until: u32,
}

impl From<Vary> for Plan {
    /// Generations that only vary.
    fn from(vary: Vary) -> Self {
        Self {
            vary,
            learn: None,
            until: 0,
        }
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
            Vary::Recombine(recombine) => [recombine.tournament, 1],
            Vary::Renew(_)
            | Vary::Improvise(_)
            | Vary::Pollinate(_)
            | Vary::Swarm(_)
            | Vary::Gravitate(_)
            | Vary::Anneal(_)
            | Vary::Resolve(_) => [1, 1],
        };
        let permutes = matches!(
            self.vary,
            Vary::Recombine(_)
                | Vary::Swarm(_)
                | Vary::Gravitate(_)
                | Vary::Anneal(_)
                | Vary::Resolve(_)
        );
        let placed = individuals.encoding == Encoding::Placement;
        let fits = permutes && individuals.are_permutations()
            || matches!(self.vary, Vary::Renew(Start::Fresh))
            || matches!(self.vary, Vary::Renew(Start::Greedy(1..))) && placed
            || !individuals.fitness_by_lines()
                && matches!(
                    (&self.vary, individuals.encoding),
                    (Vary::Breed(_), Encoding::Rows)
                        | (
                            Vary::BreedBlocks(_) | Vary::Islands(_) | Vary::Renew(Start::Sample(_)),
                            Encoding::Blocks
                        )
                        | (Vary::Improvise(_) | Vary::Pollinate(_), Encoding::Cells(_))
                );
        assert!(
            fits,
            "{:?} is not for {:?}",
            self.vary, individuals.encoding
        );
        let elites = !permutes && !matches!(self.vary, Vary::Improvise(_) | Vary::Islands(_));
        assert!(
            elites || self.learn.is_none(),
            "there is no room for elites beside what {:?} keeps outside of the population",
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
            Vary::Anneal(anneal) => {
                anneal.hold > 0 && anneal.schedule.len().is_multiple_of(Anneal::DELTAS)
            }
            Vary::Gravitate(gravitate) => {
                let rows = gravitate.schedule.chunks_exact(2);
                let whole = rows.len() > 0 && rows.remainder().is_empty();
                whole && { rows }.all(|row| (1..=Gravitate::MOST_BEST).contains(&row[1]))
            }
            Vary::Resolve(resolve) => resolve.tries > 0,
            Vary::Recombine(recombine) => recombine.offspring > 0 && recombine.mutations.per > 0,
            Vary::Breed(_) | Vary::Renew(_) | Vary::Swarm(_) => true,
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
            Vary::Recombine(recombine) => return u64::from(recombine.offspring).min(pop as u64),
            Vary::Anneal(anneal) => match anneal.who {
                Who::One(_) => return u64::from(anneal.proposals),
                Who::Everybody => anneal.proposals,
            },
            Vary::Breed(_)
            | Vary::Renew(_)
            | Vary::Pollinate(_)
            | Vary::Swarm(_)
            | Vary::Gravitate(_)
            | Vary::Resolve(_) => 1,
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
    /// A new population, whatever the old one was.
    Renew(Start),
    /// New harmonies from the memory; the worst of it give way to better ones.
    Improvise(Improvise),
    /// Flower pollination: steps towards the best, or along the difference of two others.
    Pollinate(Pollinate),
    /// Tournament, single-point crossover and swaps within bricks; children replace the worst.
    Recombine(Recombine),
    /// Particles move towards their own best and the swarm's.
    Swarm(Swarm),
    /// Agents move towards heavier ones.
    Gravitate(Gravitate),
    /// Random swaps, accepted by a Metropolis rule.
    Anneal(Anneal),
    /// Swaps that resolve conflicts.
    Resolve(Resolve),
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

/// The operators of a genetic algorithm on bricks that stay permutations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recombine {
    /// Children of a generation. They take the places of the worst, if they may; the others stay.
    pub offspring: u32,
    /// The parents are the best two of this many random individuals, of equals those drawn first.
    pub tournament: u32,
    /// Probability that the parents are crossed: the genes before the cut are the better one's,
    /// the others the second's, repaired as partially mapped crossover does it. Otherwise the child
    /// is a copy of the better one.
    pub crossover: Rate,
    /// How the cut is drawn.
    pub cut: Cut,
    /// How many genes of a child change places with others of their bricks.
    pub mutations: Mutations,
    /// The influence function: partners that a mutated gene tries until it finds one with which it
    /// would be in no conflict; if it finds none, it stays. With 0 any partner will do.
    pub tries: u32,
    /// Who takes the place.
    pub accept: Accept,
}

/// How the cut of a single-point crossover is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Every cut with the same probability.
    Uniform,
    /// The mean of four such draws, which is nearly Gaussian about the middle.
    Gaussian,
}

/// How many genes of a child are mutated: some always, and more the further the best is from a
/// solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mutations {
    /// Always this many.
    pub always: u32,
    /// And these, where m is the number of the best's conflicts beyond those of a solution, divided
    /// by this and rounded up.
    pub per: u32,
    /// What m means.
    pub more: More,
    /// But no more of them than this.
    pub most: u32,
}

/// What the number m, which falls with the best's conflicts, means for a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum More {
    /// Nothing.
    None,
    /// Every child has m more mutations.
    Each,
    /// Every child has a random number from 1 to m.
    UpTo,
    /// All children together have about m.
    Shared,
}

/// When a child takes the place of an individual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accept {
    /// Always.
    Always,
    /// If it is not worse.
    NotWorse,
    /// If it is better.
    Better,
}

/// A particle swarm on permutations (Hu, Eberhart & Shi 2003).
///
/// The velocity of a particle is a value or none for each gene: that which the gene is about to
/// take over by swaps. A velocity towards the value that the gene has already is none. The best
/// particle leads and stays where it is; of equals the first from place generation % population on
/// does. Who has the leader's genes makes a random swap instead of a move. The memory of velocities
/// and of the best genes (of equals, the last) belongs to a place: who takes the place has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swarm {
    /// Inertia: probability that a gene keeps its velocity.
    pub inertia: Rate,
    /// Confidence in itself: up to this probability, drawn for each particle, a gene goes for the
    /// value that it had when the particle was at its best.
    pub own: Rate,
    /// Confidence in the swarm: the same for the value that the best particle has.
    pub swarm: Rate,
}

/// Gravitational search on permutations (after Rashedi et al. 2009).
///
/// An agent's mass is 1 if it is the best and 0 if it is the worst (in parts of 2^16, rounded up; 1 if
/// all are equal). Each of the best agents pulls at the genes in which another differs from it with
/// the probability G x mass x random x genes / distance, where the distance is the number of those
/// genes. The velocity that a gene has may move it first, then the attractors in the order of
/// fitness; the first whose coin falls so gives it its value. The best agent stays where it is.
/// Velocities are those of [`Swarm`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gravitate {
    /// The generation after which the schedule began.
    pub begin: u32,
    /// For each generation, G (as a [`Rate::threshold`]) and how many of the best attract; the last
    /// entry holds from then on.
    pub schedule: Arc<[u32]>,
    /// Up to this probability, drawn for each agent, a gene keeps its velocity.
    pub inertia: Rate,
}

impl Gravitate {
    /// The most agents that can attract.
    pub const MOST_BEST: u32 = 64;

    /// G and how many of the best attract, in a generation.
    pub fn at(&self, generation: u32) -> (Rate, u32) {
        let last = self.schedule.len() / 2 - 1;
        let age = generation.saturating_sub(1).saturating_sub(self.begin);
        let row = last.min(age as usize);
        let g = Rate::from_threshold(self.schedule[2 * row]);
        (g, self.schedule[2 * row + 1])
    }
}

/// Markov chains of swaps, accepted by their conflicts whatever the objective. A chain ends at a
/// solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anneal {
    /// Who is annealed; the others stay.
    pub who: Who,
    /// Swaps that a chain proposes in a generation.
    pub proposals: u32,
    /// The generation after which the schedule began.
    pub begin: u32,
    /// For each temperature, the probability to accept a swap that costs 1, 2, ...
    /// [`Anneal::DELTAS`] conflicts (as [`Rate::threshold`]s); what costs more is refused. A swap
    /// that costs nothing is always accepted, so without a schedule this is the moderated chain.
    pub schedule: Arc<[u32]>,
    /// Generations for which a temperature holds. After the last one comes the first.
    pub hold: u32,
}

/// Who is annealed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Everybody, a chain each.
    Everybody,
    /// One individual; nobody, if there is no such place.
    One(u32),
}

impl Anneal {
    /// Columns of the schedule.
    pub const DELTAS: usize = 16;

    /// The probabilities of a generation; none without a schedule.
    pub fn at(&self, generation: u32) -> &[u32] {
        let rows = self.schedule.len() / Self::DELTAS;
        if rows == 0 {
            return &[];
        }
        let age = generation.saturating_sub(1).saturating_sub(self.begin);
        let row = (age / self.hold) as usize % rows;
        &self.schedule[row * Self::DELTAS..][..Self::DELTAS]
    }
}

/// Conflict-driven swaps (Sosic & Gu 1991): the genes have their turn in order, and those that are in
/// conflict then, try. The sweep ends at a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolve {
    /// Random partners of its brick that a gene in conflict tries; the first with which a swap
    /// lowers the conflicts is taken.
    pub tries: u32,
    /// Whether a swap that leaves as many will do, too.
    pub sideways: bool,
}
