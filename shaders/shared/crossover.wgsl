// Row crossover (LSGA Algorithm 1): an individual takes some rows of a mate.

fn crossover(key: vec4<u32>, individual: u32, lane: u32) {
    let coin = draw(key, individual, SITE_MATE, 0u);
    if !hit(coin.x, breed.crossover) {
        return;
    }
    let mate = bounded(coin.y, run.population);
    for (var row = lane; row < run.size; row += LANES) {
        if hit(draw(key, individual, SITE_CROSSOVER_ROW, row).x, breed.crossover_row) {
            tile_load_row(mate, row);
        }
    }
}
