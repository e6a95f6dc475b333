#import permutations/state
#import common/children
#import common/parents

// Into the new population: the individual under work, or the old one once more.

fn state_store(individual: u32, lane: u32) {
    for (var word = lane; word < WORDS; word += LANES) { // lanes of WORDS
        new_population[child_word_at(individual, word)] = state_pack(word);
    }
}

fn keep_old(individual: u32, lane: u32) {
    for (var word = lane; word < WORDS; word += LANES) { // lanes of WORDS
        new_population[child_word_at(individual, word)] = parent_word(individual, word);
    }
}
