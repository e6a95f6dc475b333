// What every kernel knows of the run; twin of `Run` in src/engine/gpu/layout.rs.

struct Run {
    size: u32,
    // Width of a sub-block; 0 in a Latin square.
    block_width: u32,
    // Words of an individual in the population, and of a row in a tile.
    words: u32,
    row_words: u32,
    population: u32,
    seed_low: u32,
    seed_high: u32,
    // Where the parts of the puzzle's tables start.
    free_counts_at: u32,
    free_columns_at: u32,
    free_positions_at: u32,
    pad_0: u32,
    pad_1: u32,
}

// The run so far; twin of `State`.
struct State {
    // The last surveyed generation.
    generation: u32,
    // Not 0 once a generation holds a solution: every kernel does nothing from then on.
    solved: u32,
    // Individuals that learning has re-initialised.
    reinitialised: u32,
    // The queue of elites: how many there are, where the next one goes.
    elite_count: u32,
    elite_next: u32,
    // The best fitness of all generations.
    best_ever: u32,
    pad_0: u32,
    pad_1: u32,
}

// What the survey of a generation found; twin of `Record`.
struct Record {
    generation: u32,
    best: u32,
    best_at: u32,
    worst: u32,
    worst_at: u32,
    sum_low: u32,
    sum_high: u32,
    reinitialised: u32,
}

// Storage and not uniform, as all parameters that steer loops: Mesa's software driver compiles a
// shader anew for the uniforms of every dispatch.
@group(0) @binding(0) var<storage, read> run: Run;
