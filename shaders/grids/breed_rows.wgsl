#entry child
#mapping thread if N <= 32
#import grids/row_operators_{lanes}
#import grids/crossover
#import grids/mutate
#import grids/search
#import grids/pass_{lanes}
#import grids/working_grid
#import common/parents
#import common/rng

// One individual of the new population from the old one: crossover, mutation, local search,
// tournament. Twin: src/operators/grids/breed_rows.rs.

// The operators in use; twin of `BreedParams` in src/engine/gpu/layout.rs.
struct Breed {
    crossover: u32,
    crossover_row: u32,
    swap: u32,
    reinitialise: u32,
    mutation: u32,
    column_search: u32,
    block_search: u32,
    rounds: u32,
    partners: u32,
    repeats: u32,
    // Contestants for the place of the parent; 0: the individual itself.
    parents: u32,
    // Contestants for the place in the new population, the child among them.
    contestants: u32,
    // Not 0: the child has to be better than the individual whose place it is.
    strict: u32,
}


// Survivors draw their contestants beyond any tournament of parents.
const SURVIVOR_DRAWS = 1u << 16u;

fn contestant(key: vec4<u32>, individual: u32, index: u32) -> u32 {
    return bounded(draw(key, individual, SITE_TOURNAMENT, index).x, run.population);
}

fn select_parent(key: vec4<u32>, individual: u32) -> u32 {
    if breed.parents == 0u {
        return individual;
    }
    var best = contestant(key, individual, 0u);
    for (var index = 1u; index < breed.parents; index++) {
        let next = contestant(key, individual, index);
        if parent_fitness(next) < parent_fitness(best) {
            best = next;
        }
    }
    return best;
}

fn vary(individual: u32, lane: u32) -> Child {
    begin_operators();
    let key = key_of(state.generation + 1u);

    crossover(key, individual, select_parent(key, individual), lane);
    mutate(key, individual, lane);
    group_barrier();
    let searched = search(key, individual, lane);
    let child = fitness(lane, searched.stale);

    // The child, the individual whose place it is, then random others.
    var best = child;
    var survivor = run.population;
    for (var index = 1u; index < breed.contestants; index++) {
        var rival = individual;
        if index > 1u {
            rival = contestant(key, individual, SURVIVOR_DRAWS + index);
        }
        let rival_fitness = parent_fitness(rival);
        let tie = breed.strict != 0u && survivor == run.population && rival_fitness == best;
        if rival_fitness < best || tie {
            best = rival_fitness;
            survivor = rival;
        }
    }
    for (var word = lane; word < WORDS; word += LANES) { // lanes of WORDS
        var cells = 0u;
        if survivor == run.population {
            cells = grid_pack(word);
        } else {
            cells = parent_word(survivor, word);
        }
        new_population[child_word_at(individual, word)] = cells;
    }
    return Child(best, searched.swaps);
}
