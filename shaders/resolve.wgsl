// Conflict-driven swaps. Twin: src/engine/cpu/resolve.rs.
//
// The lanes look for the next gene in conflict together, and each tries a partner for it.

// Twin of `ResolveParams` in src/engine/gpu/layout.rs.
struct Resolve {
    tries: u32,
    // Not 0: a swap that leaves as many conflicts will do.
    sideways: u32,
}

@group(0) @binding(2) var<storage, read> state: State;
@group(0) @binding(5) var<storage, read> resolve: Resolve;

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
    let draws = (resolve.tries + 3u) / 4u;
    desk_open(individual);
    desk_load(individual, lane);
    var conflicts = desk_count(lane);
    var swaps = 0u;
    var cursor = 0u;
    while cursor < run.genes && conflicts > run.goal {
        let candidate = cursor + lane;
        var vote = NONE;
        if candidate < run.genes && in_conflict(candidate) {
            vote = candidate;
        }
        let gene = tile_min(lane, vote);
        if gene == NONE {
            cursor += LANES;
            continue;
        }
        cursor = gene + 1u;
        var first = NONE;
        for (var base = 0u; base < resolve.tries && first == NONE; base += LANES) {
            let attempt = base + lane;
            let words = draw(key, individual, SITE_PROPOSE, gene * draws + attempt / 4u);
            let other = partner(gene, words[attempt % 4u]);
            var delta = 0;
            vote = NONE;
            if attempt < resolve.tries && other != gene {
                delta = swap_delta(gene, other);
                vote = select(NONE, attempt, delta < i32(resolve.sideways));
            }
            first = tile_min(lane, vote);
            if first != NONE {
                conflicts += u32(swap_of(attempt == first, gene, other, delta));
                swaps++;
            }
        }
    }
    desk_store(individual, lane);
    settle(individual, lane, desk_fitness(lane, conflicts), swaps);
}
