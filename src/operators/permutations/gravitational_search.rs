//! Twin of `shaders/permutations/gravitational_search.wgsl`: an agent is pulled towards heavier ones.

use std::sync::Arc;

use crate::engine::cpu::Generation;
use crate::engine::cpu::permutations::{
    KernelResult, NONE, PermutationContext, PermutationKernels, PermutationOperator,
    PermutationState, order, share,
};
use crate::engine::genes::Genome;
use crate::engine::snapshot::Memory;
use crate::error::Error;
use crate::operators::kernel::{Auxiliary, Dispatch, KernelCall, Params, Shader};
use crate::operators::{Ancestry, Call, Operator};
use crate::plan::Representation;
use crate::rng::{Key, Rate, Site, bounded};

/// Gravitational search on permutations (after Rashedi et al. 2009).
///
/// An agent's mass is 1 if it is the best and 0 if it is the worst (in parts of 2^16, rounded up; 1 if
/// all are equal). Each of the best agents pulls at the genes in which another differs from it with
/// the probability G x mass x random x genes / distance, where the distance is the number of those
/// genes. The velocity that a gene has may move it first, then the attractors in the order of
/// fitness; the first whose coin falls so gives it its value. The best agent stays where it is.
/// Velocities are those of [`super::particle_swarm::ParticleSwarm`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GravitationalSearch {
    /// The generation after which the schedule began.
    pub begin: u32,
    /// For each generation, G (as a [`Rate::threshold`]) and how many of the best attract; the last
    /// entry holds from then on.
    pub schedule: Arc<[u32]>,
    /// Up to this probability, drawn for each agent, a gene keeps its velocity.
    pub inertia: Rate,
}

impl GravitationalSearch {
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

impl Operator for GravitationalSearch {
    fn suits(&self, representation: Representation) -> bool {
        representation.are_permutations()
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        let rows = self.schedule.chunks_exact(2);
        let whole = rows.len() > 0 && rows.remainder().is_empty();
        let complete = whole && { rows }.all(|row| (1..=Self::MOST_BEST).contains(&row[1]));
        assert!(complete, "{self:?} lacks what its kernel needs");
        Ok(())
    }

    fn auxiliary(&self, _: u32) -> Auxiliary {
        Auxiliary::Memories
    }

    fn ancestry(&self) -> Ancestry {
        Ancestry::Anybody
    }

    fn kernels(&self, call: &Call) -> Vec<KernelCall> {
        let params = Params::new([
            ("begin", self.begin),
            ("rows", (self.schedule.len() / 2) as u32),
            ("inertia", self.inertia.threshold()),
        ]);
        let kernel = KernelCall::new(Shader::builtin("permutations/gravitational_search"));
        vec![
            // Agents look up to the best of all, however few of them a device moves.
            KernelCall::new(Shader::builtin("permutations/rank_population"))
                .over(Dispatch::Items(call.pop)),
            kernel.with(params.with_array(&self.schedule)),
        ]
    }
}

impl PermutationOperator for GravitationalSearch {
    #[cfg(test)]
    fn example() -> Self {
        Self {
            begin: 0,
            schedule: Arc::from([1, 1]),
            inertia: Rate::ALWAYS,
        }
    }

    fn run<G: Genome + 'static>(
        &self,
        kernels: &mut PermutationKernels<G>,
        generation: &mut Generation<'_>,
    ) -> u64 {
        let (key, old) = (generation.key(), &*generation.old);
        let (g, kbest) = self.at(generation.first);
        let order = order(old);
        let fitness_of = |at: u32| old.fitness()[at as usize];
        let (best, worst) = (fitness_of(order[0]), fitness_of(order[order.len() - 1]));
        let attractor = |&at: &u32| Attractor {
            genes: kernels.genes_of(at, old),
            strength: strength(g, fitness_of(at), best, worst),
        };
        let attractors: Vec<_> = order.iter().take(kbest as usize).map(attractor).collect();
        let memories = generation.auxiliary.memories(kernels.genes(), old.len());
        kernels.vary_with_memories(
            old,
            generation.new,
            &generation.share,
            memories,
            |context, state, at, memory| {
                let moved = || gravitate(context, state, self, &attractors, key, at, memory);
                (at != order[0]).then(moved).map(KernelResult::new)
            },
        )
    }
}

/// An agent that attracts others.
struct Attractor {
    /// Its genes.
    genes: Vec<u32>,
    /// G x mass, as a threshold.
    strength: u32,
}

/// G x mass of an agent of this fitness.
fn strength(g: Rate, fitness: u32, best: u32, worst: u32) -> u32 {
    (g.threshold() >> 16) * share(worst - fitness, worst - best)
}

/// Moves the agent in the workspace. Returns its new fitness.
fn gravitate<G: Genome>(
    context: &PermutationContext<G>,
    state: &mut PermutationState,
    gravitate: &GravitationalSearch,
    attractors: &[Attractor],
    key: Key,
    individual: u32,
    memory: &mut Memory,
) -> u32 {
    let genome = &context.genome;
    let genes = genome.genes() as u32;
    let draw = |index: u32| key.draw(individual, Site::Pull.counter(index));
    let [keep, ..] = draw(0);
    let inertia = Rate::from_threshold(bounded(keep, gravitate.inertia.threshold()));
    // A coin for the velocity and one for each attractor; then their random forces.
    let draws = (attractors.len() as u32 + 1).div_ceil(4);
    let mut pulls = [Rate::NEVER; GravitationalSearch::MOST_BEST as usize];
    for (at, attractor) in attractors.iter().enumerate() {
        let pairs = attractor.genes.iter().zip(&state.genes);
        let distance = pairs.filter(|(theirs, mine)| theirs != mine).count() as u32;
        let words = draw(1 + genes.wrapping_mul(draws).wrapping_add(at as u32 / 4));
        let force = bounded(words[at % 4], attractor.strength);
        pulls[at] = Rate::from_threshold(spread(force, distance, genes));
    }
    for gene in 0..genes as usize {
        let mut words = [0; 4];
        let mut target = NONE;
        for coin in 0..=attractors.len() {
            if coin % 4 == 0 {
                let index = (gene as u32)
                    .wrapping_mul(draws)
                    .wrapping_add(coin as u32 / 4);
                words = draw(index.wrapping_add(1));
            }
            let (rate, value) = match coin {
                0 => (inertia, memory.velocity[gene]),
                coin => (pulls[coin - 1], attractors[coin - 1].genes[gene]),
            };
            if rate.hit(words[coin % 4]) && value != state.genes[gene] && value != NONE {
                target = value;
                break;
            }
        }
        memory.velocity[gene] = target;
        state.targets[gene] = target;
    }
    state.pmx_repair(genome);
    let conflicts = state.count(genome);
    state.fitness(genome, context.objective, conflicts)
}

/// A force on so many of the genes, as a threshold for each of these.
fn spread(force: u32, distance: u32, genes: u32) -> u32 {
    let always = Rate::ALWAYS.threshold();
    match force.checked_div(distance) {
        None => 0,
        Some(each) if each >= always / genes => always,
        Some(each) => each * genes,
    }
}
