//! Operator by operator, then evaluation, in both layouts.

use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::operators::{Admits, BreedRows, MutationUnit, Parent, Repeats, Survivor};
use gpusudoku::plan::Plan;
use gpusudoku::rng::Rate;

use super::common::*;
use super::support::*;

/// Every operator alone, then together, by name.
fn operators() -> Vec<(&'static str, Plan)> {
    const IDLE: BreedRows = BreedRows::IDLE;
    let columns = BreedRows {
        column_search: true,
        rounds: 1,
        ..IDLE
    };
    let blocks = BreedRows {
        block_search: true,
        rounds: 1,
        ..IDLE
    };
    let both = BreedRows {
        block_search: true,
        rounds: 5,
        ..columns
    };
    // Worse and better children in turn, so that selection has something to choose from.
    let mutants = BreedRows {
        swap: rate(0.4),
        reinitialise: rate(0.1),
        ..IDLE
    };
    let breeds = [
        ("idle", IDLE),
        (
            "crossover of some rows",
            BreedRows {
                crossover: rate(0.7),
                crossover_row: rate(0.4),
                ..IDLE
            },
        ),
        (
            "crossover of every row",
            BreedRows {
                crossover: Rate::ALWAYS,
                crossover_row: Rate::ALWAYS,
                ..IDLE
            },
        ),
        (
            "swaps",
            BreedRows {
                swap: rate(0.3),
                ..IDLE
            },
        ),
        (
            "a swap in every row",
            BreedRows {
                swap: Rate::ALWAYS,
                ..IDLE
            },
        ),
        (
            "a swap in one row",
            BreedRows {
                swap: rate(0.6),
                mutation: MutationUnit::Individual,
                ..IDLE
            },
        ),
        (
            "re-initialised rows",
            BreedRows {
                reinitialise: rate(0.3),
                ..IDLE
            },
        ),
        (
            "every row re-initialised",
            BreedRows {
                reinitialise: Rate::ALWAYS,
                ..IDLE
            },
        ),
        (
            "one row re-initialised",
            BreedRows {
                reinitialise: rate(0.6),
                mutation: MutationUnit::Individual,
                ..IDLE
            },
        ),
        ("both mutations", mutants),
        (
            "both mutations in one row",
            BreedRows {
                swap: Rate::ALWAYS,
                reinitialise: rate(0.5),
                mutation: MutationUnit::Individual,
                ..IDLE
            },
        ),
        (
            "parents of a tournament of 1",
            BreedRows {
                parent: Parent::Tournament(1),
                ..mutants
            },
        ),
        (
            "parents of a tournament of 3",
            BreedRows {
                parent: Parent::Tournament(3),
                ..mutants
            },
        ),
        (
            "survivors of a tournament of 2",
            BreedRows {
                survivor: Survivor::Tournament(2),
                ..mutants
            },
        ),
        (
            "survivors of a tournament of 4",
            BreedRows {
                survivor: Survivor::Tournament(4),
                ..mutants
            },
        ),
        (
            "survivors of a strict tournament of 2",
            BreedRows {
                survivor: Survivor::StrictTournament(2),
                ..mutants
            },
        ),
        (
            "survivors of a strict tournament of 5",
            BreedRows {
                survivor: Survivor::StrictTournament(5),
                ..mutants
            },
        ),
        ("every row re-initialised, again", {
            // The searches find much to do in random rows.
            BreedRows {
                reinitialise: Rate::ALWAYS,
                ..IDLE
            }
        }),
        ("column search", columns),
        (
            "column search, later repeats, after mutation",
            BreedRows {
                reinitialise: rate(0.5),
                repeats: Repeats::Later,
                ..columns
            },
        ),
        (
            "column search, one partner, after mutation",
            BreedRows {
                reinitialise: rate(0.5),
                partners: 1,
                ..columns
            },
        ),
        ("every row re-initialised, once more", {
            BreedRows {
                reinitialise: Rate::ALWAYS,
                ..IDLE
            }
        }),
        ("block search", blocks),
        (
            "block search, later repeats, after mutation",
            BreedRows {
                reinitialise: rate(0.5),
                repeats: Repeats::Later,
                ..blocks
            },
        ),
        (
            "block search, one partner, after mutation",
            BreedRows {
                reinitialise: rate(0.5),
                partners: 1,
                ..blocks
            },
        ),
        (
            "both searches, later repeats, after mutation",
            BreedRows {
                reinitialise: rate(0.7),
                repeats: Repeats::Later,
                ..both
            },
        ),
        (
            "both searches, one partner, after mutation",
            BreedRows {
                reinitialise: rate(0.7),
                partners: 1,
                ..both
            },
        ),
        (
            "both searches, two partners, later repeats",
            BreedRows {
                reinitialise: rate(0.7),
                partners: 2,
                repeats: Repeats::Later,
                ..both
            },
        ),
        (
            "both searches, one round, after mutation",
            BreedRows {
                reinitialise: rate(0.7),
                rounds: 1,
                ..both
            },
        ),
        ("every row re-initialised, at last", {
            BreedRows {
                reinitialise: Rate::ALWAYS,
                ..IDLE
            }
        }),
    ];
    let elites = [
        (
            "a queue of 1 for improvements",
            learning(IDLE, 1, Admits::Improvement),
        ),
        (
            "a queue of 1 for every best",
            learning(mutants, 1, Admits::EveryBest),
        ),
        (
            "a queue of 50 for improvements",
            learning(IDLE, 50, Admits::Improvement),
        ),
        (
            "a queue of 50 for every best",
            learning(mutants, 50, Admits::EveryBest),
        ),
        ("LSGA", lsga()),
    ];
    let breeds = breeds.map(|(name, breed)| (name, breeding(breed)));
    breeds.into_iter().chain(elites).collect()
}

/// Runs every operator, three generations each, on what the operators before it left.
fn try_operators(pair: &mut Pair) {
    try_some_operators(pair, 0, 1);
}

/// The same of one in `step` operators, from one of them on.
fn try_some_operators(pair: &mut Pair, from: usize, step: usize) {
    let first = pair.initialise();
    assert!(!first.solved(), "{}: nothing to do", pair.name);
    for (name, plan) in operators().into_iter().skip(from).step_by(step) {
        // Odd and even generations live in different buffers: a batch starts at either.
        let solved = pair.advance(&plan, 1, (1, 1), name) || pair.advance(&plan, 2, (2, 2), name);
        if solved {
            pair.initialise();
        }
    }
}

#[test]
fn operators_one_by_one_with_a_thread_per_individual() {
    if skipped() {
        return;
    }
    for (geometry, pop, seed, threads) in [
        (sudoku(2, 2), 63, 11, 1),
        (sudoku(2, 3), 1, 12, 2),
        (sudoku(3, 2), 65, 13, 5),
        (sudoku(3, 3), 150, 14, 2),
        (sudoku(3, 4), 64, 15, 1),
        (latin(7), 65, 16, 5),
        (latin(3), 1, 17, 2),
    ] {
        let puzzle = puzzle_of(geometry, seed);
        try_operators(&mut Pair::new(&puzzle, pop, seed, Mapping::Thread, threads));
    }
}

#[test]
fn operators_one_by_one_with_a_workgroup_per_individual() {
    if skipped() {
        return;
    }
    for (geometry, pop, seed, threads) in [
        (sudoku(2, 2), 65, 21, 5),
        (sudoku(2, 3), 64, 22, 1),
        (sudoku(3, 2), 63, 23, 2),
        (sudoku(3, 3), 65, 24, 1),
        (sudoku(4, 3), 63, 25, 5),
        (sudoku(4, 4), 64, 26, 2),
        (latin(7), 150, 27, 1),
    ] {
        let puzzle = puzzle_of(geometry, seed);
        try_operators(&mut Pair::new(
            &puzzle,
            pop,
            seed,
            Mapping::Workgroup,
            threads,
        ));
    }
}

#[test]
fn operators_one_by_one_on_large_grids() {
    if skipped() {
        return;
    }
    for (from, (geometry, pop, seed, threads)) in [
        (sudoku(5, 5), 5, 31, 2),
        (sudoku(6, 6), 2, 32, 5),
        (latin(40), 2, 33, 1),
        (latin(70), 1, 34, 2),
    ]
    .into_iter()
    .enumerate()
    {
        let puzzle = puzzle_of(geometry, seed);
        let mut pair = Pair::new(&puzzle, pop, seed, Mapping::Workgroup, threads);
        // Each has some of them, and each of them has some.
        try_some_operators(&mut pair, from % 3, 3);
    }
}

/// Evaluation finds the fitness of what a run left, in either buffer: both engines count as a
/// person would.
#[test]
fn evaluation() {
    if skipped() {
        return;
    }
    for (geometry, pop, mapping) in [
        (sudoku(2, 3), 65, Mapping::Workgroup),
        (sudoku(3, 3), 64, Mapping::Thread),
        (sudoku(3, 4), 63, Mapping::Thread),
        (sudoku(5, 5), 9, Mapping::Workgroup),
        (latin(7), 150, Mapping::Thread),
        (latin(40), 5, Mapping::Workgroup),
        (latin(70), 3, Mapping::Workgroup),
    ] {
        let mut pair = Pair::new(&puzzle_of(geometry, 51), pop, 52, mapping, 2);
        pair.initialise();
        for generation in 0..3 {
            pair.spoil_fitness();
            pollster::block_on(pair.cpu.evaluate()).unwrap();
            pollster::block_on(pair.gpu.evaluate()).unwrap();
            pair.compare("evaluate");
            let population = population(&mut pair.gpu);
            for individual in 0..pop {
                assert_eq!(
                    population.fitness()[individual],
                    faults(geometry, population.cells(individual)),
                    "{}: generation {generation}, individual {individual}",
                    pair.name
                );
            }
            let swaps = BreedRows {
                swap: rate(0.1),
                survivor: Survivor::Tournament(2),
                ..BreedRows::IDLE
            };
            if pair.advance(&breeding(swaps), 1, (1, 1), "swaps") {
                break;
            }
        }
    }
}
