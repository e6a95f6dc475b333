#import common/group_{mapping}
#import common/loop_guard

// The new population, laid out as the old one.

@group(0) @binding(4) var<storage, read_write> new_population: array<u32>;

fn child_word_at(individual: u32, word: u32) -> u32 {
    return 2u * run.population + individual * WORDS + word;
}

// What a kernel has made of an individual besides its cells.
struct Child {
    fitness: u32,
    // Swaps or moves of its local search.
    swaps: u32,
}

fn set_child(individual: u32, fitness: u32, swaps: u32) {
    new_population[individual] = fitness;
    new_population[run.population + individual] = swaps;
}

// Before an individual is made. Until it is finished it counts as truncated: lanes that wait for those whose
// loops a driver has cut may never come to the end.
fn begin_child(individual: u32, lane: u32) {
    group_begin(lane);
    if LOOPS_MAY_BE_CUT && lane == 0u {
        new_population[individual] = TRUNCATED;
    }
}

// Writes what a kernel returned, or that loops were truncated. All lanes call it.
fn finish_child(individual: u32, lane: u32, child: Child) {
    let truncated = group_truncated(lane);
    if lane == 0u {
        set_child(individual, select(child.fitness, TRUNCATED, truncated), child.swaps);
    }
}
