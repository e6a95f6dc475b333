// A grid under work by a workgroup.

var<workgroup> tile_cells: array<u32, CELL_WORDS>;
var<workgroup> tile_once: array<Mask, UNITS>;
var<workgroup> tile_twice: array<Mask, UNITS>;
var<workgroup> tile_repeated: array<Mask, UNITS>;
