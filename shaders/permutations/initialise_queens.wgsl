#entry child
#mapping group
#import permutations/state
#import permutations/store
#import common/parents
#import common/rng

// The initial placements of queens: in random rows, or one by one where nobody attacks them.
// `count` gives them their fitness. Twin: src/operators/permutations/initialise_queens.rs.

// The parameters, in the order of the operator's `Params`.
struct Place {
    // Rows that a queen tries; 0: all at random.
    tries: u32,
}

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
    clear_constraints(lane);
    for (var gene = 0u; gene < run.genes; gene++) {
        var first = NONE;
        for (var base = 0u; base < place.tries && first == NONE; base += LANES) {
            var vote = NONE;
            let attempt = base + lane;
            if attempt < place.tries {
                let other = row_to_try(key, individual, gene, attempt);
                if is_free(gene, workspace_get(STATE_GENES + other)) {
                    vote = attempt;
                }
            }
            first = group_min(lane, vote);
        }
        if lane == 0u {
            let attempt = min(first, place.tries - 1u);
            swap_genes(gene, row_to_try(key, individual, gene, attempt));
            occupy(gene);
        }
        workspace_barrier();
    }
}

fn vary(individual: u32, lane: u32) -> Child {
    workspace_open(individual);
    for (var gene = lane; gene < run.genes; gene += LANES) { // lanes of GENES
        workspace_set(STATE_GENES + gene, gene);
    }
    workspace_barrier();
    let key = key_of(state.generation + 1u);
    if place.tries == 0u {
        if lane == 0u {
            shuffle(key, individual);
        }
        workspace_barrier();
    } else {
        greedy(key, individual, lane);
    }
    state_store(individual, lane);
    return Child(0u, 0u);
}
