//! What any plan for grids of any encoding leaves true, whatever the puzzle, the threads and the batches.

use gpusudoku::engine::{Backend, Engine, Setup};
use gpusudoku::operators::{BreedBlocks, MutationUnit, Variation};
use gpusudoku::plan::{Domain, Encoding, Learn, Objective, Plan, Representation};
use gpusudoku::population::{Population, Record};
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{Instance, Puzzle, Reduction};
use gpusudoku::rng::Rate;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::common::*;
use crate::support::grid_runs::*;
use crate::support::strategies::*;
use crate::support::*;

/// What the swaps of a generation can be.
fn check_swaps(
    puzzle: &Puzzle,
    plan: &Plan,
    record: &Record,
    pop: usize,
) -> Result<(), TestCaseError> {
    let breed = match &plan.vary {
        Variation::BreedBlocks(breed) => *breed,
        Variation::Islands(islands) => islands.breed,
        _ => BreedBlocks {
            swap: Rate::NEVER,
            ..COPIES
        },
    };
    let swappable = blocks(puzzle.geometry())
        .into_iter()
        .filter(|block| free_of(puzzle, block).len() > 1)
        .count();
    let most = match breed.mutation {
        // The only mutant of a child is no search.
        _ if breed.swap == Rate::NEVER || breed.mutants == 1 => 0,
        MutationUnit::Each => pop * swappable,
        MutationUnit::Individual => pop * usize::from(swappable > 0),
    } as u64;
    prop_assert!(record.swaps() <= most, "{} swaps", record.swaps());
    let every = breed.swap == Rate::ALWAYS && breed.mutation == MutationUnit::Each;
    // An island that is solved rests.
    let rests = matches!(plan.vary, Variation::Islands(_)) && record.solved();
    prop_assert!(
        !every || rests || record.swaps() == most,
        "every block swaps"
    );
    Ok(())
}

/// Nobody in the memory or the meadow gets worse.
fn keeps_the_better(vary: &Variation) -> bool {
    matches!(vary, Variation::Improvise(_) | Variation::Pollinate(_))
}

fn check_not_worse(old: &Population, new: &Population) -> Result<(), TestCaseError> {
    for (i, (was, is)) in old.fitness().iter().zip(new.fitness()).enumerate() {
        prop_assert!(is <= was, "individual {i} got worse");
        prop_assert!(
            is < was || old.cells(i) == new.cells(i),
            "{i} moved for nothing"
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(config(500))]

    /// Also that the survey counts differing pairs as a naive loop does.
    #[test]
    fn any_kind_keeps_its_promises(
        case in grid_runs(16),
        elite in proptest::option::of(elites()),
        threads in 1usize..4,
    ) {
        let GridRun { puzzle, representation, start, plan, pop, seed } = case;
        // Harmonies and emigrants take the room of elites.
        let room = !matches!(plan.vary, Variation::Improvise(_) | Variation::Islands(_));
        let plan = Plan { learn: elite.filter(|_| room).map(Learn::Elite), ..plan };
        let mut engine = engine_of(&puzzle, representation, pop, seed, threads);
        let first = begin(&mut engine, &start);
        let mut last = population(&mut engine);
        check_encoding(&puzzle, representation, &last)?;
        prop_assert_eq!(first, survey(&Record::default(), &last));
        for _ in 0..3 {
            let records = pollster::block_on(engine.advance(&plan, plan.stride())).unwrap();
            let Some(record) = records.last() else { break };
            prop_assert_eq!(records.len(), 1);
            let next = population(&mut engine);
            check_encoding(&puzzle, representation, &next)?;
            check_swaps(&puzzle, &plan, record, pop)?;
            if plan.learn.is_none() {
                prop_assert_eq!(*record, survey(record, &next));
                if keeps_the_better(&plan.vary) {
                    check_not_worse(&last, &next)?;
                }
            }
            pollster::block_on(engine.evaluate()).unwrap();
            prop_assert!(population(&mut engine) == next, "evaluation changed something");
            last = next;
        }
    }

    /// Rows are judged by every objective, too, whoever computes it: generation 0, breeding and its
    /// search, learning, evaluation.
    #[test]
    fn rows_are_sound_under_every_objective(
        puzzle in puzzles(),
        plan in plans(),
        objective in objectives(),
        pop in 1usize..12,
        seed: u64,
    ) {
        let representation = Representation { encoding: Encoding::Rows, objective };
        let mut engine = engine_of(&puzzle, representation, pop, seed, 1);
        initialise(&mut engine);
        check_encoding(&puzzle, representation, &population(&mut engine))?;
        advance(&mut engine, &plan, 2, 2);
        let bred = population(&mut engine);
        check_encoding(&puzzle, representation, &bred)?;
        pollster::block_on(engine.evaluate()).unwrap();
        prop_assert!(population(&mut engine) == bred, "evaluation changed something");
    }
}

proptest! {
    #![proptest_config(config(250))]

    /// Threads, and the batches in which generations come, decide nothing. Batches of islands are
    /// whole epochs, but for the last.
    #[test]
    fn threads_and_batches_change_nothing_for_any_kind(case in grid_runs(40)) {
        let GridRun { puzzle, representation, start, plan, pop, seed } = case;
        let stride = plan.stride();
        let outcome = |threads, batch: u32| {
            let mut engine = engine_of(&puzzle, representation, pop, seed, threads);
            let first = begin(&mut engine, &start);
            let records = advance_to(&mut engine, &plan, 2 * stride + 3, batch * stride);
            (first, records, population(&mut engine))
        };
        let expected = outcome(1, 9);
        for (threads, batch) in [(2, 2), (5, 1)] {
            prop_assert!(
                outcome(threads, batch) == expected,
                "{threads} threads, batches of {batch}"
            );
        }
    }

    /// A second start is the first, whatever was left aside by the run before.
    #[test]
    fn any_kind_starts_anew(case in grid_runs(12), other in grid_runs(12)) {
        let GridRun { puzzle, representation, start, plan, pop, seed } = case;
        let mut engine = engine_of(&puzzle, representation, pop, seed, 1);
        let mut run = || {
            let first = begin(&mut engine, &start);
            let records = advance_to(&mut engine, &plan, 2 * plan.stride() + 1, 100);
            (first, records, population(&mut engine))
        };
        let expected = run();
        prop_assert!(run() == expected);
        // Another plan for the same individuals, with another batch or other islands, in between.
        if let (Variation::Improvise(_), Variation::Improvise(improvise)) = (&plan.vary, &other.plan.vary) {
            let mut improvise = improvise.clone();
            improvise.batch = improvise.batch % pop as u32 + 1;
            begin(&mut engine, &start);
            advance_to(&mut engine, &Plan::from(Variation::Improvise(improvise)), 2, 2);
            check_encoding(&puzzle, representation, &population(&mut engine))?;
        }
    }
}

/// Diversity is the share of free cells in which two individuals differ, over all pairs.
#[test]
fn diversity_is_the_mean_distance_of_two() {
    let full = puzzle(sudoku(3, 3), 1.0, 64);
    let puzzle = puzzle(sudoku(3, 3), 0.3, 60);
    let free = puzzle.givens().cells().iter().filter(|&&given| given == 0);
    let free = free.count();
    for (representation, pop) in [(Representation::ROWS, 7), (Representation::BLOCKS, 30)] {
        let mut engine = engine_of(&puzzle, representation, pop, 61, 3);
        let record = initialise(&mut engine);
        let grids = grids(&population(&mut engine));
        let mut shares = Vec::new();
        for one in 0..pop {
            for two in one + 1..pop {
                let cells = grids[one].iter().zip(&grids[two]);
                let differ = cells.filter(|(one, two)| one != two).count();
                shares.push(differ as f64 / free as f64);
            }
        }
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        assert!((record.diversity(pop, free) - mean).abs() < 1e-9);
        assert!(mean > 0.5 && mean < 1.0);
    }
    // Nobody to differ from, and nobody who differs.
    let mut alone = engine_of(&puzzle, Representation::BLOCKS, 1, 62, 1);
    assert_eq!(initialise(&mut alone).diversity(1, free), 0.0);
    let mut engine = engine_of(&full, Representation::BLOCKS, 5, 63, 1);
    assert_eq!(initialise(&mut engine).diversity(5, 0), 0.0);
}

/// Unless it is asked for, diversity is not measured, and nothing else changes.
#[test]
fn diversity_costs_nothing_unless_asked_for() {
    let puzzle = puzzle(sudoku(2, 3), 0.3, 65);
    let instance = Instance::from(Reduction::new(&puzzle, Level::None).unwrap());
    let records = |diversity| {
        let setup = Setup {
            instance: &instance,
            representation: Representation::BLOCKS,
            pop: 9,
            seed: 66,
            diversity,
        };
        let backend = Backend::Cpu { threads: 1 };
        let mut engine = pollster::block_on(Engine::new(&backend, &setup)).unwrap();
        let breed = BreedBlocks {
            swap: rate(0.2),
            ..COPIES
        };
        let first = initialise(&mut engine);
        let mut records = advance(
            &mut engine,
            &Plan::from(Variation::BreedBlocks(breed)),
            5,
            5,
        );
        records.insert(0, first);
        records
    };
    for (with, without) in records(true).into_iter().zip(records(false)) {
        assert_eq!(without.diversity(9, 20), 0.0);
        let differences = (with.differences_low, with.differences_high);
        assert!(differences > (0, 0));
        let (differences_low, differences_high) = differences;
        assert_eq!(
            with,
            Record {
                differences_low,
                differences_high,
                ..without
            }
        );
    }
}

/// The domains of cells are what propagation has left.
#[test]
fn cells_hold_what_propagation_has_left() {
    for level in Level::ALL {
        let puzzle = puzzle(sudoku(3, 3), 0.35, 67);
        let instance = Instance::from(Reduction::new(&puzzle, level).unwrap());
        for domain in [Domain::Candidates, Domain::Any] {
            let setup = Setup {
                instance: &instance,
                representation: cells(domain, Objective::MissingDigits),
                pop: 300,
                seed: 68,
                diversity: false,
            };
            let backend = Backend::Cpu { threads: 1 };
            let mut engine = pollster::block_on(Engine::new(&backend, &setup)).unwrap();
            initialise(&mut engine);
            let population = population(&mut engine);
            for (cell, &candidates) in instance.reduction().candidates().iter().enumerate() {
                let mut held = 0u128;
                (0..300).for_each(|i| held |= 1 << population.cells(i)[cell]);
                let closed = instance.reduction().puzzle().givens().cells()[cell] != 0;
                let expected = match domain {
                    Domain::Any if !closed => (1 << 9) - 1,
                    _ => candidates,
                };
                assert_eq!(held, expected, "{level:?}, {domain:?}, cell {cell}");
            }
        }
    }
}
