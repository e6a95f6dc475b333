#import common/run_{lanes}
#import common/state
#import common/chunk
#import common/children
#import common/group_{mapping}

// The entry point of kernels that make one individual of the new population. The kernel defines
//
//     fn vary(individual: u32, lane: u32) -> Child
//
// which writes the cells of the individual and returns the rest.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    begin_run();
    let individual = chunk.first + group_slot(local, workgroup, grid);
    let lane = group_lane(local);
    if individual >= chunk.end || state.done != 0u {
        return;
    }
    begin_child(individual, lane);
    finish_child(individual, lane, vary(individual, lane));
}
