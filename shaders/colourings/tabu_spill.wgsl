#import common/workspace_{workspace}
#import common/auxiliary
#import common/chunk

// Tabu states between the dispatches of a generation: those in workgroup memory are copied to the auxiliary buffer.

fn tabu_spill_at(individual: u32) -> u32 {
    return run.population + (individual - chunk.first) * WORKSPACE_WORDS;
}

// Brings back what the last dispatch has kept.
fn tabu_resume(individual: u32, lane: u32) {
    if !WORKSPACE_IN_STORAGE {
        let kept = tabu_spill_at(individual);
        for (var word = lane; word < WORKSPACE_WORDS; word += LANES) {
            workspace_set(word, atomicLoad(&auxiliary[kept + word]));
        }
    }
    workspace_barrier();
}

// Keeps it for the next one.
fn tabu_spill(individual: u32, lane: u32) {
    workspace_barrier();
    if !WORKSPACE_IN_STORAGE {
        let kept = tabu_spill_at(individual);
        for (var word = lane; word < WORKSPACE_WORDS; word += LANES) {
            atomicStore(&auxiliary[kept + word], workspace_get(word));
        }
    }
}
