// One individual of the new population from the old one: crossover, mutation, local search,
// tournament. Twin: src/engine/cpu/breed.rs.

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

@group(0) @binding(2) var<storage, read> state: State;

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

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    begin_run();
    begin_operators();
    let individual = chunk.first + tile_slot(local, workgroup, grid);
    let lane = tile_lane(local);
    if individual >= chunk.end || state.done != 0u {
        return;
    }
    begin_child(individual, lane);
    let key = key_of(state.generation + 1u);

    crossover(key, individual, select_parent(key, individual), lane);
    mutate(key, individual, lane);
    tile_barrier();
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
    for (var word = lane; word < run.words; word += LANES) {
        var cells = 0u;
        if survivor == run.population {
            cells = tile_pack(word);
        } else {
            cells = parent_word(survivor, word);
        }
        new_population[child_word_at(individual, word)] = cells;
    }
    let cut_short = tile_cut_short(lane);
    if lane == 0u {
        set_child(individual, select(best, CUT_SHORT, cut_short), searched.swaps);
    }
}
