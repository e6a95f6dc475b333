#entry child
#mapping group
#import permutations/state
#import permutations/pmx_repair
#import permutations/store
#import common/auxiliary
#import common/parents
#import common/rng

// Particles move towards their own best and the swarm's. Twin: src/operators/permutations/particle_swarm.rs.

// The parameters, in the order of the operator's `Params`.
struct Swarm {
    inertia: u32,
    own: u32,
    swarm: u32,
}

@group(0) @binding(5) var<storage, read> swarm: Swarm;

// A number below twice the population, modulo it.
fn around(number: u32) -> u32 {
    return select(number, number - run.population, number >= run.population);
}

// Who leads: the best, and of equals another one every time.
fn leader_of(lane: u32) -> u32 {
    let turn = run.population - (state.generation + 1u) % run.population;
    var best = NONE;
    var mine = NONE;
    for (var other = lane; other < run.population; other += LANES) {
        let theirs = parent_fitness(other);
        let place = around(other + turn);
        mine = select(mine, place, theirs < best || (theirs == best && place < mine));
        best = min(best, theirs);
    }
    let first = group_min(lane, select(NONE, mine, best == group_min(lane, best)));
    return around(first + run.population - turn);
}

fn vary(individual: u32, lane: u32) -> Child {
    let key = key_of(state.generation + 1u);
    let mine = parent_fitness(individual);
    let leader = leader_of(lane);
    let memory = memory_at(individual);
    let best_at = memory + 1u;
    let velocity_at = best_at + run.genes;
    workspace_open(individual);
    state_load(individual, lane);

    // 0 is nobody's best. Of equals the last is kept, so that a particle can drift over a plateau.
    let remembered = atomicLoad(&auxiliary[memory]);
    workspace_barrier();
    if remembered == 0u || mine <= remembered - 1u {
        for (var gene = lane; gene < run.genes; gene += LANES) { // lanes of GENES
            atomicStore(&auxiliary[best_at + gene], workspace_get(STATE_GENES + gene));
        }
        if lane == 0u {
            atomicStore(&auxiliary[memory], mine + 1u);
        }
    }
    if individual == leader {
        keep_old(individual, lane);
        return Child(mine, 0u);
    }

    let forces = draw(key, individual, SITE_PULL, 0u);
    let own = bounded(forces.x, swarm.own);
    let towards = bounded(forces.y, swarm.swarm);
    let inertia = swarm.inertia;
    var differences = 0u;
    // A lane reads no more of the memory than what it has written itself.
    for (var gene = lane; gene < run.genes; gene += LANES) { // lanes of GENES
        let coins = draw(key, individual, SITE_PULL, 1u + gene);
        let value = workspace_get(STATE_GENES + gene);
        let leads = gene_of(leader, gene);
        // Two reads for everybody cost less than lanes that part.
        let velocity = atomicLoad(&auxiliary[velocity_at + gene]) - 1u;
        let best = atomicLoad(&auxiliary[best_at + gene]);
        var target_value = select(NONE, leads, hit(coins.z, towards));
        target_value = select(target_value, best, hit(coins.y, own));
        target_value = select(target_value, velocity, hit(coins.x, inertia));
        target_value = select(target_value, NONE, target_value == value);
        atomicStore(&auxiliary[velocity_at + gene], target_value + 1u);
        workspace_set(STATE_TARGETS + gene, target_value);
        differences += select(0u, 1u, value != leads);
    }
    if group_sum(lane, differences) == 0u {
        // Where the leader is already, only chance leads on (Hu, Eberhart & Shi).
        if lane == 0u && run.genes > 0u {
            let gene = bounded(forces.z, run.genes);
            swap_genes(gene, partner(gene, forces.w));
        }
        workspace_barrier();
    } else {
        pmx_repair(lane);
    }
    let fitness = state_fitness(lane, count_conflicts(lane));
    state_store(individual, lane);
    return Child(fitness, 0u);
}
