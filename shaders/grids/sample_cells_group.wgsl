#import grids/store
#import grids/segments

// A sample under work by a group of lanes: the working grid, whose masks have the digits that stand in rows, then in
// columns.

// Takes the givens, and notes them in their rows and columns. Lanes meet after.
fn take_givens(individual: u32, lane: u32) {
    for (var unit = lane; unit < SIZE; unit += LANES) { // lanes of SIZE
        grid_load_template_row(unit);
        grid_once[unit] = given_in_row(unit);
        grid_once[SIZE + unit] = given_in_column(unit);
    }
}

// The digits that stand in the row or the column of a cell, but for those of its block.
fn taken(individual: u32, cell: vec2<u32>) -> Mask {
    return grid_once[cell.x] | grid_once[SIZE + cell.y];
}

fn set_digit(individual: u32, cell: vec2<u32>, digit: u32, lane: u32) {
    if lane == 0u {
        grid_set(cell.x, cell.y, digit);
    }
}

// Notes the digits of a block in its rows and columns. Lanes have met before and meet after.
fn note_block(individual: u32, block: u32, lane: u32) {
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

fn sampled_fitness(individual: u32, lane: u32) -> u32 {
    store_child(individual, lane);
    return fitness(lane, vec2(true));
}
