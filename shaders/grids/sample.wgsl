#entry child
#import grids/roulette
#import grids/segments
#import grids/store
#import common/rng

// One individual from a model of the digits of each cell: sub-blocks that are permutations (NB-COIN
// section IV). Twin: src/operators/grids/sample.rs.

// The parameters, in the order of the operator's `Params`.
struct Sample {
    // Not 0: digits that stand in the row or column already are not drawn.
    neighbours: u32,
    // Not 0: cells of a block in the order that stands behind the weights, otherwise at random.
    given_order: u32,
    // How often a block is begun anew when no digit is left for a cell.
    retries: u32,
}

@group(0) @binding(5) var<storage, read> sample: Sample;

// The digits that stand in rows, then in columns: the masks of a working grid that is not searched.
fn in_row(row: u32) -> Mask {
    return grid_once[row];
}

fn in_column(col: u32) -> Mask {
    return grid_once[SIZE + col];
}

fn template_digit(row: u32, col: u32) -> u32 {
    let cell = row * SIZE + col;
    return extractBits(puzzle[cell >> 2u], (cell & 3u) * 8u, 8u);
}

// The k-th of a block's free cells in the given order.
fn order_of_cells(block: u32, k: u32) -> u32 {
    return model[SIZE * SIZE * SIZE + SIZE * block + k];
}

// Takes the givens, and notes them in their rows and columns. Lanes meet after.
fn take_givens(lane: u32) {
    for (var unit = lane; unit < SIZE; unit += LANES) {
        grid_load_template_row(unit);
        grid_once[unit] = Mask();
        grid_once[SIZE + unit] = Mask();
        for (var k = 0u; k < SIZE; k++) {
            if !mask_any(free_positions(COLUMNS, k) & mask_bit(unit)) {
                grid_once[unit] |= mask_bit(template_digit(unit, k));
            }
            if !mask_any(free_positions(COLUMNS, unit) & mask_bit(k)) {
                grid_once[SIZE + unit] |= mask_bit(template_digit(k, unit));
            }
        }
    }
}

// Tries to fill a block; says whether it did. The last attempt always does: where the model has no
// digit left, any that the block still needs will do.
fn fill_block(key: vec4<u32>, individual: u32, block: u32, attempt: u32, lane: u32) -> bool {
    let count = free_count(block);
    var unused = Mask();
    var left = Mask();
    for (var index = 0u; index < count; index++) {
        let cell = free_cell(block, index);
        unused |= mask_bit(template_digit(cell.x, cell.y));
        left |= mask_bit(index);
    }
    for (var step = 0u; step < count; step++) {
        let at = SIZE + (attempt * SIZE + block) * SIZE + step;
        let words = draw(key, individual, SITE_SAMPLE, at);
        var index: u32;
        if sample.given_order != 0u {
            index = order_of_cells(block, step);
        } else {
            index = mask_select(left, bounded(words.x, count - step));
        }
        left &= ~mask_bit(index);
        let cell = free_cell(block, index);
        // Digits of this block are in `unused` or nowhere, so only other blocks matter.
        var allowed = unused;
        if sample.neighbours != 0u {
            allowed &= ~(in_row(cell.x) | in_column(cell.y));
        }
        var digit = roulette(cell.x * SIZE + cell.y, allowed, words.y, lane);
        if digit == NO_DIGIT {
            if attempt < sample.retries {
                return false;
            }
            digit = mask_select(unused, bounded(words.z, count - step));
        }
        unused &= ~mask_bit(digit);
        if lane == 0u {
            grid_set(cell.x, cell.y, digit);
        }
    }
    return true;
}

// Notes the digits of a block in its rows and columns. Lanes have met before and meet after.
fn note_block(block: u32, lane: u32) {
    let height = segment_height();
    let first_row = block / height * height;
    let first_col = block % height * SEGMENT_WIDTH;
    for (var row = first_row + lane; row < first_row + height; row += LANES) {
        for (var col = first_col; col < first_col + SEGMENT_WIDTH; col++) {
            grid_once[row] |= mask_bit(grid_get(row, col));
        }
    }
    for (var col = first_col + lane; col < first_col + SEGMENT_WIDTH; col += LANES) {
        for (var row = first_row; row < first_row + height; row++) {
            grid_once[SIZE + col] |= mask_bit(grid_get(row, col));
        }
    }
}

fn vary(individual: u32, lane: u32) -> Child {
    let key = key_of(state.generation + 1u);
    take_givens(lane);
    group_barrier();
    var left = Mask();
    for (var block = 0u; block < SIZE; block++) {
        left |= mask_bit(block);
    }
    for (var step = 0u; step < SIZE; step++) {
        let words = draw(key, individual, SITE_SAMPLE, step);
        let block = mask_select(left, bounded(words.x, SIZE - step));
        left &= ~mask_bit(block);
        for (var attempt = 0u; attempt <= sample.retries; attempt++) {
            if fill_block(key, individual, block, attempt, lane) {
                break;
            }
        }
        group_barrier();
        note_block(block, lane);
        group_barrier();
    }
    store_child(individual, lane);
    let score = fitness(lane, vec2(true));
    return Child(score, 0u);
}
