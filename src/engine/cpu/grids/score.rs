//! The fitness of plain cells under every objective. Twin of `fitness` in
//! `shaders/grids/working_grid.wgsl`.

use std::ops::Add;

use super::mask::Mask;
use super::working_grid::{MaskTables, Shape};
use crate::plan::Objective;

/// The fitness of a whole grid. Units that are permutations in every individual are left out.
#[inline(always)]
pub fn score<M: Mask, S: Shape, const C: usize>(tables: &MaskTables<M, S, C>, cells: &[u8]) -> u32 {
    let n = tables.shape.n();
    let all = M::below(n as u32);
    let digit = |digit| M::bit(u32::from(digit));
    let illegal = || {
        let mut illegal = 0;
        each_unit(tables, cells, M::EMPTY, digit, M::bitor, |digits| {
            illegal += u32::from(digits != all);
        });
        illegal
    };
    match tables.representation.objective {
        Objective::IllegalUnits => illegal(),
        Objective::MissingDigits => {
            let mut missing = 0;
            each_unit(tables, cells, M::EMPTY, digit, M::bitor, |digits| {
                missing += n as u32 - digits.count();
            });
            missing
        }
        Objective::SumDeviation => {
            let mut deviation = 0;
            let value = |digit| u32::from(digit) + 1;
            each_unit(tables, cells, 0, value, u32::add, |sum| {
                deviation += sum.abs_diff(right_sum(n));
            });
            sum_objective(deviation, illegal())
        }
        Objective::Own(own) => (own.native)(n, cells),
        Objective::Attacks | Objective::SupportConfidence(_) | Objective::ConflictsAndHoles => {
            by_constraints()
        }
    }
}

/// Tells `unit` what the digits of each unit that may be faulty come to, added up in some way. A
/// band of rows at a time: neighbouring columns stand in neighbouring SIMD lanes.
#[inline(always)]
fn each_unit<T: Copy, M: Mask, S: Shape, const C: usize>(
    tables: &MaskTables<M, S, C>,
    cells: &[u8],
    nothing: T,
    value: impl Fn(u8) -> T,
    add: impl Fn(T, T) -> T,
    mut unit: impl FnMut(T),
) {
    let (n, width) = (tables.shape.n(), tables.shape.block_width());
    let [in_columns, in_blocks, in_rows] = tables.faulty;
    let mut columns = [nothing; C];
    for band in cells.chunks_exact(n / width * n) {
        let mut parts = [nothing; C];
        for row in band.chunks_exact(n) {
            for (part, &digit) in parts.iter_mut().zip(row) {
                *part = add(*part, value(digit));
            }
            if in_rows {
                unit(
                    row.iter()
                        .fold(nothing, |sum, &digit| add(sum, value(digit))),
                );
            }
        }
        if in_blocks {
            for block in parts[..n].chunks_exact(width) {
                unit(block.iter().fold(nothing, |sum, &part| add(sum, part)));
            }
        }
        for (column, &part) in columns[..n].iter_mut().zip(&parts) {
            *column = add(*column, part);
        }
    }
    if in_columns {
        columns[..n].iter().for_each(|&column| unit(column));
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

/// Nobody asks the kernels of grids for an objective that is counted by constraints: their tables have
/// another one.
pub fn by_constraints() -> u32 {
    unreachable!("the permutation kernels count constraints")
}
