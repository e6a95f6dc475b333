#import grids/load

// Evaluation by a group of lanes.

fn evaluate(individual: u32, lane: u32) -> u32 {
    grid_load(individual, lane);
    group_barrier();
    return fitness(lane, vec2(true));
}
