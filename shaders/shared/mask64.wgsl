// Sets of digits, or of cells of a unit, for N up to 64.

alias Mask = vec2<u32>;
const MASK_WORDS = 2u;

fn mask_bit(i: u32) -> Mask {
    return select(Mask(), Mask(1u << (i & 31u)), vec2(i >> 5u) == vec2(0u, 1u));
}

fn mask_any(m: Mask) -> bool {
    return any(m != Mask());
}

fn mask_count(m: Mask) -> u32 {
    let counts = countOneBits(m);
    return counts.x + counts.y;
}

// The smallest element; there has to be one.
fn mask_first(m: Mask) -> u32 {
    return mask_next(m, 0u);
}

// All elements but the smallest.
fn mask_rest(m: Mask) -> Mask {
    return m & ~mask_bit(mask_first(m));
}

// The number of elements below `i`.
fn mask_rank(m: Mask, i: u32) -> u32 {
    let word = vec2(i >> 5u);
    let places = vec2(0u, 1u);
    let below = select(Mask(), ~Mask(), places < word);
    let within = Mask(~(0xffffffffu << (i & 31u)));
    return mask_count(m & select(below, within, places == word));
}

// The element that has `rank` smaller ones; there has to be one.
fn mask_select(m: Mask, rank: u32) -> u32 {
    var word = 0u;
    var rest = rank;
    while word < 1u && rest >= countOneBits(m[word]) {
        rest -= countOneBits(m[word]);
        word++;
    }
    return word * 32u + select_bit(m[word], rest);
}

// Elements start ... start + width - 1, moved down to 0; width is at most 32.
fn mask_slice(m: Mask, start: u32, width: u32) -> u32 {
    let word = start >> 5u;
    let shift = start & 31u;
    var bits = m[word] >> shift;
    if shift > 0u && word < 1u {
        bits |= m[word + 1u] << (32u - shift);
    }
    return extractBits(bits, 0u, width);
}

// The first element from `start` on; 0xffffffff if there is none.
fn mask_next(m: Mask, start: u32) -> u32 {
    let word = start >> 5u;
    let low = m[word] & (0xffffffffu << (start & 31u));
    if low != 0u {
        return word * 32u + firstTrailingBit(low);
    }
    if word == 0u && m.y != 0u {
        return 32u + firstTrailingBit(m.y);
    }
    return 0xffffffffu;
}

fn mask_from_puzzle(at: u32) -> Mask {
    return vec2(puzzle[at], puzzle[at + 1u]);
}
