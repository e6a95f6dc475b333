//! The kernels beyond LSGA's at their edges: large grids, long boxes, long loops and
//! long batches.

use gpusudoku::engine::gpu::MAX_BATCH;
use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::error::Error;
use gpusudoku::operators::*;
use gpusudoku::plan::*;
use gpusudoku::problem::{Grid, Puzzle};

use super::changes::islands;
use super::common::*;
use super::plans::{CELLS, block_plans, cell_plans, plan_named};
use super::support::*;

/// Either the same generations, or an error of the driver's limit; never a wrong population.
fn runs_or_is_reported(pair: &mut Pair, plan: &Plan, generations: u32, what: &str) {
    match pair.try_advance(plan, generations, (generations, generations), what) {
        Ok(_) => {}
        Err(Error::DeviceUnsupported { reason, .. }) => {
            assert!(reason.contains("cuts long loops short"), "{reason}");
            eprintln!("{}: {what}: not run: {reason}", pair.name);
            pair.initialise();
        }
        Err(error) => panic!("{}: {what}: {error}", pair.name),
    }
}

/// Sizes at which the width of masks changes, the largest of all, and the longest boxes.
#[test]
fn sub_blocks_of_large_grids() {
    if skipped() {
        return;
    }
    for (geometry, givens, pop, generations) in [
        (sudoku(6, 6), 0.6, 5, 4),
        (sudoku(32, 2), 0.8, 3, 1),
        (sudoku(2, 32), 0.8, 2, 1),
        (latin(70), 0.8, 3, 1),
        (latin(128), 0.95, 2, 1),
    ] {
        let puzzle = puzzle(geometry, givens, 71);
        let mut pair = Pair::of(
            Representation::BLOCKS,
            &puzzle,
            pop,
            72,
            Mapping::Workgroup,
            2,
        );
        let plans = block_plans(&puzzle);
        for plan in [
            "crossover and swaps",
            "samples without retries",
            "islands of 4",
        ] {
            let vary = plan_named(&plans, plan);
            pair.initialise();
            runs_or_is_reported(&mut pair, &vary.into(), generations, plan);
        }
    }
}

#[test]
fn cells_of_large_grids() {
    if skipped() {
        return;
    }
    for (geometry, givens, pop, generations) in [
        (sudoku(7, 7), 0.8, 5, 3),
        (latin(70), 0.8, 3, 1),
        (latin(128), 0.95, 2, 1),
    ] {
        let puzzle = puzzle(geometry, givens, 73);
        let mut pair = Pair::of(CELLS, &puzzle, pop, 74, Mapping::Workgroup, 2);
        pair.initialise();
        for plan in ["harmonies", "pollination"] {
            let vary = plan_named(&cell_plans(pop), plan);
            runs_or_is_reported(&mut pair, &vary.into(), generations, plan);
        }
    }
}

/// More individuals, islands or harmonies than a dispatch takes on.
#[test]
fn populations_that_are_cut_up() {
    if skipped() {
        return;
    }
    let small = unsolvable();
    let large = puzzle(sudoku(8, 8), 0.9, 76);
    let blocks = Representation::BLOCKS;
    for (plan, representation, puzzle, pop, mapping) in [
        (
            "crossover and swaps",
            blocks,
            &small,
            65_537,
            Mapping::Thread,
        ),
        (
            "samples without retries",
            blocks,
            &small,
            65_537,
            Mapping::Thread,
        ),
        (
            "islands of 1, epochs of 1",
            blocks,
            &large,
            1_025,
            Mapping::Workgroup,
        ),
        ("global pollination", CELLS, &small, 65_537, Mapping::Thread),
        ("harmonies", CELLS, &large, 257, Mapping::Thread),
    ] {
        let mut plans = block_plans(puzzle);
        plans.extend(cell_plans(pop));
        let mut pair = Pair::of(representation, puzzle, pop, 142, mapping, 2);
        pair.initialise();
        pair.advance(&plan_named(&plans, plan).into(), 2, (2, 1), plan);
    }
}

/// A device keeps so many records; longer runs go on.
#[test]
fn more_epochs_and_harmonies_than_a_submission_holds() {
    if skipped() {
        return;
    }
    let epochs = MAX_BATCH + 5;
    let harmony = plan_named(&cell_plans(3), "one harmony");
    for (representation, name, plan) in [
        (Representation::BLOCKS, "islands", Plan::from(islands(2, 2))),
        (CELLS, "harmony", Plan::from(harmony)),
    ] {
        let generations = plan.stride() * epochs + plan.stride() / 2;
        let mut pair = Pair::of(representation, &unsolvable(), 3, 75, Mapping::Thread, 1);
        pair.initialise();
        pair.advance(&plan, generations, (generations, generations), name);
    }
}

/// Children with so many mutants, and blocks with so many attempts, that a thread's loops are long.
#[test]
fn long_loops_of_children_and_samples_run_or_are_reported() {
    if skipped() {
        return;
    }
    let puzzle = puzzle(latin(25), 0.2, 77);
    let mut pair = Pair::of(Representation::BLOCKS, &puzzle, 5, 78, Mapping::Thread, 1);
    pair.initialise();
    for name in ["crossover and swaps", "samples in a given order"] {
        let mut vary = plan_named(&block_plans(&puzzle), name);
        match &mut vary {
            Variation::BreedBlocks(breed) => breed.mutants = 100,
            Variation::Renew(Start::Sample(sample)) => sample.retries = 100,
            other => panic!("{other:?} has no long loops"),
        }
        runs_or_is_reported(&mut pair, &vary.into(), 2, name);
    }
}

/// Long tournaments on islands: a dispatch that is cut short is reported, be it the last of an
/// epoch or not.
#[test]
fn long_loops_of_islands_run_or_are_reported() {
    if skipped() {
        return;
    }
    let breed = BreedBlocks {
        tournament: 1000,
        crossover: rate(0.3),
        swap: rate(0.3),
        mutation: MutationUnit::Each,
        mutants: 2,
    };
    let puzzle = puzzle(sudoku(3, 3), 0.3, 79);
    let mut pair = Pair::of(
        Representation::BLOCKS,
        &puzzle,
        16,
        80,
        Mapping::Workgroup,
        1,
    );
    for (epoch, size) in [(20, 8), (41, 8), (40, 8)] {
        pair.initialise();
        let islands = Islands { breed, size, epoch };
        let plan = Plan::from(Variation::Islands(islands));
        runs_or_is_reported(&mut pair, &plan, epoch, &format!("epochs of {epoch}"));
    }
}

/// Members that differ in their last rows only take long to compare.
fn try_comparisons(plan: &str) {
    let geometry = sudoku(4, 3);
    let mut cells = solution(geometry, 81);
    let free = cells.len() - 24;
    cells[free..].fill(0);
    let puzzle = Puzzle::new(Grid::new(geometry, cells).unwrap()).unwrap();
    let pop = 6000;
    let mut pair = Pair::of(CELLS, &puzzle, pop, 82, Mapping::Thread, 2);
    let vary = plan_named(&cell_plans(pop), plan);
    assert!(!pair.initialise().solved());
    runs_or_is_reported(&mut pair, &vary.into(), 1, plan);
}

#[test]
fn long_loops_of_harmonies_run_or_are_reported() {
    if !skipped() {
        try_comparisons("harmonies");
    }
}

#[test]
fn long_loops_of_flowers_run_or_are_reported() {
    if !skipped() {
        try_comparisons("pollination");
    }
}
