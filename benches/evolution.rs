//! Throughput of fitness evaluation and of whole LSGA generations, CPU against GPU.
//!
//! `cargo bench` runs everything; `cargo bench -- evaluate/9` some of it. Elements are
//! individuals, so criterion's rate is individual-generations a second. A software adapter is
//! named as one, and spared the largest populations: its figures say nothing of a GPU.

use std::hint::black_box;

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use gpusudoku::algo::{Settings, lsga};
use gpusudoku::engine::gpu::adapter::AdapterChoice;
use gpusudoku::engine::{Backend, Engine};
use gpusudoku::problem::{Geometry, Grid, Puzzle};
use gpusudoku::rng::Stream;
use pollster::block_on;
use rand::RngExt;
use std::time::Duration;

const SIZES: [usize; 3] = [9, 16, 25];
const POPULATIONS: [usize; 3] = [150, 4096, 65_536];

/// About 40 % of a pattern grid, with one digit moved so that there is no solution: a population
/// that never gets there does the same work in every generation.
fn puzzle(size: usize) -> Puzzle {
    let geometry = Geometry::usual(size).expect("a size with boxes");
    let shape = geometry.boxes().expect("a Sudoku");
    let mut rng = Stream::new(1, size as u32);
    let pattern = |row: usize, col: usize| {
        (row % shape.rows * shape.cols + row / shape.rows + col) % size + 1
    };
    // The first row lacks this digit in its last cell, and the last column has it elsewhere.
    let moved = pattern(0, size - 1);
    let cells = (0..size * size).map(|cell| {
        let (row, col) = (cell / size, cell % size);
        let given = row == 0 || row < size - 1 && col < size - 1 && rng.random_bool(0.4);
        match pattern(row, col) {
            _ if cell == size * size - 1 => moved as u8,
            digit if given && digit != moved => digit as u8,
            _ => 0,
        }
    });
    Puzzle::new(Grid::new(geometry, cells.collect()).expect("as many cells as the grid has"))
        .expect("no digit twice in a house")
}

/// Cells of a population beyond which a software adapter would need minutes a sample.
const SOFTWARE_CELLS: usize = 4096 * 81;

/// Steps before anything is measured.
const WARM_UP: usize = 10;

/// An engine that takes part.
struct Contender {
    label: String,
    backend: Backend,
    most_cells: usize,
}

/// The engines of this machine.
fn engines() -> Vec<Contender> {
    let cpu = |label: &str, threads| Contender {
        label: label.to_owned(),
        backend: Backend::Cpu { threads },
        most_cells: usize::MAX,
    };
    let mut engines = vec![cpu("cpu-1", 1), cpu("cpu-all", 0)];
    for info in block_on(gpusudoku::engine::gpu::adapter::list()) {
        let (kind, most_cells) = match info.software {
            true => ("software", SOFTWARE_CELLS),
            false => ("gpu", usize::MAX),
        };
        println!("{kind}-{}: {} ({})", info.index, info.name, info.driver);
        engines.push(Contender {
            label: format!("{kind}-{}", info.index),
            backend: Backend::Gpu {
                adapter: AdapterChoice::Index(info.index),
                lanes: None,
            },
            most_cells,
        });
    }
    engines
}

fn bench(criterion: &mut Criterion, name: &str, step: impl Fn(&mut Engine)) {
    let engines = engines();
    for size in SIZES {
        let puzzle = puzzle(size);
        let mut group = criterion.benchmark_group(format!("{name}/{size}"));
        group.sampling_mode(SamplingMode::Flat);
        group.sample_size(10);
        group.warm_up_time(Duration::from_millis(200));
        group.measurement_time(Duration::from_secs(2));
        for pop in POPULATIONS {
            group.throughput(Throughput::Elements(pop as u64));
            for engine in &engines {
                if pop * size * size > engine.most_cells {
                    continue;
                }
                // Set-up happens only for the benchmarks that the filter lets through.
                group.bench_function(BenchmarkId::new(&engine.label, pop), |bencher| {
                    let mut engine =
                        block_on(Engine::new(&engine.backend, &puzzle, pop, 1)).expect("an engine");
                    block_on(engine.initialise()).expect("an initial population");
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
    let plan = Settings::new(&lsga::INFO).build().plan();
    bench(criterion, "lsga-generation", |engine| {
        let records = block_on(engine.advance(&plan, 1)).expect("a generation");
        assert_eq!(records.len(), 1, "a puzzle without a solution was solved");
    });
}

criterion_group!(benches, evaluate, generation);
criterion_main!(benches);
