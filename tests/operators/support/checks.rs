//! What holds for every population: encodings keep their promises, givens stand, fitness is what a
//! recount says, and padding is zero.

use gpusudoku::plan::{Domain, Encoding, Representation};
use gpusudoku::population::Population;
use gpusudoku::problem::Puzzle;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::fitness::*;
use super::populations::*;
use super::units::*;
use crate::common::*;

/// Rows are permutations, givens stand, fitness is what a recount says, padding is zero.
pub fn check_rows(puzzle: &Puzzle, population: &Population) -> Result<(), TestCaseError> {
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
    check_padding(population)
}

/// Givens stand, what the encoding promises holds, fitness is what a recount says, padding is zero.
pub fn check_encoding(
    puzzle: &Puzzle,
    representation: Representation,
    population: &Population,
) -> Result<(), TestCaseError> {
    let geometry = puzzle.geometry();
    let segments = match representation.encoding {
        Encoding::Rows => row_units(geometry),
        Encoding::Blocks => blocks(geometry),
        Encoding::Cells(_) | Encoding::PartialCells | Encoding::Placement => Vec::new(),
    };
    let domain = match representation.encoding {
        Encoding::Cells(domain) => domain,
        _ => Domain::Any,
    };
    let domains = domains_of(puzzle, domain);
    let recount = FitnessRecount::new(geometry);
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
        prop_assert_eq!(fitness, recount.fitness(representation.objective, cells));
    }
    check_padding(population)
}

/// What fills up the last word of each grid is zero.
pub fn check_padding(population: &Population) -> Result<(), TestCaseError> {
    for individual in 0..population.len() {
        let cells = population.cells(individual).len();
        let bytes: &[u8] = bytemuck::cast_slice(population.words_at(individual));
        prop_assert!(bytes[cells..].iter().all(|&byte| byte == 0));
    }
    Ok(())
}

/// Whether an engine has the grids of a model and their fitness.
pub fn assert_grids(population: &Population, grids: &[Vec<u8>], fitness: &[u32], what: &str) {
    for (individual, grid) in grids.iter().enumerate() {
        assert_eq!(
            population.cells(individual),
            grid,
            "{what}: individual {individual}, engine and model"
        );
    }
    assert_eq!(population.fitness(), fitness, "{what}: fitness");
}
