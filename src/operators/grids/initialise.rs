//! Twin of `shaders/grids/initialise.wgsl`: random individuals that keep the givens.

use crate::engine::cpu::grids::{Mask, MaskTables, Shape, fresh, score};
use crate::rng::{Key, Site};

/// Makes one individual and returns its fitness.
pub(crate) fn initialise<M: Mask, S: Shape, const C: usize>(
    tables: &MaskTables<M, S, C>,
    key: Key,
    individual: u32,
    cells: &mut [u8],
) -> u32 {
    fresh(tables, key, individual, Site::Initialise, cells);
    score(tables, cells)
}
