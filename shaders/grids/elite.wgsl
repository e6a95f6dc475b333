#entry once
#import grids/segments
#import grids/store
#import common/rng

// Elite population learning (LSGA section III-E, eqs. 2 and 3): the best of the generation may
// enter a queue, and the worst learns from a random elite or is re-initialised. One group of lanes.
// Twin: src/operators/grids/elite.rs.

// The parameters, in the order of the operator's `Params`.
struct Elite {
    size: u32,
    // Not 0: the best of every generation enters; 0: only an improvement.
    every_best: u32,
}

@group(0) @binding(2) var<storage, read_write> state: State;
@group(0) @binding(5) var<storage, read> elite: Elite;
@group(0) @binding(6) var<storage, read_write> records: array<Record>;
// The queue: the fitness of every elite, then their grids.
@group(0) @binding(7) var<storage, read_write> queue: array<u32>;

fn work(lane: u32) {
    // Every lane reads the same; the smallest of equal values is uniform.
    let solved = group_min(lane, state.done);
    let generation = group_min(lane, state.generation);
    let surveys = group_min(lane, state.surveys);
    let next = group_min(lane, state.elite_next);
    let best_ever = group_min(lane, state.best_ever);
    var count = group_min(lane, state.elite_count);
    if solved != 0u {
        return;
    }
    let at = (surveys - 1u) % arrayLength(&records);
    let record = records[at];
    let worst_fitness = group_min(lane, record.worst);
    let improves = group_min(lane, record.best) < best_ever;

    let admitted = elite.every_best != 0u || improves;
    if admitted {
        for (var word = lane; word < WORDS; word += LANES) { // lanes of WORDS
            queue[elite.size + next * WORDS + word] =
                new_population[child_word_at(record.best_at, word)];
        }
        if lane == 0u {
            queue[next] = record.best;
        }
        count = min(count + 1u, elite.size);
    }
    group_storage_barrier();

    let worst = group_min(lane, record.worst_at);
    let key = key_of(generation);
    let words = draw(key, worst, SITE_ELITE, 0u);
    let teacher = bounded(words.x, count);
    let teacher_fitness = group_min(lane, queue[teacher]);
    // An elite may be worse than today's worst: it does not teach then.
    let learns = bounded(words.y, worst_fitness) + teacher_fitness < worst_fitness;
    var learned = teacher_fitness;
    if learns {
        for (var word = lane; word < WORDS; word += LANES) { // lanes of WORDS
            new_population[child_word_at(worst, word)] =
                queue[elite.size + teacher * WORDS + word];
        }
    } else {
        fresh(key, worst, lane, SITE_ELITE_INITIALISE);
        group_barrier();
        store_child(worst, lane);
        learned = fitness(lane, vec2(true));
    }
    if lane == 0u {
        new_population[worst] = learned;
        state.best_ever = min(best_ever, record.best);
        state.elite_count = count;
        state.elite_next = select(next, (next + 1u) % elite.size, admitted);
        let reinitialised = state.reinitialised + select(1u, 0u, learns);
        state.reinitialised = reinitialised;
        records[at].reinitialised = reinitialised;
        // Who is re-initialised may be the solution.
        if learned == 0u {
            state.done = 1u;
            records[at].best = 0u;
            records[at].best_at = worst;
        }
    }
}
