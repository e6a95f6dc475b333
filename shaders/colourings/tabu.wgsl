#entry item
#mapping group
#import colourings/tabu_state
#import colourings/tabu_spill
#import colourings/cooling
#import common/children
#import common/parents
#import common/rng

// Tabu searches. Twin: src/operators/colourings/tabu.rs.
//
// The lanes look at the vertices in conflict together; the best move is carried out, and the lanes
// tell it to those who see the vertex. A generation takes many dispatches: the first puts everybody
// into its tabu state and makes no moves, the last writes the children.

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

// In the order of moves, the change of conflicts comes first, from here on; what is tabu is behind.
const NO_CHANGE = 512;
const TABU = 1024;

@group(0) @binding(5) var<storage, read> tabu: Tabu;

var<workgroup> best_vertex: u32;
var<workgroup> best_choice: u32;

// A move of one vertex: its place in the order of all, and the choice.
struct Move {
    rank: u32,
    choice: u32,
}

// The best move of a vertex in conflict: least change, of equals the first from a random one on. Of
// vertices with equal changes that one comes first whose product with an odd number is least, as a
// signed number of 16 bits. Any lane alone.
fn best_move(vertex: u32, number: u32, room: i32, odd: u32, turn: u32) -> Move {
    let chosen = workspace_get(chosen_at(vertex));
    let now = i32(rivals_of(chosen));
    let first = vertex_first(vertex);
    let choices = vertex_choices(vertex);
    let order = ((vertex * odd) & 0xffffu) ^ 0x8000u;
    var best = Move(NONE, NONE);
    var choice = first + bounded(turn, choices);
    for (var turns = 0u; turns < choices; turns++) {
        let its = tally(choice);
        let delta = i32(its & RIVALS) - now;
        let allowed = (its >> RIVAL_BITS) <= number || delta < room;
        let rank = (u32(delta + NO_CHANGE + select(TABU, 0, allowed)) << 16u) | order;
        if choice != chosen && rank < best.rank {
            best = Move(rank, choice);
        }
        choice++;
        choice = select(choice, first, choice == first + choices);
    }
    return best;
}

// Gives every hole a random one of its choices.
fn fill_holes(individual: u32, lane: u32) {
    let key = key_of(state.generation + 1u);
    for (var vertex = lane; vertex < run.vertices; vertex += LANES) {
        if workspace_get(chosen_at(vertex)) == NONE {
            let word = draw(key, individual, SITE_STEP, FILL + vertex).x;
            workspace_set(chosen_at(vertex), vertex_first(vertex) + bounded(word, vertex_choices(vertex)));
        }
    }
    workspace_barrier();
}

fn work(individual: u32, lane: u32) {
    workspace_open(individual);
    if chunk.generations == 0u {
        begin_child(individual, lane);
        tabu_load(individual, lane);
        fill_holes(individual, lane);
        let conflicts = tabu_tell_all(lane);
        let truncated = group_truncated(lane);
        if lane == 0u {
            workspace_set(TABU_CONFLICTS, conflicts);
            workspace_set(TABU_FEWEST, conflicts);
            workspace_set(TABU_TRUNCATED, select(0u, 1u, truncated));
        }
        tabu_spill(individual, lane);
        return;
    }
    group_begin(lane);
    tabu_resume(individual, lane);
    let key = key_of(state.generation + 1u);
    let factor = cooled(vec2(tabu.least, tabu.most), tabu.period, state.generation + 1u, individual);
    // From one lane, so that all agree on when to stop.
    var conflicts = group_min(lane, workspace_get(TABU_CONFLICTS));
    var fewest = group_min(lane, workspace_get(TABU_FEWEST));
    var moves = workspace_get(TABU_MOVES);
    let last = min(chunk.before + chunk.generations, tabu.moves);
    for (var number = chunk.before + 1u; number <= last && conflicts > 0u; number++) {
        let words = draw(key, individual, SITE_STEP, number);
        var mine = Move(NONE, NONE);
        var vertex = NONE;
        for (var other = lane; other < run.vertices; other += LANES) {
            if in_trouble(other) {
                let room = i32(fewest) - i32(conflicts);
                let its = best_move(other, number, room, words.x | 1u, words.y);
                if its.rank < mine.rank {
                    mine = its;
                    vertex = other;
                }
            }
        }
        let best = group_min(lane, mine.rank);
        if best == NONE {
            break;
        }
        moves = number;
        if mine.rank == best {
            best_vertex = vertex;
            best_choice = mine.choice;
        }
        workgroupBarrier();
        let mover = workgroupUniformLoad(&best_vertex);
        let new_choice = workgroupUniformLoad(&best_choice);
        let old_choice = workspace_get(chosen_at(mover));
        let troubled = workspace_get(TABU_TROUBLED);
        workspace_barrier();
        let cell = vertex_cell(mover);
        for (var k = lane; k < SIZE; k += LANES) {
            tell(cell, digit_of(old_choice), k, false);
            tell(cell, digit_of(new_choice), k, true);
        }
        if lane == 0u {
            // It was in conflict, and may be in none now.
            if rivals_of(new_choice) == 0u {
                set_trouble(mover, false);
            }
            workspace_set(chosen_at(mover), new_choice);
            let tenure = factor * troubled / 256u + bounded(words.z, tabu.random);
            let allowed_from = number + 1u + min(tenure, LONGEST);
            workspace_set(TABU_TALLIES + old_choice, rivals_of(old_choice) | (allowed_from << RIVAL_BITS));
        }
        workspace_barrier();
        let change = i32(best >> 16u) - NO_CHANGE;
        conflicts = u32(i32(conflicts) + select(change, change - TABU, change > NO_CHANGE));
        fewest = min(fewest, conflicts);
    }
    if lane == 0u {
        workspace_set(TABU_CONFLICTS, conflicts);
        workspace_set(TABU_FEWEST, fewest);
        workspace_set(TABU_MOVES, moves);
    }
    let truncated = group_truncated(lane);
    if truncated && lane == 0u {
        workspace_set(TABU_TRUNCATED, 1u);
    }
    tabu_spill(individual, lane);
    if chunk.before + chunk.generations >= tabu.moves {
        for (var word = lane; word < WORDS; word += LANES) {
            new_population[child_word_at(individual, word)] = packed_word(word);
        }
        if lane == 0u {
            let failed = workspace_get(TABU_TRUNCATED) != 0u;
            set_child(individual, select(conflicts, TRUNCATED, failed), moves);
        }
    }
}
