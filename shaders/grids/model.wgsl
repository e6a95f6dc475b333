// What samples are drawn from.

// The weights of the digits of each cell, cell after cell; what else a kernel needs comes behind.
@group(0) @binding(8) var<storage, read> model: array<u32>;

const NO_DIGIT = 0xffffffffu;
