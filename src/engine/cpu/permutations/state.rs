//! Twin of `shaders/permutations/state.wgsl`: one individual under work by a permutation kernel.

use crate::engine::genes::Genome;
use crate::plan::{Objective, Weights};

/// No gene, no value.
pub const NONE: u32 = u32::MAX;

/// The genes of an individual and what they add up to.
pub struct PermutationState {
    /// The value of each gene.
    pub genes: Vec<u32>,
    /// The value that is wished for each gene, or [`NONE`].
    pub targets: Vec<u32>,
    /// How many lie on each constraint.
    counts: Vec<u32>,
    /// The gene that has claimed each slot, or [`NONE`].
    claims: Vec<u32>,
}

impl PermutationState {
    pub fn new(genome: &impl Genome) -> Self {
        Self {
            genes: vec![0; genome.genes()],
            targets: vec![NONE; genome.genes()],
            counts: vec![0; genome.constraints()],
            claims: vec![NONE; genome.slots()],
        }
    }

    /// Counts the constraints anew. Returns the conflicts.
    pub fn count<G: Genome>(&mut self, genome: &G) -> u32 {
        self.clear_constraints(genome);
        let mut conflicts = 0u32;
        for (gene, &value) in self.genes.iter().enumerate() {
            for constraint in genome.constraints_of(gene, value) {
                conflicts = conflicts.wrapping_add(G::conflicts_with(self.counts[constraint]));
                self.counts[constraint] += 1;
            }
        }
        conflicts
    }

    /// Leaves only what is fixed on the constraints.
    pub fn clear_constraints(&mut self, genome: &impl Genome) {
        match genome.fixed() {
            [] => self.counts.fill(0),
            fixed => self.counts.copy_from_slice(fixed),
        }
    }

    /// The fitness of individuals whose constraints have been counted and have so many conflicts.
    pub fn fitness(&self, genome: &impl Genome, objective: Objective, conflicts: u32) -> u32 {
        match objective {
            Objective::SupportConfidence(weights) => {
                let (mut first, mut both) = (0, 0);
                for (gene, &value) in self.genes.iter().enumerate() {
                    let [one, two] = genome
                        .constraints_of(gene, value)
                        .map(|at| self.counts[at] == 1);
                    first += u32::from(one);
                    both += u32::from(one && two);
                }
                support_confidence(weights, self.genes.len() as u32, first, both)
            }
            _ => conflicts,
        }
    }

    /// Whether a gene is in conflict with another one.
    #[inline(always)]
    pub fn in_conflict(&self, genome: &impl Genome, gene: usize) -> bool {
        let constraints = genome.constraints_of(gene, self.genes[gene]);
        constraints
            .into_iter()
            .any(|constraint| self.counts[constraint] > 1)
    }

    /// Whether a value that is not yet there would stand without conflict at a gene.
    #[inline(always)]
    pub fn is_free(&self, genome: &impl Genome, gene: usize, value: u32) -> bool {
        let constraints = genome.constraints_of(gene, value);
        constraints
            .into_iter()
            .all(|constraint| self.counts[constraint] == 0)
    }

    /// Puts a gene with its value on its constraints.
    pub fn occupy(&mut self, genome: &impl Genome, gene: usize) {
        for constraint in genome.constraints_of(gene, self.genes[gene]) {
            self.counts[constraint] += 1;
        }
    }

    /// How many conflicts more there would be if two genes of a segment changed places.
    #[inline(always)]
    pub fn delta<G: Genome>(&self, genome: &G, one: usize, two: usize) -> i32 {
        let (a, b) = (self.genes[one], self.genes[two]);
        let (from_one, from_two) = (genome.constraints_of(one, a), genome.constraints_of(two, b));
        let (to_one, to_two) = (genome.constraints_of(one, b), genome.constraints_of(two, a));
        let family =
            |at: usize| self.change::<G>(from_one[at], from_two[at], to_one[at], to_two[at]);
        family(0) + family(1)
    }

    /// What it means for the conflicts if one leaves each of two constraints, and one comes to each of
    /// two others, any of which may be the same.
    #[inline(always)]
    fn change<G: Genome>(&self, from: usize, then_from: usize, to: usize, then_to: usize) -> i32 {
        let conflicts = |count: u32| G::conflicts_with(count) as i32;
        let same = |one: usize, two: usize| u32::from(one == two);
        let left = self.counts[from] - 1;
        let left_then = self.counts[then_from] - 1 - same(then_from, from);
        let there = self.counts[to] - same(to, from) - same(to, then_from);
        let there_then = self.counts[then_to] + same(then_to, to)
            - same(then_to, from)
            - same(then_to, then_from);
        conflicts(there) + conflicts(there_then) - conflicts(left) - conflicts(left_then)
    }

    /// Whether the first of two genes would be in no conflict if they changed places.
    pub fn would_be_free(&self, genome: &impl Genome, one: usize, two: usize) -> bool {
        let (a, b) = (self.genes[one], self.genes[two]);
        let (from_one, from_two) = (genome.constraints_of(one, a), genome.constraints_of(two, b));
        let (to_one, to_two) = (genome.constraints_of(one, b), genome.constraints_of(two, a));
        let same = |one: usize, two: usize| u32::from(one == two);
        (0..2).all(|at| {
            let to = to_one[at];
            self.counts[to] + same(to, to_two[at])
                == same(to, from_one[at]) + same(to, from_two[at])
        })
    }

    /// Lets two genes of a segment change places.
    #[inline(always)]
    pub fn swap(&mut self, genome: &impl Genome, one: usize, two: usize) {
        for gene in [one, two] {
            for constraint in genome.constraints_of(gene, self.genes[gene]) {
                self.counts[constraint] -= 1;
            }
        }
        self.genes.swap(one, two);
        self.occupy(genome, one);
        self.occupy(genome, two);
    }

    /// Gives genes the values that are wished for them, and the others what is left (the repair
    /// of partially mapped crossover, Goldberg & Lingle 1985): a gene whose own value went to
    /// another gene takes over that one's, or what that one's went for, and so on. Of two genes
    /// that target for the same value the first gets it.
    pub fn pmx_repair(&mut self, genome: &impl Genome) {
        self.claims.fill(NONE);
        for (gene, &value) in self.targets.iter().enumerate() {
            if value != NONE {
                let claim = &mut self.claims[genome.slot(gene, value)];
                *claim = (*claim).min(gene as u32);
            }
        }
        for gene in 0..self.genes.len() {
            if self.is_granted(genome, gene) {
                continue;
            }
            let mut value = self.genes[gene];
            loop {
                match self.claims[genome.slot(gene, value)] {
                    NONE => break,
                    // Those who get what they target still hold their old values here.
                    taker => value = self.genes[taker as usize],
                }
            }
            self.genes[gene] = value;
        }
        for gene in 0..self.genes.len() {
            if self.is_granted(genome, gene) {
                self.genes[gene] = self.targets[gene];
            }
        }
    }

    fn is_granted(&self, genome: &impl Genome, gene: usize) -> bool {
        let value = self.targets[gene];
        value != NONE && self.claims[genome.slot(gene, value)] == gene as u32
    }
}

/// The fitness by support and confidence of so many genes, of which so many have no conflict on
/// the first of their constraints, and so many of these none at all.
fn support_confidence(weights: Weights, genes: u32, first: u32, both: u32) -> u32 {
    if genes == 0 {
        return 0;
    }
    // Without a first there is nobody to be confident of.
    let unsure = share(first - both, first);
    let lacking = weights.support * share(genes - both, genes) + weights.confidence * unsure;
    lacking.div_ceil(1000)
}

/// part / whole in parts of [`Weights::WHOLE`], rounded up, by long division.
pub fn share(part: u32, whole: u32) -> u32 {
    if part >= whole {
        return Weights::WHOLE;
    }
    let (mut rest, mut quotient) = (part, 0);
    for _ in 0..Weights::WHOLE.trailing_zeros() {
        rest *= 2;
        quotient *= 2;
        if rest >= whole {
            rest -= whole;
            quotient += 1;
        }
    }
    quotient + u32::from(rest > 0)
}
