//! Plans beyond LSGA's, by name.

use std::sync::Arc;

use gpusudoku::operators::*;
use gpusudoku::plan::*;
use gpusudoku::problem::Puzzle;
use gpusudoku::rng::{Rate, Stream};
use rand::RngExt;

use super::common::*;

/// Cells that are judged by the digits that units miss.
pub const CELLS: Representation = Representation {
    encoding: Encoding::Cells(Domain::Candidates),
    objective: Objective::MissingDigits,
};

/// The plan of that name.
pub fn plan_named(plans: &[(&'static str, Variation)], name: &str) -> Variation {
    let found = plans.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("no plan {name}")).1.clone()
}

const BLOCKS: BreedBlocks = BreedBlocks {
    tournament: 3,
    crossover: Rate::ALWAYS,
    swap: Rate::NEVER,
    mutation: MutationUnit::Each,
    mutants: 1,
};

/// Weights for every digit of every cell, some of them 0, and a random order of each block's free
/// cells.
fn model(puzzle: &Puzzle, seed: u64) -> Arc<[u32]> {
    let geometry = puzzle.geometry();
    let n = geometry.size();
    let mut rng = Stream::new(seed, 7);
    let mut words: Vec<u32> = (0..n * n * n)
        .map(|_| match rng.random_range(0..4) {
            0 => 0,
            1 => 1,
            2 => rng.random_range(0..1000),
            _ => rng.random_range(0..1 << 24),
        })
        .collect();
    let blocks = match geometry.boxes() {
        Some(_) => units(geometry, true),
        None => (0..n)
            .map(|row| (row * n..(row + 1) * n).collect())
            .collect(),
    };
    for block in blocks {
        let free = block
            .iter()
            .filter(|&&cell| puzzle.givens().cells()[cell] == 0);
        let mut order: Vec<u32> = (0..free.count() as u32).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, rng.random_range(0..=last));
        }
        order.resize(n, 0);
        words.extend(order);
    }
    words.into()
}

/// Plans for sub-blocks, by name.
pub fn block_plans(puzzle: &Puzzle) -> Vec<(&'static str, Variation)> {
    let breed = BreedBlocks {
        crossover: rate(0.5),
        swap: rate(0.4),
        mutants: 2,
        ..BLOCKS
    };
    let one_block = BreedBlocks {
        mutation: MutationUnit::Individual,
        swap: rate(0.7),
        mutants: 3,
        ..breed
    };
    let shuffled = BreedBlocks {
        swap: Rate::ALWAYS,
        crossover: Rate::NEVER,
        tournament: 1,
        ..BLOCKS
    };
    let islands = |breed, size, epoch| Variation::Islands(Islands { breed, size, epoch });
    let sample = |seed, order, neighbours, retries| {
        Variation::Renew(Start::Sample(Sample {
            model: model(puzzle, seed),
            order,
            neighbours,
            retries,
        }))
    };
    vec![
        ("swaps in every block", Variation::BreedBlocks(shuffled)),
        ("crossover of blocks", Variation::BreedBlocks(BLOCKS)),
        ("crossover and swaps", Variation::BreedBlocks(breed)),
        ("swaps in one block", Variation::BreedBlocks(one_block)),
        ("islands of 4", islands(breed, 4, 3)),
        (
            "islands of 5 that swap in one block",
            islands(one_block, 5, 2),
        ),
        ("islands of 1, epochs of 1", islands(shuffled, 1, 1)),
        ("one large island", islands(breed, 1000, 4)),
        ("samples in a given order", sample(1, Order::Given, true, 5)),
        ("samples in any order", sample(2, Order::Random, true, 1)),
        ("samples without retries", sample(3, Order::Given, true, 0)),
        (
            "samples without neighbours",
            sample(4, Order::Random, false, 2),
        ),
    ]
}

/// Plans for cells, by name, for a memory of this size.
pub fn cell_plans(pop: usize) -> Vec<(&'static str, Variation)> {
    // HMCR and PAR, and how far a pitch moves in 256ths of a place.
    let pitch = |hmcr, par, bandwidth| [rate(hmcr).threshold(), rate(par).threshold(), bandwidth];
    let improvise = |batch: usize, pitches: &[[u32; 3]], distinct| {
        Variation::Improvise(Improvise {
            batch: batch as u32,
            pitches: pitches.concat().into(),
            distinct,
        })
    };
    let usual = [pitch(0.9, 0.1, 256)];
    let three = [
        pitch(0.5, 0.9, 700),
        pitch(1.0, 1.0, 1 << 15),
        pitch(0.0, 0.0, 0),
    ];
    let pollinate = |switch, distinct| {
        let steps = [
            0,
            1,
            40_000,
            -30_000,
            100_000,
            -200_000,
            1 << 22,
            -(1 << 22),
        ];
        Variation::Pollinate(Pollinate {
            switch: rate(switch),
            levy: steps.map(|step: i32| step as u32).into(),
            distinct,
        })
    };
    vec![
        ("harmonies", improvise(pop, &usual, true)),
        ("one harmony", improvise(1, &three, true)),
        (
            "harmonies with pitches in turn",
            improvise(pop.div_ceil(2), &three, false),
        ),
        ("pollination", pollinate(0.8, true)),
        ("global pollination", pollinate(1.0, false)),
        ("harmonies again", improvise(pop, &usual, false)),
        ("local pollination", pollinate(0.0, true)),
    ]
}
