//! Sets of digits, of units and of cells of a unit, as bit masks just wide enough for N.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Shl, Shr};

use wide::{u16x8, u32x4, u64x2};

/// An unsigned integer as a set.
pub trait Mask:
    Copy
    + Eq
    + Default
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + Not<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + 'static
{
    /// As many of them as a SIMD register of every machine holds.
    type Pack: Pack<Self>;
    /// The empty set.
    const EMPTY: Self;
    /// The set of one element.
    fn bit(index: u32) -> Self;
    /// The elements below `count`.
    fn below(count: u32) -> Self;
    /// The smallest element; the width of the type if there is none.
    fn first(self) -> u32;
    /// Without the smallest element.
    fn rest(self) -> Self;
    /// The number of elements.
    fn count(self) -> u32;
    /// The set of 0 if there is an element, without a branch.
    fn one_if_any(self) -> Self;
    /// Elements below `height` counted cyclically from `start` below it: `start` becomes 0.
    fn counted_from(self, start: u32, height: u32) -> Self;
    /// The low bits of a wide mask.
    fn narrow(wide: u128) -> Self;

    /// All elements, or none.
    #[inline(always)]
    fn all_if(condition: bool) -> Self {
        if condition { !Self::EMPTY } else { Self::EMPTY }
    }

    /// Whether there is an element.
    #[inline(always)]
    fn any(self) -> bool {
        self != Self::EMPTY
    }

    /// The number of smaller elements.
    #[inline(always)]
    fn rank(self, index: u32) -> u32 {
        (self & Self::below(index)).count()
    }

    /// The element that has so many smaller ones; there has to be one.
    #[inline(always)]
    fn select(mut self, rank: u32) -> u32 {
        for _ in 0..rank {
            self = self.rest();
        }
        self.first()
    }
}

macro_rules! masks {
    ($($int:ty, $pack:ty);*) => {$(
        impl Mask for $int {
            type Pack = $pack;
            const EMPTY: Self = 0;
            #[inline(always)]
            fn bit(index: u32) -> Self {
                1 << index
            }
            #[inline(always)]
            fn below(count: u32) -> Self {
                if count >= Self::BITS { Self::MAX } else { ((1 as Self) << count) - 1 }
            }
            #[inline(always)]
            fn first(self) -> u32 {
                self.trailing_zeros()
            }
            #[inline(always)]
            fn rest(self) -> Self {
                self & self.wrapping_sub(1)
            }
            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn one_if_any(self) -> Self {
                (self | self.wrapping_neg()) >> (Self::BITS - 1)
            }
            #[inline(always)]
            fn counted_from(self, start: u32, height: u32) -> Self {
                let before = self & Self::below(start);
                // From 0 on nothing comes before, and any shift will do.
                self >> start | before.wrapping_shl(height - start)
            }
            #[inline(always)]
            fn narrow(wide: u128) -> Self {
                wide as Self
            }
        }
    )*};
}

masks!(u16, u16x8; u32, u32x4; u64, u64x2; u128, u128);

/// Neighbouring masks, worked on at once.
pub trait Pack<M>:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// How many.
    const LANES: usize;
    /// The first masks of a slice.
    fn load(masks: &[M]) -> Self;
    /// Writes them back.
    fn store(self, masks: &mut [M]);
    /// The same mask everywhere.
    fn splat(mask: M) -> Self;
    /// All elements where there is none, none where there is one.
    fn where_empty(self) -> Self;
    /// The lanes with the highest element, as bits.
    fn lanes(self) -> u32;
}

macro_rules! packs {
    ($($pack:ty, $int:ty, $lanes:literal);*) => {$(
        impl Pack<$int> for $pack {
            const LANES: usize = $lanes;
            #[inline(always)]
            fn load(masks: &[$int]) -> Self {
                let mut lanes = [0; $lanes];
                lanes.copy_from_slice(&masks[..$lanes]);
                Self::new(lanes)
            }
            #[inline(always)]
            fn store(self, masks: &mut [$int]) {
                masks[..$lanes].copy_from_slice(&self.to_array());
            }
            #[inline(always)]
            fn splat(mask: $int) -> Self {
                Self::splat(mask)
            }
            #[inline(always)]
            fn where_empty(self) -> Self {
                self.simd_eq(Self::splat(0))
            }
            #[inline(always)]
            fn lanes(self) -> u32 {
                self.to_bitmask()
            }
        }
    )*};
}

packs!(u16x8, u16, 8; u32x4, u32, 4; u64x2, u64, 2);

/// No register holds two of these.
impl Pack<u128> for u128 {
    const LANES: usize = 1;
    #[inline(always)]
    fn load(masks: &[u128]) -> Self {
        masks[0]
    }
    #[inline(always)]
    fn store(self, masks: &mut [u128]) {
        masks[0] = self;
    }
    #[inline(always)]
    fn splat(mask: u128) -> Self {
        mask
    }
    #[inline(always)]
    fn where_empty(self) -> Self {
        if self == 0 { !0 } else { 0 }
    }
    #[inline(always)]
    fn lanes(self) -> u32 {
        (self >> 127) as u32
    }
}
