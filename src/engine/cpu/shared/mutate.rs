//! Swap and re-initialisation mutation (LSGA Algorithm 2), and the shuffle behind both
//! re-initialisation and the initial population. Givens never move, rows stay permutations.

use super::mask::Mask;
use super::tile::{Board, Shape, Tile};
use crate::plan::{Breed, MutationUnit};
use crate::rng::{Key, Site, bounded, shuffle_index};

/// Mutates the rows whose coins fall so.
#[inline(always)]
pub fn mutate<M: Mask, S: Shape, const C: usize>(
    tile: &mut Tile<M, C>,
    board: &Board<M, S, C>,
    breed: &Breed,
    key: Key,
    individual: u32,
) {
    let n = board.shape.n();
    let rows = match breed.mutation {
        MutationUnit::Row => n,
        MutationUnit::Individual => 1,
    };
    for unit in 0..rows {
        let [swap, reinitialise, one, two] =
            key.draw(individual, Site::MutateRow.counter(unit as u32));
        let (swap, reinitialise) = (breed.swap.hit(swap), breed.reinitialise.hit(reinitialise));
        if !(swap || reinitialise) {
            continue;
        }
        let row = match breed.mutation {
            MutationUnit::Row => unit,
            MutationUnit::Individual => {
                let [row, ..] = key.draw(individual, Site::MutateRow.counter(n as u32));
                bounded(row, n as u32) as usize
            }
        };
        if swap {
            swap_two(tile, board, row, one, two);
        }
        if reinitialise {
            shuffle_row(tile, board, row, key, individual, Site::Reinitialise);
        }
    }
}

/// Swaps two different free cells of a row, if there are two.
#[inline(always)]
fn swap_two<M: Mask, S: Shape, const C: usize>(
    tile: &mut Tile<M, C>,
    board: &Board<M, S, C>,
    row: usize,
    one: u32,
    two: u32,
) {
    let free = &board.free[row];
    let count = free.len() as u32;
    if count < 2 {
        return;
    }
    let one = bounded(one, count);
    // A draw among the others, shifted past the first.
    let two = (one + 1 + bounded(two, count - 1)) % count;
    let (one, two) = (free[one as usize], free[two as usize]);
    tile.row(row).swap(usize::from(one), usize::from(two));
}

/// Puts the free digits of a row in random order (Fisher & Yates).
#[inline(always)]
pub fn shuffle_row<M: Mask, S: Shape, const C: usize>(
    tile: &mut Tile<M, C>,
    board: &Board<M, S, C>,
    row: usize,
    key: Key,
    individual: u32,
    site: Site,
) {
    let free = &board.free[row];
    let cells = tile.row(row);
    let mut words = [0; 4];
    for last in (1..free.len()).rev() {
        let step = (free.len() - 1 - last) as u32;
        if step.is_multiple_of(4) {
            words = key.draw(individual, site.counter(shuffle_index(row as u32, step)));
        }
        let other = bounded(words[step as usize % 4], last as u32 + 1);
        cells.swap(usize::from(free[last]), usize::from(free[other as usize]));
    }
}

/// A fresh individual: the givens, every row completed in random order.
#[inline(always)]
pub fn fresh<M: Mask, S: Shape, const C: usize>(
    tile: &mut Tile<M, C>,
    board: &Board<M, S, C>,
    key: Key,
    individual: u32,
    site: Site,
) {
    tile.load(board.shape, &board.template);
    for row in 0..board.shape.n() {
        shuffle_row(tile, board, row, key, individual, site);
    }
    tile.rows_changed(board);
}
