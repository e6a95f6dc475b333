//! Twin of `shaders/colourings/cooling.wgsl`: temperatures of a population of searches.
//!
//! What acts as a temperature, a tenure or a rate, falls from generation to generation, from the most to the least,
//! and begins anew. Each period is twice as long as the one before, up to [`LONGEST_PERIOD`] times the first;
//! individuals are at different points of it.

use crate::rng::bounded;

/// The longest period, in first ones.
pub const LONGEST_PERIOD: u32 = 16;

/// The most generations of a first period.
pub const MOST_PERIOD: u32 = 4095;

/// The golden section in 2^-16: multiples of it fill a period evenly, however many they are.
pub const GOLDEN: u32 = 40_503;

/// The temperature of an individual in a generation, between the least and the most.
pub fn cooled([least, most]: [u32; 2], period: u32, generation: u32, individual: u32) -> u32 {
    // Before a period of 2^k first ones there were 2^k - 1.
    let longer = ((generation / period).min(LONGEST_PERIOD - 1) + 1).ilog2();
    let before = ((1 << longer) - 1) * period;
    let length = period << longer;
    let passed = (((generation - before) % length) << 16) / length;
    let phase = passed.wrapping_add(individual.wrapping_mul(GOLDEN)) & 0xffff;
    most - bounded(phase << 16, most - least)
}
