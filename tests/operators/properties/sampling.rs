//! Sampling a model: digits by their weights, neighbours left out, and what happens when no digit
//! is left.

use std::collections::HashMap;

use gpusudoku::operators::{Order, Sample, Start};
use gpusudoku::plan::Representation;
use gpusudoku::population::Population;
use gpusudoku::problem::{Geometry, Grid, Puzzle};
use gpusudoku::rng::Stream;
use rand::RngExt;

use crate::common::*;
use crate::support::*;

fn sampled(puzzle: &Puzzle, sample: &Sample, pop: usize, seed: u64) -> Population {
    let mut engine = engine_of(puzzle, Representation::BLOCKS, pop, seed, 1);
    begin(&mut engine, &Start::Sample(sample.clone()));
    population(&mut engine)
}

/// The same weight for every digit.
fn even(geometry: Geometry) -> Vec<u32> {
    vec![1; geometry.size() * geometry.cells()]
}

fn random_order(weights: Vec<u32>, neighbours: bool, retries: u32) -> Sample {
    Sample {
        model: weights.into(),
        order: Order::Random,
        neighbours,
        retries,
    }
}

/// The first cell of a block has all digits that the block needs to choose from.
#[test]
fn first_cells_follow_their_weights() {
    for (geometry, givens) in [
        (sudoku(2, 2), 0.0),
        (sudoku(2, 3), 0.2),
        (sudoku(3, 3), 0.3),
        (sudoku(4, 4), 0.5),
        (latin(7), 0.2),
    ] {
        let puzzle = puzzle(geometry, givens, 80);
        let n = geometry.size();
        let mut rng = Stream::new(81, 0);
        let mut model: Vec<u32> = (0..n * n * n)
            .map(|_| rng.random_range(0..5u32).saturating_sub(1) << 20)
            .collect();
        let mut firsts = Vec::new();
        for block in blocks(geometry) {
            let free = free_of(&puzzle, &block);
            let first = rng.random_range(0..free.len().max(1));
            let others = (0..free.len()).filter(|&other| other != first);
            let mut order: Vec<u32> = [first]
                .into_iter()
                .chain(others)
                .map(|k| k as u32)
                .collect();
            order.resize(n, 0);
            model.extend(order);
            firsts.push(free.get(first).copied());
        }
        let sample = Sample {
            model: model.into(),
            order: Order::Given,
            neighbours: false,
            retries: 0,
        };
        let population = sampled(&puzzle, &sample, 4000, 82);
        let mut tested = 0;
        for (block, first) in blocks(geometry).into_iter().zip(firsts) {
            let Some(cell) = first else { continue };
            let mut counts = vec![0; n];
            for individual in 0..population.len() {
                counts[usize::from(population.cells(individual)[cell])] += 1;
            }
            let given = |digit: usize| {
                let mut digits = block.iter().map(|&cell| puzzle.givens().cells()[cell]);
                digits.any(|given| usize::from(given) == digit + 1)
            };
            let weights: Vec<u32> = (0..n)
                .map(|digit| {
                    if given(digit) {
                        0
                    } else {
                        sample.model[cell * n + digit] >> 20
                    }
                })
                .collect();
            if weights.iter().any(|&weight| weight > 0) {
                assert_weights(&counts, &weights, &format!("{geometry}, cell {cell}"));
                tested += 1;
            }
        }
        assert!(tested > n / 2, "{geometry}: only {tested} cells");
    }
}

/// Equal weights, or none at all so that every cell falls back: every order of a block is as likely
/// as any other, whichever cell comes first.
#[test]
fn even_weights_give_every_order() {
    let geometry = sudoku(2, 2);
    let puzzle = puzzle(geometry, 0.0, 83);
    for weight in [0, 1, 1 << 28] {
        let sample = random_order(vec![weight; 64], false, 2);
        let population = sampled(&puzzle, &sample, 6000, 84);
        for block in blocks(geometry) {
            let mut orders = HashMap::<Vec<u8>, usize>::new();
            for individual in 0..population.len() {
                let cells = population.cells(individual);
                let order = block.iter().map(|&cell| cells[cell]).collect();
                *orders.entry(order).or_default() += 1;
            }
            let counts: Vec<usize> = orders.into_values().collect();
            assert_eq!(counts.len(), 24);
            assert_uniform(&counts, &format!("orders of {block:?}, weight {weight}"));
        }
    }
}

/// A model that is sure of a solution gives that solution, whatever the rest of the settings.
#[test]
fn a_certain_model_is_followed() {
    for geometry in [sudoku(2, 3), sudoku(3, 3), sudoku(3, 4), latin(9)] {
        let n = geometry.size();
        let puzzle = puzzle(geometry, 0.2, 85);
        let solution = solution(geometry, 85);
        let mut weights = vec![0; n * n * n];
        for (cell, digit) in solution.iter().enumerate() {
            weights[cell * n + usize::from(digit - 1)] = 1 + cell as u32;
        }
        for (neighbours, retries) in [(false, 0), (true, 0), (true, 7)] {
            let sample = random_order(weights.clone(), neighbours, retries);
            let population = sampled(&puzzle, &sample, 20, 86);
            assert_eq!(population.fitness(), [0; 20], "{geometry}");
            for individual in 0..20 {
                assert_eq!(population.grid(individual).unwrap().cells(), solution);
            }
        }
    }
}

/// A digit of weight 0 comes in only where no other digit is left: the last free cell of a block
/// that needs it has to take it, and nobody else does.
#[test]
fn weight_nothing_is_drawn_for_want_of_others_only() {
    let geometry = sudoku(3, 3);
    let n = geometry.size();
    let puzzle = puzzle(geometry, 0.2, 87);
    for digit in 0..n as u8 {
        let mut model = even(geometry);
        (0..n * n).for_each(|cell| model[cell * n + usize::from(digit)] = 0);
        for block in blocks(geometry) {
            // Cells in reading order.
            let mut order: Vec<u32> = (0..free_of(&puzzle, &block).len() as u32).collect();
            order.resize(n, 0);
            model.extend(order);
        }
        let sample = Sample {
            model: model.into(),
            order: Order::Given,
            neighbours: false,
            retries: 3,
        };
        let population = sampled(&puzzle, &sample, 50, 88);
        for grid in grids(&population) {
            for block in blocks(geometry) {
                let free = free_of(&puzzle, &block);
                if let Some(holder) = free.iter().position(|&cell| grid[cell] == digit) {
                    assert_eq!(holder, free.len() - 1, "digit {digit} in {block:?}");
                }
            }
        }
    }
}

/// Sub-blocks on the diagonal do not share rows or columns, so what is left of them has a solution
/// whatever the others do: with enough retries each of them finds one.
fn diagonal(geometry: Geometry, seed: u64) -> Puzzle {
    let n = geometry.size();
    let all = blocks(geometry);
    let mut rng = Stream::new(seed, 6);
    let mut cells = solution(geometry, seed);
    let stacks = geometry.boxes().map_or(1, |shape| n / shape.cols);
    for k in 0..stacks.min(n / stacks) {
        for _ in 0..n / 2 + 2 {
            cells[all[k * stacks + k][rng.random_range(0..n)]] = 0;
        }
    }
    Puzzle::new(Grid::new(geometry, cells).unwrap()).unwrap()
}

#[test]
fn neighbours_are_left_out_when_retries_suffice() {
    for geometry in [
        sudoku(2, 2),
        sudoku(2, 3),
        sudoku(3, 3),
        sudoku(4, 3),
        sudoku(4, 4),
        latin(8),
    ] {
        for seed in 0..4 {
            let puzzle = diagonal(geometry, seed);
            let repeats = |neighbours, retries| {
                let sample = random_order(even(geometry), neighbours, retries);
                let population = sampled(&puzzle, &sample, 60, 89);
                population.fitness().iter().filter(|&&f| f > 0).count()
            };
            assert_eq!(repeats(true, 500), 0, "{geometry}, seed {seed}");
            // Without the rule there would be some.
            assert!(repeats(false, 500) > 0, "{geometry}, seed {seed}: too easy");
        }
    }
}

/// On a blank grid the first block never repeats a digit, later ones do less with more retries.
#[test]
fn retries_make_repeats_rarer() {
    let geometry = sudoku(3, 3);
    let puzzle = puzzle(geometry, 0.0, 90);
    let mut last = u64::MAX;
    for (neighbours, retries) in [(false, 0), (true, 0), (true, 3), (true, 100)] {
        let sample = random_order(even(geometry), neighbours, retries);
        let population = sampled(&puzzle, &sample, 400, 91);
        let sum: u64 = population.fitness().iter().map(|&f| u64::from(f)).sum();
        assert!(sum < last, "{neighbours}, {retries}: {sum} after {last}");
        last = sum;
    }
}
