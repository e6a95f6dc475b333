#import common/run_{lanes}
#import common/state
#import common/chunk
#import common/group_{mapping}

// The entry point of kernels that work on one of some things: an island, a harmony, a search that takes many
// dispatches. The kernel defines
//
//     fn work(item: u32, lane: u32)
//
// and tells itself whether its loops were truncated.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    begin_run();
    let item = chunk.first + group_slot(local, workgroup, grid);
    let lane = group_lane(local);
    if item >= chunk.end || state.done != 0u {
        return;
    }
    group_begin(lane);
    work(item, lane);
}
