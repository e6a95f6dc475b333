//! Selection: the tournaments of parents and of survivors.

use gpusudoku::operators::{BreedRows, Parent, Survivor};
use gpusudoku::population::Population;

use crate::common::*;
use crate::support::*;

#[test]
fn parents_of_a_tournament_are_better_than_the_rest() {
    let pop = 3000;
    let puzzle = puzzle(sudoku(3, 3), 0.3, 26);
    let mean = |population: &Population| {
        let sum: u32 = population.fitness().iter().sum();
        f64::from(sum) / pop as f64
    };
    let mut last = f64::INFINITY;
    for size in [1, 3, 9] {
        let breed = BreedRows {
            parent: Parent::Tournament(size),
            ..IDLE
        };
        let [old, new] = one_generation(&puzzle, pop, 27, breed);
        for child in 0..pop {
            // Equal cells would be slow to look for: fitness narrows it down.
            let fitness = new.fitness()[child];
            let copied = (0..pop)
                .filter(|&i| old.fitness()[i] == fitness)
                .any(|i| old.cells(i) == new.cells(child));
            assert!(copied, "size {size}: child {child} is nobody's copy");
        }
        // The best of k is better than a fitness with chance 1 - (1 - p)^k.
        let median = {
            let mut sorted = old.fitness().to_vec();
            sorted.sort_unstable();
            sorted[pop / 2]
        };
        let below =
            |population: &Population| population.fitness().iter().filter(|&&f| f < median).count();
        let p = below(&old) as f64 / pop as f64;
        let expected = 1.0 - (1.0 - p).powi(size as i32);
        assert_share(below(&new), pop, expected, &format!("size {size}"));
        assert!(
            mean(&new) < last,
            "size {size} is no better than a smaller one"
        );
        last = mean(&new);
    }
}

/// Of equals the child survives, unless it has to be strictly better.
#[test]
fn ties_go_to_the_child_unless_it_is_strict() {
    let puzzle = puzzle(sudoku(3, 3), 0.3, 28);
    let pop = 400;
    let mutants = BreedRows {
        swap: rate(0.2),
        ..IDLE
    };
    let survivors = |survivor| {
        one_generation(
            &puzzle,
            pop,
            29,
            BreedRows {
                survivor,
                ..mutants
            },
        )
    };
    let [old, children] = survivors(Survivor::Child);
    let [_, loose] = survivors(Survivor::Tournament(2));
    let [_, strict] = survivors(Survivor::StrictTournament(2));
    let mut ties = 0;
    for i in 0..pop {
        let (was, child) = (old.fitness()[i], children.fitness()[i]);
        let wins = |wins: bool| if wins { &children } else { &old }.cells(i);
        assert_eq!(loose.cells(i), wins(child <= was), "individual {i}");
        assert_eq!(strict.cells(i), wins(child < was), "individual {i}, strict");
        ties += usize::from(child == was && old.cells(i) != children.cells(i));
    }
    assert!(ties > 20, "only {ties} ties");
}

#[test]
fn larger_tournaments_let_others_in() {
    let puzzle = puzzle(sudoku(3, 3), 0.3, 30);
    let pop = 300;
    let breed = BreedRows {
        survivor: Survivor::Tournament(5),
        ..IDLE
    };
    let [old, new] = one_generation(&puzzle, pop, 31, breed);
    let mut invaded = 0;
    for i in 0..pop {
        assert!(new.fitness()[i] <= old.fitness()[i]);
        if new.cells(i) != old.cells(i) {
            assert!(
                new.fitness()[i] < old.fitness()[i],
                "a tie displaced the child"
            );
            assert!((0..pop).any(|other| new.cells(i) == old.cells(other)));
            invaded += 1;
        }
    }
    assert!(invaded > pop / 10, "only {invaded} places went to others");
}
