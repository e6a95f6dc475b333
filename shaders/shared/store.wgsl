// Writes the tile's cells, whose lanes have met.
fn store_child(individual: u32, lane: u32) {
    // 2^21 / size, rounded up: enough to find the row of any cell.
    let per_row = (0x1fffffu + run.size) / run.size;
    for (var word = lane; word < run.words; word += LANES) {
        let row = (word * 4u * per_row) >> 21u;
        let packed = tile_pack_from(row, word * 4u - row * run.size);
        new_population[child_word_at(individual, word)] = packed;
    }
}
