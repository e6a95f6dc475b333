//! Both engines side by side, and what it means that they agree.

use std::sync::Once;

use gpusudoku::engine::gpu::adapter::AdapterChoice;
use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::engine::{Backend, Engine};
use gpusudoku::error::Error;
use gpusudoku::operators::Start;
use gpusudoku::operators::kernel::Shader;
use gpusudoku::plan::{Plan, Representation};
use gpusudoku::population::{Population, Record};
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{Form, Geometry, Grid, Instance, Puzzle, Reduction};

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

pub fn gpu_engine(puzzle: &Puzzle, pop: usize, seed: u64, mapping: Mapping) -> Engine {
    let instance = Instance::from(Reduction::new(puzzle, Level::None).unwrap());
    gpu_engine_on(&instance, Representation::ROWS, pop, seed, mapping)
}

/// A kernel that every mapping suits.
const INITIALISE: Shader = Shader::builtin("grids/initialise");

/// The adapter of these tests with this layout; the first call says which adapter that is.
pub fn gpu_backend(mapping: Mapping) -> Backend {
    static ADAPTER: Once = Once::new();
    let backend = |mapping| Backend::Gpu {
        adapter: AdapterChoice::Best,
        mapping,
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
                    engine.mapping_of(&INITIALISE).unwrap(),
                    Mapping::Thread,
                    Mapping::Workgroup
                );
            }
            Ok(Engine::Cpu(_) | Engine::Shared(_)) => panic!("asked for the GPU"),
            Err(error) => eprintln!("no adapter: {error}"),
        }
    });
    backend(Some(mapping))
}

fn gpu_engine_on(
    instance: &Instance,
    representation: Representation,
    pop: usize,
    seed: u64,
    mapping: Mapping,
) -> Engine {
    let engine = try_engine_on(&gpu_backend(mapping), instance, representation, pop, seed).unwrap();
    match &engine {
        Engine::Gpu(gpu) => assert_eq!(gpu.mapping_of(&INITIALISE).unwrap(), mapping),
        Engine::Cpu(_) | Engine::Shared(_) => panic!("asked for the GPU"),
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

/// A puzzle without a solution, which does not show before singles are looked for: runs on small
/// grids have something to do in all of their generations.
pub fn impossible(geometry: Geometry) -> Puzzle {
    let one_wrong = |seed| {
        let mut cells = puzzle(geometry, 0.4, seed).givens().cells().to_vec();
        let given = cells.iter().position(|&digit| digit != 0)?;
        cells[given] = cells[given] % geometry.size() as u8 + 1;
        let puzzle = Puzzle::new(Grid::new(geometry, cells).unwrap()).ok()?;
        let known = Reduction::new(&puzzle, Level::None).is_ok();
        (known && Reduction::new(&puzzle, Level::Singles).is_err()).then_some(puzzle)
    };
    (0..).find_map(one_wrong).unwrap()
}

/// Both engines at work on the same run.
pub struct Pair {
    pub name: String,
    pub cpu: Engine,
    pub gpu: Engine,
    /// Whether records must agree about diversity.
    pub diversity: bool,
    /// The generation that both have reached.
    generation: u32,
}

impl Pair {
    /// For individuals that are rows.
    pub fn new(puzzle: &Puzzle, pop: usize, seed: u64, mapping: Mapping, threads: usize) -> Self {
        Self::of(Representation::ROWS, puzzle, pop, seed, mapping, threads)
    }

    pub fn of(
        representation: Representation,
        puzzle: &Puzzle,
        pop: usize,
        seed: u64,
        mapping: Mapping,
        threads: usize,
    ) -> Self {
        let instance = Instance::from(Reduction::new(puzzle, Level::None).unwrap());
        Self::on(&instance, representation, pop, seed, mapping, threads)
    }

    /// For whatever is left of a problem.
    pub fn on(
        instance: &Instance,
        representation: Representation,
        pop: usize,
        seed: u64,
        mapping: Mapping,
        threads: usize,
    ) -> Self {
        let what = match instance {
            Instance::Sudoku(reduction) => reduction.puzzle().geometry().to_string(),
            Instance::Queens(queens) => queens.to_string(),
        };
        let cpu = Backend::Cpu { threads };
        Self {
            name: format!(
                "{what}, {representation:?}, pop {pop}, seed {seed}, {mapping}, {threads} CPU threads"
            ),
            cpu: try_engine_on(&cpu, instance, representation, pop, seed).unwrap(),
            gpu: gpu_engine_on(instance, representation, pop, seed, mapping),
            diversity: true,
            generation: 0,
        }
    }

    pub fn initialise(&mut self) -> Record {
        self.start(&Start::Fresh)
    }

    pub fn start(&mut self, start: &Start) -> Record {
        let [cpu, gpu] = [&mut self.cpu, &mut self.gpu]
            .map(|engine| pollster::block_on(engine.initialise(start)).unwrap());
        assert_eq!(cpu, gpu, "{}: the record of generation 0", self.name);
        self.compare("initialise");
        self.generation = 0;
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
        self.try_advance(plan, generations, batches, what)
            .unwrap_or_else(|error| panic!("{}: {what}: {error}", self.name))
    }

    /// The same, or the error of the GPU engine.
    pub fn try_advance(
        &mut self,
        plan: &Plan,
        generations: u32,
        batches: (u32, u32),
        what: &str,
    ) -> Result<bool, Error> {
        let to = self.generation + generations;
        let mut gpu = records_to(&mut self.gpu, plan, self.generation, to, batches.1)?;
        let mut cpu = records_to(&mut self.cpu, plan, self.generation, to, batches.0)?;
        if plan.stride() > 1 {
            // A batch that ends inside of an epoch has a record the other engine may not have.
            let common = |one: &Record, all: &[Record]| {
                let same = |other: &Record| other.generation == one.generation;
                all.iter().any(same)
            };
            let all = cpu.clone();
            cpu.retain(|record| common(record, &gpu));
            gpu.retain(|record| common(record, &all));
        }
        if !self.diversity {
            for record in cpu.iter_mut().chain(&mut gpu) {
                (record.differences_low, record.differences_high) = (0, 0);
            }
        }
        assert_eq!(cpu, gpu, "{}: the records after {what}", self.name);
        let Some(last) = cpu.last() else {
            panic!("{}: no generation ran", self.name)
        };
        assert!(last.generation == to || last.solved(), "{}", self.name);
        self.generation = last.generation;
        self.compare(what);
        Ok(last.solved())
    }

    /// Gives both engines another population.
    pub fn load(&mut self, population: &Population) {
        for engine in [&mut self.cpu, &mut self.gpu] {
            engine.load(population).unwrap();
        }
    }

    /// Lets both engines evaluate what they have.
    pub fn evaluate(&mut self) {
        for engine in [&mut self.cpu, &mut self.gpu] {
            pollster::block_on(engine.evaluate()).unwrap();
        }
        self.compare("evaluate");
    }

    /// Gives both engines their population with a wrong fitness everywhere.
    pub fn spoil_fitness(&mut self) {
        for engine in [&mut self.cpu, &mut self.gpu] {
            let mut spoilt = population(engine);
            spoilt.split_mut().2.fill(12_345);
            engine.load(&spoilt).unwrap();
        }
    }

    pub fn compare(&mut self, what: &str) {
        let cpu = population(&mut self.cpu);
        let gpu = population(&mut self.gpu);
        assert_same(&cpu, &gpu, &format!("{}: {what}", self.name));
    }
}

/// The records of the generations up to `to`, or to the first solved one.
fn records_to(
    engine: &mut Engine,
    plan: &Plan,
    from: u32,
    to: u32,
    batch: u32,
) -> Result<Vec<Record>, Error> {
    let mut records: Vec<Record> = Vec::new();
    let mut at = from;
    while at < to && !records.last().is_some_and(Record::solved) {
        let wanted = batch.min(to - at);
        let news = pollster::block_on(engine.advance(plan, wanted))?;
        // A run that was solved before has nothing to add.
        let Some(last) = news.last() else { break };
        assert!(last.generation <= at + wanted, "more than was wanted");
        at = last.generation;
        records.extend(news);
    }
    Ok(records)
}

/// Exact equality, with a message a person can read.
pub fn assert_same(cpu: &Population, gpu: &Population, what: &str) {
    assert_eq!(cpu.len(), gpu.len(), "{what}: the size of the population");
    for individual in 0..cpu.len() {
        match cpu.form() {
            Form::Grid(geometry) => {
                let n = geometry.size();
                let rows = cpu.cells(individual).chunks(n);
                for (row, (one, two)) in rows.zip(gpu.cells(individual).chunks(n)).enumerate() {
                    assert_eq!(
                        one, two,
                        "{what}: individual {individual}, row {row}, CPU and GPU"
                    );
                }
            }
            Form::Placement(_) => {
                let columns = cpu.words_at(individual).iter();
                let mut columns = columns.zip(gpu.words_at(individual));
                let differs = columns.position(|(one, two)| one != two);
                assert_eq!(differs, None, "{what}: a column of individual {individual}");
            }
        }
        assert_eq!(
            cpu.fitness()[individual],
            gpu.fitness()[individual],
            "{what}: fitness of individual {individual}, CPU and GPU"
        );
    }
    assert!(cpu == gpu, "{what}: the padding differs");
}
