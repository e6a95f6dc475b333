#import grids/mask_{mask}

// A grid under work by a workgroup.

var<workgroup> grid_cells: array<u32, CELL_WORDS>;
var<workgroup> grid_once: array<Mask, UNITS>;
var<workgroup> grid_twice: array<Mask, UNITS>;
var<workgroup> grid_repeated: array<Mask, UNITS>;

fn known_illegal(index: u32, unit: u32) -> bool {
    return mask_any(grid_twice[index * run.size + unit]);
}
