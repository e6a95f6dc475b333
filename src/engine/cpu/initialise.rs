//! Twin of `shaders/initialise.wgsl`: random individuals that keep the givens.

use super::shared::bricks::fresh;
use super::shared::mask::Mask;
use super::shared::score::score;
use super::shared::tile::{Board, Shape};
use crate::rng::{Key, Site};

/// Makes one individual and returns its fitness.
pub fn initialise<M: Mask, S: Shape, const C: usize>(
    board: &Board<M, S, C>,
    key: Key,
    individual: u32,
    cells: &mut [u8],
) -> u32 {
    fresh(board, key, individual, Site::Initialise, cells);
    score(board, cells)
}
