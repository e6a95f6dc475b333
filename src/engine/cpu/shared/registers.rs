//! Neighbouring masks, a register of them at a time: 128 bits on every machine, 256 where there is AVX2.

use std::ops::{BitAnd, BitOr};

#[cfg(target_arch = "x86_64")]
use pulp::x86::V3;
use wide::{u16x8, u32x4, u64x2};

/// The registers of a kind of machine, for masks of a width.
pub trait Registers<M>: Copy {
    /// What a register holds.
    type Pack: Pack<M>;
    /// How many masks that is.
    const LANES: usize;
    /// The first masks of a slice.
    fn load(self, masks: &[M]) -> Self::Pack;
    /// The same mask everywhere.
    fn splat(self, mask: M) -> Self::Pack;
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
pub fn that_meet<M, R: Registers<M>>(registers: R, masks: &[M], n: usize, mask: M) -> u128 {
    let mask = registers.splat(mask);
    let mut apart = 0;
    for first in (0..n).step_by(R::LANES) {
        let common = registers.load(&masks[first..]) & mask;
        apart |= u128::from(common.where_empty().lanes()) << first;
    }
    !apart
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

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::__m256i;
    use std::marker::PhantomData;
    use std::ops::{BitAnd, BitOr};

    use pulp::x86::V3;

    use super::{Pack, Registers};

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

    macro_rules! wide {
        ($($int:ty, $lanes:literal, $splat:ident, $equal:ident, $add:ident, $bits:ident, $both:expr);*) => {$(
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
        u16, 16, _mm256_set1_epi16, _mm256_cmpeq_epi16, _mm256_add_epi16, words, Wide::smaller_word;
        u32, 8, _mm256_set1_epi32, _mm256_cmpeq_epi32, _mm256_add_epi32, doubles, Wide::smaller_double;
        u64, 4, _mm256_set1_epi64x, _mm256_cmpeq_epi64, _mm256_add_epi64, quads, |one: Self, two: Self| one.without(two.where_empty())
    );
}
