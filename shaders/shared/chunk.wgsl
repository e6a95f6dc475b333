// A generation is dispatched in chunks of individuals, so that no dispatch runs too long.

struct Chunk {
    // The first individual of this dispatch.
    first: u32,
    // One past its last.
    end: u32,
    pad_0: u32,
    pad_1: u32,
}

@group(1) @binding(0) var<uniform> chunk: Chunk;
