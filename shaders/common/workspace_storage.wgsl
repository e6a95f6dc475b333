#import common/auxiliary
#import common/chunk

// The workspace in storage, for individuals that workgroup memory cannot hold: every workgroup of a
// dispatch has one.

var<private> workspace_at: u32;

fn workspace_get(at: u32) -> u32 {
    return atomicLoad(&auxiliary[workspace_at + at]);
}

fn workspace_set(at: u32, value: u32) {
    atomicStore(&auxiliary[workspace_at + at], value);
}

// Adds and returns what was there.
fn workspace_add(at: u32, value: u32) -> u32 {
    return atomicAdd(&auxiliary[workspace_at + at], value);
}

fn workspace_min(at: u32, value: u32) {
    atomicMin(&auxiliary[workspace_at + at], value);
}

fn workspace_barrier() {
    storageBarrier();
    workgroupBarrier();
}

// Chooses the workspace of an individual.
fn workspace_open(individual: u32) {
    workspace_at = run.population + (individual - chunk.first) * WORKSPACE_WORDS;
}
