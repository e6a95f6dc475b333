// The tables of the problem, one after the other; `Run` says where they start. The first is the template: a
// grid with the givens in place. Of queens there is one word: whether the board is a torus.
@group(0) @binding(1) var<storage, read> puzzle: array<u32>;
