//! Any puzzle with any plan for blocks or cells, for the tests that hold for all of them.

use std::sync::Arc;

use gpusudoku::operators::{
    BreedBlocks, Improvise, Islands, MutationUnit, Order, Pollinate, Sample, Start, Variation,
};
use gpusudoku::plan::{Domain, Encoding, Objective, Plan, Representation};
use gpusudoku::problem::Puzzle;
use gpusudoku::rng::{Rate, Stream};
use proptest::prelude::*;
use rand::RngExt;
use rand::seq::SliceRandom;

use super::strategies::*;
use super::*;

/// A run of one plan.
#[derive(Debug, Clone)]
pub struct GridRun {
    pub puzzle: Puzzle,
    pub representation: Representation,
    pub start: Start,
    pub plan: Plan,
    pub pop: usize,
    pub seed: u64,
}

/// Everything of a sample but the numbers of its model.
#[derive(Debug, Clone, Copy)]
pub struct Sampling {
    pub order: Order,
    pub neighbours: bool,
    pub retries: u32,
    /// Seed of the model.
    pub model: u64,
}

/// Weights of all digits of all cells: none, a few, up to the most that is allowed.
pub fn model_of(puzzle: &Puzzle, order: Order, seed: u64) -> Arc<[u32]> {
    let geometry = puzzle.geometry();
    let n = geometry.size();
    let mut rng = Stream::new(seed, 3);
    let most = [1, 9, (1 << 24) / n as u32, ((1 << 31) - 1) / n as u32][rng.random_range(0..4)];
    let zeros = [0.0, 0.3, 0.8][rng.random_range(0..3)];
    let mut model: Vec<u32> = (0..n * n * n)
        .map(|_| match rng.random_bool(zeros) {
            true => 0,
            false => rng.random_range(1..=most),
        })
        .collect();
    if order == Order::Given {
        for block in blocks(geometry) {
            let mut order: Vec<u32> = (0..free_of(puzzle, &block).len() as u32).collect();
            order.shuffle(&mut rng);
            order.resize(n, 0);
            model.extend(order);
        }
    }
    model.into()
}

pub fn sample_of(puzzle: &Puzzle, sampling: Sampling) -> Sample {
    Sample {
        model: model_of(puzzle, sampling.order, sampling.model),
        order: sampling.order,
        neighbours: sampling.neighbours,
        retries: sampling.retries,
    }
}

pub fn samplings() -> impl Strategy<Value = Sampling> {
    let order = prop_oneof![Just(Order::Random), Just(Order::Given)];
    (order, any::<bool>(), 0u32..5, any::<u64>()).prop_map(|(order, neighbours, retries, model)| {
        Sampling {
            order,
            neighbours,
            retries,
            model,
        }
    })
}

pub fn block_breeds() -> impl Strategy<Value = BreedBlocks> {
    let mutation = prop_oneof![Just(MutationUnit::Each), Just(MutationUnit::Individual)];
    (1u32..5, rates(), rates(), mutation, 1u32..4).prop_map(
        |(tournament, crossover, swap, mutation, mutants)| BreedBlocks {
            tournament,
            crossover,
            swap,
            mutation,
            mutants,
        },
    )
}

pub fn islands() -> impl Strategy<Value = Islands> {
    (block_breeds(), 1u32..8, 1u32..5).prop_map(|(breed, size, epoch)| Islands {
        breed,
        size,
        epoch,
    })
}

/// Improvisation with a batch of at most 100.
pub fn improvises() -> impl Strategy<Value = Improvise> {
    let bandwidth = prop_oneof![Just(0u32), 1u32..2000, Just(1 << 15)];
    let pitch = (rates(), rates(), bandwidth)
        .prop_map(|(hmcr, par, bandwidth)| [hmcr.threshold(), par.threshold(), bandwidth]);
    let pitches = prop::collection::vec(pitch, 1..5);
    (1u32..100, pitches, any::<bool>()).prop_map(|(batch, pitches, distinct)| Improvise {
        batch,
        pitches: pitches.concat().into(),
        distinct,
    })
}

pub fn pollinates() -> impl Strategy<Value = Pollinate> {
    const MOST: i32 = 64 << 16;
    let step = prop_oneof![
        -(1i32 << 17)..(1 << 17),
        -MOST..=MOST,
        Just(MOST),
        Just(-MOST),
        Just(1 << 16),
    ];
    let levy = prop::collection::vec(step.prop_map(|step| step as u32), 1..6);
    (rates(), levy, any::<bool>()).prop_map(|(switch, levy, distinct)| Pollinate {
        switch,
        levy: levy.into(),
        distinct,
    })
}

/// What is to be done, before the puzzle and the population are known.
#[derive(Debug, Clone)]
enum Recipe {
    Sample(Sampling),
    BreedBlocks(BreedBlocks, Option<Sampling>),
    Islands(Islands, Option<Sampling>),
    Improvise(Improvise, Domain),
    Pollinate(Pollinate, Domain),
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let domain = || prop_oneof![Just(Domain::Any), Just(Domain::Candidates)];
    let start = || prop::option::of(samplings());
    prop_oneof![
        samplings().prop_map(Recipe::Sample),
        (block_breeds(), start()).prop_map(|(breed, start)| Recipe::BreedBlocks(breed, start)),
        (islands(), start()).prop_map(|(islands, start)| Recipe::Islands(islands, start)),
        (improvises(), domain()).prop_map(|(plan, domain)| Recipe::Improvise(plan, domain)),
        (pollinates(), domain()).prop_map(|(plan, domain)| Recipe::Pollinate(plan, domain)),
    ]
}

pub fn objectives() -> impl Strategy<Value = Objective> {
    prop_oneof![
        Just(Objective::IllegalUnits),
        Just(Objective::MissingDigits),
        Just(Objective::SumDeviation),
    ]
}

prop_compose! {
    /// Any run of one of the kernels that do not breed rows, with so many individuals at the most.
    pub fn grid_runs(most: usize)(
        puzzle in puzzles(),
        recipe in recipes(),
        objective in objectives(),
        pop in 1..most,
        seed: u64,
    ) -> GridRun {
        let start_of = |sampling: Option<Sampling>| match sampling {
            Some(sampling) => Start::Sample(sample_of(&puzzle, sampling)),
            None => Start::Fresh,
        };
        let (encoding, start, vary) = match recipe {
            Recipe::Sample(sampling) => {
                let sample = sample_of(&puzzle, sampling);
                (Encoding::Blocks, start_of(Some(sampling)), Variation::Renew(Start::Sample(sample)))
            }
            Recipe::BreedBlocks(breed, start) => {
                (Encoding::Blocks, start_of(start), Variation::BreedBlocks(breed))
            }
            Recipe::Islands(islands, start) => {
                (Encoding::Blocks, start_of(start), Variation::Islands(islands))
            }
            Recipe::Improvise(mut improvise, domain) => {
                improvise.batch = improvise.batch % pop as u32 + 1;
                (Encoding::Cells(domain), Start::Fresh, Variation::Improvise(improvise))
            }
            Recipe::Pollinate(pollinate, domain) => {
                (Encoding::Cells(domain), Start::Fresh, Variation::Pollinate(pollinate))
            }
        };
        GridRun {
            puzzle,
            representation: Representation { encoding, objective },
            start,
            plan: Plan::from(vary),
            pop,
            seed,
        }
    }
}

/// Copies of the best of so many, and nothing else.
pub const COPIES: BreedBlocks = BreedBlocks {
    tournament: 1,
    crossover: Rate::NEVER,
    swap: Rate::NEVER,
    mutation: MutationUnit::Each,
    mutants: 1,
};
