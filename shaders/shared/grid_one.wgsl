// A grid under work by one thread.

var<private> tile_cells: array<u32, CELL_WORDS>;
var<private> tile_once: array<Mask, UNITS>;
var<private> tile_twice: array<Mask, UNITS>;
var<private> tile_repeated: array<Mask, UNITS>;
