//! Kernel by kernel beyond LSGA's, in both layouts: encodings and objectives, sub-blocks, islands,
//! models, harmonies and flowers.

use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::operators::*;
use gpusudoku::plan::*;
use gpusudoku::problem::Geometry;

use super::common::*;
use super::plans::{CELLS, block_plans, cell_plans, plan_named};
use super::support::*;

const ANY: Encoding = Encoding::Cells(Domain::Any);
const CANDIDATES: Encoding = Encoding::Cells(Domain::Candidates);

/// The fitness of a grid as a person would find it: the units that are permutations anyway add
/// nothing.
fn objective_of(geometry: Geometry, objective: Objective, cells: &[u8]) -> u32 {
    let n = geometry.size();
    let rows = (0..n).map(|row| (row * n..(row + 1) * n).collect());
    let all = [
        rows.collect(),
        units(geometry, false),
        units(geometry, true),
    ];
    let (mut illegal, mut missing, mut deviation) = (0, 0, 0);
    for unit in all.concat() {
        let mut digits: Vec<u8> = unit.iter().map(|&cell| cells[cell]).collect();
        let sum: u32 = digits.iter().map(|&digit| u32::from(digit) + 1).sum();
        digits.sort_unstable();
        digits.dedup();
        illegal += u32::from(digits.len() < n);
        missing += (n - digits.len()) as u32;
        deviation += sum.abs_diff((n * (n + 1) / 2) as u32);
    }
    match objective {
        Objective::IllegalUnits => illegal,
        Objective::MissingDigits => missing,
        Objective::SumDeviation if deviation == 0 => illegal.min(1),
        Objective::SumDeviation => deviation,
        other => panic!("{other:?} is counted by lines"),
    }
}

/// Initialisation and evaluation under every objective, whatever an individual is.
#[test]
fn encodings_and_objectives() {
    if skipped() {
        return;
    }
    let objectives = [
        Objective::IllegalUnits,
        Objective::MissingDigits,
        Objective::SumDeviation,
    ];
    let grids = [
        (sudoku(2, 3), 65, Mapping::Workgroup),
        (sudoku(3, 3), 33, Mapping::Thread),
        (latin(7), 17, Mapping::Workgroup),
        (sudoku(4, 3), 63, Mapping::Thread),
        (sudoku(5, 5), 9, Mapping::Workgroup),
        (latin(5), 100, Mapping::Thread),
        (latin(40), 5, Mapping::Workgroup),
    ];
    let encodings = [Encoding::Rows, Encoding::Blocks, ANY, CANDIDATES];
    let kinds = encodings.iter().flat_map(|&encoding| {
        objectives.map(|objective| Representation {
            encoding,
            objective,
        })
    });
    for (representation, (geometry, pop, mapping)) in kinds.zip(grids.into_iter().cycle()) {
        let mut pair = Pair::of(
            representation,
            &puzzle_of(geometry, 61),
            pop,
            62,
            mapping,
            2,
        );
        pair.initialise();
        let first = population(&mut pair.cpu);
        pair.spoil_fitness();
        for engine in [&mut pair.cpu, &mut pair.gpu] {
            pollster::block_on(engine.evaluate()).unwrap();
        }
        pair.compare("evaluate");
        assert_same(&first, &population(&mut pair.gpu), &pair.name);
        for individual in 0..pop {
            let fitness = objective_of(geometry, representation.objective, first.cells(individual));
            assert_eq!(first.fitness()[individual], fitness, "{}", pair.name);
        }
    }
}

/// What LSGA's kernels do when fitness counts something else.
#[test]
fn rows_under_other_objectives() {
    if skipped() {
        return;
    }
    for (geometry, objective, mapping) in [
        (sudoku(3, 3), Objective::MissingDigits, Mapping::Workgroup),
        (sudoku(3, 2), Objective::SumDeviation, Mapping::Thread),
        (latin(10), Objective::SumDeviation, Mapping::Workgroup),
    ] {
        let representation = Representation {
            encoding: Encoding::Rows,
            objective,
        };
        let puzzle = puzzle(geometry, 0.2, 63);
        let mut pair = Pair::of(representation, &puzzle, 17, 64, mapping, 2);
        pair.initialise();
        pair.advance(
            &learning(lsga_breed(), 3, Admits::EveryBest),
            6,
            (4, 6),
            "LSGA",
        );
    }
}

/// Every plan for one generation and for several, on what the plans before it left.
fn try_plans(mut pair: Pair, plans: Vec<(&'static str, Variation)>, start: &Start) {
    pair.start(start);
    for (at, (name, vary)) in plans.into_iter().enumerate() {
        // Islands remember the emigrants of the plan before; that has a test of its own.
        if matches!(vary, Variation::Islands(_)) {
            pair.start(start);
        }
        let plan = Plan::from(vary);
        // Odd and even generations live in different buffers: a batch starts at either.
        let batches = [(1, 5), (5, 2), (3, 1), (2, 3)][at % 4];
        let solved = pair.advance(&plan, 1, (1, 1), name) || pair.advance(&plan, 5, batches, name);
        if solved {
            pair.start(start);
        }
    }
}

#[test]
fn sub_blocks() {
    if skipped() {
        return;
    }
    for (geometry, givens, objective, pop, mapping, threads) in [
        (
            sudoku(3, 2),
            0.0,
            Objective::MissingDigits,
            33,
            Mapping::Thread,
            5,
        ),
        (
            sudoku(3, 3),
            0.3,
            Objective::IllegalUnits,
            17,
            Mapping::Thread,
            1,
        ),
        (
            latin(7),
            0.2,
            Objective::MissingDigits,
            5,
            Mapping::Thread,
            2,
        ),
        (
            sudoku(2, 3),
            0.1,
            Objective::SumDeviation,
            7,
            Mapping::Workgroup,
            2,
        ),
        (
            sudoku(3, 3),
            0.3,
            Objective::MissingDigits,
            33,
            Mapping::Workgroup,
            2,
        ),
        (
            sudoku(4, 4),
            0.3,
            Objective::MissingDigits,
            9,
            Mapping::Workgroup,
            1,
        ),
        (
            latin(10),
            0.3,
            Objective::IllegalUnits,
            9,
            Mapping::Workgroup,
            5,
        ),
    ] {
        let representation = Representation {
            encoding: Encoding::Blocks,
            objective,
        };
        let puzzle = puzzle(geometry, givens, 65);
        let plans = block_plans(&puzzle);
        let start = match &plans.last().unwrap().1 {
            Variation::Renew(Start::Sample(sample)) if pop > 8 => Start::Sample(sample.clone()),
            _ => Start::Fresh,
        };
        let pair = Pair::of(representation, &puzzle, pop, 66, mapping, threads);
        try_plans(pair, plans, &start);
    }
}

#[test]
fn cells() {
    if skipped() {
        return;
    }
    for (geometry, encoding, objective, pop, mapping, threads) in [
        (
            sudoku(3, 2),
            ANY,
            Objective::SumDeviation,
            33,
            Mapping::Thread,
            5,
        ),
        (
            sudoku(3, 3),
            CANDIDATES,
            Objective::MissingDigits,
            17,
            Mapping::Thread,
            1,
        ),
        (
            latin(7),
            CANDIDATES,
            Objective::IllegalUnits,
            5,
            Mapping::Thread,
            2,
        ),
        (
            sudoku(3, 3),
            CANDIDATES,
            Objective::MissingDigits,
            40,
            Mapping::Workgroup,
            2,
        ),
        (
            sudoku(4, 4),
            ANY,
            Objective::IllegalUnits,
            9,
            Mapping::Workgroup,
            1,
        ),
        (
            latin(10),
            CANDIDATES,
            Objective::SumDeviation,
            9,
            Mapping::Workgroup,
            5,
        ),
    ] {
        let representation = Representation {
            encoding,
            objective,
        };
        let puzzle = puzzle(geometry, 0.3, 67);
        let pair = Pair::of(representation, &puzzle, pop, 68, mapping, threads);
        try_plans(pair, cell_plans(pop), &Start::Fresh);
    }
}

/// Learning after every kernel that varies.
#[test]
fn elites_of_other_encodings() {
    if skipped() {
        return;
    }
    let puzzle = puzzle(sudoku(3, 3), 0.3, 69);
    let learn = Some(Learn::Elite(Elite {
        size: 3,
        admits: Admits::EveryBest,
    }));
    for (representation, plans) in [
        (Representation::BLOCKS, block_plans(&puzzle)),
        (CELLS, cell_plans(9)),
    ] {
        let mut pair = Pair::of(representation, &puzzle, 9, 70, Mapping::Workgroup, 1);
        pair.initialise();
        for (name, vary) in plans {
            let learn = learn.clone();
            // These keep individuals aside as elites do; that has a test of its own.
            if !matches!(vary, Variation::Islands(_) | Variation::Improvise(_)) {
                pair.advance(
                    &Plan {
                        vary,
                        learn,
                        target_fitness: 0,
                    },
                    4,
                    (4, 3),
                    name,
                );
            }
        }
    }
}

/// The first solved generation is the last one to run, even in the middle of a batch.
#[test]
fn solutions_end_a_batch() {
    if skipped() {
        return;
    }
    let puzzle = puzzle(sudoku(2, 3), 0.5, 85);
    let mut plans = block_plans(&puzzle);
    plans.extend(cell_plans(5));
    for (representation, plan, mapping) in [
        (
            Representation::BLOCKS,
            "crossover and swaps",
            Mapping::Thread,
        ),
        (Representation::BLOCKS, "islands of 4", Mapping::Workgroup),
        (
            Representation::BLOCKS,
            "samples in any order",
            Mapping::Workgroup,
        ),
        (CELLS, "harmonies", Mapping::Thread),
    ] {
        let mut vary = plan_named(&plans, plan);
        if let Variation::Renew(Start::Sample(sample)) = &mut vary {
            // Random weights would leave no solution.
            sample.model = vec![1; sample.model.len()].into();
        }
        let vary = Plan::from(vary);
        let mut pair = Pair::of(representation, &puzzle, 5, 86, mapping, 2);
        assert!(!pair.initialise().solved(), "{}: too soon", pair.name);
        let solved = pair.advance(&vary, 300, (vary.stride(), 300), plan);
        assert!(solved, "{}: {plan}: too hard", pair.name);
        for engine in [&mut pair.cpu, &mut pair.gpu] {
            assert_eq!(advance(engine, &vary, 5, 5), [], "{plan}: solved already");
        }
        pair.compare(plan);
    }
}
