//! Column and sub-block local search (LSGA Algorithm 3, Figs. 6 and 7).
//!
//! Two illegal units of a band swap a repeated digit each, in one row, if either gets a digit
//! that it does not have. No swap can break a unit of its own family, so a pass only mends.
//!
//! The order is fixed: first units ascending; their partners, then rows, from random starts;
//! then cells ascending. The lanes of the kernel share this loop out and always carry out the
//! lowest swap that any of them has found, which gives the same result.

use super::mask::{Mask, Pack as _};
use super::tile::{Board, Family, Shape, Tile};
use crate::engine::tables::{BLOCKS, COLUMNS};
use crate::plan::Breed;
use crate::rng::{Key, Site, bounded};

/// Rounds of column and sub-block passes, until one of them swaps nothing; how many swaps.
#[inline(always)]
pub fn search<M: Mask, S: Shape, const C: usize>(
    tile: &mut Tile<M, C>,
    board: &Board<M, S, C>,
    breed: &Breed,
    key: Key,
    individual: u32,
) -> u32 {
    let mut swaps = 0;
    for round in 0..breed.rounds {
        let before = swaps;
        if breed.column_search {
            swaps += pass(tile, board, COLUMNS, breed, key, individual, round);
        }
        if breed.block_search && board.has_blocks {
            swaps += pass(tile, board, BLOCKS, breed, key, individual, round);
        }
        if swaps == before {
            break;
        }
    }
    swaps
}

/// One pass over the illegal units of a family; how many swaps it made.
#[inline(always)]
fn pass<M: Mask, S: Shape, const C: usize>(
    tile: &mut Tile<M, C>,
    board: &Board<M, S, C>,
    family: usize,
    breed: &Breed,
    key: Key,
    individual: u32,
    round: u32,
) -> u32 {
    let height = board.height(family);
    // A pass with all partners leaves no swap behind: until the other family changes cells,
    // there is nothing to find.
    if !tile.families[family].stale && breed.partners as usize >= height - 1 {
        return 0;
    }
    tile.refresh(board, family, breed.repeats);
    let [partner, row, ..] = key.draw(individual, Site::Search.counter(2 * round + family as u32));
    let first_partner = bounded(partner, height as u32 - 1) as usize;
    let first_row = bounded(row, height as u32) as usize;
    // Who could swap with whom, before anything is swapped; later only less. Mispredicted
    // branches are what this search costs most, and this part has none.
    let units = &tile.families[family];
    let mut open = M::EMPTY;
    let mut partners = [M::EMPTY; C];
    for a in elements(units.marked()) {
        let band = a / height * height;
        let start = wrap(a - band + 1 + first_partner, height);
        let mut set = partners_of(units, family, a, band, height);
        set = set.counted_from(start as u32, height as u32);
        if (breed.partners as usize) < height - 1 {
            set &= arc(height, start, breed.partners as usize, a - band);
        }
        partners[a] = set;
        open |= set.one_if_any() << a as u32;
    }
    let mut swaps = 0;
    for a in elements(open) {
        let band = a / height * height;
        let start = wrap(a - band + 1 + first_partner, height);
        for step in elements(partners[a]) {
            let b = band + wrap(start + step, height);
            swaps += pair(tile, board, family, breed, first_row, a, b);
        }
    }
    swaps
}

/// The units of a band that might swap with `a`, numbered within the band: either has a
/// repeated digit that the other lacks.
#[inline(always)]
fn partners_of<M: Mask, const C: usize>(
    units: &Family<M, C>,
    family: usize,
    a: usize,
    band: usize,
    height: usize,
) -> M {
    let (once_a, twice_a) = (units.once[a], units.twice[a]);
    if family != COLUMNS {
        // A band holds few blocks.
        let mut partners = M::EMPTY;
        for b in 0..height {
            let give = (twice_a & !units.once[band + b]).one_if_any()
                & (units.twice[band + b] & !once_a).one_if_any();
            partners |= give << b as u32;
        }
        return partners;
    }
    let (lacks_a, twice_a) = (M::Pack::splat(!once_a), M::Pack::splat(twice_a));
    let repeated_a = M::Pack::splat(units.repeated[a]);
    let mut partners = 0u128;
    for first in (0..C).step_by(M::Pack::LANES) {
        let load = |masks: &[M; C]| M::Pack::load(&masks[first..]);
        let keeps_a = (twice_a & !load(&units.once)).where_empty();
        let keeps_b = (load(&units.twice) & lacks_a).where_empty();
        // Columns have one cell in a row: they need a row in which both are marked.
        let apart = (load(&units.repeated) & repeated_a).where_empty();
        let all = (1 << M::Pack::LANES) - 1;
        partners |= u128::from(!(keeps_a | keeps_b | apart).lanes() & all) << first;
    }
    M::narrow(partners)
}

/// Swaps between two units of a band, row by row; how many there were.
#[inline(always)]
fn pair<M: Mask, S: Shape, const C: usize>(
    tile: &mut Tile<M, C>,
    board: &Board<M, S, C>,
    family: usize,
    breed: &Breed,
    first_row: usize,
    a: usize,
    b: usize,
) -> u32 {
    let (n, width) = (board.shape.n(), board.shape.width(family));
    let units = &tile.families[family];
    let rows = row_starts(units.repeated[a], n, width) & row_starts(units.repeated[b], n, width);
    let mut swaps = 0;
    for step in elements(rows.counted_from((first_row * width) as u32, n as u32)) {
        let start = wrap(first_row * width + step, n);
        loop {
            // Whether a cell may go does not depend on the other, so the first pair is made of
            // the first of either. Nothing becomes possible by a swap.
            let units = &tile.families[family];
            let left = may_go(units, a, b, start, width);
            let right = may_go(units, b, a, start, width);
            if !left.any() | !right.any() {
                break;
            }
            let (i, j) = (
                start + left.first() as usize,
                start + right.first() as usize,
            );
            tile.swap_between(board, family, breed.repeats, (a, i), (b, j));
            swaps += 1;
        }
    }
    swaps
}

/// The first cells of the rows in which a unit has one of these cells.
#[inline(always)]
fn row_starts<M: Mask>(cells: M, n: usize, width: usize) -> M {
    let mut any = cells;
    for shift in 1..width {
        any |= cells >> shift as u32;
    }
    any & (0..n)
        .step_by(width)
        .fold(M::EMPTY, |starts, start| starts | M::bit(start as u32))
}

/// The cells of a row of unit `from` that may be swapped into unit `to`, counted from the row's
/// `start`: marked, with a digit that `to` lacks.
#[inline(always)]
fn may_go<M: Mask, const C: usize>(
    units: &Family<M, C>,
    from: usize,
    to: usize,
    start: usize,
    width: usize,
) -> M {
    let digits = units.twice[from] & !units.once[to];
    let mut cells = M::EMPTY;
    for i in 0..width {
        cells |= (units.cells[start + i][from] & digits).one_if_any() << i as u32;
    }
    cells & units.repeated[from] >> start as u32
}

/// The elements of a set, ascending.
#[inline(always)]
fn elements<M: Mask>(mut set: M) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if !set.any() {
            return None;
        }
        let first = set.first() as usize;
        set = set.rest();
        Some(first)
    })
}

/// The first `count` units of a band, counted cyclically from `start`, passing over `a`.
fn arc<M: Mask>(height: usize, start: usize, count: usize, a: usize) -> M {
    (0..height)
        .filter(|&step| wrap(start + step, height) != a)
        .take(count)
        .fold(M::EMPTY, |set, step| set | M::bit(step as u32))
}

/// `value` modulo `modulus`, for values below twice that.
#[inline(always)]
fn wrap(value: usize, modulus: usize) -> usize {
    if value >= modulus {
        value - modulus
    } else {
        value
    }
}
