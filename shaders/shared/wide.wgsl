// Numbers of 64 bits as low and high halves.

fn add_wide(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn subtract_wide(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn square_wide(a: u32) -> vec2<u32> {
    let low = a & 0xffffu;
    let high = a >> 16u;
    let middle = low * high;
    // (high 2^16 + low)^2, the middle product twice.
    let once = add_wide(vec2(low * low, high * high), vec2(middle << 16u, middle >> 16u));
    return add_wide(once, vec2(middle << 16u, middle >> 16u));
}

fn halve_wide(a: vec2<u32>) -> vec2<u32> {
    return vec2((a.x >> 1u) | (a.y << 31u), a.y >> 1u);
}
