#entry child
#mapping group
#import permutations/state
#import permutations/store
#import common/parents
#import common/rng

// Markov chains of swaps. Twin: src/operators/permutations/anneal.rs.
//
// Every lane looks at a proposal of its own. The first that is accepted is carried out, and the
// next turn begins behind it: those before it were refused in the state in which they were looked
// at, so this is the chain that one lane alone would make.

// The parameters, in the order of the operator's `Params`.
struct Anneal {
    // Not 0: all are annealed; otherwise this individual.
    everybody: u32,
    who: u32,
    proposals: u32,
    // The generation after which the schedule began, and generations a row of it holds.
    begin: u32,
    hold: u32,
    rows: u32,
}

struct Annealing {
    plan: Anneal,
    // Probabilities to accept a swap that costs 1, 2, ... DELTAS conflicts, for each temperature.
    schedule: array<u32>,
}

const DELTAS = 16u;

@group(0) @binding(5) var<storage, read> annealing: Annealing;

fn accepted(delta: i32, coin: u32) -> bool {
    if delta <= 0 {
        return true;
    }
    if annealing.plan.rows == 0u || delta > i32(DELTAS) {
        return false;
    }
    let age = max(state.generation, annealing.plan.begin) - annealing.plan.begin;
    let row = age / annealing.plan.hold % annealing.plan.rows;
    return hit(coin, annealing.schedule[row * DELTAS + u32(delta) - 1u]);
}

fn vary(individual: u32, lane: u32) -> Child {
    if annealing.plan.everybody == 0u && annealing.plan.who != individual {
        keep_old(individual, lane);
        return Child(parent_fitness(individual), 0u);
    }
    let key = key_of(state.generation + 1u);
    workspace_open(individual);
    state_load(individual, lane);
    var conflicts = count_conflicts(lane);
    var swaps = 0u;
    var base = 0u;
    while base < annealing.plan.proposals && conflicts > run.goal && run.genes > 0u {
        let proposal = base + lane;
        let words = draw(key, individual, SITE_PROPOSE, proposal);
        let one = bounded(words.x, run.genes);
        let two = partner(one, words.y);
        var delta = 0;
        var vote = NONE;
        if proposal < annealing.plan.proposals && one != two {
            delta = swap_delta(one, two);
            vote = select(NONE, proposal, accepted(delta, words.z));
        }
        let first = group_min(lane, vote);
        if first == NONE {
            base += LANES;
        } else {
            conflicts += u32(swap_of(proposal == first, one, two, delta));
            swaps++;
            base = first + 1u;
        }
    }
    state_store(individual, lane);
    return Child(state_fitness(lane, conflicts), swaps);
}
