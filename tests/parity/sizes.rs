//! Sizes: the edges of masks, large populations, and puzzles with hardly a free cell.

use gpusudoku::engine::Engine;
use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::operators::{Admits, BreedRows, Survivor};
use gpusudoku::problem::{Grid, Puzzle};

use super::common::*;
use super::support::*;

/// Sizes at which the width of masks changes, and the largest of all.
#[test]
fn the_edges_of_masks() {
    if skipped() {
        return;
    }
    // One round: the software driver's limit again.
    let breed = BreedRows {
        rounds: 1,
        ..lsga_breed()
    };
    let plan = learning(breed, 1, Admits::Improvement);
    for (geometry, pop) in [
        (latin(32), 3),
        (latin(33), 3),
        (sudoku(4, 8), 3),
        (sudoku(8, 8), 2),
        (latin(64), 1),
        (latin(65), 1),
        (latin(128), 1),
    ] {
        let mut pair = Pair::new(&puzzle_of(geometry, 41), pop, 42, Mapping::Workgroup, 2);
        pair.initialise();
        pair.advance(&plan, 2, (2, 2), "LSGA");
    }
}

#[test]
fn large_populations() {
    if skipped() {
        return;
    }
    // Software adapters take their time: more givens, fewer rounds and individuals for larger grids.
    for (geometry, pop, givens, rounds, mapping, generations, threads) in [
        (sudoku(3, 3), 4096, 0.3, 5, Mapping::Thread, 8, 2),
        (sudoku(3, 3), 4096, 0.3, 5, Mapping::Workgroup, 2, 5),
        (sudoku(4, 4), 1024, 0.5, 5, Mapping::Workgroup, 3, 2),
        (sudoku(4, 4), 1000, 0.3, 5, Mapping::Thread, 5, 2),
        (sudoku(5, 5), 500, 0.4, 5, Mapping::Thread, 4, 2),
        // As many turns of loops as a thread ever needs where software adapters have one for each.
        (sudoku(5, 5), 200, 0.0, 5, Mapping::Thread, 2, 1),
        (sudoku(5, 5), 1024, 0.6, 2, Mapping::Workgroup, 1, 1),
        (sudoku(6, 6), 512, 0.7, 1, Mapping::Workgroup, 1, 2),
    ] {
        let breed = BreedRows {
            rounds,
            ..lsga_breed()
        };
        let plan = learning(breed, 50, Admits::Improvement);
        let puzzle = puzzle(geometry, givens, 61);
        let mut pair = Pair::new(&puzzle, pop, 62, mapping, threads);
        pair.initialise();
        pair.advance(&plan, generations, (generations, generations), "LSGA");
    }
}

/// Puzzles without a free cell, with one a row, and with two in a single row.
#[test]
fn almost_complete_puzzles() {
    if skipped() {
        return;
    }
    for (geometry, mapping) in [
        (sudoku(2, 2), Mapping::Thread),
        (sudoku(3, 3), Mapping::Workgroup),
        (sudoku(5, 5), Mapping::Thread),
        (sudoku(5, 5), Mapping::Workgroup),
        (latin(70), Mapping::Workgroup),
    ] {
        let n = geometry.size();
        let solution = solution(geometry, 131);
        for free in [0, n, 2] {
            let mut cells = solution.clone();
            match free {
                0 => {}
                2 => cells[..2].fill(0),
                _ => (0..n).for_each(|row| cells[row * n + row] = 0),
            }
            let puzzle = Puzzle::new(Grid::new(geometry, cells).unwrap()).unwrap();
            let mut pair = Pair::new(&puzzle, 3, 132, mapping, 2);
            let first = pair.initialise();
            if free != 2 {
                assert!(first.solved(), "{}: nothing is left open", pair.name);
            }
            if !first.solved() {
                let swaps = BreedRows {
                    swap: rate(0.5),
                    ..BreedRows::IDLE
                };
                let solved = pair.advance(&breeding(swaps), 50, (7, 3), "swaps");
                assert!(solved, "{}: there are two states", pair.name);
            }
        }
    }
}

/// More workgroups than a dimension of a dispatch holds, and more individuals than a dispatch
/// takes on: folded, and in chunks.
#[test]
fn populations_that_are_folded_and_cut_up() {
    if skipped() {
        return;
    }
    let plan = learning(
        BreedRows {
            swap: rate(0.3),
            survivor: Survivor::Tournament(2),
            ..BreedRows::IDLE
        },
        3,
        Admits::Improvement,
    );
    for (puzzle, pop, mapping) in [
        (unsolvable(), 65_537, Mapping::Workgroup),
        (unsolvable(), 131_073, Mapping::Thread),
        (puzzle(sudoku(8, 8), 0.9, 141), 1_025, Mapping::Workgroup),
    ] {
        let mut pair = Pair::new(&puzzle, pop, 142, mapping, 2);
        pair.initialise();
        let solved = pair.advance(&plan, 2, (2, 1), "swaps");
        assert!(!solved, "{}: nothing was to be solved", pair.name);
    }
}

/// Two populations of packed cells and fitness, and nothing else that grows with them.
#[test]
fn memory_per_individual_is_bounded() {
    if skipped() {
        return;
    }
    for (geometry, mapping) in [
        (sudoku(3, 3), Mapping::Thread),
        (sudoku(5, 5), Mapping::Workgroup),
    ] {
        let pair = Pair::new(&puzzle_of(geometry, 151), 64, 152, mapping, 1);
        let Engine::Gpu(gpu) = &pair.gpu else {
            panic!("the GPU engine was asked for")
        };
        let cells = geometry.cells().next_multiple_of(4);
        assert!(gpu.bytes_per_individual() >= 2 * cells);
        assert!(gpu.bytes_per_individual() <= 2 * cells + 64);
    }
}
