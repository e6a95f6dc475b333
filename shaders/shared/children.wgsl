// The new population, laid out as the old one.

@group(0) @binding(4) var<storage, read_write> new_population: array<u32>;

fn child_word_at(individual: u32, word: u32) -> u32 {
    return 2u * run.population + individual * run.words + word;
}

fn set_child(individual: u32, fitness: u32, swaps: u32) {
    new_population[individual] = fitness;
    new_population[run.population + individual] = swaps;
}
