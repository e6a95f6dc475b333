// One individual of the new population from the old one, with sub-blocks that stay permutations.
// Twin: src/engine/cpu/breed_blocks.rs.

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
    begin_child(individual, lane);
    let key = key_of(state.generation + 1u);
    let child = block_child(key, individual, Pool(0u, run.population), lane);
    store_child(individual, lane);
    let cut_short = tile_cut_short(lane);
    if lane == 0u {
        set_child(individual, select(child.x, CUT_SHORT, cut_short), child.y);
    }
}
