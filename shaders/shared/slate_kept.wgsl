// Slates between the dispatches of a generation: those in workgroup memory are copied aside.

fn slate_kept_at(individual: u32) -> u32 {
    return run.population + (individual - chunk.first) * DESK_WORDS;
}

// Brings back what the last dispatch has kept.
fn slate_resume(individual: u32, lane: u32) {
    if !DESK_IN_STORAGE {
        let kept = slate_kept_at(individual);
        for (var word = lane; word < DESK_WORDS; word += LANES) {
            desk_set(word, atomicLoad(&aside[kept + word]));
        }
    }
    desk_barrier();
}

// Keeps it for the next one.
fn slate_keep(individual: u32, lane: u32) {
    desk_barrier();
    if !DESK_IN_STORAGE {
        let kept = slate_kept_at(individual);
        for (var word = lane; word < DESK_WORDS; word += LANES) {
            atomicStore(&aside[kept + word], desk_get(word));
        }
    }
}
