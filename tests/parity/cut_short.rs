//! What does not fit a device or its driver is an error, and never a wrong population: memories
//! larger than a binding, loops of more turns than Mesa's software driver runs.

use gpusudoku::engine::Engine;
use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::error::Error;
use gpusudoku::operators::*;
use gpusudoku::plan::*;
use gpusudoku::population::Population;
use gpusudoku::problem::{Form, Instance};

use super::common::*;
use super::permutation_plans::RECOMBINE;
use super::permutations::board;
use super::support::*;

/// Both engines, or none on a machine without a GPU.
fn pair_on(instance: &Instance, pop: usize) -> Pair {
    Pair::on(
        instance,
        Representation::QUEENS,
        pop,
        15,
        Mapping::Workgroup,
        2,
    )
}

/// Whether the GPU engine did it, as the native engine does. An error has to say why not.
fn equal_or_cut_short(pair: &mut Pair, plan: &Plan, generations: u32) -> bool {
    let what = format!("{plan:?}");
    match pair.try_advance(plan, generations, (generations, generations), &what) {
        Ok(_) => true,
        Err(Error::DeviceUnsupported { reason, .. }) => {
            assert!(reason.contains("cuts long loops short"), "{reason}");
            eprintln!("not run: {}: {what}", pair.name);
            false
        }
        Err(error) => panic!("{}: {what}: {error}", pair.name),
    }
}

/// The same for generation 0.
fn start_is_equal_or_cut_short(pair: &mut Pair, start: &Start) -> bool {
    match pollster::block_on(pair.gpu.initialise(start)) {
        Ok(record) => {
            let cpu = pollster::block_on(pair.cpu.initialise(start)).unwrap();
            assert_eq!(cpu, record, "{}: {start:?}", pair.name);
            pair.compare("a start");
            true
        }
        Err(Error::DeviceUnsupported { reason, .. }) => {
            assert!(reason.contains("cuts long loops short"), "{reason}");
            eprintln!("not run: {}: {start:?}", pair.name);
            false
        }
        Err(error) => panic!("{}: {start:?}: {error}", pair.name),
    }
}

fn placements(n: usize, all: &[Vec<u32>], fitness: &[u32]) -> Population {
    Population::from_parts(Form::Placement(n), all.concat(), fitness.to_vec())
}

fn mutations(always: u32) -> Mutations {
    Mutations {
        always,
        ..RECOMBINE.mutations
    }
}

fn swarm() -> Variation {
    Variation::ParticleSwarm(ParticleSwarm {
        inertia: rate(0.5),
        own: rate(0.5),
        swarm: rate(0.9),
    })
}

fn gravity(kbest: u32) -> Variation {
    Variation::GravitationalSearch(GravitationalSearch {
        begin: 0,
        schedule: [rate(1.0).threshold(), kbest].into(),
        inertia: rate(0.5),
    })
}

fn anneal(proposals: u32) -> Variation {
    Variation::Anneal(Anneal {
        who: Who::Everybody,
        proposals,
        begin: 0,
        schedule: [].into(),
        hold: 1,
    })
}

/// A long path of the repair that one lane alone follows, then mutations that all lanes do
/// together: whoever is cut short leaves the others alone, and has to be heard nevertheless. The
/// seed decides how long the path is and whose.
fn path_and_mutations(n: usize, count: u32, seed: u64) -> bool {
    let queens = Representation::QUEENS;
    let mut pair = Pair::on(&board(n), queens, 2, seed, Mapping::Workgroup, 2);
    assert!(start_is_equal_or_cut_short(&mut pair, &Start::Fresh));
    let straight: Vec<u32> = (0..n as u32).collect();
    let mut turned = straight.clone();
    turned.rotate_left(1);
    // The better parent wishes for what its neighbour has.
    pair.load(&placements(n, &[turned, straight], &[1, 2]));
    let plan = Plan::from(Variation::Recombine(Recombine {
        offspring: 1,
        mutations: mutations(count),
        tries: 2,
        ..RECOMBINE
    }));
    equal_or_cut_short(&mut pair, &plan, 1)
}

#[test]
fn a_lane_that_is_cut_short_is_heard() {
    if skipped() {
        return;
    }
    for seed in 1..9 {
        path_and_mutations(20_000, 19_000, seed);
    }
}

/// Each kernel on a board of many thousands.
#[test]
fn large_boards_run_or_are_reported() {
    if skipped() {
        return;
    }
    let mut pair = pair_on(&board(20_000), 2);
    start_is_equal_or_cut_short(&mut pair, &Start::Greedy(65));
    start_is_equal_or_cut_short(&mut pair, &Start::Fresh);
    let influence = Variation::Recombine(Recombine {
        mutations: mutations(1000),
        tries: 100,
        ..RECOMBINE
    });
    let plans = [
        (Variation::Recombine(RECOMBINE), 2),
        (influence, 1),
        (swarm(), 2),
        (gravity(64), 1),
        (anneal(1000), 1),
        (
            Variation::MinConflicts(MinConflicts {
                tries: 2,
                sideways: true,
            }),
            1,
        ),
    ];
    for (vary, generations) in plans {
        if !equal_or_cut_short(&mut pair, &vary.into(), generations) {
            start_is_equal_or_cut_short(&mut pair, &Start::Fresh);
        }
    }
}

/// More steps of a shuffle than the driver runs turns.
#[test]
fn shuffles_run_or_are_reported() {
    if skipped() {
        return;
    }
    for n in [65_300, 65_500, 70_000] {
        let mut pair = pair_on(&board(n), 1);
        start_is_equal_or_cut_short(&mut pair, &Start::Fresh);
    }
}

/// The turns at which greedy placements come to the limit.
#[test]
fn greedy_placements_run_or_are_reported() {
    if skipped() {
        return;
    }
    for (n, tries) in [(19_000, 64), (21_000, 64), (22_000, 64), (6_000, 640)] {
        let mut pair = pair_on(&board(n), 1);
        start_is_equal_or_cut_short(&mut pair, &Start::Greedy(tries));
    }
}

/// Chains of proposals about as long as the driver runs turns.
#[test]
fn long_chains_run_or_are_reported() {
    if skipped() {
        return;
    }
    let mut pair = pair_on(&board(100), 3);
    for proposals in [
        60_000,
        64_000,
        65_000,
        65_400,
        65_500,
        65_600,
        70_000,
        1 << 20,
    ] {
        pair.initialise();
        equal_or_cut_short(&mut pair, &anneal(proposals).into(), 1);
    }
}

/// The same for mutations without an influence function, which one lane makes alone.
#[test]
fn many_mutations_run_or_are_reported() {
    if skipped() {
        return;
    }
    let mut pair = pair_on(&board(33), 3);
    for (count, tries, tournament) in [
        (65_000, 0, 2),
        (65_600, 0, 2),
        (1, 0, 65_535),
        (21_000, 1, 2),
        (21_800, 1, 2),
        (22_000, 1, 2),
        (700, 6400, 2),
    ] {
        pair.initialise();
        let plan = Plan::from(Variation::Recombine(Recombine {
            mutations: mutations(count),
            tries,
            tournament,
            ..RECOMBINE
        }));
        equal_or_cut_short(&mut pair, &plan, 1);
    }
}

/// Memories that no binding holds: the plan is refused before anything runs.
#[test]
fn memories_that_do_not_fit_are_refused() {
    if skipped() {
        return;
    }
    let n = 3000;
    let bytes = match &pair_on(&board(4), 1).gpu {
        Engine::Gpu(engine) => engine.info().max_storage_binding,
        Engine::Cpu(_) | Engine::Shared(_) => panic!("asked for the GPU"),
    };
    let pop = bytes / (4 * (n + 2));
    if pop > 1 << 14 {
        eprintln!("not run: a binding of {bytes} bytes is too much for this test");
        return;
    }
    let mut pair = pair_on(&board(n as usize), pop as usize);
    for vary in [swarm(), gravity(1)] {
        match pollster::block_on(pair.gpu.advance(&vary.into(), 1)) {
            Err(Error::BadValue { key, value, .. }) => {
                assert_eq!((key, value), ("pop".to_owned(), pop.to_string()));
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Fitness that looks like a mark of the engine's own.
#[test]
fn the_worst_fitness_of_all_is_evaluated_anew() {
    if skipped() {
        return;
    }
    let mut pair = pair_on(&board(20), 3);
    pair.initialise();
    let mut worst = population(&mut pair.cpu);
    worst.split_mut().2.fill(u32::MAX);
    pair.load(&worst);
    pair.evaluate();
}

/// Nobody is the last individual that a number can name.
#[test]
fn nobody_is_not_everybody() {
    if skipped() {
        return;
    }
    let mut pair = pair_on(&board(20), 3);
    pair.initialise();
    let plan = Variation::Anneal(Anneal {
        who: Who::One(u32::MAX),
        proposals: 30,
        begin: 0,
        schedule: [].into(),
        hold: 1,
    });
    pair.advance(&plan.into(), 1, (1, 1), "nobody is annealed");
}

/// An evaluation that was cut short is an error as well.
#[test]
fn evaluations_run_or_are_reported() {
    if skipped() {
        return;
    }
    let n = 120_000;
    let mut pair = pair_on(&board(n), 1);
    let rows: Vec<u32> = (0..n as u32).map(|row| row ^ 1).collect();
    pair.load(&placements(n, &[rows], &[1]));
    pollster::block_on(pair.cpu.evaluate()).unwrap();
    match pollster::block_on(pair.gpu.evaluate()) {
        Ok(()) => pair.compare("evaluate"),
        Err(error) => assert!(
            error.to_string().contains("cuts long loops short"),
            "{error}"
        ),
    }
}

/// The same for kernels of grids: lanes search units of their own, some longer than others.
#[test]
fn long_searches_run_or_are_reported() {
    if skipped() {
        return;
    }
    for (rounds, seed) in [(60, 0), (60, 1), (100, 0), (300, 2)] {
        let puzzle = puzzle(sudoku(5, 5), 0.3, seed);
        let mut pair = Pair::new(&puzzle, 1, seed, Mapping::Workgroup, 1);
        pair.initialise();
        let plan = breeding(BreedRows {
            rounds,
            ..lsga_breed()
        });
        equal_or_cut_short(&mut pair, &plan, 1);
    }
}
