#import common/run_{lanes}
#import common/chunk
#import common/children
#import common/group_{mapping}

// The entry point of kernels that evaluate the population as it is, also one that has ended. The kernel defines
//
//     fn evaluate(individual: u32, lane: u32) -> u32
//
// Its individuals are their own parents.

fn parent_word(individual: u32, word: u32) -> u32 {
    return new_population[child_word_at(individual, word)];
}

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    begin_run();
    let individual = chunk.first + group_slot(local, workgroup, grid);
    let lane = group_lane(local);
    if individual >= chunk.end {
        return;
    }
    // What was truncated before stays so: these cells may be wrong.
    let before = new_population[individual];
    begin_child(individual, lane);
    let fitness = evaluate(individual, lane);
    let truncated = group_truncated(lane);
    if lane == 0u {
        new_population[individual] = select(fitness, TRUNCATED, truncated || before == TRUNCATED);
    }
}
