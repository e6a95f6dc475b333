//! Plans of permutation kernels one after another: what individuals remember, where generations
//! end, and who else waits outside of the population.

use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::operators::*;
use gpusudoku::plan::*;
use gpusudoku::population::Record;
use gpusudoku::problem::Instance;
use gpusudoku::rng::Rate;

use super::changes::islands;
use super::common::*;
use super::permutation_plans::RECOMBINE;
use super::permutations::{ROWS, board, grid, torus};
use super::support::*;

/// What is remembered decides where a particle goes.
const SWARM: Variation = Variation::ParticleSwarm(ParticleSwarm {
    inertia: Rate::from_threshold(1 << 30),
    own: Rate::ALWAYS,
    swarm: Rate::from_threshold(1 << 29),
});

const GENETIC: Variation = Variation::Recombine(RECOMBINE);

const RESOLVE: Variation = Variation::MinConflicts(MinConflicts {
    tries: 2,
    sideways: false,
});

fn gravity() -> Variation {
    Variation::GravitationalSearch(GravitationalSearch {
        begin: 2,
        schedule: [rate(1.0).threshold(), 3].into(),
        inertia: Rate::ALWAYS,
    })
}

/// The moderated chain.
fn anneal() -> Variation {
    Variation::Anneal(Anneal {
        who: Who::Everybody,
        proposals: 3,
        begin: 0,
        schedule: [].into(),
        hold: 1,
    })
}

fn until(vary: Variation, target_fitness: u32) -> Plan {
    Plan {
        target_fitness,
        ..vary.into()
    }
}

/// Elites teach; mutation makes sure of something to do.
fn elites() -> Plan {
    let swaps = BreedRows {
        swap: Rate::ALWAYS,
        mutation: MutationUnit::Individual,
        ..BreedRows::IDLE
    };
    learning(swaps, 3, Admits::EveryBest)
}

/// So many generations of each, a start where there is none.
fn one_after_another(
    instance: &Instance,
    representation: Representation,
    pop: usize,
    plans: &[(Option<Plan>, u32)],
) -> Pair {
    let mut pair = Pair::on(instance, representation, pop, 57, Mapping::Workgroup, 1);
    pair.initialise();
    for (at, (plan, generations)) in plans.iter().enumerate() {
        let Some(plan) = plan else {
            pair.initialise();
            continue;
        };
        let what = format!("plan {at}, {plan:?}");
        let batches = [(1, 1000), (1000, 3), (3, 1)][at % 3];
        let solved = pair.advance(plan, *generations, batches, &what);
        assert!(!solved, "{}: {what}: too easy a task", pair.name);
    }
    pair
}

/// Memories outlive generations of other kernels, but not a new population.
#[test]
fn memories_last_until_everybody_is_new() {
    if skipped() {
        return;
    }
    let renew = |start| Variation::Renew(start);
    let plans: Vec<(Option<Plan>, u32)> = vec![
        (Some(SWARM.into()), 3),
        (Some(GENETIC.into()), 2),
        (Some(SWARM.into()), 2),
        (Some(gravity().into()), 3),
        (Some(anneal().into()), 1),
        (Some(gravity().into()), 2),
        (Some(SWARM.into()), 2),
        (Some(renew(Start::Fresh).into()), 1),
        (Some(gravity().into()), 2),
        (Some(RESOLVE.into()), 1),
        (Some(SWARM.into()), 3),
        (None, 0),
        (Some(SWARM.into()), 3),
        (Some(gravity().into()), 1),
    ];
    // Desks in workgroup memory, and in storage before the memories.
    for instance in [torus(60), board(560)] {
        one_after_another(&instance, Representation::QUEENS, 9, &plans);
    }
    let puzzle = puzzle(sudoku(3, 3), 0.2, 6);
    one_after_another(&grid(&puzzle), Representation::BLOCKS, 9, &plans);
    one_after_another(&grid(&puzzle), ROWS, 9, &plans);
}

/// Anneals an individual that there is not.
fn nothing() -> Plan {
    let Variation::Anneal(everybody) = anneal() else {
        unreachable!("it anneals")
    };
    let who = Who::One(1000);
    Variation::Anneal(Anneal { who, ..everybody }).into()
}

/// The test above would not notice engines that both forget; here memory makes a difference.
#[test]
fn memories_make_a_difference() {
    if skipped() {
        return;
    }
    let mut pair = Pair::on(
        &board(60),
        Representation::QUEENS,
        9,
        57,
        Mapping::Workgroup,
        1,
    );
    pair.initialise();
    pair.advance(&SWARM.into(), 4, (4, 4), "a swarm");
    let before = population(&mut pair.gpu);
    pair.advance(&SWARM.into(), 1, (1, 1), "its memories");
    let with = population(&mut pair.gpu);
    // The same positions in the same generation, without a past.
    pair.initialise();
    pair.advance(&nothing(), 4, (4, 4), "nothing");
    pair.load(&before);
    pair.advance(&SWARM.into(), 1, (1, 1), "a swarm without a past");
    assert_ne!(with, population(&mut pair.gpu), "memories do not matter");
}

/// The records of a plan, in batches of one size on each engine.
fn records_of(pair: &mut Pair, plan: &Plan, batch: u32) -> Vec<Record> {
    let gpu = pollster::block_on(pair.gpu.advance(plan, batch)).unwrap();
    let cpu = pollster::block_on(pair.cpu.advance(plan, batch)).unwrap();
    assert_eq!(cpu, gpu, "{}: {plan:?}", pair.name);
    pair.compare("a batch");
    gpu
}

/// Generations end where they are good enough, in the middle of a batch, and others go on there.
#[test]
fn generations_end_where_they_are_good_enough() {
    if skipped() {
        return;
    }
    for instance in [board(60), board(560)] {
        let mut pair = Pair::on(
            &instance,
            Representation::QUEENS,
            4,
            3,
            Mapping::Workgroup,
            2,
        );
        let first = pair.initialise();
        let mut good = first.best - first.best / 16;
        for vary in [anneal(), RESOLVE, anneal()] {
            let plan = until(vary, good);
            let records = records_of(&mut pair, &plan, 100);
            let last = records.last().unwrap();
            assert!(last.best <= good, "{}: {records:?}", pair.name);
            assert!(records.len() < 100, "{}: a batch in full", pair.name);
            let before = records.iter().rev().skip(1);
            assert!({ before }.all(|record| record.best > good));
            // Who is good enough already has one generation at least.
            let again = records_of(&mut pair, &plan, 50);
            assert_eq!(again.len(), 1, "{}: {again:?}", pair.name);
            records_of(&mut pair, &SWARM.into(), 2);
            good -= good / 8;
        }
    }
}

/// The same run in batches of different sizes.
#[test]
fn batches_do_not_matter() {
    if skipped() {
        return;
    }
    let plans = [SWARM, GENETIC, gravity(), anneal(), RESOLVE];
    let run = |batch: u32| {
        let mut pair = Pair::on(
            &torus(40),
            Representation::QUEENS,
            8,
            4,
            Mapping::Workgroup,
            1,
        );
        pair.initialise();
        for vary in &plans {
            pair.advance(
                &vary.clone().into(),
                7,
                (batch, batch),
                &format!("{vary:?}"),
            );
        }
        population(&mut pair.gpu)
    };
    let [one, three, all] = [1, 3, 1000].map(run);
    assert_same(&one, &three, "batches of 3");
    assert_same(&one, &all, "batches of 1000");
}

/// Emigrants, or nobody, before and after each permutation kernel. ParticleSwarm and gravity take the room.
#[test]
fn islands_before_and_after_swarms() {
    if skipped() {
        return;
    }
    let instance = grid(&impossible(sudoku(2, 3)));
    for between in [SWARM, gravity()] {
        let plans = [islands(4, 2), between.clone(), islands(4, 2), between];
        let plans = plans.map(|vary| (Some(vary.into()), 4));
        one_after_another(&instance, Representation::BLOCKS, 17, &plans);
    }
}

/// The same with elites: who comes back finds an empty queue, and no memories.
#[test]
fn elites_before_and_after_swarms() {
    if skipped() {
        return;
    }
    let instance = grid(&puzzle(sudoku(3, 3), 0.3, 8));
    for between in [SWARM, gravity()] {
        let plans = [elites(), between.clone().into(), elites(), between.into()];
        let plans = plans.map(|plan| (Some(plan), 6));
        one_after_another(&instance, ROWS, 5, &plans);
    }
}

/// Kernels that leave nothing outside of the population leave others there alone.
#[test]
fn emigrants_wait_while_kernels_need_no_room() {
    if skipped() {
        return;
    }
    let instance = grid(&impossible(sudoku(2, 3)));
    for between in [GENETIC, anneal(), RESOLVE] {
        let plans = [islands(4, 2), between, islands(4, 2)];
        let plans = plans.map(|vary| (Some(vary.into()), 4));
        one_after_another(&instance, Representation::BLOCKS, 17, &plans);
    }
}

#[test]
fn elites_wait_while_kernels_need_no_room() {
    if skipped() {
        return;
    }
    let instance = grid(&puzzle(sudoku(3, 3), 0.3, 8));
    for between in [GENETIC, anneal(), RESOLVE] {
        let plans = [elites(), between.into(), elites()];
        let plans = plans.map(|plan| (Some(plan), 6));
        one_after_another(&instance, ROWS, 5, &plans);
    }
}

/// Whoever has learned may be better than the best of the survey.
#[test]
fn who_has_learned_may_lead() {
    if skipped() {
        return;
    }
    let instance = grid(&puzzle(sudoku(3, 3), 0.3, 8));
    let mut plans = Vec::new();
    for turn in 0..90 {
        plans.push((Some(elites()), 3 + turn % 7));
        plans.push((Some(SWARM.into()), 1));
    }
    one_after_another(&instance, ROWS, 3, &plans);
}

/// The last of generations that end early learns like the others.
#[test]
fn elites_learn_in_the_last_generation() {
    if skipped() {
        return;
    }
    let instance = grid(&puzzle(sudoku(3, 3), 0.3, 8));
    let mut pair = Pair::on(&instance, ROWS, 5, 5, Mapping::Workgroup, 1);
    let first = pair.initialise();
    let plan = Plan {
        target_fitness: first.best + 20,
        ..elites()
    };
    for _ in 0..4 {
        let records = records_of(&mut pair, &plan, 10);
        assert_eq!(records.len(), 1, "{records:?}");
    }
}

/// Fitness that was wrong when the population came, and is right by now.
#[test]
fn who_leads_after_an_evaluation() {
    if skipped() {
        return;
    }
    let mut pair = Pair::on(
        &board(40),
        Representation::QUEENS,
        12,
        5,
        Mapping::Workgroup,
        1,
    );
    pair.initialise();
    for vary in [SWARM, GENETIC, gravity()] {
        pair.spoil_fitness();
        pair.evaluate();
        pair.advance(&vary.clone().into(), 1, (1, 1), &format!("{vary:?}"));
    }
}
