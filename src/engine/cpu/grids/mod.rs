//! The native kernels of grids: a puzzle compiled for one width of masks and one shape, and what operators are made
//! of. Each file is the twin of `shaders/grids/<name>.wgsl`. Three have none and are for SIMD: `pairs`, which is
//! `score` once more, and `registers`.

mod crossover;
mod evaluate;
mod mask;
mod mutate;
#[cfg(target_arch = "x86_64")]
mod pairs;
mod registers;
mod score;
mod search;
mod segments;
mod working_grid;

use std::ops::Range;

use rayon::prelude::*;

pub(crate) use self::crossover::crossover;
pub(crate) use self::mask::Mask;
pub(crate) use self::mutate::mutate;
pub(crate) use self::registers::{Portable, Registers};
pub(crate) use self::score::score;
pub(crate) use self::search::search;
pub(crate) use self::segments::{fresh, two_of};
use self::working_grid::Fixed;
pub(crate) use self::working_grid::{AnySize, MaskTables, Shape, WorkingGrid};
use super::Generation;
pub use super::individuals::KernelResult;
use super::individuals::{each, in_use, pieces};
use crate::engine::snapshot::Queue;
use crate::engine::tables::Tables;
use crate::operators::grids::elite::elite;
use crate::operators::{Elite, Variation};
use crate::population::{Population, Record};
use crate::rng::Key;

/// Less than this is evaluated before another thread has woken up.
const BYTES_OF_A_PIECE: usize = 1 << 16;

/// An operator that the kernels of grids run.
pub(crate) trait GridOperator {
    /// One with whatever parameters, for tests of all operators.
    #[cfg(test)]
    fn example() -> Self
    where
        Self: Sized;

    /// Makes the new population, or the last of several. Returns the number of swaps that local search made.
    fn run<M: Mask, S: Shape, const C: usize>(
        &self,
        kernels: &mut GridKernels<M, S, C>,
        generation: &mut Generation<'_>,
    ) -> u64;
}

/// The kernels for whatever width of masks and shape.
pub(crate) trait AnyGridKernels: Send + Sync {
    /// Runs an operator. Returns the number of swaps that local search made.
    fn vary(&mut self, operator: &Variation, generation: &mut Generation<'_>) -> u64;

    /// Has one thread do all that follows, or all of them.
    fn work_alone(&mut self, alone: bool);

    /// Evaluates a share of a population.
    fn evaluate(&mut self, population: &mut Population, share: &Range<usize>);

    /// Evaluates grids that are outside of any population and have so many bytes each, on the thread that calls.
    fn evaluate_cells(&self, grids: &[u8], stride: usize, fitness: &mut [u32]);

    /// Elite population learning. Says whether the worst was re-initialised.
    fn elite(
        &mut self,
        plan: &Elite,
        key: Key,
        record: &Record,
        queue: &mut Queue,
        population: &mut Population,
    ) -> bool;
}

/// The kernels for a puzzle.
pub(crate) fn kernels_for(tables: &Tables, threads: usize) -> Box<dyn AnyGridKernels> {
    let (n, block_width) = (tables.size(), tables.block_width());
    let any = AnySize { n, block_width };
    match (n, block_width) {
        (9, 3) => GridKernels::<u16, _, 16>::boxed(tables, Fixed::<9, 3>, threads),
        (16, 4) => GridKernels::<u16, _, 16>::boxed(tables, Fixed::<16, 4>, threads),
        (25, 5) => GridKernels::<u32, _, 32>::boxed(tables, Fixed::<25, 5>, threads),
        (36, 6) => GridKernels::<u64, _, 64>::boxed(tables, Fixed::<36, 6>, threads),
        (49, 7) => GridKernels::<u64, _, 64>::boxed(tables, Fixed::<49, 7>, threads),
        (64, 8) => GridKernels::<u64, _, 64>::boxed(tables, Fixed::<64, 8>, threads),
        (0..=16, _) => GridKernels::<u16, _, 16>::boxed(tables, any, threads),
        (17..=32, _) => GridKernels::<u32, _, 32>::boxed(tables, any, threads),
        (33..=64, _) => GridKernels::<u64, _, 64>::boxed(tables, any, threads),
        _ => GridKernels::<u128, _, 128>::boxed(tables, any, threads),
    }
}

/// The puzzle and a working grid for every piece of the population.
pub(crate) struct GridKernels<M, S, const C: usize> {
    tables: MaskTables<M, S, C>,
    grids: Vec<WorkingGrid<M, C>>,
    alone: bool,
}

impl<M: Mask, S: Shape, const C: usize> GridKernels<M, S, C> {
    fn boxed(tables: &Tables, shape: S, threads: usize) -> Box<dyn AnyGridKernels> {
        Box::new(Self {
            tables: MaskTables::new(tables, shape),
            grids: (0..pieces(threads)).map(|_| WorkingGrid::new()).collect(),
            alone: threads == 1,
        })
    }

    /// What the kernels know of the puzzle.
    pub fn tables(&self) -> &MaskTables<M, S, C> {
        &self.tables
    }

    /// Whether one thread does everything.
    pub fn is_serial(&self) -> bool {
        self.alone
    }

    /// Calls `kernel` for every individual of a share; it writes the cells. Returns the number of swaps.
    pub fn each(
        &mut self,
        population: &mut Population,
        share: &Range<usize>,
        kernel: impl Fn(&MaskTables<M, S, C>, &mut WorkingGrid<M, C>, u32, &mut [u8]) -> KernelResult
        + Sync,
    ) -> u64 {
        let tables = &self.tables;
        let cells = population.form().cells();
        let nothing = &mut vec![(); population.len()];
        each(
            in_use(&mut self.grids, self.alone),
            population,
            share,
            nothing,
            |grid, at, words, ()| {
                let cells = &mut bytemuck::cast_slice_mut(words)[..cells];
                kernel(tables, grid, at, cells)
            },
        )
    }
}

impl<M: Mask, S: Shape, const C: usize> AnyGridKernels for GridKernels<M, S, C> {
    fn vary(&mut self, operator: &Variation, generation: &mut Generation<'_>) -> u64 {
        operator.on_grids(self, generation)
    }

    fn work_alone(&mut self, alone: bool) {
        self.alone = alone || self.grids.len() == 1;
    }

    fn evaluate(&mut self, population: &mut Population, share: &Range<usize>) {
        let tables = &self.tables;
        let (stride, words, fitness) = population.split_mut();
        let stride = stride * size_of::<u32>();
        let grids: &[u8] = bytemuck::cast_slice(words);
        // Behind the last grid of the share kernels may read on.
        let grids = &grids[share.start * stride..];
        let fitness = &mut fitness[share.clone()];
        let pieces = if self.alone { 1 } else { self.grids.len() };
        let piece = fitness.len().div_ceil(pieces).max(1);
        let piece = piece.max(BYTES_OF_A_PIECE / stride);
        let work = |(at, fitness): (usize, &mut [u32])| {
            evaluate::evaluate(tables, &grids[at * piece * stride..], stride, fitness);
        };
        match pieces {
            1 => work((0, fitness)),
            _ => fitness.par_chunks_mut(piece).enumerate().for_each(work),
        }
    }

    fn evaluate_cells(&self, grids: &[u8], stride: usize, fitness: &mut [u32]) {
        evaluate::evaluate(&self.tables, grids, stride, fitness);
    }

    fn elite(
        &mut self,
        plan: &Elite,
        key: Key,
        record: &Record,
        queue: &mut Queue,
        population: &mut Population,
    ) -> bool {
        elite(&self.tables, plan, key, record, queue, population)
    }
}
