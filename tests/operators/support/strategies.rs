//! Any size, puzzle, rate and plan that breeds rows, for the tests that hold for all of them.

use gpusudoku::operators::{
    Admits, BreedRows, Elite, MutationUnit, Parent, Repeats, Survivor, Variation,
};
use gpusudoku::plan::{Learn, Plan};
use gpusudoku::problem::{Geometry, Puzzle};
use gpusudoku::rng::Rate;
use proptest::prelude::*;

use crate::common::*;

pub fn geometries() -> impl Strategy<Value = Geometry> {
    prop_oneof![
        Just(sudoku(2, 2)),
        Just(sudoku(2, 3)),
        Just(sudoku(3, 2)),
        Just(sudoku(2, 4)),
        Just(sudoku(4, 2)),
        Just(sudoku(3, 3)),
        Just(sudoku(5, 2)),
        Just(sudoku(3, 4)),
        Just(sudoku(4, 3)),
        Just(sudoku(4, 4)),
        Just(sudoku(2, 8)),
        (2usize..=12).prop_map(latin),
        Just(latin(17)),
    ]
}

pub fn rates() -> impl Strategy<Value = Rate> {
    prop_oneof![
        Just(Rate::NEVER),
        Just(Rate::ALWAYS),
        (0.0..=1.0).prop_map(rate)
    ]
}

pub fn breeds() -> impl Strategy<Value = BreedRows> {
    let parent = prop_oneof![Just(Parent::Own), (1u32..5).prop_map(Parent::Tournament)];
    let survivor = prop_oneof![
        Just(Survivor::Child),
        (1u32..6).prop_map(Survivor::Tournament),
        (1u32..6).prop_map(Survivor::StrictTournament),
    ];
    let mutation = prop_oneof![Just(MutationUnit::Each), Just(MutationUnit::Individual)];
    let partners = prop_oneof![0u32..4, Just(u32::MAX)];
    let repeats = prop_oneof![Just(Repeats::Every), Just(Repeats::Later)];
    (
        (parent, rates(), rates()),
        (rates(), rates(), mutation),
        (any::<bool>(), any::<bool>(), 0u32..7, partners, repeats),
        survivor,
    )
        .prop_map(|(mating, mutating, searching, survivor)| BreedRows {
            parent: mating.0,
            crossover: mating.1,
            crossover_row: mating.2,
            swap: mutating.0,
            reinitialise: mutating.1,
            mutation: mutating.2,
            column_search: searching.0,
            block_search: searching.1,
            rounds: searching.2,
            partners: searching.3,
            repeats: searching.4,
            survivor,
        })
}

pub fn elites() -> impl Strategy<Value = Elite> {
    let admits = prop_oneof![Just(Admits::Improvement), Just(Admits::EveryBest)];
    (1u32..6, admits).prop_map(|(size, admits)| Elite { size, admits })
}

pub fn plans() -> impl Strategy<Value = Plan> {
    (breeds(), proptest::option::of(elites())).prop_map(|(breed, elite)| Plan {
        vary: Variation::BreedRows(breed),
        learn: elite.map(Learn::Elite),
        target_fitness: 0,
    })
}

prop_compose! {
    /// From blank grids to full ones.
    pub fn puzzles()(geometry in geometries(), givens in 0.0..=1.0, seed: u64) -> Puzzle {
        puzzle(geometry, givens, seed)
    }
}

pub fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
