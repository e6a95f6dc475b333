// Everybody in the order of fitness, for kernels that look up to the best.
// Twin: `order` in src/engine/cpu/permutations.rs.

@group(0) @binding(2) var<storage, read> state: State;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    let individual = chunk.first + tile_slot(local, workgroup, grid);
    let lane = tile_lane(local);
    if individual >= chunk.end || state.done != 0u {
        return;
    }
    tile_begin(lane);
    let rank = standing(individual, lane);
    let cut_short = tile_cut_short(lane);
    if lane == 0u {
        // Whoever is cut short, all are: their loops are of one length.
        atomicStore(&aside[select(rank, individual, cut_short)], select(individual, NONE, cut_short));
    }
}
