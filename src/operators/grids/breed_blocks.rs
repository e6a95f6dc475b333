//! Twin of `shaders/grids/breed_blocks.wgsl`: a child whose sub-blocks are permutations (Sato & Inoue
//! 2010). The better parent gives whole block-rows or block-columns, blocks swap inside, and a
//! local search keeps the best of several mutants.

use crate::engine::cpu::Generation;
use crate::engine::cpu::grids::{
    GridKernels, GridOperator, KernelResult, Mask, MaskTables, Shape, score, two_of,
};
use crate::error::Error;
use crate::operators::kernel::{KernelCall, Params, Shader};
use crate::operators::{Ancestry, Call, MutationUnit, Operator, Variation, check_tournament};
use crate::plan::{Encoding, KernelFamily, Representation};
use crate::population::Population;
use crate::rng::{Key, Rate, Site, bounded};

/// The operators of a genetic algorithm on sub-blocks that stay permutations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreedBlocks {
    /// Parents are the best of this many random individuals.
    pub tournament: u32,
    /// Probability that a pair of parents is crossed: one child takes the better block-rows, the
    /// other the better block-columns. Otherwise the children are copies.
    pub crossover: Rate,
    /// Probability that two free cells of a sub-block are swapped.
    pub swap: Rate,
    /// Whether each sub-block tosses that coin, or the individual for one of them.
    pub mutation: MutationUnit,
    /// Mutants of a child, at least 1, of which the best lives.
    pub mutants: u32,
}

impl BreedBlocks {
    /// Its parameters for islands of this many individuals and epochs of this many generations.
    pub(super) fn params(&self, island: u32, epoch: u32) -> Params {
        Params::new([
            ("tournament", self.tournament),
            ("crossover", self.crossover.threshold()),
            ("swap", self.swap.threshold()),
            (
                "mutation",
                u32::from(self.mutation == MutationUnit::Individual),
            ),
            ("mutants", self.mutants),
            ("island", island),
            ("epoch", epoch),
        ])
    }
}

impl Operator for BreedBlocks {
    fn suits(&self, representation: Representation) -> bool {
        representation.family() == KernelFamily::Grids
            && representation.encoding == Encoding::Blocks
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        check_tournament(self.tournament)?;
        assert!(self.mutants > 0, "{self:?} lacks what its kernel needs");
        Ok(())
    }

    fn evaluations(&self, pop: u64) -> u64 {
        pop * u64::from(self.mutants)
    }

    fn ancestry(&self) -> Ancestry {
        Ancestry::Anybody
    }

    fn steps(&self) -> Vec<(&'static str, Variation)> {
        let crossover = Self {
            swap: Rate::NEVER,
            mutants: 1,
            ..*self
        };
        let selection = Self {
            crossover: Rate::NEVER,
            ..crossover
        };
        let mutation = Self {
            mutants: 1,
            ..*self
        };
        let mut steps = vec![
            ("selection", selection.into()),
            ("crossover", crossover.into()),
            ("mutation", mutation.into()),
        ];
        // The first of several mutants, then the best of them.
        if self.mutants > 1 {
            steps.push(("local search", (*self).into()));
        }
        steps
    }

    fn kernels(&self, call: &Call) -> Vec<KernelCall> {
        let shader = Shader::builtin("grids/breed_blocks");
        vec![KernelCall::new(shader).with(self.params(call.pop, 1))]
    }
}

impl GridOperator for BreedBlocks {
    #[cfg(test)]
    fn example() -> Self {
        Self {
            tournament: 3,
            crossover: Rate::ALWAYS,
            swap: Rate::ALWAYS,
            mutation: MutationUnit::Each,
            mutants: 2,
        }
    }

    fn run<M: Mask, S: Shape, const C: usize>(
        &self,
        kernels: &mut GridKernels<M, S, C>,
        generation: &mut Generation<'_>,
    ) -> u64 {
        let (key, pool) = (generation.key(), Pool::all(generation.old));
        kernels.each(
            generation.new,
            &generation.share,
            |tables, _, individual, cells| breed_blocks(tables, self, key, individual, pool, cells),
        )
    }
}

/// The individuals among which parents are chosen, numbered from `first` in the population.
#[derive(Clone, Copy)]
pub struct Pool<'a> {
    pub first: u32,
    /// Bytes from an individual to the next.
    pub stride: usize,
    pub cells: &'a [u8],
    pub fitness: &'a [u32],
}

impl<'a> Pool<'a> {
    /// The whole population.
    pub fn all(population: &'a Population) -> Self {
        let words = population.words();
        Self {
            first: 0,
            stride: 4 * words.len() / population.len(),
            cells: bytemuck::cast_slice(words),
            fitness: population.fitness(),
        }
    }

    /// The cells of a member, counted from the pool's first.
    #[inline(always)]
    pub fn cells(&self, member: usize, cells: usize) -> &'a [u8] {
        &self.cells[member * self.stride..][..cells]
    }

    /// The best of so many random members; the first of equals.
    fn select(&self, key: Key, pair: u32, tournament: u32, which: u32) -> usize {
        let mut best = (u32::MAX, 0);
        for index in 0..tournament {
            let site = Site::Tournament.counter(which * tournament + index);
            let [word, ..] = key.draw(pair, site);
            let next = bounded(word, self.fitness.len() as u32) as usize;
            if self.fitness[next] < best.0 {
                best = (self.fitness[next], next);
            }
        }
        best.1
    }
}

/// Makes one individual. Reads the pool only. Pairs of neighbours have the same parents.
pub fn breed_blocks<M: Mask, S: Shape, const C: usize>(
    tables: &MaskTables<M, S, C>,
    breed: &BreedBlocks,
    key: Key,
    individual: u32,
    pool: Pool<'_>,
    cells: &mut [u8],
) -> KernelResult {
    let second = (individual - pool.first) % 2 == 1;
    let pair = individual - u32::from(second);
    let [one, two] = [0, 1].map(|which| {
        let member = pool.select(key, pair, breed.tournament, which);
        pool.cells(member, cells.len())
    });
    let [coin, ..] = key.draw(pair, Site::Mate.counter(0));
    match (breed.crossover.hit(coin), second) {
        (false, false) => cells.copy_from_slice(one),
        (false, true) => cells.copy_from_slice(two),
        (true, false) => cross_block_rows(tables, one, two, cells),
        (true, true) => cross_block_columns(tables, one, two, cells),
    }
    let mut best = (u32::MAX, 0);
    for mutant in 0..breed.mutants {
        swap_in_blocks(tables, breed, key, individual, mutant, cells);
        best = best.min((score(tables, cells), mutant));
        // A block has one swap at the most: the same again undoes it.
        swap_in_blocks(tables, breed, key, individual, mutant, cells);
    }
    let swaps = swap_in_blocks(tables, breed, key, individual, best.1, cells);
    KernelResult {
        fitness: best.0,
        // Without a choice there was no search.
        swaps: if breed.mutants > 1 { swaps } else { 0 },
    }
}

/// Child 1: each block-row from the parent that misses fewer digits in its rows.
fn cross_block_rows<M: Mask, S: Shape, const C: usize>(
    tables: &MaskTables<M, S, C>,
    one: &[u8],
    two: &[u8],
    cells: &mut [u8],
) {
    let n = tables.shape.n();
    let band = tables.segment_height * n;
    let missing = |band: &[u8]| -> u32 {
        let rows = band.chunks_exact(n).map(|row| row.iter().copied());
        rows.map(|row| missing::<M>(n, row)).sum()
    };
    let bands = one.chunks_exact(band).zip(two.chunks_exact(band));
    for (to, (one, two)) in cells.chunks_exact_mut(band).zip(bands) {
        to.copy_from_slice(if missing(two) < missing(one) {
            two
        } else {
            one
        });
    }
}

/// Child 2: the same by block-columns.
fn cross_block_columns<M: Mask, S: Shape, const C: usize>(
    tables: &MaskTables<M, S, C>,
    one: &[u8],
    two: &[u8],
    cells: &mut [u8],
) {
    let n = tables.shape.n();
    let width = n / tables.segment_height;
    let missing = |grid: &[u8], first: usize| -> u32 {
        let columns = (first..first + width).map(|col| (0..n).map(move |row| grid[row * n + col]));
        columns.map(|column| missing::<M>(n, column)).sum()
    };
    for first in (0..n).step_by(width) {
        let better = if missing(two, first) < missing(one, first) {
            two
        } else {
            one
        };
        for row in 0..n {
            let part = row * n + first..row * n + first + width;
            cells[part.clone()].copy_from_slice(&better[part]);
        }
    }
}

/// The digits that a row or column misses.
fn missing<M: Mask>(n: usize, digits: impl Iterator<Item = u8>) -> u32 {
    let digits = digits.fold(M::EMPTY, |set, digit| set | M::bit(u32::from(digit)));
    n as u32 - digits.count()
}

/// Swaps two free cells of the blocks whose coins fall so; how many swaps that is.
fn swap_in_blocks<M: Mask, S: Shape, const C: usize>(
    tables: &MaskTables<M, S, C>,
    breed: &BreedBlocks,
    key: Key,
    individual: u32,
    mutant: u32,
    cells: &mut [u8],
) -> u32 {
    let n = tables.shape.n() as u32;
    let base = mutant * (n + 1);
    let draw = |index| key.draw(individual, Site::MutateRow.counter(base + index));
    let mut swap = |block: u32, [coin, _, one, two]: [u32; 4]| {
        if !breed.swap.hit(coin) {
            return 0;
        }
        let free = &tables.free_cells[block as usize];
        let Some((one, two)) = two_of(free.len(), one, two) else {
            return 0;
        };
        cells.swap(usize::from(free[one]), usize::from(free[two]));
        1
    };
    match breed.mutation {
        MutationUnit::Each => (0..n).map(|block| swap(block, draw(block))).sum(),
        MutationUnit::Individual => {
            let [place, ..] = draw(n);
            swap(bounded(place, n), draw(0))
        }
    }
}
