#entry fitness
#mapping group
#import colourings/counts

// The conflicts and the holes of colourings. Twin: `evaluate` in src/engine/cpu/colourings/mod.rs.

fn evaluate(individual: u32, lane: u32) -> u32 {
    search_open(individual);
    let holes = digits_load(individual, lane);
    group_storage_barrier();
    counts_load(lane);
    group_storage_barrier();
    var ends = 0u;
    for (var vertex = lane; vertex < run.vertices; vertex += LANES) {
        let cell = vertex_cell(vertex);
        let digit = digit_at(cell);
        if digit != HOLE {
            ends += rivals_of(rivals_at(cell), digit) - OWN_LINES;
        }
    }
    return group_sum(lane, ends) / 2u + group_sum(lane, holes);
}
