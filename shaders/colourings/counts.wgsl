#import colourings/lines_{houses}
#import colourings/lists
#import colourings/search_memory
#import common/bits
#import common/children
#import common/group_{mapping}
#import grids/mask_{mask}

// One colouring under work: the digits of its cells, and how often each is chosen in each line.
//
// A vertex is an open cell, a choice a vertex with one of its candidates; rivals are choices of the same digit whose
// vertices share a row, a column or a sub-block. How many rivals of a choice are made is not kept but added up, for all
// digits of a cell at once. The native search keeps the same sums for each digit alone
// (src/engine/cpu/colourings/tabu_state.rs).

// Bit planes of the counts of three lines together.
const RIVAL_PLANES = PLANES + 2u;

alias Rivals = array<Mask, RIVAL_PLANES>;

// The digit of a cell, HOLE if it is given. Any lane alone.
fn digit_at(cell: u32) -> u32 {
    return byte_at(digits_get(cell >> 2u), cell);
}

// The digit of a vertex. Any lane alone.
fn digit_held(vertex: u32) -> u32 {
    return digit_at(vertex_cell(vertex));
}

// Gives an open cell a digit. One lane alone.
fn digit_set(cell: u32, digit: u32) {
    let digits = digits_get(cell >> 2u);
    digits_set(cell >> 2u, with_byte(digits, cell, digit));
}

// Loads a child as it is. All lanes call it; each returns how many holes it has found.
fn digits_load(individual: u32, lane: u32) -> u32 {
    var holes = 0u;
    for (var word = lane; word < WORDS; word += LANES) {
        var digits = new_population[child_word_at(individual, word)];
        for (var byte = 0u; byte < 4u; byte++) { // unroll
            let cell = word * 4u + byte;
            if cell < SIZE * SIZE {
                let is_open = vertex_of(cell) != NONE;
                let digit = extractBits(digits, byte * 8u, 8u);
                holes += select(0u, 1u, is_open && digit == HOLE);
                digits = insertBits(digits, select(HOLE, digit, is_open), byte * 8u, 8u);
            }
        }
        digits_set(word, digits);
    }
    return holes;
}

// Counts the digits of all lines. All lanes call it.
fn counts_load(lane: u32) {
    for (var line = lane; line < LINES; line += LANES) {
        var planes = Planes();
        let length = line_length(line);
        var walk = line_walk(line);
        for (var place = 0u; place < length; place++) {
            if place == walk.leap_at {
                walk.cell += walk.leap;
                walk.leap_at += walk.leap_again;
            }
            let digit = digit_at(walk.cell);
            walk.cell += walk.step;
            // One more of it: a carry runs up the planes.
            var carry = select(mask_bit(digit & 127u), Mask(), digit == HOLE);
            for (var plane = 0u; plane < PLANES; plane++) { // unroll
                let before = planes[plane];
                planes[plane] = before ^ carry;
                carry &= before;
            }
        }
        counts_set(line, planes);
    }
}

// A cell takes one digit for another: tells one of the lines that it is in. Any lane alone.
fn counts_change(line: u32, old_digit: u32, new_digit: u32) {
    var planes = counts_get(line);
    var carry = mask_bit(new_digit);
    var borrow = mask_bit(old_digit);
    for (var plane = 0u; plane < PLANES; plane++) { // unroll
        let before = planes[plane];
        let more = before ^ carry;
        carry &= before;
        planes[plane] = more ^ borrow;
        borrow &= ~more;
    }
    counts_set(line, planes);
}

// How often each digit is chosen in the lines of a cell: what would be its rivals there. The digit that the cell
// has is counted in OWN_LINES of them itself. Any lane alone.
fn rivals_at(cell: u32) -> Rivals {
    let its = lines_of(cell);
    var sum = Rivals();
    for (var kind = 0u; kind < LINE_KINDS; kind++) { // unroll
        let planes = counts_get(its[kind]);
        var carry = Mask();
        for (var plane = 0u; plane < PLANES; plane++) { // unroll
            let before = sum[plane];
            let half = before ^ planes[plane];
            sum[plane] = half ^ carry;
            // Two of the three.
            carry = (before & planes[plane]) | (half & carry);
        }
        for (var plane = PLANES; plane < PLANES + 2u; plane++) { // unroll
            let before = sum[plane];
            sum[plane] = before ^ carry;
            carry &= before;
        }
    }
    return sum;
}

// How many of them are of one digit. Any lane alone.
fn rivals_of(rivals: Rivals, digit: u32) -> u32 {
    var count = 0u;
    for (var plane = 0u; plane < PLANES + 2u; plane++) { // unroll
        count |= mask_bit_at(rivals[plane], digit) << plane;
    }
    return count;
}

// The digits of a set that have the fewest rivals, and how many these are.
struct Fewest {
    digits: Mask,
    rivals: u32,
}

// The bits that the numbers of rivals do not have. Any lane alone.
fn lacking_bits(rivals: Rivals) -> Rivals {
    var lacking: Rivals;
    for (var plane = 0u; plane < PLANES + 2u; plane++) { // unroll
        lacking[plane] = ~rivals[plane];
    }
    return lacking;
}

// From the highest plane down: without those that have its bit, if that leaves any. Any lane alone.
fn fewest_rivals(lacking: Rivals, digits: Mask) -> Fewest {
    var rest = digits;
    var count = 0u;
    for (var step = 0u; step < PLANES + 2u; step++) { // unroll
        const plane = PLANES + 1u - step;
        let without = rest & lacking[plane];
        let some = mask_any(without);
        rest = select(rest, without, some);
        count += select(1u << plane, 0u, some);
    }
    return Fewest(rest, count);
}
