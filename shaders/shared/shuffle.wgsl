// The shuffle behind re-initialisation and the initial population.

fn free_column(row: u32, index: u32) -> u32 {
    let word = puzzle[run.free_columns_at + row * run.row_words + (index >> 2u)];
    return extractBits(word, (index & 3u) * 8u, 8u);
}

// Puts the free digits of a row in random order (Fisher & Yates). Givens never move.
fn shuffle_row(key: vec4<u32>, individual: u32, row: u32, site: u32) {
    let count = puzzle[run.free_counts_at + row];
    var words = vec4<u32>();
    for (var step = 0u; step + 1u < count; step++) {
        if (step & 3u) == 0u {
            words = draw(key, individual, site, (row << 8u) | (step >> 2u));
        }
        let last = count - 1u - step;
        let other = bounded(words[step & 3u], last + 1u);
        tile_swap(row, free_column(row, last), free_column(row, other));
    }
}

// A fresh individual: the givens, every row completed in random order.
fn fresh(key: vec4<u32>, individual: u32, lane: u32, site: u32) {
    for (var row = lane; row < run.size; row += LANES) {
        tile_load_template_row(row);
        shuffle_row(key, individual, row, site);
    }
}
