// The fitness of whole grids. Twin: src/engine/cpu/evaluate.rs.

@group(0) @binding(6) var<storage, read_write> new_fitness: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    let individual = chunk.first + tile_slot(local, workgroup, grid);
    let lane = tile_lane(local);
    if individual >= chunk.end {
        return;
    }
    for (var row = lane; row < run.size; row += LANES) {
        tile_load_row(individual, row);
    }
    tile_barrier();
    let illegal = fitness(lane, vec2(true));
    if lane == 0u {
        new_fitness[individual] = illegal;
    }
}
