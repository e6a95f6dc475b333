// The operators in use, where all lanes of a workgroup see the same: they meet in loops that these steer.
@group(0) @binding(5) var<storage, read> breed: Breed;

fn begin_operators() {}
