#import common/bits
#import common/puzzle

// A grid: a gene a free cell, sub-blocks or rows for segments, units with a digit for constraints. Twin:
// `GridGenes` in src/engine/genes.rs.


fn gene_cell(gene: u32) -> u32 {
    return puzzle[run.genes_at + 2u * gene] & 0xffffu;
}

fn gene_segment_index(gene: u32) -> u32 {
    return puzzle[run.genes_at + 2u * gene] >> 16u;
}

// The first gene of the segment of a gene, and how many it has.
fn gene_segment(gene: u32) -> vec2<u32> {
    let segment = run.segments_at + gene_segment_index(gene);
    return vec2(puzzle[segment], puzzle[segment + 1u] - puzzle[segment]);
}

fn gene_slot(gene: u32, value: u32) -> u32 {
    return gene_segment_index(gene) * SIZE + value;
}

fn gene_constraints(gene: u32, value: u32) -> vec2<u32> {
    let units = puzzle[run.genes_at + 2u * gene + 1u];
    return vec2(units & 0xffffu, SIZE + (units >> 16u)) * SIZE + value;
}

fn fixed_on(constraint: u32) -> u32 {
    return puzzle[run.fixed_at + constraint];
}

// A digit that stands once more than once is one that the unit misses elsewhere.
fn conflicts_with(count: u32) -> u32 {
    return min(count, 1u);
}

// What it means for the conflicts of a kind of units if two values of a segment change places, which are different: one leaves
// each of two constraints and comes to each of two others. In one unit they leave all as it is.
fn constraint_change(leave: u32, then_leave: u32, to: u32, then_to: u32) -> i32 {
    let come = conflicts_with(constraint_count(to)) + conflicts_with(constraint_count(then_to));
    let gone = conflicts_with(constraint_count(leave) - 1u) + conflicts_with(constraint_count(then_leave) - 1u);
    return select(i32(come) - i32(gone), 0, to == then_leave);
}

// How many genes of two individuals differ, in a word of both. Bytes that differ have a bit, of which the lower are carried
// into the highest.
fn genes_differing(one: u32, two: u32) -> u32 {
    let bits = one ^ two;
    return countOneBits((((bits & 0x7f7f7f7fu) + 0x7f7f7f7fu) | bits) & 0x80808080u);
}

fn gene_of(individual: u32, gene: u32) -> u32 {
    let cell = gene_cell(gene);
    return byte_at(parent_word(individual, cell >> 2u), cell);
}

// Word `word` of the individual under work, for the population; cells past the end are 0.
fn state_pack(word: u32) -> u32 {
    // The template, where cells are free or not.
    var packed = puzzle[word];
    for (var byte = 0u; byte < 4u; byte++) { // unroll
        let cell = word * 4u + byte;
        if cell < SIZE * SIZE {
            let gene = puzzle[run.gene_of_at + cell];
            if gene != NONE {
                packed = insertBits(packed, workspace_get(STATE_GENES + gene), byte * 8u, 8u);
            }
        }
    }
    return packed;
}
