//! Both engines side by side, and what it means that they agree.

use std::sync::Once;

use gpusudoku::engine::gpu::adapter::AdapterChoice;
use gpusudoku::engine::gpu::shaders::Lanes;
use gpusudoku::engine::{Backend, Engine};
use gpusudoku::plan::Plan;
use gpusudoku::population::{Population, Record};
use gpusudoku::problem::{Geometry, Puzzle};

use super::common::*;

/// Whether this machine is declared to have no GPU; says so.
pub fn skipped() -> bool {
    let skip = std::env::var("GPUSUDOKU_SKIP_GPU_TESTS").is_ok_and(|value| value == "1");
    if skip {
        eprintln!("skipped: GPUSUDOKU_SKIP_GPU_TESTS is set");
    }
    skip
}

pub fn cpu_engine(puzzle: &Puzzle, pop: usize, seed: u64, threads: usize) -> Engine {
    try_engine(&Backend::Cpu { threads }, puzzle, pop, seed).unwrap()
}

pub fn gpu_engine(puzzle: &Puzzle, pop: usize, seed: u64, lanes: Lanes) -> Engine {
    static ADAPTER: Once = Once::new();
    let backend = |lanes| Backend::Gpu {
        adapter: AdapterChoice::Best,
        lanes,
    };
    ADAPTER.call_once(|| {
        let puzzle = puzzle_of(sudoku(3, 3), 0);
        match try_engine(&backend(None), &puzzle, 1, 0) {
            Ok(Engine::Gpu(engine)) => {
                let info = engine.info();
                eprintln!(
                    "adapter: {} ({}, {}), driver: {}, layout of its choice at 9x9: {}; tested: \
                     {} and {}",
                    info.name,
                    info.kind,
                    info.backend,
                    info.driver,
                    engine.lanes(),
                    Lanes::One,
                    Lanes::Many
                );
            }
            Ok(Engine::Cpu(_)) => panic!("asked for the GPU and got the CPU"),
            Err(error) => eprintln!("no adapter: {error}"),
        }
    });
    let engine = try_engine(&backend(Some(lanes)), puzzle, pop, seed).unwrap();
    match &engine {
        Engine::Gpu(gpu) => assert_eq!(gpu.lanes(), lanes),
        Engine::Cpu(_) => panic!("asked for the GPU and got the CPU"),
    }
    engine
}

/// A puzzle that leaves the operators enough to do, and software drivers within their limits:
/// Mesa's runs 65,535 turns of all loops, which LSGA exceeds on emptier grids from 36x36 on.
pub fn puzzle_of(geometry: Geometry, seed: u64) -> Puzzle {
    let givens = match geometry.size() {
        0..=4 => 0.0,
        5..=25 => 0.3,
        26..=40 => 0.6,
        41..=70 => 0.8,
        _ => 0.95,
    };
    puzzle(geometry, givens, seed)
}

/// Both engines at work on the same run.
pub struct Pair {
    pub name: String,
    pub cpu: Engine,
    pub gpu: Engine,
}

impl Pair {
    pub fn new(puzzle: &Puzzle, pop: usize, seed: u64, lanes: Lanes, threads: usize) -> Self {
        Self {
            name: format!(
                "{}, pop {pop}, seed {seed}, {lanes}, {threads} CPU threads",
                puzzle.geometry()
            ),
            cpu: cpu_engine(puzzle, pop, seed, threads),
            gpu: gpu_engine(puzzle, pop, seed, lanes),
        }
    }

    pub fn initialise(&mut self) -> Record {
        let cpu = initialise(&mut self.cpu);
        let gpu = initialise(&mut self.gpu);
        assert_eq!(cpu, gpu, "{}: the record of generation 0", self.name);
        self.compare("initialise");
        cpu
    }

    /// Advances both in batches of their own sizes, and says whether the run is solved.
    pub fn advance(
        &mut self,
        plan: &Plan,
        generations: u32,
        batches: (u32, u32),
        what: &str,
    ) -> bool {
        let cpu = advance(&mut self.cpu, plan, generations, batches.0);
        let gpu = try_advance(&mut self.gpu, plan, generations, batches.1)
            .unwrap_or_else(|error| panic!("{}: {what}: {error}", self.name));
        assert_eq!(cpu, gpu, "{}: the records after {what}", self.name);
        assert!(!cpu.is_empty(), "{}: no generation ran", self.name);
        self.compare(what);
        cpu.last().is_some_and(Record::solved)
    }

    /// Gives both engines their population with a wrong fitness everywhere.
    pub fn spoil_fitness(&mut self) {
        for engine in [&mut self.cpu, &mut self.gpu] {
            let mut spoilt = population(engine);
            spoilt.split_mut().2.fill(12_345);
            engine.load(&spoilt);
        }
    }

    pub fn compare(&mut self, what: &str) {
        let cpu = population(&mut self.cpu);
        let gpu = population(&mut self.gpu);
        assert_same(&cpu, &gpu, &format!("{}: {what}", self.name));
    }
}

/// Exact equality, with a message a person can read.
pub fn assert_same(cpu: &Population, gpu: &Population, what: &str) {
    assert_eq!(cpu.len(), gpu.len(), "{what}: the size of the population");
    for individual in 0..cpu.len() {
        let n = cpu.geometry().size();
        let rows = cpu.cells(individual).chunks(n);
        for (row, (one, two)) in rows.zip(gpu.cells(individual).chunks(n)).enumerate() {
            assert_eq!(
                one, two,
                "{what}: individual {individual}, row {row}, CPU and GPU"
            );
        }
        assert_eq!(
            cpu.fitness()[individual],
            gpu.fitness()[individual],
            "{what}: fitness of individual {individual}, CPU and GPU"
        );
    }
    assert!(cpu == gpu, "{what}: the padding differs");
}
