// Agents are pulled towards heavier ones. Twin: src/engine/cpu/gravitate.rs.

// Twin of `GravitateParams` in src/engine/gpu/layout.rs.
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

@group(0) @binding(2) var<storage, read> state: State;
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

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    let individual = chunk.first + tile_slot(local, workgroup, grid);
    let lane = tile_lane(local);
    if individual >= chunk.end || state.done != 0u {
        return;
    }
    begin_child(individual, lane);
    let key = key_of(state.generation + 1u);
    let mine = parent_fitness(individual);
    if lane == 0u {
        ends = vec2(atomicLoad(&aside[0]), atomicLoad(&aside[run.population - 1u]));
    }
    let end = workgroupUniformLoad(&ends);
    if end.x == NONE || individual == end.x {
        keep_old(individual, lane);
        settle(individual, lane, select(mine, CUT_SHORT, end.x == NONE), 0u);
        return;
    }
    desk_open(individual);
    desk_load(individual, lane);

    let age = max(state.generation, gravitation.plan.begin) - gravitation.plan.begin;
    let row = 2u * min(age, gravitation.plan.rows - 1u);
    let g = gravitation.schedule[row];
    let count = min(gravitation.schedule[row + 1u], run.population);
    let best = parent_fitness(end.x);
    let worst = parent_fitness(end.y);
    // A coin for the velocity and one for each attractor; then their random forces.
    let draws = (count + 4u) / 4u;
    for (var at = lane; at < count; at += LANES) {
        attractors[at] = atomicLoad(&aside[at]);
    }
    workgroupBarrier();
    for (var at = 0u; at < count; at++) {
        let attractor = attractors[at];
        var differences = 0u;
        for (var gene = lane; gene < run.genes; gene += LANES) {
            let differs = gene_of(attractor, gene) != desk_get(DESK_GENES + gene);
            differences += select(0u, 1u, differs);
        }
        let distance = tile_sum(lane, differences);
        if lane == 0u {
            let strength = (g >> 16u) * share(worst - parent_fitness(attractor), worst - best);
            let words = draw(key, individual, SITE_PULL, 1u + run.genes * draws + at / 4u);
            pulls[at] = spread(bounded(words[at % 4u], strength), distance);
        }
    }
    workgroupBarrier();

    let inertia = bounded(draw(key, individual, SITE_PULL, 0u).x, gravitation.plan.inertia);
    let velocity_at = memory_at(individual) + 1u + run.genes;
    for (var gene = lane; gene < run.genes; gene += LANES) {
        let value = desk_get(DESK_GENES + gene);
        var wish = NONE;
        var words = vec4<u32>();
        for (var coin = 0u; coin <= count && wish == NONE; coin++) {
            if coin % 4u == 0u {
                words = draw(key, individual, SITE_PULL, 1u + gene * draws + coin / 4u);
            }
            var rate = inertia;
            var wanted = NONE;
            if coin == 0u {
                wanted = atomicLoad(&aside[velocity_at + gene]) - 1u;
            } else {
                rate = pulls[coin - 1u];
                wanted = gene_of(attractors[coin - 1u], gene);
            }
            if hit(words[coin % 4u], rate) && wanted != value {
                wish = wanted;
            }
        }
        atomicStore(&aside[velocity_at + gene], wish + 1u);
        desk_set(DESK_WISHES + gene, wish);
    }
    desk_barrier();
    grant(lane);
    let fitness = desk_fitness(lane, desk_count(lane));
    desk_store(individual, lane);
    settle(individual, lane, fitness, 0u);
}
