#entry fitness
#mapping group
#import colourings/tabu_state

// The conflicts and the holes of colourings. Twin: `evaluate` in src/engine/cpu/colourings/mod.rs.

fn evaluate(individual: u32, lane: u32) -> u32 {
    workspace_open(individual);
    tabu_load(individual, lane);
    var holes = 0u;
    for (var vertex = lane; vertex < run.vertices; vertex += LANES) {
        holes += select(0u, 1u, workspace_get(chosen_at(vertex)) == NONE);
    }
    return tabu_tell_all(lane) + group_sum(lane, holes);
}
