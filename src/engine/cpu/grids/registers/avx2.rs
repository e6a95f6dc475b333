//! Registers of AVX2.

use std::arch::x86_64::__m256i;
use std::marker::PhantomData;
use std::ops::{BitAnd, BitOr};

use pulp::x86::V3;

use super::{Mask, Pack, Registers};

/// A register of AVX2.
#[derive(Debug, Clone, Copy)]
pub struct Wide<M> {
    simd: V3,
    register: __m256i,
    masks: PhantomData<M>,
}

impl<M> Wide<M> {
    #[inline(always)]
    fn new(simd: V3, register: __m256i) -> Self {
        Self {
            simd,
            register,
            masks: PhantomData,
        }
    }
}

impl<M> BitAnd for Wide<M> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        let avx2 = self.simd.avx2;
        let both = avx2._mm256_and_si256(self.register, other.register);
        Self::new(self.simd, both)
    }
}

impl<M> BitOr for Wide<M> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        let avx2 = self.simd.avx2;
        let either = avx2._mm256_or_si256(self.register, other.register);
        Self::new(self.simd, either)
    }
}

impl Wide<u16> {
    #[inline(always)]
    fn smaller_word(self, other: Self) -> Self {
        let avx2 = self.simd.avx2;
        Self::new(
            self.simd,
            avx2._mm256_min_epu16(self.register, other.register),
        )
    }
}

impl Wide<u32> {
    #[inline(always)]
    fn smaller_double(self, other: Self) -> Self {
        let avx2 = self.simd.avx2;
        Self::new(
            self.simd,
            avx2._mm256_min_epu32(self.register, other.register),
        )
    }
}

/// One bit for each of sixteen words.
#[inline(always)]
fn words(simd: V3, register: __m256i) -> u32 {
    let [low, high] = pulp::cast(register);
    let bytes = simd.sse2._mm_packs_epi16(low, high);
    simd.sse2._mm_movemask_epi8(bytes) as u32
}

#[inline(always)]
fn doubles(simd: V3, register: __m256i) -> u32 {
    simd.avx._mm256_movemask_ps(pulp::cast(register)) as u32
}

#[inline(always)]
fn quads(simd: V3, register: __m256i) -> u32 {
    simd.avx._mm256_movemask_pd(pulp::cast(register)) as u32
}

/// The bits of a byte, twice: for digits from 0 to 15.
const BITS: [u8; 32] = {
    let mut bits = [0; 32];
    let mut at = 0;
    while at < bits.len() {
        bits[at] = 1 << (at % 8);
        at += 1;
    }
    bits
};

/// The first bytes of a half's numbers, the second ones, ..., of numbers of so many bytes.
const fn bytes_apart(width: usize) -> [u8; 32] {
    let mut places = [0; 32];
    let mut at = 0;
    while at < places.len() {
        let numbers = 16 / width;
        places[at] = (at % numbers * width + at % 16 / numbers) as u8;
        at += 1;
    }
    places
}

/// The one-hot masks, of so many bytes, of digits that come again and again. Every byte looks up its own: shifts by
/// lanes exist for some widths only.
#[inline(always)]
fn one_hot<const WIDTH: usize>(simd: V3, digits: __m256i) -> __m256i {
    let avx2 = simd.avx2;
    let digits = avx2._mm256_shuffle_epi8(digits, pulp::cast(const { spread(WIDTH) }));
    // Below 8 only where the digit is one of this byte's, and a high bit elsewhere.
    let bits = avx2._mm256_xor_si256(digits, pulp::cast(const { first_bits(WIDTH) }));
    let bits = avx2._mm256_adds_epu8(bits, pulp::cast([0x80u8 - 8; 32]));
    avx2._mm256_shuffle_epi8(pulp::cast(BITS), bits)
}

/// The number to which each byte belongs.
const fn spread(width: usize) -> [u8; 32] {
    let mut numbers = [0; 32];
    let mut at = 0;
    while at < numbers.len() {
        numbers[at] = (at / width) as u8;
        at += 1;
    }
    numbers
}

/// The place in its number of the first bit of each byte.
const fn first_bits(width: usize) -> [u8; 32] {
    let mut bits = [0; 32];
    let mut at = 0;
    while at < bits.len() {
        bits[at] = (at % width * 8) as u8;
        at += 1;
    }
    bits
}

/// A bit for each byte with a high bit.
#[inline(always)]
fn high_bits(simd: V3, register: __m256i) -> u32 {
    simd.avx2._mm256_movemask_epi8(register) as u32
}

/// For each element the sets that have it.
#[inline(always)]
fn words_by_element(simd: V3, sets: [u16; 16]) -> [u16; 16] {
    const APART: [u8; 32] = bytes_apart(2);
    let avx2 = simd.avx2;
    let bytes = avx2._mm256_shuffle_epi8(pulp::cast(sets), pulp::cast(APART));
    let mut plane = avx2._mm256_permute4x64_epi64::<0b11_01_10_00>(bytes);
    let mut elements = [0; 16];
    for bit in (0..8).rev() {
        let having = high_bits(simd, plane);
        elements[bit] = having as u16;
        elements[8 + bit] = (having >> 16) as u16;
        plane = avx2._mm256_add_epi8(plane, plane);
    }
    elements
}

/// The same for 32.
#[inline(always)]
fn doubles_by_element(simd: V3, sets: [u32; 32]) -> [u32; 32] {
    const APART: [u8; 32] = bytes_apart(4);
    const IN_TURN: [u32; 8] = [0, 4, 1, 5, 2, 6, 3, 7];
    let avx2 = simd.avx2;
    let [a, b, c, d]: [[u32; 8]; 4] = pulp::cast(sets);
    let (a, b, c, d) = (pulp::cast(a), pulp::cast(b), pulp::cast(c), pulp::cast(d));
    let apart = pulp::cast(APART);
    let a = avx2._mm256_shuffle_epi8(a, apart);
    let b = avx2._mm256_shuffle_epi8(b, apart);
    let c = avx2._mm256_shuffle_epi8(c, apart);
    let d = avx2._mm256_shuffle_epi8(d, apart);
    let (ab, cd) = (
        avx2._mm256_unpacklo_epi32(a, b),
        avx2._mm256_unpacklo_epi32(c, d),
    );
    let (ab_high, cd_high) = (
        avx2._mm256_unpackhi_epi32(a, b),
        avx2._mm256_unpackhi_epi32(c, d),
    );
    // A byte of each set: the first ones, the second ones, ...
    let planes = [
        avx2._mm256_unpacklo_epi64(ab, cd),
        avx2._mm256_unpackhi_epi64(ab, cd),
        avx2._mm256_unpacklo_epi64(ab_high, cd_high),
        avx2._mm256_unpackhi_epi64(ab_high, cd_high),
    ];
    let mut elements = [0; 32];
    for (at, plane) in planes.into_iter().enumerate() {
        let mut plane = avx2._mm256_permutevar8x32_epi32(plane, pulp::cast(IN_TURN));
        for bit in (0..8).rev() {
            elements[8 * at + bit] = high_bits(simd, plane);
            plane = avx2._mm256_add_epi8(plane, plane);
        }
    }
    elements
}

/// A question to every byte. Not a closure: these would not be inlined, see docs/performance/cpu.md.
trait Test: Copy {
    /// All bits where the answer is yes.
    fn of(self, simd: V3, digits: __m256i) -> __m256i;
}

/// Is it the same as here?
#[derive(Clone, Copy)]
struct Equal(__m256i);

impl Test for Equal {
    #[inline(always)]
    fn of(self, simd: V3, digits: __m256i) -> __m256i {
        simd.avx2._mm256_cmpeq_epi8(digits, self.0)
    }
}

/// Is the digit not in the set that is here, again and again?
#[derive(Clone, Copy)]
struct NotIn(__m256i);

impl Test for NotIn {
    #[inline(always)]
    fn of(self, simd: V3, digits: __m256i) -> __m256i {
        let avx2 = simd.avx2;
        // The byte of the set in which the digit is, and its bit in that.
        let byte = avx2._mm256_srli_epi16::<3>(digits);
        let byte = avx2._mm256_and_si256(byte, pulp::cast([0xfu8; 32]));
        let byte = avx2._mm256_shuffle_epi8(self.0, byte);
        let bit = avx2._mm256_shuffle_epi8(pulp::cast(BITS), digits);
        let found = avx2._mm256_and_si256(byte, bit);
        avx2._mm256_cmpeq_epi8(found, pulp::cast([0u8; 32]))
    }
}

/// The bytes of a row that pass a test, a register at a time; a row of 16 fills one twice.
#[inline(always)]
fn places_where<M: Mask, const C: usize>(simd: V3, row: &[u8; C], test: impl Test) -> M {
    if let Some(&half) = row.first_chunk::<16>()
        && C == 16
    {
        let passed = high_bits(simd, test.of(simd, pulp::cast([half, half])));
        return M::narrow(u128::from(passed));
    }
    let mut places = 0;
    for (at, &digits) in row.as_chunks::<32>().0.iter().enumerate() {
        let here = high_bits(simd, test.of(simd, pulp::cast(digits)));
        places |= u128::from(here) << (32 * at);
    }
    M::narrow(places)
}

macro_rules! wide {
    ($($int:ty, $lanes:literal, $splat:ident, $equal:ident, $add:ident, $bits:ident, $both:expr $(, $by_element:ident)?);*) => {$(
        impl Registers<$int> for V3 {
            type Pack = Wide<$int>;
            const LANES: usize = $lanes;
            #[inline(always)]
            fn load(self, masks: &[$int]) -> Wide<$int> {
                let masks: [$int; $lanes] = *masks.first_chunk().expect("a register of masks");
                Wide::new(self, pulp::cast(masks))
            }
            #[inline(always)]
            fn splat(self, mask: $int) -> Wide<$int> {
                Wide::new(self, self.avx.$splat(mask.cast_signed()))
            }
            #[inline(always)]
            fn one_hot(self, digits: &[u8]) -> Wide<$int> {
                let digits: [u8; $lanes] = *digits.first_chunk().expect("a register of digits");
                let digits = pulp::cast([digits; 32 / $lanes]);
                Wide::new(self, one_hot::<{ 32 / $lanes }>(self, digits))
            }
            #[inline(always)]
            fn places<const C: usize>(self, row: &[u8; C], digit: u8) -> $int {
                let digit = self.avx._mm256_set1_epi8(digit.cast_signed());
                places_where(self, row, Equal(digit))
            }
            #[inline(always)]
            fn places_of_any<const C: usize>(self, row: &[u8; C], digits: $int) -> $int {
                let absent: $int = places_where(self, row, NotIn(self.splat(digits).register));
                !absent
            }
            $(
                #[inline(always)]
                fn by_element<const C: usize>(self, sets: &[$int; C]) -> [$int; C] {
                    let mut elements = *sets;
                    if let (Some(from), Some(to)) = (sets.first_chunk(), elements.first_chunk_mut()) {
                        *to = $by_element(self, *from);
                    }
                    elements
                }
            )?
        }

        impl Pack<$int> for Wide<$int> {
            #[inline(always)]
            fn store(self, masks: &mut [$int]) {
                let lanes: [$int; $lanes] = pulp::cast(self.register);
                masks[..$lanes].copy_from_slice(&lanes);
            }
            #[inline(always)]
            fn without(self, other: Self) -> Self {
                let avx2 = self.simd.avx2;
                let rest = avx2._mm256_andnot_si256(other.register, self.register);
                Self::new(self.simd, rest)
            }
            #[inline(always)]
            fn where_empty(self) -> Self {
                let zero = self.simd.splat(0 as $int).register;
                Self::new(self.simd, self.simd.avx2.$equal(self.register, zero))
            }
            #[inline(always)]
            fn where_both(self, other: Self) -> Self {
                $both(self, other)
            }
            #[inline(always)]
            fn next(self) -> Self {
                Self::new(self.simd, self.simd.avx2.$add(self.register, self.register))
            }
            #[inline(always)]
            fn lanes(self) -> u32 {
                $bits(self.simd, self.register)
            }
        }
    )*};
}

wide!(
    u16, 16, _mm256_set1_epi16, _mm256_cmpeq_epi16, _mm256_add_epi16, words, Wide::smaller_word, words_by_element;
    u32, 8, _mm256_set1_epi32, _mm256_cmpeq_epi32, _mm256_add_epi32, doubles, Wide::smaller_double, doubles_by_element;
    u64, 4, _mm256_set1_epi64x, _mm256_cmpeq_epi64, _mm256_add_epi64, quads, |one: Self, two: Self| one.without(two.where_empty())
);
