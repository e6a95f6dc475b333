//! Plans that change in the middle of a run, and what waits outside of the population meanwhile:
//! elites, harmonies, emigrants.

use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::operators::*;
use gpusudoku::plan::*;
use gpusudoku::rng::Rate;

use super::common::sudoku;
use super::plans::{CELLS, cell_plans, plan_named};
use super::support::*;

const BREED: BreedBlocks = BreedBlocks {
    tournament: 2,
    crossover: Rate::ALWAYS,
    swap: Rate::ALWAYS,
    mutation: MutationUnit::Individual,
    mutants: 2,
};

/// Islands of this size with epochs of this length.
pub fn islands(size: u32, epoch: u32) -> Variation {
    Variation::Islands(Islands {
        breed: BREED,
        size,
        epoch,
    })
}

/// The same with a queue of elites.
fn with_elites(vary: Variation) -> Plan {
    Plan {
        vary,
        learn: Some(Learn::Elite(Elite {
            size: 50,
            admits: Admits::EveryBest,
        })),
        target_fitness: 0,
    }
}

/// So many generations of each plan.
fn one_after_another(representation: Representation, plans: Vec<(Plan, u32)>) {
    if skipped() {
        return;
    }
    let puzzle = impossible(sudoku(2, 3));
    for mapping in [Mapping::Thread, Mapping::Workgroup] {
        let mut pair = Pair::of(representation, &puzzle, 17, 83, mapping, 1);
        pair.initialise();
        for (plan, generations) in &plans {
            let what = format!("{plan:?}");
            pair.advance(plan, *generations, (*generations, *generations), &what);
        }
    }
}

fn of_blocks(plans: &[(Variation, u32)]) {
    let plans = plans.iter().cloned();
    let plans = plans.map(|(vary, generations)| (vary.into(), generations));
    one_after_another(Representation::BLOCKS, plans.collect());
}

/// An epoch begins at a multiple of its length, though nobody has emigrated.
#[test]
fn islands_after_something_else() {
    of_blocks(&[(Variation::BreedBlocks(BREED), 4), (islands(4, 2), 4)]);
}

#[test]
fn islands_after_a_break() {
    let alone = Variation::BreedBlocks(BREED);
    of_blocks(&[(islands(4, 2), 4), (alone, 2), (islands(4, 2), 4)]);
}

#[test]
fn islands_with_shorter_epochs() {
    of_blocks(&[(islands(4, 4), 4), (islands(4, 2), 4)]);
}

#[test]
fn more_islands() {
    of_blocks(&[(islands(8, 2), 4), (islands(3, 2), 4)]);
}

#[test]
fn fewer_islands() {
    of_blocks(&[(islands(3, 2), 4), (islands(8, 2), 4)]);
}

/// Within an epoch nothing is remembered, so everything may change.
#[test]
fn islands_that_change_within_an_epoch() {
    let alone = Variation::BreedBlocks(BREED);
    of_blocks(&[
        (islands(4, 5), 2),
        (islands(7, 9), 2),
        (alone, 2),
        (islands(4, 7), 3),
    ]);
}

/// Individuals outside of the population are of one kind.
#[test]
#[should_panic(expected = "no room for elites")]
fn elites_beside_harmonies() {
    let harmonies = plan_named(&cell_plans(17), "harmonies");
    let _ = with_elites(harmonies).check(CELLS, 17);
}

#[test]
#[should_panic(expected = "no room for elites")]
fn elites_beside_emigrants() {
    let _ = with_elites(islands(4, 2)).check(Representation::BLOCKS, 17);
}

/// Who comes in between takes the room of the queue.
#[test]
fn elites_before_and_after_harmonies() {
    let harmonies = plan_named(&cell_plans(17), "harmonies");
    let flowers = with_elites(plan_named(&cell_plans(17), "pollination"));
    let plans = vec![(flowers.clone(), 8), (harmonies.into(), 1), (flowers, 8)];
    one_after_another(CELLS, plans);
}
