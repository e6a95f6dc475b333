//! What an individual has to be and what its fitness is, counted the slow way for every encoding
//! and objective; and engines for individuals of every kind.

use gpusudoku::engine::{Backend, Engine};
use gpusudoku::operators::Start;
use gpusudoku::plan::{Domain, Encoding, Objective, Plan, Representation};
use gpusudoku::population::{Population, Record};
use gpusudoku::problem::{Geometry, Puzzle};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::common::*;

/// Cells with digits of these domains, judged like that.
pub fn cells(domain: Domain, objective: Objective) -> Representation {
    Representation {
        encoding: Encoding::Cells(domain),
        objective,
    }
}

/// The rows as lists of cells.
pub fn row_units(geometry: Geometry) -> Vec<Vec<usize>> {
    let n = geometry.size();
    (0..n)
        .map(|row| (row * n..(row + 1) * n).collect())
        .collect()
}

/// Rows, columns and boxes.
pub fn all_units(geometry: Geometry) -> Vec<Vec<usize>> {
    [
        row_units(geometry),
        units(geometry, false),
        units(geometry, true),
    ]
    .concat()
}

/// The sub-blocks, which are the rows of a Latin square.
pub fn blocks(geometry: Geometry) -> Vec<Vec<usize>> {
    match geometry.boxes() {
        Some(_) => units(geometry, true),
        None => row_units(geometry),
    }
}

/// The free cells of a list, in its order.
pub fn free_of(puzzle: &Puzzle, cells: &[usize]) -> Vec<usize> {
    let givens = puzzle.givens().cells();
    let free = cells.iter().copied().filter(|&cell| givens[cell] == 0);
    free.collect()
}

/// How many digits of a unit are missing.
pub fn missing_in(unit: &[usize], cells: &[u8]) -> u32 {
    let mut there = [false; 128];
    unit.iter()
        .for_each(|&cell| there[usize::from(cells[cell])] = true);
    (unit.len() - there.iter().filter(|&&there| there).count()) as u32
}

/// Who counts over all units, whatever the encoding promises.
pub struct Judge {
    units: Vec<Vec<usize>>,
    geometry: Geometry,
    right: u32,
}

impl Judge {
    pub fn new(geometry: Geometry) -> Self {
        let n = geometry.size() as u32;
        Self {
            units: all_units(geometry),
            geometry,
            right: n * (n + 1) / 2,
        }
    }

    /// Z of FPCHS eq. 1.
    pub fn deviation(&self, cells: &[u8]) -> u32 {
        let sums = self.units.iter().map(|unit| {
            let digits = unit.iter().map(|&cell| u32::from(cells[cell]) + 1);
            digits.sum::<u32>()
        });
        sums.map(|sum| sum.abs_diff(self.right)).sum()
    }

    /// Pairs of cells that hold the same digit and share a row, a column or a box.
    pub fn conflicts(&self, cells: &[u8]) -> u32 {
        let n = self.geometry.size();
        let mut pairs = 0;
        for one in 0..cells.len() {
            for two in one + 1..cells.len() {
                let [[row, col], [other_row, other_col]] =
                    [one, two].map(|cell| [cell / n, cell % n]);
                let boxed = self.geometry.boxes().is_some_and(|shape| {
                    row / shape.rows == other_row / shape.rows
                        && col / shape.cols == other_col / shape.cols
                });
                let share = row == other_row || col == other_col || boxed;
                pairs += u32::from(share && cells[one] == cells[two]);
            }
        }
        pairs
    }

    pub fn fitness(&self, objective: Objective, cells: &[u8]) -> u32 {
        let missing = self.units.iter().map(|unit| missing_in(unit, cells));
        let illegal = missing.clone().filter(|&missing| missing > 0).count() as u32;
        match objective {
            Objective::IllegalUnits => illegal,
            Objective::MissingDigits => missing.sum(),
            Objective::SumDeviation => match self.deviation(cells) {
                0 if illegal > 0 => 1,
                z => z,
            },
            Objective::Conflicts => self.conflicts(cells),
            other => panic!("{other:?} is counted by lines"),
        }
    }
}

/// For each cell the digits from zero that it can hold, ascending.
pub fn domains_of(puzzle: &Puzzle, domain: Domain) -> Vec<Vec<u8>> {
    let (geometry, givens) = (puzzle.geometry(), puzzle.givens().cells());
    let mut domains = vec![(0..geometry.size() as u8).collect::<Vec<u8>>(); geometry.cells()];
    if domain == Domain::Candidates {
        for unit in all_units(geometry) {
            for &cell in &unit {
                domains[cell].retain(|digit| unit.iter().all(|&peer| givens[peer] != digit + 1));
            }
        }
    }
    for (domain, &given) in domains
        .iter_mut()
        .zip(givens)
        .filter(|(_, given)| **given != 0)
    {
        *domain = vec![given - 1];
    }
    domains
}

/// Givens stand, what the encoding promises holds, fitness is what a recount says, padding is zero.
pub fn check_kind(
    puzzle: &Puzzle,
    representation: Representation,
    population: &Population,
) -> Result<(), TestCaseError> {
    let geometry = puzzle.geometry();
    let n = geometry.size();
    let segments = match representation.encoding {
        Encoding::Rows => row_units(geometry),
        Encoding::Blocks => blocks(geometry),
        Encoding::Cells(_) | Encoding::Placement => Vec::new(),
    };
    let domain = match representation.encoding {
        Encoding::Cells(domain) => domain,
        _ => Domain::Any,
    };
    let domains = domains_of(puzzle, domain);
    let judge = Judge::new(geometry);
    for (individual, &fitness) in population.fitness().iter().enumerate() {
        let cells = population.cells(individual);
        for (cell, digit) in cells.iter().enumerate() {
            prop_assert!(
                domains[cell].contains(digit),
                "individual {individual} has {digit} in cell {cell}, not of {:?}",
                domains[cell]
            );
        }
        for segment in &segments {
            prop_assert_eq!(
                missing_in(segment, cells),
                0,
                "no permutation: {:?}",
                segment
            );
        }
        prop_assert_eq!(fitness, judge.fitness(representation.objective, cells));
    }
    let words = population.words().len() / population.len();
    let padding = 4 * words - n * n;
    for last in population.words().chunks(words).map(|w| w[words - 1]) {
        let bytes = last.to_le_bytes();
        prop_assert!(bytes[4 - padding..].iter().all(|&byte| byte == 0));
    }
    Ok(())
}

/// A native engine for individuals of any kind.
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

/// An engine with its initial population.
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

/// A population of these grids with this fitness.
pub fn population_of(geometry: Geometry, grids: &[Vec<u8>], fitness: u32) -> Population {
    let mut population = Population::zeroed(geometry, grids.len());
    for (at, grid) in grids.iter().enumerate() {
        population.cells_mut(at).copy_from_slice(grid);
    }
    population.split_mut().2.fill(fitness);
    population
}

/// The grids of a population.
pub fn grids(population: &Population) -> Vec<Vec<u8>> {
    let grids = (0..population.len()).map(|i| population.cells(i).to_vec());
    grids.collect()
}

/// Whether counts are what these weights give: chi-square, 5 standard deviations.
pub fn assert_weights(counts: &[usize], weights: &[u32], what: &str) {
    let total: usize = counts.iter().sum();
    let sum: u32 = weights.iter().sum();
    let mut chi2 = 0.0;
    let mut freedom = -1.0;
    for (&count, &weight) in counts.iter().zip(weights) {
        if weight == 0 {
            assert_eq!(count, 0, "{what}: weight 0 was drawn");
            continue;
        }
        let expected = total as f64 * f64::from(weight) / f64::from(sum);
        assert!(expected >= 20.0, "{what}: too few for chi-square");
        chi2 += (count as f64 - expected).powi(2) / expected;
        freedom += 1.0;
    }
    assert!(
        chi2 <= freedom + 5.0 * (2.0 * f64::max(freedom, 1.0)).sqrt(),
        "{what}: chi-square {chi2:.1} with {freedom} degrees of freedom, {counts:?}"
    );
}
