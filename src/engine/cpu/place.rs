//! Twin of `shaders/place.wgsl`: the initial placements of queens.

use super::shared::desk::Desk;
use crate::engine::genes::Genome;
use crate::rng::{Key, Site, bounded, shuffle_index};

/// Places the queens in random rows.
pub fn shuffle(desk: &mut Desk, key: Key, individual: u32) {
    let count = desk.genes.len() as u32;
    for (gene, value) in (0..).zip(&mut desk.genes) {
        *value = gene;
    }
    let mut words = [0; 4];
    for step in 0..count.saturating_sub(1) {
        if step % 4 == 0 {
            words = key.draw(individual, Site::Initialise.counter(shuffle_index(0, step)));
        }
        let last = count - 1 - step;
        let other = bounded(words[step as usize % 4], last + 1);
        desk.genes.swap(last as usize, other as usize);
    }
}

/// Places them one after the other, each in the first of some random rows where nobody attacks
/// it, or in the last of these.
pub fn greedy<G: Genome>(genome: &G, desk: &mut Desk, tries: u32, key: Key, individual: u32) {
    let count = desk.genes.len() as u32;
    desk.clear_lines(genome);
    for (gene, value) in (0..).zip(&mut desk.genes) {
        *value = gene;
    }
    let draws = tries.div_ceil(4);
    for gene in 0..count {
        let mut words = [0; 4];
        let mut chosen = gene;
        for attempt in 0..tries {
            if attempt % 4 == 0 {
                let index = gene.wrapping_mul(draws).wrapping_add(attempt / 4);
                words = key.draw(individual, Site::Initialise.counter(index));
            }
            chosen = gene + bounded(words[attempt as usize % 4], count - gene);
            if desk.is_free(genome, gene as usize, desk.genes[chosen as usize]) {
                break;
            }
        }
        desk.genes.swap(gene as usize, chosen as usize);
        desk.occupy(genome, gene as usize);
    }
}
