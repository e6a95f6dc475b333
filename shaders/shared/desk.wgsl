// One individual under work by a permutation kernel: genes, wishes for them, who has claimed the
// slot of a value, how many lie on each line. Twin: src/engine/cpu/shared/desk.rs.
//
// All lanes call these together, but for those that say otherwise.

const DESK_GENES = 0u;
const DESK_WISHES = GENES;
const DESK_CLAIMS = 2u * GENES;
const DESK_LINES = 2u * GENES + SLOTS;

fn desk_load(individual: u32, lane: u32) {
    for (var gene = lane; gene < run.genes; gene += LANES) {
        desk_set(DESK_GENES + gene, gene_of(individual, gene));
    }
    desk_barrier();
}

// Leaves only what is fixed on the lines.
fn desk_clear_lines(lane: u32) {
    for (var line = lane; line < run.lines; line += LANES) {
        desk_set(DESK_LINES + line, fixed_on(line));
    }
    desk_barrier();
}

// Counts the lines anew. Returns the conflicts: whoever comes second to a line makes the first, in
// whichever order they come.
fn desk_count(lane: u32) -> u32 {
    desk_clear_lines(lane);
    var mine = 0u;
    for (var gene = lane; gene < run.genes; gene += LANES) {
        let lines = gene_lines(gene, desk_get(DESK_GENES + gene));
        mine += conflicts_with(desk_add(DESK_LINES + lines.x, 1u));
        mine += conflicts_with(desk_add(DESK_LINES + lines.y, 1u));
    }
    desk_barrier();
    return tile_sum(lane, mine);
}

// part / whole in 65536ths, rounded up, by long division. Any lane alone.
fn share(part: u32, whole: u32) -> u32 {
    if part >= whole {
        return 65536u;
    }
    var rest = part;
    var quotient = 0u;
    for (var bit = 0u; bit < 16u; bit++) {
        rest *= 2u;
        quotient *= 2u;
        if rest >= whole {
            rest -= whole;
            quotient++;
        }
    }
    return quotient + min(rest, 1u);
}

// The fitness of an individual whose lines have been counted and have so many conflicts.
fn desk_fitness(lane: u32, conflicts: u32) -> u32 {
    if run.support == 0u {
        return conflicts;
    }
    var mine = vec2(0u);
    for (var gene = lane; gene < run.genes; gene += LANES) {
        let lines = gene_lines(gene, desk_get(DESK_GENES + gene));
        let first = desk_get(DESK_LINES + lines.x) == 1u;
        let second = desk_get(DESK_LINES + lines.y) == 1u;
        mine += select(vec2(0u), vec2(1u, select(0u, 1u, second)), first);
    }
    let first = tile_sum(lane, mine.x);
    let both = tile_sum(lane, mine.y);
    if run.genes == 0u {
        return 0u;
    }
    // Without a first there is nobody to be confident of.
    let unsure = share(first - both, first);
    let lacking = run.support * share(run.genes - both, run.genes) + run.confidence * unsure;
    return (lacking + 999u) / 1000u;
}

// Whether a gene is in conflict with another one. Any lane alone, as all that follow.
fn in_conflict(gene: u32) -> bool {
    let lines = gene_lines(gene, desk_get(DESK_GENES + gene));
    return desk_get(DESK_LINES + lines.x) > 1u || desk_get(DESK_LINES + lines.y) > 1u;
}

// Whether a value that is not yet there would stand without conflict at a gene.
fn is_free(gene: u32, value: u32) -> bool {
    let lines = gene_lines(gene, value);
    return desk_get(DESK_LINES + lines.x) == 0u && desk_get(DESK_LINES + lines.y) == 0u;
}

fn line_count(line: u32) -> u32 {
    return desk_get(DESK_LINES + line);
}

fn same(one: u32, two: u32) -> u32 {
    return select(0u, 1u, one == two);
}

// What it means for the conflicts if one leaves each of two lines, and one comes to each of two
// others, any of which may be the same.
fn line_change(leave: u32, then_leave: u32, to: u32, then_to: u32) -> i32 {
    let left = line_count(leave) - 1u;
    let left_then = line_count(then_leave) - 1u - same(then_leave, leave);
    let there = line_count(to) - same(to, leave) - same(to, then_leave);
    let there_then = line_count(then_to) + same(then_to, to) - same(then_to, leave)
        - same(then_to, then_leave);
    return i32(conflicts_with(there) + conflicts_with(there_then))
        - i32(conflicts_with(left) + conflicts_with(left_then));
}

// The lines of two genes now, and if they changed places.
struct Exchange {
    leave: vec2<u32>,
    then_leave: vec2<u32>,
    to: vec2<u32>,
    then_to: vec2<u32>,
}

fn exchange(one: u32, two: u32) -> Exchange {
    let a = desk_get(DESK_GENES + one);
    let b = desk_get(DESK_GENES + two);
    return Exchange(
        gene_lines(one, a),
        gene_lines(two, b),
        gene_lines(one, b),
        gene_lines(two, a),
    );
}

// How many conflicts more there would be if two genes of a brick changed places.
fn swap_delta(one: u32, two: u32) -> i32 {
    let e = exchange(one, two);
    return line_change(e.leave.x, e.then_leave.x, e.to.x, e.then_to.x)
        + line_change(e.leave.y, e.then_leave.y, e.to.y, e.then_to.y);
}

fn line_is_left_to(leave: u32, then_leave: u32, to: u32, then_to: u32) -> bool {
    return line_count(to) + same(to, then_to) == same(to, leave) + same(to, then_leave);
}

// Whether the first of two genes would be in no conflict if they changed places.
fn would_be_free(one: u32, two: u32) -> bool {
    let e = exchange(one, two);
    return line_is_left_to(e.leave.x, e.then_leave.x, e.to.x, e.then_to.x)
        && line_is_left_to(e.leave.y, e.then_leave.y, e.to.y, e.then_to.y);
}

fn line_add(line: u32, count: u32) {
    _ = desk_add(DESK_LINES + line, count);
}

// Puts a gene with its value on its lines.
fn occupy(gene: u32) {
    let lines = gene_lines(gene, desk_get(DESK_GENES + gene));
    line_add(lines.x, 1u);
    line_add(lines.y, 1u);
}

// Lets two genes of a brick change places, lines left as they are.
fn swap_genes(one: u32, two: u32) {
    let value = desk_get(DESK_GENES + one);
    desk_set(DESK_GENES + one, desk_get(DESK_GENES + two));
    desk_set(DESK_GENES + two, value);
}

// Lets two genes of a brick change places.
fn swap(one: u32, two: u32) {
    let e = exchange(one, two);
    line_add(e.leave.x, 0xffffffffu);
    line_add(e.leave.y, 0xffffffffu);
    line_add(e.then_leave.x, 0xffffffffu);
    line_add(e.then_leave.y, 0xffffffffu);
    line_add(e.to.x, 1u);
    line_add(e.to.y, 1u);
    line_add(e.then_to.x, 1u);
    line_add(e.then_to.y, 1u);
    swap_genes(one, two);
}

// Another gene of the same brick; the gene itself if it is alone. Twin:
// src/engine/cpu/shared/swaps.rs.
fn partner(gene: u32, word: u32) -> u32 {
    let brick = gene_brick(gene);
    if brick.y < 2u {
        return gene;
    }
    let shifted = gene - brick.x + 1u + bounded(word, brick.y - 1u);
    return brick.x + select(shifted, shifted - brick.y, shifted >= brick.y);
}

var<workgroup> swapped_delta: i32;

// Lets the lane that has been chosen swap its pair; everybody gets to know the change.
fn swap_of(chosen: bool, one: u32, two: u32, delta: i32) -> i32 {
    if chosen {
        swap(one, two);
        swapped_delta = delta;
    }
    desk_barrier();
    return workgroupUniformLoad(&swapped_delta);
}
