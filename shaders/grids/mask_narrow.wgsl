#import common/bits
#import common/puzzle

// Sets of digits, or of cells of a unit, for N up to 32.

fn mask_bit(i: u32) -> Mask {
    return 1u << i;
}

// The element that stands in a byte of a word.
fn mask_bit_of(packed: u32, byte: u32) -> Mask {
    return mask_bit(extractBits(packed, 8u * byte, 8u));
}

// 1 if an element is in the set, otherwise 0.
fn mask_bit_at(m: Mask, i: u32) -> u32 {
    return (m >> (i & 31u)) & 1u;
}

fn mask_any(m: Mask) -> bool {
    return m != 0u;
}

fn mask_count(m: Mask) -> u32 {
    return countOneBits(m);
}

// The smallest element; there has to be one.
fn mask_first(m: Mask) -> u32 {
    return firstTrailingBit(m);
}

// All elements but the smallest.
fn mask_rest(m: Mask) -> Mask {
    return m & (m - 1u);
}

// The number of elements below `i`.
fn mask_rank(m: Mask, i: u32) -> u32 {
    return countOneBits(m & ~(0xffffffffu << i));
}

// The element that has `rank` smaller ones; there has to be one.
fn mask_select(m: Mask, rank: u32) -> u32 {
    return select_bit(m, rank);
}

// Elements start ... start + width - 1, moved down to 0.
fn mask_slice(m: Mask, start: u32, width: u32) -> u32 {
    return extractBits(m, start, width);
}

// The first element from `start` on; 0xffffffff if there is none.
fn mask_next(m: Mask, start: u32) -> u32 {
    return firstTrailingBit(m & (0xffffffffu << start));
}

// All elements below `i`.
fn mask_below(i: u32) -> Mask {
    return extractBits(0xffffffffu, 0u, i);
}

// Elements moved down by `by`; those below are lost.
fn mask_shift(m: Mask, by: u32) -> Mask {
    return m >> by;
}

fn mask_has(m: Mask, i: u32) -> bool {
    return mask_bit_at(m, i) != 0u;
}

fn mask_from_puzzle(at: u32) -> Mask {
    return puzzle[at];
}
