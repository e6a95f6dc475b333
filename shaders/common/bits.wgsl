// Set bits of a word.

// The bit that has `rank` set bits below it; there has to be one.
fn select_bit(bits: u32, rank: u32) -> u32 {
    var at = 0u;
    var rest = rank;
    // By halves: 16 bits, 8, 4, 2, 1.
    for (var step = 0u; step < 5u; step++) { // unroll
        const width = 16u >> step;
        let below = countOneBits(extractBits(bits, at, width));
        let is_beyond = rest >= below;
        at += select(0u, width, is_beyond);
        rest -= select(0u, below, is_beyond);
    }
    return at;
}
