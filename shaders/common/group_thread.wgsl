#import common/loop_guard

// One thread works on one individual: the layout for software adapters, whose vector lanes are threads and whose
// barriers are dear, and for GPUs where individuals are many and need little memory.

const LANES = 1u;

fn group_slot(local: u32, workgroup: vec3<u32>, grid: vec3<u32>) -> u32 {
    return (workgroup.x + workgroup.y * grid.x) * WORKGROUP + local;
}

fn group_lane(local: u32) -> u32 {
    return 0u;
}

fn group_barrier() {}

fn group_storage_barrier() {}

fn group_ballot(lane: u32, flag: bool) -> u32 {
    return select(0u, 1u, flag);
}

fn group_look(lane: u32, value: u32, other: u32) -> u32 {
    return value;
}

fn group_look_xor(lane: u32, value: u32, bits: u32) -> u32 {
    return value;
}

fn group_same(lane: u32, value: u32, other: u32) -> u32 {
    return value;
}

fn group_min(lane: u32, value: u32) -> u32 {
    return value;
}

fn group_sum(lane: u32, value: u32) -> u32 {
    return value;
}

fn group_exclusive_sum(lane: u32, value: u32) -> u32 {
    return 0u;
}

const LOOPS_MAY_BE_CUT = true;

fn group_begin(lane: u32) {}

fn group_truncated(lane: u32) -> bool {
    return !loops_complete();
}
