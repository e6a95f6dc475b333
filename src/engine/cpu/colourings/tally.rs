//! How many rivals of a choice are made, in a lane of a vector.

use bytemuck::cast;
use wide::{i16x8, u8x16};

/// What a tabu adds to what a move changes.
pub const TABU: i16 = 1 << 13;
/// What there is where there is no move.
pub const NO_MOVE: i16 = 1 << 14;

/// A number of rivals, with a bit above it that says whether the choice is tabu. Loops over arrays of
/// them are vectors, unless they look for the least.
pub trait Tally: Copy + Eq + Send + Sync + 'static {
    /// Bits of a number of rivals.
    const BITS: u32;
    /// No rivals, no tabu.
    const NOTHING: Self;
    /// The bit of a tabu.
    const TABU: Self;
    /// The bits below. Nobody has so many rivals.
    const COUNT: Self;
    /// A choice that cannot be made: all these bits.
    const BARRED: Self;

    /// The lowest bits of a number.
    fn of(number: u16) -> Self;
    /// The number with all its bits.
    fn number(self) -> u16;
    /// The sum; it wraps.
    fn plus(self, other: Self) -> Self;
    /// The difference; it wraps.
    fn minus(self, other: Self) -> Self;
    /// The bits of both.
    fn with(self, other: Self) -> Self;
    /// The bits that both have.
    fn within(self, other: Self) -> Self;
    /// The lesser of both.
    fn lesser(self, other: Self) -> Self;
    /// The least of all.
    fn least(tallies: [Self; 16]) -> Self;
    /// What a move changes that leads to so many rivals, if there were none before.
    fn change(self) -> i16;
    /// Which are equal to one, a bit each.
    fn equal(tallies: &[Self; 16], one: Self) -> u16;
}

macro_rules! tally {
    ($word:ty, $bits:literal, |$all:ident| $least:expr, |$list:ident, $one:ident| $equal:expr) => {
        impl Tally for $word {
            const BITS: u32 = $bits;
            const NOTHING: Self = 0;
            const TABU: Self = 1 << $bits;
            const COUNT: Self = Self::TABU - 1;
            const BARRED: Self = Self::TABU | Self::COUNT;

            #[inline(always)]
            fn of(number: u16) -> Self {
                number as Self
            }

            #[inline(always)]
            fn number(self) -> u16 {
                self as u16
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn with(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn within(self, other: Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn lesser(self, other: Self) -> Self {
                self.min(other)
            }

            #[inline(always)]
            fn least($all: [Self; 16]) -> Self {
                $least
            }

            #[inline(always)]
            fn change(self) -> i16 {
                const CHANGES: [i16; 2 << $bits] = changes();
                CHANGES[self as usize % CHANGES.len()]
            }

            #[inline(always)]
            fn equal($list: &[Self; 16], $one: Self) -> u16 {
                $equal
            }
        }
    };
}

/// The changes of all tallies with so many bits.
const fn changes<const TALLIES: usize>() -> [i16; TALLIES] {
    let mut changes = [0; TALLIES];
    let mut tally = 0;
    while tally < TALLIES {
        let count = tally % (TALLIES / 2);
        changes[tally] = match tally {
            _ if count == TALLIES / 2 - 1 => NO_MOVE,
            _ if tally == count => count as i16,
            _ => count as i16 + TABU,
        };
        tally += 1;
    }
    changes
}

tally!(
    u8,
    7,
    |tallies| {
        // There are instructions for pairs of bytes.
        let pairs: i16x8 = cast(tallies);
        let low = pairs & i16x8::splat(0xff);
        let high = (pairs >> 8) & i16x8::splat(0xff);
        low.min(high).reduce_min() as u8
    },
    |tallies, one| u8x16::new(*tallies).simd_eq(u8x16::splat(one)).to_bitmask() as u16
);
tally!(
    i16,
    9,
    |tallies| {
        let [low, high]: [i16x8; 2] = cast(tallies);
        low.min(high).reduce_min()
    },
    |tallies, one| {
        let halves: [i16x8; 2] = cast(*tallies);
        let [low, high] = halves.map(|half| half.simd_eq(i16x8::splat(one)).to_bitmask() as u16);
        low | high << 8
    }
);
