// Writes the tile's cells, whose lanes have met.
fn store_child(individual: u32, lane: u32) {
    for (var word = lane; word < run.words; word += LANES) {
        new_population[child_word_at(individual, word)] = tile_pack(word);
    }
}
