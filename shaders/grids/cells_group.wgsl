#import grids/shares_{mask}

// A grid under work by a group of lanes: cells in memory that all see, what is known of units with the lanes that have
// them.

var<workgroup> grid_cells: array<u32, CELL_WORDS>;
var<workgroup> grid_once: array<Mask, UNITS>;

// Of columns and sub-blocks: the digits that a unit has, and has repeatedly.
var<private> unit_once: array<Shares, 2>;
var<private> unit_twice: array<Shares, 2>;

// How many of this lane's units have a repeated digit, as far as local search knows.
fn illegal_units(index: u32) -> u32 {
    var count = 0u;
    for (var slot = 0u; slot < MASK_WORDS; slot++) { // unroll
        count += select(0u, 1u, mask_any(unit_twice[index][slot]));
    }
    return count;
}
