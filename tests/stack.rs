//! The largest grids on a thread of usual size. A file of its own: overflowing a stack ends the
//! whole process.

mod common;

use common::*;
use gpusudoku::engine::Backend;

/// Rust gives its threads 2 MiB, tests and thread pools included.
#[test]
fn the_largest_grids_run_on_two_mebibytes_of_stack() {
    for geometry in [sudoku(8, 8), latin(64), latin(65), latin(70), latin(128)] {
        for threads in [1, 2] {
            let run = move || {
                let puzzle = puzzle(geometry, 0.5, 1);
                let backend = Backend::Cpu { threads };
                let mut engine = try_engine(&backend, &puzzle, 3, 1).unwrap();
                initialise(&mut engine);
                advance(&mut engine, &lsga(), 2, 2);
                let population = population(&mut engine);
                for (individual, &fitness) in population.fitness().iter().enumerate() {
                    assert_eq!(fitness, faults(geometry, population.cells(individual)));
                }
            };
            eprintln!("{geometry}, {threads} threads");
            std::thread::Builder::new()
                .stack_size(2 << 20)
                .spawn(run)
                .unwrap()
                .join()
                .unwrap();
        }
    }
}
