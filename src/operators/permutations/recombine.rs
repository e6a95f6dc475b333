//! Twin of `shaders/permutations/recombine.wgsl`: a child of two parents.

use crate::engine::cpu::Generation;
use crate::engine::cpu::permutations::{
    KernelResult, NONE, PermutationContext, PermutationKernels, PermutationOperator,
    PermutationState, partner, ranks,
};
use crate::engine::genes::Genome;
use crate::error::Error;
use crate::operators::kernel::{Auxiliary, KernelCall, Params, Shader};
use crate::operators::{Ancestry, Call, Operator, Variation, check_tournament};
use crate::plan::Representation;
use crate::population::Population;
use crate::rng::{Key, Rate, Site, bounded};

/// The operators of a genetic algorithm on segments that stay permutations.
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
    /// How many genes of a child change places with others of their segments.
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

impl Mutations {
    /// None at all.
    pub const NONE: Self = Self {
        always: 0,
        per: 1,
        more: More::None,
        most: 0,
    };
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

impl Operator for Recombine {
    fn suits(&self, representation: Representation) -> bool {
        representation.are_permutations()
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        check_tournament(self.tournament)?;
        let complete = self.offspring > 0 && self.mutations.per > 0;
        assert!(complete, "{self:?} lacks what its kernel needs");
        Ok(())
    }

    fn evaluations(&self, pop: u64) -> u64 {
        u64::from(self.offspring).min(pop)
    }

    fn auxiliary(&self, _: u32) -> Auxiliary {
        Auxiliary::Workspaces
    }

    fn ancestry(&self) -> Ancestry {
        Ancestry::Anybody
    }

    fn steps(&self) -> Vec<(&'static str, Variation)> {
        let mutation = Self {
            accept: Accept::Always,
            ..*self
        };
        let crossover = Self {
            mutations: Mutations::NONE,
            ..mutation
        };
        let selection = Self {
            crossover: Rate::NEVER,
            ..crossover
        };
        [
            ("selection", selection),
            ("crossover", crossover),
            ("mutation", mutation),
            ("survival", *self),
        ]
        .map(|(name, step)| (name, step.into()))
        .into()
    }

    fn kernels(&self, _: &Call) -> Vec<KernelCall> {
        let more = match self.mutations.more {
            More::None => 0,
            More::Each => 1,
            More::UpTo => 2,
            More::Shared => 3,
        };
        let accept = match self.accept {
            Accept::Always => 0,
            Accept::NotWorse => 1,
            Accept::Better => 2,
        };
        let params = Params::new([
            ("offspring", self.offspring),
            ("tournament", self.tournament),
            ("crossover", self.crossover.threshold()),
            ("gaussian", u32::from(self.cut == Cut::Gaussian)),
            ("always", self.mutations.always),
            ("per", self.mutations.per),
            ("more", more),
            ("most", self.mutations.most),
            ("tries", self.tries),
            ("accept", accept),
        ]);
        vec![KernelCall::new(Shader::builtin("permutations/recombine")).with(params)]
    }
}

impl PermutationOperator for Recombine {
    #[cfg(test)]
    fn example() -> Self {
        Self {
            offspring: 2,
            tournament: 2,
            crossover: Rate::ALWAYS,
            cut: Cut::Uniform,
            mutations: Mutations {
                always: 1,
                per: 1,
                more: More::None,
                most: 1,
            },
            tries: 0,
            accept: Accept::Always,
        }
    }

    fn run<G: Genome + 'static>(
        &self,
        kernels: &mut PermutationKernels<G>,
        generation: &mut Generation<'_>,
    ) -> u64 {
        let (key, old) = (generation.key(), &*generation.old);
        let ranks = ranks(old);
        let stay = (old.len() as u32).saturating_sub(self.offspring);
        let best = old.best().map_or(0, |(fitness, _)| fitness);
        generation.auxiliary.make_room();
        kernels.vary(
            old,
            generation.new,
            &generation.share,
            |context, state, at| {
                if ranks[at as usize] < stay {
                    return None;
                }
                let child = recombine(context, state, self, key, at, old, best);
                let mine = old.fitness()[at as usize];
                let accepted = match self.accept {
                    Accept::Always => true,
                    Accept::NotWorse => child <= mine,
                    Accept::Better => child < mine,
                };
                accepted.then(|| KernelResult::new(child))
            },
        )
    }
}

/// Makes a child in the workspace. Returns its fitness. `best` is the fitness of the best of the old
/// population.
fn recombine<G: Genome>(
    context: &PermutationContext<G>,
    state: &mut PermutationState,
    recombine: &Recombine,
    key: Key,
    individual: u32,
    old: &Population,
    best: u32,
) -> u32 {
    let genome = &context.genome;
    let [one, two] = parents(recombine, key, individual, old);
    let [coin, cut, count, _] = key.draw(individual, Site::Mate.counter(0));
    let genes = genome.genes();
    if recombine.crossover.hit(coin) && genes > 1 {
        let cut = match recombine.cut {
            Cut::Uniform => cut,
            Cut::Gaussian => {
                let words = key.draw(individual, Site::Mate.counter(1));
                words.into_iter().map(|word| word / 4).sum()
            }
        };
        let cut = 1 + bounded(cut, genes as u32 - 1) as usize;
        genome.load(old.words_at(one), &mut state.targets);
        state.targets[cut..].fill(NONE);
        genome.load(old.words_at(two), &mut state.genes);
        state.pmx_repair(genome);
    } else {
        genome.load(old.words_at(one), &mut state.genes);
    }
    let conflicts = context.objective.conflicts(best, genes);
    let left = conflicts.saturating_sub(context.goal);
    let children = recombine.offspring.min(old.len() as u32);
    let mutations = mutations(&recombine.mutations, left, children, count);
    let conflicts = if recombine.tries > 0 {
        influence(context, state, mutations, recombine.tries, key, individual)
    } else {
        for mutation in 0..mutations {
            let [gene, other, ..] = key.draw(individual, Site::MutateRow.counter(mutation));
            if genes > 0 {
                let gene = bounded(gene, genes as u32) as usize;
                state.genes.swap(gene, partner(genome, gene, other));
            }
        }
        state.count(genome)
    };
    state.fitness(genome, context.objective, conflicts)
}

/// The best two of a tournament; of equals, those drawn first.
fn parents(recombine: &Recombine, key: Key, individual: u32, old: &Population) -> [usize; 2] {
    let contestant = |index| {
        let [word, ..] = key.draw(individual, Site::Tournament.counter(index));
        bounded(word, old.len() as u32) as usize
    };
    let fitness = old.fitness();
    let first = contestant(0);
    let (mut one, mut two) = (first, None);
    for index in 1..recombine.tournament {
        let next = contestant(index);
        if fitness[next] < fitness[one] {
            (one, two) = (next, Some(one));
        } else if two.is_none_or(|two: usize| fitness[next] < fitness[two]) {
            two = Some(next);
        }
    }
    [one, two.unwrap_or(one)]
}

/// How many genes are mutated, where the best has so many conflicts left.
fn mutations(mutations: &Mutations, left: u32, children: u32, word: u32) -> u32 {
    let m = left.div_ceil(mutations.per).min(mutations.most);
    mutations.always
        + match mutations.more {
            More::None => 0,
            More::Each => m,
            More::UpTo => bounded(word, m) + u32::from(m > 0),
            More::Shared => m / children + u32::from(bounded(word, children) < m % children),
        }
}

/// Mutates as the influence function wants it: a gene takes over the value of a partner with
/// which it is in no conflict, if it finds one. Returns the conflicts of the child.
fn influence<G: Genome>(
    context: &PermutationContext<G>,
    state: &mut PermutationState,
    mutations: u32,
    tries: u32,
    key: Key,
    individual: u32,
) -> u32 {
    let genome = &context.genome;
    let genes = genome.genes() as u32;
    let mut conflicts = state.count(genome);
    if genes == 0 {
        return conflicts;
    }
    for mutation in 0..mutations {
        let draw = |attempt: u32| {
            let index = mutation.wrapping_mul(tries).wrapping_add(attempt);
            key.draw(individual, Site::MutateRow.counter(index))
        };
        let gene = bounded(draw(0)[0], genes) as usize;
        let mut partners = (0..tries).map(|attempt| partner(genome, gene, draw(attempt)[1]));
        let free = |&other: &usize| other != gene && state.would_be_free(genome, gene, other);
        if let Some(other) = partners.find(free) {
            conflicts = conflicts.wrapping_add_signed(state.delta(genome, gene, other));
            state.swap(genome, gene, other);
        }
    }
    conflicts
}
