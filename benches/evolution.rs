//! Throughput of fitness evaluation and of whole LSGA generations, CPU against GPU.
//!
//! `cargo bench` runs everything; `cargo bench -- evaluate/9` some of it. Elements are
//! individuals, so criterion's rate is individual-generations a second. A software adapter is
//! named as one, and spared the largest populations: its figures say nothing of a GPU.
//! `gpusudoku bench` measures the same and more, with all engines in turn.

use std::hint::black_box;

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use gpusudoku::engine::gpu::adapter;
use gpusudoku::engine::{Engine, Setup};
use gpusudoku::lab::bench::{Contender, Workload, contenders, puzzle};
use gpusudoku::operators::Start;
use pollster::block_on;
use std::time::Duration;

const SIZES: [usize; 4] = [9, 16, 25, 36];
const POPULATIONS: [usize; 3] = [150, 4096, 65_536];

/// Cells of a population beyond which a software adapter would need minutes a sample.
const SOFTWARE_CELLS: usize = 4096 * 81;

/// Steps before anything is measured.
const WARM_UP: usize = 10;

/// The engines of this machine, with the names that filters take.
fn engines() -> Vec<(String, Contender)> {
    let engines = contenders(block_on(adapter::list()), None);
    let labelled = engines.into_iter().enumerate().map(|(at, engine)| {
        let label = match &engine.adapter {
            None if at == 0 => "cpu-1".to_owned(),
            None => "cpu-all".to_owned(),
            Some(info) if info.software => format!("software-{}", info.index),
            Some(info) => format!("gpu-{}", info.index),
        };
        println!("{label}: {}", engine.name);
        (label, engine)
    });
    labelled.collect()
}

fn bench(criterion: &mut Criterion, name: &str, step: impl Fn(&mut Engine)) {
    let engines = engines();
    for size in SIZES {
        let instance = puzzle(size);
        let mut group = criterion.benchmark_group(format!("{name}/{size}"));
        group.sampling_mode(SamplingMode::Flat);
        group.sample_size(10);
        group.warm_up_time(Duration::from_millis(200));
        group.measurement_time(Duration::from_secs(2));
        for pop in POPULATIONS {
            group.throughput(Throughput::Elements(pop as u64));
            for (label, engine) in &engines {
                if engine.is_software() && pop * size * size > SOFTWARE_CELLS {
                    continue;
                }
                // Set-up happens only for the benchmarks that the filter lets through.
                group.bench_function(BenchmarkId::new(label, pop), |bencher| {
                    let setup = Setup::rows(&instance, pop, 1);
                    let mut engine =
                        block_on(Engine::new(&engine.backend, &setup)).expect("an engine");
                    block_on(engine.initialise(&Start::Fresh)).expect("an initial population");
                    // Compiles the kernels, and leaves the first generations behind, which
                    // search longer than all others.
                    for _ in 0..WARM_UP {
                        step(&mut engine);
                    }
                    bencher.iter(|| step(black_box(&mut engine)));
                });
            }
        }
    }
}

fn evaluate(criterion: &mut Criterion) {
    bench(criterion, "evaluate", |engine| {
        block_on(engine.evaluate()).expect("fitness");
    });
}

fn generation(criterion: &mut Criterion) {
    let plan = Workload::Lsga.plan(&puzzle(SIZES[0])).expect("generations");
    bench(criterion, "lsga-generation", |engine| {
        let records = block_on(engine.advance(&plan, 1)).expect("a generation");
        assert_eq!(records.len(), 1, "a puzzle without a solution was solved");
    });
}

criterion_group!(benches, evaluate, generation);
criterion_main!(benches);
