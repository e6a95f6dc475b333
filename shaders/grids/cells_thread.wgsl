#import grids/mask_{mask}

// A grid under work by one thread.

var<private> grid_cells: array<u32, CELL_WORDS>;
var<private> grid_once: array<Mask, UNITS>;

// The units of columns and sub-blocks in which digits are repeated, as far as local search knows.
var<private> grid_illegal: array<Mask, 2>;

fn illegal_units(index: u32) -> u32 {
    return mask_count(grid_illegal[index]);
}
