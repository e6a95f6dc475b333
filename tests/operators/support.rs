//! Engines at their start and after a generation, statistics of what they did, and the checks
//! that hold for every population.

use gpusudoku::engine::{Backend, Engine};
use gpusudoku::operators::BreedRows;
use gpusudoku::population::{Population, Record};
use gpusudoku::problem::Puzzle;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::common::*;

pub const IDLE: BreedRows = BreedRows::IDLE;

pub fn engine(puzzle: &Puzzle, pop: usize, seed: u64, threads: usize) -> Engine {
    try_engine(&Backend::Cpu { threads }, puzzle, pop, seed).unwrap()
}

/// An engine with its initial population.
pub fn started(puzzle: &Puzzle, pop: usize, seed: u64) -> (Engine, Population) {
    let mut engine = engine(puzzle, pop, seed, 1);
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

pub fn rows(population: &Population, individual: usize) -> Vec<&[u8]> {
    let n = population.form().values();
    population.cells(individual).chunks(n).collect()
}

pub fn free_columns(puzzle: &Puzzle, row: usize) -> Vec<usize> {
    let n = puzzle.geometry().size();
    (0..n)
        .filter(|&col| puzzle.givens().at(row, col) == 0)
        .collect()
}

/// The columns in which two rows differ.
pub fn changed(old: &[u8], new: &[u8]) -> Vec<usize> {
    (0..old.len()).filter(|&col| old[col] != new[col]).collect()
}

/// Whether a count is what so many coins of this probability give.
pub fn assert_share(hits: usize, trials: usize, p: f64, what: &str) {
    let (expected, variance) = (trials as f64 * p, trials as f64 * p * (1.0 - p));
    assert!(
        (hits as f64 - expected).abs() <= 5.0 * variance.sqrt(),
        "{what}: {hits} of {trials}, expected {expected:.1}"
    );
}

/// Whether counts are what equal shares give: chi-square, 5 standard deviations.
pub fn assert_uniform(counts: &[usize], what: &str) {
    let total: usize = counts.iter().sum();
    let expected = total as f64 / counts.len() as f64;
    assert!(expected >= 20.0, "{what}: too few for chi-square");
    let chi2: f64 = counts
        .iter()
        .map(|&count| (count as f64 - expected).powi(2) / expected)
        .sum();
    let freedom = (counts.len() - 1) as f64;
    assert!(
        chi2 <= freedom + 5.0 * (2.0 * freedom).sqrt(),
        "{what}: chi-square {chi2:.1} with {freedom} degrees of freedom, {counts:?}"
    );
}

/// Rows are permutations, givens stand, fitness is what a recount says, padding is zero.
pub fn check_sound(puzzle: &Puzzle, population: &Population) -> Result<(), TestCaseError> {
    let geometry = puzzle.geometry();
    let n = geometry.size();
    for individual in 0..population.len() {
        for (row, digits) in rows(population, individual).into_iter().enumerate() {
            let mut sorted = digits.to_vec();
            sorted.sort_unstable();
            prop_assert!(
                sorted.iter().copied().eq(0..n as u8),
                "individual {individual}, row {row} is {digits:?}"
            );
            for (col, &digit) in digits.iter().enumerate() {
                let given = puzzle.givens().at(row, col);
                prop_assert!(
                    given == 0 || given == digit + 1,
                    "individual {individual}: the given at {row}, {col} moved"
                );
            }
        }
        prop_assert_eq!(
            population.fitness()[individual],
            faults(geometry, population.cells(individual))
        );
    }
    let words = population.words().len() / population.len();
    let padding = 4 * words - n * n;
    for last in population.words().chunks(words).map(|w| w[words - 1]) {
        let bytes = last.to_le_bytes();
        prop_assert!(bytes[4 - padding..].iter().all(|&byte| byte == 0));
    }
    Ok(())
}

/// The survey, done slowly. What only the engine knows is taken from its own record.
pub fn survey(known: &Record, population: &Population) -> Record {
    let cells: Vec<&[u8]> = (0..population.len()).map(|i| population.cells(i)).collect();
    survey_of(known, population.fitness(), &cells)
}

/// The same for cells and fitness.
pub fn survey_of(known: &Record, fitness: &[u32], cells: &[&[u8]]) -> Record {
    let best = *fitness.iter().min().unwrap();
    let worst = *fitness.iter().max().unwrap();
    let first = |value| fitness.iter().position(|&f| f == value).unwrap() as u32;
    let sum: u64 = fitness.iter().map(|&f| u64::from(f)).sum();
    let mut differences = 0u64;
    for (at, one) in cells.iter().enumerate() {
        for two in &cells[..at] {
            differences += one.iter().zip(*two).filter(|(x, y)| x != y).count() as u64;
        }
    }
    // Nobody has faults: the worst is nobody in particular, the first.
    Record {
        generation: known.generation,
        best,
        best_at: first(best),
        worst,
        worst_at: first(worst),
        sum_low: sum as u32,
        sum_high: (sum >> 32) as u32,
        reinitialised: known.reinitialised,
        swaps_low: known.swaps_low,
        swaps_high: known.swaps_high,
        differences_low: differences as u32,
        differences_high: (differences >> 32) as u32,
        goal: known.goal,
    }
}
