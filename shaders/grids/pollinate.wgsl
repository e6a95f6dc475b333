#entry child
#mapping thread if N <= 64
#import grids/segments
#import grids/written_{lanes}
#import common/children
#import common/parents
#import common/rng

// Flower pollination (FPCHS section III): a flower moves towards the best by a Levy flight (eq. 2),
// or along the difference of two others (eq. 4), and stays where it was unless that is better.
// Digits are places in the domains of their cells. Twin: src/operators/grids/pollinate.rs.

// The parameters, in the order of the operator's `Params`.
struct Pollinate {
    switch_rate: u32,
    // Entries of the table of Levy steps.
    steps: u32,
    // Not 0: a flower does not move to where another one was.
    distinct: u32,
}

@group(0) @binding(5) var<storage, read> pollinate: Pollinate;
// Levy steps, signed 16.16 fixed-point numbers.
@group(0) @binding(8) var<storage, read> levy: array<u32>;

// A place moved by a 16.16 fixed-point number, rounded up with the probability of its fraction, but
// not beyond the ends of the domain.
fn moved(place: u32, count: u32, by: i32, word: u32) -> u32 {
    let to = i32(place) + ((by + i32(word >> 16u)) >> 16u);
    return u32(clamp(to, 0, i32(count) - 1));
}

fn written_word(flower: u32, word: u32) -> u32 {
    return new_population[child_word_at(flower, word)];
}

// Whether a flower has moved to where another one was.
fn is_at(flower: u32, other: u32) -> bool {
    for (var word = 0u; word < WORDS; word++) {
        if parent_word(other, word) != written_word(flower, word) {
            return false;
        }
    }
    return true;
}

// A flight of a flower: whether it goes to the best, or from which flower to which else, and how far.
struct Flight {
    is_global: bool,
    one: u32,
    two: u32,
    share: i32,
}

// The digit that a flower takes in a cell, in which it has another one now.
fn pollinated(key: vec4<u32>, flower: u32, flight: Flight, cell: u32, now: u32) -> u32 {
    let digits = domain(cell);
    let count = mask_count(digits);
    if count == 1u {
        return now;
    }
    let words = draw(key, flower, SITE_POLLINATE, 1u + cell);
    let place = mask_rank(digits, now);
    var by: i32;
    if flight.is_global {
        let best = mask_rank(digits, parent_cell(state.best_at, cell));
        let step = bitcast<i32>(levy[bounded(words.x, pollinate.steps)]);
        by = step * (i32(best) - i32(place));
    } else {
        let from_one = mask_rank(digits, parent_cell(flight.one, cell));
        let from_two = mask_rank(digits, parent_cell(flight.two, cell));
        by = flight.share * (i32(from_one) - i32(from_two));
    }
    return mask_select(digits, moved(place, count, by, words.y));
}

fn vary(flower: u32, lane: u32) -> Child {
    let key = key_of(state.generation + 1u);
    let coins = draw(key, flower, SITE_POLLINATE, 0u);
    let flight = Flight(
        hit(coins.x, pollinate.switch_rate),
        bounded(coins.y, run.population),
        bounded(coins.z, run.population),
        i32(coins.w >> 16u),
    );
    for (var word = lane; word < WORDS; word += LANES) { // lanes of WORDS
        let now = parent_word(flower, word);
        var cells = 0u;
        for (var cell = 4u * word; cell < min(4u * word + 4u, SIZE * SIZE); cell++) {
            let shift = 8u * (cell & 3u);
            cells |= pollinated(key, flower, flight, cell, extractBits(now, shift, 8u)) << shift;
        }
        new_population[child_word_at(flower, word)] = cells;
    }
    group_storage_barrier();
    let child = written_fitness(flower, lane);
    let before = parent_fitness(flower);
    var taken = 0u;
    if pollinate.distinct != 0u && child < before {
        for (var other = lane; other < run.population; other += LANES) {
            if parent_fitness(other) == child && is_at(flower, other) {
                taken = 1u;
            }
        }
    }
    let moves = group_sum(lane, taken) == 0u && child < before;
    if !moves {
        for (var word = lane; word < WORDS; word += LANES) { // lanes of WORDS
            new_population[child_word_at(flower, word)] = parent_word(flower, word);
        }
    }
    return Child(select(before, child, moves), 0u);
}
