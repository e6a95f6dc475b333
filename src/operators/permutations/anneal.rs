//! Twin of `shaders/permutations/anneal.wgsl`: a Markov chain of swaps.

use std::sync::Arc;

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
use crate::rng::{Key, Rate, Site, bounded};

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

impl Operator for Anneal {
    fn suits(&self, representation: Representation) -> bool {
        representation.are_permutations()
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        let complete = self.hold > 0 && self.schedule.len().is_multiple_of(Anneal::DELTAS);
        assert!(complete, "{self:?} lacks what its kernel needs");
        Ok(())
    }

    fn evaluations(&self, pop: u64) -> u64 {
        match self.who {
            Who::One(_) => u64::from(self.proposals),
            Who::Everybody => pop * u64::from(self.proposals),
        }
    }

    fn auxiliary(&self, _: u32) -> Auxiliary {
        Auxiliary::Workspaces
    }

    fn ancestry(&self) -> Ancestry {
        Ancestry::Itself
    }

    fn kernels(&self, _: &Call) -> Vec<KernelCall> {
        let who = match self.who {
            Who::Everybody => 0,
            Who::One(individual) => individual,
        };
        let params = Params::new([
            ("everybody", u32::from(self.who == Who::Everybody)),
            ("who", who),
            ("proposals", self.proposals),
            ("begin", self.begin),
            ("hold", self.hold),
            ("rows", (self.schedule.len() / Anneal::DELTAS) as u32),
        ]);
        let kernel = KernelCall::new(Shader::builtin("permutations/anneal"));
        vec![kernel.with(params.with_array(&self.schedule))]
    }
}

impl PermutationOperator for Anneal {
    #[cfg(test)]
    fn example() -> Self {
        Self {
            who: Who::Everybody,
            proposals: 1,
            begin: 0,
            schedule: Arc::from([]),
            hold: 1,
        }
    }

    fn run<G: Genome + 'static>(
        &self,
        kernels: &mut PermutationKernels<G>,
        generation: &mut Generation<'_>,
    ) -> u64 {
        let (key, temperature) = (generation.key(), self.at(generation.first));
        generation.auxiliary.make_room();
        let share = &generation.share;
        kernels.vary(
            generation.old,
            generation.new,
            share,
            |context, state, at| {
                (self.who == Who::Everybody || self.who == Who::One(at))
                    .then(|| anneal(context, state, self, temperature, key, at))
            },
        )
    }
}

/// Anneals the individual in the workspace. `schedule` is that of the temperature, if there is one.
fn anneal<G: Genome>(
    context: &PermutationContext<G>,
    state: &mut PermutationState,
    anneal: &Anneal,
    schedule: &[u32],
    key: Key,
    individual: u32,
) -> KernelResult {
    let genome = &context.genome;
    let genes = genome.genes() as u32;
    let mut conflicts = state.count(genome);
    let mut swaps = 0;
    for proposal in 0..anneal.proposals {
        if conflicts <= context.goal || genes == 0 {
            break;
        }
        let [one, two, coin, _] = key.draw(individual, Site::Propose.counter(proposal));
        let one = bounded(one, genes) as usize;
        let two = partner(genome, one, two);
        if one == two {
            continue;
        }
        let delta = state.delta(genome, one, two);
        let accepted = delta <= 0
            || schedule
                .get(delta as usize - 1)
                .is_some_and(|&threshold| Rate::from_threshold(threshold).hit(coin));
        if accepted {
            state.swap(genome, one, two);
            conflicts = conflicts.wrapping_add_signed(delta);
            swaps += 1;
        }
    }
    KernelResult {
        fitness: state.fitness(genome, context.objective, conflicts),
        swaps,
    }
}
