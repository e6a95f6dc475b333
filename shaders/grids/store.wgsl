#import grids/working_grid
#import common/children

// Writes the cells of the working grid, whose lanes have met.
fn store_child(individual: u32, lane: u32) {
    for (var word = lane; word < WORDS; word += LANES) { // lanes of WORDS
        new_population[child_word_at(individual, word)] = grid_pack(word);
    }
}
