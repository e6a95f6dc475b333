//! Any board, torus or grid with any permutation kernels in turn.

use gpusudoku::operators::{
    Accept, Anneal, Cut, GravitationalSearch, MinConflicts, More, Mutations, ParticleSwarm,
    Recombine, Start, Variation, Who,
};
use gpusudoku::plan::{Encoding, Plan, Weights};
use gpusudoku::problem::{Instance, Queens, Surface};
use gpusudoku::rng::Rate;
use proptest::prelude::*;

use super::search_space::*;
use super::strategies::*;
use crate::common::*;

/// A run: plans one after the other, each for some generations.
#[derive(Debug, Clone)]
pub struct Sequence {
    pub space: SearchSpace,
    pub start: Start,
    pub plans: Vec<(Plan, u32)>,
    pub pop: usize,
    pub seed: u64,
    pub threads: usize,
}

fn weights() -> impl Strategy<Value = Option<Weights>> {
    let thousandths = prop_oneof![Just(1u32), Just(200), Just(1000), 1u32..=1000];
    let weights = (thousandths.clone(), prop_oneof![Just(0u32), thousandths]).prop_map(
        |(support, confidence)| Weights {
            support,
            confidence,
        },
    );
    prop::option::of(weights)
}

pub fn boards() -> impl Strategy<Value = SearchSpace> {
    let surface = prop_oneof![Just(Surface::Board), Just(Surface::Torus)];
    let size = prop_oneof![4usize..12, 4usize..=40];
    (size, surface, weights()).prop_map(|(size, surface, weights)| {
        queens_space(Queens::new(size, surface).unwrap(), weights)
    })
}

pub fn search_spaces() -> impl Strategy<Value = SearchSpace> {
    let geometry = prop_oneof![
        Just(sudoku(2, 2)),
        Just(sudoku(2, 3)),
        Just(sudoku(3, 2)),
        Just(sudoku(3, 3)),
        Just(latin(5)),
        Just(latin(7)),
    ];
    let encoding = prop_oneof![Just(Encoding::Rows), Just(Encoding::Blocks)];
    let givens = prop_oneof![Just(0.0), 0.0..0.8];
    let grids = (geometry, encoding, givens, any::<u64>(), weights()).prop_map(
        |(geometry, encoding, givens, seed, weights)| {
            grid_space(&puzzle(geometry, givens, seed), encoding, weights)
        },
    );
    prop_oneof![boards(), grids]
}

pub fn recombines() -> impl Strategy<Value = Recombine> {
    let cut = prop_oneof![Just(Cut::Uniform), Just(Cut::Gaussian)];
    let more = prop_oneof![
        Just(More::None),
        Just(More::Each),
        Just(More::UpTo),
        Just(More::Shared),
    ];
    let accept = prop_oneof![
        Just(Accept::Always),
        Just(Accept::NotWorse),
        Just(Accept::Better),
    ];
    let most = prop_oneof![0u32..4, Just(u32::MAX)];
    let mutations =
        (0u32..3, 1u32..9, more, most).prop_map(|(always, per, more, most)| Mutations {
            always,
            per,
            more,
            most,
        });
    (1u32..15, 1u32..6, rates(), cut, mutations, 0u32..4, accept).prop_map(
        |(offspring, tournament, crossover, cut, mutations, tries, accept)| Recombine {
            offspring,
            tournament,
            crossover,
            cut,
            mutations,
            tries,
            accept,
        },
    )
}

pub fn swarms() -> impl Strategy<Value = ParticleSwarm> {
    (rates(), rates(), rates()).prop_map(|(inertia, own, swarm)| ParticleSwarm {
        inertia,
        own,
        swarm,
    })
}

pub fn gravitates() -> impl Strategy<Value = GravitationalSearch> {
    let best = prop_oneof![1u32..6, 1u32..=GravitationalSearch::MOST_BEST];
    let row = (rates(), best).prop_map(|(g, best)| [g.threshold(), best]);
    let schedule = prop::collection::vec(row, 1..5);
    (0u32..4, schedule, rates()).prop_map(|(begin, schedule, inertia)| GravitationalSearch {
        begin,
        schedule: schedule.concat().into(),
        inertia,
    })
}

/// Chains of at most so many proposals.
pub fn anneals(most: u32) -> impl Strategy<Value = Anneal> {
    let who = prop_oneof![Just(Who::Everybody), (0u32..12).prop_map(Who::One)];
    let row = prop::collection::vec(rates().prop_map(Rate::threshold), Anneal::DELTAS);
    let schedule = prop::collection::vec(row, 0..4);
    (who, 0..most, 0u32..4, schedule, 1u32..3).prop_map(
        |(who, proposals, begin, schedule, hold)| Anneal {
            who,
            proposals,
            begin,
            schedule: schedule.concat().into(),
            hold,
        },
    )
}

pub fn resolves() -> impl Strategy<Value = MinConflicts> {
    (1u32..11, any::<bool>()).prop_map(|(tries, sideways)| MinConflicts { tries, sideways })
}

pub fn starts() -> impl Strategy<Value = Start> {
    prop_oneof![Just(Start::Fresh), (1u32..11).prop_map(Start::Greedy)]
}

/// Any of the kernels.
pub fn kernels() -> impl Strategy<Value = Variation> {
    prop_oneof![
        3 => recombines().prop_map(Variation::Recombine),
        3 => swarms().prop_map(Variation::ParticleSwarm),
        3 => gravitates().prop_map(Variation::GravitationalSearch),
        3 => anneals(16).prop_map(Variation::Anneal),
        3 => resolves().prop_map(Variation::MinConflicts),
        1 => starts().prop_map(Variation::Renew),
    ]
}

/// What is possible of it here.
fn fitting(vary: Variation, space: &SearchSpace, pop: usize) -> Variation {
    let grid = matches!(space.instance, Instance::Sudoku(_));
    match vary {
        Variation::Renew(Start::Greedy(_)) if grid => Variation::Renew(Start::Fresh),
        Variation::Anneal(mut anneal) => {
            if let Who::One(who) = &mut anneal.who {
                *who %= pop as u32;
            }
            Variation::Anneal(anneal)
        }
        other => other,
    }
}

prop_compose! {
    /// Up to so many plans.
    pub fn sequences(most: usize)(
        space in search_spaces(),
        start in starts(),
        steps in prop::collection::vec((kernels(), 1u32..4), 1..=most),
        pop in 1usize..=12,
        seed: u64,
        threads in prop_oneof![4 => Just(1usize), 1 => Just(2)],
    ) -> Sequence {
        let start = match &space.instance {
            Instance::Queens(_) => start,
            Instance::Sudoku(_) => Start::Fresh,
        };
        let plans = steps
            .into_iter()
            .map(|(vary, generations)| (Plan::from(fitting(vary, &space, pop)), generations))
            .collect();
        Sequence { space, start, plans, pop, seed, threads }
    }
}
