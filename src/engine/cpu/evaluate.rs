//! Twin of `shaders/evaluate.wgsl`: the fitness of whole grids.

use super::shared::mask::Mask;
use super::shared::score::score;
use super::shared::tile::{Board, Shape, Tile};
use crate::plan::{Encoding, Repeats};

/// The fitness of one individual. Tiles count many units at once, but are for rows that are
/// permutations.
#[inline(always)]
pub fn evaluate<M: Mask, S: Shape, const C: usize>(
    board: &Board<M, S, C>,
    tile: &mut Tile<M, C>,
    cells: &[u8],
) -> u32 {
    if board.individuals.encoding != Encoding::Rows {
        return score(board, cells);
    }
    tile.load(board.shape, cells);
    tile.rows_changed(board);
    tile.fitness(board, Repeats::Every)
}
