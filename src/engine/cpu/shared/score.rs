//! The fitness of plain cells under every objective. Twin of `fitness` in
//! `shaders/shared/tile.wgsl`.

use super::mask::Mask;
use super::tile::{Board, Shape};
use crate::plan::Objective;

/// The fitness of whole grids. Units that are permutations in every individual are left out.
pub fn score<M: Mask, S: Shape, const C: usize>(board: &Board<M, S, C>, cells: &[u8]) -> u32 {
    let n = board.shape.n();
    let width = board.shape.block_width();
    let height = n / width;
    let mut once = [[M::EMPTY; C]; 3];
    let mut twice = [[M::EMPTY; C]; 3];
    for (row, digits) in cells.chunks_exact(n).enumerate() {
        for (col, &digit) in digits.iter().enumerate() {
            let digit = M::bit(u32::from(digit));
            let block = row / height * height + col / width;
            for (family, unit) in [col, block, row].into_iter().enumerate() {
                twice[family][unit] |= once[family][unit] & digit;
                once[family][unit] |= digit;
            }
        }
    }
    let families = (0..3).filter(|&family| board.faulty[family]);
    let illegal = || {
        let families = families.clone();
        families.map(|f| illegal_units(&twice[f][..n])).sum()
    };
    match board.individuals.objective {
        Objective::IllegalUnits => illegal(),
        Objective::MissingDigits => families
            .clone()
            .map(|f| missing_digits(&once[f][..n]))
            .sum(),
        Objective::SumDeviation => {
            let mut sums = [[0u32; C]; 3];
            for (row, digits) in cells.chunks_exact(n).enumerate() {
                for (col, &digit) in digits.iter().enumerate() {
                    let block = row / height * height + col / width;
                    for (family, unit) in [col, block, row].into_iter().enumerate() {
                        sums[family][unit] += u32::from(digit) + 1;
                    }
                }
            }
            let deviations = |f: usize| sums[f][..n].iter().map(|sum| sum.abs_diff(right_sum(n)));
            sum_objective(families.clone().flat_map(deviations).sum(), illegal())
        }
        Objective::Attacks | Objective::SupportConfidence(_) | Objective::Conflicts => by_lines(),
    }
}

/// Units with a repeated digit.
#[inline(always)]
pub fn illegal_units<M: Mask>(twice: &[M]) -> u32 {
    twice.iter().map(|set| u32::from(set.any())).sum()
}

/// Digits that units do not have.
#[inline(always)]
pub fn missing_digits<M: Mask>(once: &[M]) -> u32 {
    let n = once.len() as u32;
    once.iter().map(|set| n - set.count()).sum()
}

/// What the digits of a unit should sum up to.
#[inline(always)]
pub fn right_sum(n: usize) -> u32 {
    (n * (n + 1) / 2) as u32
}

/// Z, or the mark of an invalid grid with Z = 0.
#[inline(always)]
pub fn sum_objective(deviation: u32, illegal: u32) -> u32 {
    if deviation == 0 && illegal > 0 {
        Objective::FALSE_ZERO
    } else {
        deviation
    }
}

/// Nobody asks the kernels of grids for an objective that is counted by lines: their tables have
/// another one.
pub fn by_lines() -> u32 {
    unreachable!("the permutation kernels count lines")
}
