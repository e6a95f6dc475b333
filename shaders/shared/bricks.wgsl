// Random individuals: bricks (rows or sub-blocks) in random order, or cells with random digits of
// their domains. Givens never move. Twin: src/engine/cpu/shared/bricks.rs.
//
// A lane works on whole bands of bricks, so that no two lanes write to the same word.

// Rows of a brick, and bricks of a band.
fn brick_height() -> u32 {
    return run.size / run.brick_width;
}

fn free_count(brick: u32) -> u32 {
    return puzzle[run.free_counts_at + brick];
}

// The cell of the index-th free position of a brick: row and column.
fn free_cell(brick: u32, index: u32) -> vec2<u32> {
    let word = puzzle[run.free_cells_at + brick * run.row_words + (index >> 2u)];
    let position = extractBits(word, (index & 3u) * 8u, 8u);
    let height = brick_height();
    return vec2(
        brick / height * height + position / run.brick_width,
        brick % height * run.brick_width + position % run.brick_width,
    );
}

fn swap_free(brick: u32, one: u32, two: u32) {
    let a = free_cell(brick, one);
    let b = free_cell(brick, two);
    let digit = tile_get(a.x, a.y);
    tile_set(a.x, a.y, tile_get(b.x, b.y));
    tile_set(b.x, b.y, digit);
}

// Swaps two different free cells of a brick, if there are two; how many swaps that is.
fn swap_two(brick: u32, one: u32, two: u32) -> u32 {
    let count = free_count(brick);
    if count < 2u {
        return 0u;
    }
    let first = bounded(one, count);
    // A draw among the others, shifted past the first.
    let second = wrap(first + 1u + bounded(two, count - 1u), count);
    swap_free(brick, first, second);
    return 1u;
}

// Puts the free digits of a brick in random order (Fisher & Yates).
fn shuffle_brick(key: vec4<u32>, individual: u32, brick: u32, site: u32) {
    let count = free_count(brick);
    var words = vec4<u32>();
    for (var step = 0u; step + 1u < count; step++) {
        if (step & 3u) == 0u {
            words = draw(key, individual, site, (brick << 8u) | (step >> 2u));
        }
        let last = count - 1u - step;
        swap_free(brick, last, bounded(words[step & 3u], last + 1u));
    }
}

// The digits that a cell can hold.
fn domain(row: u32, col: u32) -> Mask {
    return mask_from_puzzle(run.domains_at + (row * run.size + col) * MASK_WORDS);
}

// A fresh individual.
fn fresh(key: vec4<u32>, individual: u32, lane: u32, site: u32) {
    let height = brick_height();
    for (var band = lane * height; band < run.size; band += LANES * height) {
        for (var at = band; at < band + height; at++) {
            tile_load_template_row(at);
        }
        for (var brick = band; brick < band + height; brick++) {
            if run.free_digits == 0u {
                shuffle_brick(key, individual, brick, site);
            } else {
                for (var index = 0u; index < free_count(brick); index++) {
                    let cell = free_cell(brick, index);
                    let words = draw(key, individual, site, (cell.x << 8u) | (cell.y >> 2u));
                    let digits = domain(cell.x, cell.y);
                    let choice = bounded(words[cell.y & 3u], mask_count(digits));
                    tile_set(cell.x, cell.y, mask_select(digits, choice));
                }
            }
        }
    }
}
