#import grids/working_grid

// A pass of local search by one thread: the loop of src/engine/cpu/grids/search.rs.
//
// The threads of a software adapter are the lanes of its vector units. All of them take every turn of
// a loop that one of them takes, and each takes a turn of its own wherever the place in an array is not
// a constant. So sets of units are kept by units, sets of cells by the bits of their digits, loops over
// them are unrolled, and what is left is one turn for each pair of units that might swap.

// For each bit of a digit the rows of a column whose digits have it, and the free rows.
var<private> column_bits: array<array<Mask, SIZE>, DIGIT_BITS>;
var<private> column_free: array<Mask, SIZE>;
// The units of either family in which cells have changed since its last pass.
var<private> grid_changed: array<Mask, 2>;

// What was known of either family when its last pass was over, in terms of those below.
var<private> kept_once: array<array<Mask, SIZE>, 2>;
var<private> kept_twice: array<array<Mask, SIZE>, 2>;
var<private> kept_marked: array<array<Mask, SIZE>, 2>;

// The units of the family under search, as they were before its pass: for each bit of a digit the cells
// whose digits have it. The cells of a sub-block are counted column by column.
var<private> unit_bits: array<array<Mask, SIZE>, DIGIT_BITS>;
// The partners that could swap with them, numbered within their band.
var<private> unit_partners: array<Mask, SIZE>;
// As they are now: digits that they have, and have repeatedly; cells that are marked as repeated, and
// cells that have changed.
var<private> unit_once: array<Mask, SIZE>;
var<private> unit_twice: array<Mask, SIZE>;
var<private> unit_marked: array<Mask, SIZE>;
var<private> unit_moved: array<Mask, SIZE>;

alias Digits = array<Mask, DIGIT_BITS>;

// The set of one unit: a tree that each bit of its number halves.
fn set_of(sets: array<Mask, SIZE>, unit: u32) -> Mask {
    var left: array<Mask, HALF>;
    for (var i = 0u; i < HALF; i++) { // unroll
        left[i] = select(sets[2u * i], sets[min(2u * i + 1u, SIZE - 1u)], (unit & 1u) != 0u);
    }
    for (var i = 0u; i < QUARTER; i++) { // unroll
        left[i] = select(left[2u * i], left[min(2u * i + 1u, HALF - 1u)], (unit & 2u) != 0u);
    }
    for (var i = 0u; i < EIGHTH; i++) { // unroll
        left[i] = select(left[2u * i], left[min(2u * i + 1u, QUARTER - 1u)], (unit & 4u) != 0u);
    }
    for (var i = 0u; i < SIXTEENTH; i++) { // unroll
        left[i] = select(left[2u * i], left[min(2u * i + 1u, EIGHTH - 1u)], (unit & 8u) != 0u);
    }
    return select(left[0], left[SIXTEENTH - 1u], (unit & 16u) != 0u);
}

fn digits_of(unit: u32) -> Digits {
    var digits: Digits;
    for (var bit = 0u; bit < DIGIT_BITS; bit++) { // unroll
        digits[bit] = set_of(unit_bits[bit], unit);
    }
    return digits;
}

// All ones if the i-th bit is set.
fn spread(bits: u32, i: u32) -> Mask {
    return 0u - extractBits(bits, i, 1u);
}

// The cells that hold a digit.
fn holding(digits: Digits, digit: u32) -> Mask {
    var cells = EVERY;
    for (var bit = 0u; bit < DIGIT_BITS; bit++) { // unroll
        cells &= digits[DIGIT_BITS - 1u - bit] ^ ~spread(digit, DIGIT_BITS - 1u - bit);
    }
    return cells;
}

const EVERY = 0xffffffffu >> (32u - SIZE);

fn begin_search(lane: u32) {
    for (var col = 0u; col < SIZE; col++) { // unroll
        column_free[col] = free_positions(COLUMNS, col);
        for (var bit = 0u; bit < DIGIT_BITS; bit++) { // unroll
            column_bits[bit][col] = 0u;
        }
    }
    for (var row = 0u; row < SIZE; row++) {
        for (var col = 0u; col < SIZE; col++) { // unroll
            let digit = grid_get(row, col);
            for (var bit = 0u; bit < DIGIT_BITS; bit++) { // unroll
                column_bits[bit][col] |= extractBits(digit, bit, 1u) << row;
            }
        }
    }
    grid_changed[COLUMNS] = EVERY;
    grid_changed[BLOCKS] = EVERY;
}

// The cells of a sub-block of which its columns have these rows.
fn block_cells(units: UnitKind, rows: array<Mask, SIZE>, unit: u32) -> Mask {
    let band = band_of(units, unit);
    var cells = Mask();
    for (var i = 0u; i < BLOCK_WIDTH; i++) { // unroll
        let col = (unit - band) * BLOCK_WIDTH + i;
        cells |= extractBits(rows[col], band, units.height) << (i * units.height);
    }
    return cells;
}

// Takes a family up, and counts those of its units that have changed.
fn refresh(units: UnitKind, stale: bool, lane: u32) {
    var free: array<Mask, SIZE>;
    for (var unit = 0u; unit < SIZE; unit++) { // unroll
        for (var bit = 0u; bit < DIGIT_BITS; bit++) { // unroll
            unit_bits[bit][unit] = column_bits[bit][unit];
            if units.index == BLOCKS {
                unit_bits[bit][unit] = block_cells(units, column_bits[bit], unit);
            }
        }
        free[unit] = column_free[unit];
        if units.index == BLOCKS {
            free[unit] = block_cells(units, column_free, unit);
        }
        unit_once[unit] = kept_once[units.index][unit];
        unit_twice[unit] = kept_twice[units.index][unit];
        unit_marked[unit] = kept_marked[units.index][unit];
        unit_moved[unit] = 0u;
    }
    for (var rest = grid_changed[units.index]; rest != 0u; rest = mask_rest(rest)) {
        let unit = mask_first(rest);
        let digits = digits_of(unit);
        var once = Mask();
        var twice = Mask();
        var marked = Mask();
        for (var digit = 0u; digit < SIZE; digit++) { // unroll
            let cells = holding(digits, digit);
            let others = cells & (cells - 1u);
            once |= select(0u, mask_bit(digit), cells != 0u);
            twice |= select(0u, mask_bit(digit), others != 0u);
            marked |= select(0u, cells, others != 0u);
        }
        if breed.repeats == REPEATS_LATER {
            for (var more = twice; more != 0u; more = mask_rest(more)) {
                let cells = holding(digits, mask_first(more));
                marked &= ~mask_bit(first_in_row(units, cells, mask_first(rows_of(units, cells))));
            }
        }
        for (var i = 0u; i < SIZE; i++) { // unroll
            unit_once[i] = select(unit_once[i], once, unit == i);
            unit_twice[i] = select(unit_twice[i], twice, unit == i);
            unit_marked[i] = select(unit_marked[i], free[i] & marked, unit == i);
        }
    }
}

// The rows in which a unit has one of these cells.
fn rows_of(units: UnitKind, cells: Mask) -> Mask {
    var rows = cells;
    for (var i = 1u; i < units.width; i++) {
        rows |= cells >> (i * units.height);
    }
    return extractBits(rows, 0u, units.height);
}

// The first of some cells in a row.
fn first_in_row(units: UnitKind, cells: Mask, row: u32) -> u32 {
    var starts = Mask();
    for (var i = 0u; i < units.width; i++) {
        starts |= mask_bit(i * units.height);
    }
    return mask_first(cells & (starts << row));
}

// The columns, if they are few, of which either has a repeated digit that the other lacks, and a mark in the
// same row.
fn few_column_partners() {
    for (var a = 0u; a < SMALL_SIZE; a++) { // unroll
        unit_partners[a] = 0u;
        for (var b = 0u; b < SIZE; b++) { // unroll
            let gives = unit_twice[a] & ~unit_once[b];
            let gets = unit_twice[b] & ~unit_once[a];
            let can = min(min(gives, gets), unit_marked[a] & unit_marked[b]);
            unit_partners[a] |= select(0u, mask_bit(b), can != 0u);
        }
    }
}

// The columns that can swap with one of these, for sure: a column has one cell in a row.
fn column_partners(looked_at: Mask) {
    var illegal = Mask();
    for (var i = 0u; i < SIZE; i++) { // unroll
        unit_partners[i] = 0u;
        illegal |= select(0u, mask_bit(i), unit_twice[i] != 0u);
    }
    for (var columns = looked_at & illegal; columns != 0u; columns = mask_rest(columns)) {
        let a = mask_first(columns);
        // The rows in which it may give its digit to another, and those in which it may get the other's.
        var gives = array<Mask, SIZE>();
        var gets = array<Mask, SIZE>();
        let digits = digits_of(a);
        let marked = set_of(unit_marked, a);
        for (var rest = set_of(unit_twice, a); rest != 0u; rest = mask_rest(rest)) {
            let digit = mask_first(rest);
            let rows = holding(digits, digit) & marked;
            for (var b = 0u; b < SIZE; b++) { // unroll
                gives[b] |= select(rows, 0u, (unit_once[b] & mask_bit(digit)) != 0u);
            }
        }
        for (var rest = EVERY & ~set_of(unit_once, a); rest != 0u; rest = mask_rest(rest)) {
            let digit = mask_first(rest);
            for (var b = 0u; b < SIZE; b++) { // unroll
                var rows = unit_marked[b];
                for (var bit = 0u; bit < DIGIT_BITS; bit++) { // unroll
                    rows &= unit_bits[bit][b] ^ ~spread(digit, bit);
                }
                gets[b] |= rows;
            }
        }
        var partners = Mask();
        for (var b = 0u; b < SIZE; b++) { // unroll
            let can = (gives[b] & gets[b]) != 0u;
            partners |= select(0u, mask_bit(b), can);
            unit_partners[b] |= select(0u, mask_bit(a), can);
        }
        for (var i = 0u; i < SIZE; i++) { // unroll
            unit_partners[i] |= select(0u, partners, i == a);
        }
    }
}

// The sub-blocks of a band of which either has a repeated digit that the other lacks.
fn block_partners() {
    for (var band = 0u; band < BLOCK_WIDTH; band++) { // unroll
        for (var i = 0u; i < BLOCK_HEIGHT; i++) { // unroll
            const a = band * BLOCK_HEIGHT + i;
            unit_partners[a] = 0u;
            for (var j = 0u; j < BLOCK_HEIGHT; j++) { // unroll
                const b = band * BLOCK_HEIGHT + j;
                let gives = (unit_twice[a] & ~unit_once[b]) != 0u;
                let gets = (unit_twice[b] & ~unit_once[a]) != 0u;
                unit_partners[a] |= select(0u, mask_bit(b), gives && gets);
            }
        }
    }
}

// Finds out who could swap with whom before anything is swapped; later only less can. Returns the
// units that have a partner. Two units are done with each other when the first of them has had its
// turn, unless it has it with some partners only; and until the other family changes one of them
// there is nothing new.
fn find_partners(units: UnitKind) -> Mask {
    let limited = worth_repeating(units);
    let changed = grid_changed[units.index];
    grid_changed[units.index] = Mask();
    if units.index == BLOCKS {
        block_partners();
    } else {
        few_column_partners();
        if SMALL_SIZE == 0u {
            column_partners(select(changed, EVERY, limited));
        }
    }
    var open = Mask();
    for (var a = 0u; a < SIZE; a++) { // unroll
        let news = limited || (changed & mask_bit(a)) != 0u;
        let told = select(~(mask_bit(a) - 1u), EVERY, limited);
        let partners = unit_partners[a] & select(changed, EVERY, news) & told;
        open |= select(0u, mask_bit(a), partners != 0u);
        unit_partners[a] = extractBits(partners, band_of(units, a), units.height);
    }
    return open;
}

// Carries out a swap of cells i and j of units a and b, and brings them up to date. Returns the cells of
// either that held what it gave.
fn commit(units: UnitKind, row: u32, a: u32, i: u32, b: u32, j: u32) -> vec2<Mask> {
    let band = band_of(units, a);
    let x_col = (a - band) * units.width + divide(i, units.per_height);
    let y_col = (b - band) * units.width + divide(j, units.per_height);
    let x = grid_get(band + row, x_col);
    let y = grid_get(band + row, y_col);
    grid_set(band + row, x_col, y);
    grid_set(band + row, y_col, x);
    // Either has the other's digit now, and its own no longer twice if only one more cell holds it.
    let x_held = holding(digits_of(a), x);
    let y_held = holding(digits_of(b), y);
    let x_left = x_held & ~set_of(unit_moved, a) & ~mask_bit(i);
    let y_left = y_held & ~set_of(unit_moved, b) & ~mask_bit(j);
    let x_once = select(0u, mask_bit(x), (x_left & (x_left - 1u)) == 0u);
    let y_once = select(0u, mask_bit(y), (y_left & (y_left - 1u)) == 0u);
    for (var unit = 0u; unit < SIZE; unit++) { // unroll
        unit_once[unit] |= select(0u, mask_bit(y), unit == a) | select(0u, mask_bit(x), unit == b);
        unit_twice[unit] &= ~(select(0u, x_once, unit == a) | select(0u, y_once, unit == b));
        let moved = select(0u, mask_bit(i), unit == a) | select(0u, mask_bit(j), unit == b);
        unit_moved[unit] |= moved;
        unit_marked[unit] &= ~moved;
    }
    for (var col = 0u; col < SIZE; col++) { // unroll
        let changed = select(0u, x ^ y, col == x_col || col == y_col);
        for (var bit = 0u; bit < DIGIT_BITS; bit++) { // unroll
            column_bits[bit][col] ^= extractBits(changed, bit, 1u) << (band + row);
        }
    }
    if units.index == COLUMNS {
        let blocks = unit_kind(BLOCKS);
        let first = band_of(blocks, row);
        grid_changed[BLOCKS] |= mask_bit(first + divide(x_col, blocks.per_width));
        grid_changed[BLOCKS] |= mask_bit(first + divide(y_col, blocks.per_width));
    } else {
        grid_changed[COLUMNS] |= mask_bit(x_col) | mask_bit(y_col);
    }
    return vec2(x_held, y_held);
}

// Bit by bit the second where a condition holds, otherwise the first.
fn either(no: Mask, yes: Mask, condition: Mask) -> Mask {
    return (no & ~condition) | (yes & condition);
}

// The marked cells of a unit that hold one of these digits: a tree that each bit of theirs halves.
fn may_go(unit: u32, digits: Mask) -> Mask {
    let held = digits_of(unit);
    var left: array<Mask, HALF>;
    for (var i = 0u; i < HALF; i++) { // unroll
        left[i] = either(spread(digits, 2u * i), spread(digits, 2u * i + 1u), held[0]);
    }
    for (var i = 0u; i < QUARTER; i++) { // unroll
        left[i] = either(left[2u * i], left[min(2u * i + 1u, HALF - 1u)], held[min(1u, DIGIT_BITS - 1u)]);
    }
    for (var i = 0u; i < EIGHTH; i++) { // unroll
        left[i] = either(left[2u * i], left[min(2u * i + 1u, QUARTER - 1u)], held[min(2u, DIGIT_BITS - 1u)]);
    }
    for (var i = 0u; i < SIXTEENTH; i++) { // unroll
        left[i] = either(left[2u * i], left[min(2u * i + 1u, EIGHTH - 1u)], held[min(3u, DIGIT_BITS - 1u)]);
    }
    let cells = either(left[0], left[SIXTEENTH - 1u], held[DIGIT_BITS - 1u]);
    return cells & set_of(unit_marked, unit);
}

// One pass over the illegal units of a family, which are up to date; how many swaps it made.
fn pass_over(units: UnitKind, starts: Starts, lane: u32) -> u32 {
    var open = find_partners(units);
    // Partners in reach, counted from the first; the unit itself may be among them.
    let itself = units.height - 1u - starts.partner;
    let partners = min(breed.partners, units.height - 1u);
    let reach = partners + select(0u, 1u, partners > itself);
    let in_reach = extractBits(0xffffffffu, 0u, reach);
    var a = 0u;
    var band = 0u;
    var first = 0u;
    var mine = Mask();
    var b = 0u;
    // The cells that either could give to the other, and the rows in which both have some.
    var from_a = Mask();
    var from_b = Mask();
    var rows = Mask();
    // Every swap mends a repeat, so there are fewer than cells.
    var swaps = 0u;
    for (; swaps < SIZE * SIZE; swaps++) {
        // All threads look for their next swap before any carries it out: two units a turn.
        while rows == 0u && (mine | open) != 0u {
            if mine == 0u {
                a = mask_first(open);
                open = mask_rest(open);
                band = band_of(units, a);
                first = wrap(a - band + 1u + starts.partner, units.height);
                let all = set_of(unit_partners, a);
                mine = ((all >> first) | (all << (units.height - first))) & in_reach;
            }
            b = band + wrap(first + mask_first(mine), units.height);
            from_a = may_go(a, set_of(unit_twice, a) & ~set_of(unit_once, b));
            from_b = may_go(b, set_of(unit_twice, b) & ~set_of(unit_once, a));
            rows = select(0u, rows_of(units, from_a) & rows_of(units, from_b), mine != 0u);
            mine &= mine - select(0u, 1u, mine != 0u);
        }
        if rows == 0u {
            break;
        }
        let behind = rows & (0xffffffffu << starts.row);
        let row = mask_first(select(rows, behind, behind != 0u));
        let i = first_in_row(units, from_a, row);
        let j = first_in_row(units, from_b, row);
        let given = commit(units, row, a, i, b, j);
        // Either has now what the other gave. Nothing becomes possible by a swap.
        from_a &= ~given.x;
        from_b &= ~given.y;
        rows = rows_of(units, from_a) & rows_of(units, from_b);
    }
    keep(units);
    return swaps;
}

// Keeps what is known of a family while the other is under search.
fn keep(units: UnitKind) {
    var illegal = Mask();
    for (var unit = 0u; unit < SIZE; unit++) { // unroll
        illegal |= select(0u, mask_bit(unit), unit_twice[unit] != 0u);
        kept_once[units.index][unit] = unit_once[unit];
        kept_twice[units.index][unit] = unit_twice[unit];
        kept_marked[units.index][unit] = unit_marked[unit];
    }
    grid_illegal[units.index] = illegal;
}

// Which families are not up to date. Columns are, since most searches end with the sub-blocks: to count the
// few that have changed takes less than to count all for the fitness.
fn end_search(stale: vec2<bool>, lane: u32) -> vec2<bool> {
    if stale.x {
        let columns = unit_kind(COLUMNS);
        refresh(columns, true, 0u);
        keep(columns);
    }
    return vec2(false, stale.y);
}
