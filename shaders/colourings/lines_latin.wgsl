// The lines of a Latin square: rows, then columns. A cell sees two of them, and is in both.

// How many of its own lines a cell is in.
const OWN_LINES = 2;

// How many lines a cell is in.
const LINES_WITH = 2u;

// The lines that make up what a cell sees; there is no third.
fn lines_of(cell: u32) -> vec3<u32> {
    return vec3(cell / SIZE, SIZE + cell % SIZE, NONE);
}

// Line number `index` of those that a cell is in.
fn line_with(cell: u32, index: u32) -> u32 {
    return select(SIZE + cell % SIZE, cell / SIZE, index == 0u);
}

fn line_length(line: u32) -> u32 {
    return SIZE;
}

// Cell number `place` of a line.
fn line_cell(line: u32, place: u32) -> u32 {
    return select(place * SIZE + line - SIZE, line * SIZE + place, line < SIZE);
}
