//! The edges of runs: a population of one, puzzles with little or nothing left open, the first
//! solution, and a second start.

use gpusudoku::algo::{Settings, lsga as lsga_algorithm};
use gpusudoku::controller::run;
use gpusudoku::engine::Backend;
use gpusudoku::operators::{Admits, BreedRows};
use gpusudoku::population::Record;
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::verify::verify;
use gpusudoku::problem::{Grid, Problem, Puzzle};
use gpusudoku::rng::Rate;

use crate::common::*;
use crate::support::*;

#[test]
fn a_population_of_one() {
    let puzzle = puzzle(sudoku(3, 3), 0.3, 36);
    for plan in [lsga(), learning(IDLE, 1, Admits::EveryBest)] {
        let mut engine = engine(&puzzle, 1, 37, 1);
        initialise(&mut engine);
        let records = advance(&mut engine, &plan, 30, 30);
        for record in &records {
            assert_eq!((record.best_at, record.worst_at), (0, 0));
            assert_eq!(record.best, record.worst);
        }
        // With one individual, mate, rival and elite are itself.
        check_rows(&puzzle, &population(&mut engine)).unwrap();
    }
}

#[test]
fn a_full_grid_is_solved_at_once() {
    for geometry in [
        sudoku(2, 2),
        sudoku(3, 3),
        sudoku(4, 3),
        latin(5),
        latin(33),
    ] {
        let puzzle = puzzle(geometry, 1.0, 38);
        assert!(puzzle.givens().is_complete());
        let mut engine = engine(&puzzle, 5, 39, 2);
        let record = initialise(&mut engine);
        assert_eq!(advance(&mut engine, &lsga(), 9, 9), []);
        let population = population(&mut engine);
        assert_eq!(population.fitness(), [0; 5]);
        assert_eq!(record, survey(&Record::default(), &population));
        for individual in 0..5 {
            assert_eq!(&population.grid(individual).unwrap(), puzzle.givens());
        }
    }
}

#[test]
fn rows_with_one_free_cell_are_filled() {
    for geometry in [sudoku(2, 3), sudoku(3, 3), latin(7)] {
        let n = geometry.size();
        let solution = solution(geometry, 40);
        let mut cells = solution.clone();
        // One free cell in each row but the last, whose cells are all free.
        (0..n).for_each(|row| cells[row * n + row] = 0);
        cells[n * (n - 1)..].fill(0);
        let puzzle = Puzzle::new(Grid::new(geometry, cells).unwrap()).unwrap();
        let breed = BreedRows {
            swap: Rate::ALWAYS,
            reinitialise: rate(0.5),
            ..IDLE
        };
        let (_, old) = started(&puzzle, 3, 41);
        let [_, new] = one_generation(&puzzle, 3, 41, breed);
        for individual in 0..3 {
            for population in [&old, &new] {
                let grid = population.grid(individual).unwrap();
                assert_eq!(grid.cells()[..n * (n - 1)], solution[..n * (n - 1)]);
            }
        }
        assert!(old != new, "the last row moves");
    }
}

/// A run ends at its first solved generation, and stays there.
#[test]
fn a_run_stops_at_the_first_solution() {
    for (geometry, seed) in [(sudoku(2, 3), 42), (sudoku(3, 3), 43), (latin(7), 44)] {
        let n = geometry.size();
        // Two free cells in each of three rows: one state of eight, or a few more, is solved.
        let mut cells = solution(geometry, seed);
        for row in 0..3 {
            cells[row * n..][row..row + 2].fill(0);
        }
        let puzzle = Puzzle::new(Grid::new(geometry, cells).unwrap()).unwrap();
        let breed = BreedRows {
            swap: rate(0.3),
            ..IDLE
        };
        // The first seed whose generation 0 leaves something to do.
        let (mut engine, first) = (0..100)
            .map(|seed| started(&puzzle, 2, seed))
            .find(|(_, population)| !population.fitness().contains(&0))
            .unwrap();
        assert!(!first.fitness().contains(&0));
        let records = advance(&mut engine, &breeding(breed), 1000, 1000);
        let (last, before) = records.split_last().unwrap();
        assert!(last.solved(), "{geometry}");
        assert!(before.iter().all(|record| !record.solved()));
        assert!(
            (1..)
                .zip(&records)
                .all(|(g, record)| record.generation == g)
        );
        let solved = population(&mut engine);
        verify(&puzzle, &solved.grid(last.best_at as usize).unwrap()).unwrap();
        assert_eq!(advance(&mut engine, &breeding(breed), 5, 5), []);
        assert!(population(&mut engine) == solved, "{geometry}: it went on");
    }
}

/// Learning does not touch a generation that is solved.
#[test]
fn nobody_learns_in_a_solved_generation() {
    let puzzle = puzzle(sudoku(2, 3), 0.4, 45);
    let mut seen = 0;
    for seed in 0..10 {
        let (mut engine, old) = started(&puzzle, 8, seed);
        let records = advance(&mut engine, &lsga(), 200, 200);
        if let Some(last) = records.last() {
            assert!(last.solved() && !old.fitness().contains(&0));
            let population = population(&mut engine);
            assert_eq!(*last, survey(last, &population), "seed {seed}");
            seen += 1;
        }
    }
    assert!(seen > 3, "only {seen} runs were not solved at once");
}

#[test]
fn a_second_start_is_the_first() {
    let puzzle = puzzle(sudoku(3, 3), 0.3, 46);
    let mut engine = engine(&puzzle, 9, 47, 2);
    let mut run = || {
        let first = initialise(&mut engine);
        let records = advance(&mut engine, &lsga(), 12, 12);
        (first, records, population(&mut engine))
    };
    assert!(run() == run());
}

/// What a run reports as its best is the grid that it returns, also when learning had the last
/// word on it.
#[test]
fn the_reported_best_is_the_returned_grid() {
    let algorithm = Settings::new(&lsga_algorithm::INFO).build();
    for pop in [1, 2, 150] {
        for seed in 0..4 {
            let puzzle = puzzle(sudoku(3, 3), 0.2, 47);
            let backend = Backend::Cpu { threads: 1 };
            let config = config_of(&*algorithm, Level::None, pop, seed, 7, backend);
            let outcome =
                pollster::block_on(run(&Problem::from(puzzle.clone()), &config, &mut ())).unwrap();
            let digits: Vec<u8> = outcome
                .best
                .grid()
                .cells()
                .iter()
                .map(|digit| digit - 1)
                .collect();
            assert_eq!(outcome.best_fitness, faults(puzzle.geometry(), &digits));
            assert_eq!(outcome.solved, outcome.best_fitness == 0);
            let bred = 8 * pop as u64;
            let made = outcome.evaluations - bred;
            assert!(made <= 7, "one at the most is made anew in a generation");
            assert!(
                pop > 1 || made > 0,
                "who is alone learns from nobody better"
            );
        }
    }
}
