// Column and sub-block local search (LSGA Algorithm 3, Figs. 6 and 7).
//
// Two illegal units of a band swap a repeated digit each, in one row, if either gets a digit
// that it does not have. Possible swaps have an order, and so a number: first unit, partner and
// row (both from random starts), cells. The loop over them in that order is shared out: every
// lane looks for the first swap of its own units, and the lowest of all is carried out. A swap
// makes no other one possible, so each lane goes on from where it was.

const NO_SWAP = 0xffffffffu;

// Where partners and rows start.
struct Starts {
    partner: u32,
    row: u32,
}

fn unit_at(units: Family, unit: u32) -> u32 {
    return units.index * run.size + unit;
}

// The k-th partner of a unit.
fn partner(units: Family, starts: Starts, a: u32, k: u32) -> u32 {
    let band = a / units.height * units.height;
    return band + (a - band + 1u + (starts.partner + k) % (units.height - 1u)) % units.height;
}

// The first possible swap of this lane's units. None before number `start` is possible.
fn propose(units: Family, starts: Starts, start: u32, lane: u32) -> u32 {
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
        let twice_a = tile_twice[unit_at(units, a)];
        if mask_any(twice_a) {
            let once_a = tile_once[unit_at(units, a)];
            for (; k < partners; k++) {
                // Only the first pair is taken up in the middle.
                let m = resume;
                resume = 0u;
                let b = partner(units, starts, a, k);
                let from_a = twice_a & ~tile_once[unit_at(units, b)];
                let from_b = tile_twice[unit_at(units, b)] & ~once_a;
                if mask_any(from_a) && mask_any(from_b) {
                    let pair = (a * units.height + k) * per_pair;
                    let found = propose_pair(units, starts.row, a, b, from_a, from_b, pair, m);
                    if found != NO_SWAP {
                        return found;
                    }
                }
            }
        }
        k = 0u;
        resume = 0u;
    }
    return NO_SWAP;
}

// The first row from the m-th on, rows counted cyclically from `first_row`, in which both units
// may have marked cells; units.height if there is none.
fn next_row(units: Family, both: Mask, first_row: u32, m: u32) -> u32 {
    if units.width > 1u {
        return m;
    }
    // A column has one cell a row, so the marks of both tell.
    let row = first_row + m;
    if row < units.height {
        let found = mask_next(both, row);
        if found < units.height {
            return found - first_row;
        }
    }
    let wrapped = mask_next(both, max(row, units.height) - units.height);
    return select(units.height, wrapped + units.height - first_row, wrapped < first_row);
}

// The first marked cell of a row with one of these digits, counted from `first_col`; NO_SWAP if
// there is none.
fn may_go(row: u32, first_col: u32, marked: u32, digits: Mask) -> u32 {
    for (var rest = marked; rest != 0u; rest &= rest - 1u) {
        let cell = firstTrailingBit(rest);
        if mask_any(digits & mask_bit(tile_get(row, first_col + cell))) {
            return cell;
        }
    }
    return NO_SWAP;
}

// The first possible swap between two units, from row m on; `pair` is their first number. Whether
// a cell may go does not depend on the other, so it is made of the first cell of either.
fn propose_pair(
    units: Family,
    first_row: u32,
    a: u32,
    b: u32,
    from_a: Mask,
    from_b: Mask,
    pair: u32,
    first_m: u32,
) -> u32 {
    let band = a / units.height * units.height;
    let a_col = a % units.height * units.width;
    let b_col = b % units.height * units.width;
    let repeated_a = tile_repeated[unit_at(units, a)];
    let repeated_b = tile_repeated[unit_at(units, b)];
    let both = repeated_a & repeated_b;
    var m = next_row(units, both, first_row, first_m);
    for (; m < units.height; m = next_row(units, both, first_row, m + 1u)) {
        let row = (first_row + m) % units.height;
        let left = mask_slice(repeated_a, row * units.width, units.width);
        let right = mask_slice(repeated_b, row * units.width, units.width);
        if left != 0u && right != 0u {
            let i = may_go(band + row, a_col, left, from_a);
            if i != NO_SWAP {
                let j = may_go(band + row, b_col, right, from_b);
                if j != NO_SWAP {
                    return pair + (m * units.width + i) * units.width + j;
                }
            }
        }
    }
    return NO_SWAP;
}

// Cell k of a unit had a repeated digit and has one now that is new to the unit: brings the unit up
// to date. All lanes look for the cells that still hold the lost digit.
fn lost_repeat(units: Family, unit: u32, k: u32, lost: u32, gained: u32, lane: u32) {
    let first_row = unit / units.height * units.height;
    let first_col = unit % units.height * units.width;
    // Their number above their sum: if there is one, the sum is its place.
    var holders = 0u;
    var first = NO_SWAP;
    for (var cell = lane; cell < run.size; cell += LANES) {
        if tile_get(first_row + cell / units.width, first_col + cell % units.width) == lost {
            holders += (1u << 16u) + cell;
            first = min(first, cell);
        }
    }
    holders = tile_sum(lane, holders);
    let last_one = (holders >> 16u) == 1u;
    var unmarked = mask_bit(k);
    if last_one {
        unmarked |= mask_bit(holders & 0xffffu);
    } else if breed.repeats == REPEATS_LATER {
        unmarked |= mask_bit(tile_min(lane, first));
    }
    if lane == 0u {
        let at = unit_at(units, unit);
        tile_once[at] |= mask_bit(gained);
        tile_repeated[at] &= ~unmarked;
        if last_one {
            tile_twice[at] &= ~mask_bit(lost);
        }
    }
}

// A swap by its number: cell i of unit a with cell j of unit b, in one row of their band.
struct Swap {
    a: u32,
    b: u32,
    row: u32,
    i: u32,
    j: u32,
}

fn swap_of(units: Family, starts: Starts, number: u32) -> Swap {
    let cells = units.width * units.width;
    let pair = number / (cells * units.height);
    let a = pair / units.height;
    return Swap(
        a,
        partner(units, starts, a, pair % units.height),
        (starts.row + number / cells % units.height) % units.height,
        number % cells / units.width,
        number % units.width,
    );
}

// Carries out a swap and brings its two units up to date.
fn commit(units: Family, swap: Swap, lane: u32) {
    let row = swap.a / units.height * units.height + swap.row;
    let x_col = swap.a % units.height * units.width + swap.i;
    let y_col = swap.b % units.height * units.width + swap.j;
    let x = tile_get(row, x_col);
    let y = tile_get(row, y_col);
    tile_barrier();
    if lane == 0u {
        tile_swap(row, x_col, y_col);
    }
    tile_barrier();
    lost_repeat(units, swap.a, swap.row * units.width + swap.i, x, y, lane);
    lost_repeat(units, swap.b, swap.row * units.width + swap.j, y, x, lane);
    tile_barrier();
}

// One pass over the illegal units of a family, which are up to date; how many swaps it made. Lanes
// have met before.
fn pass_over(units: Family, key: vec4<u32>, individual: u32, lane: u32, round: u32) -> u32 {
    let words = draw(key, individual, SITE_SEARCH, 2u * round + units.index);
    let starts = Starts(bounded(words.x, units.height - 1u), bounded(words.y, units.height));
    var mine = propose(units, starts, 0u, lane);
    // Every swap mends a repeat, so there are fewer than cells.
    var swaps = 0u;
    for (; swaps < run.size * run.size; swaps++) {
        let found = tile_min(lane, mine);
        if found == NO_SWAP {
            break;
        }
        let done = swap_of(units, starts, found);
        commit(units, done, lane);
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

// Whether a pass may find something in units that are up to date. One with all partners leaves no
// swap behind, and until the other family changes cells there is nothing new.
fn worth_repeating(units: Family) -> bool {
    return breed.partners < units.height - 1u;
}

struct Searched {
    // Which of the two families is not up to date.
    stale: vec2<bool>,
    swaps: u32,
}

// Rounds of column and sub-block passes, until one of them swaps nothing. Lanes have met before and
// meet after.
fn search(key: vec4<u32>, individual: u32, lane: u32) -> Searched {
    var stale = vec2(true);
    var swaps = 0u;
    for (var round = 0u; round < breed.rounds; round++) {
        let before = swaps;
        if breed.column_search != 0u && (stale.x || worth_repeating(family(COLUMNS))) {
            if stale.x {
                refresh(family(COLUMNS), lane, breed.repeats);
                tile_barrier();
            }
            let now = pass_over(family(COLUMNS), key, individual, lane, round);
            stale = vec2(false, stale.y || now > 0u);
            swaps += now;
        }
        let blocks = breed.block_search != 0u && run.block_width > 0u;
        if blocks && (stale.y || worth_repeating(family(BLOCKS))) {
            if stale.y {
                refresh(family(BLOCKS), lane, breed.repeats);
                tile_barrier();
            }
            let now = pass_over(family(BLOCKS), key, individual, lane, round);
            stale = vec2(stale.x || now > 0u, false);
            swaps += now;
        }
        if swaps == before {
            break;
        }
    }
    return Searched(stale, swaps);
}
