#import grids/partners_{mask}
#import grids/working_grid

// A pass of local search by a group of lanes: the loop of src/engine/cpu/grids/search.rs.
//
// The loop over pairs of units is one for all lanes, so that swaps have their order. Inside of it lanes are what there
// is most of: units while they are counted and while partners are looked for, cells of the two units while they swap.
//
//   lane           0      1      2    ...
//   units          u0     u1     u2        what each has once, twice; who could swap with whom
//   a pair (a, b)  k = 0  k = 1  k = 2     cell k of a and of b: may it go?  ballot -> the first that may

// Of columns and sub-blocks: cells that hold a repeated digit and are no givens; cells that are no givens.
var<private> unit_marked: array<Shares, 2>;
var<private> unit_free: array<Shares, 2>;
// The units of either family in which cells have changed since its last pass; the same in all lanes.
var<private> grid_changed: array<Mask, 2>;

fn begin_search(lane: u32) {
    for (var slot = 0u; slot < MASK_WORDS; slot++) { // unroll
        let unit = min(32u * slot + lane, SIZE - 1u);
        unit_free[COLUMNS][slot] = free_positions(COLUMNS, unit);
        unit_free[BLOCKS][slot] = free_positions(BLOCKS, unit);
    }
    grid_changed[COLUMNS] = mask_below(SIZE);
    grid_changed[BLOCKS] = mask_below(SIZE);
}

// Which families are not up to date. Columns are, since most searches end with the sub-blocks.
fn end_search(stale: vec2<bool>, lane: u32) -> vec2<bool> {
    refresh(unit_kind(COLUMNS), stale.x, lane);
    return vec2(false, stale.y);
}

// Counts the units of a family anew, if they are not up to date. Lanes have met before.
fn refresh(units: UnitKind, stale: bool, lane: u32) {
    if !stale {
        return;
    }
    for (var slot = 0u; slot < MASK_WORDS; slot++) { // unroll
        let unit = min(32u * slot + lane, SIZE - 1u);
        let first_row = band_of(units, unit);
        let first_col = (unit - first_row) * units.width;
        var once = Mask();
        var twice = Mask();
        var marked = Mask();
        for (var k = 0u; k < SIZE; k++) { // unroll to 32
            let digit = mask_bit(grid_get(first_row + k / units.width, first_col + k % units.width));
            let again = once & digit;
            marked |= select(Mask(), mask_bit(k), mask_any(again));
            twice |= again;
            once |= digit;
        }
        if breed.repeats != REPEATS_LATER {
            for (var k = 0u; k < SIZE; k++) { // unroll to 32
                let digit = mask_bit(grid_get(first_row + k / units.width, first_col + k % units.width));
                marked |= select(Mask(), mask_bit(k), mask_any(twice & digit));
            }
        }
        // Lanes without a unit have one that nobody can swap with.
        let here = 32u * slot + lane < SIZE;
        unit_once[units.index][slot] = select(mask_below(SIZE), once, here);
        unit_twice[units.index][slot] = select(Mask(), twice, here);
        unit_marked[units.index][slot] = select(Mask(), marked & unit_free[units.index][slot], here);
    }
}

// The first element of a set from `start` on, or else from 0 on; there has to be one.
fn first_cyclic(elements: Mask, start: u32) -> u32 {
    let behind = elements & ~mask_below(start);
    return mask_first(select(elements, behind, mask_any(behind)));
}

// Cell k of a unit has given a repeated digit for one that is new to the unit. Whoever has the unit takes note.
fn exchanged(units: UnitKind, unit: u32, k: u32, lost: u32, gained: u32, still_twice: bool, lane: u32) {
    for (var slot = 0u; slot < MASK_WORDS; slot++) { // unroll
        if 32u * slot + lane == unit {
            unit_once[units.index][slot] |= mask_bit(gained);
            unit_marked[units.index][slot] &= ~mask_bit(k);
            if !still_twice {
                unit_twice[units.index][slot] &= ~mask_bit(lost);
            }
        }
    }
}

// Notes that two cells of a row have changed, for the other family.
fn note_changes(units: UnitKind, row: u32, one: u32, two: u32) {
    if units.index == COLUMNS {
        let blocks = unit_kind(BLOCKS);
        let band = band_of(blocks, row);
        let changed = mask_bit(band + divide(one, blocks.per_width)) | mask_bit(band + divide(two, blocks.per_width));
        grid_changed[BLOCKS] |= changed;
    } else {
        grid_changed[COLUMNS] |= mask_bit(one) | mask_bit(two);
    }
}

// All swaps between two units, in the order of their rows from `first_row` on; how many these were.
fn swap_pair(units: UnitKind, a: u32, b: u32, first_row: u32, lane: u32) -> u32 {
    let from_a = share_same(lane, unit_twice[units.index], a) & ~share_same(lane, unit_once[units.index], b);
    let from_b = share_same(lane, unit_twice[units.index], b) & ~share_same(lane, unit_once[units.index], a);
    var marked_a = share_same(lane, unit_marked[units.index], a);
    var marked_b = share_same(lane, unit_marked[units.index], b);
    if units.width == 1u {
        // Columns have one cell a row.
        marked_a &= marked_b;
        marked_b = marked_a;
    }
    if !(mask_any(from_a) && mask_any(from_b) && mask_any(marked_a) && mask_any(marked_b)) {
        return 0u;
    }
    let band = band_of(units, a);
    let a_col = (a - band) * units.width;
    let b_col = (b - band) * units.width;
    // The digits of this lane's cells, and as flags whether they may go.
    var x: Values;
    var y: Values;
    var x_may = 0u;
    var y_may = 0u;
    for (var slot = 0u; slot < MASK_WORDS; slot++) { // unroll
        let k = 32u * slot + lane;
        let cell = min(k, SIZE - 1u);
        let row = divide(cell, units.per_width);
        let col = cell - row * units.width;
        x[slot] = select(NONE, grid_get(band + row, a_col + col), k < SIZE);
        y[slot] = select(NONE, grid_get(band + row, b_col + col), k < SIZE);
        x_may |= select(0u, 1u << slot, mask_has(marked_a, cell) && mask_has(from_a, x[slot] & 127u) && k < SIZE);
        y_may |= select(0u, 1u << slot, mask_has(marked_b, cell) && mask_has(from_b, y[slot] & 127u) && k < SIZE);
    }
    var swaps = 0u;
    // Every swap mends a repeat, so there are fewer than cells.
    for (; swaps < SIZE; swaps++) {
        // Cells of b that may go, and cells of a in whose row one of them is.
        var to_a = Mask();
        var both = x_may & y_may;
        if units.width > 1u {
            to_a = group_set(lane, y_may);
            both = 0u;
            for (var slot = 0u; slot < MASK_WORDS; slot++) { // unroll
                let start = divide(min(32u * slot + lane, SIZE - 1u), units.per_width) * units.width;
                let meets = mask_slice(to_a, start, units.width) != 0u;
                both |= select(0u, x_may & (1u << slot), meets);
            }
        }
        let open = group_set(lane, both);
        if !mask_any(open) {
            break;
        }
        let i = first_cyclic(open, first_row * units.width);
        let row = divide(i, units.per_width);
        var j = i;
        if units.width > 1u {
            j = row * units.width + firstTrailingBit(mask_slice(to_a, row * units.width, units.width));
        }
        let x_col = a_col + i - row * units.width;
        let y_col = b_col + j - row * units.width;
        let dx = value_same(lane, x, i);
        let dy = value_same(lane, y, j);
        var x_holds = 0u;
        var y_holds = 0u;
        for (var slot = 0u; slot < MASK_WORDS; slot++) { // unroll
            x_holds |= select(0u, 1u << slot, x[slot] == dx);
            y_holds |= select(0u, 1u << slot, y[slot] == dy);
        }
        exchanged(units, a, i, dx, dy, mask_count(group_set(lane, x_holds)) > 2u, lane);
        exchanged(units, b, j, dy, dx, mask_count(group_set(lane, y_holds)) > 2u, lane);
        // Either has now what the other gave. Nothing becomes possible by a swap.
        x_may &= ~x_holds;
        y_may &= ~y_holds;
        for (var slot = 0u; slot < MASK_WORDS; slot++) { // unroll
            x[slot] = select(x[slot], dy, 32u * slot + lane == i);
            y[slot] = select(y[slot], dx, 32u * slot + lane == j);
        }
        if lane == (i & 31u) {
            grid_set(band + row, x_col, dy);
            grid_set(band + row, y_col, dx);
        }
        note_changes(units, band + row, x_col, y_col);
    }
    if swaps > 0u {
        group_barrier();
    }
    return swaps;
}

// The partners of a unit in reach from the first on, numbered within their band; the unit itself may be among them.
fn in_reach(units: UnitKind, starts: Starts, first: u32) -> Mask {
    let itself = units.height - 1u - starts.partner;
    let partners = min(breed.partners, units.height - 1u);
    let end = first + partners + select(0u, 1u, partners > itself);
    let wrapped = max(end, units.height) - units.height;
    return (mask_below(min(end, units.height)) & ~mask_below(first)) | mask_below(wrapped);
}

// One pass over the illegal units of a family, which are up to date; how many swaps it made. Lanes have met before.
//
// Who could swap with whom is found out before anything is swapped; later only less can. Two units are done with each
// other when the first of them has had its turn, unless it has it with some partners only; and until the other family
// changes one of them there is nothing new.
fn pass_over(units: UnitKind, starts: Starts, lane: u32) -> u32 {
    let limited = worth_repeating(units);
    let news = select(grid_changed[units.index], mask_below(SIZE), limited);
    grid_changed[units.index] = Mask();
    var partners: Shares;
    if units.index == COLUMNS {
        partners = column_partners(news, lane);
    } else {
        partners = block_partners(lane);
    }
    var waiting = 0u;
    for (var slot = 0u; slot < MASK_WORDS; slot++) { // unroll
        let unit = 32u * slot + lane;
        let told = select(~mask_below(unit), ~Mask(), limited);
        partners[slot] &= select(news, ~Mask(), mask_has(news, unit)) & told;
        waiting |= select(0u, 1u << slot, unit < SIZE && mask_any(partners[slot]));
    }
    var swaps = 0u;
    var open = group_set(lane, waiting);
    while mask_any(open) {
        let a = mask_first(open);
        open = mask_rest(open);
        let band = band_of(units, a);
        let first = wrap(a - band + 1u + starts.partner, units.height);
        var mine = mask_shift(share_same(lane, partners, a), band) & mask_below(units.height);
        if limited {
            mine &= in_reach(units, starts, first);
        }
        while mask_any(mine) {
            let b = first_cyclic(mine, first);
            mine &= ~mask_bit(b);
            swaps += swap_pair(units, a, band + b, starts.row, lane);
        }
    }
    return swaps;
}
