#entry item
#mapping thread if N <= 64
#import grids/harmonies
#import grids/segments
#import grids/written_{lanes}
#import common/parents
#import common/rng

// One improvisation of a harmony search: every cell takes a digit from the memory, perhaps one
// nearby, or any of its domain (FPCHS section IV, step 3). Twin: src/operators/grids/improvise.rs.

// HMCR, PAR and bandwidth of the improvisations, in turn.
@group(0) @binding(8) var<storage, read> pitches: array<u32>;

// A place of a domain moved by the bandwidth (in 256ths) times a random number from -1 to 1,
// rounded, but not beyond its ends.
fn adjusted(place: u32, count: u32, bandwidth: u32, word: u32) -> u32 {
    let up = word >> 31u != 0u;
    // An odd number of 65536ths.
    let share = ((word >> 15u) & 0xfffeu) | 1u;
    let step = (bandwidth * share + (1u << 23u)) >> 24u;
    return select(max(place, step) - step, min(place + step, count - 1u), up);
}

// The digit that a harmony takes in a cell.
fn improvised(key: vec4<u32>, harmony: u32, cell: u32, pitch: u32) -> u32 {
    let digits = domain(cell);
    let count = mask_count(digits);
    if count == 1u {
        return mask_first(digits);
    }
    let words = draw(key, harmony, SITE_IMPROVISE, cell);
    var place = bounded_short(words.y, count);
    if hit(words.x, pitches[pitch]) {
        let member = bounded(words.y, run.population);
        place = mask_rank(digits, parent_cell(member, cell));
        if hit(words.z, pitches[pitch + 1u]) {
            place = adjusted(place, count, pitches[pitch + 2u], words.w);
        }
    }
    return mask_select(digits, place);
}

fn written_word(harmony: u32, word: u32) -> u32 {
    return harmonies[harmony_word_at(harmony, word)];
}

fn work(harmony: u32, lane: u32) {
    let key = key_of(state.generation + 1u);
    let pitch = (state.generation * improvise.batch + harmony) % improvise.pitches * 3u;
    for (var word = lane; word < WORDS; word += LANES) { // lanes of WORDS
        var cells = 0u;
        for (var cell = 4u * word; cell < min(4u * word + 4u, SIZE * SIZE); cell++) {
            cells |= improvised(key, harmony, cell, pitch) << (8u * (cell & 3u));
        }
        harmonies[harmony_word_at(harmony, word)] = cells;
    }
    group_storage_barrier();
    let score = written_fitness(harmony, lane);
    if lane == 0u {
        harmonies[harmony] = score;
    }
}
