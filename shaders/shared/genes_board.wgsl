// Queens: a gene a column, one brick, diagonals for lines. Twin: `BoardGenes` in
// src/engine/genes.rs.

// One word: whether the board is a torus.
@group(0) @binding(1) var<storage, read> puzzle: array<u32>;

// The first gene of the brick of a gene, and how many it has.
fn gene_brick(gene: u32) -> vec2<u32> {
    return vec2(0u, run.genes);
}

fn gene_slot(gene: u32, value: u32) -> u32 {
    return value;
}

// The falling and the rising diagonal.
fn gene_lines(gene: u32, value: u32) -> vec2<u32> {
    var lines = vec2(value + run.genes - gene, value + gene);
    if puzzle[0] != 0u {
        lines -= select(vec2(0u), vec2(run.genes), lines >= vec2(run.genes));
    }
    return lines + vec2(0u, 2u * run.genes);
}

fn fixed_on(line: u32) -> u32 {
    return 0u;
}

// Attacks are pairs.
fn conflicts_with(count: u32) -> u32 {
    return count;
}

fn gene_of(individual: u32, gene: u32) -> u32 {
    return parent_word(individual, gene);
}

// Word `word` of the individual on the desk, for the population.
fn desk_pack(word: u32) -> u32 {
    return desk_get(DESK_GENES + word);
}
