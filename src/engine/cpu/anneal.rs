//! Twin of `shaders/anneal.wgsl`: a Markov chain of swaps.

use super::Made;
use super::permutations::Bench;
use super::shared::desk::Desk;
use super::shared::swaps::partner;
use crate::engine::genes::Genome;
use crate::plan::Anneal;
use crate::rng::{Key, Rate, Site, bounded};

/// Anneals the individual on the desk. `schedule` is that of the temperature, if there is one.
pub fn anneal<G: Genome>(
    bench: &Bench<G>,
    desk: &mut Desk,
    anneal: &Anneal,
    schedule: &[u32],
    key: Key,
    individual: u32,
) -> Made {
    let genome = &bench.genome;
    let genes = genome.genes() as u32;
    let mut conflicts = desk.count(genome);
    let mut swaps = 0;
    for proposal in 0..anneal.proposals {
        if conflicts <= bench.goal || genes == 0 {
            break;
        }
        let [one, two, coin, _] = key.draw(individual, Site::Propose.counter(proposal));
        let one = bounded(one, genes) as usize;
        let two = partner(genome, one, two);
        if one == two {
            continue;
        }
        let delta = desk.delta(genome, one, two);
        let accepted = delta <= 0
            || schedule
                .get(delta as usize - 1)
                .is_some_and(|&threshold| Rate::from_threshold(threshold).hit(coin));
        if accepted {
            desk.swap(genome, one, two);
            conflicts = conflicts.wrapping_add_signed(delta);
            swaps += 1;
        }
    }
    Made {
        fitness: desk.fitness(genome, bench.objective, conflicts),
        swaps,
    }
}
