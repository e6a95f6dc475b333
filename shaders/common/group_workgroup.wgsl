#import common/loop_guard

// One workgroup of LANES lanes works on one individual, and votes in workgroup memory: the layout for adapters
// without subgroups of 32 lanes, and for browsers.
//
// Operations are called by all lanes together. What they return is the same in all lanes, but for those of
// `group_look`, `group_look_xor` and `group_exclusive_sum`. What steers a loop with a barrier comes out of one of the others, so that barriers
// stand in uniform control flow.

const LANES = WORKGROUP;

var<workgroup> group_vote: atomic<u32>;
var<workgroup> group_truncation: atomic<u32>;
var<workgroup> group_result: u32;
var<workgroup> group_values: array<u32, WORKGROUP>;

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

fn group_publish(lane: u32) -> u32 {
    workgroupBarrier();
    if lane == 0u {
        group_result = atomicLoad(&group_vote);
    }
    return workgroupUniformLoad(&group_result);
}

// The lanes whose flag is set, as bits. Lanes from 32 on have no bit.
fn group_ballot(lane: u32, flag: bool) -> u32 {
    if lane == 0u {
        atomicStore(&group_vote, 0u);
    }
    workgroupBarrier();
    if flag {
        atomicOr(&group_vote, 1u << lane);
    }
    return group_publish(lane);
}

// The value of another lane; each lane may ask for a different one.
fn group_look(lane: u32, value: u32, other: u32) -> u32 {
    workgroupBarrier();
    group_values[lane] = value;
    workgroupBarrier();
    return group_values[other];
}

// The value of the lane whose number differs in these bits, which are a constant.
fn group_look_xor(lane: u32, value: u32, bits: u32) -> u32 {
    return group_look(lane, value, lane ^ bits);
}

// The value of a lane that all ask for.
fn group_same(lane: u32, value: u32, other: u32) -> u32 {
    workgroupBarrier();
    group_values[lane] = value;
    return workgroupUniformLoad(&group_values[other]);
}

// The smallest value of all lanes.
fn group_min(lane: u32, value: u32) -> u32 {
    if lane == 0u {
        atomicStore(&group_vote, 0xffffffffu);
    }
    workgroupBarrier();
    atomicMin(&group_vote, value);
    return group_publish(lane);
}

// The sum over all lanes.
fn group_sum(lane: u32, value: u32) -> u32 {
    if lane == 0u {
        atomicStore(&group_vote, 0u);
    }
    workgroupBarrier();
    atomicAdd(&group_vote, value);
    return group_publish(lane);
}

// The sum over all lanes before this one.
fn group_exclusive_sum(lane: u32, value: u32) -> u32 {
    workgroupBarrier();
    group_values[lane] = value;
    for (var step = 1u; step < LANES; step *= 2u) {
        workgroupBarrier();
        let before = select(0u, group_values[max(lane, step) - step], lane >= step);
        workgroupBarrier();
        group_values[lane] += before;
    }
    return group_values[lane] - value;
}

// Whether the driver may be one that cuts loops short.
const LOOPS_MAY_BE_CUT = true;

// Before the first loop of a kernel.
fn group_begin(lane: u32) {
    if lane == 0u {
        atomicStore(&group_truncation, 0u);
    }
    workgroupBarrier();
}

// Whether a driver has cut the loops of any lane short; behind the last loop of a kernel. Lanes that
// were cut run ahead, past barriers at which the others still are, so that a vote of theirs would be
// lost: they leave a mark that stays.
fn group_truncated(lane: u32) -> bool {
    if !loops_complete() {
        atomicStore(&group_truncation, 1u);
    }
    workgroupBarrier();
    return atomicLoad(&group_truncation) != 0u;
}
