//! Twin of `shaders/resolve.wgsl`: swaps that resolve conflicts.

use super::Made;
use super::permutations::Bench;
use super::shared::desk::Desk;
use super::shared::swaps::partner;
use crate::engine::genes::Genome;
use crate::plan::Resolve;
use crate::rng::{Key, Site};

/// Every gene of the individual on the desk that is in conflict when its turn comes tries to
/// change places.
pub fn resolve<G: Genome>(
    bench: &Bench<G>,
    desk: &mut Desk,
    resolve: &Resolve,
    key: Key,
    individual: u32,
) -> Made {
    let genome = &bench.genome;
    let mut conflicts = desk.count(genome);
    let mut swaps = 0;
    let most = i32::from(resolve.sideways);
    for gene in 0..genome.genes() {
        if conflicts <= bench.goal {
            break;
        }
        if !desk.in_conflict(genome, gene) {
            continue;
        }
        let draws = resolve.tries.div_ceil(4);
        let mut words = [0; 4];
        for attempt in 0..resolve.tries {
            if attempt % 4 == 0 {
                let index = (gene as u32).wrapping_mul(draws).wrapping_add(attempt / 4);
                words = key.draw(individual, Site::Propose.counter(index));
            }
            let other = partner(genome, gene, words[attempt as usize % 4]);
            if other == gene {
                break;
            }
            let delta = desk.delta(genome, gene, other);
            if delta < most {
                desk.swap(genome, gene, other);
                conflicts = conflicts.wrapping_add_signed(delta);
                swaps += 1;
                break;
            }
        }
    }
    Made {
        fitness: desk.fitness(genome, bench.objective, conflicts),
        swaps,
    }
}
