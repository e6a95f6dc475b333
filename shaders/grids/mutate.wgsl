#import grids/segments
#import common/rng

// Swap and re-initialisation mutation (LSGA Algorithm 2). Rows stay permutations.

const MUTATE_INDIVIDUAL = 1u;

fn mutate_row(key: vec4<u32>, individual: u32, row: u32, coins: vec4<u32>) {
    if hit(coins.x, breed.swap) {
        swap_two(row, coins.z, coins.w);
    }
    if hit(coins.y, breed.reinitialise) {
        shuffle_segment(key, individual, row, SITE_REINITIALISE);
    }
}

fn mutate(key: vec4<u32>, individual: u32, lane: u32) {
    if breed.mutation == MUTATE_INDIVIDUAL {
        let row = bounded(draw(key, individual, SITE_MUTATE_ROW, SIZE).x, SIZE);
        if row % LANES == lane {
            mutate_row(key, individual, row, draw(key, individual, SITE_MUTATE_ROW, 0u));
        }
        return;
    }
    for (var row = lane; row < SIZE; row += LANES) { // lanes of SIZE
        mutate_row(key, individual, row, draw(key, individual, SITE_MUTATE_ROW, row));
    }
}
