#entry child
#mapping group
#import permutations/state
#import permutations/pmx_repair
#import permutations/store
#import common/auxiliary
#import common/ranking
#import common/parents
#import common/rng

// Agents are pulled towards heavier ones. Twin: src/operators/permutations/gravitational_search.rs.

// The parameters, in the order of the operator's `Params`.
struct Gravitate {
    // The generation after which the schedule began, and its rows.
    begin: u32,
    rows: u32,
    inertia: u32,
}

struct Gravitation {
    plan: Gravitate,
    // G and how many of the best attract, for each generation; the last row holds from then on.
    schedule: array<u32>,
}

const MOST_BEST = 64u;
const ALWAYS = 1u << 31u;

@group(0) @binding(5) var<storage, read> gravitation: Gravitation;

// Who attracts, and the probability with which it pulls at a gene.
var<workgroup> attractors: array<u32, MOST_BEST>;
var<workgroup> pulls: array<u32, MOST_BEST>;
var<workgroup> ends: vec2<u32>;

// A force on so many of the genes, as a threshold for each of these.
fn spread(force: u32, distance: u32) -> u32 {
    if distance == 0u {
        return 0u;
    }
    let each = force / distance;
    if each >= ALWAYS / run.genes {
        return ALWAYS;
    }
    return each * run.genes;
}

fn vary(individual: u32, lane: u32) -> Child {
    let key = key_of(state.generation + 1u);
    let mine = parent_fitness(individual);
    if lane == 0u {
        ends = vec2(atomicLoad(&auxiliary[0]), atomicLoad(&auxiliary[run.population - 1u]));
    }
    let end = workgroupUniformLoad(&ends);
    if end.x == NONE || individual == end.x {
        keep_old(individual, lane);
        return Child(select(mine, TRUNCATED, end.x == NONE), 0u);
    }
    workspace_open(individual);
    state_load(individual, lane);

    let age = max(state.generation, gravitation.plan.begin) - gravitation.plan.begin;
    let row = 2u * min(age, gravitation.plan.rows - 1u);
    let g = gravitation.schedule[row];
    let count = min(gravitation.schedule[row + 1u], run.population);
    let best = parent_fitness(end.x);
    let worst = parent_fitness(end.y);
    // A coin for the velocity and one for each attractor; then their random forces.
    let draws = (count + 4u) / 4u;
    for (var at = lane; at < count; at += LANES) {
        let attractor = atomicLoad(&auxiliary[at]);
        var distance = 0u;
        for (var word = 0u; word < WORDS; word++) { // unroll to 32
            distance += genes_differing(parent_word(attractor, word), parent_word(individual, word));
        }
        let strength = (g >> 16u) * share(worst - parent_fitness(attractor), worst - best);
        let words = draw(key, individual, SITE_PULL, 1u + run.genes * draws + at / 4u);
        attractors[at] = attractor;
        pulls[at] = spread(bounded(words[at % 4u], strength), distance);
    }
    workgroupBarrier();

    let inertia = bounded(draw(key, individual, SITE_PULL, 0u).x, gravitation.plan.inertia);
    let velocity_at = memory_at(individual) + 1u + run.genes;
    for (var gene = lane; gene < run.genes; gene += LANES) { // lanes of GENES
        let value = workspace_get(STATE_GENES + gene);
        var target_value = NONE;
        for (var turn = 0u; turn < draws && target_value == NONE; turn++) {
            let words = draw(key, individual, SITE_PULL, 1u + gene * draws + turn);
            for (var each = 0u; each < 4u; each++) { // unroll
                let coin = 4u * turn + each;
                if coin <= count && target_value == NONE {
                    if coin == 0u {
                        if hit(words[each], inertia) {
                            target_value = atomicLoad(&auxiliary[velocity_at + gene]) - 1u;
                        }
                    } else if hit(words[each], pulls[coin - 1u]) {
                        target_value = gene_of(attractors[coin - 1u], gene);
                    }
                    target_value = select(target_value, NONE, target_value == value);
                }
            }
        }
        atomicStore(&auxiliary[velocity_at + gene], target_value + 1u);
        workspace_set(STATE_TARGETS + gene, target_value);
    }
    workspace_barrier();
    pmx_repair(lane);
    let fitness = state_fitness(lane, count_conflicts(lane));
    state_store(individual, lane);
    return Child(fitness, 0u);
}
