#import common/group_{mapping}
#import common/parents

// How many are better than an individual; of equals the lower is.
fn rank_of(individual: u32, lane: u32) -> u32 {
    let mine = parent_fitness(individual);
    var better = 0u;
    for (var other = lane; other < run.population; other += LANES) {
        let theirs = parent_fitness(other);
        better += select(0u, 1u, theirs < mine || (theirs == mine && other < individual));
    }
    return group_sum(lane, better);
}

// The fitness of the best.
fn best_fitness(lane: u32) -> u32 {
    var best = NONE;
    for (var other = lane; other < run.population; other += LANES) {
        best = min(best, parent_fitness(other));
    }
    return group_min(lane, best);
}
