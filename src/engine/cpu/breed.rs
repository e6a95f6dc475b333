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
        tile.rows_changed(registers, board);
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

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::engine::cpu::initialise::initialise;
    use crate::engine::cpu::shared::tile::AnySize;
    use crate::engine::tables::Tables;
    use crate::plan::{Encoding, MutationUnit, Objective, Repeats, Representation, Survivor};
    use crate::problem::sudoku::propagate::Level;
    use crate::problem::{Geometry, Grid, Puzzle, Reduction};
    use crate::rng::Rate;

    /// The code for every machine and its choice for this one, generation by generation.
    fn agree<M: Mask, const C: usize>(geometry: Geometry, repeats: Repeats, partners: u32) {
        let blank = Grid::new(geometry, vec![0; geometry.cells()]).unwrap();
        let reduction = Reduction::new(&Puzzle::new(blank).unwrap(), Level::None).unwrap();
        let individuals = Representation {
            encoding: Encoding::Rows,
            objective: Objective::MissingDigits,
        };
        let tables = Tables::new(&reduction, individuals);
        let (n, block_width) = (tables.size(), tables.block_width());
        let board = Board::<M, _, C>::new(&tables, AnySize { n, block_width });
        let rate = |p| Rate::new(p).unwrap();
        let plan = Breed {
            crossover: rate(0.5),
            crossover_row: rate(0.3),
            swap: rate(0.3),
            reinitialise: rate(0.1),
            mutation: MutationUnit::Each,
            column_search: true,
            block_search: true,
            rounds: 4,
            partners,
            repeats,
            survivor: Survivor::Tournament(2),
            ..Breed::IDLE
        };
        let mut old = Population::zeroed(geometry, 8);
        for at in 0..old.len() {
            initialise(&board, Key::new(3, 0), at as u32, old.cells_mut(at));
        }
        let mut tiles = [Tile::new(), Tile::new()];
        for generation in 1..6 {
            let key = Key::new(3, generation);
            let mut new = old.clone();
            for at in 0..old.len() {
                let individual = at as u32;
                let mut cells = new.cells(at).to_vec();
                let [here, everywhere] = &mut tiles;
                let work = Work {
                    board: &board,
                    tile: everywhere,
                    breed: &plan,
                    key,
                    individual,
                    old: &old,
                    cells: &mut cells,
                };
                let portable = work.run(M::Portable::from(Portable));
                let cells_here = new.cells_mut(at);
                let made = breed(&board, here, &plan, key, individual, &old, cells_here);
                assert_eq!(
                    (made.fitness, made.swaps, &*cells_here),
                    (portable.fitness, portable.swaps, &cells[..]),
                    "{geometry:?} {repeats:?} {partners}"
                );
            }
            old = new;
        }
    }

    #[test]
    fn every_machine_breeds_alike() {
        for repeats in [Repeats::Every, Repeats::Later] {
            for partners in [2, u32::MAX] {
                let boxes = |rows, cols| Geometry::sudoku(rows, cols).unwrap();
                agree::<u16, 16>(boxes(3, 3), repeats, partners);
                agree::<u16, 16>(boxes(3, 5), repeats, partners);
                agree::<u32, 32>(boxes(5, 5), repeats, partners);
                agree::<u64, 64>(boxes(5, 8), repeats, partners);
                agree::<u32, 32>(Geometry::latin(19).unwrap(), repeats, partners);
            }
        }
    }
}
