#import common/run_group

// The entry point of kernels that look at a whole generation with large workgroups. The kernel defines
//
//     fn work(index: u32, local: u32)
//
// for workgroup `index` and its thread `local`, and declares `state`, which it may write.

const THREADS = 256u;

var<workgroup> ended: u32;

@compute @workgroup_size(THREADS)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    if local == 0u {
        ended = state.done;
    }
    if workgroupUniformLoad(&ended) != 0u {
        return;
    }
    work(workgroup.x + workgroup.y * grid.x, local);
}
