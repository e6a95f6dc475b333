#entry child
#mapping thread if N <= 25
#import grids/sample_cells_{lanes}
#import grids/roulette_{lanes}
#import grids/segments
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

fn template_digit(row: u32, col: u32) -> u32 {
    let cell = row * SIZE + col;
    return byte_at(puzzle[cell >> 2u], cell);
}

// The digits that stand in a row before anything is drawn.
fn given_in_row(row: u32) -> Mask {
    var digits = Mask();
    for (var col = 0u; col < SIZE; col++) {
        if !mask_has(free_positions(COLUMNS, col), row) {
            digits |= mask_bit(template_digit(row, col));
        }
    }
    return digits;
}

// The same of a column.
fn given_in_column(col: u32) -> Mask {
    let free = free_positions(COLUMNS, col);
    var digits = Mask();
    for (var row = 0u; row < SIZE; row++) {
        if !mask_has(free, row) {
            digits |= mask_bit(template_digit(row, col));
        }
    }
    return digits;
}

// The k-th of a block's free cells in the given order.
fn order_of_cells(block: u32, k: u32) -> u32 {
    return model[SIZE * SIZE * SIZE + SIZE * block + k];
}

// Fills a block. Where the model has no digit left for a cell the block is begun anew, at last any digit will do that the
// block still needs. One loop for cells and attempts: threads of a wave wait for the one with the most cells in all its
// attempts, not for the longest of each attempt.
fn fill_block(key: vec4<u32>, individual: u32, block: u32, lane: u32) {
    let count = free_count(block);
    var digits = Mask();
    for (var index = 0u; index < count; index++) {
        let cell = free_cell(block, index);
        digits |= mask_bit(template_digit(cell.x, cell.y));
    }
    var unused = digits;
    var left = mask_below(count);
    var attempt = 0u;
    var step = 0u;
    while step < count {
        let at = SIZE + (attempt * SIZE + block) * SIZE + step;
        let words = draw(key, individual, SITE_SAMPLE, at);
        var index: u32;
        if sample.given_order != 0u {
            index = order_of_cells(block, step);
        } else {
            index = mask_select(left, bounded_short(words.x, count - step));
        }
        let cell = free_cell(block, index);
        // Digits of this block are in `unused` or nowhere, so only other blocks matter.
        var allowed = unused;
        if sample.neighbours != 0u {
            allowed &= ~taken(individual, cell);
        }
        var digit = roulette(cell.x * SIZE + cell.y, allowed, words.y, lane);
        if digit == NO_DIGIT && attempt < sample.retries {
            attempt++;
            step = 0u;
            unused = digits;
            left = mask_below(count);
        } else {
            if digit == NO_DIGIT {
                digit = mask_select(unused, bounded_short(words.z, count - step));
            }
            set_digit(individual, cell, digit, lane);
            unused &= ~mask_bit(digit);
            left &= ~mask_bit(index);
            step++;
        }
    }
}

fn vary(individual: u32, lane: u32) -> Child {
    let key = key_of(state.generation + 1u);
    take_givens(individual, lane);
    group_barrier();
    var left = mask_below(SIZE);
    for (var step = 0u; step < SIZE; step++) {
        let words = draw(key, individual, SITE_SAMPLE, step);
        let block = mask_select(left, bounded_short(words.x, SIZE - step));
        left &= ~mask_bit(block);
        fill_block(key, individual, block, lane);
        group_barrier();
        note_block(individual, block, lane);
        group_barrier();
    }
    return Child(sampled_fitness(individual, lane), 0u);
}
