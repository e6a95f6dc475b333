//! The restarts of RESEDA: when its models have settled, and what of the best they keep.

use gpusudoku::problem::Puzzle;

use super::sampling_models::{LearningTask, learn, sample};
use crate::common::*;
use crate::support::*;

/// Samples that agree make every cell certain, and that ends an epoch at once.
#[test]
fn reseda_starts_anew_when_every_cell_is_certain() {
    let geometry = sudoku(3, 3);
    let task = LearningTask::new(&puzzle(geometry, 0.3, 144), 10);
    let digits = solution(geometry, 144).into_iter();
    let solved: Vec<u8> = digits.map(|digit| digit - 1).collect();
    let mut population = population_of(geometry, &vec![solved; 10], 9);
    population.split_mut().2[7] = 5;
    let choices = task.uniform().into_iter().map(|shares| {
        let choice = shares.into_iter().filter(|&share| share > 0.0);
        choice.count()
    });
    let most = choices.max().unwrap() as f64;
    let mut seen = Vec::new();
    for (a, certain) in [(0.0, 0.6), (0.5, 0.6), (0.5, 0.85), (0.7, 0.85)] {
        // A cell with a choice of k begins at 1 / k and is at 1 - a^g (1 - 1 / k) after g.
        let reached = |g: &u32| 1.0 - f64::powi(a, *g as i32) * (1.0 - 1.0 / most) > certain;
        let after = (1..).find(reached).unwrap();
        seen.push(after);
        let [a, certain] = [a, certain].map(|number| number.to_string());
        let (a, certain) = (&*a, &*certain);
        let pairs = [
            ("a", a),
            ("certain", certain),
            ("keep", "0"),
            ("stagnation", "all"),
        ];
        let mut state = task.begin("reseda", &pairs, 1);
        let initial = sample(&*state);
        for generation in 1..=3 * after {
            learn(&mut *state, generation, 5, &population);
            let anew = sample(&*state) == initial;
            assert_eq!(
                anew,
                generation % after == 0,
                "a = {a}, {certain}: {generation}"
            );
        }
    }
    assert!(seen.is_sorted() && seen[0] == 1 && seen[3] > 3, "{seen:?}");
}

/// The blocks of a grid, free cells among them, without a digit that is repeated in a line.
fn faultless_blocks(puzzle: &Puzzle, grid: &[u8]) -> Vec<Vec<usize>> {
    let n = puzzle.geometry().size();
    let alone = |&cell: &usize| {
        (0..n * n).all(|peer| {
            let in_line = peer / n == cell / n || peer % n == cell % n;
            peer == cell || !in_line || grid[peer] != grid[cell]
        })
    };
    let mut all = blocks(puzzle.geometry());
    all.retain(|block| !free_of(puzzle, block).is_empty() && block.iter().all(alone));
    all
}

/// The shares of a model that takes a block of a grid as given.
fn keeping(task: &LearningTask, block: &[usize], grid: &[u8]) -> Vec<Vec<f64>> {
    let n = task.n();
    let mut shares = task.uniform();
    for &kept in block {
        for cell in (0..n * n).filter(|cell| cell / n == kept / n || cell % n == kept % n) {
            let digit = usize::from(grid[kept]);
            let others = (0..n).any(|other| other != digit && shares[cell][other] > 0.0);
            if others {
                shares[cell][digit] = 0.0;
            }
        }
    }
    for cell in free_of(task.puzzle(), block) {
        shares[cell] = (0..n)
            .map(|digit| f64::from(u8::from(digit == usize::from(grid[cell]))))
            .collect();
    }
    for shares in &mut shares {
        let choice = shares.iter().filter(|&&share| share > 0.0).count() as f64;
        let open = shares.iter_mut().filter(|share| **share > 0.0);
        open.for_each(|share| *share = 1.0 / choice);
    }
    shares
}

/// A restart takes one block of the epoch's best as given, as often as it says, and any of them.
#[test]
fn restarts_keep_a_faultless_block_of_the_best() {
    for geometry in [sudoku(3, 3), sudoku(2, 3), latin(6)] {
        let task = LearningTask::new(&puzzle(geometry, 0.2, 145), 6);
        let n = task.n();
        // Almost a solution: a few blocks have faults, others do not.
        let mut grid: Vec<u8> = solution(geometry, 145)
            .iter()
            .map(|digit| digit - 1)
            .collect();
        let free = free_of(task.puzzle(), &blocks(geometry)[0]);
        grid.swap(free[0], free[1]);
        let mut population = task.population(4);
        population.cells_mut(2).copy_from_slice(&grid);
        population.split_mut().2[2] = 2;
        let faultless = faultless_blocks(task.puzzle(), &grid);
        assert!(
            (1..n).contains(&faultless.len()),
            "{geometry}: {}",
            faultless.len()
        );
        let models: Vec<Vec<Vec<f64>>> = faultless
            .iter()
            .map(|block| keeping(&task, block, &grid))
            .collect();
        for (keep, trials, rate) in [("0", 5, 0.0), ("1", 60, 1.0), ("0.5", 100, 0.5)] {
            let mut kept = vec![0; models.len()];
            for seed in 0..trials {
                let pairs = [("keep", keep), ("stagnation", "1"), ("order", "random")];
                let mut state = task.begin("reseda", &pairs, seed);
                let initial = sample(&*state);
                learn(&mut *state, 0, 2, &population);
                learn(&mut *state, 1, 2, &task.population(5));
                let model = sample(&*state);
                if model == initial {
                    continue;
                }
                let is = |expected: &Vec<Vec<f64>>| {
                    let shares = expected.iter().flatten().zip(&*model.model);
                    shares.into_iter().all(|(&expected, &weight)| {
                        (expected - f64::from(weight) / f64::from(1 << 24)).abs() < 1e-6
                    })
                };
                let at = models.iter().position(is);
                kept[at.expect("a model that keeps a faultless block")] += 1;
            }
            let all: usize = kept.iter().sum();
            assert_share(all, trials as usize, rate, "blocks kept");
            assert!(
                rate < 1.0 || kept.iter().all(|&times| times > 0),
                "{geometry}: {kept:?}"
            );
        }
    }
}
