// Outside of the population: everybody in the order of fitness, then the workspaces in storage, then
// what each individual remembers (its best fitness and 1, its genes then, the velocity of each and
// 1; 0 is none).

@group(0) @binding(7) var<storage, read_write> auxiliary: array<atomic<u32>>;

fn memory_at(individual: u32) -> u32 {
    return run.memories_at + individual * (1u + 2u * run.genes);
}
