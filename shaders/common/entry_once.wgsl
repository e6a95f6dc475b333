#import common/run_{lanes}
#import common/group_{mapping}

// The entry point of kernels that are one group of lanes for the whole population. The kernel defines
//
//     fn work(lane: u32)
//
// and declares `state`, which it may write.

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    begin_run();
    if group_slot(local, workgroup, grid) == 0u {
        work(group_lane(local));
    }
}
