//! The native permutation kernels: a problem as genes, and what operators are made of. Each file is the twin of
//! `shaders/permutations/<name>.wgsl`; `swaps` is part of `state.wgsl` there.

mod state;
mod swaps;

use std::ops::Range;

pub(crate) use self::state::{NONE, PermutationState, share};
pub(crate) use self::swaps::partner;
pub(crate) use super::individuals::KernelResult;
use super::individuals::{each, in_use};
use super::{Generation, workspaces_for};
use crate::engine::Setup;
use crate::engine::genes::{BoardGenes, Genome, GridGenes};
use crate::engine::snapshot::Memory;
use crate::engine::tables::Tables;
use crate::operators::Variation;
use crate::plan::Objective;
use crate::population::Population;
use crate::problem::Instance;

/// An operator that the permutation kernels run.
pub(crate) trait PermutationOperator {
    /// One with whatever parameters, for tests of all operators.
    #[cfg(test)]
    fn example() -> Self
    where
        Self: Sized;

    /// Makes the new population. Returns the number of swaps that local search made.
    fn run<G: Genome + 'static>(
        &self,
        kernels: &mut PermutationKernels<G>,
        generation: &mut Generation<'_>,
    ) -> u64;
}

/// The kernels for whatever genome.
pub(crate) trait AnyPermutationKernels: Send {
    /// Runs an operator. Returns the number of swaps that local search made.
    fn vary(&mut self, operator: &Variation, generation: &mut Generation<'_>) -> u64;

    /// Has one thread do all that follows, or all of them.
    fn work_alone(&mut self, alone: bool);

    /// Evaluates a share of a population: the twin of `shaders/permutations/evaluate_permutations.wgsl`.
    fn evaluate(&mut self, population: &mut Population, share: &Range<usize>);
}

/// The kernels for a problem, if they can work on its individuals.
pub(crate) fn kernels_for(
    setup: &Setup<'_>,
    tables: Option<&Tables>,
    threads: usize,
) -> Option<Box<dyn AnyPermutationKernels>> {
    if !setup.representation.are_permutations() {
        return None;
    }
    Some(match (setup.instance, tables) {
        (Instance::Queens(queens), _) => {
            PermutationKernels::boxed(BoardGenes::new(*queens), setup, threads)
        }
        (_, Some(tables)) => PermutationKernels::boxed(GridGenes::new(tables), setup, threads),
        (_, None) => return None,
    })
}

/// What all workspaces share.
pub(crate) struct PermutationContext<G> {
    pub genome: G,
    pub objective: Objective,
    pub goal: u32,
}

/// The problem and a workspace for every piece of the population.
pub(crate) struct PermutationKernels<G> {
    context: PermutationContext<G>,
    states: Vec<PermutationState>,
    alone: bool,
}

impl<G: Genome + 'static> PermutationKernels<G> {
    fn boxed(genome: G, setup: &Setup<'_>, threads: usize) -> Box<dyn AnyPermutationKernels> {
        let states = workspaces_for(threads, setup.pop);
        Box::new(Self {
            states: (0..states)
                .map(|_| PermutationState::new(&genome))
                .collect(),
            alone: threads == 1,
            context: PermutationContext {
                genome,
                objective: setup.representation.objective,
                goal: setup.instance.goal(),
            },
        })
    }

    /// How many genes an individual has.
    pub fn genes(&self) -> usize {
        self.context.genome.genes()
    }

    /// The genes of an individual.
    pub fn genes_of(&self, individual: u32, population: &Population) -> Vec<u32> {
        let mut genes = vec![0; self.genes()];
        let words = population.words_at(individual as usize);
        self.context.genome.load(words, &mut genes);
        genes
    }

    /// Calls `kernel` for every individual of a share, with its genes in a workspace. `None` keeps the individual
    /// as it was; otherwise the genes of the workspace take its place. Returns the number of swaps.
    pub fn vary(
        &mut self,
        old: &Population,
        new: &mut Population,
        share: &Range<usize>,
        kernel: impl Fn(&PermutationContext<G>, &mut PermutationState, u32) -> Option<KernelResult>
        + Sync,
    ) -> u64 {
        let nothing = &mut vec![(); old.len()];
        self.vary_with_memories(old, new, share, nothing, |context, state, at, ()| {
            kernel(context, state, at)
        })
    }

    /// The same, each with its own memory.
    pub fn vary_with_memories<X: Send>(
        &mut self,
        old: &Population,
        new: &mut Population,
        share: &Range<usize>,
        memories: &mut [X],
        kernel: impl Fn(
            &PermutationContext<G>,
            &mut PermutationState,
            u32,
            &mut X,
        ) -> Option<KernelResult>
        + Sync,
    ) -> u64 {
        let context = &self.context;
        each(
            in_use(&mut self.states, self.alone),
            new,
            share,
            memories,
            |state, at, words, memory| {
                let before = old.words_at(at as usize);
                context.genome.load(before, &mut state.genes);
                match kernel(context, state, at, memory) {
                    Some(made) => {
                        context.genome.store(&state.genes, words);
                        made
                    }
                    None => {
                        words.copy_from_slice(before);
                        KernelResult::new(old.fitness()[at as usize])
                    }
                }
            },
        )
    }

    /// Calls `kernel` for every individual of a share; it makes the genes from nothing, and nobody is evaluated.
    pub fn make(
        &mut self,
        population: &mut Population,
        share: &Range<usize>,
        kernel: impl Fn(&PermutationContext<G>, &mut PermutationState, u32) + Sync,
    ) {
        let (context, nothing) = (&self.context, &mut vec![(); population.len()]);
        each(
            in_use(&mut self.states, self.alone),
            population,
            share,
            nothing,
            |state, at, words, ()| {
                kernel(context, state, at);
                context.genome.store(&state.genes, words);
                KernelResult::new(0)
            },
        );
    }
}

/// The individuals from the best to the worst, the lowest of equals first: the twin of
/// `shaders/permutations/rank_population.wgsl`.
pub(crate) fn order(population: &Population) -> Vec<u32> {
    let mut order: Vec<u32> = (0..population.len() as u32).collect();
    order.sort_by_key(|&at| population.fitness()[at as usize]);
    order
}

/// The rank of each individual.
pub(crate) fn ranks(population: &Population) -> Vec<u32> {
    let mut ranks = vec![0; population.len()];
    for (rank, at) in (0..).zip(order(population)) {
        ranks[at as usize] = rank;
    }
    ranks
}

impl<G: Genome + 'static> AnyPermutationKernels for PermutationKernels<G> {
    fn vary(&mut self, operator: &Variation, generation: &mut Generation<'_>) -> u64 {
        operator.on_permutations(self, generation)
    }

    fn work_alone(&mut self, alone: bool) {
        self.alone = alone;
    }

    fn evaluate(&mut self, population: &mut Population, share: &Range<usize>) {
        let (context, nothing) = (&self.context, &mut vec![(); population.len()]);
        each(
            in_use(&mut self.states, self.alone),
            population,
            share,
            nothing,
            |state, _, words, ()| {
                context.genome.load(words, &mut state.genes);
                let conflicts = state.count(&context.genome);
                KernelResult::new(state.fitness(&context.genome, context.objective, conflicts))
            },
        );
    }
}

/// Memories of a population that remembers nothing.
pub(super) fn blank_memories(genes: usize, pop: usize) -> Vec<Memory> {
    vec![Memory::new(genes); pop]
}
