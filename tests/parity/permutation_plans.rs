//! Plans for the permutation kernels, with awkward parameters.

use gpusudoku::operators::*;
use gpusudoku::rng::Rate;

use super::common::*;

/// Children of everybody, changed in one gene.
pub const RECOMBINE: Recombine = Recombine {
    offspring: 1 << 20,
    tournament: 2,
    crossover: Rate::ALWAYS,
    cut: Cut::Uniform,
    mutations: mutations(1, 1, More::None, 0),
    tries: 0,
    accept: Accept::Always,
};

const fn mutations(always: u32, per: u32, more: More, most: u32) -> Mutations {
    Mutations {
        always,
        per,
        more,
        most,
    }
}

/// With as many offspring as there are individuals, with fewer, one, and more.
fn recombines(pop: u32) -> Vec<Recombine> {
    let of = |offspring, tournament, crossover, cut, mutations, tries, accept| Recombine {
        offspring,
        tournament,
        crossover: rate(crossover),
        cut,
        mutations,
        tries,
        accept,
    };
    use {Accept::*, Cut::*};
    vec![
        of(
            pop,
            1,
            1.0,
            Uniform,
            mutations(0, 1, More::None, 0),
            0,
            Always,
        ),
        of(
            pop + 9,
            2,
            0.9,
            Gaussian,
            mutations(1, 1, More::Each, 5),
            1,
            Always,
        ),
        of(
            1,
            pop + 7,
            0.5,
            Uniform,
            mutations(3, 2, More::UpTo, 9),
            0,
            NotWorse,
        ),
        of(
            pop.div_ceil(2),
            3,
            0.0,
            Uniform,
            mutations(0, 3, More::Shared, 70),
            64,
            Better,
        ),
        of(
            pop,
            5,
            1.0,
            Gaussian,
            mutations(2, 1, More::UpTo, u32::MAX),
            65,
            NotWorse,
        ),
        of(
            pop,
            2,
            0.7,
            Uniform,
            mutations(1, u32::MAX, More::Each, 1),
            63,
            Always,
        ),
        of(
            pop,
            2,
            1.0,
            Gaussian,
            mutations(9, 7, More::Shared, 200),
            200,
            Better,
        ),
        of(
            3,
            65,
            1.0,
            Uniform,
            mutations(70, 1, More::None, 0),
            0,
            Always,
        ),
    ]
}

fn swarms() -> Vec<ParticleSwarm> {
    let of = |inertia, own, swarm| ParticleSwarm {
        inertia: rate(inertia),
        own: rate(own),
        swarm: rate(swarm),
    };
    vec![
        of(0.3, 0.5, 0.7),
        of(0.0, 0.0, 1.0),
        of(0.0, 1.0, 0.0),
        of(1.0, 1.0, 1.0),
        of(0.0, 0.0, 0.0),
        of(0.9, 1.0, 1.0),
    ]
}

/// A schedule of two rows runs out at once; others begin late.
fn gravitates() -> Vec<GravitationalSearch> {
    let of = |begin, schedule: &[(f64, u32)], inertia| GravitationalSearch {
        begin,
        schedule: { schedule.iter() }
            .flat_map(|&(g, kbest)| [rate(g).threshold(), kbest])
            .collect(),
        inertia: rate(inertia),
    };
    vec![
        of(0, &[(1.0, 3)], 0.5),
        of(0, &[(1.0, 64), (0.5, 63)], 1.0),
        of(1, &[(0.7, 1), (0.1, 2), (1.0, 4)], 0.0),
        of(9, &[(0.0, 5)], 0.3),
        of(0, &[(0.01, 7), (1.0, 8)], 0.9),
    ]
}

/// Temperatures at which a swap that costs `delta` is accepted with `p(delta)`.
fn schedule(temperatures: &[f64]) -> Vec<u32> {
    let row = |&warm: &f64| (0..Anneal::DELTAS as i32).map(move |delta| warm.powi(delta));
    let chances = temperatures.iter().flat_map(row);
    chances.map(|chance| rate(chance).threshold()).collect()
}

fn anneals(pop: u32) -> Vec<Anneal> {
    let of = |who, proposals, begin, temperatures: &[f64], hold| Anneal {
        who,
        proposals,
        begin,
        schedule: schedule(temperatures).into(),
        hold,
    };
    use Who::*;
    vec![
        of(Everybody, 65, 0, &[0.9, 0.1], 1),
        of(Everybody, 0, 0, &[], 1),
        of(Everybody, 1, 0, &[1.0], 7),
        of(One(0), 1000, 0, &[0.5, 0.7, 0.0], 1),
        of(One(pop - 1), 63, 1, &[1.0, 0.5], 2),
        of(One(pop), 64, 0, &[1.0], 1),
        of(Everybody, 64, 0, &[0.0], u32::MAX),
        of(Everybody, 1000, 5, &[], 3),
    ]
}

fn resolves() -> Vec<MinConflicts> {
    let all = [
        (1, true),
        (63, false),
        (64, true),
        (65, false),
        (200, true),
        (3, false),
    ];
    all.map(|(tries, sideways)| MinConflicts { tries, sideways })
        .to_vec()
}

/// So many of each kernel's parameters, others from turn to turn.
pub fn some_plans(pop: usize, turn: usize, count: usize) -> Vec<Variation> {
    fn some<T: Clone>(
        all: Vec<T>,
        turn: usize,
        count: usize,
        to: fn(T) -> Variation,
    ) -> Vec<Variation> {
        let count = count.min(all.len());
        let all = all.iter().cycle().skip(turn * count % all.len());
        all.take(count).cloned().map(to).collect()
    }
    let pop = pop as u32;
    let mut plans = some(recombines(pop), turn, count, Variation::Recombine);
    plans.extend(some(swarms(), turn, count, Variation::ParticleSwarm));
    plans.extend(some(
        gravitates(),
        turn,
        count,
        Variation::GravitationalSearch,
    ));
    plans.extend(some(anneals(pop), turn, count, Variation::Anneal));
    plans.extend(some(resolves(), turn, count, Variation::MinConflicts));
    plans
}
