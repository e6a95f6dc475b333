// The lines of a Sudoku. What a cell sees is split into three that share no cell: its sub-block, the rest of its row,
// and the rest of its column. So the rivals of a digit are the sum of its counts in three lines.
//
//   | sub-blocks | rows without the cells of one stack: row by row | columns without those of one band: column by column |

// How many sub-blocks stand side by side, and one below the other.
const STACKS = SIZE / BLOCK_WIDTH;
const BANDS = SIZE / BLOCK_HEIGHT;

const ROWS_AT = SIZE;
const COLUMNS_AT = SIZE + SIZE * STACKS;

// How many of its own lines a cell is in.
const OWN_LINES = 1;

// How many lines a cell is in.
const LINES_WITH = STACKS + BANDS - 1u;

// The lines that make up what a cell sees.
fn lines_of(cell: u32) -> vec3<u32> {
    let row = cell / SIZE;
    let col = cell % SIZE;
    let stack = col / BLOCK_WIDTH;
    let band = row / BLOCK_HEIGHT;
    return vec3(band * STACKS + stack, ROWS_AT + row * STACKS + stack, COLUMNS_AT + col * BANDS + band);
}

// Line number `index` of those that a cell is in: its sub-block, its row without another stack, its column without
// another band.
fn line_with(cell: u32, index: u32) -> u32 {
    let row = cell / SIZE;
    let col = cell % SIZE;
    let stack = col / BLOCK_WIDTH;
    let band = row / BLOCK_HEIGHT;
    if index == 0u {
        return band * STACKS + stack;
    }
    if index < STACKS {
        return ROWS_AT + row * STACKS + other_than(stack, index - 1u);
    }
    return COLUMNS_AT + col * BANDS + other_than(band, index - STACKS);
}

// Number `index` of all but one.
fn other_than(one: u32, index: u32) -> u32 {
    return index + select(0u, 1u, index >= one);
}

fn line_length(line: u32) -> u32 {
    if line < ROWS_AT {
        return SIZE;
    }
    return SIZE - select(BLOCK_HEIGHT, BLOCK_WIDTH, line < COLUMNS_AT);
}

// How to walk along a line: from its first cell by steps, and now and then a leap.
struct Walk {
    cell: u32,
    step: u32,
    // Before which place the next leap is, how far, and how many places before the one after it.
    leap_at: u32,
    leap: u32,
    leap_again: u32,
}

fn line_walk(line: u32) -> Walk {
    if line < ROWS_AT {
        let first = line / STACKS * BLOCK_HEIGHT * SIZE + line % STACKS * BLOCK_WIDTH;
        return Walk(first, 1u, BLOCK_WIDTH, SIZE - BLOCK_WIDTH, BLOCK_WIDTH);
    }
    if line < COLUMNS_AT {
        let row = (line - ROWS_AT) / STACKS;
        let skipped = (line - ROWS_AT) % STACKS * BLOCK_WIDTH;
        return Walk(row * SIZE, 1u, skipped, BLOCK_WIDTH, SIZE);
    }
    let col = (line - COLUMNS_AT) / BANDS;
    let skipped = (line - COLUMNS_AT) % BANDS * BLOCK_HEIGHT;
    return Walk(col, SIZE, skipped, BLOCK_HEIGHT * SIZE, SIZE);
}

// Cell number `place` of a line.
fn line_cell(line: u32, place: u32) -> u32 {
    if line < ROWS_AT {
        let row = line / STACKS * BLOCK_HEIGHT + place / BLOCK_WIDTH;
        return row * SIZE + line % STACKS * BLOCK_WIDTH + place % BLOCK_WIDTH;
    }
    if line < COLUMNS_AT {
        let row = (line - ROWS_AT) / STACKS;
        let skipped = (line - ROWS_AT) % STACKS * BLOCK_WIDTH;
        return row * SIZE + place + select(0u, BLOCK_WIDTH, place >= skipped);
    }
    let col = (line - COLUMNS_AT) / BANDS;
    let skipped = (line - COLUMNS_AT) % BANDS * BLOCK_HEIGHT;
    return (place + select(0u, BLOCK_HEIGHT, place >= skipped)) * SIZE + col;
}
