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

// The byte at a place of a word, counted modulo 4. By shifts: the bounds of a field of bits would be checked where its
// place is not a constant.
fn byte_at(word: u32, place: u32) -> u32 {
    return (word >> ((place & 3u) * 8u)) & 255u;
}

// The word with another byte there.
fn with_byte(word: u32, place: u32, byte: u32) -> u32 {
    let shift = (place & 3u) * 8u;
    return (word & ~(255u << shift)) | (byte << shift);
}
