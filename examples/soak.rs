//! Both engines side by side on random work, for as long as one likes: every algorithm with random
//! parameters on random puzzles, Latin squares, queens and tori of random sizes. After every batch of
//! generations all cells and all fitness are compared.
//!
//! `cargo run --release --example soak -- 300` takes five minutes. `--seed N` repeats a session as far as
//! it gets, `--only N` one run of it. Exit status: 0 no difference, 1 a difference, with the command that
//! shows it again, 2 bad usage, 3 no adapter.

use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

use gpusudoku::algo::{self, Feedback, Info, Kind, Settings, Task};
use gpusudoku::engine::gpu::adapter::{self, AdapterChoice};
use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::engine::{Backend, Engine, Setup};
use gpusudoku::error::Error;
use gpusudoku::observation::{Observation, Observed};
use gpusudoku::plan::{Objective, Plan};
use gpusudoku::population::{Population, Record};
use gpusudoku::problem::sudoku::exact::Limit;
use gpusudoku::problem::sudoku::generate::{Recipe, generate};
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{Geometry, Grid, Instance, Problem, Puzzle, Queens, Surface};
use gpusudoku::rng::Stream;
use pollster::block_on;
use rand::RngExt as _;

const USAGE: &str = "usage: soak [SECONDS] [--seed N] [--only N]";

/// Cells times individuals times generations of a run: a software adapter takes about a second for them.
const WORK: usize = 100_000;

/// Moves of a tabu search in a generation, and other counts that only make runs long.
const MOST: u32 = 40;

struct Options {
    time: Duration,
    seed: u64,
    only: Option<u32>,
}

fn options() -> Option<Options> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let mut options = Options {
        time: Duration::from_secs(300),
        seed: now.map_or(1, |now| now.as_secs()),
        only: None,
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--seed" => options.seed = args.next()?.parse().ok()?,
            "--only" => options.only = Some(args.next()?.parse().ok()?),
            seconds => options.time = Duration::from_secs(seconds.parse().ok()?),
        }
    }
    Some(options)
}

/// What one run is; all of it follows from the seed and the number of the run.
struct Case {
    settings: Settings,
    sets: Vec<String>,
    problem: Problem,
    name: String,
    pop: usize,
    seed: u64,
    mapping: Option<Mapping>,
    threads: usize,
    batch: u32,
}

impl Case {
    fn new(session: u64, number: u32) -> Self {
        let rng = &mut Stream::new(session, number);
        let info = &algo::ALL[number as usize % algo::ALL.len()];
        let takes_queens = Settings::new(info)
            .build()
            .representation(&Instance::Queens(queens(8, Surface::Board)))
            .is_some();
        let (name, problem) = match rng.random_range(0..10) {
            0..=4 if takes_queens => {
                let surface = [Surface::Board, Surface::Torus][rng.random_range(0..2)];
                let queens = queens(between(4, 300, rng), surface);
                (queens.to_string(), Problem::from(queens))
            }
            _ => puzzle(session, number, rng),
        };
        let cells = match &problem {
            Problem::Sudoku(puzzle) => puzzle.geometry().cells(),
            Problem::Queens(queens) => queens.size(),
        };
        let pop = between(1, (WORK / 4 / cells).min(200), rng);
        let (settings, sets) = settings(info, pop, rng);
        Self {
            settings,
            sets,
            problem,
            name,
            pop,
            seed: rng.random(),
            mapping: [None, Some(Mapping::Thread), Some(Mapping::Workgroup)]
                [rng.random_range(0..3)],
            threads: rng.random_range(1..=3),
            batch: rng.random_range(1..=8),
        }
    }

    fn describe(&self) -> String {
        format!(
            "{} {} on {}, population {}, seed {}, {}",
            self.settings.info().name,
            self.sets.join(" "),
            self.name,
            self.pop,
            self.seed,
            self.mapping
                .map_or("layout of its choice".to_owned(), |it| it.to_string())
        )
    }
}

fn queens(size: usize, surface: Surface) -> Queens {
    Queens::new(size, surface).expect("at least four")
}

/// A number in these bounds, small ones as likely as large ones.
fn between(least: usize, most: usize, rng: &mut Stream) -> usize {
    let (least, most) = (least as f64, most.max(least) as f64);
    let number = least * (most / least + 1.0 / least).powf(rng.random::<f64>());
    (number as usize).clamp(least as usize, most as usize)
}

/// A Sudoku with any boxes, or a Latin square, to 25x25. Every other one has a wrong given, so that small
/// grids are not solved before anything was compared.
fn puzzle(session: u64, number: u32, rng: &mut Stream) -> (String, Problem) {
    let shapes = (2..=12).flat_map(|rows| (2..=12).map(move |cols| (rows, cols)));
    let shapes: Vec<_> = shapes.filter(|(rows, cols)| rows * cols <= 25).collect();
    let geometry = match rng.random_range(0..3) {
        0 => Geometry::latin(rng.random_range(2..=25)),
        _ => {
            let (rows, cols) = shapes[rng.random_range(0..shapes.len())];
            Geometry::sudoku(rows, cols)
        }
    }
    .expect("sizes that there are");
    let n = geometry.size();
    let recipe = Recipe {
        geometry,
        givens: rng.random_range(0..=geometry.cells() * 3 / 4),
        unique: false,
        limit: Limit::default(),
    };
    let made = generate(&recipe, session, number, |_, _| {});
    let mut cells = made.puzzle.cells().to_vec();
    let at = rng.random_range(0..cells.len());
    let whole = Puzzle::new(made.puzzle).expect("a part of a solution");
    if cells[at] != 0 && rng.random_bool(0.5) {
        cells[at] = cells[at] % n as u8 + 1;
    }
    let spoilt = Grid::new(geometry, cells).and_then(Puzzle::new);
    let puzzle = spoilt.unwrap_or(whole);
    let given = puzzle.givens().filled();
    (format!("a {geometry} with {given} givens"), puzzle.into())
}

/// About a third of the parameters with other values than the default ones.
fn settings(info: &'static Info, pop: usize, rng: &mut Stream) -> (Settings, Vec<String>) {
    let mut settings = Settings::new(info);
    let mut sets = Vec::new();
    for param in info.params {
        // The default is made for GPUs and hours.
        let needed = param.key == "moves" || param.key == "epoch";
        if !needed && rng.random_bool(2.0 / 3.0) {
            continue;
        }
        let mut count = |least: u32, most: u32| {
            let most = if param.key == "batch" {
                pop as u32
            } else {
                most
            };
            let most = most.min(MOST).max(least);
            (between(least as usize + 1, most as usize + 1, rng) - 1).to_string()
        };
        let value = match param.kind {
            Kind::Count(least, most) => count(least, most),
            Kind::CountOrAll(least, most) => count(least, most),
            Kind::Rate => {
                [0.0, 1.0, rng.random(), rng.random()][rng.random_range(0..4)].to_string()
            }
            Kind::Number(least, most) => {
                (least + (most.min(least + 8.0) - least) * rng.random::<f64>()).to_string()
            }
            Kind::Choice(words) => words[rng.random_range(0..words.len())].to_owned(),
        };
        if settings.set(param.key, &value).is_ok() {
            sets.push(format!("{}={value}", param.key));
        }
    }
    (settings, sets)
}

/// What was compared.
#[derive(Default, Clone, Copy)]
struct Compared {
    runs: u64,
    refused: u64,
    generations: u64,
    individuals: u64,
    differences: u64,
}

/// Why a run ended before its time.
enum End {
    /// A kernel is wrong.
    Difference(String),
    /// The combination cannot be run, here or anywhere.
    Refused(Error),
}

impl From<Error> for End {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

/// Runs a case on both engines, and compares them after every batch.
fn run(case: &Case, compared: &mut Compared) -> Result<(), End> {
    // Kernels do not ask whether there is a solution.
    let reduced = case.problem.reduce(case.settings.propagation());
    let reduced = reduced.or_else(|_| case.problem.reduce(Level::None));
    let instance = reduced.map_err(Error::from)?;
    let algorithm = case.settings.build();
    let Some(representation) = algorithm.representation(&instance) else {
        return Err(Error::NotForQueens.into());
    };
    if instance.goal() > 0 && representation.objective != Objective::Attacks {
        let goal = instance.goal();
        return Err(Error::UnknownOptimum { goal }.into());
    }
    let setup = Setup {
        instance: &instance,
        representation,
        pop: case.pop,
        seed: case.seed,
        diversity: true,
    };
    let task = Task {
        instance: &instance,
        pop: case.pop,
        seed: case.seed,
    };
    let mut state = algorithm.begin(&task);
    state.stage().plan.check(representation, case.pop)?;
    let gpu = Backend::Gpu {
        adapter: AdapterChoice::Best,
        mapping: case.mapping,
    };
    let cpu = Backend::Cpu {
        threads: case.threads,
    };
    let mut pair = Pair {
        cpu: block_on(Engine::new(&cpu, &setup))?,
        gpu: block_on(Engine::new(&gpu, &setup))?,
    };
    let start = state.start();
    let mut records = vec![block_on(pair.cpu.initialise(&start))?];
    let there = block_on(pair.gpu.initialise(&start))?;
    same_records(&records, &[there])?;
    compared.individuals += pair.compare(0)?;
    let form = instance.form();
    let most = (WORK / (form.cells() * case.pop)).clamp(2, 60) as u32;
    while let Some(last) = records.last().copied()
        && !last.solved()
        && last.generation < most
    {
        let observed = pair.observe(state.observation())?;
        state.observe(&Feedback {
            records: &records,
            observed: &observed,
        });
        let stage = state.stage();
        let together = case.batch.next_multiple_of(stage.plan.stride());
        let wanted = together.min(stage.generations);
        records = pair.advance(&stage.plan, last.generation, wanted)?;
        let now = records.last().map_or(last.generation, |it| it.generation);
        compared.generations += u64::from(now - last.generation);
        compared.individuals += pair.compare(now)?;
    }
    compared.runs += 1;
    Ok(())
}

/// Both engines at work on the same run.
struct Pair {
    cpu: Engine,
    gpu: Engine,
}

impl Pair {
    fn cpu_population(&mut self) -> Population {
        block_on(self.cpu.population())
            .expect("native code does not fail")
            .into_owned()
    }

    /// What both engines see of the generation.
    fn observe(&mut self, observation: Observation) -> Result<Observed<'_>, End> {
        let there = block_on(self.gpu.observe(observation))?;
        let here = block_on(self.cpu.observe(observation))?;
        match here == there {
            true => Ok(here),
            false => Err(End::Difference(format!("{observation:?} differs"))),
        }
    }

    /// Lets the native engine run, and the other one follow as far.
    fn advance(&mut self, plan: &Plan, from: u32, wanted: u32) -> Result<Vec<Record>, End> {
        let here = block_on(self.cpu.advance(plan, wanted))?;
        let to = here.last().map_or(from, |record| record.generation);
        let mut there = Vec::new();
        let mut at = from;
        while at < to {
            let news = block_on(self.gpu.advance(plan, to - at))?;
            let Some(last) = news.last() else { break };
            at = last.generation;
            there.extend(news);
        }
        // A batch that ends inside of an epoch has a record that the other engine may not have.
        let known = |record: &&Record| here.iter().any(|it| it.generation == record.generation);
        let common: Vec<Record> = there.iter().filter(known).copied().collect();
        let known = |record: &&Record| there.iter().any(|it| it.generation == record.generation);
        let expected: Vec<Record> = here.iter().filter(known).copied().collect();
        if at != to {
            return Err(End::Difference(format!(
                "the native engine has reached generation {to}, the adapter {at}"
            )));
        }
        same_records(&expected, &common)?;
        Ok(here)
    }

    /// All cells and all fitness; how many individuals that were.
    fn compare(&mut self, generation: u32) -> Result<u64, End> {
        let gpu = block_on(self.gpu.population())?.into_owned();
        let cpu = self.cpu_population();
        if cpu == gpu {
            return Ok(cpu.len() as u64);
        }
        let differs = |&at: &usize| {
            cpu.words_at(at) != gpu.words_at(at) || cpu.fitness()[at] != gpu.fitness()[at]
        };
        let who: Vec<usize> = (0..cpu.len()).filter(differs).collect();
        Err(End::Difference(format!(
            "in generation {generation} {} of {} individuals differ, the first is {:?}",
            who.len(),
            cpu.len(),
            who.first()
        )))
    }
}

fn same_records(here: &[Record], there: &[Record]) -> Result<(), End> {
    match here == there {
        true => Ok(()),
        false => Err(End::Difference(format!(
            "the records differ: {here:?} on the native engine, {there:?} on the adapter"
        ))),
    }
}

fn main() -> ExitCode {
    let Some(options) = options() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let info = match block_on(adapter::find(&AdapterChoice::Best)) {
        Ok(info) => info,
        Err(error) => {
            eprintln!("soak: {error}");
            return ExitCode::from(3);
        }
    };
    let (name, kind, driver) = (&info.name, info.kind, &info.driver);
    println!("adapter: {name} ({kind}), driver {driver}");
    println!("session: --seed {}", options.seed);
    let start = Instant::now();
    let mut compared = vec![Compared::default(); algo::ALL.len()];
    let first = options.only.unwrap_or(0);
    let last = options.only.map_or(u32::MAX, |only| only + 1);
    let mut differs = false;
    for number in (first..last).take_while(|_| start.elapsed() < options.time) {
        let case = Case::new(options.seed, number);
        let compared = &mut compared[number as usize % algo::ALL.len()];
        match run(&case, compared) {
            Ok(()) => {}
            Err(End::Refused(error)) => {
                compared.refused += 1;
                if options.only.is_some() {
                    println!("refused: {error}");
                }
            }
            Err(End::Difference(what)) => {
                println!("DIFFERENCE in run {number}: {}", case.describe());
                println!("{what}");
                println!(
                    "again: cargo run --release --example soak -- --seed {} --only {number}",
                    options.seed
                );
                compared.differences += 1;
                differs = true;
                break;
            }
        }
        if options.only.is_some() {
            println!("run {number}: {}", case.describe());
        }
    }
    report(&compared, start.elapsed());
    match differs {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    }
}

fn report(compared: &[Compared], took: Duration) {
    let row = |name: &str, it: &Compared| {
        println!(
            "{name:<14} {:>7} {:>8} {:>12} {:>12} {:>12}",
            it.runs, it.refused, it.generations, it.individuals, it.differences
        );
    };
    println!(
        "{:<14} {:>7} {:>8} {:>12} {:>12} {:>12}",
        "algorithm", "runs", "refused", "generations", "individuals", "differences"
    );
    let mut all = Compared::default();
    for (info, it) in algo::ALL.iter().zip(compared) {
        row(info.name, it);
        all.runs += it.runs;
        all.refused += it.refused;
        all.generations += it.generations;
        all.individuals += it.individuals;
        all.differences += it.differences;
    }
    row("all", &all);
    println!("{:.0} s", took.as_secs_f64());
}
