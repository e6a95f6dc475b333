// The initial placements of queens: in random rows, or one by one where nobody attacks them.
// `count` gives them their fitness. Twin: src/engine/cpu/place.rs.

// Twin of `PlaceParams` in src/engine/gpu/layout.rs.
struct Place {
    // Rows that a queen tries; 0: all at random.
    tries: u32,
}

@group(0) @binding(2) var<storage, read> state: State;
@group(0) @binding(5) var<storage, read> place: Place;

fn shuffle(key: vec4<u32>, individual: u32) {
    var words = vec4<u32>();
    for (var step = 0u; step + 1u < run.genes; step++) {
        if (step & 3u) == 0u {
            words = draw(key, individual, SITE_INITIALISE, step >> 2u);
        }
        let last = run.genes - 1u - step;
        swap_genes(last, bounded(words[step & 3u], last + 1u));
    }
}

fn row_to_try(key: vec4<u32>, individual: u32, gene: u32, attempt: u32) -> u32 {
    let draws = (place.tries + 3u) / 4u;
    let words = draw(key, individual, SITE_INITIALISE, gene * draws + attempt / 4u);
    return gene + bounded(words[attempt % 4u], run.genes - gene);
}

// Each lane tries a row; the first that will do is taken.
fn greedy(key: vec4<u32>, individual: u32, lane: u32) {
    desk_clear_lines(lane);
    for (var gene = 0u; gene < run.genes; gene++) {
        var first = NONE;
        for (var base = 0u; base < place.tries && first == NONE; base += LANES) {
            var vote = NONE;
            let attempt = base + lane;
            if attempt < place.tries {
                let other = row_to_try(key, individual, gene, attempt);
                if is_free(gene, desk_get(DESK_GENES + other)) {
                    vote = attempt;
                }
            }
            first = tile_min(lane, vote);
        }
        if lane == 0u {
            let attempt = min(first, place.tries - 1u);
            swap_genes(gene, row_to_try(key, individual, gene, attempt));
            occupy(gene);
        }
        desk_barrier();
    }
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
    desk_open(individual);
    for (var gene = lane; gene < run.genes; gene += LANES) {
        desk_set(DESK_GENES + gene, gene);
    }
    desk_barrier();
    let key = key_of(state.generation + 1u);
    if place.tries == 0u {
        if lane == 0u {
            shuffle(key, individual);
        }
        desk_barrier();
    } else {
        greedy(key, individual, lane);
    }
    desk_store(individual, lane);
    settle(individual, lane, 0u, 0u);
}
