#import grids/working_grid

// Who could swap with whom, for N up to 32: a lane for each unit, a bit for each partner.

// The sub-blocks of a band of which either has a repeated digit that the other lacks.
fn block_partners(lane: u32) -> Shares {
    let once = unit_once[BLOCKS];
    let twice = unit_twice[BLOCKS];
    let band = band_of(unit_kind(BLOCKS), min(lane, SIZE - 1u));
    var found = Mask();
    for (var i = 0u; i < BLOCK_HEIGHT; i++) { // unroll
        let gives = twice[0] & ~share_look(lane, once, band + i);
        let gets = share_look(lane, twice, band + i) & ~once[0];
        found |= select(0u, 1u << (band + i), min(gives, gets) != 0u);
    }
    return Shares(found);
}

// Lanes exchange the halves of their words that a step tells apart.
fn exchange_halves(word: u32, step: u32, low: u32, lane: u32) -> u32 {
    let other = group_look_xor(lane, word, step);
    let upper = (word & ~low) | ((other & ~low) >> step);
    let lower = (word & low) | ((other & low) << step);
    return select(lower, upper, (lane & step) != 0u);
}

// Bit i of lane k becomes bit k of lane i.
fn transposed(word: u32, lane: u32) -> u32 {
    var turned = word;
    if SIZE > 16u {
        turned = exchange_halves(turned, 16u, 0x0000ffffu, lane);
    }
    turned = exchange_halves(turned, 8u, 0x00ff00ffu, lane);
    turned = exchange_halves(turned, 4u, 0x0f0f0f0fu, lane);
    turned = exchange_halves(turned, 2u, 0x33333333u, lane);
    return exchange_halves(turned, 1u, 0x55555555u, lane);
}

// The columns that lack a digit.
var<workgroup> columns_lacking: array<u32, LANES>;

// The columns that may be able to swap with each other, if one of them is among these: row by row, because a column has
// one cell in a row. Both can give, each in some row. That it is the same row is seen when they try: this costs less than
// to turn the bits for every row.
fn column_partners(news: Mask, lane: u32) -> Shares {
    let at = min(lane, SIZE - 1u) >> 2u;
    let itself = 1u << lane;
    // Who is still at work on the last pass has met the others when this one writes.
    let lacking = transposed(~unit_once[COLUMNS][0], lane);
    group_barrier();
    columns_lacking[lane] = lacking;
    group_barrier();
    // Lane r: the columns whose cell in row r may go. It takes two of them, one with news.
    let marked = transposed(unit_marked[COLUMNS][0], lane);
    var rows = group_ballot(lane, (marked & (marked - 1u)) != 0u && (marked & news) != 0u);
    var found = 0u;
    while rows != 0u {
        let row = firstTrailingBit(rows);
        rows &= rows - 1u;
        let all = group_same(lane, marked, row);
        let takers = columns_lacking[byte_at(grid_cells[row * ROW_WORDS + at], lane)];
        found |= select(0u, takers & all, (all & itself) != 0u);
    }
    return Shares(found & transposed(found, lane));
}
