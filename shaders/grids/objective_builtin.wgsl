// No fitness of its own: OBJECTIVE is never OWN_OBJECTIVE in this variant.

fn own_fitness(lane: u32) -> u32 {
    return 0u;
}
