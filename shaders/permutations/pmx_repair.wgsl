#import permutations/state

// Genes take their target values as far as they can, and the others take what is left: the repair of
// partially mapped crossover (Goldberg & Lingle 1985). Twin: `pmx_repair` in
// src/engine/cpu/permutations/state.rs.

fn gets_target(gene: u32) -> bool {
    let value = workspace_get(STATE_TARGETS + gene);
    return value != NONE && workspace_get(STATE_CLAIMS + gene_slot(gene, value)) == gene;
}

// The base is in the workspace, and targets for it; of two genes with the same target the first
// gets it.
fn pmx_repair(lane: u32) {
    for (var slot = lane; slot < SLOTS; slot += LANES) { // lanes of SLOTS
        workspace_set(STATE_CLAIMS + slot, NONE);
    }
    workspace_barrier();
    for (var gene = lane; gene < run.genes; gene += LANES) { // lanes of GENES
        let value = workspace_get(STATE_TARGETS + gene);
        if value != NONE {
            workspace_min(STATE_CLAIMS + gene_slot(gene, value), gene);
        }
    }
    workspace_barrier();
    // A gene whose own value went to another takes over that one's, or what that one's went for,
    // and so on. Nobody changes meanwhile, and no two paths meet: what they find is their target now.
    for (var gene = lane; gene < run.genes; gene += LANES) { // lanes of GENES
        if !gets_target(gene) {
            var value = workspace_get(STATE_GENES + gene);
            var taker = workspace_get(STATE_CLAIMS + gene_slot(gene, value));
            while taker != NONE {
                value = workspace_get(STATE_GENES + taker);
                taker = workspace_get(STATE_CLAIMS + gene_slot(gene, value));
            }
            workspace_set(STATE_TARGETS + gene, value);
        }
    }
    workspace_barrier();
    for (var gene = lane; gene < run.genes; gene += LANES) { // lanes of GENES
        workspace_set(STATE_GENES + gene, workspace_get(STATE_TARGETS + gene));
    }
    workspace_barrier();
}
