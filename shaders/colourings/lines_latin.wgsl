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

// How to walk along a line: from its first cell by steps, and now and then a leap.
struct Walk {
    cell: u32,
    step: u32,
    // Before which place the next leap is, how far, and how many places before the one after it.
    leap_at: u32,
    leap: u32,
    leap_again: u32,
}

// There are no leaps.
fn line_walk(line: u32) -> Walk {
    if line < SIZE {
        return Walk(line * SIZE, 1u, SIZE, 0u, 0u);
    }
    return Walk(line - SIZE, SIZE, SIZE, 0u, 0u);
}

// Cell number `place` of a line.
fn line_cell(line: u32, place: u32) -> u32 {
    return select(place * SIZE + line - SIZE, line * SIZE + place, line < SIZE);
}
