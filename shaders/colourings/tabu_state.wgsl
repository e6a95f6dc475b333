#import common/workspace_{workspace}
#import common/group_{mapping}
#import common/puzzle

// One colouring under work: how many rivals of each choice are made and target_fitness when it is tabu, the
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

// Marks a vertex that has come into conflict, or out of it. Any lane alone, as all above and the
// tables that follow.
fn set_trouble(vertex: u32, trouble: bool) {
    let bit = 1u << (vertex & 31u);
    _ = workspace_add(trouble_at(vertex), select(0u - bit, bit, trouble));
    _ = workspace_add(TABU_TROUBLED, select(0xffffffffu, 1u, trouble));
}

fn vertex_first(vertex: u32) -> u32 {
    return puzzle[run.vertices_at + 2u * vertex];
}

fn vertex_choices(vertex: u32) -> u32 {
    return puzzle[run.vertices_at + 2u * vertex + 1u] >> 16u;
}

fn vertex_cell(vertex: u32) -> u32 {
    return puzzle[run.vertices_at + 2u * vertex + 1u] & 0xffffu;
}

// NONE if the cell is not open.
fn vertex_of(cell: u32) -> u32 {
    return puzzle[run.vertex_of_at + cell];
}

// NONE if the cell cannot hold the digit.
fn choice_of(cell: u32, digit: u32) -> u32 {
    return puzzle[run.choices_at + cell * run.size + digit];
}

fn digit_of(choice: u32) -> u32 {
    return puzzle[run.digits_at + choice];
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
    let n = run.size;
    let row = cell / n;
    let col = cell % n;
    if k != col {
        tally_rival(row * n + k, digit, more);
    }
    if k != row {
        tally_rival(k * n + col, digit, more);
    }
    if run.block_width != 0u {
        let width = run.block_width;
        let height = n / width;
        let other_row = row - row % height + k / width;
        let other_col = col - col % width + k % width;
        if other_row != row && other_col != col {
            tally_rival(other_row * n + other_col, digit, more);
        }
    }
}

// Loads an individual, with nothing tabu. Returns its conflicts.
fn tabu_load(individual: u32, lane: u32) -> u32 {
    for (var word = lane; word < WORKSPACE_WORDS; word += LANES) {
        workspace_set(word, 0u);
    }
    workspace_barrier();
    for (var vertex = lane; vertex < run.vertices; vertex += LANES) {
        let cell = vertex_cell(vertex);
        let digit = extractBits(parent_word(individual, cell >> 2u), (cell & 3u) * 8u, 8u);
        workspace_set(chosen_at(vertex), choice_of(cell, digit));
    }
    workspace_barrier();
    for (var vertex = lane; vertex < run.vertices; vertex += LANES) {
        let cell = vertex_cell(vertex);
        let digit = digit_of(workspace_get(chosen_at(vertex)));
        for (var k = 0u; k < run.size; k++) {
            tell(cell, digit, k, true);
        }
    }
    workspace_barrier();
    var ends = 0u;
    for (var vertex = lane; vertex < run.vertices; vertex += LANES) {
        ends += rivals_of(workspace_get(chosen_at(vertex)));
    }
    return group_sum(lane, ends) / 2u;
}

// Word `word` of the individual under work, for the population. Any lane alone.
fn tabu_pack(word: u32) -> u32 {
    // The template, where cells are open or not.
    var packed = puzzle[word];
    for (var byte = 0u; byte < 4u; byte++) {
        let cell = word * 4u + byte;
        if cell < run.size * run.size {
            let vertex = vertex_of(cell);
            if vertex != NONE {
                let digit = digit_of(workspace_get(chosen_at(vertex)));
                packed = insertBits(packed, digit, byte * 8u, 8u);
            }
        }
    }
    return packed;
}
