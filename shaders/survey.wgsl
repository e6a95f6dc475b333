// The best, the worst and the sum of a generation's fitness; ends the run when one is solved.
// One workgroup. Twin: src/engine/cpu/survey.rs.

@group(0) @binding(2) var<storage, read_write> state: State;
@group(0) @binding(6) var<storage, read> new_fitness: array<u32>;
@group(0) @binding(8) var<storage, read_write> records: array<Record>;

const SURVEYORS = 256u;

// Fitness and individual; ties go to the lowest individual.
var<workgroup> best: array<vec2<u32>, SURVEYORS>;
var<workgroup> worst: array<vec2<u32>, SURVEYORS>;
// Low and high half.
var<workgroup> sum: array<vec2<u32>, SURVEYORS>;
var<workgroup> done: u32;

fn better(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(b, a, a.x < b.x || (a.x == b.x && a.y < b.y));
}

fn worse(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(b, a, a.x > b.x || (a.x == b.x && a.y < b.y));
}

fn add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2(low, a.y + b.y + select(0u, 1u, low < a.x));
}

@compute @workgroup_size(SURVEYORS)
fn main(@builtin(local_invocation_index) local: u32) {
    if local == 0u {
        done = state.solved;
    }
    if workgroupUniformLoad(&done) != 0u {
        return;
    }
    var my_best = vec2(0xffffffffu);
    var my_worst = vec2(0u, 0xffffffffu);
    var my_sum = vec2(0u);
    for (var individual = local; individual < run.population; individual += SURVEYORS) {
        let found = vec2(new_fitness[individual], individual);
        my_best = better(my_best, found);
        my_worst = worse(my_worst, found);
        my_sum = add(my_sum, vec2(found.x, 0u));
    }
    best[local] = my_best;
    worst[local] = my_worst;
    sum[local] = my_sum;
    for (var half = SURVEYORS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local < half {
            best[local] = better(best[local], best[local + half]);
            worst[local] = worse(worst[local], worst[local + half]);
            sum[local] = add(sum[local], sum[local + half]);
        }
    }
    if local == 0u {
        let generation = state.generation + 1u;
        state.generation = generation;
        state.solved = select(0u, 1u, best[0].x == 0u);
        records[generation % arrayLength(&records)] = Record(
            generation,
            best[0].x,
            best[0].y,
            worst[0].x,
            worst[0].y,
            sum[0].x,
            sum[0].y,
            state.reinitialised,
        );
    }
}
