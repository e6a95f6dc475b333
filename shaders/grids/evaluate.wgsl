#entry fitness
#import grids/load

// The fitness of whole grids. Twin: src/engine/cpu/grids/evaluate.rs.

fn evaluate(individual: u32, lane: u32) -> u32 {
    grid_load(individual, lane);
    group_barrier();
    return fitness(lane, vec2(true));
}
