#entry fitness
#mapping thread if N <= 64
#import grids/written_{lanes}
#import common/children

// The fitness of whole grids. Twin: src/engine/cpu/grids/evaluate.rs.

fn written_word(individual: u32, word: u32) -> u32 {
    return new_population[child_word_at(individual, word)];
}

fn evaluate(individual: u32, lane: u32) -> u32 {
    return written_fitness(individual, lane);
}
