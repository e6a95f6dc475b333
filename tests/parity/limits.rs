//! The limits of a device and its driver: records in a submission, turns of a loop.

use gpusudoku::engine::gpu::MAX_BATCH;
use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::error::Error;
use gpusudoku::operators::{Admits, BreedRows};

use super::common::*;
use super::support::*;

/// A device keeps so many records; longer runs go on.
#[test]
fn more_generations_than_a_submission_holds() {
    if skipped() {
        return;
    }
    let swaps = BreedRows {
        swap: rate(0.2),
        ..BreedRows::IDLE
    };
    let puzzle = puzzle(sudoku(3, 3), 0.0, 91);
    let generations = MAX_BATCH + 77;
    let mut pair = Pair::new(&puzzle, 2, 92, Mapping::Thread, 1);
    pair.initialise();
    let plan = learning(swaps, 3, Admits::EveryBest);
    let solved = pair.advance(&plan, generations, (generations, generations), "swaps");
    assert!(!solved, "random walks do not solve an empty grid");
}

/// A driver may cut long loops short; then there is an error and never a wrong population.
#[test]
fn long_loops_run_or_are_reported() {
    if skipped() {
        return;
    }
    let breed = BreedRows {
        rounds: 1000,
        ..lsga_breed()
    };
    let plan = breeding(breed);
    let mut pair = Pair::new(&puzzle_of(sudoku(4, 4), 93), 5, 94, Mapping::Workgroup, 1);
    pair.initialise();
    match pollster::block_on(pair.gpu.advance(&plan, 3)) {
        Ok(records) => {
            assert_eq!(records, advance(&mut pair.cpu, &plan, 3, 3));
            pair.compare("a thousand rounds");
        }
        Err(Error::DeviceUnsupported { reason, .. }) => {
            assert!(reason.contains("cuts long loops short"), "{reason}");
            eprintln!("not run: {reason}");
            // The engine is still of use.
            pair.initialise();
            pair.advance(&lsga(), 2, (2, 2), "LSGA");
        }
        Err(error) => panic!("{error}"),
    }
}
