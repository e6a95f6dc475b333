#entry workgroup
#import common/u64

// The best, the worst and the sum of a generation's fitness; ends the generations when one is good
// enough.
// One workgroup. Twin: src/engine/cpu/survey.rs.

@group(0) @binding(2) var<storage, read_write> state: State;
@group(0) @binding(4) var<storage, read> new_population: array<u32>;
@group(0) @binding(6) var<storage, read_write> records: array<Record>;
// The best individual of the run so far: fitness, generation, cells.
@group(0) @binding(9) var<storage, read_write> champion: array<u32>;

// Fitness and individual; ties go to the lowest individual.
var<workgroup> best: array<vec2<u32>, THREADS>;
var<workgroup> worst: array<vec2<u32>, THREADS>;
// Low and high half.
var<workgroup> sum: array<vec2<u32>, THREADS>;
var<workgroup> swaps: array<vec2<u32>, THREADS>;
var<workgroup> improves: u32;

fn better(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(b, a, a.x < b.x || (a.x == b.x && a.y < b.y));
}

fn worse(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(b, a, a.x > b.x || (a.x == b.x && a.y < b.y));
}

fn work(index: u32, local: u32) {
    var my_best = vec2(0xffffffffu);
    var my_worst = vec2(0u, 0xffffffffu);
    var my_sum = vec2(0u);
    var my_swaps = vec2(0u);
    // Eight at a time: a thread waits for memory once, and not for each of them.
    for (var first = local; first < run.population; first += 8u * THREADS) {
        var fitness: array<u32, 8>;
        var moves: array<u32, 8>;
        for (var turn = 0u; turn < 8u; turn++) { // unroll
            // Behind the last one it comes again, and counts for nothing in the sums.
            let individual = min(first + turn * THREADS, run.population - 1u);
            fitness[turn] = new_population[individual];
            moves[turn] = new_population[run.population + individual];
        }
        for (var turn = 0u; turn < 8u; turn++) { // unroll
            let individual = min(first + turn * THREADS, run.population - 1u);
            let found = vec2(fitness[turn], individual);
            my_best = better(my_best, found);
            my_worst = worse(my_worst, found);
            let is_new = first + turn * THREADS < run.population;
            my_sum = u64_add(my_sum, vec2(select(0u, found.x, is_new), 0u));
            my_swaps = u64_add(my_swaps, vec2(select(0u, moves[turn], is_new), 0u));
        }
    }
    best[local] = my_best;
    worst[local] = my_worst;
    sum[local] = my_sum;
    swaps[local] = my_swaps;
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local < half {
            best[local] = better(best[local], best[local + half]);
            worst[local] = worse(worst[local], worst[local + half]);
            sum[local] = u64_add(sum[local], sum[local + half]);
            swaps[local] = u64_add(swaps[local], swaps[local + half]);
        }
    }
    if local == 0u {
        improves = select(0u, 1u, best[0].x < champion[0]);
    }
    // Of equals the first is kept.
    if workgroupUniformLoad(&improves) != 0u {
        let cells_at = 2u * run.population + best[0].y * WORDS;
        for (var word = local; word < WORDS; word += THREADS) {
            champion[2u + word] = new_population[cells_at + word];
        }
    }
    if local == 0u {
        // Generation 0 is the first survey, whatever the stride.
        let generation = select(state.generation + state.stride, 0u, state.surveys == 0u);
        let at = state.surveys % arrayLength(&records);
        let next = (at + 1u) % arrayLength(&records);
        // The differences have been summed up already.
        records[at] = Record(
            generation,
            best[0].x,
            best[0].y,
            worst[0].x,
            worst[0].y,
            sum[0].x,
            sum[0].y,
            state.reinitialised,
            swaps[0].x,
            swaps[0].y,
            records[at].differences_low,
            records[at].differences_high,
            run.goal,
        );
        records[next].differences_low = 0u;
        records[next].differences_high = 0u;
        if improves != 0u {
            champion[0] = best[0].x;
            champion[1] = generation;
        }
        state.generation = generation;
        state.best_at = best[0].y;
        state.surveys += 1u;
        state.done = select(0u, 1u, best[0].x <= max(run.goal, state.target_fitness));
    }
}
