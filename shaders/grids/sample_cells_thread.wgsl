#import grids/written_thread
#import grids/segments
#import common/children
#import common/chunk

// A sample under work by one thread: cells in the new population, where they belong, and the digits that stand in rows,
// then in columns, in workgroup memory. Registers have no places that a thread could look up.
//
//   | row 0: a mask for each thread | row 1 | ... | column 0 | ... |

var<workgroup> taken_digits: array<Mask, UNITS * WORKGROUP>;

fn taken_at(individual: u32, unit: u32) -> u32 {
    return unit * WORKGROUP + (individual - chunk.first) % WORKGROUP;
}

fn take_givens(individual: u32, lane: u32) {
    for (var word = 0u; word < WORDS; word++) {
        new_population[child_word_at(individual, word)] = puzzle[word];
    }
    for (var unit = 0u; unit < SIZE; unit++) {
        taken_digits[taken_at(individual, unit)] = given_in_row(unit);
        taken_digits[taken_at(individual, SIZE + unit)] = given_in_column(unit);
    }
}

// The digits that stand in the row or the column of a cell, but for those of its block.
fn taken(individual: u32, cell: vec2<u32>) -> Mask {
    return taken_digits[taken_at(individual, cell.x)] | taken_digits[taken_at(individual, SIZE + cell.y)];
}

fn set_digit(individual: u32, cell: vec2<u32>, digit: u32, lane: u32) {
    let at = cell.x * SIZE + cell.y;
    let word = child_word_at(individual, at >> 2u);
    new_population[word] = with_byte(new_population[word], at, digit);
}

// Notes the digits of a block's free cells in its rows and columns.
fn note_block(individual: u32, block: u32, lane: u32) {
    let count = free_count(block);
    for (var index = 0u; index < count; index++) {
        let cell = free_cell(block, index);
        let at = cell.x * SIZE + cell.y;
        let cells = new_population[child_word_at(individual, at >> 2u)];
        let digit = mask_bit(byte_at(cells, at));
        taken_digits[taken_at(individual, cell.x)] |= digit;
        taken_digits[taken_at(individual, SIZE + cell.y)] |= digit;
    }
}

fn written_word(individual: u32, word: u32) -> u32 {
    return new_population[child_word_at(individual, word)];
}

fn sampled_fitness(individual: u32, lane: u32) -> u32 {
    return written_fitness(individual, lane);
}
