//! The kernels that know nothing but genes in bricks, and lines.

use std::sync::Arc;

use crate::rng::Rate;

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
