//! Local search: it swaps what the rule allows, mends only, and ends at rest.

use gpusudoku::operators::{BreedRows, Repeats};
use gpusudoku::problem::{Geometry, Puzzle};

use crate::common::*;
use crate::reference::rows::swappable;
use crate::support::*;

/// Every pair of units side by side, and every pair of their cells in one row.
fn swaps_left(puzzle: &Puzzle, grid: &[u8], repeats: Repeats, boxes: bool) -> usize {
    let n = puzzle.geometry().size();
    let units = units(puzzle.geometry(), boxes);
    let mut left = 0;
    for (at, a) in units.iter().enumerate() {
        for b in &units[at + 1..] {
            for &x in a {
                for &y in b.iter().filter(|&y| x / n == y / n) {
                    left += usize::from(swappable(puzzle, grid, repeats, (a, x), (b, y)));
                }
            }
        }
    }
    left
}

/// How many digits each column or box lacks.
fn missing(geometry: Geometry, boxes: bool, cells: &[u8]) -> Vec<usize> {
    let lacks = |unit: Vec<usize>| {
        let stands = |digit| unit.iter().any(|&cell| cells[cell] == digit);
        (0..geometry.size() as u8)
            .filter(|&digit| !stands(digit))
            .count()
    };
    units(geometry, boxes).into_iter().map(lacks).collect()
}

/// A search mends units of its family and breaks none, and leaves nothing to do for another.
#[test]
fn a_search_only_mends_and_ends_at_rest() {
    for (geometry, givens, pop) in [
        (sudoku(2, 2), 0.2, 40),
        (sudoku(2, 3), 0.2, 40),
        (sudoku(3, 2), 0.2, 40),
        (sudoku(3, 3), 0.3, 60),
        (sudoku(3, 4), 0.2, 30),
        (sudoku(4, 4), 0.4, 20),
        (sudoku(5, 5), 0.4, 4),
        (latin(9), 0.1, 30),
        (latin(33), 0.5, 3),
    ] {
        for repeats in [Repeats::Every, Repeats::Later] {
            for boxes in [false, true] {
                if boxes && geometry.boxes().is_none() {
                    continue;
                }
                let what = format!("{geometry}, {repeats:?}, boxes: {boxes}");
                let breed = BreedRows {
                    column_search: !boxes,
                    block_search: boxes,
                    rounds: 1,
                    repeats,
                    ..IDLE
                };
                let puzzle = puzzle(geometry, givens, 22);
                let (mut engine, old) = started(&puzzle, pop, 23);
                advance(&mut engine, &breeding(breed), 1, 1);
                let new = population(&mut engine);
                let mut mended = 0;
                for individual in 0..pop {
                    let was = missing(geometry, boxes, old.cells(individual));
                    let is = missing(geometry, boxes, new.cells(individual));
                    for (was, is) in was.into_iter().zip(is) {
                        assert!(is <= was, "{what}: a unit lost a digit");
                        mended += was - is;
                    }
                    let left = swaps_left(&puzzle, new.cells(individual), repeats, boxes);
                    assert_eq!(left, 0, "{what}: individual {individual} could go on");
                }
                assert!(mended > 0, "{what}: nothing to do");
                let still = BreedRows { rounds: 9, ..breed };
                advance(&mut engine, &breeding(still), 2, 2);
                assert!(population(&mut engine) == new, "{what}: it went on");
            }
        }
    }
}

/// A search with few partners never swaps what the rule does not allow: it, too, only mends.
#[test]
fn a_search_with_one_partner_only_mends() {
    for boxes in [false, true] {
        let breed = BreedRows {
            column_search: !boxes,
            block_search: boxes,
            rounds: 1,
            partners: 1,
            ..IDLE
        };
        let (geometry, pop) = (sudoku(3, 3), 100);
        let puzzle = puzzle(geometry, 0.3, 24);
        let [old, new] = one_generation(&puzzle, pop, 25, breed);
        let mut left = 0;
        for individual in 0..pop {
            let was = missing(geometry, boxes, old.cells(individual));
            let is = missing(geometry, boxes, new.cells(individual));
            assert!(is.iter().zip(&was).all(|(is, was)| is <= was), "one broke");
            left += swaps_left(&puzzle, new.cells(individual), Repeats::Every, boxes);
        }
        assert!(old != new, "it swapped something");
        // Three boxes side by side, each paired with the next, are all the pairs there are.
        assert_eq!(left > 0, !boxes, "pairs are left, but not of boxes");
    }
}
