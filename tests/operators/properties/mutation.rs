//! Mutation: swaps and re-initialised rows, where they strike and how often.

use std::collections::HashMap;

use gpusudoku::operators::{BreedRows, MutationUnit};
use gpusudoku::problem::{Grid, Puzzle};
use gpusudoku::rng::Rate;

use crate::common::*;
use crate::support::*;

#[test]
fn a_swap_exchanges_two_free_cells() {
    for mutation in [MutationUnit::Each, MutationUnit::Individual] {
        let breed = BreedRows {
            swap: rate(0.7),
            mutation,
            ..IDLE
        };
        for (geometry, givens) in [(sudoku(2, 2), 0.4), (sudoku(3, 3), 0.6), (latin(17), 0.3)] {
            let puzzle = puzzle(geometry, givens, 6);
            let [old, new] = one_generation(&puzzle, 80, 7, breed);
            let mut swaps = 0;
            for individual in 0..old.len() {
                let pairs = rows(&old, individual)
                    .into_iter()
                    .zip(rows(&new, individual));
                let mut here = 0;
                for (row, (old, new)) in pairs.enumerate() {
                    let free = free_columns(&puzzle, row);
                    match changed(old, new)[..] {
                        [] => {}
                        [one, two] => {
                            assert!(free.contains(&one) && free.contains(&two));
                            assert_eq!((old[one], old[two]), (new[two], new[one]));
                            here += 1;
                        }
                        ref many => panic!("{} cells changed", many.len()),
                    }
                }
                assert!(here <= 1 || mutation == MutationUnit::Each);
                swaps += here;
            }
            assert!(swaps > 20, "{geometry}: only {swaps} swaps");
        }
    }
}

#[test]
fn swaps_strike_as_often_as_they_say_and_everywhere() {
    let pop = 4000;
    // Rows with 0, 1, 2, ... free cells.
    let geometry = sudoku(3, 3);
    let mut cells = solution(geometry, 8);
    for row in 0..9 {
        cells[9 * row..][..row].fill(0);
    }
    let puzzle = Puzzle::new(Grid::new(geometry, cells).unwrap()).unwrap();
    let breed = BreedRows {
        swap: rate(0.3),
        ..IDLE
    };
    let [old, new] = one_generation(&puzzle, pop, 9, breed);
    let mut pairs = HashMap::<[usize; 2], usize>::new();
    for row in 0..9 {
        let mut swaps = 0;
        for individual in 0..pop {
            let changed = changed(rows(&old, individual)[row], rows(&new, individual)[row]);
            if let [one, two] = changed[..] {
                swaps += 1;
                if row == 8 {
                    *pairs.entry([one, two]).or_default() += 1;
                }
            }
        }
        if row < 2 {
            assert_eq!(swaps, 0, "a row with {row} free cells");
        } else {
            assert_share(swaps, pop, 0.3, &format!("a row with {row} free cells"));
        }
    }
    let counts: Vec<usize> = pairs.values().copied().collect();
    assert_eq!(counts.len(), 8 * 7 / 2, "every pair of 8 free cells");
    assert_uniform(&counts, "pairs of swapped cells");
}

#[test]
fn mutation_of_an_individual_strikes_one_row_of_any() {
    let pop = 4000;
    let p = 0.4;
    let puzzle = puzzle(sudoku(3, 3), 0.0, 10);
    for (what, breed) in [
        (
            "swaps",
            BreedRows {
                swap: rate(p),
                ..IDLE
            },
        ),
        (
            "re-initialisations",
            BreedRows {
                reinitialise: rate(p),
                ..IDLE
            },
        ),
    ] {
        let breed = BreedRows {
            mutation: MutationUnit::Individual,
            ..breed
        };
        let [old, new] = one_generation(&puzzle, pop, 11, breed);
        let mut counts = vec![0; 9];
        for individual in 0..pop {
            let pairs = rows(&old, individual)
                .into_iter()
                .zip(rows(&new, individual));
            let rows: Vec<usize> = pairs
                .enumerate()
                .filter_map(|(row, (old, new))| (old != new).then_some(row))
                .collect();
            assert!(rows.len() <= 1, "{what} in rows {rows:?}");
            rows.iter().for_each(|&row| counts[row] += 1);
        }
        assert_share(counts.iter().sum(), pop, p, what);
        assert_uniform(&counts, what);
    }
}

#[test]
fn reinitialised_rows_are_as_many_as_they_should() {
    let (pop, p) = (4000, 0.05);
    let geometry = sudoku(3, 3);
    let mut cells = solution(geometry, 12);
    for row in 0..9 {
        cells[9 * row..][..row].fill(0);
    }
    let puzzle = Puzzle::new(Grid::new(geometry, cells).unwrap()).unwrap();
    let breed = BreedRows {
        reinitialise: rate(p),
        ..IDLE
    };
    let [old, new] = one_generation(&puzzle, pop, 13, breed);
    for row in 0..9 {
        let struck = (0..pop)
            .filter(|&i| rows(&old, i)[row] != rows(&new, i)[row])
            .count();
        // One order of k! is the old one.
        let orders: f64 = (1..=row).map(|k| k as f64).product();
        let p = p * (1.0 - 1.0 / orders);
        assert_share(struck, pop, p, &format!("a row with {row} free cells"));
    }
}

/// Re-initialised rows are in any order, and none depends on what was there.
#[test]
fn reinitialised_rows_are_uniform() {
    let geometry = sudoku(3, 3);
    let mut cells = vec![0; 81];
    // Four free cells in the second row.
    cells[9..14].copy_from_slice(&solution(geometry, 14)[9..14]);
    let puzzle = Puzzle::new(Grid::new(geometry, cells).unwrap()).unwrap();
    let breed = BreedRows {
        reinitialise: Rate::ALWAYS,
        ..IDLE
    };
    let [old, new] = one_generation(&puzzle, 24_000, 15, breed);
    let mut counts = HashMap::<(Vec<u8>, Vec<u8>), usize>::new();
    for individual in 0..new.len() {
        let (old, new) = (rows(&old, individual)[1], rows(&new, individual)[1]);
        *counts.entry((old.to_vec(), new.to_vec())).or_default() += 1;
    }
    let counts: Vec<usize> = counts.values().copied().collect();
    assert_eq!(counts.len(), 24 * 24, "every order after every order");
    assert_uniform(&counts, "orders of a row, before and after");
}
