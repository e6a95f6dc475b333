//! Twin of `shaders/initialise.wgsl`: random row permutations that keep the givens.

use super::shared::mask::Mask;
use super::shared::mutate::fresh;
use super::shared::tile::{Board, Shape, Tile};
use crate::plan::Repeats;
use crate::rng::{Key, Site};

/// Makes one individual and returns its fitness.
#[inline(always)]
pub fn initialise<M: Mask, S: Shape, const C: usize>(
    board: &Board<M, S, C>,
    tile: &mut Tile<M, C>,
    key: Key,
    individual: u32,
    cells: &mut [u8],
) -> u32 {
    fresh(tile, board, key, individual, Site::Initialise);
    tile.store(board.shape, cells);
    tile.fitness(board, Repeats::Every)
}
