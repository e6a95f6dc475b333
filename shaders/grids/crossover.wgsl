#import grids/load
#import common/rng

// Row crossover (LSGA Algorithm 1): an individual takes some rows of a mate, the others of its parent.

fn crossover(key: vec4<u32>, individual: u32, parent: u32, lane: u32) {
    let coin = draw(key, individual, SITE_MATE, 0u);
    let crosses = hit(coin.x, breed.crossover);
    let mate = bounded(coin.y, run.population);
    for (var row = lane; row < SIZE; row += LANES) { // lanes of SIZE
        var giver = parent;
        if crosses && hit(draw(key, individual, SITE_CROSSOVER_ROW, row).x, breed.crossover_row) {
            giver = mate;
        }
        grid_load_row(giver, row);
    }
}
