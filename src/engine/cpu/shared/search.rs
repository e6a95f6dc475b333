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
    let (n, height) = (board.shape.n(), board.height(family));
    let changed = tile.refresh(board, family, breed.repeats);
    // A pass with all partners leaves no swap behind: what is possible now has to do with a unit
    // that the other family has changed since.
    let limited = (breed.partners as usize) < height - 1;
    let looked_at = if limited { M::below(n as u32) } else { changed };
    if !looked_at.any() {
        return 0;
    }
    let [partner, row, ..] = key.draw(individual, Site::Search.counter(2 * round + family as u32));
    let first_partner = bounded(partner, height as u32 - 1) as usize;
    let first_row = bounded(row, height as u32) as usize;
    // Who could swap with whom, before anything is swapped; later only less. Mispredicted
    // branches are what this search costs most, and this part has few.
    let units = &tile.families[family];
    let mut open = M::EMPTY;
    let mut partners = [M::EMPTY; C];
    for a in elements(looked_at & units.marked()) {
        let band = a / height * height;
        let mut found = partners_of(units, board, family, a);
        if !limited {
            // Two units are done with each other when the first of them has had its turn; those
            // that are looked at know it themselves.
            let before = M::below((a - band) as u32);
            for b in elements(found & before & !(looked_at >> band as u32)) {
                partners[band + b] |= M::bit((a - band) as u32);
                open |= M::bit((band + b) as u32);
            }
            found &= !before;
        }
        partners[a] |= found;
        open |= found.one_if_any() << a as u32;
    }
    let mut swaps = 0;
    for a in elements(open) {
        let band = a / height * height;
        let start = wrap(a - band + 1 + first_partner, height);
        let mut steps = partners[a].counted_from(start as u32, height as u32);
        if limited {
            steps &= arc(height, start, breed.partners as usize, a - band);
        }
        for step in elements(steps) {
            let b = band + wrap(start + step, height);
            swaps += pair(tile, board, family, breed, first_row, a, b);
        }
    }
    swaps
}

/// Up to this size columns that share a row are let try: the test for sure would cost more, with its
/// mispredicted branches.
const SMALL: usize = 9;

/// The units of a band that might swap with `a`, numbered within the band: either has a
/// repeated digit that the other lacks.
#[inline(always)]
fn partners_of<M: Mask, S: Shape, const C: usize>(
    units: &Family<M, C>,
    board: &Board<M, S, C>,
    family: usize,
    a: usize,
) -> M {
    let (once_a, twice_a, repeated_a) = (units.once[a], units.twice[a], units.repeated[a]);
    if family != COLUMNS {
        // A band holds few blocks.
        let height = board.height(family);
        let band = a / height * height;
        let mut partners = M::EMPTY;
        for b in 0..height {
            let give = (twice_a & !units.once[band + b]).one_if_any()
                & (units.twice[band + b] & !once_a).one_if_any();
            partners |= give << b as u32;
        }
        return partners;
    }
    // Columns stand in SIMD lanes, which are filled if they can swap.
    let mut can = [M::EMPTY; C];
    if board.shape.n() <= SMALL {
        for (b, can) in can.iter_mut().enumerate() {
            let gets = (twice_a & !units.once[b]).any();
            let gives = (units.twice[b] & !once_a).any();
            let meets = (units.repeated[b] & repeated_a).any();
            *can = M::all_if(gets & gives & meets);
        }
    } else {
        // A column has one cell in a row, so that its digit tells for sure.
        for row in elements(repeated_a) {
            let cells = &units.cells[row];
            let (digit, this_row) = (cells[a], M::bit(row as u32));
            for (b, can) in can.iter_mut().enumerate() {
                let gets = !(units.once[b] & digit).any();
                let gives = (cells[b] & !once_a).any();
                let is_marked = (units.repeated[b] & this_row).any();
                *can |= M::all_if(gets & gives & is_marked);
            }
        }
    }
    let mut partners = 0u128;
    for first in (0..C).step_by(M::Pack::LANES) {
        partners |= u128::from(M::Pack::load(&can[first..]).lanes()) << first;
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
