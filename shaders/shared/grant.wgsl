// Wishes come true as far as they can, and the other genes take what is left: the repair of
// partially mapped crossover (Goldberg & Lingle 1985). Twin: `grant` in
// src/engine/cpu/shared/desk.rs.

fn is_granted(gene: u32) -> bool {
    let value = desk_get(DESK_WISHES + gene);
    return value != NONE && desk_get(DESK_CLAIMS + gene_slot(gene, value)) == gene;
}

// The base is on the desk, and wishes for it; of two genes that wish for the same value the first
// gets it.
fn grant(lane: u32) {
    for (var slot = lane; slot < run.slots; slot += LANES) {
        desk_set(DESK_CLAIMS + slot, NONE);
    }
    desk_barrier();
    for (var gene = lane; gene < run.genes; gene += LANES) {
        let value = desk_get(DESK_WISHES + gene);
        if value != NONE {
            desk_min(DESK_CLAIMS + gene_slot(gene, value), gene);
        }
    }
    desk_barrier();
    // A gene whose own value went to another takes over that one's, or what that one's went for,
    // and so on. Nobody who gets what he wishes changes meanwhile, and no two paths meet.
    for (var gene = lane; gene < run.genes; gene += LANES) {
        if !is_granted(gene) {
            var value = desk_get(DESK_GENES + gene);
            var taker = desk_get(DESK_CLAIMS + gene_slot(gene, value));
            while taker != NONE {
                value = desk_get(DESK_GENES + taker);
                taker = desk_get(DESK_CLAIMS + gene_slot(gene, value));
            }
            desk_set(DESK_GENES + gene, value);
        }
    }
    desk_barrier();
    for (var gene = lane; gene < run.genes; gene += LANES) {
        if is_granted(gene) {
            desk_set(DESK_GENES + gene, desk_get(DESK_WISHES + gene));
        }
    }
    desk_barrier();
}
