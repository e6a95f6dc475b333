#entry fitness
#mapping group
#import permutations/state

// The fitness of individuals by their constraints. Twin: `evaluate` in
// src/engine/cpu/permutations/mod.rs.

fn evaluate(individual: u32, lane: u32) -> u32 {
    workspace_open(individual);
    state_load(individual, lane);
    return state_fitness(lane, count_conflicts(lane));
}
