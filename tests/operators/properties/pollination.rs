//! Flower pollination: where flowers move, and that they do so for something better only.

use std::collections::HashSet;

use gpusudoku::operators::{Pollinate, Variation};
use gpusudoku::plan::{Domain, Objective, Plan};
use gpusudoku::population::Population;
use gpusudoku::problem::Puzzle;
use gpusudoku::rng::Rate;
use proptest::prelude::*;

use crate::common::*;
use crate::reference::grids::first_lowest;
use crate::support::grid_runs::*;
use crate::support::strategies::*;
use crate::support::*;

const ONE: i32 = 1 << 16;

fn pollination(switch: Rate, levy: &[i32], distinct: bool) -> Plan {
    Plan::from(Variation::Pollinate(Pollinate {
        switch,
        levy: levy.iter().map(|&step| step as u32).collect(),
        distinct,
    }))
}

/// A generation after the first, if that has no solution.
fn pollinated(puzzle: &Puzzle, pop: usize, seed: u64, plan: &Plan) -> Option<[Population; 2]> {
    let representation = cells(Domain::Any, Objective::MissingDigits);
    let (mut engine, old) = started_of(puzzle, representation, pop, seed);
    let open = !old.fitness().contains(&0);
    open.then(|| [old, next_of(&mut engine, plan).1])
}

proptest! {
    #![proptest_config(config(300))]

    /// A flower that moves moves to a better place, and with the rule to one where nobody was.
    #[test]
    fn flowers_move_to_something_better_only(
        puzzle in puzzles(),
        pollinate in pollinates(),
        pop in 1usize..20,
        seed: u64,
    ) {
        let plan = Plan::from(Variation::Pollinate(pollinate.clone()));
        let Some([old, new]) = pollinated(&puzzle, pop, seed, &plan) else { return Ok(()) };
        let before: HashSet<Vec<u8>> = grids(&old).into_iter().collect();
        for flower in 0..pop {
            if old.cells(flower) == new.cells(flower) {
                prop_assert_eq!(old.fitness()[flower], new.fitness()[flower]);
            } else {
                prop_assert!(new.fitness()[flower] < old.fitness()[flower]);
                let there = before.contains(new.cells(flower));
                prop_assert!(!there || !pollinate.distinct, "somebody was there");
            }
        }
    }
}

/// A step of one place is a step onto the best; no step at all leaves everybody.
#[test]
fn levy_steps_are_those_of_the_table() {
    for (geometry, givens) in [(sudoku(2, 3), 0.2), (sudoku(3, 3), 0.3), (latin(10), 0.1)] {
        let puzzle = puzzle(geometry, givens, 130);
        let moved = |levy: &[i32], distinct| {
            let plan = pollination(Rate::ALWAYS, levy, distinct);
            pollinated(&puzzle, 20, 131, &plan).expect("hard enough")
        };
        let [old, new] = moved(&[0], false);
        assert!(old == new, "{geometry}: a step of nothing");
        let [old, new] = moved(&[ONE, ONE, ONE], false);
        let best = first_lowest(old.fitness());
        for flower in 0..20 {
            let to = match old.fitness()[flower] {
                fitness if fitness > old.fitness()[best] => best,
                _ => flower,
            };
            assert_eq!(
                new.cells(flower),
                old.cells(to),
                "{geometry}: flower {flower}"
            );
        }
        // Somebody is there already.
        let [old, new] = moved(&[ONE], true);
        assert!(old == new, "{geometry}: a distinct meadow");
    }
}

/// Between a flower and the best: cells where both agree stay, others go as far as the table says,
/// and a fraction of a place is rounded up as often as it should.
#[test]
fn global_steps_go_towards_the_best() {
    let geometry = sudoku(4, 4);
    let puzzle = puzzle(geometry, 0.0, 132);
    let pop = 100;
    for (step, shares) in [
        (ONE / 4, [0.75, 0.25, 0.0]),
        (ONE / 2, [0.5, 0.5, 0.0]),
        (ONE * 3 / 2, [0.0, 0.5, 0.5]),
    ] {
        let representation = cells(Domain::Any, Objective::MissingDigits);
        let (mut engine, old) = started_of(&puzzle, representation, pop, 133);
        let best = first_lowest(old.fitness());
        // Everybody but the best is so bad that every move is for the better.
        let mut bad = population_of(geometry, &grids(&old), 1 << 30);
        bad.split_mut().2[best] = old.fitness()[best];
        engine.load(&bad).unwrap();
        let (_, new) = next_of(&mut engine, &pollination(Rate::ALWAYS, &[step], false));
        let mut counts = [0; 3];
        for flower in (0..pop).filter(|&flower| flower != best) {
            for cell in 0..256 {
                let [was, is, to] = [old.cells(flower), new.cells(flower), old.cells(best)]
                    .map(|cells| i32::from(cells[cell]));
                let by = (is - was) * (to - was).signum();
                assert!(to != was || is == was, "nothing to go for");
                // Where the best is a place away, and not at an end: beyond it is one more.
                if (to - was).abs() == 1 && (1..15).contains(&to) {
                    counts[by as usize] += 1;
                }
            }
        }
        let total = counts.iter().sum::<usize>();
        for (count, share) in counts.into_iter().zip(shares) {
            assert_share(count, total, share, &format!("{step}, {counts:?}"));
        }
    }
}

/// A flower that is alone has no two others to differ, and is its own best.
#[test]
fn a_single_flower_stays() {
    let puzzle = puzzle(sudoku(3, 3), 0.2, 134);
    for switch in [Rate::NEVER, Rate::ALWAYS] {
        let plan = pollination(switch, &[7 * ONE, -9 * ONE], false);
        let [old, new] = pollinated(&puzzle, 1, 135, &plan).unwrap();
        assert!(old == new);
    }
}

/// Local pollination knows nothing of the Levy steps, global pollination nothing of others.
#[test]
fn the_switch_decides_between_the_two() {
    let puzzle = puzzle(sudoku(3, 3), 0.2, 136);
    let moved = |switch: Rate, levy: &[i32]| {
        let plan = pollination(switch, levy, false);
        let [old, new] = pollinated(&puzzle, 300, 137, &plan).unwrap();
        let who = (0..300).filter(|&i| old.cells(i) != new.cells(i));
        (who.collect::<Vec<_>>(), new)
    };
    let (local, meadow) = moved(Rate::NEVER, &[ONE]);
    assert!(
        moved(Rate::NEVER, &[0, -ONE]).1 == meadow,
        "local steps are uniform"
    );
    assert!(!local.is_empty());
    // Global ones that go nowhere leave the local ones among the flowers.
    let (some, _) = moved(rate(0.5), &[0]);
    assert!(some.iter().all(|flower| local.contains(flower)));
    assert_share(some.len(), local.len(), 0.5, "local flowers");
}
