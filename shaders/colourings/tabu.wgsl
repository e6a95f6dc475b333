#entry item
#mapping group
#import colourings/counts
#import colourings/troubled
#import colourings/cooling
#import common/parents
#import common/rng

// Tabu searches. Twin: src/operators/colourings/tabu.rs.
//
// Each lane looks at a vertex in conflict; where there are more, they take turns. The best move is carried out, and the
// lanes look for those whom it has brought into conflict. A generation takes many dispatches: the first fills holes
// and makes no moves, the last tells the fitness. In between a search is what its child looks like, which
// choices are tabu and the fewest conflicts so far; counts and lists are made anew.

// The parameters, in the order of the operator's `Params`.
struct Tabu {
    moves: u32,
    least: u32,
    most: u32,
    period: u32,
    random: u32,
}

// No tenure is longer.
const LONGEST = 4094u;

// The place of a move in the order of all, least first: the change of conflicts from here on, what is tabu behind; the
// order of the vertex; the lane.
//
//   | change: 11 bits | vertex: 16 bits | lane: 5 bits |
const NO_CHANGE = 512;
const TABU = 1024u;
const CHANGE_AT = 21u;
const VERTEX_AT = 5u;

@group(0) @binding(5) var<storage, read> tabu: Tabu;

// A move of one vertex.
struct Move {
    // Its place in the order; NONE if there is no move.
    rank: u32,
    // The vertex, as in the list.
    entry: u32,
    // The digit that it has | the one that it takes << 8.
    digits: u32,
    // Whether the vertex is in conflict.
    in_conflict: bool,
}

// What all moves of one number have in common.
struct Turn {
    number: u32,
    // Of vertices with equal changes that one comes first whose product with this odd number is least, as a signed
    // number of 16 bits.
    odd: u32,
    // Of its choices the first one from a random one on.
    start: u32,
    // What changes conflicts by less than this leads to fewer than ever, and is allowed.
    room: i32,
    // The best move so far: who cannot be better need not look further.
    best: u32,
}

// The best move of a vertex. Any lane alone.
fn best_move(entry: u32, lane: u32, turn: Turn) -> Move {
    let vertex = entry >> 16u;
    let cell = entry & 0xffffu;
    let rivals = rivals_at(cell);
    let old_digit = digit_at(cell);
    let now = i32(rivals_of(rivals, old_digit)) - OWN_LINES;
    var best = Move(NONE, entry, old_digit, now != 0);
    if now == 0 {
        return best;
    }
    let list = mask_from_puzzle(run.domains_at + cell * MASK_WORDS);
    let first = vertex_first(vertex);
    let behind = ~mask_below(mask_select(list, bounded_short(turn.start, mask_count(list))));
    let order = ((((vertex * turn.odd) & 0xffffu) ^ 0x8000u) << VERTEX_AT) | lane;
    let lacking = lacking_bits(rivals);
    // From the fewest rivals on, until one is allowed.
    var open = list & ~mask_bit(old_digit);
    while mask_any(open) {
        let fewest = fewest_rivals(lacking, open);
        let further = fewest.digits & behind;
        let digit = mask_first(select(fewest.digits, further, mask_any(further)));
        let delta = i32(fewest.rivals) - now;
        let rank = (u32(delta + NO_CHANGE) << CHANGE_AT) | order;
        if rank > turn.best {
            break;
        }
        var allowed = delta < turn.room;
        if !allowed {
            allowed = searches[search].allowed_from[first + mask_rank(list, digit)] <= turn.number;
        }
        if allowed || best.rank == NONE {
            best.rank = rank + select(TABU << CHANGE_AT, 0u, allowed);
            best.digits = old_digit | (digit << 8u);
        }
        if allowed {
            break;
        }
        open &= ~mask_bit(digit);
    }
    return best;
}

// Who has the digit that a cell takes, and sees it, is in conflict. All lanes call it.
fn trouble_others(cell: u32, digit: u32, lane: u32) {
    let its = lines_of(cell);
    for (var kind = 0u; kind < LINE_KINDS; kind++) { // unroll
        let line = its[kind];
        for (var round = 0u; round < LINE_ROUNDS; round++) { // unroll
            let place = round * LANES + lane;
            if place < line_length(line) {
                let other = line_cell(line, place);
                if digit_at(other) == digit && other != cell {
                    troubled_add(other);
                }
            }
        }
    }
}

// Before the first move: the child is its parent with random candidates in place of holes, and nothing is tabu.
fn search_begin(individual: u32, lane: u32) {
    let key = key_of(state.generation + 1u);
    for (var word = lane; word < WORDS; word += LANES) {
        var digits = parent_word(individual, word);
        for (var byte = 0u; byte < 4u; byte++) {
            let cell = word * 4u + byte;
            if cell < SIZE * SIZE && extractBits(digits, byte * 8u, 8u) == HOLE {
                let vertex = vertex_of(cell);
                let random = draw(key, individual, SITE_STEP, FILL + vertex).x;
                let choice = vertex_first(vertex) + bounded(random, vertex_choices(vertex));
                digits = insertBits(digits, digit_of(choice), byte * 8u, 8u);
            }
        }
        new_population[child_word_at(individual, word)] = digits;
    }
    // Lists are padded to multiples of eight.
    for (var choice = lane * 8u; choice < run.choices; choice += 8u * LANES) {
        for (var index = 0u; index < 8u; index++) { // unroll
            searches[search].allowed_from[choice + index] = 0u;
        }
    }
    let truncated = group_truncated(lane);
    if lane == 0u {
        searches[search].truncated = select(0u, 1u, truncated);
        set_child(individual, TRUNCATED, 0u);
    }
}

// Counts and lists what the child has. Returns its conflicts. All lanes call it.
fn search_resume(individual: u32, lane: u32) -> u32 {
    troubled_begin(lane);
    _ = digits_load(individual, lane);
    group_storage_barrier();
    counts_load(lane);
    group_storage_barrier();
    var ends = 0u;
    for (var vertex = lane; vertex < run.vertices; vertex += LANES) {
        let cell = vertex_cell(vertex);
        let rivals = rivals_of(rivals_at(cell), digit_at(cell)) - u32(OWN_LINES);
        if rivals != 0u {
            troubled_add(cell);
        }
        ends += rivals;
    }
    group_storage_barrier();
    return group_sum(lane, ends) / 2u;
}

fn work(individual: u32, lane: u32) {
    search_open(individual);
    if chunk.generations == 0u {
        begin_child(individual, lane);
        search_begin(individual, lane);
        return;
    }
    var conflicts = search_resume(individual, lane);
    var fewest = conflicts;
    if chunk.before != 0u {
        fewest = searches[search].fewest;
    }
    var moves = new_population[run.population + individual];
    let key = key_of(state.generation + 1u);
    let factor = cooled(vec2(tabu.least, tabu.most), tabu.period, state.generation + 1u, individual);
    let last = min(chunk.before + chunk.generations, tabu.moves);
    for (var number = chunk.before + 1u; number <= last && conflicts > 0u; number++) {
        let words = draw(key, individual, SITE_STEP, number);
        var best = NONE;
        let length = group_same(lane, atomicLoad(&troubled_length), 0u);
        var mine = Move(NONE, 0u, 0u, false);
        var troubled = 0u;
        for (var start = 0u; start < length; start += LANES) {
            var its = Move(NONE, 0u, 0u, false);
            let turn = Turn(number, words.x | 1u, words.y, i32(fewest) - i32(conflicts), best);
            if start + lane < length {
                its = best_move(troubled_get(start + lane), lane, turn);
                if !its.in_conflict {
                    troubled_forget(its.entry & 0xffffu);
                }
            }
            if its.rank < mine.rank {
                mine = its;
            }
            best = min(best, group_min(lane, its.rank));
            // Those who stay close up.
            let stay = group_ballot(lane, its.in_conflict);
            if its.in_conflict {
                troubled_set(troubled + countOneBits(stay & ((1u << lane) - 1u)), its.entry);
            }
            troubled += countOneBits(stay);
        }
        if best == NONE {
            break;
        }
        moves = number;
        let winner = best & (LANES - 1u);
        let cell = group_same(lane, mine.entry, winner) & 0xffffu;
        let digits = group_same(lane, mine.digits, winner);
        let old_digit = digits & 0xffu;
        let new_digit = digits >> 8u;
        if lane == 0u {
            atomicStore(&troubled_length, troubled);
        }
        group_barrier();
        trouble_others(cell, new_digit, lane);
        group_barrier();
        for (var round = 0u; round < CHANGE_ROUNDS; round++) { // unroll
            let index = round * LANES + lane;
            if index < LINES_WITH {
                counts_change(line_with(cell, index), old_digit, new_digit);
            }
        }
        if lane == winner {
            digit_set(cell, new_digit);
            let list = mask_from_puzzle(run.domains_at + cell * MASK_WORDS);
            let choice = vertex_first(mine.entry >> 16u) + mask_rank(list, old_digit);
            let tenure = factor * troubled / 256u + bounded_short(words.z, tabu.random);
            searches[search].allowed_from[choice] = number + 1u + min(tenure, LONGEST);
        }
        let change = i32((best >> CHANGE_AT) & (TABU - 1u)) - NO_CHANGE;
        conflicts = u32(i32(conflicts) + change);
        fewest = min(fewest, conflicts);
        group_storage_barrier();
    }
    for (var word = lane; word < WORDS; word += LANES) {
        new_population[child_word_at(individual, word)] = packed_word(word);
    }
    let truncated = group_truncated(lane);
    if lane == 0u {
        let failed = truncated || searches[search].truncated != 0u;
        let is_over = chunk.before + chunk.generations >= tabu.moves;
        searches[search].fewest = fewest;
        searches[search].truncated = select(0u, 1u, failed);
        set_child(individual, select(TRUNCATED, conflicts, is_over && !failed), moves);
    }
}
