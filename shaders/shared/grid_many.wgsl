// A grid under work by a workgroup.

var<workgroup> tile_cells: array<u32, CELL_WORDS>;
var<workgroup> tile_once: array<Mask, UNITS>;
var<workgroup> tile_twice: array<Mask, UNITS>;
var<workgroup> tile_repeated: array<Mask, UNITS>;

fn known_illegal(index: u32, unit: u32) -> bool {
    return mask_any(tile_twice[index * run.size + unit]);
}
