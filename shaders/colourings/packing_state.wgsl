#import colourings/lists
#import common/chunk

// One packing under work, by one thread: who covers each element, what is uncovered, which candidate each cell holds.
// Twin: src/engine/cpu/colourings/packing_state.rs.
//
// An element is an open cell, or a digit that a row, a column or a sub-block misses; the cells come first, in the order
// of the vertices. A candidate covers four of them, in a Latin square three. In a packing nothing is covered twice.

//   word 0      1       2           3
//   | uncovered | steps | truncated | of each element: place << 16 | owner | the uncovered elements | held by each cell |
//
//   owner: the cell whose candidate covers the element, and 1; 0 is nobody
//   place: where an element that nobody covers stands among those
//   held:  the candidate that covers a cell

const PACKING_UNCOVERED = 0u;
const PACKING_STEPS = 1u;
const PACKING_TRUNCATED = 2u;
const PACKING_OWNERS = 3u;

// Not atomic, as elsewhere: nobody but one thread knows of its packing.
@group(0) @binding(7) var<storage, read_write> packings: array<u32>;

// Where the parts of this thread's packing start.
var<private> owners_at: u32;
var<private> uncovered_at: u32;
var<private> held_at: u32;
// How many elements nobody covers.
var<private> uncovered: u32;

// Chooses the packing of an individual. Returns where it starts.
fn packing_open(individual: u32) -> u32 {
    let start = run.population + (individual - chunk.first) * PACKING_WORDS;
    owners_at = start + PACKING_OWNERS;
    uncovered_at = owners_at + run.elements;
    held_at = uncovered_at + run.elements;
    return start;
}

// What a candidate covers: its cell, then its digit in row, column and sub-block.
fn elements_of(candidate: u32) -> vec4<u32> {
    let low = puzzle[run.candidates_at + 2u * candidate];
    let high = puzzle[run.candidates_at + 2u * candidate + 1u];
    return vec4(low & 0xffffu, low >> 16u, high & 0xffffu, high >> 16u);
}

fn first_candidate(element: u32) -> u32 {
    return puzzle[run.elements_at + 2u * element];
}

fn candidate_count(element: u32) -> u32 {
    return puzzle[run.elements_at + 2u * element + 1u] & 0xffffu;
}

// The digit of a row, a column or a sub-block that an element stands for.
fn element_digit(element: u32) -> u32 {
    return puzzle[run.elements_at + 2u * element + 1u] >> 16u;
}

// Which cell's candidate covers an element, and 1; 0 if none does.
fn owner_of(element: u32) -> u32 {
    return packings[owners_at + element] & 0xffffu;
}

// The owners of what a candidate covers.
fn owners_of(its: vec4<u32>) -> vec4<u32> {
    var owners = vec4(owner_of(its.x), owner_of(its.y), owner_of(its.z), 0u);
    if BLOCK_WIDTH != 0u {
        owners.w = owner_of(its.w);
    }
    return owners;
}

fn uncover(element: u32) {
    packings[owners_at + element] = uncovered << 16u;
    packings[uncovered_at + uncovered] = element;
    uncovered++;
}

fn cover(element: u32, cell: u32) {
    uncovered--;
    let last = packings[uncovered_at + uncovered];
    let place = packings[owners_at + element] >> 16u;
    packings[uncovered_at + place] = last;
    packings[owners_at + last] = place << 16u;
    packings[owners_at + element] = cell + 1u;
}

// Takes a candidate in whose elements nobody covers.
fn insert(candidate: u32, its: vec4<u32>) {
    packings[held_at + its.x] = candidate;
    cover(its.x, its.x);
    cover(its.y, its.x);
    cover(its.z, its.x);
    if BLOCK_WIDTH != 0u {
        cover(its.w, its.x);
    }
}

// Takes the candidate of a cell out.
fn eject(cell: u32) {
    let its = elements_of(packings[held_at + cell]);
    uncover(its.x);
    uncover(its.y);
    uncover(its.z);
    if BLOCK_WIDTH != 0u {
        uncover(its.w);
    }
}

// One element takes the place of another among those that nobody covers, unless they are the same.
fn trade(out: u32, into: u32, cell: u32) {
    if out != into {
        let place = packings[owners_at + into] >> 16u;
        packings[uncovered_at + place] = out;
        packings[owners_at + out] = place << 16u;
    }
    packings[owners_at + into] = cell + 1u;
}

// Takes a candidate in for that of a cell, the only one in its way.
fn replace(cell: u32, candidate: u32, its: vec4<u32>) {
    let old = elements_of(packings[held_at + cell]);
    packings[held_at + its.x] = candidate;
    trade(old.x, its.x, its.x);
    trade(old.y, its.y, its.x);
    trade(old.z, its.z, its.x);
    if BLOCK_WIDTH != 0u {
        trade(old.w, its.w, its.x);
    }
}

// Loads an individual: cell by cell, a digit stays if nothing before it covers the same. What is uncovered stands in
// the order of its numbers.
fn packing_load(individual: u32) {
    for (var element = 0u; element < run.elements; element++) {
        packings[owners_at + element] = 0u;
    }
    for (var cell = 0u; cell < run.vertices; cell++) {
        let choice = choice_in(individual, cell);
        if choice != NONE {
            let candidate = first_candidate(cell) + choice - vertex_first(cell);
            let its = elements_of(candidate);
            if all(owners_of(its) == vec4(0u)) {
                packings[held_at + cell] = candidate;
                packings[owners_at + its.x] = cell + 1u;
                packings[owners_at + its.y] = cell + 1u;
                packings[owners_at + its.z] = cell + 1u;
                if BLOCK_WIDTH != 0u {
                    packings[owners_at + its.w] = cell + 1u;
                }
            }
        }
    }
    uncovered = 0u;
    for (var element = 0u; element < run.elements; element++) {
        if owner_of(element) == 0u {
            uncover(element);
        }
    }
}

// The digit of a vertex of the individual under work, or HOLE.
fn digit_held(vertex: u32) -> u32 {
    if owner_of(vertex) == 0u {
        return HOLE;
    }
    return element_digit(elements_of(packings[held_at + vertex]).y);
}

// How many cells nobody covers.
fn packing_holes() -> u32 {
    var holes = 0u;
    for (var place = 0u; place < uncovered; place++) {
        holes += select(0u, 1u, packings[uncovered_at + place] < run.vertices);
    }
    return holes;
}
