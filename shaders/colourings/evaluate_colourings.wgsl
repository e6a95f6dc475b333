#entry fitness
#mapping workgroup
#import colourings/tabu_state

// The conflicts of colourings. Twin: `evaluate` in src/engine/cpu/colourings/mod.rs.

fn evaluate(individual: u32, lane: u32) -> u32 {
    workspace_open(individual);
    return tabu_load(individual, lane);
}
