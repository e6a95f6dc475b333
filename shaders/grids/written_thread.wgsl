#import grids/scan
#import grids/written_rows

// The fitness of cells that one thread has written.
fn written_fitness(item: u32, lane: u32) -> u32 {
    if OBJECTIVE == OWN_OBJECTIVE {
        load_written(item, lane);
        return own_fitness(lane);
    }
    return scan(item);
}
