//! The one source of randomness: a counter-based generator, the same bits in Rust and WGSL.
//!
//! Every draw is a pure function of (seed, generation, individual, counter), so any lane or
//! thread may draw any number in any order and both engines agree. The mixing function is
//! pcg4d of Jarzynski & Olano, "Hash Functions for GPU Rendering" (JCGT 9(3), 2020): four
//! words in, four words out, with 32-bit multiply-adds only. Philox and Threefry would need
//! five to ten times the instructions in WGSL, which has no high multiply and no rotate.
//!
//! `shaders/common/rng.wgsl` is the twin of this file.

use std::convert::Infallible;

use crate::codec::{Codec, DecodeError, Persist};
use rand::TryRng;

/// What a draw is for. The site is the low end of the counter, where pcg4d mixes best, so
/// that no two purposes ever share a random number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Site {
    /// Shuffle of a fresh row or sub-block in the initial population; index [`shuffle_index`]. Where
    /// cells hold digits of their domains: index `shuffle_index(row, col)`, word col % 4. Of queens that
    /// are placed one by one: index column * ceil(tries / 4) + attempt / 4, word attempt % 4.
    Initialise = 0,
    /// Crossover coin and mate; index 0. Of sub-blocks: the coin of a pair, drawn for its first. Of
    /// genes: coin, cut (before gene 1 + bounded(word, genes - 1)) and number of mutations; for a
    /// Gaussian cut the sum of quarters of the four words of index 1.
    Mate = 1,
    /// Coin of a row to be taken from the mate; index row.
    CrossoverRow = 2,
    /// Mutation coins and swap positions; index row, or mutant * (N + 1) + block. Of genes: the gene
    /// and its partner; index mutation, or with an influence function mutation * tries + attempt, the
    /// gene drawn by the first.
    MutateRow = 3,
    /// Shuffle of a re-initialised row; index [`shuffle_index`].
    Reinitialise = 4,
    /// Random starts of a local-search pass; index 2 * round + family.
    Search = 5,
    /// Contestants of a tournament; index contestant, past 2^16 for survivors. Of sub-blocks: index
    /// parent * contestants + contestant, drawn for the first of a pair.
    Tournament = 6,
    /// Choice of the elite and of copy or re-initialisation; index 0.
    Elite = 7,
    /// Shuffle of a row of an individual that elite learning re-initialises; index [`shuffle_index`].
    EliteInitialise = 8,
    /// Order of the blocks of a sampled individual, index step; then cells and digits, index
    /// N + (attempt * N + block) * N + step.
    Sample = 9,
    /// A cell of an improvisation; index cell.
    Improvise = 10,
    /// A flower's pollination, index 0, and its cells, index 1 + cell.
    Pollinate = 11,
    /// A gene, its partner and a coin; index proposal. Where conflicts are resolved: partners, index
    /// gene * ceil(tries / 4) + attempt / 4, word attempt % 4. A partner is the gene 1 +
    /// bounded(word, genes of the segment - 1) places further in the segment, beyond its end from its
    /// start on.
    Propose = 12,
    /// What pulls at a particle: index 0 its confidence in itself and in the swarm, and a random
    /// swap; index 1 + gene the coins of velocity, own best and leader. At an agent: index 0 its
    /// inertia; index 1 + gene * draws + coin / 4, word coin % 4, the coins of the velocity and of
    /// each attractor, of which a gene has 4 * draws; then in the same way the attractors' forces.
    Pull = 13,
    /// A move of a tabu search: which of equal vertices comes first, from which choice on it looks, the
    /// random part of the tenure; index move, from 1. Where it fills holes: the choice of a cell, index
    /// [`FILL`] + vertex. Two steps of a packing search: the choice and the chance of the first, of the
    /// second; index from 1, for each two of them.
    Step = 14,
    /// Free for host code: generators, tests, experiments.
    Host = 15,
}

impl Site {
    /// The counter of the `index`-th draw at this site.
    #[inline(always)]
    pub const fn counter(self, index: u32) -> u32 {
        index << 4 | self as u32
    }
}

/// The first index of [`Site::Step`] at which holes are filled: no search has so many moves.
pub const FILL: u32 = 1 << 27;

/// The draw that decides step `step` of the shuffle of row `row`; four steps share a draw.
#[inline(always)]
pub const fn shuffle_index(row: u32, step: u32) -> u32 {
    row << 8 | step >> 2
}

/// The mixing function: a bijection of four words.
#[inline(always)]
pub const fn pcg4d(v: [u32; 4]) -> [u32; 4] {
    const fn cross([mut x, mut y, mut z, mut w]: [u32; 4]) -> [u32; 4] {
        x = x.wrapping_add(y.wrapping_mul(w));
        y = y.wrapping_add(z.wrapping_mul(x));
        z = z.wrapping_add(x.wrapping_mul(y));
        w = w.wrapping_add(y.wrapping_mul(z));
        [x, y, z, w]
    }
    const fn lcg(x: u32) -> u32 {
        x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
    }
    let [x, y, z, w] = cross([lcg(v[0]), lcg(v[1]), lcg(v[2]), lcg(v[3])]);
    cross([x ^ x >> 16, y ^ y >> 16, z ^ z >> 16, w ^ w >> 16])
}

/// The randomness of one generation of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key([u32; 4]);

impl Key {
    /// The key of a generation.
    #[inline(always)]
    pub const fn new(seed: u64, generation: u32) -> Self {
        Self(pcg4d([seed as u32, (seed >> 32) as u32, generation, 0]))
    }

    /// Four random words for one individual.
    #[inline(always)]
    pub const fn draw(self, individual: u32, counter: u32) -> [u32; 4] {
        let [x, y, z, w] = self.0;
        pcg4d([x ^ individual, y ^ counter, z, w])
    }
}

/// A random number below `n`, from one random word, by the high half of their product.
///
/// The bias is at most n / 2^32, far below what any run could notice.
#[inline(always)]
pub const fn bounded(word: u32, n: u32) -> u32 {
    ((word as u64 * n as u64) >> 32) as u32
}

/// A probability as the integer that kernels compare with: 0 is never, 2^31 is always.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(u32);

impl Rate {
    /// Never.
    pub const NEVER: Self = Self(0);
    /// Always.
    pub const ALWAYS: Self = Self(1 << 31);

    /// The nearest multiple of 2^-31, or nothing unless `0 <= p <= 1`.
    pub fn new(p: f64) -> Option<Self> {
        (0.0..=1.0)
            .contains(&p)
            .then(|| Self((p * f64::from(1u32 << 31)).round() as u32))
    }

    /// The rate that kernels compare with this.
    pub const fn from_threshold(threshold: u32) -> Self {
        Self(threshold)
    }

    /// What the kernels compare with.
    #[inline(always)]
    pub const fn threshold(self) -> u32 {
        self.0
    }

    /// Whether a coin with this probability falls heads for a random word.
    #[inline(always)]
    pub const fn hit(self, word: u32) -> bool {
        word >> 1 < self.0
    }
}

/// A sequence of draws behind rand's traits, for host code that wants numbers one by one.
///
/// ```
/// use gpusudoku::rng::Stream;
/// use rand::{RngExt, seq::SliceRandom};
///
/// let mut rng = Stream::new(42, 0);
/// let mut row: Vec<u8> = (1..=9).collect();
/// row.shuffle(&mut rng);
/// assert!((0.0..1.0).contains(&rng.random::<f64>()));
/// // The same seed and stream number give the same numbers, on every machine.
/// assert_eq!(Stream::new(42, 0).random::<u32>(), Stream::new(42, 0).random::<u32>());
/// ```
#[derive(Debug, Clone)]
pub struct Stream {
    key: Key,
    stream: u32,
    block: [u32; 4],
    drawn: u32,
}

impl Stream {
    /// Stream number `stream` of a seed. Different numbers give independent streams.
    pub fn new(seed: u64, stream: u32) -> Self {
        // Generations count up from zero: the last one is far from any run.
        Self {
            key: Key::new(seed, u32::MAX),
            stream,
            block: [0; 4],
            drawn: 0,
        }
    }

    fn next(&mut self) -> u32 {
        let lane = self.drawn % 4;
        if lane == 0 {
            self.block = self
                .key
                .draw(self.stream, Site::Host.counter(self.drawn / 4));
        }
        self.drawn += 1;
        if self.drawn == 1 << 30 {
            // The counters of this site are used up: go on under another key.
            let [x, y, z, w] = self.key.0;
            self.key = Key(pcg4d([x, y, z, !w]));
            self.drawn = 0;
        }
        self.block[lane as usize]
    }
}

impl Persist for Stream {
    fn persist(&mut self, codec: &mut Codec) -> Result<(), DecodeError> {
        for word in &mut self.key.0 {
            codec.persist(word)?;
        }
        codec.persist(&mut self.drawn)?;
        codec.require(self.drawn < 1 << 30)?;
        if !self.drawn.is_multiple_of(4) {
            let counter = Site::Host.counter(self.drawn / 4);
            self.block = self.key.draw(self.stream, counter);
        }
        Ok(())
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.next())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let low = u64::from(self.next());
        Ok(u64::from(self.next()) << 32 | low)
    }

    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Infallible> {
        for chunk in dst.chunks_mut(4) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    const VECTORS: [[u32; 4]; 5] = [
        [0x0f02_f829, 0x2d56_8769, 0x32b0_c43b, 0xd325_48ea],
        [0x3622_cd16, 0xf114_71d8, 0xe110_9b3f, 0x02b9_4c2f],
        [0x974e_d892, 0xc015_dc67, 0x9f95_5760, 0xa1bb_a208],
        [0xb1d7_96e4, 0xfc8e_0cae, 0x9a41_85e6, 0xd097_5474],
        [0xd298_c5de, 0x1521_42aa, 0x3e0f_6ce9, 0xe2a2_908f],
    ];

    /// Computed with an implementation written from the paper in another language.
    #[test]
    fn fixed_vectors() {
        assert_eq!(pcg4d([0, 0, 0, 0]), VECTORS[0]);
        assert_eq!(pcg4d([1, 2, 3, 4]), VECTORS[1]);
        assert_eq!(pcg4d([u32::MAX; 4]), VECTORS[2]);
        assert_eq!(
            pcg4d([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344]),
            VECTORS[3]
        );
        assert_eq!(
            Key::new(0x0123_4567_89ab_cdef, 7).draw(11, Site::MutateRow.counter(5)),
            VECTORS[4]
        );
    }

    #[test]
    fn bounded_draws_cover_exactly_the_range() {
        assert_eq!(bounded(0, 9), 0);
        assert_eq!(bounded(u32::MAX, 9), 8);
        assert_eq!(bounded(u32::MAX, 1), 0);
        assert_eq!(bounded(u32::MAX, u32::MAX), u32::MAX - 1);
    }

    #[test]
    fn rates_are_exact_at_both_ends() {
        assert!(!Rate::new(0.0).unwrap().hit(0));
        assert!(Rate::new(1.0).unwrap().hit(u32::MAX));
        assert_eq!(Rate::new(0.5).unwrap().threshold(), 1 << 30);
        for p in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Rate::new(p), None);
        }
    }

    /// Chi-square of `counts` against equal shares, as a number of standard deviations.
    fn deviation(counts: &[u32]) -> f64 {
        let total: u32 = counts.iter().sum();
        let expected = f64::from(total) / counts.len() as f64;
        let chi2: f64 = counts
            .iter()
            .map(|&c| (f64::from(c) - expected).powi(2) / expected)
            .sum();
        let freedom = (counts.len() - 1) as f64;
        (chi2 - freedom) / (2.0 * freedom).sqrt()
    }

    type Draw = fn(u32) -> [u32; 4];

    /// Each of the four coordinates counted up alone, as the kernels do.
    const WALKS: [(&str, Draw); 5] = [
        ("seed", |i| Key::new(u64::from(i), 3).draw(5, 7)),
        ("seed, high half", |i| {
            Key::new(u64::from(i) << 32, 3).draw(5, 7)
        }),
        ("generation", |i| Key::new(1, i).draw(5, 7)),
        ("individual", |i| Key::new(1, 3).draw(i, 7)),
        ("counter", |i| Key::new(1, 3).draw(5, i)),
    ];

    #[test]
    fn words_are_uniform_along_every_coordinate() {
        for (name, draw) in WALKS {
            for word in 0..4 {
                for shift in [0, 8, 16, 24] {
                    let mut counts = [0; 256];
                    for i in 0..1 << 16 {
                        counts[(draw(i)[word] >> shift & 255) as usize] += 1;
                    }
                    let sigma = deviation(&counts);
                    assert!(
                        sigma.abs() < 5.0,
                        "{name}, word {word} >> {shift}: {sigma} sigma"
                    );
                }
            }
        }
    }

    #[test]
    fn successive_draws_are_independent() {
        for (name, draw) in WALKS {
            for (one, two) in [(0, 0), (0, 1), (1, 2), (2, 3), (3, 0)] {
                let mut counts = vec![0; 1 << 12];
                for i in 0..1 << 17 {
                    let pair = draw(i)[one] >> 26 << 6 | draw(i + 1)[two] >> 26;
                    counts[pair as usize] += 1;
                }
                let sigma = deviation(&counts);
                assert!(
                    sigma.abs() < 5.0,
                    "{name}, words {one} and {two}: {sigma} sigma"
                );
            }
        }
    }

    #[test]
    fn one_flipped_input_bit_flips_half_of_the_output() {
        const TRIALS: u32 = 4096;
        // The bits that vary in practice: 16 M individuals, 2^20 draws of a site.
        for bit in 0..24 {
            for (name, mask) in [("individual", (1 << bit, 0)), ("counter", (0, 1 << bit))] {
                let mut flips = [0u32; 128];
                for i in 0..TRIALS {
                    let key = Key::new(u64::from(i), 9);
                    let (individual, counter) = (i.wrapping_mul(2_654_435_761) >> 8, i);
                    let plain = key.draw(individual, counter);
                    let flipped = key.draw(individual ^ mask.0, counter ^ mask.1);
                    for (at, flip) in flips.iter_mut().enumerate() {
                        *flip += (plain[at / 32] ^ flipped[at / 32]) >> (at % 32) & 1;
                    }
                }
                // Coins and bounded draws take the high bits of a word.
                for (at, &flip) in flips.iter().enumerate().filter(|(at, _)| at % 32 >= 16) {
                    let share = f64::from(flip) / f64::from(TRIALS);
                    assert!(
                        (0.45..0.55).contains(&share),
                        "{name} bit {bit}, output bit {at}: {share}"
                    );
                }
            }
        }
    }

    #[test]
    fn streams_give_the_draws_in_order() {
        let mut stream = Stream::new(5, 2);
        let first = Key::new(5, u32::MAX).draw(2, Site::Host.counter(0));
        let second = Key::new(5, u32::MAX).draw(2, Site::Host.counter(1));
        let words: Vec<u32> = (0..8).map(|_| stream.next_u32()).collect();
        assert_eq!(words, [first, second].concat());
        let mut bytes = [0; 6];
        Stream::new(5, 2).fill_bytes(&mut bytes);
        assert_eq!(bytes[..4], first[0].to_le_bytes());
        assert_eq!(bytes[4..], first[1].to_le_bytes()[..2]);
        let mut two = Stream::new(5, 2);
        assert_eq!(
            two.next_u64(),
            u64::from(first[1]) << 32 | u64::from(first[0])
        );
    }
}
