//! The initial population: every cell and every row as likely as any other.

use std::collections::HashMap;

use crate::common::*;
use crate::support::*;

#[test]
fn initial_digits_are_uniform() {
    for (geometry, givens, seed) in [
        (sudoku(2, 3), 0.3, 16),
        (sudoku(3, 3), 0.4, 17),
        (sudoku(3, 3), 0.0, 18),
        (latin(13), 0.5, 19),
    ] {
        let puzzle = puzzle(geometry, givens, seed);
        let (_, population) = started(&puzzle, 6000, seed);
        let n = geometry.size();
        for row in 0..n {
            let given = |digit: &u8| puzzle.givens().cells()[row * n..][..n].contains(&(digit + 1));
            let missing: Vec<u8> = (0..n as u8).filter(|digit| !given(digit)).collect();
            for col in free_columns(&puzzle, row) {
                let mut counts = vec![0; n];
                for individual in 0..population.len() {
                    counts[usize::from(rows(&population, individual)[row][col])] += 1;
                }
                let counts: Vec<usize> = missing
                    .iter()
                    .map(|&digit| counts[usize::from(digit)])
                    .collect();
                assert_eq!(counts.iter().sum::<usize>(), population.len());
                if counts.len() > 1 {
                    assert_uniform(&counts, &format!("{geometry}, cell {row}, {col}"));
                }
            }
        }
    }
}

/// The whole row is shuffled, not only each cell on its own.
#[test]
fn initial_rows_are_uniform() {
    let puzzle = puzzle(sudoku(2, 2), 0.0, 20);
    let (_, population) = started(&puzzle, 24_000, 21);
    for row in 0..4 {
        let mut counts = HashMap::<&[u8], usize>::new();
        for individual in 0..population.len() {
            *counts
                .entry(rows(&population, individual)[row])
                .or_default() += 1;
        }
        let counts: Vec<usize> = counts.values().copied().collect();
        assert_eq!(counts.len(), 24);
        assert_uniform(&counts, &format!("orders of row {row}"));
    }
}
