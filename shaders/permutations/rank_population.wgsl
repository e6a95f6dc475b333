#entry item
#mapping group
#import common/auxiliary
#import common/ranking
#import common/parents

// Everybody in the order of fitness, for kernels that look up to the best.
// Twin: `order` in src/engine/cpu/permutations/mod.rs.


fn work(individual: u32, lane: u32) {
    let rank = rank_of(individual, lane);
    let truncated = group_truncated(lane);
    if lane == 0u {
        // Whoever is cut short, all are: their loops are of one length.
        atomicStore(&auxiliary[select(rank, individual, truncated)], select(individual, NONE, truncated));
    }
}
