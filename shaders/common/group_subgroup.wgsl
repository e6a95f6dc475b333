#import common/loop_guard

// LANES lanes of one subgroup work on one individual: the layout for GPUs whose subgroups have 32 lanes or more. A
// workgroup is a part of one subgroup, so that votes need no memory.
//
// Operations are called by all lanes together. What they return is the same in all lanes, but for those of
// `group_look`, `group_look_xor` and `group_exclusive_sum`.

const LANES = WORKGROUP;

// Which group of the dispatch an invocation belongs to.
fn group_slot(local: u32, workgroup: vec3<u32>, grid: vec3<u32>) -> u32 {
    return workgroup.x + workgroup.y * grid.x;
}

// Which lane of its group it is.
fn group_lane(local: u32) -> u32 {
    return local;
}

// Waits for the other lanes of the group.
fn group_barrier() {
    workgroupBarrier();
}

// The same, and what they wrote to storage can be read.
fn group_storage_barrier() {
    storageBarrier();
    workgroupBarrier();
}

// The lanes whose flag is set, as bits.
fn group_ballot(lane: u32, flag: bool) -> u32 {
    return subgroupBallot(flag).x;
}

// The value of another lane; each lane may ask for a different one. Its number must not come out of a mask of more bits
// than numbers of lanes have: RADV of Mesa 22.3 drops the mask, and in waves of 64 compares what is left.
fn group_look(lane: u32, value: u32, other: u32) -> u32 {
    return subgroupShuffle(value, other);
}

// The value of the lane whose number differs in these bits, which are a constant.
fn group_look_xor(lane: u32, value: u32, bits: u32) -> u32 {
    return subgroupShuffleXor(value, bits);
}

// The value of a lane that all ask for.
fn group_same(lane: u32, value: u32, other: u32) -> u32 {
    return subgroupShuffle(value, other);
}

// The smallest value of all lanes.
fn group_min(lane: u32, value: u32) -> u32 {
    return subgroupMin(value);
}

// The sum over all lanes.
fn group_sum(lane: u32, value: u32) -> u32 {
    return subgroupAdd(value);
}

// The sum over all lanes before this one.
fn group_exclusive_sum(lane: u32, value: u32) -> u32 {
    return subgroupExclusiveAdd(value);
}

// Only software drivers cut loops short, and none of them is given subgroups (src/engine/gpu/mapping.rs).
const LOOPS_MAY_BE_CUT = false;

fn group_begin(lane: u32) {}

fn group_truncated(lane: u32) -> bool {
    return false;
}
