#import common/rng

// What acts as a temperature falls from the most to the least and begins anew, in periods twice as long as the ones
// before. Twin: src/operators/colourings/cooling.rs.

// The longest period, in first ones.
const LONGEST_PERIOD = 16u;
// The golden section in 2^-16.
const GOLDEN = 40503u;

// The temperature of an individual; `ends` are the least and the most.
fn cooled(ends: vec2<u32>, period: u32, generation: u32, individual: u32) -> u32 {
    // Before a period of 2^k first ones there were 2^k - 1.
    let longer = firstLeadingBit(min(generation / period, LONGEST_PERIOD - 1u) + 1u);
    let before = ((1u << longer) - 1u) * period;
    let length = period << longer;
    let passed = (((generation - before) % length) << 16u) / length;
    let phase = (passed + individual * GOLDEN) & 0xffffu;
    return ends.y - bounded(phase << 16u, ends.y - ends.x);
}
