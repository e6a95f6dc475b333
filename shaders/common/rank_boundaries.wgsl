#entry observer

// Where the best end and where the worst begin, if everybody stood in the order of fitness and the lower of equals
// came first; and who is the best. One workgroup. Twin: src/observation.rs.
//
// A boundary is a place of that order. Whoever stands there is found without sorting: as in a radix sort, all are
// put into bins by the highest digit of their fitness, the place is in one of the bins, and the next digit parts
// those that are in it; at last the digits of the individual's number part those of one fitness. Fitness
// counts from the lowest, so that it has one digit as a rule.

struct Params {
    best: u32,
    worst: u32,
}

@group(0) @binding(4) var<storage, read> new_population: array<u32>;
@group(0) @binding(5) var<storage, read> params: Params;

const BIN_BITS = 10u;
const BINS = 1024u;
const BINS_OF_A_THREAD = BINS / THREADS;

// How many are in each bin: those of the first boundary, then those of the second.
var<workgroup> bins: array<atomic<u32>, 2 * BINS>;
// Both boundaries' sums over the bins of each thread, and of those before it.
var<workgroup> sums: array<vec2<u32>, THREADS>;
// The places of the boundaries among those who may still stand there.
var<workgroup> places: array<u32, 2>;
// What is known of who stands there: the digits of fitness, then those of the number.
var<workgroup> fitness_found: array<u32, 2>;
var<workgroup> number_found: array<u32, 2>;
var<workgroup> best: array<vec2<u32>, THREADS>;
var<workgroup> highest: atomic<u32>;
var<workgroup> span: u32;

// Digits of a number.
fn digits_of(number: u32) -> u32 {
    return (32u - countLeadingZeros(number) + BIN_BITS - 1u) / BIN_BITS;
}

// Puts a key into its bin if the digits above are those that were found.
fn put(boundary: u32, key: u32, found: u32, shift: u32) {
    let upper = key >> shift;
    if upper / BINS == (found >> shift) / BINS {
        atomicAdd(&bins[boundary * BINS + upper % BINS], 1u);
    }
}

// Finds the bins in which the places are.
fn take_bins(local: u32, shift: u32, by_number: bool) {
    let first = local * BINS_OF_A_THREAD;
    var mine = vec2(0u);
    for (var bin = first; bin < first + BINS_OF_A_THREAD; bin++) {
        mine += vec2(atomicLoad(&bins[bin]), atomicLoad(&bins[BINS + bin]));
    }
    sums[local] = mine;
    for (var step = 1u; step < THREADS; step *= 2u) {
        workgroupBarrier();
        let before = select(vec2(0u), sums[max(local, step) - step], local >= step);
        workgroupBarrier();
        sums[local] += before;
    }
    let before = sums[local] - mine;
    let wanted = vec2(places[0], places[1]);
    // Everybody knows the places before two threads change them.
    workgroupBarrier();
    for (var at = 0u; at < 2u; at++) {
        var place = wanted[at] - before[at];
        if wanted[at] < before[at] || place >= mine[at] {
            continue;
        }
        var bin = first;
        for (; bin < first + BINS_OF_A_THREAD - 1u; bin++) {
            let held = atomicLoad(&bins[at * BINS + bin]);
            if place < held {
                break;
            }
            place -= held;
        }
        places[at] = place;
        if by_number {
            number_found[at] |= bin << shift;
        } else {
            fitness_found[at] |= bin << shift;
        }
    }
    workgroupBarrier();
}

// Finds one more digit of both boundaries.
fn narrow(local: u32, shift: u32, by_number: bool) {
    for (var bin = local; bin < 2u * BINS; bin += THREADS) {
        atomicStore(&bins[bin], 0u);
    }
    workgroupBarrier();
    let lowest = best[0].x;
    let fitness = vec2(fitness_found[0], fitness_found[1]);
    let number = vec2(number_found[0], number_found[1]);
    for (var individual = local; individual < run.population; individual += THREADS) {
        let above = new_population[individual] - lowest;
        if !by_number {
            put(0u, above, fitness.x, shift);
            put(1u, above, fitness.y, shift);
            continue;
        }
        if above == fitness.x {
            put(0u, individual, number.x, shift);
        }
        if above == fitness.y {
            put(1u, individual, number.y, shift);
        }
    }
    workgroupBarrier();
    take_bins(local, shift, by_number);
}

// Before anything is known of the boundaries.
fn begin_search(local: u32) {
    if local < 2u {
        let worst_start = run.population - min(params.worst, run.population);
        places[local] = select(min(params.best, run.population), worst_start, local == 1u);
        fitness_found[local] = 0u;
        number_found[local] = 0u;
    }
}

// Finds the best, and how much worse the worst is.
fn find_span(local: u32) {
    if local == 0u {
        atomicStore(&highest, 0u);
    }
    workgroupBarrier();
    var my_best = vec2(0xffffffffu);
    var my_highest = 0u;
    for (var individual = local; individual < run.population; individual += THREADS) {
        let found = vec2(new_population[individual], individual);
        my_best = select(my_best, found, precedes(found, my_best));
        my_highest = max(my_highest, found.x);
    }
    best[local] = my_best;
    atomicMax(&highest, my_highest);
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if local < half && precedes(best[local + half], best[local]) {
            best[local] = best[local + half];
        }
    }
    if local == 0u {
        span = atomicLoad(&highest) - best[0].x;
    }
}

fn work(index: u32, local: u32) {
    begin_search(local);
    find_span(local);
    for (var digit = digits_of(workgroupUniformLoad(&span)); digit > 0u; digit--) {
        narrow(local, (digit - 1u) * BIN_BITS, false);
    }
    for (var digit = digits_of(run.population - 1u); digit > 0u; digit--) {
        narrow(local, (digit - 1u) * BIN_BITS, true);
    }
    if local == 0u {
        observation[BEST_AT] = best[0].y;
        // Nobody stands behind the last one.
        let everybody = params.best >= run.population;
        observation[BEST_END] = select(best[0].x + fitness_found[0], NONE, everybody);
        observation[BEST_END + 1u] = select(number_found[0], NONE, everybody);
        let nobody = params.worst == 0u;
        observation[WORST_START] = select(best[0].x + fitness_found[1], NONE, nobody);
        observation[WORST_START + 1u] = select(number_found[1], NONE, nobody);
    }
}
