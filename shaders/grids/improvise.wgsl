#entry item
#import grids/harmonies
#import grids/segments
#import grids/load
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

fn work(harmony: u32, lane: u32) {
    let key = key_of(state.generation + 1u);
    let pitch = (state.generation * improvise.batch + harmony) % improvise.pitches * 3u;
    for (var row = lane; row < SIZE; row += LANES) {
        grid_load_template_row(row);
        for (var index = 0u; index < free_count(row); index++) {
            let col = free_cell(row, index).y;
            let words = draw(key, harmony, SITE_IMPROVISE, row * SIZE + col);
            let digits = domain(row, col);
            let count = mask_count(digits);
            var place = bounded(words.y, count);
            if hit(words.x, pitches[pitch]) {
                let member = bounded(words.y, run.population);
                place = mask_rank(digits, parent_digit(member, row, col));
                if hit(words.z, pitches[pitch + 1u]) {
                    place = adjusted(place, count, pitches[pitch + 2u], words.w);
                }
            }
            grid_set(row, col, mask_select(digits, place));
        }
    }
    group_barrier();
    for (var word = lane; word < WORDS; word += LANES) {
        harmonies[harmony_word_at(harmony, word)] = grid_pack(word);
    }
    let score = fitness(lane, vec2(true));
    if lane == 0u {
        harmonies[harmony] = score;
    }
}
