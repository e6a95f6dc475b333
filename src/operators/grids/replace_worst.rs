//! Twin of `shaders/grids/rank_harmonies.wgsl` and `shaders/grids/replace_worst.wgsl`: harmonies face the worst of the
//! memory, one each.

use super::improvise::Improvise;
use crate::population::Population;

/// The best of the batch faces the worst of the memory, the second best the second worst, and
/// replaces it if it is better. Of equals in the batch the first is the better, of equals in the
/// memory the first is the worse.
pub fn replace_worst(
    improvise: &Improvise,
    harmonies: &Population,
    old: &Population,
    new: &mut Population,
) {
    new.clone_from(old);
    let mut batch: Vec<usize> = (0..harmonies.len()).collect();
    batch.sort_by_key(|&harmony| harmonies.fitness()[harmony]);
    let mut memory: Vec<usize> = (0..old.len()).collect();
    memory.sort_by_key(|&member| u32::MAX - old.fitness()[member]);
    for (harmony, place) in batch.into_iter().zip(memory) {
        let fitness = harmonies.fitness()[harmony];
        let copy = improvise.distinct && is_copy(harmonies, harmony, old);
        if fitness < old.fitness()[place] && !copy {
            new.cells_mut(place)
                .copy_from_slice(harmonies.cells(harmony));
            new.split_mut().2[place] = fitness;
        }
    }
}

/// Whether a harmony is in the memory, or before in the batch.
fn is_copy(harmonies: &Population, harmony: usize, memory: &Population) -> bool {
    let cells = harmonies.cells(harmony);
    (0..harmony).any(|before| harmonies.cells(before) == cells)
        || (0..memory.len()).any(|member| memory.cells(member) == cells)
}
