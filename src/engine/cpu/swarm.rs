//! Twin of `shaders/swarm.wgsl`: a particle moves towards its own best and the swarm's.

use super::permutations::Bench;
use super::shared::desk::{Desk, NONE};
use super::shared::swaps::partner;
use crate::engine::genes::Genome;
use crate::engine::snapshot::Memory;
use crate::plan::Swarm;
use crate::rng::{Key, Rate, Site, bounded};

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

/// Moves the particle on the desk; `leader` has the genes of the best. Returns its new fitness.
pub fn swarm<G: Genome>(
    bench: &Bench<G>,
    desk: &mut Desk,
    swarm: &Swarm,
    key: Key,
    individual: u32,
    leader: &[u32],
    memory: &mut Memory,
) -> u32 {
    let genome = &bench.genome;
    let [own, towards, gene, other] = key.draw(individual, Site::Pull.counter(0));
    let own = Rate::from_threshold(bounded(own, swarm.own.threshold()));
    let towards = Rate::from_threshold(bounded(towards, swarm.swarm.threshold()));
    for (at, &leads) in leader.iter().enumerate() {
        let [keep, to_own, to_leader, _] = key.draw(individual, Site::Pull.counter(1 + at as u32));
        let wish = if swarm.inertia.hit(keep) {
            memory.velocity[at]
        } else if own.hit(to_own) {
            memory.best[at]
        } else if towards.hit(to_leader) {
            leads
        } else {
            NONE
        };
        let wish = if wish == desk.genes[at] { NONE } else { wish };
        memory.velocity[at] = wish;
        desk.wishes[at] = wish;
    }
    if desk.genes == leader && !leader.is_empty() {
        // Where the leader is already, only chance leads on (Hu, Eberhart & Shi).
        let gene = bounded(gene, leader.len() as u32) as usize;
        desk.genes.swap(gene, partner(genome, gene, other));
    } else {
        desk.grant(genome);
    }
    let conflicts = desk.count(genome);
    desk.fitness(genome, bench.objective, conflicts)
}
