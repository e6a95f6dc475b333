#entry item
#import grids/harmonies
#import grids/working_grid
#import common/parents

// Ranks a batch of harmonies; of equals the first is the better. Those that are in the memory
// already, or before in the batch, may be left out. Twin: src/operators/grids/rank_harmonies.rs.


fn is_member(harmony: u32, member: u32) -> bool {
    for (var word = 0u; word < WORDS; word++) {
        if parent_word(member, word) != harmonies[harmony_word_at(harmony, word)] {
            return false;
        }
    }
    return true;
}

fn is_same(harmony: u32, other: u32) -> bool {
    for (var word = 0u; word < WORDS; word++) {
        if harmonies[harmony_word_at(other, word)] != harmonies[harmony_word_at(harmony, word)] {
            return false;
        }
    }
    return true;
}

fn work(harmony: u32, lane: u32) {
    let mine = harmonies[harmony];
    var better = 0u;
    var copies = 0u;
    for (var other = lane; other < improvise.batch; other += LANES) {
        let theirs = harmonies[other];
        let first = other < harmony;
        better += select(0u, 1u, theirs < mine || (theirs == mine && first));
        if improvise.distinct != 0u && theirs == mine && first && is_same(harmony, other) {
            copies++;
        }
    }
    for (var member = lane; member < run.population; member += LANES) {
        if improvise.distinct != 0u && parent_fitness(member) == mine && is_member(harmony, member) {
            copies++;
        }
    }
    let rank = group_sum(lane, better);
    let copy = group_sum(lane, copies) > 0u;
    let truncated = group_truncated(lane);
    if lane == 0u {
        // Whoever is cut short, all are: their loops are of one length.
        let at = order_at(select(rank, harmony, truncated));
        harmonies[at] = select(select(harmony, NOBODY, copy), UNRANKED, truncated);
    }
}
