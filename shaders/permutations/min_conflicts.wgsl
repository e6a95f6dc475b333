#entry child
#mapping group
#import permutations/state
#import permutations/store
#import common/parents
#import common/rng

// Conflict-driven swaps. Twin: src/operators/permutations/min_conflicts.rs.
//
// The lanes look for the next gene in conflict together, and each tries a partner for it.

// The parameters, in the order of the operator's `Params`.
struct Resolve {
    tries: u32,
    // Not 0: a swap that leaves as many conflicts will do.
    sideways: u32,
}

@group(0) @binding(5) var<storage, read> resolve: Resolve;

fn vary(individual: u32, lane: u32) -> Child {
    let key = key_of(state.generation + 1u);
    let draws = (resolve.tries + 3u) / 4u;
    workspace_open(individual);
    state_load(individual, lane);
    var conflicts = count_conflicts(lane);
    var swaps = 0u;
    var cursor = 0u;
    while cursor < run.genes && conflicts > run.goal {
        let candidate = cursor + lane;
        var vote = NONE;
        if candidate < run.genes && in_conflict(candidate) {
            vote = candidate;
        }
        let gene = group_min(lane, vote);
        if gene == NONE {
            cursor += LANES;
            continue;
        }
        cursor = gene + 1u;
        // Of few partners each lane looks at one, and without one that will do there is nothing to try.
        let segment = gene_segment(gene);
        let few = segment.y <= LANES;
        var change = resolve.sideways;
        if few {
            if lane < segment.y && segment.x + lane != gene {
                change = bitcast<u32>(swap_delta(gene, segment.x + lane));
            }
            let will_do = bitcast<i32>(change) < i32(resolve.sideways);
            if group_min(lane, select(NONE, lane, will_do)) == NONE {
                continue;
            }
        }
        var first = NONE;
        for (var base = 0u; base < resolve.tries && first == NONE; base += LANES) {
            let attempt = base + lane;
            let words = draw(key, individual, SITE_PROPOSE, gene * draws + attempt / 4u);
            let other = partner(gene, words[attempt % 4u]);
            var delta: i32;
            if few {
                delta = bitcast<i32>(group_look(lane, change, other - segment.x));
            } else {
                delta = swap_delta(gene, other);
            }
            let will_do = attempt < resolve.tries && other != gene && delta < i32(resolve.sideways);
            vote = select(NONE, attempt, will_do);
            first = group_min(lane, vote);
            if first != NONE {
                conflicts += u32(swap_of(attempt == first, gene, other, delta));
                swaps++;
            }
        }
    }
    state_store(individual, lane);
    return Child(state_fitness(lane, conflicts), swaps);
}
