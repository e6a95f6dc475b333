//! Twin of `shaders/breed.wgsl`: one individual of the new population from the old one.

#[cfg(target_arch = "x86_64")]
use pulp::x86::V3;

use super::Made;
use super::shared::crossover::crossover;
use super::shared::mask::Mask;
use super::shared::mutate::mutate;
use super::shared::registers::{Portable, Registers};
use super::shared::search::search;
use super::shared::tile::{Board, Shape, Tile};
use crate::plan::{Breed, Parent};
use crate::population::Population;
use crate::rng::{Key, Site, bounded};

/// Survivors draw their contestants beyond any tournament of parents.
const SURVIVOR_DRAWS: u32 = 1 << 16;

/// Makes one individual. Reads the old population only.
pub fn breed<M: Mask, S: Shape, const C: usize>(
    board: &Board<M, S, C>,
    tile: &mut Tile<M, C>,
    breed: &Breed,
    key: Key,
    individual: u32,
    old: &Population,
    cells: &mut [u8],
) -> Made {
    let work = Work {
        board,
        tile,
        breed,
        key,
        individual,
        old,
        cells,
    };
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = V3::try_new() {
        return simd.vectorize(ByAvx2 { simd, work });
    }
    work.run(M::Portable::from(Portable))
}

/// What is to be done, in one piece.
struct Work<'a, M, S, const C: usize> {
    board: &'a Board<M, S, C>,
    tile: &'a mut Tile<M, C>,
    breed: &'a Breed,
    key: Key,
    individual: u32,
    old: &'a Population,
    cells: &'a mut [u8],
}

/// The same, compiled for AVX2 and the bit operations that come with it: all that is called from here
/// has to be inlined.
#[cfg(target_arch = "x86_64")]
struct ByAvx2<'a, M, S, const C: usize> {
    simd: V3,
    work: Work<'a, M, S, C>,
}

#[cfg(target_arch = "x86_64")]
impl<M: Mask, S: Shape, const C: usize> pulp::NullaryFnOnce for ByAvx2<'_, M, S, C> {
    type Output = Made;

    #[inline(always)]
    fn call(self) -> Made {
        self.work.run(M::Avx2::from(self.simd))
    }
}

impl<M: Mask, S: Shape, const C: usize> Work<'_, M, S, C> {
    #[inline(always)]
    fn run(self, registers: impl Registers<M>) -> Made {
        let Self {
            board,
            tile,
            breed,
            key,
            individual,
            old,
            cells,
        } = self;
        let pop = old.len() as u32;
        let contestant = |index| {
            let [word, ..] = key.draw(individual, Site::Tournament.counter(index));
            bounded(word, pop)
        };
        let fitness_of = |other: u32| old.fitness()[other as usize];

        let parent = match breed.parent {
            Parent::Own => individual,
            Parent::Tournament(size) => (0..size)
                .map(contestant)
                .reduce(|best, next| {
                    if fitness_of(next) < fitness_of(best) {
                        next
                    } else {
                        best
                    }
                })
                .unwrap_or(individual),
        };
        tile.load(board.shape, old.cells(parent as usize));
        crossover(tile, board.shape, breed, key, individual, pop, |mate| {
            old.cells(mate as usize)
        });
        mutate(registers, tile, board, breed, key, individual);
        tile.rows_changed(board);
        let swaps = search(registers, tile, board, breed, key, individual);
        let child = tile.fitness(registers, board, breed.repeats);

        let (contestants, strict) = breed.survivor.contest();
        // The child, the individual whose place it is, then random others.
        let mut survivor = None;
        let mut best = child;
        for index in 1..contestants {
            let rival = if index == 1 {
                individual
            } else {
                contestant(SURVIVOR_DRAWS + index)
            };
            let fitness = fitness_of(rival);
            if fitness < best || (strict && survivor.is_none() && fitness == best) {
                survivor = Some(rival);
                best = fitness;
            }
        }
        match survivor {
            None => tile.store(board.shape, cells),
            Some(rival) => cells.copy_from_slice(old.cells(rival as usize)),
        }
        Made {
            fitness: best,
            swaps,
        }
    }
}
