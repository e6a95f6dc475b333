//! The native engine: every kernel's twin in Rust, individuals spread over threads.
//!
//! Nothing is allocated in the loop over individuals.

mod breed;
mod elite;
mod evaluate;
mod initialise;
mod shared;
mod survey;

use rayon::prelude::*;

use self::elite::Queue;
use self::shared::mask::Mask;
use self::shared::tile::{AnySize, Board, Fixed, Shape, Tile};
use super::tables::Tables;
use crate::error::Error;
use crate::plan::{Breed, Elite, Learn, Plan, Vary};
use crate::population::{Population, Record};
use crate::problem::Puzzle;
use crate::rng::Key;

/// Tiles a thread: small pieces even out individuals that search longer than others.
const PIECES_PER_THREAD: usize = 8;

/// The native engine.
pub struct CpuEngine {
    seed: u64,
    threads: usize,
    pool: Option<rayon::ThreadPool>,
    kernels: Box<dyn Kernels>,
    /// This generation, and the buffer for the next.
    population: Population,
    next: Population,
    queue: Option<Queue>,
    record: Record,
}

impl CpuEngine {
    /// An engine for a puzzle. `threads` = 0 takes one a core.
    pub fn new(puzzle: &Puzzle, pop: usize, seed: u64, threads: usize) -> Result<Self, Error> {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let pool = (threads > 1)
            .then(|| {
                rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .map_err(|error| Error::Threads(error.to_string()))
            })
            .transpose()?;
        let tables = Tables::new(puzzle);
        let population = Population::zeroed(tables.geometry(), pop);
        Ok(Self {
            seed,
            threads,
            pool,
            kernels: kernels_for(&tables, threads),
            next: population.clone(),
            population,
            queue: None,
            record: Record::default(),
        })
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Makes the initial population, generation 0.
    pub fn initialise(&mut self) -> Record {
        let key = Key::new(self.seed, 0);
        self.queue = None;
        let (kernels, population) = (&mut self.kernels, &mut self.population);
        in_pool(&self.pool, || kernels.initialise(key, population));
        self.record = survey::survey(0, 0, self.population.fitness());
        self.record
    }

    /// Runs generations until one is solved, at most so many.
    pub fn advance(&mut self, plan: &Plan, generations: u32) -> Vec<Record> {
        let mut records = Vec::new();
        for _ in 0..generations {
            if self.record.solved() {
                break;
            }
            let generation = self.record.generation + 1;
            let key = Key::new(self.seed, generation);
            match &plan.vary {
                Vary::Breed(breed) => {
                    let (kernels, old, new) = (&mut self.kernels, &self.population, &mut self.next);
                    in_pool(&self.pool, || kernels.breed(breed, key, old, new));
                }
            }
            std::mem::swap(&mut self.population, &mut self.next);
            let reinitialised = self.record.reinitialised;
            self.record = survey::survey(generation, reinitialised, self.population.fitness());
            if let (Some(Learn::Elite(elite)), false) = (&plan.learn, self.record.solved()) {
                self.learn(elite, key);
            }
            records.push(self.record);
        }
        records
    }

    fn learn(&mut self, elite: &Elite, key: Key) {
        // A queue of another length starts empty.
        let queue = match &mut self.queue {
            Some(queue) if queue.size() == elite.size => queue,
            other => other.insert(Queue::new(&self.population, elite.size)),
        };
        let (record, population) = (&mut self.record, &mut self.population);
        let again = self.kernels.elite(elite, key, record, queue, population);
        record.reinitialised += u32::from(again);
        if population.fitness()[record.worst_at as usize] == 0 {
            (record.best, record.best_at) = (0, record.worst_at);
        }
    }

    /// Evaluates the current population anew.
    pub fn evaluate(&mut self) {
        let (kernels, population) = (&mut self.kernels, &mut self.population);
        in_pool(&self.pool, || kernels.evaluate(population));
    }

    /// Puts another population in place of the current one.
    ///
    /// # Panics
    /// If it has another size or geometry.
    pub fn load(&mut self, population: &Population) {
        assert_eq!(population.geometry(), self.population.geometry());
        assert_eq!(population.len(), self.population.len());
        self.population.clone_from(population);
    }

    /// The current population.
    pub fn population(&self) -> &Population {
        &self.population
    }
}

fn in_pool<R: Send>(pool: &Option<rayon::ThreadPool>, work: impl FnOnce() -> R + Send) -> R {
    match pool {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// The kernels, compiled for one width of masks and one shape.
trait Kernels: Send {
    fn initialise(&mut self, key: Key, population: &mut Population);
    fn breed(&mut self, breed: &Breed, key: Key, old: &Population, new: &mut Population);
    fn evaluate(&mut self, population: &mut Population);
    fn elite(
        &mut self,
        elite: &Elite,
        key: Key,
        record: &Record,
        queue: &mut Queue,
        population: &mut Population,
    ) -> bool;
}

fn kernels_for(tables: &Tables, threads: usize) -> Box<dyn Kernels> {
    let (n, block_width) = (tables.size(), tables.block_width());
    let any = AnySize { n, block_width };
    match (n, block_width) {
        (9, 3) => Machine::<u16, _, 16>::boxed(tables, Fixed::<9, 3>, threads),
        (16, 4) => Machine::<u16, _, 16>::boxed(tables, Fixed::<16, 4>, threads),
        (25, 5) => Machine::<u32, _, 28>::boxed(tables, Fixed::<25, 5>, threads),
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
        let pieces = if threads == 1 {
            1
        } else {
            threads * PIECES_PER_THREAD
        };
        Box::new(Self {
            board: Board::new(tables, shape),
            tiles: (0..pieces).map(|_| Tile::new()).collect(),
        })
    }

    /// Calls `kernel` for every individual; it writes the cells and returns the fitness.
    fn each(
        &mut self,
        population: &mut Population,
        kernel: impl Fn(&Board<M, S, C>, &mut Tile<M, C>, u32, &mut [u8]) -> u32 + Sync,
    ) {
        let (board, pieces) = (&self.board, self.tiles.len());
        let cells_each = population.geometry().cells();
        let piece = population.len().div_ceil(pieces);
        let (stride, cells, fitness) = population.split_mut();
        let work = |at: usize, tile: &mut Tile<M, C>, cells: &mut [u8], fitness: &mut [u32]| {
            let individuals = cells.chunks_exact_mut(stride).zip(fitness);
            for (individual, (cells, fitness)) in (at * piece..).zip(individuals) {
                *fitness = kernel(board, tile, individual as u32, &mut cells[..cells_each]);
            }
        };
        if pieces == 1 {
            work(0, &mut self.tiles[0], cells, fitness);
        } else {
            self.tiles
                .par_iter_mut()
                .zip(cells.par_chunks_mut(piece * stride))
                .zip(fitness.par_chunks_mut(piece))
                .enumerate()
                .with_max_len(1)
                .for_each(|(at, ((tile, cells), fitness))| work(at, tile, cells, fitness));
        }
    }
}

impl<M: Mask, S: Shape, const C: usize> Kernels for Machine<M, S, C> {
    fn initialise(&mut self, key: Key, population: &mut Population) {
        self.each(population, |board, tile, individual, cells| {
            initialise::initialise(board, tile, key, individual, cells)
        });
    }

    fn breed(&mut self, breed: &Breed, key: Key, old: &Population, new: &mut Population) {
        self.each(new, |board, tile, individual, cells| {
            breed::breed(board, tile, breed, key, individual, old, cells)
        });
    }

    fn evaluate(&mut self, population: &mut Population) {
        self.each(population, |board, tile, _, cells| {
            evaluate::evaluate(board, tile, cells)
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
        let tile = &mut self.tiles[0];
        elite::elite(&self.board, tile, elite, key, record, queue, population)
    }
}
