//! Twin of `shaders/permutations/initialise_queens.wgsl`: the initial placements of queens.

use crate::engine::cpu::permutations::PermutationState;
use crate::engine::genes::Genome;
use crate::operators::kernel::{KernelCall, Params, Shader};
use crate::rng::{Key, Site, bounded, shuffle_index};

/// The kernel: at random without tries.
pub(crate) fn kernel(tries: u32) -> KernelCall {
    let shader = Shader::builtin("permutations/initialise_queens");
    KernelCall::new(shader).with(Params::new([("tries", tries)]))
}

/// Places the queens in random rows.
pub(crate) fn shuffle(state: &mut PermutationState, key: Key, individual: u32) {
    let count = state.genes.len() as u32;
    for (gene, value) in (0..).zip(&mut state.genes) {
        *value = gene;
    }
    let mut words = [0; 4];
    for step in 0..count.saturating_sub(1) {
        if step % 4 == 0 {
            words = key.draw(individual, Site::Initialise.counter(shuffle_index(0, step)));
        }
        let last = count - 1 - step;
        let other = bounded(words[step as usize % 4], last + 1);
        state.genes.swap(last as usize, other as usize);
    }
}

/// Places them one after the other, each in the first of some random rows where nobody attacks
/// it, or in the last of these.
pub(crate) fn greedy<G: Genome>(
    genome: &G,
    state: &mut PermutationState,
    tries: u32,
    key: Key,
    individual: u32,
) {
    let count = state.genes.len() as u32;
    state.clear_constraints(genome);
    for (gene, value) in (0..).zip(&mut state.genes) {
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
            if state.is_free(genome, gene as usize, state.genes[chosen as usize]) {
                break;
            }
        }
        state.genes.swap(gene as usize, chosen as usize);
        state.occupy(genome, gene as usize);
    }
}
