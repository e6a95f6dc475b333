//! Twin of `shaders/permutations/particle_swarm.wgsl`: a particle moves towards its own best and the swarm's.

use crate::engine::cpu::Generation;
use crate::engine::cpu::permutations::{
    KernelResult, NONE, PermutationContext, PermutationKernels, PermutationOperator,
    PermutationState, partner,
};
use crate::engine::genes::Genome;
use crate::engine::snapshot::Memory;
use crate::operators::kernel::{Auxiliary, KernelCall, Params, Shader};
use crate::operators::{Ancestry, Call, Operator};
use crate::plan::Representation;
use crate::population::Population;
use crate::rng::{Key, Rate, Site, bounded};

/// A particle swarm on permutations (Hu, Eberhart & Shi 2003).
///
/// The velocity of a particle is a value or none for each gene: that which the gene is about to
/// take over by swaps. A velocity towards the value that the gene has already is none. The best
/// particle leads and stays where it is; of equals the first from place generation % population on
/// does. Who has the leader's genes makes a random swap instead of a move. The memory of velocities
/// and of the best genes (of equals, the last) belongs to a place: who takes the place has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParticleSwarm {
    /// Inertia: probability that a gene keeps its velocity.
    pub inertia: Rate,
    /// Confidence in itself: up to this probability, drawn for each particle, a gene goes for the
    /// value that it had when the particle was at its best.
    pub own: Rate,
    /// Confidence in the swarm: the same for the value that the best particle has.
    pub swarm: Rate,
}

impl Operator for ParticleSwarm {
    fn suits(&self, representation: Representation) -> bool {
        representation.are_permutations()
    }

    fn auxiliary(&self, _: u32) -> Auxiliary {
        Auxiliary::Memories
    }

    fn ancestry(&self) -> Ancestry {
        Ancestry::Anybody
    }

    fn kernels(&self, _: &Call) -> Vec<KernelCall> {
        let params = Params::new([
            ("inertia", self.inertia.threshold()),
            ("own", self.own.threshold()),
            ("swarm", self.swarm.threshold()),
        ]);
        vec![KernelCall::new(Shader::builtin("permutations/particle_swarm")).with(params)]
    }
}

impl PermutationOperator for ParticleSwarm {
    #[cfg(test)]
    fn example() -> Self {
        Self {
            inertia: Rate::ALWAYS,
            own: Rate::ALWAYS,
            swarm: Rate::ALWAYS,
        }
    }

    fn run<G: Genome + 'static>(
        &self,
        kernels: &mut PermutationKernels<G>,
        generation: &mut Generation<'_>,
    ) -> u64 {
        let (key, old) = (generation.key(), &*generation.old);
        let best = leader(old, generation.first);
        let leader = kernels.genes_of(best, old);
        let memories = generation.auxiliary.memories(kernels.genes(), old.len());
        kernels.vary_with_memories(
            old,
            generation.new,
            &generation.share,
            memories,
            |context, state, at, memory| {
                memory.remember(old.fitness()[at as usize], &state.genes);
                let moved = || particle_swarm(context, state, self, key, at, &leader, memory);
                (at != best).then(moved).map(KernelResult::new)
            },
        )
    }
}

/// Who leads a swarm into a generation: the best, and of equals another one every time.
fn leader(population: &Population, generation: u32) -> u32 {
    let pop = population.len() as u32;
    let turn = pop - generation % pop;
    let everybody = (0..pop).zip(population.fitness());
    everybody
        .min_by_key(|&(at, fitness)| (fitness, (at + turn) % pop))
        .map_or(0, |(at, _)| at)
}

impl Memory {
    /// Takes note of where it is, if it was never better: of equals the last one, so that it can
    /// drift over a plateau.
    pub fn remember(&mut self, fitness: u32, genes: &[u32]) {
        if self.fitness.is_none_or(|best| fitness <= best) {
            self.fitness = Some(fitness);
            self.best.copy_from_slice(genes);
        }
    }
}

/// Moves the particle in the workspace; `leader` has the genes of the best. Returns its new fitness.
fn particle_swarm<G: Genome>(
    context: &PermutationContext<G>,
    state: &mut PermutationState,
    swarm: &ParticleSwarm,
    key: Key,
    individual: u32,
    leader: &[u32],
    memory: &mut Memory,
) -> u32 {
    let genome = &context.genome;
    let [own, towards, gene, other] = key.draw(individual, Site::Pull.counter(0));
    let own = Rate::from_threshold(bounded(own, swarm.own.threshold()));
    let towards = Rate::from_threshold(bounded(towards, swarm.swarm.threshold()));
    for (at, &leads) in leader.iter().enumerate() {
        let [keep, to_own, to_leader, _] = key.draw(individual, Site::Pull.counter(1 + at as u32));
        let target = if swarm.inertia.hit(keep) {
            memory.velocity[at]
        } else if own.hit(to_own) {
            memory.best[at]
        } else if towards.hit(to_leader) {
            leads
        } else {
            NONE
        };
        let target = if target == state.genes[at] {
            NONE
        } else {
            target
        };
        memory.velocity[at] = target;
        state.targets[at] = target;
    }
    if state.genes == leader && !leader.is_empty() {
        // Where the leader is already, only chance leads on (Hu, Eberhart & Shi).
        let gene = bounded(gene, leader.len() as u32) as usize;
        state.genes.swap(gene, partner(genome, gene, other));
    } else {
        state.pmx_repair(genome);
    }
    let conflicts = state.count(genome);
    state.fitness(genome, context.objective, conflicts)
}
