//! Twin of `shaders/gravitate.wgsl`: an agent is pulled towards heavier ones.

use super::permutations::Bench;
use super::shared::desk::{Desk, NONE, share};
use crate::engine::genes::Genome;
use crate::engine::snapshot::Memory;
use crate::plan::Gravitate;
use crate::rng::{Key, Rate, Site, bounded};

/// An agent that attracts others.
pub struct Attractor {
    /// Its genes.
    pub genes: Vec<u32>,
    /// G x mass, as a threshold.
    pub strength: u32,
}

/// G x mass of an agent of this fitness.
pub fn strength(g: Rate, fitness: u32, best: u32, worst: u32) -> u32 {
    (g.threshold() >> 16) * share(worst - fitness, worst - best)
}

/// Moves the agent on the desk. Returns its new fitness.
pub fn gravitate<G: Genome>(
    bench: &Bench<G>,
    desk: &mut Desk,
    gravitate: &Gravitate,
    attractors: &[Attractor],
    key: Key,
    individual: u32,
    memory: &mut Memory,
) -> u32 {
    let genome = &bench.genome;
    let genes = genome.genes() as u32;
    let draw = |index: u32| key.draw(individual, Site::Pull.counter(index));
    let [keep, ..] = draw(0);
    let inertia = Rate::from_threshold(bounded(keep, gravitate.inertia.threshold()));
    // A coin for the velocity and one for each attractor; then their random forces.
    let draws = (attractors.len() as u32 + 1).div_ceil(4);
    let mut pulls = [Rate::NEVER; Gravitate::MOST_BEST as usize];
    for (at, attractor) in attractors.iter().enumerate() {
        let pairs = attractor.genes.iter().zip(&desk.genes);
        let distance = pairs.filter(|(theirs, mine)| theirs != mine).count() as u32;
        let words = draw(1 + genes.wrapping_mul(draws).wrapping_add(at as u32 / 4));
        let force = bounded(words[at % 4], attractor.strength);
        pulls[at] = Rate::from_threshold(spread(force, distance, genes));
    }
    for gene in 0..genes as usize {
        let mut words = [0; 4];
        let mut wish = NONE;
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
            if rate.hit(words[coin % 4]) && value != desk.genes[gene] && value != NONE {
                wish = value;
                break;
            }
        }
        memory.velocity[gene] = wish;
        desk.wishes[gene] = wish;
    }
    desk.grant(genome);
    let conflicts = desk.count(genome);
    desk.fitness(genome, bench.objective, conflicts)
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
