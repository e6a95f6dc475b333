//! Fitness under every objective, on grids made by hand: solved ones, invalid ones whose sums are
//! all right, and what is in between.

use gpusudoku::operators::BreedRows;
use gpusudoku::plan::{Domain, Encoding, Objective, Representation};
use gpusudoku::problem::{Geometry, Grid, Puzzle};
use gpusudoku::rng::Stream;
use proptest::prelude::*;
use rand::RngExt;

use crate::common::*;
use crate::support::strategies::*;
use crate::support::*;

const OBJECTIVES: [Objective; 3] = [
    Objective::IllegalUnits,
    Objective::MissingDigits,
    Objective::SumDeviation,
];

fn blank(geometry: Geometry) -> Puzzle {
    Puzzle::new(Grid::new(geometry, vec![0; geometry.cells()]).unwrap()).unwrap()
}

/// What the engine makes of some grids.
fn evaluated(geometry: Geometry, representation: Representation, grids: &[Vec<u8>]) -> Vec<u32> {
    let mut engine = engine_of(&blank(geometry), representation, grids.len(), 1, 1);
    initialise(&mut engine);
    engine
        .load(&population_of(geometry, grids, 12_345))
        .unwrap();
    pollster::block_on(engine.evaluate()).unwrap();
    population(&mut engine).fitness().to_vec()
}

/// A solved grid, digits from zero.
fn solved(geometry: Geometry, seed: u64) -> Vec<u8> {
    let digits = solution(geometry, seed).into_iter();
    digits.map(|digit| digit - 1).collect()
}

/// A solved grid with one added and taken away in turn at the corners of a rectangle inside of a
/// box: every sum stays what it was, and digits are repeated.
fn false_zero(geometry: Geometry) -> Vec<u8> {
    let n = geometry.size();
    let recount = FitnessRecount::new(geometry);
    let (height, width) = geometry.boxes().map_or((n, n), |b| (b.rows, b.cols));
    for seed in 0.. {
        let grid = solved(geometry, seed);
        for top in 0..n {
            for bottom in (top + 1..n).filter(|bottom| bottom / height == top / height) {
                for left in 0..n {
                    for right in (left + 1..n).filter(|right| right / width == left / width) {
                        let (rise, fall) = (
                            [top * n + left, bottom * n + right],
                            [top * n + right, bottom * n + left],
                        );
                        let fits = rise.iter().all(|&cell| usize::from(grid[cell]) < n - 1)
                            && fall.iter().all(|&cell| grid[cell] > 0);
                        let mut grid = grid.clone();
                        if fits {
                            rise.iter().for_each(|&cell| grid[cell] += 1);
                            fall.iter().for_each(|&cell| grid[cell] -= 1);
                            if recount.fitness(Objective::IllegalUnits, &grid) > 0 {
                                return grid;
                            }
                        }
                    }
                }
            }
        }
    }
    unreachable!("there are such grids")
}

#[test]
fn false_zeros_are_no_solutions() {
    for geometry in [
        sudoku(2, 2),
        sudoku(2, 3),
        sudoku(3, 3),
        sudoku(3, 4),
        sudoku(4, 4),
        sudoku(5, 5),
        latin(4),
        latin(9),
        latin(40),
    ] {
        let mut grids = vec![solved(geometry, 1), false_zero(geometry)];
        let n = geometry.size();
        if n % 2 == 1 {
            // The middle digit everywhere.
            grids.push(vec![(n / 2) as u8; n * n]);
        }
        for grid in &grids {
            assert_eq!(
                FitnessRecount::new(geometry).deviation(grid),
                0,
                "{geometry}"
            );
        }
        let kind = cells(Domain::Any, Objective::SumDeviation);
        let fitness = evaluated(geometry, kind, &grids);
        assert_eq!(fitness[0], 0, "{geometry}: a solved grid");
        for &fitness in &fitness[1..] {
            assert_eq!(
                fitness,
                Objective::FALSE_ZERO,
                "{geometry}: an invalid grid"
            );
        }
        // The other objectives are not taken in.
        for objective in [Objective::IllegalUnits, Objective::MissingDigits] {
            let fitness = evaluated(geometry, cells(Domain::Any, objective), &grids);
            assert!(fitness[0] == 0 && fitness[1..].iter().all(|&f| f > 1));
        }
    }
}

/// All orders of four digits.
fn permutations() -> Vec<[u8; 4]> {
    let mut all = Vec::new();
    for code in 0..256u32 {
        let digits = [0, 2, 4, 6].map(|shift| (code >> shift & 3) as u8);
        if (0..4).all(|digit| digits.contains(&digit)) {
            all.push(digits);
        }
    }
    all
}

/// Rows or sub-blocks that are permutations can have right sums, too. Breeding has a fitness of
/// its own, so it is asked as well.
#[test]
fn false_zeros_of_permutations_are_no_solutions() {
    let permutations = permutations();
    assert_eq!(permutations.len(), 24);
    for (geometry, encoding) in [
        (sudoku(2, 2), Encoding::Rows),
        (sudoku(2, 2), Encoding::Blocks),
        (latin(4), Encoding::Rows),
        (latin(4), Encoding::Blocks),
    ] {
        let segments = match encoding {
            Encoding::Rows => row_units(geometry),
            _ => blocks(geometry),
        };
        let recount = FitnessRecount::new(geometry);
        let (mut grids, mut solutions) = (Vec::new(), 0);
        for code in 0..24usize.pow(4) {
            let mut grid = vec![0; 16];
            for (at, segment) in segments.iter().enumerate() {
                let digits = permutations[code / 24usize.pow(at as u32) % 24];
                segment
                    .iter()
                    .zip(digits)
                    .for_each(|(&cell, digit)| grid[cell] = digit);
            }
            // Only what could be right; the sum of a column tells in no time.
            if (0..4).all(|col| (0..4).map(|row| grid[row * 4 + col]).sum::<u8>() == 6)
                && recount.deviation(&grid) == 0
            {
                solutions += usize::from(recount.fitness(Objective::IllegalUnits, &grid) == 0);
                grids.push(grid);
            }
        }
        assert_eq!(
            solutions,
            if geometry.boxes().is_some() { 288 } else { 576 }
        );
        assert!(
            grids.len() > solutions,
            "{geometry}, {encoding:?}: no false zero"
        );
        let objective = Objective::SumDeviation;
        let representation = Representation {
            encoding,
            objective,
        };
        let expected: Vec<u32> = grids
            .iter()
            .map(|grid| recount.fitness(objective, grid))
            .collect();
        assert_eq!(evaluated(geometry, representation, &grids), expected);
        if encoding == Encoding::Rows {
            // Solved ones first would end the run.
            grids.retain(|grid| recount.fitness(objective, grid) > 0);
            let mut engine = engine_of(&blank(geometry), representation, grids.len(), 1, 1);
            while initialise(&mut engine).solved() {
                engine = engine_of(&blank(geometry), representation, grids.len(), 2, 1);
            }
            engine
                .load(&population_of(geometry, &grids, 12_345))
                .unwrap();
            let (record, bred) = next_of(&mut engine, &breeding(IDLE));
            assert_eq!(bred.fitness(), vec![1; grids.len()]);
            assert_eq!((record.best, record.worst), (1, 1));
        }
    }
}

proptest! {
    #![proptest_config(config(400))]

    /// Z = 1 does not exist, neither far from a solution nor close to one; and whatever the grid,
    /// fitness is what a recount says, and 0 for solutions only.
    #[test]
    fn no_grid_has_a_deviation_of_one(geometry in geometries(), seed: u64, most in 0usize..6) {
        let n = geometry.size() as u8;
        let recount = FitnessRecount::new(geometry);
        let mut rng = Stream::new(seed, 5);
        let mut grids = vec![solved(geometry, seed)];
        for _ in 0..8 {
            let mut grid = grids[0].clone();
            for _ in 0..most {
                let cell = rng.random_range(0..grid.len());
                match rng.random_range(0..3) {
                    0 => grid[cell] = (grid[cell] + 1).min(n - 1),
                    1 => grid[cell] = grid[cell].saturating_sub(1),
                    _ => {
                        let other = rng.random_range(0..grid.len());
                        grid.swap(cell, other);
                    }
                }
            }
            grids.push(grid);
            grids.push((0..grids[0].len()).map(|_| rng.random_range(0..n)).collect());
        }
        for grid in &grids {
            prop_assert_ne!(recount.deviation(grid), 1);
        }
        for objective in OBJECTIVES {
            let fitness = evaluated(geometry, cells(Domain::Any, objective), &grids);
            for (grid, fitness) in grids.iter().zip(fitness) {
                prop_assert_eq!(fitness, recount.fitness(objective, grid));
                let valid = recount.fitness(Objective::MissingDigits, grid) == 0;
                prop_assert_eq!(fitness == 0, valid);
            }
        }
    }
}

/// A search judged by sums goes on past a false zero, and ends at a solution only.
#[test]
fn breeding_goes_on_past_false_zeros() {
    let geometry = sudoku(2, 2);
    let puzzle = puzzle(geometry, 0.2, 3);
    let representation = Representation {
        encoding: Encoding::Rows,
        objective: Objective::SumDeviation,
    };
    let breed = BreedRows {
        swap: rate(0.3),
        reinitialise: rate(0.1),
        ..IDLE
    };
    let mut false_zeros = 0;
    for seed in 0..20 {
        let (mut engine, _) = started_of(&puzzle, representation, 6, seed);
        let records = advance(&mut engine, &breeding(breed), 2000, 2000);
        false_zeros += records.iter().filter(|record| record.best == 1).count();
        let last = population(&mut engine);
        let (best, at) = last.best().unwrap();
        assert_eq!(
            (best, faults(geometry, last.cells(at))),
            (0, 0),
            "seed {seed}"
        );
    }
    assert!(false_zeros > 0, "no false zero was met");
}
