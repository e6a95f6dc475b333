// A pass of local search by one thread: the loop of src/engine/cpu/shared/search.rs.
//
// The threads of a software adapter are the lanes of its vector units. All of them take every turn of
// a loop that one of them takes, so loops are few and shallow.

// Digits that a unit has three times or more.
var<private> tile_thrice: array<Mask, UNITS>;
// The free cells of each unit.
var<private> tile_free: array<Mask, UNITS>;
// The units of either family in which cells have changed since they were counted.
var<private> tile_changed: array<Mask, 2>;
// The partners of each unit that could swap with it, numbered within their band.
var<private> tile_partners: array<Mask, UNITS / 2u>;

fn begin_search() {
    for (var unit = 0u; unit < run.size; unit++) {
        tile_free[unit] = free_positions(COLUMNS, unit);
        tile_free[run.size + unit] = free_positions(BLOCKS, unit);
        tile_changed[COLUMNS] |= mask_bit(unit);
        tile_changed[BLOCKS] |= mask_bit(unit);
    }
}

// What stands in a unit: the digits once, twice, three times or more, and the cells that are marked as
// repeated.
struct Content {
    once: Mask,
    twice: Mask,
    thrice: Mask,
    repeated: Mask,
}

// The same with cell k and its digit.
fn with_cell(before: Content, k: u32, digit: Mask) -> Content {
    let again = before.once & digit;
    return Content(
        before.once | digit,
        before.twice | again,
        before.thrice | (before.twice & digit),
        before.repeated | select(Mask(), mask_bit(k), mask_any(again)),
    );
}

// The same with a mark for cell k, if its digit is repeated.
fn with_mark(before: Content, k: u32, digit: Mask) -> Content {
    let mark = select(Mask(), mask_bit(k), mask_any(before.twice & digit));
    return Content(before.once, before.twice, before.thrice, before.repeated | mark);
}

fn set_content(units: Family, unit: u32, content: Content) {
    let at = unit_at(units, unit);
    tile_once[at] = content.once;
    tile_twice[at] = content.twice;
    tile_thrice[at] = content.thrice;
    tile_repeated[at] = content.repeated & tile_free[at];
}

// Words have room for cells behind the end of a row.
fn set_column(units: Family, column: u32, content: Content) {
    if column < run.size {
        set_content(units, column, content);
    }
}

fn word_digit(cells: u32, byte: u32) -> Mask {
    return mask_bit(extractBits(cells, 8u * byte, 8u));
}

// Counts the columns that have changed, four at a time: the cells of a word.
fn refresh_columns(units: Family, repeats: u32) {
    for (var word = 0u; word < run.row_words; word++) {
        if mask_slice(tile_changed[COLUMNS], word * 4u, 4u) == 0u {
            continue;
        }
        var a = Content();
        var b = Content();
        var c = Content();
        var d = Content();
        var at = word;
        for (var row = 0u; row < run.size; row++) {
            let cells = tile_cells[at];
            at += run.row_words;
            a = with_cell(a, row, word_digit(cells, 0u));
            b = with_cell(b, row, word_digit(cells, 1u));
            c = with_cell(c, row, word_digit(cells, 2u));
            d = with_cell(d, row, word_digit(cells, 3u));
        }
        if repeats != REPEATS_LATER {
            at = word;
            for (var row = 0u; row < run.size; row++) {
                let cells = tile_cells[at];
                at += run.row_words;
                a = with_mark(a, row, word_digit(cells, 0u));
                b = with_mark(b, row, word_digit(cells, 1u));
                c = with_mark(c, row, word_digit(cells, 2u));
                d = with_mark(d, row, word_digit(cells, 3u));
            }
        }
        set_column(units, word * 4u + 0u, a);
        set_column(units, word * 4u + 1u, b);
        set_column(units, word * 4u + 2u, c);
        set_column(units, word * 4u + 3u, d);
    }
}

// The digit of a byte of a word of cells if its column is one of a sub-block's.
fn block_digit(cells: u32, byte: u32, column: u32, width: u32) -> Mask {
    return select(Mask(), word_digit(cells, byte), column < width);
}

// Counts the sub-blocks that have changed, in words that may begin or end in their neighbours.
fn refresh_blocks(units: Family, repeats: u32) {
    for (var rest = tile_changed[BLOCKS]; mask_any(rest); rest = mask_rest(rest)) {
        let unit = mask_first(rest);
        let first_row = band_of(units, unit);
        let first_col = (unit - first_row) * units.width;
        let end = (first_col + units.width + 3u) >> 2u;
        var content = Content();
        var at = first_row * run.row_words;
        for (var k = 0u; k < run.size; k += units.width) {
            for (var word = first_col >> 2u; word < end; word++) {
                let cells = tile_cells[at + word];
                let col = word * 4u - first_col;
                content = with_cell(content, k + col, block_digit(cells, 0u, col, units.width));
                content = with_cell(content, k + col + 1u, block_digit(cells, 1u, col + 1u, units.width));
                content = with_cell(content, k + col + 2u, block_digit(cells, 2u, col + 2u, units.width));
                content = with_cell(content, k + col + 3u, block_digit(cells, 3u, col + 3u, units.width));
            }
            at += run.row_words;
        }
        if repeats != REPEATS_LATER && mask_any(content.twice) {
            at = first_row * run.row_words;
            for (var k = 0u; k < run.size; k += units.width) {
                for (var word = first_col >> 2u; word < end; word++) {
                    let cells = tile_cells[at + word];
                    let col = word * 4u - first_col;
                    content = with_mark(content, k + col, block_digit(cells, 0u, col, units.width));
                    content = with_mark(content, k + col + 1u, block_digit(cells, 1u, col + 1u, units.width));
                    content = with_mark(content, k + col + 2u, block_digit(cells, 2u, col + 2u, units.width));
                    content = with_mark(content, k + col + 3u, block_digit(cells, 3u, col + 3u, units.width));
                }
                at += run.row_words;
            }
        }
        set_content(units, unit, content);
    }
}

// Counts all units of a family.
fn refresh(units: Family, lane: u32, repeats: u32) {
    if units.index == COLUMNS {
        refresh_columns(units, repeats);
    } else {
        refresh_blocks(units, repeats);
    }
}

// Finds out who could swap with whom before anything is swapped; later only less can. Returns the
// units that have a partner. Two units are done with each other when the first of them has had its
// turn, unless it has it with some partners only; and until the other family changes one of them
// there is nothing new.
fn find_partners(units: Family) -> Mask {
    let limited = worth_repeating(units);
    let changed = tile_changed[units.index];
    tile_changed[units.index] = Mask();
    var open = Mask();
    var band = 0u;
    for (var a = 0u; a < run.size; a++) {
        if a == band + units.height {
            band = a;
        }
        let at = unit_at(units, a);
        let once = tile_once[at];
        let twice = tile_twice[at];
        let repeated = tile_repeated[at];
        var partners = Mask();
        if mask_any(repeated) {
            let end = band + units.height;
            for (var b = select(a + 1u, band, limited); b < end; b++) {
                let other = unit_at(units, b);
                let gives = mask_any(twice & ~tile_once[other]);
                let gets = mask_any(tile_twice[other] & ~once);
                let meets = units.width > 1u || mask_any(repeated & tile_repeated[other]);
                let news = limited || mask_any(changed & (mask_bit(a) | mask_bit(b)));
                let can = gives && gets && meets && news;
                partners |= select(Mask(), mask_bit(b - band), can);
            }
        }
        tile_partners[a] = partners;
        open |= select(Mask(), mask_bit(a), mask_any(partners));
    }
    return open;
}

// 1 if cell k of a unit, counted from its first row and column, holds a digit.
fn holds(units: Family, first_row: u32, first_col: u32, k: u32, digit: u32) -> u32 {
    let row = divide(k, units.per_width);
    let held = tile_get(first_row + row, first_col + k - row * units.width);
    return select(0u, 1u, k < run.size && held == digit);
}

// How many cells of a unit hold a digit.
fn holders(units: Family, unit: u32, digit: u32) -> u32 {
    let row = band_of(units, unit);
    let col = (unit - row) * units.width;
    var found = 0u;
    for (var k = 0u; k < run.size; k += 4u) {
        found += holds(units, row, col, k, digit) + holds(units, row, col, k + 1u, digit)
            + holds(units, row, col, k + 2u, digit) + holds(units, row, col, k + 3u, digit);
    }
    return found;
}

// A cell of a unit had a repeated digit and has one now that is new to the unit: brings the digits of
// the unit up to date. Marks may stay: they count only for digits that the unit has twice.
fn lost_repeat(units: Family, unit: u32, lost: u32, gained: u32) {
    let at = unit_at(units, unit);
    tile_once[at] |= mask_bit(gained);
    if mask_any(tile_thrice[at] & mask_bit(lost)) {
        if holders(units, unit, lost) == 2u {
            tile_thrice[at] &= ~mask_bit(lost);
        }
    } else {
        tile_twice[at] &= ~mask_bit(lost);
    }
}

// Which of the four cells of a row from a column on have one of these digits, as bits.
fn fitting(row: u32, col: u32, digits: Mask) -> u32 {
    let at = row * run.row_words + (col >> 2u);
    let cells = unaligned(tile_cells[at], tile_cells[at + 1u], col);
    return select(0u, 1u, mask_any(digits & word_digit(cells, 0u)))
        | select(0u, 2u, mask_any(digits & word_digit(cells, 1u)))
        | select(0u, 4u, mask_any(digits & word_digit(cells, 2u)))
        | select(0u, 8u, mask_any(digits & word_digit(cells, 3u)));
}

// The first marked cell of a row with one of these digits, counted from `first_col`; NO_SWAP if
// there is none.
fn may_go(units: Family, row: u32, first_col: u32, marked: u32, digits: Mask) -> u32 {
    if units.width == 1u {
        let fits = mask_any(digits & mask_bit(tile_get(row, first_col)));
        return select(NO_SWAP, 0u, fits);
    }
    var fit = fitting(row, first_col, digits) & marked;
    // Most sub-blocks are not wider than this.
    for (var first = 4u; marked >> first != 0u; first += 4u) {
        fit |= (fitting(row, first_col + first, digits) << first) & marked;
    }
    return firstTrailingBit(fit);
}

// Carries out a swap and brings its two units up to date.
fn commit(units: Family, first_row: u32, swap: Swap) {
    let band = band_of(units, swap.a);
    let row = band + wrap(first_row + swap.m, units.height);
    let x_col = (swap.a - band) * units.width + swap.i;
    let y_col = (swap.b - band) * units.width + swap.j;
    let x = tile_get(row, x_col);
    let y = tile_get(row, y_col);
    tile_set(row, x_col, y);
    tile_set(row, y_col, x);
    lost_repeat(units, swap.a, x, y);
    lost_repeat(units, swap.b, y, x);
    if units.index == COLUMNS {
        let blocks = family(BLOCKS);
        let first = band_of(blocks, row);
        tile_changed[BLOCKS] |= mask_bit(first + divide(x_col, blocks.per_width));
        tile_changed[BLOCKS] |= mask_bit(first + divide(y_col, blocks.per_width));
    } else {
        tile_changed[COLUMNS] |= mask_bit(x_col) | mask_bit(y_col);
    }
}

// Two units, the digits that either could give to the other, and their marks.
struct Pair {
    a: u32,
    b: u32,
    from_a: Mask,
    from_b: Mask,
    repeated_a: Mask,
    repeated_b: Mask,
}

fn pair_of(units: Family, a: u32, b: u32) -> Pair {
    let one = unit_at(units, a);
    let two = unit_at(units, b);
    return Pair(
        a,
        b,
        tile_twice[one] & ~tile_once[two],
        tile_twice[two] & ~tile_once[one],
        tile_repeated[one],
        tile_repeated[two],
    );
}

// The swap of two units in the m-th row of their band, if it is possible: i is NO_SWAP if not. Whether
// a cell may go does not depend on the other, so it is made of the first cell of either.
fn swap_in_row(units: Family, first_row: u32, pair: Pair, m: u32) -> Swap {
    let band = band_of(units, pair.a);
    let row = wrap(first_row + m, units.height);
    let left = mask_slice(pair.repeated_a, row * units.width, units.width);
    let right = mask_slice(pair.repeated_b, row * units.width, units.width);
    let i = may_go(units, band + row, (pair.a - band) * units.width, left, pair.from_a);
    let j = may_go(units, band + row, (pair.b - band) * units.width, right, pair.from_b);
    return Swap(pair.a, pair.b, m, select(i, NO_SWAP, j == NO_SWAP), j);
}

// One pass over the illegal units of a family, which are up to date; how many swaps it made.
fn pass_over(units: Family, starts: Starts, lane: u32) -> u32 {
    var open = find_partners(units);
    // Partners in reach, counted from the first; the unit itself may be among them.
    let itself = units.height - 1u - starts.partner;
    let partners = min(breed.partners, units.height - 1u);
    let reach = partners + select(0u, 1u, partners > itself);
    var a = 0u;
    var first = 0u;
    var mine = Mask();
    var k = units.height;
    var m = 0u;
    // Every swap mends a repeat, so there are fewer than cells.
    var swaps = 0u;
    for (; swaps < run.size * run.size; swaps++) {
        // All threads look for their next swap before any carries it out: a row of two units a turn.
        var found = Swap(0u, 0u, 0u, NO_SWAP, 0u);
        while found.i == NO_SWAP && (k < reach || mask_any(open)) {
            if k >= reach {
                a = mask_first(open);
                open = mask_rest(open);
                mine = tile_partners[a];
                first = wrap(a - band_of(units, a) + 1u + starts.partner, units.height);
                k = next_cyclic(mine, units.height, first, 0u);
                m = 0u;
            }
            if k < reach {
                let pair = pair_of(units, a, band_of(units, a) + wrap(first + k, units.height));
                let both = pair.repeated_a & pair.repeated_b;
                m = next_row(units, both, starts.row, m);
                if m < units.height && mask_any(pair.from_a) && mask_any(pair.from_b) {
                    found = swap_in_row(units, starts.row, pair, m);
                    m += select(0u, 1u, found.i == NO_SWAP);
                } else {
                    k = next_cyclic(mine, units.height, first, k + 1u);
                    m = 0u;
                }
            }
        }
        if found.i == NO_SWAP {
            break;
        }
        commit(units, starts.row, found);
    }
    return swaps;
}
