#import common/run_group
#import common/loop_guard
#import common/observation

// The entry point of kernels that look at a generation for the host, whether generations have ended or not. The
// kernel defines
//
//     fn work(index: u32, local: u32)
//
// for workgroup `index` and its thread `local`.

const THREADS = 256u;

@compute @workgroup_size(THREADS)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    work(workgroup.x + workgroup.y * grid.x, local);
    if !loops_complete() {
        observation[CUT_SHORT] = 1u;
    }
}
