#entry child
#import grids/segments
#import grids/load
#import grids/store
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

// Whether the cells of the working grid are those of a flower.
fn is_at(other: u32) -> bool {
    for (var word = 0u; word < WORDS; word++) {
        if parent_word(other, word) != grid_pack(word) {
            return false;
        }
    }
    return true;
}

fn vary(flower: u32, lane: u32) -> Child {
    let key = key_of(state.generation + 1u);
    let coins = draw(key, flower, SITE_POLLINATE, 0u);
    let is_global = hit(coins.x, pollinate.switch_rate);
    let one = bounded(coins.y, run.population);
    let two = bounded(coins.z, run.population);
    let share = i32(coins.w >> 16u);
    for (var row = lane; row < SIZE; row += LANES) {
        grid_load_row(flower, row);
        for (var index = 0u; index < free_count(row); index++) {
            let col = free_cell(row, index).y;
            let words = draw(key, flower, SITE_POLLINATE, 1u + row * SIZE + col);
            let digits = domain(row, col);
            let place = mask_rank(digits, grid_get(row, col));
            var by: i32;
            if is_global {
                let best = mask_rank(digits, parent_digit(state.best_at, row, col));
                let step = bitcast<i32>(levy[bounded(words.x, pollinate.steps)]);
                by = step * (i32(best) - i32(place));
            } else {
                let from_one = mask_rank(digits, parent_digit(one, row, col));
                let from_two = mask_rank(digits, parent_digit(two, row, col));
                by = share * (i32(from_one) - i32(from_two));
            }
            grid_set(row, col, mask_select(digits, moved(place, mask_count(digits), by, words.y)));
        }
    }
    group_barrier();
    let child = fitness(lane, vec2(true));
    let before = parent_fitness(flower);
    var taken = 0u;
    if pollinate.distinct != 0u && child < before {
        for (var other = lane; other < run.population; other += LANES) {
            if parent_fitness(other) == child && is_at(other) {
                taken = 1u;
            }
        }
    }
    let moves = group_sum(lane, taken) == 0u && child < before;
    if moves {
        store_child(flower, lane);
    } else {
        for (var word = lane; word < WORDS; word += LANES) {
            new_population[child_word_at(flower, word)] = parent_word(flower, word);
        }
    }
    return Child(select(before, child, moves), 0u);
}
