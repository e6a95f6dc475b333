#entry child
#import grids/block_child
#import grids/store
#import common/parents

// One individual of the new population from the old one, with sub-blocks that stay permutations.
// Twin: src/operators/grids/breed_blocks.rs.


fn vary(individual: u32, lane: u32) -> Child {
    let key = key_of(state.generation + 1u);
    let child = block_child(key, individual, Pool(0u, run.population), lane);
    store_child(individual, lane);
    return Child(child.x, child.y);
}
