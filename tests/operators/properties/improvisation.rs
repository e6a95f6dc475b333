//! Harmony search: what an improvisation hears in the memory, and who has to leave it.

use std::collections::HashSet;

use gpusudoku::operators::{Improvise, Variation};
use gpusudoku::plan::{Domain, Objective, Plan, Representation};
use gpusudoku::population::Population;
use gpusudoku::problem::Puzzle;
use gpusudoku::rng::Rate;
use proptest::prelude::*;

use crate::common::*;
use crate::support::grid_runs::*;
use crate::support::strategies::*;
use crate::support::*;

const ANY: Representation = Representation {
    encoding: gpusudoku::plan::Encoding::Cells(Domain::Any),
    objective: Objective::MissingDigits,
};
const ALWAYS: u32 = Rate::ALWAYS.threshold();
/// Worse than any grid: every harmony enters a memory like that.
const HOPELESS: u32 = 1 << 30;

fn plan(improvise: Improvise) -> Plan {
    Plan::from(Variation::Improvise(improvise))
}

fn pitched(batch: u32, pitches: &[u32]) -> Improvise {
    Improvise {
        batch,
        pitches: pitches.into(),
        distinct: false,
    }
}

/// The harmonies that a memory of these grids gives rise to in the first generation, by loading it
/// with a fitness that everybody beats.
fn harmonies(
    puzzle: &Puzzle,
    representation: Representation,
    memory: &[Vec<u8>],
    seed: u64,
    improvise: &Improvise,
) -> Vec<(u32, Vec<u8>)> {
    let mut engine = engine_of(puzzle, representation, memory.len(), seed, 1);
    if initialise(&mut engine).solved() {
        return Vec::new();
    }
    engine
        .load(&population_of(puzzle.geometry(), memory, HOPELESS))
        .unwrap();
    let loose = Improvise {
        distinct: false,
        ..improvise.clone()
    };
    let (_, new) = next_of(&mut engine, &plan(loose));
    let individuals = new.fitness().iter().copied().zip(grids(&new));
    individuals
        .filter(|&(fitness, _)| fitness < HOPELESS)
        .collect()
}

fn members(population: &Population) -> Vec<(u32, Vec<u8>)> {
    let individuals = population.fitness().iter().copied();
    individuals.zip(grids(population)).collect()
}

fn sorted(individuals: &[(u32, Vec<u8>)]) -> Vec<u32> {
    let mut fitness: Vec<u32> = individuals.iter().map(|&(fitness, _)| fitness).collect();
    fitness.sort_unstable();
    fitness
}

proptest! {
    #![proptest_config(config(300))]

    /// The memory that is left is the best of the old one and the batch together.
    #[test]
    fn the_best_of_memory_and_batch_stay(
        puzzle in puzzles(),
        improvise in improvises(),
        objective in objectives(),
        domain in prop_oneof![Just(Domain::Any), Just(Domain::Candidates)],
        pop in 1usize..20,
        seed: u64,
    ) {
        let representation = cells(domain, objective);
        let improvise = Improvise {
            batch: improvise.batch % pop as u32 + 1,
            ..improvise
        };
        let (mut engine, old) = started_of(&puzzle, representation, pop, seed);
        let came = harmonies(&puzzle, representation, &grids(&old), seed, &improvise);
        if old.fitness().contains(&0) {
            return Ok(());
        }
        prop_assert_eq!(came.len(), improvise.batch as usize);
        let (_, new) = next_of(&mut engine, &plan(improvise.clone()));
        let (was, is) = (members(&old), members(&new));
        let everybody = [was.clone(), came.clone()].concat();
        let best = sorted(&everybody)[0];
        for (place, (was, is)) in was.iter().zip(&is).enumerate() {
            prop_assert!(is == was || (came.contains(is) && is.0 < was.0), "place {place}");
        }
        prop_assert_eq!(sorted(&is)[0], best);
        if !improvise.distinct {
            prop_assert_eq!(sorted(&is), &sorted(&everybody)[..pop]);
            // Of equals at the border the memory keeps its own.
            let last = sorted(&is)[pop - 1];
            for one in everybody.iter().filter(|one| one.0 < last) {
                prop_assert!(is.contains(one), "one of fitness {} is gone", one.0);
            }
        } else {
            // Copies come in with generation 0 only.
            for one in &is {
                let count = |individuals: &[(u32, Vec<u8>)]| individuals.iter().filter(|&x| x == one).count();
                prop_assert!(count(&is) <= count(&was).max(1), "a copy came in");
            }
        }
    }
}

/// A memory in which all differ stays one, though it shrinks to a few candidates.
#[test]
fn a_distinct_memory_stays_distinct() {
    let puzzle = puzzle(sudoku(3, 3), 0.4, 120);
    let representation = cells(Domain::Candidates, Objective::MissingDigits);
    let (mut engine, old) = started_of(&puzzle, representation, 25, 121);
    assert_eq!(grids(&old).into_iter().collect::<HashSet<_>>().len(), 25);
    let mut improvise = Improvise {
        distinct: true,
        ..pitched(25, &[rate(0.97).threshold(), rate(0.1).threshold(), 256])
    };
    for _ in 0..150 {
        if advance(&mut engine, &plan(improvise.clone()), 1, 1)[0].solved() {
            break;
        }
        let individuals: HashSet<Vec<u8>> = grids(&population(&mut engine)).into_iter().collect();
        assert_eq!(individuals.len(), 25);
    }
    // Without the rule the same memory fills with copies.
    improvise.distinct = false;
    let (mut engine, _) = started_of(&puzzle, representation, 25, 121);
    advance(&mut engine, &plan(improvise), 150, 150);
    let individuals: HashSet<Vec<u8>> = grids(&population(&mut engine)).into_iter().collect();
    assert!(individuals.len() < 25);
}

/// How often each digit stands in the harmonies of a memory in which all cells hold the same one.
fn digits_heard(held: u8, pitch: [u32; 3]) -> Vec<usize> {
    let puzzle = puzzle(sudoku(3, 3), 0.0, 122);
    let memory = vec![vec![held; 81]; 100];
    let mut counts = vec![0; 9];
    for (_, grid) in harmonies(&puzzle, ANY, &memory, 123, &pitched(100, &pitch)) {
        grid.iter()
            .for_each(|&digit| counts[usize::from(digit)] += 1);
    }
    assert_eq!(counts.iter().sum::<usize>(), 8100);
    counts
}

#[test]
fn pitches_are_what_the_table_says() {
    // Never from the memory: any digit.
    assert_uniform(&digits_heard(4, [0, ALWAYS, 256]), "digits at random");
    // From the memory as it is: no adjustment, or none that moves.
    assert_eq!(digits_heard(4, [ALWAYS, 0, 256])[4], 8100);
    assert_eq!(digits_heard(4, [ALWAYS, ALWAYS, 0])[4], 8100);
    // Up to one place up or down, rounded: half of all stay.
    let weights = [0, 0, 0, 1, 2, 1, 0, 0, 0];
    assert_weights(
        &digits_heard(4, [ALWAYS, ALWAYS, 256]),
        &weights,
        "one place",
    );
    // Up to two places: a quarter each side of half a place, half within one and a half.
    let weights = [0, 0, 1, 2, 2, 2, 1, 0, 0];
    assert_weights(
        &digits_heard(4, [ALWAYS, ALWAYS, 512]),
        &weights,
        "two places",
    );
    // The ends of the domain hold.
    let weights = [3, 1, 0, 0, 0, 0, 0, 0, 0];
    assert_weights(
        &digits_heard(0, [ALWAYS, ALWAYS, 256]),
        &weights,
        "the lowest",
    );
    let counts = digits_heard(8, [ALWAYS, ALWAYS, 1 << 15]);
    assert!(
        counts[0] > 3500 && counts[8] > 4000,
        "128 places: {counts:?}"
    );
    // Rates between never and always.
    let counts = digits_heard(4, [rate(0.7).threshold(), 0, 256]);
    assert_share(counts[4], 8100, 0.7 + 0.3 / 9.0, "considered");
    let counts = digits_heard(4, [ALWAYS, rate(0.4).threshold(), 256]);
    assert_share(counts[4], 8100, 0.6 + 0.4 / 2.0, "adjusted");
}

/// Every cell listens to a member of its own.
#[test]
fn all_members_are_heard() {
    let puzzle = puzzle(latin(9), 0.0, 124);
    let memory: Vec<Vec<u8>> = (0..9).map(|digit| vec![digit; 81]).collect();
    let came = harmonies(&puzzle, ANY, &memory, 125, &pitched(9, &[ALWAYS, 0, 0]));
    let mut counts = vec![0; 9];
    for (_, grid) in came {
        grid.iter()
            .for_each(|&digit| counts[usize::from(digit)] += 1);
    }
    assert_uniform(&counts, "members");
}

/// The entries of the table take turns, generation after generation, and begin anew at its end.
#[test]
fn pitches_take_turns() {
    let geometry = sudoku(3, 3);
    let puzzle = puzzle(geometry, 0.0, 126);
    let copies = [ALWAYS, 0, 0];
    let random = [0, 0, 0];
    for batch in [1, 2, 3] {
        // Two copies in every five.
        let table = [copies, random, random, copies, random].concat();
        let (mut engine, _) = started_of(&puzzle, ANY, 4, 127);
        for generation in 0..12 {
            engine
                .load(&population_of(geometry, &vec![vec![4; 81]; 4], HOPELESS))
                .unwrap();
            let (_, new) = next_of(&mut engine, &plan(pitched(batch, &table)));
            let individuals = members(&new);
            let came = individuals.iter().filter(|one| one.0 < HOPELESS);
            let copied = came.filter(|one| one.1 == [4; 81]).count() as u32;
            let turns = (0..batch).map(|harmony| (generation * batch + harmony) % 5);
            let expected = turns.filter(|turn| [0, 3].contains(turn)).count() as u32;
            assert_eq!(copied, expected, "batch {batch}, generation {generation}");
        }
    }
}
