// The fitness of whole grids. Twin: src/engine/cpu/evaluate.rs.

@group(0) @binding(4) var<storage, read_write> new_population: array<u32>;

// Here the individuals are their own parents.
fn parent_word(individual: u32, word: u32) -> u32 {
    return new_population[2u * run.population + individual * run.words + word];
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    begin_run();
    let individual = chunk.first + tile_slot(local, workgroup, grid);
    let lane = tile_lane(local);
    if individual >= chunk.end {
        return;
    }
    tile_load(individual, lane);
    tile_barrier();
    let score = fitness(lane, vec2(true));
    if lane == 0u {
        new_population[individual] = score;
    }
}
