#import grids/working_grid

// Who could swap with whom, for N beyond 32.

// Whether either of two units has a repeated digit that the other lacks.
fn can_exchange(once: Mask, twice: Mask, other_once: Mask, other_twice: Mask) -> bool {
    return mask_any(twice & ~other_once) && mask_any(other_twice & ~once);
}

// The sub-blocks of a band that can exchange digits.
fn block_partners(lane: u32) -> Shares {
    let blocks = unit_kind(BLOCKS);
    var partners: Shares;
    for (var slot = 0u; slot < MASK_WORDS; slot++) { // unroll
        let band = band_of(blocks, min(32u * slot + lane, SIZE - 1u));
        let once = unit_once[BLOCKS][slot];
        let twice = unit_twice[BLOCKS][slot];
        for (var i = 0u; i < BLOCK_HEIGHT; i++) {
            let other_once = share_look(lane, unit_once[BLOCKS], band + i);
            let other_twice = share_look(lane, unit_twice[BLOCKS], band + i);
            let can = can_exchange(once, twice, other_once, other_twice);
            partners[slot] |= select(Mask(), mask_bit(band + i), can);
        }
    }
    return partners;
}

// The columns that can exchange digits and have marks in the same row. Not all of them can swap: that a pair of rows
// fits is seen when they try.
fn column_partners(news: Mask, lane: u32) -> Shares {
    var partners: Shares;
    for (var other = 0u; other < SIZE; other++) {
        let once = share_same(lane, unit_once[COLUMNS], other);
        let twice = share_same(lane, unit_twice[COLUMNS], other);
        let marked = share_same(lane, unit_marked[COLUMNS], other);
        for (var slot = 0u; slot < MASK_WORDS; slot++) { // unroll
            let can = can_exchange(unit_once[COLUMNS][slot], unit_twice[COLUMNS][slot], once, twice)
                && mask_any(unit_marked[COLUMNS][slot] & marked);
            partners[slot] |= select(Mask(), mask_bit(other), can);
        }
    }
    return partners;
}
