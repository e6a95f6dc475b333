//! Breeding of rows and elite learning equal the model of LSGA, bit for bit.

use gpusudoku::operators::{Admits, BreedRows, Survivor};
use gpusudoku::plan::Plan;
use gpusudoku::problem::Puzzle;
use proptest::prelude::*;

use crate::common::*;
use crate::reference::rows::RowModel;
use crate::support::strategies::*;
use crate::support::*;

fn compare_with_model(puzzle: &Puzzle, plan: &Plan, pop: usize, seed: u64, generations: u32) {
    let mut engine = engine(puzzle, pop, seed, 2);
    let mut model = RowModel::new(puzzle, pop, seed);
    let mut record = initialise(&mut engine);
    let mut expected = model.survey();
    loop {
        let what = format!("{}, generation {}", puzzle.geometry(), model.generation);
        assert_eq!(record, expected, "{what}");
        assert_grids(
            &population(&mut engine),
            &model.individuals,
            &model.fitness,
            &what,
        );
        if record.solved() || model.generation == generations {
            break;
        }
        record = advance(&mut engine, plan, 1, 1)[0];
        expected = model.step(plan);
    }
}

proptest! {
    #![proptest_config(config(1000))]

    /// The fast code against the slow and obvious code, bit for bit.
    #[test]
    fn any_plan_equals_the_model(
        puzzle in puzzles(),
        plan in plans(),
        pop in 1usize..10,
        seed: u64,
    ) {
        compare_with_model(&puzzle, &plan, pop, seed, 3);
    }
}

#[test]
fn lsga_equals_the_model() {
    for (geometry, givens, pop, generations) in [
        (sudoku(2, 2), 0.1, 6, 3),
        (sudoku(2, 3), 0.2, 10, 5),
        (sudoku(3, 2), 0.2, 10, 5),
        (sudoku(3, 3), 0.3, 30, 6),
        (sudoku(2, 5), 0.2, 10, 3),
        (sudoku(3, 4), 0.3, 10, 3),
        (sudoku(4, 4), 0.4, 6, 3),
        (sudoku(5, 5), 0.5, 3, 3),
        (sudoku(6, 6), 0.6, 2, 2),
        (latin(7), 0.1, 10, 3),
        (latin(40), 0.6, 2, 2),
    ] {
        for seed in [1, 1 << 40] {
            let puzzle = puzzle(geometry, givens, seed);
            compare_with_model(&puzzle, &lsga(), pop, seed, generations);
        }
    }
}

/// Long enough for queues to fill and their oldest to leave.
#[test]
fn elite_learning_equals_the_model() {
    let breed = BreedRows {
        swap: rate(0.2),
        ..lsga_breed()
    };
    let weak = BreedRows {
        rounds: 0,
        survivor: Survivor::Child,
        ..breed
    };
    let puzzle = puzzle(sudoku(3, 3), 0.1, 48);
    for (size, admits) in [
        (1, Admits::Improvement),
        (3, Admits::EveryBest),
        (50, Admits::Improvement),
    ] {
        compare_with_model(&puzzle, &learning(weak, size, admits), 5, 49, 60);
    }
}
