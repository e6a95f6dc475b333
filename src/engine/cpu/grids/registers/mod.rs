//! Neighbouring masks and digits, a register of them at a time: 128 bits on every machine, 256 where
//! there is AVX2.

#[cfg(target_arch = "x86_64")]
mod avx2;

use std::ops::{BitAnd, BitOr};

#[cfg(target_arch = "x86_64")]
use pulp::x86::V3;
use wide::{u8x16, u16x8, u32x4, u64x2};

use super::mask::{Mask, elements};

/// Stands where there is no digit.
pub const NO_DIGIT: u8 = 0xff;

/// The registers of a kind of machine, for masks of a width. Digits come in rows of as many bytes as a
/// mask has bits, `C`.
pub trait Registers<M: Mask>: Copy {
    /// What a register holds.
    type Pack: Pack<M>;
    /// How many masks that is.
    const LANES: usize;
    /// The first masks of a slice.
    fn load(self, masks: &[M]) -> Self::Pack;
    /// The same mask everywhere.
    fn splat(self, mask: M) -> Self::Pack;
    /// The first digits of a slice, each as a set of its own; that of [`NO_DIGIT`] is empty.
    fn one_hot(self, digits: &[u8]) -> Self::Pack;
    /// The places of a digit.
    fn places<const C: usize>(self, row: &[u8; C], digit: u8) -> M;

    /// The places of several digits.
    #[inline(always)]
    fn places_of_any<const C: usize>(self, row: &[u8; C], digits: M) -> M {
        let mut places = M::EMPTY;
        for digit in elements(digits) {
            places |= self.places(row, digit as u8);
        }
        places
    }

    /// For each element the sets that have it.
    #[inline(always)]
    fn by_element<const C: usize>(self, sets: &[M; C]) -> [M; C] {
        let mut sets = *sets;
        // Exchanges the upper right and the lower left quarter, then those of each quarter, ...
        let mut half = C / 2;
        let mut left = M::below(half as u32);
        while half > 0 {
            for first in (0..C).step_by(2 * half) {
                for at in first..first + half {
                    let (upper, lower) = (sets[at], sets[at + half]);
                    sets[at] = upper & left | (lower & left) << half as u32;
                    sets[at + half] = upper >> half as u32 & left | lower & !left;
                }
            }
            half /= 2;
            let moved = left << half as u32;
            left = (left | moved) & !(left & moved);
        }
        sets
    }
}

/// Neighbouring masks, worked on at once.
pub trait Pack<M>: Copy + BitAnd<Output = Self> + BitOr<Output = Self> {
    /// Writes them back.
    fn store(self, masks: &mut [M]);
    /// Without these elements.
    fn without(self, other: Self) -> Self;
    /// All elements where there is none, none where there is one.
    fn where_empty(self) -> Self;
    /// Some element where both have one, none elsewhere.
    fn where_both(self, other: Self) -> Self;
    /// Every element's successor.
    fn next(self) -> Self;
    /// The lanes with the highest element, as bits.
    fn lanes(self) -> u32;
}

/// Which of the first `n` masks have an element in common with this one.
#[inline(always)]
pub fn that_meet<M: Mask, R: Registers<M>>(registers: R, masks: &[M], n: usize, mask: M) -> u128 {
    let mask = registers.splat(mask);
    let mut apart = 0;
    for first in (0..n).step_by(R::LANES) {
        let common = registers.load(&masks[first..]) & mask;
        apart |= u128::from(common.where_empty().lanes()) << first;
    }
    !apart
}

/// Turns rows of digits into columns: `to[k][u]` is `from[u][k]`, for `n` rows of `n` digits and what fills the last
/// squares of 16.
#[inline(always)]
pub fn transpose<const C: usize>(n: usize, from: &[[u8; C]; C], to: &mut [[u8; C]; C]) {
    const SIDE: usize = 16;
    for row in (0..n).step_by(SIDE) {
        for col in (0..n).step_by(SIDE) {
            let mut square = [u8x16::default(); SIDE];
            for at in 0..SIDE {
                let digits = from[row + at][col..].first_chunk();
                square[at] = u8x16::new(*digits.expect("whole squares"));
            }
            // Each turn puts rows of the upper and of the lower half in turn: what was a bit of the
            // number of the row becomes one of the place in it.
            for _ in 0..SIDE.ilog2() {
                let before = square;
                for at in 0..SIDE / 2 {
                    let (upper, lower) = (before[at], before[at + SIDE / 2]);
                    square[2 * at] = u8x16::unpack_low(upper, lower);
                    square[2 * at + 1] = u8x16::unpack_high(upper, lower);
                }
            }
            for at in 0..SIDE {
                to[col + at][row..][..SIDE].copy_from_slice(&square[at].to_array());
            }
        }
    }
}

/// The places of a digit, by registers of 128 bits.
#[inline(always)]
fn places<M: Mask, const C: usize>(row: &[u8; C], digit: u8) -> M {
    let digit = u8x16::splat(digit);
    let mut places = 0;
    for (at, &digits) in row.as_chunks::<16>().0.iter().enumerate() {
        let here = u8x16::new(digits).simd_eq(digit).to_bitmask();
        places |= u128::from(here) << (16 * at);
    }
    M::narrow(places)
}

/// The registers of every machine.
#[derive(Debug, Clone, Copy)]
pub struct Portable;

macro_rules! portable {
    ($($pack:ty, $int:ty, $lanes:literal);*) => {$(
        impl Registers<$int> for Portable {
            type Pack = $pack;
            const LANES: usize = $lanes;
            #[inline(always)]
            fn load(self, masks: &[$int]) -> $pack {
                <$pack>::new(*masks.first_chunk().expect("a register of masks"))
            }
            #[inline(always)]
            fn splat(self, mask: $int) -> $pack {
                <$pack>::splat(mask)
            }
            #[inline(always)]
            fn one_hot(self, digits: &[u8]) -> $pack {
                let digits: [u8; $lanes] = *digits.first_chunk().expect("a register of digits");
                let mut masks = [0; $lanes];
                for at in 0..$lanes {
                    // A shift that needs no test, and a test of its own: compilers vectorise these.
                    let digit = u32::from(digits[at]);
                    let known = <$int>::all_if(digit < <$int>::BITS);
                    masks[at] = (1 as $int).wrapping_shl(digit) & known;
                }
                <$pack>::new(masks)
            }
            #[inline(always)]
            fn places<const C: usize>(self, row: &[u8; C], digit: u8) -> $int {
                places(row, digit)
            }
        }

        impl Pack<$int> for $pack {
            #[inline(always)]
            fn store(self, masks: &mut [$int]) {
                masks[..$lanes].copy_from_slice(&self.to_array());
            }
            #[inline(always)]
            fn without(self, other: Self) -> Self {
                self & !other
            }
            #[inline(always)]
            fn where_empty(self) -> Self {
                self.simd_eq(Self::splat(0))
            }
            #[inline(always)]
            fn where_both(self, other: Self) -> Self {
                self.without(other.where_empty())
            }
            #[inline(always)]
            fn next(self) -> Self {
                self + self
            }
            #[inline(always)]
            fn lanes(self) -> u32 {
                self.to_bitmask()
            }
        }
    )*};
}

portable!(u16x8, u16, 8; u32x4, u32, 4; u64x2, u64, 2);

/// No register holds two of these.
macro_rules! single {
    ($($registers:ty),*) => {$(
        impl Registers<u128> for $registers {
            type Pack = u128;
            const LANES: usize = 1;
            #[inline(always)]
            fn load(self, masks: &[u128]) -> u128 {
                masks[0]
            }
            #[inline(always)]
            fn splat(self, mask: u128) -> u128 {
                mask
            }
            #[inline(always)]
            fn one_hot(self, digits: &[u8]) -> u128 {
                1u128.unbounded_shl(u32::from(digits[0]))
            }
            #[inline(always)]
            fn places<const C: usize>(self, row: &[u8; C], digit: u8) -> u128 {
                places(row, digit)
            }
        }
    )*};
}

single!(Portable);
#[cfg(target_arch = "x86_64")]
single!(V3);

impl Pack<u128> for u128 {
    #[inline(always)]
    fn store(self, masks: &mut [u128]) {
        masks[0] = self;
    }
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        self & !other
    }
    #[inline(always)]
    fn where_empty(self) -> Self {
        if self == 0 { !0 } else { 0 }
    }
    #[inline(always)]
    fn where_both(self, other: Self) -> Self {
        self.without(other.where_empty())
    }
    #[inline(always)]
    fn next(self) -> Self {
        self << 1
    }
    #[inline(always)]
    fn lanes(self) -> u32 {
        (self >> 127) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of digits below `n`, some of which are missing.
    fn digits<const C: usize>(n: usize) -> [[u8; C]; C] {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as usize
        };
        let mut rows = [[NO_DIGIT; C]; C];
        for row in &mut rows[..n] {
            for digit in &mut row[..n] {
                *digit = match next() % 8 {
                    0 => NO_DIGIT,
                    _ => (next() % n) as u8,
                };
            }
        }
        rows
    }

    fn set_of<M: Mask>(digits: &[u8]) -> M {
        let known = digits.iter().filter(|&&digit| digit != NO_DIGIT);
        known.fold(M::EMPTY, |set, &digit| set | M::bit(u32::from(digit)))
    }

    fn has<M: Mask>(set: M, element: usize) -> bool {
        (set & M::bit(element as u32)).any()
    }

    /// Everything by registers against cell by cell.
    fn agrees<M: Mask + std::fmt::Debug, R: Registers<M>, const C: usize>(registers: R, n: usize) {
        let rows = digits::<C>(n);
        let mut columns = [[NO_DIGIT; C]; C];
        transpose(n, &rows, &mut columns);
        for (at, row) in rows.iter().enumerate() {
            for (k, &digit) in row.iter().enumerate() {
                assert_eq!(columns[k][at], digit, "{at}, {k} of {n}");
            }
            let mut masks = [M::EMPTY; C];
            for first in (0..C).step_by(R::LANES) {
                let pack = registers.one_hot(&row[first..]);
                pack.store(&mut masks[first..]);
            }
            for (&mask, &digit) in masks.iter().zip(row) {
                assert_eq!(mask, set_of(&[digit]));
            }
            let some: M = set_of(&rows[(at + 1) % n][..n / 3]);
            let places = registers.places_of_any(row, some);
            for digit in 0..n {
                let places = registers.places(row, digit as u8);
                for (k, &here) in row.iter().enumerate() {
                    assert_eq!(has(places, k), usize::from(here) == digit);
                }
            }
            for (k, &digit) in row.iter().enumerate() {
                let known = digit != NO_DIGIT && has(some, usize::from(digit));
                assert_eq!(has(places, k), known, "{digit} in {some:?}");
            }
        }
        let sets = rows.map(|row| set_of::<M>(&row));
        let by_element = registers.by_element(&sets);
        for (element, &having) in by_element.iter().enumerate() {
            for (at, &set) in sets.iter().enumerate() {
                assert_eq!(has(having, at), has(set, element));
            }
        }
    }

    fn agree<M: Mask + std::fmt::Debug, const C: usize>(sizes: &[usize]) {
        for &n in sizes {
            agrees::<M, _, C>(M::Portable::from(Portable), n);
            #[cfg(target_arch = "x86_64")]
            if let Some(simd) = V3::try_new() {
                agrees::<M, _, C>(M::Avx2::from(simd), n);
            }
        }
    }

    #[test]
    fn registers_do_as_loops_over_cells_do() {
        agree::<u16, 16>(&[4, 9, 16]);
        agree::<u32, 32>(&[17, 25, 32]);
        agree::<u64, 64>(&[33, 49, 64]);
        agree::<u128, 128>(&[65, 100, 128]);
    }
}
