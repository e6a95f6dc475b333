//! What the GPU engine tells of itself: the times of its kernels, and the bytes that it moves.

use gpusudoku::algo::{self, Feedback, Settings, Task};
use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::engine::gpu::{KernelTime, Traffic};
use gpusudoku::engine::{Backend, Engine, Setup};
use gpusudoku::operators::{Admits, Start};
use gpusudoku::plan::{Plan, Representation};
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{Geometry, Instance, Puzzle, Reduction};
use pollster::block_on;

use super::common::*;
use super::support::*;

fn lsga() -> Plan {
    learning(lsga_breed(), 5, Admits::Improvement)
}

/// An engine for rows with its initial population.
fn timed(backend: &Backend, puzzle: &Puzzle) -> Engine {
    let instance = Instance::from(Reduction::new(puzzle, Level::None).unwrap());
    let setup = Setup::rows(&instance, 40, 3);
    let mut engine = block_on(Engine::timed(backend, &setup)).unwrap();
    block_on(engine.initialise(&Start::Fresh)).unwrap();
    engine
}

#[test]
fn a_profile_names_every_kernel_and_disturbs_nothing() {
    if skipped() {
        return;
    }
    let puzzle = impossible(sudoku(3, 3));
    for mapping in [Mapping::Thread, Mapping::Workgroup] {
        let mut cpu = timed(&Backend::Cpu { threads: 1 }, &puzzle);
        let mut gpu = timed(&gpu_backend(mapping), &puzzle);
        let Some(times) = block_on(gpu.profile(Some(&lsga()), 6)).unwrap() else {
            let Engine::Gpu(gpu) = &gpu else {
                panic!("asked for the GPU")
            };
            assert!(
                !gpu.info().timestamps,
                "it has timestamps and tells nothing"
            );
            return;
        };
        let names: Vec<_> = times.iter().map(|time| time.kernel.as_str()).collect();
        assert_eq!(names, ["breed_rows", "survey", "elite"]);
        for KernelTime {
            kernel,
            dispatches,
            seconds,
        } in times
        {
            assert_eq!(dispatches, 1, "{kernel}");
            assert!(seconds.len() <= 6, "{kernel}");
            let sensible = |&time: &f64| (0.0..60.0).contains(&time);
            assert!(seconds.iter().all(sensible), "{kernel}: {seconds:?}");
        }
        // It goes on from there like any other.
        for plan in [lsga(), breeding(lsga_breed())] {
            let records = block_on(cpu.advance(&plan, 6)).unwrap();
            assert_eq!(records.len(), 6);
            if plan.learn.is_none() {
                assert_eq!(block_on(gpu.advance(&plan, 6)).unwrap(), records);
            }
            let (cpu, gpu) = (block_on(cpu.population()), block_on(gpu.population()));
            assert_eq!(cpu.unwrap(), gpu.unwrap());
        }
        let evaluation = block_on(gpu.profile(None, 3)).unwrap().unwrap();
        assert_eq!(evaluation.len(), 1);
        assert_eq!(evaluation[0].kernel, "evaluate");
    }
}

#[test]
fn only_engines_that_were_asked_to_tell_times() {
    if skipped() {
        return;
    }
    let puzzle = impossible(sudoku(2, 2));
    let mut gpu = gpu_engine(&puzzle, 5, 3, Mapping::Thread);
    block_on(gpu.initialise(&Start::Fresh)).unwrap();
    assert_eq!(block_on(gpu.profile(Some(&lsga()), 2)).unwrap(), None);
    let mut cpu = cpu_engine(&puzzle, 5, 3, 1);
    block_on(cpu.initialise(&Start::Fresh)).unwrap();
    assert_eq!(block_on(cpu.profile(Some(&lsga()), 2)).unwrap(), None);
}

fn traffic(engine: &Engine) -> Traffic {
    match engine {
        Engine::Gpu(engine) => engine.traffic(),
        Engine::Cpu(_) | Engine::Shared(_) => panic!("asked for the GPU"),
    }
}

/// Records come back and nothing else; what goes there does not depend on how many individuals there
/// are.
#[test]
fn a_generation_moves_fewer_than_64_bytes() {
    if skipped() {
        return;
    }
    const GENERATIONS: u32 = 200;
    let puzzle = impossible(sudoku(3, 3));
    let moved = [100, 1000].map(|pop| {
        let mut engine = gpu_engine(&puzzle, pop, 3, Mapping::Thread);
        block_on(engine.initialise(&Start::Fresh)).unwrap();
        let before = traffic(&engine);
        let mut ran = 0;
        // Batches as a controller asks for them, and what readies the kernels.
        for batch in [1, 4, 16, 64, 115] {
            ran += block_on(engine.advance(&lsga(), batch)).unwrap().len() as u32;
        }
        assert_eq!(ran, GENERATIONS);
        let after = traffic(&engine);
        let up = after.uploaded - before.uploaded;
        let down = after.downloaded - before.downloaded;
        // The count would notice somebody who looks at the population.
        block_on(engine.population()).unwrap();
        let seen = traffic(&engine).downloaded - after.downloaded;
        assert!(seen >= 81 * pop as u64, "{seen} bytes are no population");
        (up, down)
    });
    assert_eq!(moved[0], moved[1], "it depends on the population");
    let (up, down) = moved[0];
    assert!(up > 0 && down > 0, "nothing was counted");
    let each = (up + down) as f64 / f64::from(GENERATIONS);
    assert!(
        each < 64.0,
        "{each} bytes a generation: {up} up, {down} down"
    );
}

/// Bytes up and down of a generation of an algorithm, once the first two have readied the kernels.
fn bytes_a_generation(name: &str, puzzle: &Puzzle, pop: usize) -> [u64; 2] {
    const GENERATIONS: u64 = 2;
    let algorithm = Settings::new(algo::find(name).unwrap()).build();
    let instance = Instance::from(Reduction::new(puzzle, Level::None).unwrap());
    let setup = Setup {
        representation: Representation::BLOCKS,
        ..Setup::rows(&instance, pop, 3)
    };
    // What software adapters are faster with.
    let mapping = match puzzle.geometry().size() {
        0..=12 => Mapping::Thread,
        _ => Mapping::Workgroup,
    };
    let mut engine = block_on(Engine::new(&gpu_backend(mapping), &setup)).unwrap();
    let mut state = algorithm.begin(&Task {
        instance: &instance,
        pop,
        seed: 3,
    });
    let mut records = vec![block_on(engine.initialise(&state.start())).unwrap()];
    let mut before = Traffic::default();
    for generation in 0..=GENERATIONS {
        let observed = block_on(engine.observe(state.observation())).unwrap();
        state.observe(&Feedback {
            records: &records,
            observed: &observed,
        });
        if generation == 1 {
            before = traffic(&engine);
        }
        records = block_on(engine.advance(&state.stage().plan, 1)).unwrap();
        assert_eq!(records.len(), 1, "it is solved");
    }
    let after = traffic(&engine);
    let moved = [
        after.uploaded - before.uploaded,
        after.downloaded - before.downloaded,
    ];
    assert!(moved.iter().all(|bytes| bytes % GENERATIONS == 0));
    moved.map(|bytes| bytes / GENERATIONS)
}

/// A record and a word for each digit of each cell come back, with the best individual; the model goes there, of
/// RESEDA with the order of cells.
#[test]
fn models_need_counts_and_no_populations() {
    if skipped() {
        return;
    }
    for (n, pops, nb_coin, reseda) in [
        (9, [100, 10_000], [2_928, 3_076], [3_252, 3_076]),
        (25, [4, 40], [62_512, 63_204], [65_012, 63_204]),
    ] {
        let puzzle = impossible(Geometry::usual(n).unwrap());
        for (name, expected) in [("nb-coin", nb_coin), ("reseda", reseda)] {
            for pop in pops {
                let bytes = bytes_a_generation(name, &puzzle, pop);
                assert_eq!(bytes, expected, "{name}, {n}x{n}, population {pop}");
            }
        }
    }
}
