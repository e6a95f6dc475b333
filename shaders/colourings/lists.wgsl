#import common/puzzle

// The lists of a puzzle: vertices are open cells, choices their candidates. Any lane alone.

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
    return puzzle[run.choices_at + cell * SIZE + digit];
}

fn digit_of(choice: u32) -> u32 {
    return puzzle[run.digits_at + choice];
}

// What an individual of the old population has chosen for a vertex; NONE if that is a hole.
fn choice_in(individual: u32, vertex: u32) -> u32 {
    let cell = vertex_cell(vertex);
    let digit = extractBits(parent_word(individual, cell >> 2u), (cell & 3u) * 8u, 8u);
    if digit == HOLE {
        return NONE;
    }
    return choice_of(cell, digit);
}

// Word `word` of the individual under work, for the population. Its state (counts, packing_state) defines `digit_held`.
fn packed_word(word: u32) -> u32 {
    // The template, where cells are open or not.
    var packed = puzzle[word];
    for (var byte = 0u; byte < 4u; byte++) {
        let cell = word * 4u + byte;
        if cell < SIZE * SIZE {
            let vertex = vertex_of(cell);
            if vertex != NONE {
                packed = insertBits(packed, digit_held(vertex), byte * 8u, 8u);
            }
        }
    }
    return packed;
}
