//! Sets of digits, of units and of cells of a unit, as bit masks just wide enough for N.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not, Shl, Shr};

#[cfg(target_arch = "x86_64")]
use pulp::x86::V3;

use super::registers::{Portable, Registers};

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
    /// The registers of every machine.
    type Portable: Registers<Self> + From<Portable>;
    /// The registers of a machine with AVX2.
    #[cfg(target_arch = "x86_64")]
    type Avx2: Registers<Self> + From<V3>;
    /// Elements that there can be.
    const BITS: u32;
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
    ($($int:ty),*) => {$(
        impl Mask for $int {
            type Portable = Portable;
            #[cfg(target_arch = "x86_64")]
            type Avx2 = V3;
            const BITS: u32 = <$int>::BITS;
            const EMPTY: Self = 0;
            #[inline(always)]
            fn bit(index: u32) -> Self {
                1 << index
            }
            #[inline(always)]
            fn below(count: u32) -> Self {
                if count >= <$int>::BITS { Self::MAX } else { ((1 as Self) << count) - 1 }
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
                (self | self.wrapping_neg()) >> (<$int>::BITS - 1)
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

masks!(u16, u32, u64, u128);

/// The elements of a set, ascending.
#[inline(always)]
pub fn elements<M: Mask>(mut set: M) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if !set.any() {
            return None;
        }
        let first = set.first() as usize;
        set = set.rest();
        Some(first)
    })
}
