// The initial population: random row permutations that keep the givens.
// Twin: src/engine/cpu/initialise.rs.

@group(0) @binding(5) var<storage, read_write> new_words: array<u32>;
@group(0) @binding(6) var<storage, read_write> new_fitness: array<u32>;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    let individual = chunk.first + tile_slot(local, workgroup, grid);
    let lane = tile_lane(local);
    if individual >= chunk.end {
        return;
    }
    fresh(key_of(0u), individual, lane, SITE_INITIALISE);
    tile_barrier();
    for (var word = lane; word < run.words; word += LANES) {
        new_words[individual * run.words + word] = tile_pack(word);
    }
    let illegal = fitness(lane, vec2(true));
    if lane == 0u {
        new_fitness[individual] = illegal;
    }
}
