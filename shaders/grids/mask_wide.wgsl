#import common/bits
#import common/puzzle

// Sets of digits, or of cells of a unit, for N up to 64 or 128: the composer gives `Mask` two or four words,
// and MASK_PLACES their numbers.

fn mask_bit(i: u32) -> Mask {
    if MASK_WORDS == 2u {
        // 1 in the word of the element and 0 in the other.
        return (Mask((i >> 5u) ^ 1u) ^ MASK_PLACES) << Mask(i & 31u);
    }
    return select(Mask(), Mask(1u << (i & 31u)), Mask(i >> 5u) == MASK_PLACES);
}

// The element that stands in a byte of a word. Of four such bytes the words of the set are told apart at once.
fn mask_bit_of(packed: u32, byte: u32) -> Mask {
    if MASK_WORDS == 2u {
        let second = (packed >> 5u) & 0x01010101u;
        let words = (Mask(second ^ 0x01010101u) ^ (MASK_PLACES * Mask(0x01010101u))) >> Mask(8u * byte);
        return (words & Mask(255u)) << Mask(extractBits(packed, 8u * byte, 8u) & 31u);
    }
    return mask_bit(extractBits(packed, 8u * byte, 8u));
}

// 1 if an element is in the set, otherwise 0.
fn mask_bit_at(m: Mask, i: u32) -> u32 {
    return (m[i >> 5u] >> (i & 31u)) & 1u;
}

fn mask_any(m: Mask) -> bool {
    return any(m != Mask());
}

fn mask_count(m: Mask) -> u32 {
    return dot(countOneBits(m), Mask(1u));
}

// The smallest element; there has to be one.
fn mask_first(m: Mask) -> u32 {
    // Words without any are 0xffffffff here.
    let firsts = firstTrailingBit(m) | (MASK_PLACES * 32u);
    var first = firsts[0];
    for (var word = 1u; word < MASK_WORDS; word++) { // unroll
        first = min(first, firsts[word]);
    }
    return first;
}

// All elements but the smallest.
fn mask_rest(m: Mask) -> Mask {
    return m & ~mask_bit(mask_first(m));
}

// The number of elements below `i`.
fn mask_rank(m: Mask, i: u32) -> u32 {
    let word = Mask(i >> 5u);
    let below = select(Mask(), ~Mask(), MASK_PLACES < word);
    let within = Mask(~(0xffffffffu << (i & 31u)));
    return mask_count(m & select(below, within, MASK_PLACES == word));
}

// The element that has `rank` smaller ones; there has to be one.
fn mask_select(m: Mask, rank: u32) -> u32 {
    var bits = m[0];
    var before = 0u;
    var rest = rank;
    for (var word = 1u; word < MASK_WORDS; word++) { // unroll
        let passed = countOneBits(bits);
        if rest >= passed {
            rest -= passed;
            bits = m[word];
            before = word * 32u;
        }
    }
    return before + select_bit(bits, rest);
}

// Elements start ... start + width - 1, moved down to 0; width is at most 32.
fn mask_slice(m: Mask, start: u32, width: u32) -> u32 {
    let word = start >> 5u;
    let shift = start & 31u;
    var bits = m[word] >> shift;
    if shift > 0u && word < MASK_WORDS - 1u {
        bits |= m[word + 1u] << (32u - shift);
    }
    return extractBits(bits, 0u, width);
}

// The first element from `start` on; 0xffffffff if there is none.
fn mask_next(m: Mask, start: u32) -> u32 {
    var word = start >> 5u;
    var bits = m[word] & (0xffffffffu << (start & 31u));
    while bits == 0u && word < MASK_WORDS - 1u {
        word++;
        bits = m[word];
    }
    return select(word * 32u + firstTrailingBit(bits), 0xffffffffu, bits == 0u);
}

// All elements below `i`.
fn mask_below(i: u32) -> Mask {
    var m = Mask();
    for (var word = 0u; word < MASK_WORDS; word++) { // unroll
        m[word] = extractBits(0xffffffffu, 0u, max(i, 32u * word) - 32u * word);
    }
    return m;
}

// Elements moved down by `by`; those below are lost.
fn mask_shift(m: Mask, by: u32) -> Mask {
    var moved = Mask();
    for (var word = 0u; word < MASK_WORDS; word++) { // unroll
        moved[word] = select(0u, mask_slice(m, min(32u * word + by, 32u * MASK_WORDS - 1u), 32u), 32u * word + by < 32u * MASK_WORDS);
    }
    return moved;
}

fn mask_has(m: Mask, i: u32) -> bool {
    return any((m & mask_bit(i)) != Mask());
}

fn mask_from_puzzle(at: u32) -> Mask {
    var m = Mask();
    for (var word = 0u; word < MASK_WORDS; word++) { // unroll
        m[word] = puzzle[at + word];
    }
    return m;
}
