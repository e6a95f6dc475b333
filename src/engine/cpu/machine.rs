//! The kernels compiled for one width of masks and one shape, and their loop over individuals.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::elite;
use super::islands::{self, Ferry};
use super::shared::mask::Mask;
use super::shared::tile::{AnySize, Board, Fixed, Shape, Tile};
use super::{Made, breed, breed_blocks, evaluate, improvise, initialise, pollinate, sample};
use crate::engine::snapshot::Queue;
use crate::engine::tables::Tables;
use crate::plan::{Breed, BreedBlocks, Elite, Improvise, Islands, Pollinate, Sample};
use crate::population::{Population, Record};
use crate::rng::Key;

/// Tiles a thread: small pieces even out individuals that search longer than others.
const PIECES_PER_THREAD: usize = 8;

/// Less than this is evaluated before another thread has woken up.
const BYTES_OF_A_PIECE: usize = 1 << 16;

/// The kernels for grids. Those that vary return the number of swaps that local search made.
pub trait Kernels: Send {
    fn initialise(&mut self, key: Key, population: &mut Population);
    fn evaluate(&mut self, population: &mut Population);
    fn breed(&mut self, breed: &Breed, key: Key, old: &Population, new: &mut Population) -> u64;
    fn breed_blocks(
        &mut self,
        breed: &BreedBlocks,
        key: Key,
        old: &Population,
        new: &mut Population,
    ) -> u64;
    fn islands(
        &mut self,
        islands: &Islands,
        seed: u64,
        generations: RangeInclusive<u32>,
        old: &mut Population,
        new: &mut Population,
        ferry: &mut Ferry,
    ) -> u64;
    fn sample(&mut self, sample: &Sample, key: Key, new: &mut Population);
    fn improvise(
        &mut self,
        improvise: &Improvise,
        key: Key,
        generation: u32,
        memory: &Population,
        harmonies: &mut Population,
    );
    fn pollinate(
        &mut self,
        pollinate: &Pollinate,
        key: Key,
        best_at: u32,
        old: &Population,
        new: &mut Population,
    );
    fn elite(
        &mut self,
        elite: &Elite,
        key: Key,
        record: &Record,
        queue: &mut Queue,
        population: &mut Population,
    ) -> bool;
}

/// The kernels for a puzzle.
pub fn kernels_for(tables: &Tables, threads: usize) -> Box<dyn Kernels> {
    let (n, block_width) = (tables.size(), tables.block_width());
    let any = AnySize { n, block_width };
    match (n, block_width) {
        (9, 3) => Machine::<u16, _, 16>::boxed(tables, Fixed::<9, 3>, threads),
        (16, 4) => Machine::<u16, _, 16>::boxed(tables, Fixed::<16, 4>, threads),
        (25, 5) => Machine::<u32, _, 32>::boxed(tables, Fixed::<25, 5>, threads),
        (36, 6) => Machine::<u64, _, 64>::boxed(tables, Fixed::<36, 6>, threads),
        (49, 7) => Machine::<u64, _, 64>::boxed(tables, Fixed::<49, 7>, threads),
        (64, 8) => Machine::<u64, _, 64>::boxed(tables, Fixed::<64, 8>, threads),
        (0..=16, _) => Machine::<u16, _, 16>::boxed(tables, any, threads),
        (17..=32, _) => Machine::<u32, _, 32>::boxed(tables, any, threads),
        (33..=64, _) => Machine::<u64, _, 64>::boxed(tables, any, threads),
        _ => Machine::<u128, _, 128>::boxed(tables, any, threads),
    }
}

/// The puzzle and a tile for every piece of the population.
struct Machine<M, S, const C: usize> {
    board: Board<M, S, C>,
    tiles: Vec<Tile<M, C>>,
}

impl<M: Mask, S: Shape, const C: usize> Machine<M, S, C> {
    fn boxed(tables: &Tables, shape: S, threads: usize) -> Box<dyn Kernels> {
        Box::new(Self {
            board: Board::new(tables, shape),
            tiles: (0..pieces(threads)).map(|_| Tile::new()).collect(),
        })
    }

    /// Calls `kernel` for every individual; it writes the cells. Returns the number of swaps.
    fn each(
        &mut self,
        population: &mut Population,
        kernel: impl Fn(&Board<M, S, C>, &mut Tile<M, C>, u32, &mut [u8]) -> Made + Sync,
    ) -> u64 {
        let board = &self.board;
        let cells = population.form().cells();
        let nothing = &mut vec![(); population.len()];
        each(
            &mut self.tiles,
            population,
            nothing,
            |tile, at, words, ()| {
                kernel(
                    board,
                    tile,
                    at,
                    &mut bytemuck::cast_slice_mut(words)[..cells],
                )
            },
        )
    }
}

/// How many pieces a population is cut into.
pub fn pieces(threads: usize) -> usize {
    match threads {
        1 => 1,
        threads => threads * PIECES_PER_THREAD,
    }
}

/// Calls `kernel` for every individual, in as many pieces as there are workplaces; it writes the
/// individual's words, and has its own of what else there is one of for each. Returns the number
/// of swaps.
pub fn each<T: Send, X: Send>(
    workplaces: &mut [T],
    population: &mut Population,
    extras: &mut [X],
    kernel: impl Fn(&mut T, u32, &mut [u32], &mut X) -> Made + Sync,
) -> u64 {
    let pieces = workplaces.len();
    let piece = population.len().div_ceil(pieces);
    let (stride, words, fitness) = population.split_mut();
    let swaps = AtomicU64::new(0);
    let work =
        |at: usize, place: &mut T, words: &mut [u32], fitness: &mut [u32], extras: &mut [X]| {
            let individuals = words.chunks_exact_mut(stride).zip(fitness).zip(extras);
            let mut total = 0;
            for (individual, ((words, fitness), extra)) in (at * piece..).zip(individuals) {
                let made = kernel(place, individual as u32, words, extra);
                *fitness = made.fitness;
                total += u64::from(made.swaps);
            }
            swaps.fetch_add(total, Ordering::Relaxed);
        };
    if pieces == 1 {
        work(0, &mut workplaces[0], words, fitness, extras);
    } else {
        workplaces
            .par_iter_mut()
            .zip(words.par_chunks_mut(piece * stride))
            .zip(fitness.par_chunks_mut(piece))
            .zip(extras.par_chunks_mut(piece))
            .enumerate()
            .with_max_len(1)
            .for_each(|(at, (((place, words), fitness), extras))| {
                work(at, place, words, fitness, extras);
            });
    }
    swaps.into_inner()
}

impl<M: Mask, S: Shape, const C: usize> Kernels for Machine<M, S, C> {
    fn initialise(&mut self, key: Key, population: &mut Population) {
        self.each(population, |board, _, individual, cells| {
            Made::new(initialise::initialise(board, key, individual, cells))
        });
    }

    fn evaluate(&mut self, population: &mut Population) {
        let board = &self.board;
        let (stride, words, fitness) = population.split_mut();
        let stride = stride * size_of::<u32>();
        let grids: &[u8] = bytemuck::cast_slice(words);
        let piece = fitness.len().div_ceil(self.tiles.len());
        let piece = piece.max(BYTES_OF_A_PIECE / stride);
        let work = |(at, fitness): (usize, &mut [u32])| {
            evaluate::evaluate(board, &grids[at * piece * stride..], stride, fitness);
        };
        match self.tiles.len() {
            1 => work((0, fitness)),
            _ => fitness.par_chunks_mut(piece).enumerate().for_each(work),
        }
    }

    fn breed(&mut self, breed: &Breed, key: Key, old: &Population, new: &mut Population) -> u64 {
        self.each(new, |board, tile, individual, cells| {
            breed::breed(board, tile, breed, key, individual, old, cells)
        })
    }

    fn breed_blocks(
        &mut self,
        breed: &BreedBlocks,
        key: Key,
        old: &Population,
        new: &mut Population,
    ) -> u64 {
        let pool = breed_blocks::Pool::all(old);
        self.each(new, |board, _, individual, cells| {
            breed_blocks::breed_blocks(board, breed, key, individual, pool, cells)
        })
    }

    fn islands(
        &mut self,
        islands: &Islands,
        seed: u64,
        generations: RangeInclusive<u32>,
        old: &mut Population,
        new: &mut Population,
        ferry: &mut Ferry,
    ) -> u64 {
        let serial = self.tiles.len() == 1;
        islands::islands(
            &self.board,
            islands,
            seed,
            generations,
            old,
            new,
            ferry,
            serial,
        )
    }

    fn sample(&mut self, sample: &Sample, key: Key, new: &mut Population) {
        self.each(new, |board, _, individual, cells| {
            Made::new(sample::sample(board, sample, key, individual, cells))
        });
    }

    fn improvise(
        &mut self,
        improvise: &Improvise,
        key: Key,
        generation: u32,
        memory: &Population,
        harmonies: &mut Population,
    ) {
        self.each(harmonies, |board, _, individual, cells| {
            Made::new(improvise::improvise(
                board, improvise, key, generation, individual, memory, cells,
            ))
        });
    }

    fn pollinate(
        &mut self,
        pollinate: &Pollinate,
        key: Key,
        best_at: u32,
        old: &Population,
        new: &mut Population,
    ) {
        self.each(new, |board, _, individual, cells| {
            Made::new(pollinate::pollinate(
                board, pollinate, key, best_at, individual, old, cells,
            ))
        });
    }

    fn elite(
        &mut self,
        elite: &Elite,
        key: Key,
        record: &Record,
        queue: &mut Queue,
        population: &mut Population,
    ) -> bool {
        elite::elite(&self.board, elite, key, record, queue, population)
    }
}
