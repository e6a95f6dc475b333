//! Twin of `shaders/permutations/min_conflicts.wgsl`: swaps that resolve conflicts.

use crate::engine::cpu::Generation;
use crate::engine::cpu::permutations::{
    KernelResult, PermutationContext, PermutationKernels, PermutationOperator, PermutationState,
    partner,
};
use crate::engine::genes::Genome;
use crate::error::Error;
use crate::operators::kernel::{Auxiliary, KernelCall, Params, Shader};
use crate::operators::{Ancestry, Call, Operator};
use crate::plan::Representation;
use crate::rng::{Key, Site};

/// Conflict-driven swaps (Sosic & Gu 1991): the genes have their turn in order, and those that are in
/// conflict then, try. The sweep ends at a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinConflicts {
    /// Random partners of its segment that a gene in conflict tries; the first with which a swap
    /// lowers the conflicts is taken.
    pub tries: u32,
    /// Whether a swap that leaves as many will do, too.
    pub sideways: bool,
}

impl Operator for MinConflicts {
    fn suits(&self, representation: Representation) -> bool {
        representation.are_permutations()
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        assert!(self.tries > 0, "{self:?} lacks what its kernel needs");
        Ok(())
    }

    fn auxiliary(&self, _: u32) -> Auxiliary {
        Auxiliary::Workspaces
    }

    fn ancestry(&self) -> Ancestry {
        Ancestry::Itself
    }

    fn kernels(&self, _: &Call) -> Vec<KernelCall> {
        let params = Params::new([
            ("tries", self.tries),
            ("sideways", u32::from(self.sideways)),
        ]);
        vec![KernelCall::new(Shader::builtin("permutations/min_conflicts")).with(params)]
    }
}

impl PermutationOperator for MinConflicts {
    #[cfg(test)]
    fn example() -> Self {
        Self {
            tries: 1,
            sideways: true,
        }
    }

    fn run<G: Genome + 'static>(
        &self,
        kernels: &mut PermutationKernels<G>,
        generation: &mut Generation<'_>,
    ) -> u64 {
        let key = generation.key();
        generation.auxiliary.make_room();
        let share = &generation.share;
        kernels.vary(
            generation.old,
            generation.new,
            share,
            |context, state, at| Some(min_conflicts(context, state, self, key, at)),
        )
    }
}

/// Every gene of the individual in the workspace that is in conflict when its turn comes tries to
/// change places.
fn min_conflicts<G: Genome>(
    context: &PermutationContext<G>,
    state: &mut PermutationState,
    plan: &MinConflicts,
    key: Key,
    individual: u32,
) -> KernelResult {
    let genome = &context.genome;
    let mut conflicts = state.count(genome);
    let mut swaps = 0;
    let most = i32::from(plan.sideways);
    for gene in 0..genome.genes() {
        if conflicts <= context.goal {
            break;
        }
        if !state.in_conflict(genome, gene) {
            continue;
        }
        let draws = plan.tries.div_ceil(4);
        let mut words = [0; 4];
        for attempt in 0..plan.tries {
            if attempt % 4 == 0 {
                let index = (gene as u32).wrapping_mul(draws).wrapping_add(attempt / 4);
                words = key.draw(individual, Site::Propose.counter(index));
            }
            let other = partner(genome, gene, words[attempt as usize % 4]);
            if other == gene {
                break;
            }
            let delta = state.delta(genome, gene, other);
            if delta < most {
                state.swap(genome, gene, other);
                conflicts = conflicts.wrapping_add_signed(delta);
                swaps += 1;
                break;
            }
        }
    }
    KernelResult {
        fitness: state.fitness(genome, context.objective, conflicts),
        swaps,
    }
}
