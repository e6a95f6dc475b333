#entry item
#mapping group
#import grids/block_child

// Generations of an island (Sato, Hasegawa & Sato 2011): a group of lanes has an island to itself, so many
// generations fit into one dispatch. At the end of an epoch the best of each island emigrates; at
// the start of the next it takes the place of the worst of the next island. An island that has found
// a solution stays as it is. Twin: src/operators/grids/islands.rs.

@group(0) @binding(3) var<storage, read_write> old_population: array<u32>;
@group(0) @binding(4) var<storage, read_write> new_population: array<u32>;
// The best of all islands, of epochs before even surveys, then odd ones: fitness, then the generation in which
// they left, then cells.
@group(0) @binding(7) var<storage, read_write> emigrants: array<u32>;

// Generations take turns: in which of the two populations the parents are.
var<private> parents_in_new: bool;

fn parent_fitness(individual: u32) -> u32 {
    if parents_in_new {
        return new_population[individual];
    }
    return old_population[individual];
}

fn parent_word(individual: u32, word: u32) -> u32 {
    let at = 2u * run.population + individual * WORDS + word;
    if parents_in_new {
        return new_population[at];
    }
    return old_population[at];
}

fn write(in_new: bool, at: u32, value: u32) {
    if in_new {
        new_population[at] = value;
    } else {
        old_population[at] = value;
    }
}

fn write_individual(in_new: bool, individual: u32, fitness: u32, swaps: u32) {
    write(in_new, individual, fitness);
    write(in_new, run.population + individual, swaps);
}

// The lowest (or, with `flip` all ones, the highest) fitness of a pool, and the first who has it.
fn extreme(pool: Pool, lane: u32, flip: u32) -> vec2<u32> {
    var mine = 0xffffffffu;
    for (var member = lane; member < pool.count; member += LANES) {
        mine = min(mine, parent_fitness(pool.first + member) ^ flip);
    }
    let found = group_min(lane, mine);
    var who = 0xffffffffu;
    for (var member = lane; member < pool.count; member += LANES) {
        if (parent_fitness(pool.first + member) ^ flip) == found {
            who = min(who, member);
        }
    }
    return vec2(found ^ flip, pool.first + group_min(lane, who));
}

fn islands() -> u32 {
    return (run.population + blocks.island - 1u) / blocks.island;
}

fn departure_at(slot: u32) -> u32 {
    return 2u * islands() + slot;
}

// Where an emigrant's cells start.
fn emigrant_at(slot: u32) -> u32 {
    return 4u * islands() + slot * WORDS;
}

// The best of the island before takes the place of the worst, if it left just now: not if other
// plans or other islands came in between. Lanes meet after.
fn immigrate(island: u32, pool: Pool, lane: u32) {
    let slot = ((state.surveys - 1u) & 1u) * islands() + (island + islands() - 1u) % islands();
    if group_min(lane, emigrants[departure_at(slot)]) != state.generation {
        return;
    }
    let worst = extreme(pool, lane, 0xffffffffu).y;
    for (var word = lane; word < WORDS; word += LANES) { // lanes of WORDS
        let at = 2u * run.population + worst * WORDS + word;
        write(parents_in_new, at, emigrants[emigrant_at(slot) + word]);
    }
    if lane == 0u {
        write_individual(parents_in_new, worst, emigrants[slot], 0u);
    }
    group_storage_barrier();
}

fn emigrate(island: u32, pool: Pool, lane: u32) {
    let slot = (state.surveys & 1u) * islands() + island;
    let best = extreme(pool, lane, 0u);
    for (var word = lane; word < WORDS; word += LANES) { // lanes of WORDS
        emigrants[emigrant_at(slot) + word] = parent_word(best.y, word);
    }
    if lane == 0u {
        emigrants[slot] = best.x;
        emigrants[departure_at(slot)] = state.generation + state.stride;
    }
}

// Makes the next generation of the island. Lanes meet after.
fn next_generation(key: vec4<u32>, pool: Pool, solved: bool, lane: u32) -> bool {
    var found = solved;
    for (var member = 0u; member < pool.count; member++) {
        let individual = pool.first + member;
        var made = vec2(0u);
        if solved {
            made.x = parent_fitness(individual);
        } else {
            made = block_child(key, individual, pool, lane);
            found |= made.x == 0u;
        }
        for (var word = lane; word < WORDS; word += LANES) { // lanes of WORDS
            var cells: u32;
            if solved {
                cells = parent_word(individual, word);
            } else {
                cells = grid_pack(word);
            }
            write(!parents_in_new, 2u * run.population + individual * WORDS + word, cells);
        }
        if lane == 0u {
            write_individual(!parents_in_new, individual, made.x, made.y);
        }
        group_barrier();
    }
    group_storage_barrier();
    parents_in_new = !parents_in_new;
    return found;
}

fn work(island: u32, lane: u32) {
    let first = island * blocks.island;
    let pool = Pool(first, min(blocks.island, run.population - first));
    parents_in_new = (chunk.before & 1u) != 0u;
    let begins = state.generation % blocks.epoch == 0u && state.generation > 0u;
    if chunk.before == 0u && begins {
        immigrate(island, pool, lane);
    }
    // A dispatch that was cut short spoils the rest of its epoch.
    var spoilt = chunk.before > 0u && extreme(pool, lane, 0xffffffffu).x == TRUNCATED;
    var solved = extreme(pool, lane, 0u).x == 0u;
    for (var step = 1u; step <= chunk.generations; step++) {
        let key = key_of(state.generation + chunk.before + step);
        solved = next_generation(key, pool, solved, lane);
    }
    let last = chunk.before + chunk.generations;
    if last == state.stride && (state.generation + last) % blocks.epoch == 0u {
        emigrate(island, pool, lane);
    }
    spoilt |= group_truncated(lane);
    if lane == 0u && spoilt {
        // By the number of generations: who is cut short may not have taken all turns.
        write((last & 1u) != 0u, first, TRUNCATED);
    }
}
