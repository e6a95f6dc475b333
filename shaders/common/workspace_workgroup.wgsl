// The workspace in workgroup memory.

var<workgroup> workspace: array<atomic<u32>, WORKSPACE_WORDS>;

fn workspace_get(at: u32) -> u32 {
    return atomicLoad(&workspace[at]);
}

fn workspace_set(at: u32, value: u32) {
    atomicStore(&workspace[at], value);
}

// Adds and returns what was there.
fn workspace_add(at: u32, value: u32) -> u32 {
    return atomicAdd(&workspace[at], value);
}

fn workspace_min(at: u32, value: u32) {
    atomicMin(&workspace[at], value);
}

fn workspace_barrier() {
    workgroupBarrier();
}

// Chooses the workspace of an individual.
fn workspace_open(individual: u32) {}
