// What every kernel knows of the run; twin of `RunParams` in src/engine/gpu/layout.rs. Sizes are constants of the text:
// SIZE, WORDS and so on, from `Variant::constants`.

struct Run {
    // Not 0: cells hold any digits of their domains.
    free_digits: u32,
    // The families in which digits may be repeated, as bits.
    faulty: u32,
    objective: u32,
    population: u32,
    seed_low: u32,
    seed_high: u32,
    // Where the parts of the puzzle's tables start.
    free_counts_at: u32,
    free_cells_at: u32,
    free_positions_at: u32,
    domains_at: u32,
    // The fitness of a solution.
    goal: u32,
    // Bits of a cell in the population: 8 of a grid, 32 of a board.
    cell_bits: u32,
    // Of permutation kernels: how many genes, slots and constraints there are.
    genes: u32,
    slots: u32,
    constraints: u32,
    // The weights of support and confidence; without them conflicts are counted.
    support: u32,
    confidence: u32,
    // Where the tables of a grid's genes start.
    genes_at: u32,
    segments_at: u32,
    fixed_at: u32,
    gene_of_at: u32,
    // Where the memories of individuals start in the auxiliary buffer.
    memories_at: u32,
    // Of colouring kernels: how many vertices and choices there are, padding included, and where
    // their tables start.
    vertices: u32,
    choices: u32,
    vertices_at: u32,
    vertex_of_at: u32,
    choices_at: u32,
    digits_at: u32,
    // Of packing kernels: how many elements there are, and where the tables of the exact cover start.
    elements: u32,
    elements_at: u32,
    candidates_at: u32,
}

// No individual, no gene, no value.
const NONE = 0xffffffffu;
// What a cell of a partial grid has instead of a digit. No digit is as large.
const HOLE = 255u;

// The run so far; twin of `State`.
struct State {
    // The last surveyed generation, and who was best.
    generation: u32,
    best_at: u32,
    // Surveys so far, and generations that the next one stands for.
    surveys: u32,
    stride: u32,
    // Generations end with one whose best is as good as this, solution or not.
    target_fitness: u32,
    // Not 0 once they have ended: every kernel does nothing from then on.
    done: u32,
    // Individuals that learning has re-initialised.
    reinitialised: u32,
    // The queue of elites: how many there are, where the next one goes.
    elite_count: u32,
    elite_next: u32,
    // The best fitness of all generations.
    best_ever: u32,
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
    swaps_low: u32,
    swaps_high: u32,
    differences_low: u32,
    differences_high: u32,
    goal: u32,
}
