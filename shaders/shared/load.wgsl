// Parents into the tile.

// Four cells of a parent from any cell on.
fn parent_cells(parent: u32, cell: u32) -> u32 {
    let at = cell >> 2u;
    let next = min(at + 1u, run.words - 1u);
    return unaligned(parent_word(parent, at), parent_word(parent, next), cell);
}

// Takes a row of a parent.
fn tile_load_row(parent: u32, row: u32) {
    for (var word = 0u; word < run.row_words; word++) {
        tile_cells[row * run.row_words + word] = parent_cells(parent, row * run.size + word * 4u);
    }
}

// Takes all rows of a parent.
fn tile_load(parent: u32, lane: u32) {
    for (var row = lane; row < run.size; row += LANES) {
        tile_load_row(parent, row);
    }
}

fn parent_digit(parent: u32, row: u32, col: u32) -> u32 {
    let cell = row * run.size + col;
    return extractBits(parent_word(parent, cell >> 2u), (cell & 3u) * 8u, 8u);
}
