// Harmonies face the worst of the memory, one each: the best of the batch the worst of all, the
// second best the second worst, and replace them if they are better. Of equals in the memory the
// first is the worse.
// Twin: src/engine/cpu/replace_worst.rs.

@group(0) @binding(2) var<storage, read> state: State;

@compute @workgroup_size(WORKGROUP)
fn main(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) grid: vec3<u32>,
) {
    begin_run();
    let individual = chunk.first + tile_slot(local, workgroup, grid);
    let lane = tile_lane(local);
    if individual >= chunk.end || state.done != 0u {
        return;
    }
    begin_child(individual, lane);
    let mine = parent_fitness(individual);
    var worse = 0u;
    for (var other = lane; other < run.population; other += LANES) {
        let theirs = parent_fitness(other);
        worse += select(0u, 1u, theirs > mine || (theirs == mine && other < individual));
    }
    let rank = tile_sum(lane, worse);
    var rival = NOBODY;
    if rank < improvise.batch {
        rival = harmonies[order_at(rank)];
    }
    var best = mine;
    if rival < improvise.batch {
        best = min(mine, harmonies[rival]);
    }
    for (var word = lane; word < run.words; word += LANES) {
        var cells: u32;
        if best < mine {
            cells = harmonies[harmony_word_at(rival, word)];
        } else {
            cells = parent_word(individual, word);
        }
        new_population[child_word_at(individual, word)] = cells;
    }
    let cut_short = tile_cut_short(lane) || rival == UNRANKED;
    if lane == 0u {
        set_child(individual, select(best, CUT_SHORT, cut_short), 0u);
    }
}
