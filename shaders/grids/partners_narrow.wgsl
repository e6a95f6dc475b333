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

// The columns that can swap with each other, for sure, if one of them is among these: row by row, because a column has
// one cell in a row.
fn column_partners(news: Mask, lane: u32) -> Shares {
    let col = min(lane, SIZE - 1u);
    // Lane d: the columns that lack digit d.
    let lacking = transposed(~unit_once[COLUMNS][0], lane);
    // Lane r: the columns whose cell in row r may go. It takes two of them, one with news.
    let marked = transposed(unit_marked[COLUMNS][0], lane);
    var rows = group_ballot(lane, (marked & (marked - 1u)) != 0u && (marked & news) != 0u);
    var found = 0u;
    while rows != 0u {
        let row = firstTrailingBit(rows);
        rows &= rows - 1u;
        let all = group_same(lane, marked, row);
        let takers = group_look(lane, lacking, grid_get(row, col));
        let gives = select(0u, takers & all, extractBits(all, lane, 1u) != 0u);
        found |= gives & transposed(gives, lane);
    }
    return Shares(found);
}
