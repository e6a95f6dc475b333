#import grids/working_grid

// Takes packed cells into the working grid. The kernel says where they are: `written_word(item, word)`.
fn load_written(item: u32, lane: u32) {
    for (var row = lane; row < SIZE; row += LANES) { // lanes of SIZE
        let cell = row * SIZE;
        var at = cell >> 2u;
        var low = written_word(item, at);
        for (var word = 0u; word < ROW_WORDS; word++) { // unroll to 8
            at = min(at + 1u, WORDS - 1u);
            let high = written_word(item, at);
            grid_cells[row * ROW_WORDS + word] = unaligned(low, high, cell);
            low = high;
        }
    }
}
