#import grids/working_grid

// Parents into the working grid.

// Takes a row of a parent.
fn grid_load_row(parent: u32, row: u32) {
    let cell = row * SIZE;
    var at = cell >> 2u;
    var low = parent_word(parent, at);
    for (var word = 0u; word < ROW_WORDS; word++) { // unroll to 8
        at = min(at + 1u, WORDS - 1u);
        let high = parent_word(parent, at);
        grid_cells[row * ROW_WORDS + word] = unaligned(low, high, cell);
        low = high;
    }
}

// Takes all rows of a parent.
fn grid_load(parent: u32, lane: u32) {
    for (var row = lane; row < SIZE; row += LANES) { // lanes of SIZE
        grid_load_row(parent, row);
    }
}

fn parent_digit(parent: u32, row: u32, col: u32) -> u32 {
    let cell = row * SIZE + col;
    return byte_at(parent_word(parent, cell >> 2u), cell);
}
