// One thread works on one individual: the layout for software adapters, whose vector lanes
// are threads and whose barriers are dear.

const LANES = 1u;

fn tile_slot(local: u32, workgroup: vec3<u32>, grid: vec3<u32>) -> u32 {
    return (workgroup.x + workgroup.y * grid.x) * WORKGROUP + local;
}

fn tile_lane(local: u32) -> u32 {
    return 0u;
}

fn tile_barrier() {}

fn tile_storage_barrier() {}

fn tile_min(lane: u32, value: u32) -> u32 {
    return value;
}

fn tile_sum(lane: u32, value: u32) -> u32 {
    return value;
}

fn tile_before(lane: u32, value: u32) -> u32 {
    return 0u;
}

fn tile_begin(lane: u32) {}

fn tile_cut_short(lane: u32) -> bool {
    return !loops_run();
}
