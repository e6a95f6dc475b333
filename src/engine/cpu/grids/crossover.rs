//! Row crossover (LSGA Algorithm 1): an individual takes some rows of a mate.

use super::mask::Mask;
use super::working_grid::{Shape, WorkingGrid};
use crate::operators::BreedRows;
use crate::rng::{Key, Site, bounded};

/// Replaces rows of the grid by a random mate's. Givens stand in the same cells of both, so
/// whole rows can be exchanged.
#[inline(always)]
pub fn crossover<'a, M: Mask, S: Shape, const C: usize>(
    grid: &mut WorkingGrid<M, C>,
    shape: S,
    breed: &BreedRows,
    key: Key,
    individual: u32,
    pop: u32,
    digits_of: impl Fn(u32) -> &'a [u8],
) {
    let [coin, mate, ..] = key.draw(individual, Site::Mate.counter(0));
    if !breed.crossover.hit(coin) {
        return;
    }
    let mate = digits_of(bounded(mate, pop));
    for row in 0..shape.n() {
        let [coin, ..] = key.draw(individual, Site::CrossoverRow.counter(row as u32));
        if breed.crossover_row.hit(coin) {
            grid.load_row(shape, row, mate);
        }
    }
}
