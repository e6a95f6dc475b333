#entry child
#import grids/segments
#import grids/store

// The initial population: random individuals that keep the givens. Also one that begins anew.
// Twin: src/operators/grids/initialise.rs.


fn vary(individual: u32, lane: u32) -> Child {
    fresh(key_of(state.generation + 1u), individual, lane, SITE_INITIALISE);
    group_barrier();
    store_child(individual, lane);
    return Child(fitness(lane, vec2(true)), 0u);
}
