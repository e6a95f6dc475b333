//! Native engines for any puzzle: at their start, after a generation, and up to a generation.

use gpusudoku::engine::{Backend, Engine};
use gpusudoku::operators::{BreedRows, Start};
use gpusudoku::plan::{Plan, Representation};
use gpusudoku::population::{Population, Record};
use gpusudoku::problem::Puzzle;

use crate::common::*;

/// Children are copies of their parents.
pub const IDLE: BreedRows = BreedRows::IDLE;

/// An engine for individuals that are rows.
pub fn engine(puzzle: &Puzzle, pop: usize, seed: u64, threads: usize) -> Engine {
    engine_of(puzzle, Representation::ROWS, pop, seed, threads)
}

/// The same for individuals of any kind.
pub fn engine_of(
    puzzle: &Puzzle,
    representation: Representation,
    pop: usize,
    seed: u64,
    threads: usize,
) -> Engine {
    try_engine_of(&Backend::Cpu { threads }, puzzle, representation, pop, seed).unwrap()
}

/// Generation 0 as a plan says.
pub fn begin(engine: &mut Engine, start: &Start) -> Record {
    pollster::block_on(engine.initialise(start)).unwrap()
}

/// An engine for rows with its initial population.
pub fn started(puzzle: &Puzzle, pop: usize, seed: u64) -> (Engine, Population) {
    started_of(puzzle, Representation::ROWS, pop, seed)
}

/// The same for individuals of any kind.
pub fn started_of(
    puzzle: &Puzzle,
    representation: Representation,
    pop: usize,
    seed: u64,
) -> (Engine, Population) {
    let mut engine = engine_of(puzzle, representation, pop, seed, 1);
    initialise(&mut engine);
    let population = population(&mut engine);
    (engine, population)
}

/// The populations before and after one generation.
pub fn one_generation(puzzle: &Puzzle, pop: usize, seed: u64, breed: BreedRows) -> [Population; 2] {
    let (mut engine, old) = started(puzzle, pop, seed);
    assert_eq!(advance(&mut engine, &breeding(breed), 1, 1).len(), 1);
    [old, population(&mut engine)]
}

/// Generations up to this one, or to the first solved one, in batches of at most so many. Unlike
/// [`advance`] it counts generations and not records, of which islands have one for an epoch.
pub fn advance_to(engine: &mut Engine, plan: &Plan, last: u32, batch: u32) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    let mut generation = 0;
    while generation < last {
        let wanted = batch.min(last - generation);
        let news = pollster::block_on(engine.advance(plan, wanted)).unwrap();
        let Some(record) = news.last() else { break };
        assert!(record.generation <= generation + wanted);
        generation = record.generation;
        let solved = record.solved();
        records.extend(news);
        if solved {
            break;
        }
    }
    records
}

/// One generation; its record and its population.
pub fn next_of(engine: &mut Engine, plan: &Plan) -> (Record, Population) {
    let records = advance(engine, plan, 1, 1);
    assert_eq!(records.len(), 1, "the run is over");
    (records[0], population(engine))
}
