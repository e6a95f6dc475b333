//! Column and sub-block local search (LSGA Algorithm 3, Figs. 6 and 7).
//!
//! Two illegal units of a band swap a repeated digit each, in one row, if either gets a digit
//! that it does not have. No swap can break a unit of its own kind, so a pass only mends.
//!
//! The order is fixed: first units ascending; their partners, then rows, from random starts;
//! then cells ascending. The lanes of the kernel share this loop out and always carry out the
//! lowest swap that any of them has found, which gives the same result.

use super::mask::{Mask, elements};
use super::registers::{Pack as _, Registers};
use super::working_grid::{MaskTables, Sets, Shape, Square, UnitKind, WorkingGrid};
use crate::engine::tables::{BLOCKS, COLUMNS};
use crate::operators::BreedRows;
use crate::rng::{Key, Site, bounded};

/// Rounds of column and sub-block passes, until one of them swaps nothing; how many swaps.
#[inline(always)]
pub fn search<M: Mask, S: Shape, const C: usize>(
    registers: impl Registers<M>,
    grid: &mut WorkingGrid<M, C>,
    tables: &MaskTables<M, S, C>,
    breed: &BreedRows,
    key: Key,
    individual: u32,
) -> u32 {
    let mut swaps = 0;
    for round in 0..breed.rounds {
        let before = swaps;
        if breed.column_search {
            swaps += pass(
                registers, grid, tables, COLUMNS, breed, key, individual, round,
            );
        }
        if breed.block_search && tables.has_blocks {
            swaps += pass(
                registers, grid, tables, BLOCKS, breed, key, individual, round,
            );
        }
        if swaps == before {
            break;
        }
    }
    swaps
}

/// One pass over the illegal units of a kind; how many swaps it made.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "what a search reads")]
fn pass<M: Mask, S: Shape, const C: usize>(
    registers: impl Registers<M>,
    grid: &mut WorkingGrid<M, C>,
    tables: &MaskTables<M, S, C>,
    kind: usize,
    breed: &BreedRows,
    key: Key,
    individual: u32,
    round: u32,
) -> u32 {
    let (n, height) = (tables.shape.n(), tables.height(kind));
    let changed = grid.refresh(registers, tables, kind, breed.repeats);
    // A pass with all partners leaves no swap behind: what is possible now has to do with a unit
    // that the other kind has changed since.
    let limited = (breed.partners as usize) < height - 1;
    let looked_at = if limited { M::below(n as u32) } else { changed };
    if !looked_at.any() {
        return 0;
    }
    // Who could swap with whom, before anything is swapped; later only less. Mispredicted
    // branches are what this search costs most, and this part has few.
    let units = &grid.kinds[kind];
    let partners = match kind == BLOCKS || n <= SMALL {
        true => Partners::by_distance(registers, units, tables, kind, looked_at),
        false => Partners::by_column(registers, units, &grid.rows, n, looked_at, limited),
    };
    let open = partners.open(limited);
    if !open.any() {
        return 0;
    }
    let [partner, row, ..] = key.draw(individual, Site::Search.counter(2 * round + kind as u32));
    let first_partner = bounded(partner, height as u32 - 1) as usize;
    let first_row = bounded(row, height as u32) as usize;
    let mut swaps = 0;
    for a in elements(open) {
        let band = tables.band(kind, a);
        let start = wrap(a - band + 1 + first_partner, height);
        let in_band = partners.of(a, limited) >> band as u32;
        let mut steps = in_band.counted_from(start as u32, height as u32);
        if limited {
            steps &= arc(height, start, breed.partners as usize, a - band);
        }
        for step in elements(steps) {
            let b = band + wrap(start + step, height);
            swaps += pair(registers, grid, tables, kind, breed, first_row, a, b);
        }
    }
    swaps
}

/// Up to this size columns that share a row are let try: the test for sure would cost more, with its
/// mispredicted branches.
const SMALL: usize = 9;

/// The pairs of units that might swap. Only those that follow a unit are told it, unless the search
/// is limited: two units are done with each other when the first of them has had its turn.
enum Partners<M, const C: usize> {
    /// For each distance the units for which the one so far behind them is a partner.
    ByDistance(usize, [M; C]),
    /// For each column its partners.
    ByColumn(M, [M; C]),
}

impl<M: Mask, const C: usize> Partners<M, C> {
    /// Pairs of which either has a repeated digit that the other lacks; columns also in a common row.
    #[inline(always)]
    fn by_distance<S: Shape, R: Registers<M>>(
        registers: R,
        units: &UnitKind<M, C>,
        tables: &MaskTables<M, S, C>,
        kind: usize,
        looked_at: M,
    ) -> Self {
        let (n, height) = (tables.shape.n(), tables.height(kind));
        let mut pairs = [M::EMPTY; C];
        // An iterator over pairs would not be unrolled, which costs a tenth of a generation at 9x9.
        #[expect(clippy::needless_range_loop)]
        for distance in 1..height {
            let mut cannot = M::EMPTY;
            for first in (0..n).step_by(R::LANES) {
                let here = |sets: &Sets<M, C>| registers.load(sets.beyond(first));
                let there = |sets: &Sets<M, C>| registers.load(sets.beyond(first + distance));
                let gives = here(&units.twice).without(there(&units.once));
                let gets = there(&units.twice).without(here(&units.once));
                let mut can = gives.where_both(gets);
                if kind == COLUMNS {
                    can = can.where_both(here(&units.repeated) & there(&units.repeated));
                }
                cannot |= M::narrow(u128::from(can.where_empty().lanes()) << first);
            }
            let within = (0..n).step_by(height).fold(M::EMPTY, |within, band| {
                within | M::below((height - distance) as u32) << band as u32
            });
            let looked_at = looked_at | looked_at >> distance as u32;
            pairs[distance] = within & looked_at & !cannot;
        }
        Self::ByDistance(height, pairs)
    }

    /// Pairs of columns that can swap for sure: either has one cell in a row.
    #[inline(always)]
    fn by_column<R: Registers<M>>(
        registers: R,
        units: &UnitKind<M, C>,
        rows: &Square<C>,
        n: usize,
        looked_at: M,
        limited: bool,
    ) -> Self {
        let mut open = M::EMPTY;
        let mut partners = [M::EMPTY; C];
        // The columns that have a digit, and those that are marked in a row.
        let holding = registers.by_element(units.once.all());
        let marked_in = registers.by_element(units.repeated.all());
        for a in elements(looked_at & units.marked(registers, n)) {
            let lacking = M::below(n as u32) & !units.once[a];
            let mut found = M::EMPTY;
            for row in elements(units.repeated[a]) {
                let digits = &rows[row];
                let gets = !holding[usize::from(digits[a])];
                let gives = registers.places_of_any(digits, lacking);
                found |= marked_in[row] & gets & gives;
            }
            if !limited {
                let before = M::below(a as u32);
                for b in elements(found & before & !looked_at) {
                    partners[b] |= M::bit(a as u32);
                    open |= M::bit(b as u32);
                }
                found &= !before;
            }
            partners[a] |= found;
            open |= found.one_if_any() << a as u32;
        }
        Self::ByColumn(open, partners)
    }

    /// The units that have partners.
    #[inline(always)]
    fn open(&self, limited: bool) -> M {
        match self {
            Self::ByDistance(height, pairs) => {
                let mut open = M::EMPTY;
                for (distance, &pairs) in pairs[..*height].iter().enumerate() {
                    open |= pairs;
                    if limited {
                        open |= pairs << distance as u32;
                    }
                }
                open
            }
            Self::ByColumn(open, _) => *open,
        }
    }

    /// The partners of a unit.
    #[inline(always)]
    fn of(&self, a: usize, limited: bool) -> M {
        match self {
            Self::ByDistance(height, pairs) => {
                let mut partners = M::EMPTY;
                for (distance, &pairs) in pairs[..*height].iter().enumerate() {
                    let (distance, a) = (distance as u32, a as u32);
                    partners |= (pairs & M::bit(a)) << distance;
                    if limited {
                        partners |= (pairs << distance & M::bit(a)) >> distance;
                    }
                }
                partners
            }
            Self::ByColumn(_, partners) => partners[a],
        }
    }
}

/// Swaps between two units of a band, row by row; how many there were.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "what a search reads")]
fn pair<M: Mask, S: Shape, const C: usize>(
    registers: impl Registers<M>,
    grid: &mut WorkingGrid<M, C>,
    tables: &MaskTables<M, S, C>,
    kind: usize,
    breed: &BreedRows,
    first_row: usize,
    a: usize,
    b: usize,
) -> u32 {
    let (n, width) = (tables.shape.n(), tables.shape.width(kind));
    let mut cells = may_go(registers, &grid.kinds[kind], a, b);
    let rows = row_starts(cells[0], n, width) & row_starts(cells[1], n, width);
    let mut swaps = 0;
    for step in elements(rows.counted_from((first_row * width) as u32, n as u32)) {
        let start = wrap(first_row * width + step, n);
        loop {
            // The first of either make the first pair. Nothing becomes possible by a swap.
            let in_row = |cells: M| cells >> start as u32 & M::below(width as u32);
            let (left, right) = (in_row(cells[0]), in_row(cells[1]));
            if !left.any() | !right.any() {
                break;
            }
            let (i, j) = (
                start + left.first() as usize,
                start + right.first() as usize,
            );
            let places = [(a, i), (b, j)];
            let [x, y] = grid.swap_between(registers, tables, kind, breed.repeats, places);
            // Either has now what the other gave.
            cells = [cells[0] & !x, cells[1] & !y];
            swaps += 1;
        }
    }
    swaps
}

/// The marked cells of two units whose digits the other lacks. Whether a cell may go does not depend
/// on the cell that comes for it.
#[inline(always)]
fn may_go<M: Mask, const C: usize>(
    registers: impl Registers<M>,
    units: &UnitKind<M, C>,
    a: usize,
    b: usize,
) -> [M; 2] {
    let (to_b, to_a) = (
        units.twice[a] & !units.once[b],
        units.twice[b] & !units.once[a],
    );
    [
        units.marked_with(registers, a, to_b),
        units.marked_with(registers, b, to_a),
    ]
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
