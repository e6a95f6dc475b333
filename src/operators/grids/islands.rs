//! Twin of `shaders/grids/islands.wgsl`: generations of islands (Sato, Hasegawa & Sato 2011).

use std::ops::{Range, RangeInclusive};

use rayon::prelude::*;

use super::breed_blocks::{BreedBlocks, Pool, breed_blocks};
use crate::engine::cpu::Generation;
use crate::engine::cpu::grids::{GridKernels, GridOperator, Mask, MaskTables, Shape};
use crate::engine::snapshot::Emigrants;
use crate::error::Error;
use crate::operators::kernel::{Auxiliary, Dispatch, KernelCall, Shader, Steps};
use crate::operators::{Ancestry, Call, Operator};
use crate::plan::Representation;
use crate::population::Population;
use crate::rng::Key;

/// Populations that meet at the end of an epoch only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Islands {
    /// What a generation does on an island.
    pub breed: BreedBlocks,
    /// Individuals of an island; the last one may have fewer.
    pub size: u32,
    /// Generations of an epoch. The best of each island at its end replaces the worst of the next
    /// one at the start of the next epoch. Epochs end at multiples of their length.
    pub epoch: u32,
}

impl Operator for Islands {
    fn suits(&self, representation: Representation) -> bool {
        self.breed.suits(representation)
    }

    fn check(&self, pop: usize) -> Result<(), Error> {
        self.breed.check(pop)?;
        let complete = self.size > 0 && self.epoch > 0;
        assert!(complete, "{self:?} lacks what its kernel needs");
        Ok(())
    }

    fn evaluations(&self, pop: u64) -> u64 {
        self.breed.evaluations(pop)
    }

    fn stride(&self) -> u32 {
        self.epoch
    }

    fn auxiliary(&self, pop: u32) -> Auxiliary {
        Auxiliary::Emigrants(pop.div_ceil(self.size))
    }

    fn ancestry(&self) -> Ancestry {
        Ancestry::Island(self.size)
    }

    fn kernels(&self, call: &Call) -> Vec<KernelCall> {
        let steps = Steps::Generations {
            size: self.size,
            generations: call.stride,
            passes: 2 + self.breed.mutants,
            turns: 2 * self.breed.tournament,
        };
        let kernel = KernelCall::new(Shader::builtin("grids/islands"));
        let params = self.breed.params(self.size, self.epoch);
        vec![kernel.with(params).over(Dispatch::Steps(steps))]
    }
}

impl GridOperator for Islands {
    #[cfg(test)]
    fn example() -> Self {
        Self {
            breed: BreedBlocks::example(),
            size: 4,
            epoch: 2,
        }
    }

    fn run<M: Mask, S: Shape, const C: usize>(
        &self,
        kernels: &mut GridKernels<M, S, C>,
        generation: &mut Generation<'_>,
    ) -> u64 {
        let Generation {
            seed,
            first,
            last,
            ref mut old,
            ref mut new,
            ref mut auxiliary,
            ref share,
            ..
        } = *generation;
        let serial = kernels.is_serial();
        let migration = auxiliary.migration();
        islands(
            kernels.tables(),
            self,
            seed,
            first..=last,
            old,
            new,
            share,
            migration,
            serial,
        )
    }
}

/// Who left the islands at the end of the last epoch, and room for those of this one.
#[derive(Debug, Default)]
pub struct Migration {
    pub last: Option<Emigrants>,
    now: Option<Population>,
}

impl Migration {
    /// With these on their way.
    pub fn bringing(emigrants: Emigrants) -> Self {
        Self {
            last: Some(emigrants),
            now: None,
        }
    }
}

/// The part of a population that lives on an island.
struct Land<'a> {
    cells: &'a mut [u8],
    fitness: &'a mut [u32],
}

impl Land<'_> {
    /// Who has the lowest fitness, the first of equals.
    fn best(&self) -> usize {
        let ranks = self.fitness.iter().enumerate();
        ranks
            .map(|(at, &fitness)| (fitness, at))
            .min()
            .expect("islands are inhabited")
            .1
    }

    /// Who has the highest, the first of equals.
    fn worst(&self) -> usize {
        let ranks = self.fitness.iter().enumerate();
        let inverse = ranks.map(|(at, &fitness)| (u32::MAX - fitness, at));
        inverse.min().expect("islands are inhabited").1
    }
}

/// Runs generations of the islands of a share, which are those of one epoch or the rest of one. Afterwards
/// the last of them is in `new`. Returns the number of swaps.
#[expect(clippy::too_many_arguments, reason = "what a kernel reads")]
pub fn islands<M: Mask, S: Shape, const C: usize>(
    tables: &MaskTables<M, S, C>,
    islands: &Islands,
    seed: u64,
    generations: RangeInclusive<u32>,
    old: &mut Population,
    new: &mut Population,
    share: &Range<usize>,
    migration: &mut Migration,
    serial: bool,
) -> u64 {
    let size = islands.size as usize;
    let (start, end) = (generations.start() - 1, *generations.end());
    let count = old.len().div_ceil(size);
    let begins = start > 0 && start.is_multiple_of(islands.epoch);
    // Not if other plans or other islands came in between.
    let just_left = |last: &&Emigrants| last.departure == start && last.best.len() == count;
    let ends = end.is_multiple_of(islands.epoch);
    let immigrants = migration
        .last
        .as_ref()
        .filter(|last| begins && just_left(last));
    let mut leaving = match migration.now.take() {
        Some(population) if population.len() == count => population,
        _ => Population::zeroed(old.form(), count),
    };
    let cells_each = old.form().cells();
    let work = |(island, (parents, children, (best, best_fitness))): (usize, Shore<'_>)| {
        let (mut parents, mut children, mut swaps) = (parents, children, 0);
        let stride = parents.cells.len() / parents.fitness.len();
        if let Some(Emigrants {
            best: immigrants, ..
        }) = immigrants
        {
            let from = (island + count - 1) % count;
            let worst = parents.worst();
            parents.cells[worst * stride..][..cells_each].copy_from_slice(immigrants.cells(from));
            parents.fitness[worst] = immigrants.fitness()[from];
        }
        for generation in generations.clone() {
            if parents.fitness.contains(&0) {
                children.cells.copy_from_slice(parents.cells);
                children.fitness.copy_from_slice(parents.fitness);
                swaps = 0;
            } else {
                let key = Key::new(seed, generation);
                let pool = Pool {
                    first: (island * size) as u32,
                    stride,
                    cells: parents.cells,
                    fitness: parents.fitness,
                };
                // Of the last generation: what its survey reports.
                swaps = 0;
                let individuals = children
                    .cells
                    .chunks_exact_mut(stride)
                    .zip(&mut *children.fitness);
                for (individual, (cells, fitness)) in (pool.first..).zip(individuals) {
                    let cells = &mut cells[..cells_each];
                    let made = breed_blocks(tables, &islands.breed, key, individual, pool, cells);
                    *fitness = made.fitness;
                    swaps += u64::from(made.swaps);
                }
            }
            std::mem::swap(&mut parents, &mut children);
        }
        if ends {
            let emigrant = parents.best();
            best.copy_from_slice(&parents.cells[emigrant * stride..][..stride]);
            *best_fitness = parents.fitness[emigrant];
        }
        swaps
    };
    let swaps = {
        let inhabited = share.start / size..share.end.div_ceil(size);
        let mut shores = shores(size, old, new, &mut leaving);
        shores.truncate(inhabited.end);
        let shores: Vec<_> = { shores.into_iter().enumerate() }
            .skip(inhabited.start)
            .collect();
        if serial {
            shores.into_iter().map(work).sum()
        } else {
            shores.into_par_iter().map(work).sum()
        }
    };
    if generations.count().is_multiple_of(2) {
        std::mem::swap(old, new);
    }
    if ends {
        let arrived = migration.last.replace(Emigrants {
            best: leaving,
            departure: end,
        });
        migration.now = arrived.map(|emigrants| emigrants.best);
    }
    swaps
}

/// What an island works on: its part of both populations, and its emigrant.
type Shore<'a> = (Land<'a>, Land<'a>, (&'a mut [u8], &'a mut u32));

fn shores<'a>(
    size: usize,
    old: &'a mut Population,
    new: &'a mut Population,
    leaving: &'a mut Population,
) -> Vec<Shore<'a>> {
    fn lands(size: usize, population: &mut Population) -> impl Iterator<Item = Land<'_>> {
        let (stride, words, fitness) = population.split_mut();
        words
            .chunks_mut(size * stride)
            .zip(fitness.chunks_mut(size))
            .map(|(words, fitness)| Land {
                cells: bytemuck::cast_slice_mut(words),
                fitness,
            })
    }
    let (stride, words, fitness) = leaving.split_mut();
    let leaving = words
        .chunks_exact_mut(stride)
        .map(bytemuck::cast_slice_mut)
        .zip(fitness);
    lands(size, old)
        .zip(lands(size, new))
        .zip(leaving)
        .map(|((old, new), leaving)| (old, new, leaving))
        .collect()
}
