#import grids/written_rows

// The fitness of cells that a group of lanes has written, and can read.
fn written_fitness(item: u32, lane: u32) -> u32 {
    load_written(item, lane);
    group_barrier();
    return fitness(lane, vec2(true));
}
