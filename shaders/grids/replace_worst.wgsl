#entry child
#import grids/harmonies
#import grids/working_grid
#import common/parents

// Harmonies face the worst of the memory, one each: the best of the batch the worst of all, the
// second best the second worst, and replace them if they are better. Of equals in the memory the
// first is the worse.
// Twin: src/operators/grids/replace_worst.rs.


fn vary(individual: u32, lane: u32) -> Child {
    let mine = parent_fitness(individual);
    var worse = 0u;
    for (var other = lane; other < run.population; other += LANES) {
        let theirs = parent_fitness(other);
        worse += select(0u, 1u, theirs > mine || (theirs == mine && other < individual));
    }
    let rank = group_sum(lane, worse);
    var rival = NOBODY;
    if rank < improvise.batch {
        rival = harmonies[order_at(rank)];
    }
    var best = mine;
    if rival < improvise.batch {
        best = min(mine, harmonies[rival]);
    }
    for (var word = lane; word < WORDS; word += LANES) { // lanes of WORDS
        var cells: u32;
        if best < mine {
            cells = harmonies[harmony_word_at(rival, word)];
        } else {
            cells = parent_word(individual, word);
        }
        new_population[child_word_at(individual, word)] = cells;
    }
    return Child(select(best, TRUNCATED, rival == UNRANKED), 0u);
}
