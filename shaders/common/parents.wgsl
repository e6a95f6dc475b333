#import common/bits

// The old population, from which the new one is made: the fitness of everybody, the swaps of their
// local search, then their cells.
//
//   | fitness x population | swaps x population | cells: WORDS words for each individual |
@group(0) @binding(3) var<storage, read> old_population: array<u32>;

fn parent_fitness(individual: u32) -> u32 {
    return old_population[individual];
}

fn parent_word(individual: u32, word: u32) -> u32 {
    return old_population[2u * run.population + individual * WORDS + word];
}

// The digit of a grid's cell.
fn parent_cell(individual: u32, cell: u32) -> u32 {
    return byte_at(parent_word(individual, cell >> 2u), cell);
}
