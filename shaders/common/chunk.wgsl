// A generation is dispatched in chunks of individuals (or islands), so that no dispatch runs too
// long. Twin of `Chunk` in src/engine/gpu/layout.rs.

struct Chunk {
    // The first individual of this dispatch, and one past its last.
    first: u32,
    end: u32,
    // Of an epoch of islands: generations before this dispatch, and in it. Of a tabu search: moves.
    before: u32,
    generations: u32,
}

@group(1) @binding(0) var<storage, read> chunk: Chunk;
