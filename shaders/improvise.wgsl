// One improvisation of a harmony search: every cell takes a digit from the memory, perhaps one
// nearby, or any of its domain (FPCHS section IV, step 3). Twin: src/engine/cpu/improvise.rs.

@group(0) @binding(2) var<storage, read> state: State;
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

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    begin_run();
    let harmony = chunk.first + tile_slot(local, workgroup, grid);
    let lane = tile_lane(local);
    if harmony >= chunk.end || state.done != 0u {
        return;
    }
    let key = key_of(state.generation + 1u);
    let pitch = (state.generation * improvise.batch + harmony) % improvise.pitches * 3u;
    for (var row = lane; row < run.size; row += LANES) {
        tile_load_template_row(row);
        for (var index = 0u; index < free_count(row); index++) {
            let col = free_cell(row, index).y;
            let words = draw(key, harmony, SITE_IMPROVISE, row * run.size + col);
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
            tile_set(row, col, mask_select(digits, place));
        }
    }
    tile_barrier();
    for (var word = lane; word < run.words; word += LANES) {
        harmonies[harmony_word_at(harmony, word)] = tile_pack(word);
    }
    let score = fitness(lane, vec2(true));
    if lane == 0u {
        harmonies[harmony] = score;
    }
}
