#import grids/working_grid
#import common/rng

// Random individuals: segments (rows or sub-blocks) in random order, or cells with random digits of
// their domains. Givens never move. Twin: src/engine/cpu/grids/segments.rs.
//
// A lane works on whole bands of segments, so that no two lanes write to the same word.

// Rows of a segment, and segments of a band.
fn segment_height() -> u32 {
    return SIZE / SEGMENT_WIDTH;
}

fn free_count(segment: u32) -> u32 {
    return puzzle[run.free_counts_at + segment];
}

// The cell of the index-th free position of a segment: row and column.
fn free_cell(segment: u32, index: u32) -> vec2<u32> {
    let word = puzzle[run.free_cells_at + segment * ROW_WORDS + (index >> 2u)];
    let position = byte_at(word, index);
    let height = segment_height();
    let band = divide(segment, inverse(height)) * height;
    let row = divide(position, inverse(SEGMENT_WIDTH));
    return vec2(band + row, (segment - band) * SEGMENT_WIDTH + position - row * SEGMENT_WIDTH);
}

fn swap_cells(one: vec2<u32>, two: vec2<u32>) {
    let digit = grid_get(one.x, one.y);
    grid_set(one.x, one.y, grid_get(two.x, two.y));
    grid_set(two.x, two.y, digit);
}

fn swap_free(segment: u32, one: u32, two: u32) {
    swap_cells(free_cell(segment, one), free_cell(segment, two));
}

// Two different free cells of a segment, if there are two.
struct FreePair {
    exists: bool,
    one: vec2<u32>,
    two: vec2<u32>,
}

fn free_pair(segment: u32, one: u32, two: u32) -> FreePair {
    let count = free_count(segment);
    if count < 2u {
        return FreePair(false, vec2(0u), vec2(0u));
    }
    let first = bounded_short(one, count);
    // A draw among the others, shifted past the first.
    let second = wrap(first + 1u + bounded_short(two, count - 1u), count);
    return FreePair(true, free_cell(segment, first), free_cell(segment, second));
}

// Swaps two different free cells of a segment, if there are two.
fn swap_two(segment: u32, one: u32, two: u32) {
    let pair = free_pair(segment, one, two);
    if pair.exists {
        swap_cells(pair.one, pair.two);
    }
}

// Puts the free digits of a segment in random order (Fisher & Yates).
fn shuffle_segment(key: vec4<u32>, individual: u32, segment: u32, site: u32) {
    let count = free_count(segment);
    var words = vec4<u32>();
    for (var step = 0u; step + 1u < count; step++) {
        if (step & 3u) == 0u {
            words = draw(key, individual, site, (segment << 8u) | (step >> 2u));
        }
        let last = count - 1u - step;
        swap_free(segment, last, bounded(words[step & 3u], last + 1u));
    }
}

// The digits that a cell can hold.
fn domain(cell: u32) -> Mask {
    return mask_from_puzzle(run.domains_at + cell * MASK_WORDS);
}

// A fresh individual.
fn fresh(key: vec4<u32>, individual: u32, lane: u32, site: u32) {
    let height = segment_height();
    for (var band = lane * height; band < SIZE; band += LANES * height) {
        for (var at = band; at < band + height; at++) {
            grid_load_template_row(at);
        }
        for (var segment = band; segment < band + height; segment++) {
            if run.free_digits == 0u {
                shuffle_segment(key, individual, segment, site);
            } else {
                for (var index = 0u; index < free_count(segment); index++) {
                    let cell = free_cell(segment, index);
                    let words = draw(key, individual, site, (cell.x << 8u) | (cell.y >> 2u));
                    let digits = domain(cell.x * SIZE + cell.y);
                    let choice = bounded(words[cell.y & 3u], mask_count(digits));
                    grid_set(cell.x, cell.y, mask_select(digits, choice));
                }
            }
        }
    }
}
