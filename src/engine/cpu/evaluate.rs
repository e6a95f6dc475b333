//! Twin of `shaders/evaluate.wgsl`: the fitness of whole grids.

use super::shared::mask::Mask;
use super::shared::tile::{Board, Shape, Tile};
use crate::plan::Repeats;

/// Illegal columns plus illegal sub-blocks of one individual.
#[inline(always)]
pub fn evaluate<M: Mask, S: Shape, const C: usize>(
    board: &Board<M, S, C>,
    tile: &mut Tile<M, C>,
    cells: &[u8],
) -> u32 {
    tile.load(board.shape, cells);
    tile.rows_changed(board);
    tile.fitness(board, Repeats::Every)
}
