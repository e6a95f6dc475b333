//! Crossover: whose rows a child has, and how often.

use gpusudoku::operators::BreedRows;
use gpusudoku::rng::Rate;

use crate::common::*;
use crate::support::*;

#[test]
fn a_child_has_rows_of_its_parent_and_of_one_mate() {
    let breed = BreedRows {
        crossover: rate(0.8),
        crossover_row: rate(0.4),
        ..IDLE
    };
    for (geometry, pop) in [(sudoku(2, 3), 40), (sudoku(3, 3), 60), (latin(12), 30)] {
        let puzzle = puzzle(geometry, 0.2, 1);
        let [old, new] = one_generation(&puzzle, pop, 2, breed);
        let mut crossed = 0;
        for child in 0..pop {
            let (own, child) = (rows(&old, child), rows(&new, child));
            let has_mate = (0..pop).any(|mate| {
                let mate = rows(&old, mate);
                (0..child.len()).all(|row| child[row] == own[row] || child[row] == mate[row])
            });
            assert!(has_mate, "{geometry}: {child:?} has no two parents");
            crossed += usize::from(child != own);
        }
        assert!(crossed > pop / 3, "{geometry}: only {crossed} crossed");
    }
}

#[test]
fn crossover_strikes_as_often_as_it_says() {
    // In a blank grid two individuals hardly share a row, so every row taken shows.
    let (pop, n) = (20_000, 9);
    let [pc1, pc2] = [0.2, 0.1];
    let breed = BreedRows {
        crossover: rate(pc1),
        crossover_row: rate(pc2),
        ..IDLE
    };
    let puzzle = puzzle(sudoku(3, 3), 0.0, 3);
    let [old, new] = one_generation(&puzzle, pop, 4, breed);
    let taken: Vec<usize> = (0..pop)
        .map(|i| {
            let pairs = rows(&old, i).into_iter().zip(rows(&new, i));
            pairs.filter(|(old, new)| old != new).count()
        })
        .collect();
    let crossed = taken.iter().filter(|&&rows| rows > 0).count();
    let p = pc1 * (1.0 - (1.0 - pc2).powi(n));
    assert_share(crossed, pop, p, "individuals crossed");
    // Given one row taken, the others are taken on their own.
    let many = taken.iter().filter(|&&rows| rows > 1).count();
    let one = f64::from(n) * pc2 * (1.0 - pc2).powi(n - 1);
    assert_share(many, pop, p - pc1 * one, "individuals with two rows taken");
}

#[test]
fn mates_are_drawn_from_everybody() {
    let breed = BreedRows {
        crossover: Rate::ALWAYS,
        crossover_row: Rate::ALWAYS,
        ..IDLE
    };
    let pop = 50;
    let puzzle = puzzle(sudoku(3, 3), 0.0, 5);
    let mut counts = vec![0; pop];
    for seed in 0..40 {
        let [old, new] = one_generation(&puzzle, pop, seed, breed);
        for child in 0..pop {
            let mate = (0..pop).find(|&mate| old.cells(mate) == new.cells(child));
            counts[mate.expect("a copy of somebody")] += 1;
        }
    }
    assert_uniform(&counts, "mates");
}
