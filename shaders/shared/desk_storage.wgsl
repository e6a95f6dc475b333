// The desk in storage, for individuals that workgroup memory cannot hold: every workgroup of a
// dispatch has one.

var<private> desk_at: u32;

fn desk_get(at: u32) -> u32 {
    return atomicLoad(&aside[desk_at + at]);
}

fn desk_set(at: u32, value: u32) {
    atomicStore(&aside[desk_at + at], value);
}

// Adds and returns what was there.
fn desk_add(at: u32, value: u32) -> u32 {
    return atomicAdd(&aside[desk_at + at], value);
}

fn desk_min(at: u32, value: u32) {
    atomicMin(&aside[desk_at + at], value);
}

fn desk_barrier() {
    storageBarrier();
    workgroupBarrier();
}

// Chooses the desk of an individual.
fn desk_open(individual: u32) {
    desk_at = run.population + (individual - chunk.first) * DESK_WORDS;
}
