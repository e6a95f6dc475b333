//! Twin of `partner` in `shaders/permutations/state.wgsl`: random pairs of genes.

use crate::engine::genes::Genome;
use crate::rng::bounded;

/// Another gene of the same segment; the gene itself if it is alone.
#[inline(always)]
pub fn partner(genome: &impl Genome, gene: usize, word: u32) -> usize {
    let segment = genome.segment(gene);
    let count = segment.len() as u32;
    if count < 2 {
        return gene;
    }
    // A draw among the others, shifted past the gene.
    let shifted = (gene - segment.start) as u32 + 1 + bounded(word, count - 1);
    let at = if shifted >= count {
        shifted - count
    } else {
        shifted
    };
    segment.start + at as usize
}
