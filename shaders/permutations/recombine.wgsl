#entry child
#mapping group
#import permutations/state
#import permutations/pmx_repair
#import permutations/store
#import common/ranking
#import common/parents
#import common/rng

// Children in the places of the worst: tournament, single-point crossover, swaps.
// Twin: src/operators/permutations/recombine.rs.

// The parameters, in the order of the operator's `Params`.
struct Recombine {
    offspring: u32,
    tournament: u32,
    crossover: u32,
    // Not 0: the cut is Gaussian.
    gaussian: u32,
    // Mutations: always this many; conflicts of the best for one more, what these mean, the most.
    always: u32,
    per: u32,
    more: u32,
    most: u32,
    // Partners that a mutated gene tries; 0: any will do.
    tries: u32,
    // When a child is accepted.
    accept: u32,
}

const MORE_EACH = 1u;
const MORE_UP_TO = 2u;
const MORE_SHARED = 3u;

const ACCEPT_NOT_WORSE = 1u;
const ACCEPT_BETTER = 2u;

@group(0) @binding(5) var<storage, read> recombine: Recombine;

// The best two of a tournament; of equals, those drawn first.
fn parents(key: vec4<u32>, individual: u32) -> vec2<u32> {
    var one = bounded(draw(key, individual, SITE_TOURNAMENT, 0u).x, run.population);
    var two = NONE;
    for (var index = 1u; index < recombine.tournament; index++) {
        let next = bounded(draw(key, individual, SITE_TOURNAMENT, index).x, run.population);
        if parent_fitness(next) < parent_fitness(one) {
            two = one;
            one = next;
        } else if two == NONE || parent_fitness(next) < parent_fitness(two) {
            two = next;
        }
    }
    return vec2(one, select(two, one, two == NONE));
}

// Where the cut is, from 1 to one less than there are genes.
fn cut_of(key: vec4<u32>, individual: u32, uniform_word: u32) -> u32 {
    var word = uniform_word;
    if recombine.gaussian != 0u {
        let words = draw(key, individual, SITE_MATE, 1u) / 4u;
        word = words.x + words.y + words.z + words.w;
    }
    return 1u + bounded(word, run.genes - 1u);
}

// The conflicts of the best beyond those of a solution.
fn conflicts_left(lane: u32) -> u32 {
    var conflicts = best_fitness(lane);
    if run.support != 0u && conflicts > 0u {
        let lacking = min(conflicts, 131072u) * 1000u / (run.support + run.confidence);
        conflicts = 1u + bounded(min(lacking, 65535u) << 16u, run.genes);
    }
    return conflicts - min(conflicts, run.goal);
}

fn mutations(word: u32, lane: u32) -> u32 {
    let left = conflicts_left(lane);
    let rounded_up = left / recombine.per + min(left % recombine.per, 1u);
    let m = min(rounded_up, recombine.most);
    var more = 0u;
    if recombine.more == MORE_EACH {
        more = m;
    } else if recombine.more == MORE_UP_TO {
        more = bounded(word, m) + min(m, 1u);
    } else if recombine.more == MORE_SHARED {
        let children = min(recombine.offspring, run.population);
        let one_more = bounded(word, children) < m % children;
        more = m / children + select(0u, 1u, one_more);
    }
    return recombine.always + more;
}

// Mutates as the influence function wants it: a gene takes over the value of a partner with which
// it is in no conflict, if it finds one. Returns the conflicts of the child.
fn influence(key: vec4<u32>, individual: u32, lane: u32, count: u32) -> u32 {
    var conflicts = count_conflicts(lane);
    for (var mutation = 0u; mutation < count; mutation++) {
        let start = mutation * recombine.tries;
        // The first draw is for the gene as well as for the first attempt.
        var words = draw(key, individual, SITE_MUTATE_ROW, start + lane);
        let gene = bounded(group_same(lane, words.x, 0u), run.genes);
        var first = NONE;
        for (var base = 0u; base < recombine.tries && first == NONE; base += LANES) {
            let attempt = base + lane;
            if base > 0u {
                words = draw(key, individual, SITE_MUTATE_ROW, start + attempt);
            }
            let other = partner(gene, words.y);
            let e = exchange(gene, other);
            let will_do = attempt < recombine.tries && other != gene && would_be_free(e);
            first = group_min(lane, select(NONE, attempt, will_do));
            if first != NONE {
                conflicts += u32(swap_of(attempt == first, gene, other, exchange_delta(e)));
            }
        }
    }
    return conflicts;
}

fn vary(individual: u32, lane: u32) -> Child {
    let mine = parent_fitness(individual);
    let stays = run.population - min(recombine.offspring, run.population);
    if rank_of(individual, lane) < stays {
        keep_old(individual, lane);
        return Child(mine, 0u);
    }
    let key = key_of(state.generation + 1u);
    let parent = parents(key, individual);
    let words = draw(key, individual, SITE_MATE, 0u);
    workspace_open(individual);
    if hit(words.x, recombine.crossover) && run.genes > 1u {
        let cut = cut_of(key, individual, words.y);
        for (var gene = lane; gene < run.genes; gene += LANES) { // lanes of GENES
            var target_value = NONE;
            if gene < cut {
                target_value = gene_of(parent.x, gene);
            }
            workspace_set(STATE_TARGETS + gene, target_value);
        }
        state_load(parent.y, lane);
        pmx_repair(lane);
    } else {
        state_load(parent.x, lane);
    }
    let count = mutations(words.z, lane);
    var conflicts: u32;
    if recombine.tries > 0u {
        conflicts = influence(key, individual, lane, select(count, 0u, run.genes == 0u));
    } else {
        if lane == 0u && run.genes > 0u {
            for (var mutation = 0u; mutation < count; mutation++) {
                let pair = draw(key, individual, SITE_MUTATE_ROW, mutation);
                let gene = bounded(pair.x, run.genes);
                swap_genes(gene, partner(gene, pair.y));
            }
        }
        workspace_barrier();
        conflicts = count_conflicts(lane);
    }
    let child = state_fitness(lane, conflicts);
    let worse = recombine.accept == ACCEPT_NOT_WORSE && child > mine;
    if worse || (recombine.accept == ACCEPT_BETTER && child >= mine) {
        keep_old(individual, lane);
        return Child(mine, 0u);
    } else {
        state_store(individual, lane);
        return Child(child, 0u);
    }
}
