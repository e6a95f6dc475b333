//! Instructions that the native engine takes for its work on one thread: a guard against code that has
//! become slower, which nothing else on the machine can disturb.
//!
//! `benches/instructions.sh` has callgrind count them, and compares with what
//! `benches/instructions.tsv` has stored; `benches/instructions.sh --store` writes that file anew.
//! Seeds always lead to the same populations, so that the same work is counted again, and a count changes
//! only with the code. Other compilers make other code, and so do processors without AVX2: their counts
//! are shown, and not judged.

use std::fmt::Write as _;
use std::process::{Command, ExitCode};

use gpusudoku::algo::{AlgorithmState, Feedback, Task};
use gpusudoku::engine::{Backend, Engine, Setup};
use gpusudoku::lab::bench::puzzle;
use gpusudoku::lab::experiment::Contender;
use gpusudoku::operators::Start;
use pollster::block_on;
use rayon::prelude::*;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions.tsv");
const HEADING: &str = "work\tunits\tinstructions\tinstructions per unit";

/// A change by more than this is pointed out.
const NOTABLE: f64 = 0.05;

/// Fitness of everybody: sizes of the grid. An even number of individuals, since they are evaluated in pairs.
const EVALUATED: [usize; 4] = [9, 16, 25, 36];
const EVALUATED_POP: usize = 1024;

/// Algorithms, with settings that bring short runs to the stage that is meant: the size of the grid,
/// individuals, generations that are left behind, and generations that are counted.
const EVOLVED: &[(&str, usize, usize, u32, u32)] = &[
    ("lsga", 9, 64, 30, 10),
    ("lsga", 16, 64, 20, 4),
    ("lsga", 25, 64, 10, 2),
    ("lsga", 36, 32, 6, 2),
    ("tabu:moves=500", 9, 4, 4, 2),
    ("tabu:moves=500", 25, 4, 4, 2),
    ("tabu:moves=500", 49, 4, 8, 2),
    ("packing", 9, 4, 4, 2),
    ("packing", 25, 4, 4, 2),
    ("packing", 49, 4, 8, 2),
    ("nb-coin", 9, 64, 10, 4),
    ("reseda", 9, 64, 10, 4),
    ("ah-lsga:threshold=2", 9, 64, 20, 10),
    ("ga", 9, 64, 20, 10),
    ("ga-ii", 9, 64, 20, 10),
    ("ga-iii:interval=10", 9, 64, 20, 20),
    ("gpu-ga:island=16:epoch=10", 9, 64, 20, 10),
    ("hs", 9, 64, 10, 10),
    ("fpchs:improvisations=0", 9, 64, 10, 10),
    ("hpsoga", 9, 64, 10, 10),
    ("cga", 9, 64, 10, 10),
    ("hgsaga", 9, 64, 2, 4),
    ("hgasa:stagnation=1", 9, 64, 20, 10),
    ("min-conflicts", 9, 16, 10, 10),
];

/// Names of all the work: an algorithm, and the size of the grid.
fn works() -> Vec<String> {
    let evaluated = EVALUATED.iter().map(|size| format!("evaluate/{size}"));
    let evolved = EVOLVED.iter().map(|(algo, size, ..)| name(algo, *size));
    evaluated.chain(evolved).collect()
}

fn name(contender: &str, size: usize) -> String {
    let algo = contender.split(':').next().unwrap_or_default();
    format!("{algo}/{size}")
}

/// Instructions are counted in here: callgrind knows it by its name.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
}

/// Does the work of that name, and says for how many individuals, moves or proposals.
fn work(wanted: &str) -> u64 {
    if let Some(size) = wanted.strip_prefix("evaluate/") {
        return evaluate(size.parse().expect("a size"));
    }
    let &(contender, size, pop, before, generations) = EVOLVED
        .iter()
        .find(|(contender, size, ..)| name(contender, *size) == wanted)
        .expect("work of the list");
    evolve(contender, size, pop, before, generations)
}

const BACKEND: Backend = Backend::Cpu { threads: 1 };

fn evaluate(size: usize) -> u64 {
    let instance = puzzle(size);
    let setup = Setup::rows(&instance, EVALUATED_POP, 1);
    let mut engine = block_on(Engine::new(&BACKEND, &setup)).expect("an engine");
    block_on(engine.initialise(&Start::Fresh)).expect("an initial population");
    counted(&mut || block_on(engine.evaluate()).expect("fitness"));
    EVALUATED_POP as u64
}

fn evolve(contender: &str, size: usize, pop: usize, before: u32, generations: u32) -> u64 {
    let contender = Contender::parse(contender, Some(pop)).expect("an algorithm with settings");
    let algorithm = contender.settings.build();
    let instance = puzzle(size);
    let representation = algorithm.representation(&instance);
    let setup = Setup {
        representation: representation.expect("an algorithm for grids"),
        ..Setup::rows(&instance, pop, 1)
    };
    let mut engine = block_on(Engine::new(&BACKEND, &setup)).expect("an engine");
    let mut state = algorithm.begin(&Task {
        instance: &instance,
        pop,
        seed: 1,
    });
    let record = block_on(engine.initialise(&state.start())).expect("an initial population");
    let observed = block_on(engine.observe(state.observation())).expect("a population");
    state.observe(&Feedback {
        records: &[record],
        observed: &observed,
    });
    advance(&mut engine, &mut *state, before);
    let mut units = 0;
    counted(&mut || units = advance(&mut engine, &mut *state, generations));
    units
}

/// Runs so many generations; how many individuals, moves or proposals were evaluated.
fn advance(engine: &mut Engine, state: &mut dyn AlgorithmState, generations: u32) -> u64 {
    let (mut left, mut units) = (generations, 0);
    while left > 0 {
        let plan = state.stage().plan;
        let now = plan.stride().min(left);
        let records = block_on(engine.advance(&plan, now)).expect("generations");
        let pop = block_on(engine.population()).expect("a population").len();
        units += plan.evaluations(pop, now, &records);
        let observed = block_on(engine.observe(state.observation())).expect("a population");
        state.observe(&Feedback {
            records: &records,
            observed: &observed,
        });
        left -= now;
    }
    units
}

/// How much work it was, and what it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Count {
    units: u64,
    instructions: u64,
}

impl Count {
    fn per_unit(self) -> f64 {
        self.instructions as f64 / self.units as f64
    }
}

/// Has callgrind count the instructions of this work.
fn count(work: &str) -> Result<Count, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--toggle-collect=instructions::counted*")
        .arg(program)
        .args(["--work", work])
        .output()
        .map_err(|error| format!("valgrind: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let collected = said
        .lines()
        .find_map(|line| line.split_once("Collected :"))
        .and_then(|(_, number)| number.trim().parse().ok())
        .filter(|&instructions| instructions > 0);
    let units = String::from_utf8_lossy(&output.stdout).trim().parse().ok();
    match (output.status.success(), units, collected) {
        (true, Some(units), Some(instructions)) => Ok(Count {
            units,
            instructions,
        }),
        _ => Err(format!("{work} was not counted: {said}")),
    }
}

/// What counts depend on besides the code.
fn conditions() -> Result<String, String> {
    let rustc = Command::new("rustc").arg("--version").output();
    let rustc = rustc.map_err(|error| format!("rustc: {error}"))?.stdout;
    let rustc = String::from_utf8_lossy(&rustc);
    let (rustc, system) = (rustc.trim(), std::env::consts::OS);
    #[cfg(target_arch = "x86_64")]
    let extension = match std::arch::is_x86_feature_detected!("avx2") {
        true => " with AVX2",
        false => " without AVX2",
    };
    #[cfg(not(target_arch = "x86_64"))]
    let extension = "";
    let processor = std::env::consts::ARCH;
    Ok(format!("{rustc}, {system} on {processor}{extension}"))
}

/// Counts, and under which conditions they were made.
struct Counts {
    conditions: String,
    rows: Vec<(String, Count)>,
}

impl Counts {
    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let conditions = lines.next()?.strip_prefix("# ")?.to_owned();
        lines.next().filter(|line| *line == HEADING)?;
        let row = |line: &str| {
            let mut fields = line.split('\t');
            let work = fields.next()?.to_owned();
            let mut number = || fields.next()?.parse().ok();
            let (units, instructions) = (number()?, number()?);
            let count = Count {
                units,
                instructions,
            };
            Some((work, count))
        };
        let rows = lines.map(row).collect::<Option<_>>()?;
        Some(Self { conditions, rows })
    }

    fn text(&self) -> String {
        let mut text = format!("# {}\n{HEADING}\n", self.conditions);
        for (work, count) in &self.rows {
            let (units, instructions) = (count.units, count.instructions);
            let each = count.per_unit();
            let _ = writeln!(text, "{work}\t{units}\t{instructions}\t{each:.1}");
        }
        text
    }

    fn of(&self, work: &str) -> Option<Count> {
        let row = self.rows.iter().find(|(known, _)| known == work);
        row.map(|(_, count)| *count)
    }
}

/// Prints the counts beside those that are stored; the number of regressions.
fn compare(now: &Counts, stored: &Counts) -> usize {
    let comparable = now.conditions == stored.conditions;
    println!("instructions for each individual, move (tabu), step (packing) or proposal (hgasa)");
    println!("stored: {}", stored.conditions);
    if !comparable {
        println!("now:    {}", now.conditions);
    }
    println!(
        "\n{:<18}{:>12}{:>12}{:>10}",
        "work", "stored", "now", "change"
    );
    let mut regressions = 0;
    for (work, count) in &now.rows {
        let each = count.per_unit();
        let known = stored.of(work).filter(|known| known.units == count.units);
        let Some(known) = known else {
            println!(
                "{work:<18}{:>12}{each:>12.1}{:>10}  new: store it",
                "-", "-"
            );
            continue;
        };
        let change = count.instructions as f64 / known.instructions as f64 - 1.0;
        let verdict = match change {
            _ if !comparable => "",
            _ if change > NOTABLE => "  REGRESSION",
            _ if change < -NOTABLE => "  better: store it",
            _ => "",
        };
        regressions += usize::from(verdict.contains("REGRESSION"));
        let was = known.per_unit();
        let percent = format!("{:+.1} %", 100.0 * change);
        println!("{work:<18}{was:>12.1}{each:>12.1}{percent:>10}{verdict}");
    }
    if !comparable {
        println!("\nnot judged: another compiler or processor than that of the stored counts");
    }
    regressions
}

fn guard(arguments: &[String]) -> Result<(), String> {
    let store = arguments.iter().any(|argument| argument == "--store");
    // Cargo adds flags, and so may who runs other benchmarks as well.
    let filters: Vec<_> = arguments
        .iter()
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let wanted = |work: &String| {
        store || filters.is_empty() || filters.iter().any(|filter| work.contains(*filter))
    };
    let works: Vec<String> = works().into_iter().filter(wanted).collect();
    if works.is_empty() {
        return Err(format!("no work has such a name: {filters:?}"));
    }
    let row = |work: String| count(&work).map(|count| (work, count));
    let now = Counts {
        conditions: conditions()?,
        rows: works.into_par_iter().map(row).collect::<Result<_, _>>()?,
    };
    if store {
        std::fs::write(FILE, now.text()).map_err(|error| format!("{FILE}: {error}"))?;
        print!("{}\nstored in {FILE}\n", now.text());
        return Ok(());
    }
    let text = std::fs::read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"))?;
    let stored = Counts::parse(&text).ok_or(format!("{FILE}: not a file of counts"))?;
    match compare(&now, &stored) {
        0 => {}
        regressions => println!(
            "\nREGRESSION: {regressions} of {} counts have grown by more than {} %",
            now.rows.len(),
            100.0 * NOTABLE
        ),
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, wanted] = &arguments[..]
        && flag == "--work"
    {
        println!("{}", work(wanted));
        return ExitCode::SUCCESS;
    }
    match guard(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
