// The old population, from which the new one is made.

@group(0) @binding(3) var<storage, read> old_words: array<u32>;
@group(0) @binding(4) var<storage, read> old_fitness: array<u32>;

// Takes a row of an individual.
fn tile_load_row(individual: u32, row: u32) {
    let start = individual * run.words;
    for (var word = 0u; word < run.row_words; word++) {
        let cell = row * run.size + word * 4u;
        let at = cell >> 2u;
        let next = min(at + 1u, run.words - 1u);
        tile_cells[row * run.row_words + word] =
            unaligned(old_words[start + at], old_words[start + next], cell);
    }
}
