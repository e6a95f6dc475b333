// The initial population: random individuals that keep the givens. Also one that begins anew.
// Twin: src/engine/cpu/initialise.rs.

@group(0) @binding(2) var<storage, read> state: State;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    begin_run();
    let individual = chunk.first + tile_slot(local, workgroup, grid);
    let lane = tile_lane(local);
    if individual >= chunk.end || state.done != 0u {
        return;
    }
    fresh(key_of(state.generation + 1u), individual, lane, SITE_INITIALISE);
    tile_barrier();
    store_child(individual, lane);
    let score = fitness(lane, vec2(true));
    if lane == 0u {
        set_child(individual, score, 0u);
    }
}
