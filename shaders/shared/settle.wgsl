// Into the new population: the individual on the desk, or the old one once more.

fn desk_store(individual: u32, lane: u32) {
    for (var word = lane; word < run.words; word += LANES) {
        new_population[child_word_at(individual, word)] = desk_pack(word);
    }
}

fn keep_old(individual: u32, lane: u32) {
    for (var word = lane; word < run.words; word += LANES) {
        new_population[child_word_at(individual, word)] = parent_word(individual, word);
    }
}

// Writes fitness and swaps, or that loops were cut short.
fn settle(individual: u32, lane: u32, fitness: u32, swaps: u32) {
    let cut_short = tile_cut_short(lane);
    if lane == 0u {
        set_child(individual, select(fitness, CUT_SHORT, cut_short), swaps);
    }
}
