#import permutations/genes_{kind}
#import common/workspace_{workspace}
#import common/group_{mapping}
#import common/rng

// One individual under work by a permutation kernel: genes, targets for them, who has claimed the
// slot of a value, how many lie on each constraint. Twin: src/engine/cpu/permutations/state.rs.
//
// All lanes call these together, but for those that say otherwise.

//   | genes: GENES | targets: GENES | claims: SLOTS, by segment and value | constraints: how many genes lie on each |

const STATE_GENES = 0u;
const STATE_TARGETS = GENES;
const STATE_CLAIMS = 2u * GENES;
const STATE_CONSTRAINTS = 2u * GENES + SLOTS;

fn state_load(individual: u32, lane: u32) {
    for (var gene = lane; gene < run.genes; gene += LANES) { // lanes of GENES
        workspace_set(STATE_GENES + gene, gene_of(individual, gene));
    }
    workspace_barrier();
}

// Leaves only what is fixed on the constraints.
fn clear_constraints(lane: u32) {
    for (var constraint = lane; constraint < CONSTRAINTS; constraint += LANES) { // lanes of CONSTRAINTS
        workspace_set(STATE_CONSTRAINTS + constraint, fixed_on(constraint));
    }
    workspace_barrier();
}

// Counts the constraints anew. Returns the conflicts: whoever comes second to a constraint makes the first, in
// whichever order they come.
fn count_conflicts(lane: u32) -> u32 {
    clear_constraints(lane);
    var mine = 0u;
    for (var gene = lane; gene < run.genes; gene += LANES) { // lanes of GENES
        let constraints = gene_constraints(gene, workspace_get(STATE_GENES + gene));
        mine += conflicts_with(workspace_add(STATE_CONSTRAINTS + constraints.x, 1u));
        mine += conflicts_with(workspace_add(STATE_CONSTRAINTS + constraints.y, 1u));
    }
    workspace_barrier();
    return group_sum(lane, mine);
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

// The fitness of an individual whose constraints have been counted and have so many conflicts.
fn state_fitness(lane: u32, conflicts: u32) -> u32 {
    if run.support == 0u {
        return conflicts;
    }
    var mine = vec2(0u);
    for (var gene = lane; gene < run.genes; gene += LANES) { // lanes of GENES
        let constraints = gene_constraints(gene, workspace_get(STATE_GENES + gene));
        let first = workspace_get(STATE_CONSTRAINTS + constraints.x) == 1u;
        let second = workspace_get(STATE_CONSTRAINTS + constraints.y) == 1u;
        mine += select(vec2(0u), vec2(1u, select(0u, 1u, second)), first);
    }
    let first = group_sum(lane, mine.x);
    let both = group_sum(lane, mine.y);
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
    let constraints = gene_constraints(gene, workspace_get(STATE_GENES + gene));
    return workspace_get(STATE_CONSTRAINTS + constraints.x) > 1u || workspace_get(STATE_CONSTRAINTS + constraints.y) > 1u;
}

// Whether a value that is not yet there would stand without conflict at a gene.
fn is_free(gene: u32, value: u32) -> bool {
    let constraints = gene_constraints(gene, value);
    return workspace_get(STATE_CONSTRAINTS + constraints.x) == 0u && workspace_get(STATE_CONSTRAINTS + constraints.y) == 0u;
}

fn constraint_count(constraint: u32) -> u32 {
    return workspace_get(STATE_CONSTRAINTS + constraint);
}

fn same(one: u32, two: u32) -> u32 {
    return select(0u, 1u, one == two);
}

// The constraints of two genes now, and if they changed places.
struct Exchange {
    leave: vec2<u32>,
    then_leave: vec2<u32>,
    to: vec2<u32>,
    then_to: vec2<u32>,
}

fn exchange(one: u32, two: u32) -> Exchange {
    let a = workspace_get(STATE_GENES + one);
    let b = workspace_get(STATE_GENES + two);
    return Exchange(
        gene_constraints(one, a),
        gene_constraints(two, b),
        gene_constraints(one, b),
        gene_constraints(two, a),
    );
}

// How many conflicts more an exchange makes.
fn exchange_delta(e: Exchange) -> i32 {
    return constraint_change(e.leave.x, e.then_leave.x, e.to.x, e.then_to.x)
        + constraint_change(e.leave.y, e.then_leave.y, e.to.y, e.then_to.y);
}

// The same if two genes of a segment changed places.
fn swap_delta(one: u32, two: u32) -> i32 {
    return exchange_delta(exchange(one, two));
}

fn constraint_is_left_to(leave: u32, then_leave: u32, to: u32, then_to: u32) -> bool {
    return constraint_count(to) + same(to, then_to) == same(to, leave) + same(to, then_leave);
}

// Whether the first of two genes would be in no conflict behind an exchange.
fn would_be_free(e: Exchange) -> bool {
    return constraint_is_left_to(e.leave.x, e.then_leave.x, e.to.x, e.then_to.x)
        && constraint_is_left_to(e.leave.y, e.then_leave.y, e.to.y, e.then_to.y);
}

fn constraint_add(constraint: u32, count: u32) {
    _ = workspace_add(STATE_CONSTRAINTS + constraint, count);
}

// Puts a gene with its value on its constraints.
fn occupy(gene: u32) {
    let constraints = gene_constraints(gene, workspace_get(STATE_GENES + gene));
    constraint_add(constraints.x, 1u);
    constraint_add(constraints.y, 1u);
}

// Lets two genes of a segment change places, constraints left as they are.
fn swap_genes(one: u32, two: u32) {
    let value = workspace_get(STATE_GENES + one);
    workspace_set(STATE_GENES + one, workspace_get(STATE_GENES + two));
    workspace_set(STATE_GENES + two, value);
}

// Lets two genes of a segment change places.
fn swap(one: u32, two: u32) {
    let e = exchange(one, two);
    constraint_add(e.leave.x, 0xffffffffu);
    constraint_add(e.leave.y, 0xffffffffu);
    constraint_add(e.then_leave.x, 0xffffffffu);
    constraint_add(e.then_leave.y, 0xffffffffu);
    constraint_add(e.to.x, 1u);
    constraint_add(e.to.y, 1u);
    constraint_add(e.then_to.x, 1u);
    constraint_add(e.then_to.y, 1u);
    swap_genes(one, two);
}

// Another gene of the same segment; the gene itself if it is alone. Twin:
// src/engine/cpu/permutations/swaps.rs.
fn partner(gene: u32, word: u32) -> u32 {
    let segment = gene_segment(gene);
    if segment.y < 2u {
        return gene;
    }
    let shifted = gene - segment.x + 1u + bounded(word, segment.y - 1u);
    return segment.x + select(shifted, shifted - segment.y, shifted >= segment.y);
}

var<workgroup> swapped_delta: i32;

// Lets the lane that has been chosen swap its pair; everybody gets to know the change.
fn swap_of(chosen: bool, one: u32, two: u32, delta: i32) -> i32 {
    if chosen {
        swap(one, two);
        swapped_delta = delta;
    }
    workspace_barrier();
    return workgroupUniformLoad(&swapped_delta);
}
