//! Puzzles, plans, engines and configurations for all test programs, and naive counts of fitness and digits.
//!
//! Every test program compiles this for itself and uses a part of it.

#![allow(dead_code)]

use std::collections::{BTreeMap, HashSet};

use gpusudoku::algo::{Algorithm, Settings, lsga as lsga_algorithm};
use gpusudoku::controller::{Budget, Config};
use gpusudoku::engine::{Backend, Engine, Setup};
use gpusudoku::error::Error;
use gpusudoku::observation::DigitBalance;
use gpusudoku::operators::{Admits, BreedRows, Elite, Start, Variation};
use gpusudoku::plan::{Learn, Plan, Representation};
use gpusudoku::population::{Population, Record};
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{Form, Geometry, Grid, Instance, Puzzle, Reduction};
use gpusudoku::rng::{Rate, Stream};
use rand::RngExt;
use rand::seq::SliceRandom;

/// A Sudoku with boxes of this shape.
pub fn sudoku(rows: usize, cols: usize) -> Geometry {
    Geometry::sudoku(rows, cols).unwrap()
}

/// A Latin square.
pub fn latin(size: usize) -> Geometry {
    Geometry::latin(size).unwrap()
}

/// A probability.
pub fn rate(p: f64) -> Rate {
    Rate::new(p).unwrap()
}

/// A solved grid, digits from one: the shifted pattern with rows and digits shuffled.
pub fn solution(geometry: Geometry, seed: u64) -> Vec<u8> {
    let n = geometry.size();
    let mut rng = Stream::new(seed, 1);
    let mut digits: Vec<u8> = (1..=n as u8).collect();
    digits.shuffle(&mut rng);
    let (band, width) = geometry.boxes().map_or((n, 1), |b| (b.rows, b.cols));
    let mut rows: Vec<usize> = (0..n).collect();
    for band in rows.chunks_mut(band) {
        band.shuffle(&mut rng);
    }
    let mut cells = Vec::new();
    for row in rows {
        for col in 0..n {
            cells.push(digits[(row % band * width + row / band + col) % n]);
        }
    }
    cells
}

/// A puzzle with about this share of the cells of a solved grid given.
pub fn puzzle(geometry: Geometry, givens: f64, seed: u64) -> Puzzle {
    let mut rng = Stream::new(seed, 2);
    let mut cells = solution(geometry, seed);
    for cell in &mut cells {
        if !rng.random_bool(givens) {
            *cell = 0;
        }
    }
    Puzzle::new(Grid::new(geometry, cells).unwrap()).unwrap()
}

/// A 4x4 puzzle without a solution, which large populations would find at once. Every cell has a
/// candidate and every digit a place, so that it does not show without a conclusion.
pub fn unsolvable() -> Puzzle {
    let cells = vec![0, 1, 0, 0, 0, 3, 4, 0, 0, 0, 1, 3, 0, 0, 0, 0];
    let puzzle = Puzzle::new(Grid::new(sudoku(2, 2), cells).unwrap()).unwrap();
    assert!(Reduction::new(&puzzle, Level::Singles).is_err());
    puzzle
}

/// Four pairs of cells that have one candidate each, the same one; all others are never in conflict.
/// Nobody can move, though every cell has a candidate and every digit a place.
pub fn stuck() -> Puzzle {
    let cells = vec![0, 0, 0, 4, 0, 0, 1, 0, 2, 3, 0, 0, 3, 2, 0, 0];
    Puzzle::new(Grid::new(latin(4), cells).unwrap()).unwrap()
}

/// A Latin square of order 8 with this in one corner. The opposite corner is blank and soon done, and
/// then nobody can move.
pub fn soon_stuck() -> Puzzle {
    let corner = stuck();
    let mut cells = vec![0; 64];
    for row in 0..4 {
        for col in 0..4 {
            let other = 5 + (row + col) as u8 % 4;
            cells[row * 8 + col] = corner.givens().at(row, col);
            cells[row * 8 + col + 4] = other;
            cells[(row + 4) * 8 + col] = other;
        }
    }
    Puzzle::new(Grid::new(latin(8), cells).unwrap()).unwrap()
}

/// Breeding and nothing else.
pub fn breeding(breed: BreedRows) -> Plan {
    Plan {
        vary: Variation::BreedRows(breed),
        learn: None,
        target_fitness: 0,
    }
}

/// Breeding, then elite learning.
pub fn learning(breed: BreedRows, size: u32, admits: Admits) -> Plan {
    Plan {
        vary: Variation::BreedRows(breed),
        learn: Some(Learn::Elite(Elite { size, admits })),
        target_fitness: 0,
    }
}

/// LSGA as published.
pub fn lsga() -> Plan {
    lsga_algorithm::Lsga::new(&Settings::new(&lsga_algorithm::INFO)).plan()
}

/// The operators of LSGA as published.
pub fn lsga_breed() -> BreedRows {
    match lsga().vary {
        Variation::BreedRows(breed) => breed,
        other => panic!("LSGA breeds, it does not {other:?}"),
    }
}

/// The columns, or the boxes in their order, as lists of cells in reading order.
pub fn units(geometry: Geometry, boxes: bool) -> Vec<Vec<usize>> {
    let n = geometry.size();
    let mut units: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for cell in 0..n * n {
        let (row, col) = (cell / n, cell % n);
        let name = match (boxes, geometry.boxes()) {
            (false, _) => (0, col),
            (true, Some(shape)) => (row / shape.rows, col / shape.cols),
            (true, None) => continue,
        };
        units.entry(name).or_default().push(cell);
    }
    units.into_values().collect()
}

/// The columns or boxes that lack a digit.
pub fn illegal(geometry: Geometry, boxes: bool, cells: &[u8]) -> Vec<usize> {
    let units = units(geometry, boxes);
    (0..units.len())
        .filter(|&unit| {
            let digits: HashSet<u8> = units[unit].iter().map(|&cell| cells[cell]).collect();
            digits.len() < geometry.size()
        })
        .collect()
}

/// Illegal columns and illegal boxes, counted anew.
pub fn faults(geometry: Geometry, cells: &[u8]) -> u32 {
    (illegal(geometry, false, cells).len() + illegal(geometry, true, cells).len()) as u32
}

/// An engine for a puzzle as it is, whose individuals are of this kind.
pub fn try_engine_of(
    backend: &Backend,
    puzzle: &Puzzle,
    representation: Representation,
    pop: usize,
    seed: u64,
) -> Result<Engine, Error> {
    let instance = Instance::from(Reduction::new(puzzle, Level::None)?);
    try_engine_on(backend, &instance, representation, pop, seed)
}

/// An engine for what is left of a problem.
pub fn try_engine_on(
    backend: &Backend,
    instance: &Instance,
    representation: Representation,
    pop: usize,
    seed: u64,
) -> Result<Engine, Error> {
    let setup = Setup {
        instance,
        representation,
        pop,
        seed,
        // Always measured, as it must not change anything else, but for boards on which it would
        // take longer than all the rest.
        diversity: !matches!(instance.form(), Form::Placement(1000..)),
    };
    pollster::block_on(Engine::new(backend, &setup))
}

/// The same for rows.
pub fn try_engine(
    backend: &Backend,
    puzzle: &Puzzle,
    pop: usize,
    seed: u64,
) -> Result<Engine, Error> {
    try_engine_of(backend, puzzle, Representation::ROWS, pop, seed)
}

/// Generation 0.
pub fn initialise(engine: &mut Engine) -> Record {
    pollster::block_on(engine.initialise(&Start::Fresh)).unwrap()
}

/// So many generations, or all to the first solved one, in batches of at most `batch`.
pub fn try_advance(
    engine: &mut Engine,
    plan: &Plan,
    generations: u32,
    batch: u32,
) -> Result<Vec<Record>, Error> {
    let mut records = Vec::new();
    while (records.len() as u32) < generations && !records.last().is_some_and(Record::solved) {
        let wanted = batch.min(generations - records.len() as u32);
        let news = pollster::block_on(engine.advance(plan, wanted))?;
        assert!(news.len() as u32 <= wanted, "more generations than wanted");
        // A run that was solved before has nothing to add.
        if news.is_empty() {
            break;
        }
        records.extend(news);
    }
    Ok(records)
}

/// The same from an engine that does not fail.
pub fn advance(engine: &mut Engine, plan: &Plan, generations: u32, batch: u32) -> Vec<Record> {
    try_advance(engine, plan, generations, batch).unwrap()
}

/// A copy of the current population.
pub fn population(engine: &mut Engine) -> Population {
    pollster::block_on(engine.population())
        .unwrap()
        .into_owned()
}

/// A run that ends after so many generations at the latest, whatever it takes.
pub fn config_of<'a>(
    algorithm: &'a dyn Algorithm,
    propagate: Level,
    pop: usize,
    seed: u64,
    max_generations: u32,
    backend: Backend,
) -> Config<'a> {
    Config {
        algorithm,
        propagate,
        pop,
        seed,
        budget: Budget {
            max_generations,
            max_evaluations: None,
            time_limit: None,
        },
        backend,
    }
}

/// For each cell and digit, how many of the best have it there, less how many of the worst: everybody is sorted, the
/// lower of equals first, and looked at digit by digit.
pub fn naive_balance(population: &Population, best: usize, worst: usize) -> Vec<Vec<i32>> {
    let pop = population.len();
    let mut order: Vec<usize> = (0..pop).collect();
    order.sort_by_key(|&one| (population.fitness()[one], one));
    let good = &order[..best.min(pop)];
    let bad = &order[pop - worst.min(pop)..];
    let holders = |some: &[usize], cell: usize, digit: usize| {
        let holds = |one: &&usize| usize::from(population.cells(**one)[cell]) == digit;
        some.iter().filter(holds).count() as i32
    };
    let balance = |cell, digit| holders(good, cell, digit) - holders(bad, cell, digit);
    let (cells, digits) = (population.form().cells(), population.form().values());
    (0..cells)
        .map(|cell| (0..digits).map(|digit| balance(cell, digit)).collect())
        .collect()
}

/// Compares counts of digits with what is seen in the population.
pub fn assert_balance(
    balance: &DigitBalance,
    population: &Population,
    [best, worst]: [usize; 2],
    what: &str,
) {
    let expected = naive_balance(population, best, worst);
    for (cell, expected) in expected.iter().enumerate() {
        let found = balance.of_cell(cell);
        assert_eq!(found, expected, "{what}: cell {cell}, {best} and {worst}");
    }
    let (_, first) = population.best().unwrap();
    assert_eq!(balance.best(), population.cells(first), "{what}: the best");
}
