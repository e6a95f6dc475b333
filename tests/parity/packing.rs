//! Searches that keep partial grids on both engines: grids of all sizes, workspaces in workgroup memory and in storage,
//! generations of one dispatch and of many.

use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::error::Error;
use gpusudoku::operators::{Packing, Start, Tabu, Variation};
use gpusudoku::plan::{Plan, Representation};
use gpusudoku::population::{HOLE, Population};
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{Geometry, Instance, Puzzle, Reduction};
use gpusudoku::rng::Stream;
use rand::RngExt;

use super::common::*;
use super::support::*;

/// Two or three are thrown out now and then.
const PACKING: Packing = Packing {
    draws: 50,
    rates: [1 << 28, 1 << 31],
    period: 3,
};

fn draws(draws: u32) -> Packing {
    Packing { draws, ..PACKING }
}

fn plan(packing: Packing) -> Plan {
    Plan::from(Variation::Packing(packing))
}

fn tabu(moves: u32) -> Plan {
    Plan::from(Variation::Tabu(Tabu {
        moves,
        factors: [64, 120],
        period: 3,
        random: 6,
    }))
}

/// Both engines on what is left of a puzzle.
fn pair_on(puzzle: &Puzzle, level: Level, pop: usize, mapping: Mapping) -> Pair {
    let instance = Instance::from(Reduction::new(puzzle, level).unwrap());
    let representation = Representation::COLOURING;
    let mut pair = Pair::on(&instance, representation, pop, 201, mapping, 1 + pop % 2);
    pair.initialise();
    pair
}

fn pair_of(geometry: Geometry, givens: f64, level: Level, pop: usize, mapping: Mapping) -> Pair {
    let puzzle = puzzle(geometry, givens, 200);
    pair_on(&puzzle, level, pop, mapping)
}

/// Random candidates with so many holes in 100 cells, whatever is in conflict, and a fitness that nobody has counted.
fn foreign_of(reduction: &Reduction, pop: usize, holes: u32) -> Population {
    let mut rng = Stream::new(202, 6);
    let givens = reduction.puzzle().givens().cells();
    let mut foreign = Population::zeroed(reduction.puzzle().geometry(), pop);
    for individual in 0..pop {
        for (cell, &list) in reduction.candidates().iter().enumerate() {
            let digits: Vec<u8> = (0..128).filter(|digit| list >> digit & 1 == 1).collect();
            let hole = givens[cell] == 0 && rng.random_range(0..100) < holes;
            foreign.cells_mut(individual)[cell] = match hole {
                true => HOLE,
                false => digits[rng.random_range(0..digits.len())],
            };
        }
    }
    foreign.split_mut().2.fill(77);
    foreign
}

/// Small grids, awkward populations, generations of one dispatch, batches of all sizes.
#[test]
fn packings_on_small_grids() {
    if skipped() {
        return;
    }
    use Mapping::{Thread, Workgroup};
    for (puzzle, pop, draws_each, [generations, cpu, gpu], mapping) in [
        (unsolvable(), 1, 1, [4, 1, 4], Thread),
        (unsolvable(), 33, 200, [4, 4, 3], Workgroup),
        (unsolvable(), 70, 7, [5, 2, 5], Thread),
        (impossible(sudoku(2, 3)), 70, 40, [3, 2, 3], Thread),
        (impossible(sudoku(3, 2)), 3, 100, [3, 3, 2], Workgroup),
        (impossible(latin(5)), 3, 200, [4, 3, 2], Workgroup),
        (impossible(latin(10)), 33, 60, [3, 1, 3], Thread),
        (puzzle(latin(10), 0.0, 5), 1, 100, [3, 1, 3], Workgroup),
        (puzzle(sudoku(3, 3), 0.3, 5), 33, 20, [3, 1, 3], Workgroup),
        (puzzle(sudoku(3, 3), 0.0, 5), 3, 70, [3, 3, 1], Thread),
        (impossible(sudoku(3, 3)), 70, 100, [2, 2, 2], Workgroup),
    ] {
        let mut pair = pair_on(&puzzle, Level::None, pop, mapping);
        let plan = plan(draws(draws_each));
        pair.advance(&plan, generations, (cpu, gpu), "a search");
    }
}

/// Larger grids up to the largest, also such as do not fit workgroup memory, and blank ones.
#[test]
fn packings_on_large_grids() {
    if skipped() {
        return;
    }
    use Mapping::{Thread, Workgroup};
    for (geometry, givens, level, pop, draws_each, mapping) in [
        (sudoku(4, 4), 0.38, Level::Probing, 3, 500, Workgroup),
        (sudoku(4, 4), 0.0, Level::None, 33, 100, Thread),
        (sudoku(5, 5), 0.4, Level::Singles, 3, 500, Thread),
        (sudoku(5, 5), 0.0, Level::None, 1, 300, Workgroup),
        (sudoku(7, 7), 0.8, Level::None, 3, 200, Workgroup),
        (sudoku(7, 7), 0.6, Level::Singles, 1, 200, Workgroup),
        (sudoku(8, 8), 0.0, Level::None, 1, 50, Workgroup),
        (latin(30), 0.4, Level::Singles, 3, 300, Workgroup),
        (latin(30), 0.0, Level::None, 33, 50, Thread),
        (latin(100), 0.6, Level::None, 1, 50, Workgroup),
    ] {
        let mut pair = pair_of(geometry, givens, level, pop, mapping);
        pair.advance(&plan(draws(draws_each)), 2, (1, 2), "a search");
    }
}

/// A generation that takes several dispatches is one search: who covers what, the list of what is uncovered and the steps are
/// handed on, also by those who are done before the others.
#[test]
fn packings_of_many_dispatches() {
    if skipped() {
        return;
    }
    for (puzzle, level, pop, draws_each, mapping) in [
        // Up to 32,768 draws in a dispatch on software adapters.
        (
            impossible(sudoku(3, 3)),
            Level::None,
            2,
            40_000,
            Mapping::Workgroup,
        ),
        (
            impossible(sudoku(2, 3)),
            Level::None,
            2,
            70_000,
            Mapping::Thread,
        ),
        (
            impossible(latin(10)),
            Level::None,
            1,
            32_769,
            Mapping::Workgroup,
        ),
        // Some are done soon and others are not.
        (
            puzzle(sudoku(3, 3), 0.4, 7),
            Level::None,
            5,
            33_000,
            Mapping::Thread,
        ),
        (
            puzzle(sudoku(2, 2), 0.2, 7),
            Level::None,
            9,
            33_000,
            Mapping::Workgroup,
        ),
    ] {
        let mut pair = pair_on(&puzzle, level, pop, mapping);
        pair.advance(&plan(draws(draws_each)), 2, (2, 2), "a long search");
    }
}

/// Populations of which not all have a workspace at the same time, and one of which some are solved in a generation and
/// others are not.
#[test]
fn packings_of_large_populations() {
    if skipped() {
        return;
    }
    for (geometry, givens, pop, draws_each, mapping) in [
        (sudoku(3, 3), 0.45, 300, 30, Mapping::Workgroup),
        (sudoku(6, 6), 0.6, 70, 20, Mapping::Thread),
        (sudoku(2, 2), 0.1, 500, 5, Mapping::Workgroup),
        (sudoku(2, 2), 0.1, 500, 5, Mapping::Thread),
    ] {
        let mut pair = pair_of(geometry, givens, Level::None, pop, mapping);
        pair.advance(&plan(draws(draws_each)), 2, (1, 2), "a large population");
    }
}

/// From rates of zero to the highest, with first periods of one generation and of 4095.
#[test]
fn extreme_rates_of_packings() {
    if skipped() {
        return;
    }
    let most = u32::MAX;
    let mut packings = Vec::new();
    for rates in [
        [0, 0],
        [0, most],
        [1, 1],
        [most - 1, most],
        [1 << 16, 1 << 17],
    ] {
        for period in [1, 2, 4095] {
            packings.push(Packing {
                draws: 40,
                rates,
                period,
            });
        }
    }
    for puzzle in [
        impossible(sudoku(2, 3)),
        impossible(sudoku(4, 4)),
        impossible(latin(7)),
    ] {
        let mut pair = pair_on(&puzzle, Level::None, 5, Mapping::Workgroup);
        for packing in &packings {
            let solved = pair.advance(&plan(*packing), 2, (2, 1), &format!("{packing:?}"));
            assert!(!solved, "{}: too easy a task", pair.name);
        }
    }
    // Periods double up to the longest, and then no more.
    let mut pair = pair_on(&unsolvable(), Level::None, 3, Mapping::Thread);
    let packing = Packing {
        draws: 3,
        rates: [0, most],
        period: 1,
    };
    pair.advance(&plan(packing), 70, (70, 33), "many periods");
}

/// Plans that change, new populations and tabu searches in between, and generations that are good enough.
#[test]
fn one_packing_after_another() {
    if skipped() {
        return;
    }
    let renew = Plan::from(Variation::Renew(Start::Fresh));
    for (puzzle, level, mapping) in [
        (impossible(sudoku(3, 3)), Level::None, Mapping::Workgroup),
        (impossible(latin(10)), Level::None, Mapping::Thread),
        (
            puzzle(sudoku(6, 6), 0.5, 9),
            Level::Singles,
            Mapping::Workgroup,
        ),
    ] {
        let mut pair = pair_on(&puzzle, level, 5, mapping);
        let plans = [
            (plan(draws(30)), 2),
            (tabu(12), 2),
            (plan(draws(1)), 3),
            (renew.clone(), 1),
            (plan(draws(45)), 1),
            (tabu(1), 1),
            (plan(draws(45)), 1),
            (renew.clone(), 2),
            (tabu(5), 2),
            (plan(draws(9)), 2),
        ];
        for (at, (plan, generations)) in plans.iter().enumerate() {
            let batches = [(1, 100), (100, 2), (2, 1)][at % 3];
            let what = format!("plan {at}, {plan:?}");
            let solved = pair.advance(plan, *generations, batches, &what);
            assert!(!solved, "{}: too easy a task", pair.name);
        }
        pair.initialise();
        pair.advance(&plan(draws(10)), 2, (1, 2), "from the start");
        // It ends in the middle of a batch.
        let good = Plan {
            target_fitness: 1_000_000,
            ..plan(draws(10))
        };
        let [cpu, gpu] = [&mut pair.cpu, &mut pair.gpu]
            .map(|engine| pollster::block_on(engine.advance(&good, 5)).unwrap());
        assert_eq!((cpu.len(), gpu.len()), (1, 1), "{}", pair.name);
        assert_eq!(cpu[0].swaps(), gpu[0].swaps(), "{}", pair.name);
        pair.compare("good enough");
    }
}

/// A population from elsewhere, with holes, with conflicts, and with fitness that nobody has counted.
#[test]
fn packings_from_elsewhere() {
    if skipped() {
        return;
    }
    for (geometry, givens, level, holes, mapping) in [
        (sudoku(3, 3), 0.3, Level::None, 30, Mapping::Workgroup),
        (sudoku(2, 3), 0.3, Level::None, 100, Mapping::Thread),
        (latin(10), 0.3, Level::None, 50, Mapping::Workgroup),
        (sudoku(5, 5), 0.4, Level::Singles, 20, Mapping::Thread),
        (sudoku(6, 6), 0.5, Level::None, 10, Mapping::Workgroup),
    ] {
        let mut pair = pair_of(geometry, givens, level, 5, mapping);
        let puzzle = puzzle(geometry, givens, 200);
        let reduction = Reduction::new(&puzzle, level).unwrap();
        let foreign = foreign_of(&reduction, 5, holes);
        pair.load(&foreign);
        pair.compare("load");
        pair.evaluate();
        pair.load(&foreign);
        pair.advance(
            &plan(draws(12)),
            1,
            (1, 1),
            "a search without an evaluation",
        );
        pair.spoil_fitness();
        pair.evaluate();
        pair.advance(&plan(draws(12)), 1, (1, 1), "a search after an evaluation");
        pair.load(&foreign);
        pair.advance(&tabu(6), 1, (1, 1), "a tabu search that fills holes");
        // A solution among them, which stays.
        let mut foreign = foreign_of(&reduction, 5, holes);
        for (cell, digit) in solution(geometry, 200).into_iter().enumerate() {
            foreign.cells_mut(3)[cell] = digit - 1;
        }
        pair.load(&foreign);
        assert!(pair.advance(&plan(draws(12)), 1, (1, 1), "a solution"));
        assert_eq!(population(&mut pair.gpu).cells(3), foreign.cells(3));
        // Nobody has anything to do, and nobody counts a step.
        for individual in 0..5 {
            let solution = foreign.cells(3).to_vec();
            foreign.cells_mut(individual).copy_from_slice(&solution);
        }
        let mut pair = pair_of(geometry, givens, level, 5, mapping);
        pair.load(&foreign);
        let [cpu, gpu] = [&mut pair.cpu, &mut pair.gpu]
            .map(|engine| pollster::block_on(engine.advance(&plan(PACKING), 1)).unwrap());
        assert_eq!(cpu, gpu, "{}", pair.name);
        assert_eq!((cpu[0].swaps(), cpu[0].sum()), (0, 0), "{}", pair.name);
        pair.compare("all are solved");
    }
}

/// Nothing to do: no cell is open.
#[test]
fn packings_that_are_full() {
    if skipped() {
        return;
    }
    for (geometry, mapping) in [
        (sudoku(3, 3), Mapping::Workgroup),
        (latin(5), Mapping::Thread),
    ] {
        let mut pair = pair_of(geometry, 1.0, Level::None, 3, mapping);
        for engine in [&mut pair.cpu, &mut pair.gpu] {
            let records = pollster::block_on(engine.advance(&plan(PACKING), 3)).unwrap();
            assert!(records.is_empty(), "{records:?}");
        }
        pair.evaluate();
    }
}

/// Both refuse what no kernel could work on.
#[test]
fn strangers_among_packings() {
    if skipped() {
        return;
    }
    let puzzle = puzzle(sudoku(3, 3), 0.4, 200);
    let reduction = Reduction::new(&puzzle, Level::None).unwrap();
    let givens = puzzle.givens().cells();
    let given = givens.iter().position(|&given| given != 0).unwrap();
    let open = givens.iter().position(|&given| given == 0).unwrap();
    let wrong = (0..9).find(|digit| reduction.candidates()[open] >> digit & 1 == 0);
    let mut pair = pair_on(&puzzle, Level::None, 3, Mapping::Workgroup);
    for (cell, digit) in [
        (given, HOLE),
        (open, wrong.unwrap()),
        (open, 9),
        (open, 254),
    ] {
        let mut foreign = foreign_of(&reduction, 3, 30);
        foreign.cells_mut(1)[cell] = digit;
        for engine in [&mut pair.cpu, &mut pair.gpu] {
            let refused = engine.load(&foreign);
            let expected = matches!(refused, Err(Error::NotOfTheEncoding { individual: 1, .. }));
            assert!(expected, "{digit} in cell {cell}");
        }
    }
    pair.compare("what was refused is not there");
}

/// A pair of individuals differs in a cell or does not, on both engines.
#[test]
fn diversity_of_packings() {
    if skipped() {
        return;
    }
    for (puzzle, pop, mapping) in [
        (unsolvable(), 1, Mapping::Thread),
        (unsolvable(), 33, Mapping::Workgroup),
        (impossible(sudoku(2, 3)), 3, Mapping::Thread),
        (impossible(latin(10)), 2, Mapping::Workgroup),
        (impossible(sudoku(3, 3)), 70, Mapping::Workgroup),
    ] {
        let mut pair = pair_on(&puzzle, Level::None, pop, mapping);
        pair.diversity = true;
        pair.advance(&plan(draws(5)), 3, (2, 3), "a search");
    }
}
