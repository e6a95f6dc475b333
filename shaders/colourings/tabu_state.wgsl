#import common/workspace_{workspace}
#import common/group_{mapping}
#import colourings/lists

// One colouring under work: how many rivals of each choice are made and until when it is tabu, the
// choice of each vertex, which vertices are in conflict. Twin: src/engine/cpu/colourings/tabu_state.rs.
//
// A vertex is an open cell, a choice a vertex with one of its candidates; rivals are choices of the
// same digit whose vertices share a row, a column or a sub-block.
//
// The state lies in a workspace. All lanes call these together, but for those that say otherwise.

//   word 0           1        2       3           4          5
//   | conflicts      | fewest | moves | truncated | troubled | tallies: run.choices | choice of each vertex | trouble bits |
//
//   tally            | allowed from this move on: 22 bits | rivals that are made: 10 bits |

// What is kept between the dispatches of a generation, before the rest.
const TABU_CONFLICTS = 0u;
const TABU_FEWEST = 1u;
const TABU_MOVES = 2u;
const TABU_TRUNCATED = 3u;
// Vertices in conflict.
const TABU_TROUBLED = 4u;
const TABU_TALLIES = 5u;

// A tally: the rivals that are made, and above them the move from which on the choice is allowed.
const RIVALS = 0x3ffu;
const RIVAL_BITS = 10u;


fn tally(choice: u32) -> u32 {
    return workspace_get(TABU_TALLIES + choice);
}

fn rivals_of(choice: u32) -> u32 {
    return tally(choice) & RIVALS;
}

fn chosen_at(vertex: u32) -> u32 {
    return TABU_TALLIES + run.choices + vertex;
}

// The word with the bit of a vertex that is in conflict.
fn trouble_at(vertex: u32) -> u32 {
    return TABU_TALLIES + run.choices + run.vertices + (vertex >> 5u);
}

fn in_trouble(vertex: u32) -> bool {
    return ((workspace_get(trouble_at(vertex)) >> (vertex & 31u)) & 1u) != 0u;
}

// Marks a vertex that has come into conflict, or out of it. Any lane alone, as all above.
fn set_trouble(vertex: u32, trouble: bool) {
    let bit = 1u << (vertex & 31u);
    _ = workspace_add(trouble_at(vertex), select(0u - bit, bit, trouble));
    _ = workspace_add(TABU_TROUBLED, select(0xffffffffu, 1u, trouble));
}

// One more rival of a choice is made, or one fewer.
fn tally_rival(cell: u32, digit: u32, more: bool) {
    let choice = choice_of(cell, digit);
    if choice == NONE {
        return;
    }
    let before = workspace_add(TABU_TALLIES + choice, select(0xffffffffu, 1u, more)) & RIVALS;
    // Only then it may come into conflict, or out of it.
    if before == select(1u, 0u, more) {
        let vertex = vertex_of(cell);
        if workspace_get(chosen_at(vertex)) == choice {
            set_trouble(vertex, more);
        }
    }
}

// Tells cell number k of the row, the column and the sub-block of a cell that it holds a digit now,
// or no longer. Who shares two of them is told once.
fn tell(cell: u32, digit: u32, k: u32, more: bool) {
    let n = SIZE;
    let row = cell / n;
    let col = cell % n;
    if k != col {
        tally_rival(row * n + k, digit, more);
    }
    if k != row {
        tally_rival(k * n + col, digit, more);
    }
    if BLOCK_WIDTH != 0u {
        let width = max(BLOCK_WIDTH, 1u);
        let height = n / width;
        let other_row = row - row % height + k / width;
        let other_col = col - col % width + k % width;
        if other_row != row && other_col != col {
            tally_rival(other_row * n + other_col, digit, more);
        }
    }
}

// Loads the choices of an individual, with nothing tabu; those of holes are NONE.
fn tabu_load(individual: u32, lane: u32) {
    for (var word = lane; word < WORKSPACE_WORDS; word += LANES) {
        workspace_set(word, 0u);
    }
    workspace_barrier();
    for (var vertex = lane; vertex < run.vertices; vertex += LANES) {
        workspace_set(chosen_at(vertex), choice_in(individual, vertex));
    }
    workspace_barrier();
}

// Tells everybody what has been chosen. Returns the conflicts.
fn tabu_tell_all(lane: u32) -> u32 {
    for (var vertex = lane; vertex < run.vertices; vertex += LANES) {
        let choice = workspace_get(chosen_at(vertex));
        for (var k = 0u; k < SIZE && choice != NONE; k++) {
            tell(vertex_cell(vertex), digit_of(choice), k, true);
        }
    }
    workspace_barrier();
    var ends = 0u;
    for (var vertex = lane; vertex < run.vertices; vertex += LANES) {
        let choice = workspace_get(chosen_at(vertex));
        if choice != NONE {
            ends += rivals_of(choice);
        }
    }
    return group_sum(lane, ends) / 2u;
}

// The digit of a vertex of the individual under work. Any lane alone.
fn digit_held(vertex: u32) -> u32 {
    return digit_of(workspace_get(chosen_at(vertex)));
}
