#import common/puzzle

// Queens: a gene a column, one segment, diagonals for constraints. Twin: `BoardGenes` in
// src/engine/genes.rs.

// One word: whether the board is a torus.

// The first gene of the segment of a gene, and how many it has.
fn gene_segment(gene: u32) -> vec2<u32> {
    return vec2(0u, run.genes);
}

fn gene_slot(gene: u32, value: u32) -> u32 {
    return value;
}

// The falling and the rising diagonal.
fn gene_constraints(gene: u32, value: u32) -> vec2<u32> {
    var constraints = vec2(value + run.genes - gene, value + gene);
    if puzzle[0] != 0u {
        constraints -= select(vec2(0u), vec2(run.genes), constraints >= vec2(run.genes));
    }
    return constraints + vec2(0u, 2u * run.genes);
}

fn fixed_on(constraint: u32) -> u32 {
    return 0u;
}

// Attacks are pairs.
fn conflicts_with(count: u32) -> u32 {
    return count;
}

// What it means for the conflicts if one leaves each of two constraints, and one comes to each of two
// others, any of which may be the same.
fn constraint_change(leave: u32, then_leave: u32, to: u32, then_to: u32) -> i32 {
    let left = constraint_count(leave) - 1u;
    let left_then = constraint_count(then_leave) - 1u - same(then_leave, leave);
    let there = constraint_count(to) - same(to, leave) - same(to, then_leave);
    let there_then = constraint_count(then_to) + same(then_to, to) - same(then_to, leave)
        - same(then_to, then_leave);
    return i32(conflicts_with(there) + conflicts_with(there_then))
        - i32(conflicts_with(left) + conflicts_with(left_then));
}

// How many genes of two individuals differ, in a word of both.
fn genes_differing(one: u32, two: u32) -> u32 {
    return select(0u, 1u, one != two);
}

fn gene_of(individual: u32, gene: u32) -> u32 {
    return parent_word(individual, gene);
}

// Word `word` of the individual under work, for the population.
fn state_pack(word: u32) -> u32 {
    return workspace_get(STATE_GENES + word);
}
