//! Tabu searches on both engines: lists short and long, searches in workgroup memory and in storage,
//! generations of one dispatch and of many.

use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::operators::{Start, Tabu, Variation};
use gpusudoku::plan::{Plan, Representation};
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{Geometry, Instance, Puzzle, Reduction};
use gpusudoku::rng::Stream;
use rand::RngExt;

use super::common::*;
use super::support::*;

const TABU: Tabu = Tabu {
    moves: 50,
    factors: [64, 120],
    period: 3,
    random: 6,
};

fn moves(moves: u32) -> Tabu {
    Tabu { moves, ..TABU }
}

fn plan(tabu: Tabu) -> Plan {
    Plan::from(Variation::Tabu(tabu))
}

/// Both engines on what is left of a puzzle.
fn pair_on(puzzle: &Puzzle, level: Level, pop: usize, mapping: Mapping) -> Pair {
    let instance = Instance::from(Reduction::new(puzzle, level).unwrap());
    let representation = Representation::COLOURING;
    let mut pair = Pair::on(&instance, representation, pop, 181, mapping, 1 + pop % 2);
    pair.initialise();
    pair
}

fn pair_of(geometry: Geometry, givens: f64, level: Level, pop: usize) -> Pair {
    let puzzle = puzzle(geometry, givens, 180);
    pair_on(&puzzle, level, pop, Mapping::Workgroup)
}

/// Small grids, awkward populations, generations of one dispatch, batches of all sizes.
#[test]
fn searches_on_small_grids() {
    if skipped() {
        return;
    }
    for (puzzle, pop, moves_each, [generations, cpu, gpu], mapping) in [
        (unsolvable(), 1, 1, [4, 1, 4], Mapping::Thread),
        (unsolvable(), 33, 300, [4, 4, 3], Mapping::Workgroup),
        (impossible(sudoku(2, 3)), 70, 40, [3, 2, 3], Mapping::Thread),
        (impossible(latin(5)), 3, 200, [4, 3, 2], Mapping::Workgroup),
        (
            puzzle(sudoku(3, 3), 0.3, 5),
            33,
            20,
            [3, 1, 3],
            Mapping::Workgroup,
        ),
        (
            puzzle(sudoku(3, 3), 0.0, 5),
            3,
            15,
            [3, 3, 1],
            Mapping::Thread,
        ),
        (
            impossible(sudoku(3, 3)),
            70,
            100,
            [2, 2, 2],
            Mapping::Workgroup,
        ),
    ] {
        let mut pair = pair_on(&puzzle, Level::None, pop, mapping);
        let plan = plan(moves(moves_each));
        pair.advance(&plan, generations, (cpu, gpu), "a search");
    }
}

/// The largest grids, also such as do not fit workgroup memory, blank ones, and the longest boxes.
#[test]
fn searches_on_large_grids() {
    if skipped() {
        return;
    }
    for (geometry, givens, level, pop, moves_each, generations) in [
        (sudoku(4, 4), 0.38, Level::Probing, 3, 120, 3),
        (sudoku(5, 5), 0.4, Level::Singles, 3, 60, 2),
        (sudoku(6, 6), 0.5, Level::Singles, 3, 30, 2),
        (sudoku(7, 7), 0.6, Level::None, 3, 10, 2),
        (sudoku(8, 8), 0.7, Level::Singles, 1, 20, 2),
        (sudoku(8, 8), 0.0, Level::None, 1, 2, 1),
        (latin(33), 0.5, Level::None, 3, 30, 2),
        (latin(65), 0.7, Level::None, 1, 20, 2),
        (latin(100), 0.6, Level::None, 1, 2, 1),
        (latin(128), 0.9, Level::None, 1, 2, 1),
        (sudoku(2, 16), 0.5, Level::None, 1, 20, 2),
        (sudoku(32, 2), 0.8, Level::None, 1, 4, 1),
    ] {
        let mut pair = pair_of(geometry, givens, level, pop);
        let plan = plan(moves(moves_each));
        pair.advance(&plan, generations, (1, generations), "a search");
    }
}

/// A generation that takes several dispatches is one search: what is tabu, the fewest conflicts and
/// the moves are handed on, also by those who are done before the others.
#[test]
fn searches_of_many_dispatches() {
    if skipped() {
        return;
    }
    for (puzzle, level, pop, moves_each) in [
        // Up to 32,768 turns of loops in a dispatch on software adapters: between 70 moves and 2000.
        (impossible(sudoku(3, 3)), Level::None, 2, 4500),
        (impossible(sudoku(4, 4)), Level::None, 2, 1500),
        (puzzle(sudoku(5, 5), 0.42, 7), Level::Singles, 3, 400),
        (puzzle(sudoku(6, 6), 0.45, 7), Level::Singles, 1, 200),
        (soon_stuck(), Level::None, 5, 9000),
    ] {
        let mut pair = pair_on(&puzzle, level, pop, Mapping::Workgroup);
        pair.advance(&plan(moves(moves_each)), 2, (2, 2), "a long search");
    }
}

/// Populations of which not all have a slate at the same time, and one of which some are solved in a
/// generation and others are not.
#[test]
fn searches_of_large_populations() {
    if skipped() {
        return;
    }
    for (geometry, givens, pop, moves_each) in [
        (sudoku(3, 3), 0.45, 300, 30),
        (sudoku(6, 6), 0.6, 70, 5),
        (sudoku(2, 2), 0.1, 500, 3),
    ] {
        let mut pair = pair_of(geometry, givens, Level::None, pop);
        pair.advance(&plan(moves(moves_each)), 2, (1, 2), "a large population");
    }
}

/// From no tenure at all to the longest, with first periods of one generation and of 4095.
#[test]
fn extreme_tenures() {
    if skipped() {
        return;
    }
    let longest = Tabu::LONGEST;
    let mut tabus = Vec::new();
    for factors in [[0, 0], [0, longest], [1, 1], [4000, longest], [0, 40]] {
        for (period, random) in [(1, 1), (2, longest), (4095, 9)] {
            tabus.push(Tabu {
                moves: 40,
                factors,
                period,
                random,
            });
        }
    }
    for puzzle in [impossible(sudoku(2, 3)), impossible(sudoku(4, 4))] {
        let mut pair = pair_on(&puzzle, Level::None, 5, Mapping::Workgroup);
        for tabu in &tabus {
            let solved = pair.advance(&plan(*tabu), 2, (2, 1), &format!("{tabu:?}"));
            assert!(!solved, "{}: too easy a task", pair.name);
        }
    }
    // Tabus that end in a generation though they are as long as can be.
    let mut pair = pair_on(&unsolvable(), Level::None, 2, Mapping::Workgroup);
    let tabu = Tabu {
        moves: 9000,
        factors: [longest; 2],
        period: 1,
        random: longest,
    };
    pair.advance(&plan(tabu), 1, (1, 1), "long tenures");
}

/// Plans that change, new populations in between, and generations that are good enough.
#[test]
fn one_search_after_another() {
    if skipped() {
        return;
    }
    let renew = Plan::from(Variation::Renew(Start::Fresh));
    for (puzzle, level) in [
        (impossible(sudoku(3, 3)), Level::None),
        (puzzle(sudoku(6, 6), 0.5, 9), Level::Singles),
    ] {
        let mut pair = pair_on(&puzzle, level, 5, Mapping::Workgroup);
        let plans = [
            (plan(moves(30)), 2),
            (plan(moves(1)), 3),
            (renew.clone(), 1),
            (plan(moves(45)), 1),
            (renew.clone(), 2),
            (
                plan(Tabu {
                    random: 1,
                    period: 1,
                    factors: [0, 0],
                    moves: 9,
                }),
                2,
            ),
            (plan(moves(30)), 1),
        ];
        for (at, (plan, generations)) in plans.iter().enumerate() {
            let batches = [(1, 100), (100, 2), (2, 1)][at % 3];
            pair.advance(plan, *generations, batches, &format!("plan {at}, {plan:?}"));
        }
        pair.initialise();
        pair.advance(&plan(moves(10)), 2, (1, 2), "from the start");
        // It ends in the middle of a batch.
        let good = Plan {
            target_fitness: 1_000_000,
            ..plan(moves(10))
        };
        let [cpu, gpu] = [&mut pair.cpu, &mut pair.gpu]
            .map(|engine| pollster::block_on(engine.advance(&good, 5)).unwrap());
        assert_eq!((cpu.len(), &cpu), (1, &gpu), "{}", pair.name);
        pair.compare("good enough");
    }
}

/// A population from elsewhere, with fitness that nobody has counted.
#[test]
fn populations_from_elsewhere() {
    if skipped() {
        return;
    }
    for (geometry, givens, level) in [
        (sudoku(3, 3), 0.3, Level::None),
        (sudoku(5, 5), 0.4, Level::Singles),
        (sudoku(6, 6), 0.5, Level::None),
    ] {
        let mut pair = pair_of(geometry, givens, level, 5);
        let puzzle = puzzle(geometry, givens, 180);
        let reduction = Reduction::new(&puzzle, level).unwrap();
        let mut foreign = population(&mut pair.cpu);
        let mut rng = Stream::new(182, 6);
        for individual in 0..5 {
            for (cell, &list) in reduction.candidates().iter().enumerate() {
                let digits: Vec<u8> = (0..128).filter(|digit| list >> digit & 1 == 1).collect();
                foreign.cells_mut(individual)[cell] = digits[rng.random_range(0..digits.len())];
            }
        }
        foreign.split_mut().2.fill(77);
        pair.load(&foreign);
        pair.compare("load");
        pair.evaluate();
        pair.load(&foreign);
        pair.advance(
            &plan(moves(12)),
            1,
            (1, 1),
            "a search without an evaluation",
        );
        pair.spoil_fitness();
        pair.evaluate();
        pair.advance(&plan(moves(12)), 1, (1, 1), "a search after an evaluation");
        // A solution among them, which stays.
        let mut foreign = population(&mut pair.cpu);
        for (cell, digit) in solution(geometry, 180).into_iter().enumerate() {
            foreign.cells_mut(3)[cell] = digit - 1;
        }
        pair.load(&foreign);
        assert!(pair.advance(&plan(moves(12)), 1, (1, 1), "a solution"));
        assert_eq!(population(&mut pair.gpu).cells(3), foreign.cells(3));
    }
}

/// Nothing to do: no cell is open, or nobody can move.
#[test]
fn searches_that_cannot_move() {
    if skipped() {
        return;
    }
    let mut pair = pair_of(sudoku(3, 3), 1.0, Level::None, 3);
    for engine in [&mut pair.cpu, &mut pair.gpu] {
        let records = pollster::block_on(engine.advance(&plan(TABU), 3)).unwrap();
        assert!(records.is_empty(), "{records:?}");
    }
    pair.evaluate();
    // Where searches get stuck, both say so, and count what they have done.
    let mut pair = pair_on(&soon_stuck(), Level::None, 9, Mapping::Workgroup);
    for _ in 0..3 {
        let solved = pair.advance(&plan(moves(80)), 1, (1, 1), "stuck");
        assert!(!solved);
    }
    assert!(population(&mut pair.gpu).fitness().contains(&4));
}
