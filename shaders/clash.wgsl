// The conflicts of colourings. Twin: `clash` in src/engine/cpu/colouring.rs.

@group(0) @binding(4) var<storage, read_write> new_population: array<u32>;

// Here the individuals are their own parents.
fn parent_word(individual: u32, word: u32) -> u32 {
    return new_population[2u * run.population + individual * run.words + word];
}

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
    tile_begin(lane);
    var before = 0u;
    if lane == 0u {
        before = new_population[individual];
        new_population[individual] = CUT_SHORT;
    }
    desk_open(individual);
    let conflicts = slate_load(individual, lane);
    let cut_short = tile_cut_short(lane);
    if lane == 0u {
        // What was cut short before stays so.
        new_population[individual] = select(conflicts, CUT_SHORT, cut_short || before == CUT_SHORT);
    }
}
