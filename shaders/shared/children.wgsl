// The new population, laid out as the old one.

@group(0) @binding(4) var<storage, read_write> new_population: array<u32>;

fn child_word_at(individual: u32, word: u32) -> u32 {
    return 2u * run.population + individual * run.words + word;
}

fn set_child(individual: u32, fitness: u32, swaps: u32) {
    new_population[individual] = fitness;
    new_population[run.population + individual] = swaps;
}

// Before an individual is made. Until then it counts as cut short: lanes that wait for those whose
// loops a driver has cut may never come to the end.
fn begin_child(individual: u32, lane: u32) {
    tile_begin(lane);
    if lane == 0u {
        new_population[individual] = CUT_SHORT;
    }
}
