//! Whole runs: batches, the first solution, outcomes, second starts and queues that change.

use gpusudoku::algo::{Settings, lsga as lsga_algorithm};
use gpusudoku::controller::{Stop, run};
use gpusudoku::engine::Backend;
use gpusudoku::engine::gpu::adapter::AdapterChoice;
use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::operators::{Admits, BreedRows, Survivor};
use gpusudoku::problem::Problem;
use gpusudoku::problem::sudoku::builtin;
use gpusudoku::problem::sudoku::propagate::Level;

use super::common::*;
use super::support::*;

/// LSGA over runs, compared after every batch; the engines' batches differ on purpose.
#[test]
fn lsga_over_runs() {
    if skipped() {
        return;
    }
    for (geometry, pop, seed, mapping, batches, threads) in [
        (sudoku(2, 2), 1, 1, Mapping::Thread, (7, 3), 1),
        (sudoku(2, 3), 1, u64::MAX, Mapping::Workgroup, (1, 20), 2),
        (sudoku(3, 2), 64, 1 << 32, Mapping::Thread, (20, 1), 5),
        (sudoku(3, 3), 1, 7, Mapping::Workgroup, (20, 7), 1),
        (sudoku(3, 3), 65, 8, Mapping::Thread, (3, 20), 5),
        (sudoku(3, 4), 66, 9, Mapping::Thread, (20, 3), 2),
        (sudoku(4, 4), 21, 10, Mapping::Workgroup, (7, 20), 2),
        (sudoku(5, 5), 4, 11, Mapping::Workgroup, (1, 7), 1),
        (sudoku(6, 6), 1, 12, Mapping::Workgroup, (3, 20), 2),
        (latin(7), 63, 13, Mapping::Workgroup, (20, 7), 5),
        (latin(40), 1, 14, Mapping::Workgroup, (7, 20), 1),
    ] {
        let mut pair = Pair::new(&puzzle_of(geometry, seed), pop, seed, mapping, threads);
        pair.initialise();
        for _ in 0..2 {
            if pair.advance(&lsga(), 20, batches, "LSGA") {
                break;
            }
        }
    }
}

/// The same end, however the generations are dealt out to batches.
#[test]
fn batches_change_nothing() {
    if skipped() {
        return;
    }
    const GENERATIONS: u32 = 42;
    // The hardest of the built-in puzzles, so that nothing is solved on the way.
    let puzzle = builtin::find("sd3").unwrap().puzzle();
    for mapping in [Mapping::Thread, Mapping::Workgroup] {
        let (pop, seed) = (33, 71);
        let mut cpu = cpu_engine(puzzle, pop, seed, 2);
        let mut gpu = gpu_engine(puzzle, pop, seed, mapping);
        initialise(&mut cpu);
        let expected = advance(&mut cpu, &lsga(), GENERATIONS, GENERATIONS);
        assert_eq!(expected.len() as u32, GENERATIONS);
        for batch in [1, 3, 7, GENERATIONS] {
            initialise(&mut gpu);
            let records = advance(&mut gpu, &lsga(), GENERATIONS, batch);
            assert_eq!(records, expected, "{mapping}, batches of {batch}");
            assert_same(
                &population(&mut cpu),
                &population(&mut gpu),
                &format!("{mapping}, batches of {batch}"),
            );
        }
    }
}

/// The first solved generation is the last one to run, even in the middle of a batch.
#[test]
fn the_first_solved_generation_stands() {
    if skipped() {
        return;
    }
    const GENERATIONS: u32 = 60;
    let puzzle = builtin::find("easy-1").unwrap().puzzle();
    for (pop, seed, mapping) in [
        (150, 1, Mapping::Thread),
        (150, 2, Mapping::Thread),
        (65, 3, Mapping::Workgroup),
        (64, 4, Mapping::Workgroup),
    ] {
        let mut cpu = cpu_engine(puzzle, pop, seed, 2);
        initialise(&mut cpu);
        let expected = advance(&mut cpu, &lsga(), GENERATIONS, 1);
        let last = expected.last().unwrap();
        assert!(last.solved(), "seed {seed} was to be solved");
        assert!(last.generation < GENERATIONS, "seed {seed} ends its batch");
        let solved = population(&mut cpu);
        let mut gpu = gpu_engine(puzzle, pop, seed, mapping);
        for batch in [1, 3, 7, GENERATIONS] {
            let what = format!("pop {pop}, seed {seed}, {mapping}, batches of {batch}");
            for engine in [&mut cpu, &mut gpu] {
                initialise(engine);
                let records = advance(engine, &lsga(), GENERATIONS, batch);
                assert_eq!(records, expected, "{what}");
                assert_same(&solved, &population(engine), &what);
                assert_eq!(advance(engine, &lsga(), 5, 5), [], "{what}: solved already");
                assert_same(&solved, &population(engine), &what);
            }
        }
    }
}

/// What the controller reports, but for time and place.
#[test]
fn whole_runs_have_the_same_outcome() {
    if skipped() {
        return;
    }
    let algorithm = Settings::new(&lsga_algorithm::INFO).build();
    for (name, pop, seed, max_generations, mapping, stop) in [
        ("easy-1", 150, 81, 1000, Mapping::Thread, Stop::Solved),
        ("easy-11", 64, 82, 1000, Mapping::Workgroup, Stop::Solved),
        ("sd3", 20, 83, 30, Mapping::Workgroup, Stop::Generations),
    ] {
        let puzzle = builtin::find(name).unwrap().puzzle();
        let outcome = |backend| {
            let config = config_of(
                &*algorithm,
                Level::None,
                pop,
                seed,
                max_generations,
                backend,
            );
            let outcome =
                pollster::block_on(run(&Problem::from(puzzle.clone()), &config, &mut ())).unwrap();
            assert_eq!(outcome.stop, stop, "{name} on {:?}", outcome.engine);
            (
                outcome.generations,
                outcome.evaluations,
                outcome.best_fitness,
                outcome.best,
                outcome.solved,
                outcome.population_hash,
            )
        };
        let gpu = Backend::Gpu {
            adapter: AdapterChoice::Best,
            mapping: Some(mapping),
        };
        let cpu = outcome(Backend::Cpu { threads: 2 });
        assert_eq!(cpu, outcome(gpu), "{name}, {mapping}");
    }
}

/// Starting over forgets everything: solution, queue of elites, generation.
#[test]
fn a_second_start_is_the_first() {
    if skipped() {
        return;
    }
    for mapping in [Mapping::Thread, Mapping::Workgroup] {
        let puzzle = puzzle_of(sudoku(2, 3), 101);
        let mut pair = Pair::new(&puzzle, 9, 102, mapping, 2);
        let mut last = None;
        for start in 0..3 {
            let first = pair.initialise();
            assert_eq!(first.generation, 0);
            let solved = pair.advance(&lsga(), 200, (200, 200), "LSGA");
            assert!(solved, "a 6x6 puzzle was to be solved");
            let end = population(&mut pair.gpu);
            if let Some(last) = last.replace(end.clone()) {
                assert_same(&last, &end, &format!("{mapping}, start {start}"));
            }
        }
    }
}

/// Queues that come, go, and change their length and rule in the middle of a run.
#[test]
fn queues_that_change() {
    if skipped() {
        return;
    }
    let idle = |size, admits| learning(BreedRows::IDLE, size, admits);
    let mutants = BreedRows {
        swap: rate(0.3),
        survivor: Survivor::Tournament(2),
        ..BreedRows::IDLE
    };
    for mapping in [Mapping::Thread, Mapping::Workgroup] {
        let puzzle = builtin::find("sd1").unwrap().puzzle();
        let mut pair = Pair::new(puzzle, 17, 111, mapping, 2);
        pair.initialise();
        for (at, plan) in [
            idle(3, Admits::EveryBest),
            breeding(mutants),
            idle(3, Admits::Improvement),
            learning(mutants, 50, Admits::Improvement),
            breeding(mutants),
            learning(mutants, 50, Admits::EveryBest),
            idle(1, Admits::Improvement),
            idle(50, Admits::Improvement),
            idle(2, Admits::EveryBest),
        ]
        .iter()
        .enumerate()
        {
            pair.advance(plan, 6, (2, 6), &format!("plan {at}"));
        }
    }
}
