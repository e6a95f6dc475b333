// The desk in workgroup memory.

var<workgroup> desk: array<atomic<u32>, DESK_WORDS>;

fn desk_get(at: u32) -> u32 {
    return atomicLoad(&desk[at]);
}

fn desk_set(at: u32, value: u32) {
    atomicStore(&desk[at], value);
}

// Adds and returns what was there.
fn desk_add(at: u32, value: u32) -> u32 {
    return atomicAdd(&desk[at], value);
}

fn desk_min(at: u32, value: u32) {
    atomicMin(&desk[at], value);
}

fn desk_barrier() {
    workgroupBarrier();
}

// Chooses the desk of an individual.
fn desk_open(individual: u32) {}
