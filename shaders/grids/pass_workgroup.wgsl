#import grids/working_grid

// How the lanes of a group share out a pass of local search. Possible swaps have an order, and so a
// number: first unit, partner and row (both from random starts), cells. Every lane looks for the
// first swap of its own units, and the lowest of all is carried out. A swap makes no other one
// possible, so each lane goes on from where it was.

const NO_SWAP = 0xffffffffu;

// A swap: cell i of unit a with cell j of unit b, in the m-th row of their band from the first one.
struct Swap {
    a: u32,
    b: u32,
    m: u32,
    i: u32,
    j: u32,
}

fn unit_at(units: UnitKind, unit: u32) -> u32 {
    return units.index * run.size + unit;
}

// The first element of a set of units or rows from the k-th on, counted cyclically from `first`;
// `height` if there is none.
fn next_cyclic(elements: Mask, height: u32, first: u32, k: u32) -> u32 {
    let at = first + k;
    if at < height {
        let found = mask_next(elements, at);
        if found < height {
            return found - first;
        }
    }
    let wrapped = mask_next(elements, max(at, height) - height);
    return select(height, wrapped + height - first, wrapped < first);
}

// The first row from the m-th on, rows counted cyclically from `first_row`, in which both units
// may have marked cells; units.height if there is none.
fn next_row(units: UnitKind, both: Mask, first_row: u32, m: u32) -> u32 {
    if units.width > 1u {
        return m;
    }
    // A column has one cell a row, so the marks of both tell.
    return next_cyclic(both, units.height, first_row, m);
}

fn begin_search() {}

// Which families are not up to date.
fn end_search(stale: vec2<bool>) -> vec2<bool> {
    return stale;
}

// The first marked cell of a row with one of these digits, counted from `first_col`; NO_SWAP if
// there is none.
fn may_go(units: UnitKind, row: u32, first_col: u32, marked: u32, digits: Mask) -> u32 {
    for (var rest = marked; rest != 0u; rest &= rest - 1u) {
        let cell = firstTrailingBit(rest);
        if mask_any(digits & mask_bit(grid_get(row, first_col + cell))) {
            return cell;
        }
    }
    return NO_SWAP;
}

// What stands in a unit: the digits once, twice or more, and the free cells marked as repeated.
fn refresh_unit(units: UnitKind, unit: u32, repeats: u32) {
    let first_row = band_of(units, unit);
    let first_col = (unit - first_row) * units.width;
    var once = Mask();
    var twice = Mask();
    var repeated = Mask();
    var k = 0u;
    for (var row = 0u; row < units.height; row++) {
        for (var col = 0u; col < units.width; col++) {
            let digit = mask_bit(grid_get(first_row + row, first_col + col));
            let again = once & digit;
            repeated |= select(Mask(), mask_bit(k), mask_any(again));
            twice |= again;
            once |= digit;
            k++;
        }
    }
    if repeats != REPEATS_LATER && mask_any(twice) {
        k = 0u;
        for (var row = 0u; row < units.height; row++) {
            for (var col = 0u; col < units.width; col++) {
                let digit = mask_bit(grid_get(first_row + row, first_col + col));
                repeated |= select(Mask(), mask_bit(k), mask_any(twice & digit));
                k++;
            }
        }
    }
    let at = units.index * run.size + unit;
    grid_once[at] = once;
    grid_twice[at] = twice;
    grid_repeated[at] = repeated & free_positions(units.index, unit);
}

// Brings all units of a family up to date, if they are not. Lanes have met before, and meet.
fn refresh(units: UnitKind, stale: bool, lane: u32) {
    if stale {
        for (var unit = lane; unit < run.size; unit += LANES) {
            refresh_unit(units, unit, breed.repeats);
        }
        group_barrier();
    }
}

// Cell k of a unit had a repeated digit and has one now that is new to the unit: brings the unit up
// to date. All lanes look for the cells that still hold the lost digit.
fn lost_repeat(units: UnitKind, unit: u32, k: u32, lost: u32, gained: u32, lane: u32) {
    let first_row = band_of(units, unit);
    let first_col = (unit - first_row) * units.width;
    // Their number above their sum: if there is one, the sum is its place.
    var holders = 0u;
    var first = NO_SWAP;
    for (var cell = lane; cell < run.size; cell += LANES) {
        let row = divide(cell, units.per_width);
        if grid_get(first_row + row, first_col + cell - row * units.width) == lost {
            holders += (1u << 16u) + cell;
            first = min(first, cell);
        }
    }
    holders = group_sum(lane, holders);
    let last_one = (holders >> 16u) == 1u;
    var unmarked = mask_bit(k);
    if last_one {
        unmarked |= mask_bit(holders & 0xffffu);
    } else if breed.repeats == REPEATS_LATER {
        unmarked |= mask_bit(group_min(lane, first));
    }
    if lane == 0u {
        let at = unit_at(units, unit);
        grid_once[at] |= mask_bit(gained);
        grid_repeated[at] &= ~unmarked;
        if last_one {
            grid_twice[at] &= ~mask_bit(lost);
        }
    }
}

// Carries out a swap and brings its two units up to date.
fn commit(units: UnitKind, first_row: u32, swap: Swap, lane: u32) {
    let band = band_of(units, swap.a);
    let row = wrap(first_row + swap.m, units.height);
    let x_col = (swap.a - band) * units.width + swap.i;
    let y_col = (swap.b - band) * units.width + swap.j;
    let x = grid_get(band + row, x_col);
    let y = grid_get(band + row, y_col);
    group_barrier();
    if lane == 0u {
        grid_set(band + row, x_col, y);
        grid_set(band + row, y_col, x);
    }
    group_barrier();
    lost_repeat(units, swap.a, row * units.width + swap.i, x, y, lane);
    lost_repeat(units, swap.b, row * units.width + swap.j, y, x, lane);
    group_barrier();
}

// The first possible swap between two units, from row m on; m is units.height if there is none.
// Whether a cell may go does not depend on the other, so it is made of the first cell of either.
fn propose_pair(units: UnitKind, first_row: u32, a: u32, b: u32, first_m: u32) -> Swap {
    let from_a = grid_twice[unit_at(units, a)] & ~grid_once[unit_at(units, b)];
    let from_b = grid_twice[unit_at(units, b)] & ~grid_once[unit_at(units, a)];
    if mask_any(from_a) && mask_any(from_b) {
        let band = band_of(units, a);
        let a_col = (a - band) * units.width;
        let b_col = (b - band) * units.width;
        let repeated_a = grid_repeated[unit_at(units, a)];
        let repeated_b = grid_repeated[unit_at(units, b)];
        let both = repeated_a & repeated_b;
        var m = next_row(units, both, first_row, first_m);
        for (; m < units.height; m = next_row(units, both, first_row, m + 1u)) {
            let row = wrap(first_row + m, units.height);
            let left = mask_slice(repeated_a, row * units.width, units.width);
            let right = mask_slice(repeated_b, row * units.width, units.width);
            if left != 0u && right != 0u {
                let i = may_go(units, band + row, a_col, left, from_a);
                if i != NO_SWAP {
                    let j = may_go(units, band + row, b_col, right, from_b);
                    if j != NO_SWAP {
                        return Swap(a, b, m, i, j);
                    }
                }
            }
        }
    }
    return Swap(a, b, units.height, 0u, 0u);
}

// The k-th partner of a unit.
fn partner(units: UnitKind, starts: Starts, a: u32, k: u32) -> u32 {
    let band = band_of(units, a);
    let step = wrap(starts.partner + k, units.height - 1u);
    return band + wrap(a - band + 1u + step, units.height);
}

// The first possible swap of this lane's units. None before number `start` is possible.
fn propose(units: UnitKind, starts: Starts, start: u32, lane: u32) -> u32 {
    let per_pair = units.height * units.width * units.width;
    let per_unit = units.height * per_pair;
    let partners = min(breed.partners, units.height - 1u);
    let first = start / per_unit;
    var k = start % per_unit / per_pair;
    var resume = start % per_pair / (units.width * units.width);
    // This lane's first unit that is not before the start's.
    let skip = (lane + LANES - first % LANES) % LANES;
    if skip > 0u {
        k = 0u;
        resume = 0u;
    }
    for (var a = first + skip; a < run.size; a += LANES) {
        if mask_any(grid_twice[unit_at(units, a)]) {
            for (; k < partners; k++) {
                // Only the first pair is taken up in the middle.
                let m = resume;
                resume = 0u;
                let found = propose_pair(units, starts.row, a, partner(units, starts, a, k), m);
                if found.m < units.height {
                    let cells = (found.m * units.width + found.i) * units.width + found.j;
                    return (a * units.height + k) * per_pair + cells;
                }
            }
        }
        k = 0u;
        resume = 0u;
    }
    return NO_SWAP;
}

// A swap by its number.
fn swap_of(units: UnitKind, starts: Starts, number: u32) -> Swap {
    let cells = units.width * units.width;
    let pair = number / (cells * units.height);
    let a = pair / units.height;
    return Swap(
        a,
        partner(units, starts, a, pair % units.height),
        number / cells % units.height,
        number % cells / units.width,
        number % units.width,
    );
}

// One pass over the illegal units of a family, which are up to date; how many swaps it made. Lanes
// have met before.
fn pass_over(units: UnitKind, starts: Starts, lane: u32) -> u32 {
    var mine = propose(units, starts, 0u, lane);
    // Every swap mends a repeat, so there are fewer than cells.
    var swaps = 0u;
    for (; swaps < run.size * run.size; swaps++) {
        let found = group_min(lane, mine);
        if found == NO_SWAP {
            break;
        }
        let done = swap_of(units, starts, found);
        commit(units, starts.row, done, lane);
        if mine != NO_SWAP {
            // What the swap did not touch is as possible as before.
            let next = swap_of(units, starts, mine);
            let touched = next.a == done.a || next.a == done.b || next.b == done.a || next.b == done.b;
            if touched {
                mine = propose(units, starts, max(mine, found + 1u), lane);
            }
        }
    }
    return swaps;
}
