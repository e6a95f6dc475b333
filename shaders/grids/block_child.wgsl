#import grids/segments
#import grids/load
#import common/rng

// A child whose sub-blocks are permutations (Sato & Inoue 2010): crossover that takes whole
// block-rows or block-columns of the better parent, swaps inside of sub-blocks, and a local search
// that keeps the best of several mutants. Twin: src/operators/grids/block_child.rs.

// The parameters, in the order of the operator's `Params`.
struct Blocks {
    tournament: u32,
    crossover: u32,
    swap: u32,
    mutation: u32,
    mutants: u32,
    // Individuals of an island, and generations of an epoch.
    island: u32,
    epoch: u32,
}

@group(0) @binding(5) var<storage, read> blocks: Blocks;

const MUTATE_INDIVIDUAL = 1u;

// The individuals among which parents are chosen.
struct Pool {
    first: u32,
    count: u32,
}

// The better of so many random individuals; the first of equals.
fn select_parent(key: vec4<u32>, pair: u32, pool: Pool, which: u32) -> u32 {
    var best = 0u;
    var best_fitness = 0xffffffffu;
    for (var index = 0u; index < blocks.tournament; index++) {
        let words = draw(key, pair, SITE_TOURNAMENT, which * blocks.tournament + index);
        let next = pool.first + bounded(words.x, pool.count);
        if parent_fitness(next) < best_fitness {
            best = next;
            best_fitness = parent_fitness(next);
        }
    }
    return best;
}

// The digits that a row or a column of a parent misses.
fn missing_in_row(parent: u32, row: u32) -> u32 {
    var digits = Mask();
    for (var col = 0u; col < SIZE; col++) {
        digits |= mask_bit(parent_digit(parent, row, col));
    }
    return SIZE - mask_count(digits);
}

fn missing_in_column(parent: u32, col: u32) -> u32 {
    var digits = Mask();
    for (var row = 0u; row < SIZE; row++) {
        digits |= mask_bit(parent_digit(parent, row, col));
    }
    return SIZE - mask_count(digits);
}

// Child 1: each block-row from the parent that misses fewer digits in its rows.
fn cross_block_rows(one: u32, two: u32, lane: u32) {
    let height = segment_height();
    for (var band = lane * height; band < SIZE; band += LANES * height) {
        var faults_one = 0u;
        var faults_two = 0u;
        for (var row = band; row < band + height; row++) {
            faults_one += missing_in_row(one, row);
            faults_two += missing_in_row(two, row);
        }
        for (var row = band; row < band + height; row++) {
            grid_load_row(select(one, two, faults_two < faults_one), row);
        }
    }
}

// Child 2: the same by block-columns. Lanes first agree on who gives which, as bits: there are as
// many block-columns as a sub-block has rows, 32 at the most.
fn cross_block_columns(one: u32, two: u32, lane: u32) {
    let width = SEGMENT_WIDTH;
    var mine = 0u;
    for (var stack = lane; stack < segment_height(); stack += LANES) {
        var faults_one = 0u;
        var faults_two = 0u;
        for (var col = stack * width; col < (stack + 1u) * width; col++) {
            faults_one += missing_in_column(one, col);
            faults_two += missing_in_column(two, col);
        }
        mine |= select(0u, 1u << stack, faults_two < faults_one);
    }
    let from_two = group_sum(lane, mine);
    for (var row = lane; row < SIZE; row += LANES) {
        grid_load_row(one, row);
        for (var col = 0u; col < SIZE; col++) {
            if extractBits(from_two, col / width, 1u) != 0u {
                grid_set(row, col, parent_digit(two, row, col));
            }
        }
    }
}

// Swaps two free cells of the blocks whose coins fall so, at most once in a block: doing it again
// undoes it. Returns the swaps of this lane.
fn swap_in_blocks(key: vec4<u32>, individual: u32, mutant: u32, lane: u32) -> u32 {
    let base = mutant * (SIZE + 1u);
    let height = segment_height();
    var swaps = 0u;
    if blocks.mutation == MUTATE_INDIVIDUAL {
        let coins = draw(key, individual, SITE_MUTATE_ROW, base);
        let place = draw(key, individual, SITE_MUTATE_ROW, base + SIZE);
        let block = bounded(place.x, SIZE);
        if lane == block / height % LANES && hit(coins.x, blocks.swap) {
            swaps = swap_two(block, coins.z, coins.w);
        }
        return swaps;
    }
    for (var band = lane * height; band < SIZE; band += LANES * height) {
        for (var block = band; block < band + height; block++) {
            let coins = draw(key, individual, SITE_MUTATE_ROW, base + block);
            if hit(coins.x, blocks.swap) {
                swaps += swap_two(block, coins.z, coins.w);
            }
        }
    }
    return swaps;
}

// Makes the child in the working grid; its fitness and the swaps of its local search. Pairs of neighbours have the same
// parents. Lanes meet after.
fn block_child(key: vec4<u32>, individual: u32, pool: Pool, lane: u32) -> vec2<u32> {
    let second = ((individual - pool.first) & 1u) != 0u;
    let pair = individual - select(0u, 1u, second);
    let one = select_parent(key, pair, pool, 0u);
    let two = select_parent(key, pair, pool, 1u);
    let crossed = hit(draw(key, pair, SITE_MATE, 0u).x, blocks.crossover);
    if !crossed {
        grid_load(select(one, two, second), lane);
    } else if second {
        cross_block_columns(one, two, lane);
    } else {
        cross_block_rows(one, two, lane);
    }
    group_barrier();
    var best = vec2(0xffffffffu, 0u);
    for (var mutant = 0u; mutant < blocks.mutants; mutant++) {
        swap_in_blocks(key, individual, mutant, lane);
        group_barrier();
        let found = fitness(lane, vec2(true));
        group_barrier();
        if found < best.x {
            best = vec2(found, mutant);
        }
        swap_in_blocks(key, individual, mutant, lane);
        group_barrier();
    }
    let swaps = group_sum(lane, swap_in_blocks(key, individual, best.y, lane));
    group_barrier();
    // Without a choice there was no search.
    return vec2(best.x, select(0u, swaps, blocks.mutants > 1u));
}
