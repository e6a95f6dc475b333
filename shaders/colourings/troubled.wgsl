#import colourings/search_memory
#import colourings/lists

// The list of vertices in conflict, in no order that means anything: the first ones in workgroup memory, which are all
// but at the beginning of a search, the others in storage. An entry is vertex << 16 | cell. Any lane alone, but for the first.

var<workgroup> near_troubled: array<u32, NEAR_VERTICES>;
var<workgroup> troubled_length: atomic<u32>;
// A bit for each cell: whether it is in the list.
var<workgroup> is_troubled: array<atomic<u32>, CELL_BITS>;

// Begins with an empty list. All lanes call it.
fn troubled_begin(lane: u32) {
    if lane == 0u {
        atomicStore(&troubled_length, 0u);
    }
    for (var word = lane; word < CELL_BITS; word += LANES) {
        atomicStore(&is_troubled[word], 0u);
    }
}

fn troubled_get(slot: u32) -> u32 {
    if slot < NEAR_VERTICES {
        return near_troubled[slot];
    }
    return searches[search].troubled[slot - NEAR_VERTICES];
}

fn troubled_set(slot: u32, entry: u32) {
    if slot < NEAR_VERTICES {
        near_troubled[slot] = entry;
    } else {
        searches[search].troubled[slot - NEAR_VERTICES] = entry;
    }
}

// An open cell is in conflict.
fn troubled_add(cell: u32) {
    let bit = 1u << (cell & 31u);
    if (atomicOr(&is_troubled[cell >> 5u], bit) & bit) == 0u {
        troubled_set(atomicAdd(&troubled_length, 1u), (vertex_of(cell) << 16u) | cell);
    }
}

// It is so no longer, and leaves the list.
fn troubled_forget(cell: u32) {
    atomicAnd(&is_troubled[cell >> 5u], ~(1u << (cell & 31u)));
}
