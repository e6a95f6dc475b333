// Set bits of a word.

// The bit that has `rank` set bits below it; there has to be one.
fn select_bit(bits: u32, rank: u32) -> u32 {
    var rest = bits;
    for (var step = 0u; step < rank; step++) {
        rest &= rest - 1u;
    }
    return firstTrailingBit(rest);
}
