//! Throughput of fitness evaluation and of whole LSGA generations, CPU against GPU.
//!
//! `cargo bench` runs everything; `cargo bench -- evaluate/9` some of it. Elements are
//! individuals, so criterion's rate is individual-generations a second. A software adapter is
//! named as one, and spared the largest populations: its figures say nothing of a GPU.

use std::hint::black_box;

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use gpusudoku::algo::Settings;
use gpusudoku::algo::lsga::{self, Lsga};
use gpusudoku::engine::gpu::adapter::AdapterChoice;
use gpusudoku::engine::{Backend, Engine, Setup};
use gpusudoku::plan::Start;
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{Geometry, Grid, Instance, Puzzle, Reduction};
use gpusudoku::rng::Stream;
use pollster::block_on;
use rand::RngExt;
use std::time::Duration;

const SIZES: [usize; 3] = [9, 16, 25];
const POPULATIONS: [usize; 3] = [150, 4096, 65_536];

/// About 40 % of a pattern grid with one digit changed, so that two cells of the first row need the
/// same digit: a population that never gets there does the same work in every generation.
fn puzzle(size: usize) -> Instance {
    let geometry = Geometry::usual(size).expect("a size with boxes");
    let shape = geometry.boxes().expect("a Sudoku");
    let pattern = |row: usize, col: usize| {
        ((row % shape.rows * shape.cols + row / shape.rows + col) % size + 1) as u8
    };
    // The columns of both cells are given. The second box has the digit of the first cell at
    // (row, second); there stands now what belongs to the top of that column.
    let first = 0;
    let needed = pattern(0, first);
    let (row, second) = (1..shape.rows)
        .flat_map(|row| (shape.cols..2 * shape.cols).map(move |col| (row, col)))
        .find(|&(row, col)| pattern(row, col) == needed)
        .expect("every box has every digit");
    let changed = pattern(0, second);
    // Some choices of givens show at once that there is no solution.
    let tries = (0..).map(|seed| {
        let mut rng = Stream::new(seed, size as u32);
        let cells = (0..size * size).map(|cell| {
            let at = (cell / size, cell % size);
            let given = [first, second].contains(&at.1) || rng.random_bool(0.4);
            match pattern(at.0, at.1) {
                _ if at == (row, second) => changed,
                _ if at == (0, first) || at == (0, second) => 0,
                digit if given && !(at.0 == row && digit == changed) => digit,
                _ => 0,
            }
        });
        let grid = Grid::new(geometry, cells.collect()).expect("as many cells as the grid has");
        let puzzle = Puzzle::new(grid).expect("no digit twice in a house");
        Reduction::new(&puzzle, Level::None)
    });
    let reduction = tries.flatten().next();
    reduction.expect("one that does not show it").into()
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
        let instance = puzzle(size);
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
    let plan = Lsga::new(&Settings::new(&lsga::INFO)).plan();
    bench(criterion, "lsga-generation", |engine| {
        let records = block_on(engine.advance(&plan, 1)).expect("a generation");
        assert_eq!(records.len(), 1, "a puzzle without a solution was solved");
    });
}

criterion_group!(benches, evaluate, generation);
criterion_main!(benches);
