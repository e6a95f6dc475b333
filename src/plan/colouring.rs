//! The kernels that recolour cells from lists of candidates.

use crate::rng::bounded;

/// A tabu search for everybody (TabuCol, Hertz & de Werra 1987, on lists): again and again a cell in
/// conflict takes another of its candidates, the one that leaves the fewest conflicts. The candidate
/// that it leaves is tabu for a while, unless it leads to fewer conflicts than this generation has
/// seen. Nothing is tabu when a generation begins, and the last time that a candidate was left counts.
///
/// Tenure acts as a temperature: searches with too long ones stay far from solutions, those with too
/// short ones are trapped near them. So it falls from generation to generation, from the most to the
/// least, and begins anew. Each period is twice as long as the one before, up to
/// [`Tabu::LONGEST_PERIOD`] times the first; individuals are at different points of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tabu {
    /// Moves of an individual in a generation; it stops at a solution.
    pub moves: u32,
    /// The least and the most tenure for each cell in conflict, in 256ths.
    pub factors: [u32; 2],
    /// Generations of the first period.
    pub period: u32,
    /// The random part of a tenure is below this.
    pub random: u32,
}

impl Tabu {
    /// No tenure is longer.
    pub const LONGEST: u32 = 4094;

    /// Moves that a kernel can count in a generation, tenures included.
    pub const MOST_MOVES: u32 = 1 << 20;

    /// The longest period, in first ones.
    pub const LONGEST_PERIOD: u32 = 16;

    /// The golden section in 2^-16: multiples of it fill a period evenly, however many they are.
    pub const GOLDEN: u32 = 40_503;

    /// The tenure of an individual for each cell in conflict, in 256ths.
    pub fn factor(&self, generation: u32, individual: u32) -> u32 {
        let [least, most] = self.factors;
        // Before a period of 2^k first ones there were 2^k - 1.
        let longer = ((generation / self.period).min(Self::LONGEST_PERIOD - 1) + 1).ilog2();
        let before = ((1 << longer) - 1) * self.period;
        let length = self.period << longer;
        let passed = (((generation - before) % length) << 16) / length;
        let phase = passed.wrapping_add(individual.wrapping_mul(Self::GOLDEN)) & 0xffff;
        most - (((most - least) * phase) >> 16)
    }

    /// How many moves a candidate that is left stays tabu, where so many cells are in conflict.
    #[inline(always)]
    pub fn tenure(&self, factor: u32, troubled: u32, word: u32) -> u32 {
        let tenure = factor * troubled / 256 + bounded(word, self.random);
        tenure.min(Self::LONGEST)
    }
}
