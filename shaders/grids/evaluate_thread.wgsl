#import grids/load
#import grids/scan

// Evaluation by one thread.

fn evaluate(individual: u32, lane: u32) -> u32 {
    if OBJECTIVE == OWN_OBJECTIVE {
        grid_load(individual, lane);
        return own_fitness(lane);
    }
    return scan(individual);
}
