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

// The better of so many random individuals; the first of equals. Each lane draws one of them.
fn select_parent(key: vec4<u32>, pair: u32, pool: Pool, which: u32, lane: u32) -> u32 {
    var best = 0u;
    var best_fitness = 0xffffffffu;
    for (var index = 0u; index < blocks.tournament; index += LANES) {
        let words = draw(key, pair, SITE_TOURNAMENT, which * blocks.tournament + index + lane);
        let next = pool.first + bounded(words.x, pool.count);
        let theirs = select(0xffffffffu, parent_fitness(next), index + lane < blocks.tournament);
        let found = group_min(lane, theirs);
        let first = firstTrailingBit(group_ballot(lane, theirs == found));
        let who = group_same(lane, next, first);
        if found < best_fitness {
            best = who;
            best_fitness = found;
        }
    }
    return best;
}

// Four cells of a row of a parent.
fn parent_quad(parent: u32, row: u32, word: u32) -> u32 {
    let cell = row * SIZE + 4u * word;
    let at = cell >> 2u;
    return unaligned(parent_word(parent, at), parent_word(parent, min(at + 1u, WORDS - 1u)), cell);
}

// How many digits a row or a column of a parent misses.
fn missing_in_row(parent: u32, row: u32) -> u32 {
    var digits = Mask();
    for (var word = 0u; word < ROW_WORDS; word++) { // unroll to 8
        let cells = parent_quad(parent, row, word);
        for (var byte = 0u; byte < 4u; byte++) { // unroll
            // The last cell once more, where the row has ended.
            let place = min(byte, SIZE - 1u - 4u * word);
            digits |= mask_bit(extractBits(cells, 8u * place, 8u));
        }
    }
    return SIZE - mask_count(digits);
}

fn missing_in_column(parent: u32, col: u32) -> u32 {
    var digits = Mask();
    for (var row = 0u; row < SIZE; row++) { // unroll to 32
        digits |= mask_bit(parent_digit(parent, row, col));
    }
    return SIZE - mask_count(digits);
}

// While parents are compared, the first word of each row of the working grid has how many digits more the second of them
// misses in a row, or column, of this number.
fn set_lead(line: u32, lead: u32) {
    grid_cells[line * ROW_WORDS] = lead;
}

// Whether the second parent misses fewer digits in so many lines.
fn is_second_better(first: u32, lines: u32) -> bool {
    var lead = 0u;
    for (var line = first; line < first + lines; line++) {
        lead += grid_cells[line * ROW_WORDS];
    }
    return bitcast<i32>(lead) < 0;
}

// Child 1: each block-row from the parent that misses fewer digits in its rows.
fn cross_block_rows(one: u32, two: u32, lane: u32) {
    let height = segment_height();
    for (var row = lane; row < SIZE; row += LANES) { // lanes of SIZE
        set_lead(row, missing_in_row(two, row) - missing_in_row(one, row));
    }
    group_barrier();
    // As bits: there are as many block-rows as a sub-block is wide, and as many block-columns as it is high.
    var from_two = Mask();
    for (var band = 0u; band < SIZE / height; band++) {
        from_two |= select(Mask(), mask_bit(band), is_second_better(band * height, height));
    }
    group_barrier();
    for (var row = lane; row < SIZE; row += LANES) { // lanes of SIZE
        grid_load_row(select(one, two, mask_has(from_two, divide(row, inverse(height)))), row);
    }
}

// Child 2: the same by block-columns.
fn cross_block_columns(one: u32, two: u32, lane: u32) {
    for (var col = lane; col < SIZE; col += LANES) { // lanes of SIZE
        set_lead(col, missing_in_column(two, col) - missing_in_column(one, col));
    }
    group_barrier();
    var from_two = Mask();
    for (var stack = 0u; stack < SIZE / SEGMENT_WIDTH; stack++) {
        from_two |= select(Mask(), mask_bit(stack), is_second_better(stack * SEGMENT_WIDTH, SEGMENT_WIDTH));
    }
    group_barrier();
    for (var row = lane; row < SIZE; row += LANES) { // lanes of SIZE
        for (var word = 0u; word < ROW_WORDS; word++) { // unroll to 8
            var bytes = 0u;
            for (var byte = 0u; byte < 4u; byte++) { // unroll
                let stack = divide(min(4u * word + byte, SIZE - 1u), inverse(SEGMENT_WIDTH));
                bytes |= select(0u, 255u << (8u * byte), mask_has(from_two, stack));
            }
            let cells = parent_quad(one, row, word);
            grid_cells[row * ROW_WORDS + word] = cells ^ ((cells ^ parent_quad(two, row, word)) & bytes);
        }
    }
}

// The swap of two free cells that a lane makes in its block, if there is one.
fn drawn_swap(key: vec4<u32>, individual: u32, mutant: u32, block: u32, lane: u32) -> FreePair {
    let base = mutant * (SIZE + 1u);
    if blocks.mutation == MUTATE_INDIVIDUAL {
        let coins = draw(key, individual, SITE_MUTATE_ROW, base);
        let place = draw(key, individual, SITE_MUTATE_ROW, base + SIZE);
        var pair = free_pair(bounded_short(place.x, SIZE), coins.z, coins.w);
        pair.exists &= block == 0u && hit(coins.x, blocks.swap);
        return pair;
    }
    let coins = draw(key, individual, SITE_MUTATE_ROW, base + block);
    var pair = free_pair(min(block, SIZE - 1u), coins.z, coins.w);
    pair.exists &= block < SIZE && hit(coins.x, blocks.swap);
    return pair;
}

// Carries it out. Blocks of a band have words in common: if lanes have several of them, these take turns. Lanes have met
// before and meet after.
fn carry_out(pair: FreePair, block: u32) {
    let height = segment_height();
    let in_band = block - divide(block, inverse(height)) * height;
    let mine = select(in_band, 0u, LANES == 1u);
    for (var turn = 0u; turn < BAND_ROWS; turn++) { // unroll
        if pair.exists && mine == turn {
            swap_cells(pair.one, pair.two);
        }
        group_barrier();
    }
}

// What a lane has swapped: how many pairs, and the last of them.
struct Swapped {
    count: u32,
    pair: FreePair,
}

// Swaps two free cells of the blocks whose coins fall so, at most once in a block.
fn swap_in_blocks(key: vec4<u32>, individual: u32, mutant: u32, lane: u32) -> Swapped {
    var swapped: Swapped;
    for (var first = 0u; first < SIZE; first += LANES) {
        let block = first + lane;
        swapped.pair = drawn_swap(key, individual, mutant, block, lane);
        swapped.count += select(0u, 1u, swapped.pair.exists);
        carry_out(swapped.pair, block);
    }
    return swapped;
}

// Doing it again undoes it. A lane with one block remembers what it has swapped there.
fn swap_again(swapped: Swapped, key: vec4<u32>, individual: u32, mutant: u32, lane: u32) {
    if LANES >= SIZE {
        carry_out(swapped.pair, lane);
    } else {
        _ = swap_in_blocks(key, individual, mutant, lane);
    }
}

// Makes the child in the working grid; its fitness and the swaps of its local search. Pairs of neighbours have the same
// parents. Lanes meet after.
fn block_child(key: vec4<u32>, individual: u32, pool: Pool, lane: u32) -> vec2<u32> {
    let second = ((individual - pool.first) & 1u) != 0u;
    let pair = individual - select(0u, 1u, second);
    let one = select_parent(key, pair, pool, 0u, lane);
    let two = select_parent(key, pair, pool, 1u, lane);
    let crossed = hit(draw(key, pair, SITE_MATE, 0u).x, blocks.crossover);
    if !crossed {
        grid_load(select(one, two, second), lane);
    } else if second {
        cross_block_columns(one, two, lane);
    } else {
        cross_block_rows(one, two, lane);
    }
    group_barrier();
    var best = 0u;
    var best_fitness = 0xffffffffu;
    var kept: Swapped;
    for (var mutant = 0u; mutant < blocks.mutants; mutant++) {
        let swapped = swap_in_blocks(key, individual, mutant, lane);
        let found = fitness(lane, vec2(true));
        group_barrier();
        if found < best_fitness {
            best = mutant;
            best_fitness = found;
            kept = swapped;
        }
        // The last one stays if it is the best.
        if best + 1u < blocks.mutants {
            swap_again(swapped, key, individual, mutant, lane);
        }
    }
    if best + 1u < blocks.mutants {
        swap_again(kept, key, individual, best, lane);
    }
    // Without a choice there was no search.
    var swaps = 0u;
    if blocks.mutants > 1u {
        swaps = group_sum(lane, kept.count);
    }
    return vec2(best_fitness, swaps);
}
