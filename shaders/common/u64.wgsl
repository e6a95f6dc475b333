// Numbers of 64 bits as low and high halves.

fn u64_add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn u64_subtract(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn u64_square(a: u32) -> vec2<u32> {
    let low = a & 0xffffu;
    let high = a >> 16u;
    let middle = low * high;
    // (high 2^16 + low)^2, the middle product twice.
    let once = u64_add(vec2(low * low, high * high), vec2(middle << 16u, middle >> 16u));
    return u64_add(once, vec2(middle << 16u, middle >> 16u));
}

fn u64_halve(a: vec2<u32>) -> vec2<u32> {
    return vec2((a.x >> 1u) | (a.y << 31u), a.y >> 1u);
}
