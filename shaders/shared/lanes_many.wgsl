// One workgroup of LANES lanes works on one individual: the layout for GPUs.
//
// Everything that steers a loop with a barrier comes out of tile_min or tile_sum, which are
// uniform, so barriers stand in uniform control flow.

const LANES = WORKGROUP;

var<workgroup> tile_vote: atomic<u32>;
var<workgroup> tile_cut: atomic<u32>;
var<workgroup> tile_result: u32;
var<workgroup> tile_sums: array<u32, WORKGROUP>;

// Which tile of the dispatch an invocation belongs to.
fn tile_slot(local: u32, workgroup: vec3<u32>, grid: vec3<u32>) -> u32 {
    return workgroup.x + workgroup.y * grid.x;
}

// Which lane of its tile it is.
fn tile_lane(local: u32) -> u32 {
    return local;
}

// Waits for the other lanes of the tile.
fn tile_barrier() {
    workgroupBarrier();
}

// The same, and what they wrote to storage can be read.
fn tile_storage_barrier() {
    storageBarrier();
    workgroupBarrier();
}

fn tile_publish(lane: u32) -> u32 {
    workgroupBarrier();
    if lane == 0u {
        tile_result = atomicLoad(&tile_vote);
    }
    return workgroupUniformLoad(&tile_result);
}

// The smallest value of all lanes.
fn tile_min(lane: u32, value: u32) -> u32 {
    if lane == 0u {
        atomicStore(&tile_vote, 0xffffffffu);
    }
    workgroupBarrier();
    atomicMin(&tile_vote, value);
    return tile_publish(lane);
}

// The sum over all lanes.
fn tile_sum(lane: u32, value: u32) -> u32 {
    if lane == 0u {
        atomicStore(&tile_vote, 0u);
    }
    workgroupBarrier();
    atomicAdd(&tile_vote, value);
    return tile_publish(lane);
}

// The sum over all lanes before this one.
fn tile_before(lane: u32, value: u32) -> u32 {
    tile_sums[lane] = value;
    for (var step = 1u; step < LANES; step *= 2u) {
        workgroupBarrier();
        let before = select(0u, tile_sums[max(lane, step) - step], lane >= step);
        workgroupBarrier();
        tile_sums[lane] += before;
    }
    return tile_sums[lane] - value;
}

// Before the first loop of a kernel.
fn tile_begin(lane: u32) {
    if lane == 0u {
        atomicStore(&tile_cut, 0u);
    }
    workgroupBarrier();
}

// Whether a driver has cut the loops of any lane short; behind the last loop of a kernel. Lanes that
// were cut run ahead, past barriers at which the others still are, so that a vote of theirs would be
// lost: they leave a mark that stays.
fn tile_cut_short(lane: u32) -> bool {
    if !loops_run() {
        atomicStore(&tile_cut, 1u);
    }
    workgroupBarrier();
    return atomicLoad(&tile_cut) != 0u;
}
