// Particles move towards their own best and the swarm's. Twin: src/engine/cpu/swarm.rs.

// Twin of `SwarmParams` in src/engine/gpu/layout.rs.
struct Swarm {
    inertia: u32,
    own: u32,
    swarm: u32,
}

@group(0) @binding(2) var<storage, read> state: State;
@group(0) @binding(5) var<storage, read> swarm: Swarm;

// Who leads: the best, and of equals another one every time.
fn leader_of(lane: u32) -> u32 {
    let best = best_fitness(lane);
    let turn = run.population - (state.generation + 1u) % run.population;
    var mine = NONE;
    for (var other = lane; other < run.population; other += LANES) {
        if parent_fitness(other) == best {
            mine = min(mine, (other + turn) % run.population);
        }
    }
    let first = tile_min(lane, mine);
    return (first + run.population - turn) % run.population;
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
    let leader = leader_of(lane);
    let memory = memory_at(individual);
    let best_at = memory + 1u;
    let velocity_at = best_at + run.genes;
    desk_open(individual);
    desk_load(individual, lane);

    // 0 is nobody's best. Of equals the last is kept, so that a particle can drift over a plateau.
    let remembered = atomicLoad(&aside[memory]);
    desk_barrier();
    if remembered == 0u || mine <= remembered - 1u {
        for (var gene = lane; gene < run.genes; gene += LANES) {
            atomicStore(&aside[best_at + gene], desk_get(DESK_GENES + gene));
        }
        if lane == 0u {
            atomicStore(&aside[memory], mine + 1u);
        }
    }
    if individual == leader {
        keep_old(individual, lane);
        settle(individual, lane, mine, 0u);
        return;
    }

    let forces = draw(key, individual, SITE_PULL, 0u);
    let own = bounded(forces.x, swarm.own);
    let towards = bounded(forces.y, swarm.swarm);
    var differences = 0u;
    // A lane reads no more of the memory than what it has written itself.
    for (var gene = lane; gene < run.genes; gene += LANES) {
        let coins = draw(key, individual, SITE_PULL, 1u + gene);
        let value = desk_get(DESK_GENES + gene);
        let leads = gene_of(leader, gene);
        var wish = NONE;
        if hit(coins.x, swarm.inertia) {
            wish = atomicLoad(&aside[velocity_at + gene]) - 1u;
        } else if hit(coins.y, own) {
            wish = atomicLoad(&aside[best_at + gene]);
        } else if hit(coins.z, towards) {
            wish = leads;
        }
        wish = select(wish, NONE, wish == value);
        atomicStore(&aside[velocity_at + gene], wish + 1u);
        desk_set(DESK_WISHES + gene, wish);
        differences += select(0u, 1u, value != leads);
    }
    if tile_sum(lane, differences) == 0u {
        // Where the leader is already, only chance leads on (Hu, Eberhart & Shi).
        if lane == 0u && run.genes > 0u {
            let gene = bounded(forces.z, run.genes);
            swap_genes(gene, partner(gene, forces.w));
        }
        desk_barrier();
    } else {
        grant(lane);
    }
    let fitness = desk_fitness(lane, desk_count(lane));
    desk_store(individual, lane);
    settle(individual, lane, fitness, 0u);
}
