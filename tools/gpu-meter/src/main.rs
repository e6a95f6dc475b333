//! Counts what the kernels of gpusudoku would cost on a Radeon, without one: see docs/performance/gpu-meter.md.

mod assembly;
mod compile;
mod count;
mod emulate;
mod lane_functions;
mod lds;
mod memory;
mod parity;
mod permute;
mod program;
mod rates;
mod scalar;
mod table;
mod vector;
mod wave;
mod work;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use gpusudoku::engine::gpu::adapter::AdapterInfo;
use gpusudoku::engine::gpu::capture::Launch;
use gpusudoku::engine::gpu::shaders::{Mapping, library};

use crate::compile::Compiler;
use crate::emulate::Metered;
use crate::table::{Row, Table};
use crate::work::{Choice, Prepared, Work};

/// Counts what the kernels of gpusudoku would cost on a Radeon, without one.
#[derive(Debug, Parser)]
struct Arguments {
    /// Work whose name contains one of these, as breed_rows/9x9; all work if there are none.
    names: Vec<String>,
    /// Writes the table to benches/gpu.tsv, in place of comparing with it.
    #[arg(long)]
    store: bool,
    /// Tells what the stored counts mean for a real card, and counts nothing.
    #[arg(long, conflicts_with_all = ["store", "kernel"])]
    rates: bool,
    /// One kernel in place of the table, as grids/breed_rows.
    #[arg(long)]
    kernel: Option<String>,
    /// The size of the grid.
    #[arg(long, default_value_t = 9)]
    size: usize,
    /// How individuals are mapped to threads; chosen for the adapter if not set.
    #[arg(long)]
    mapping: Option<MappingName>,
    /// Individuals.
    #[arg(long)]
    pop: Option<usize>,
    /// Generations before the one that is metered.
    #[arg(long)]
    before: Option<u32>,
    /// The algorithm with its settings, in place of the usual one.
    #[arg(long)]
    algo: Option<String>,
    /// Lanes of a wave, 32 or 64, in place of what the driver chooses.
    #[arg(long)]
    wave: Option<u32>,
    /// Shows so many blocks of each kernel that issue most.
    #[arg(long, default_value_t = 0)]
    hot: usize,
    /// Writes the assembly to a file.
    #[arg(long)]
    isa: Option<PathBuf>,
    /// Takes shaders from a folder.
    #[arg(long)]
    shaders: Option<PathBuf>,
}

/// Names of mappings.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum MappingName {
    /// A thread per individual.
    Thread,
    /// A workgroup per individual.
    Workgroup,
    /// A subgroup per individual.
    Subgroup,
}

impl From<MappingName> for Mapping {
    fn from(name: MappingName) -> Self {
        match name {
            MappingName::Thread => Mapping::Thread,
            MappingName::Workgroup => Mapping::Workgroup,
            MappingName::Subgroup => Mapping::Subgroup,
        }
    }
}

/// What wgpu says of an RX 6800 XT, as far as kernels depend on it.
fn radeon() -> AdapterInfo {
    AdapterInfo {
        index: 0,
        name: "AMD Radeon RX 6800 XT".to_owned(),
        kind: "discrete GPU",
        software: false,
        backend: "Vulkan".to_owned(),
        driver: "radv".to_owned(),
        timestamps: true,
        max_storage_binding: i32::MAX as u64,
        max_workgroup_memory: 32 * 1024,
        max_workgroup_size: 1024,
        max_workgroups: 65_535,
        // The least of 32 and 64.
        subgroup_lanes: 32,
        browser: false,
    }
}

/// The stored table.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/gpu.tsv");

/// The version of naga in the lock file: other versions write other code.
fn naga_version() -> &'static str {
    let lock = include_str!("../Cargo.lock");
    let package = lock.split("name = \"naga\"\nversion = \"").nth(1);
    package
        .and_then(|text| text.split('"').next())
        .unwrap_or("?")
}

fn run(arguments: &Arguments) -> Result<bool, String> {
    if let Some(folder) = &arguments.shaders {
        let taken = library::use_folder(folder.clone());
        taken
            .map_err(|folder| format!("{}: shaders are taken from elsewhere", folder.display()))?;
    }
    if arguments.rates {
        print!("{}", rates::text(&stored_table()?.rows));
        return Ok(true);
    }
    let compiler = Compiler::open()?;
    match &arguments.kernel {
        Some(kernel) => meter_one(&compiler, arguments, kernel),
        None => meter_all(&compiler, arguments),
    }
}

/// The table that was stored last.
fn stored_table() -> Result<Table, String> {
    let text = std::fs::read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"))?;
    Table::parse(&text).ok_or_else(|| format!("{FILE} is not a table of this version"))
}

/// Meters the table's work.
fn meter_all(compiler: &Compiler, arguments: &Arguments) -> Result<bool, String> {
    let mut rows: Vec<Row> = Vec::new();
    for work in work::all() {
        for choice in Choice::all() {
            meter_work(compiler, arguments, &work, choice, &mut rows)?;
        }
    }
    if rows.is_empty() {
        return Err(format!(
            "no work has such a name: {}",
            arguments.names.join(" ")
        ));
    }
    let now = Table {
        conditions: format!("{}, naga {}", compiler.name, naga_version()),
        rows,
    };
    let stored = match arguments.store {
        true => None,
        false => Some(stored_table()?),
    };
    let (text, failures) = now.compare(stored.as_ref());
    print!("{text}");
    let wrong = match arguments.names.is_empty() {
        true => parity::compare_all(compiler, &radeon())?,
        false => 0,
    };
    if arguments.store {
        std::fs::write(FILE, now.text()).map_err(|error| format!("{FILE}: {error}"))?;
        println!("stored in benches/gpu.tsv");
    }
    if failures > 0 {
        println!(
            "FAILED: {failures} rows of mappings that auto chooses spill, use scratch memory or have wrong bits"
        );
    }
    if wrong > 0 {
        println!("FAILED: {wrong} algorithms make other populations than the native engine");
    }
    Ok(failures + wrong == 0)
}

/// Meters some work, unless its rows are there already.
fn meter_work(
    compiler: &Compiler,
    arguments: &Arguments,
    work: &Work,
    choice: Choice,
    rows: &mut Vec<Row>,
) -> Result<(), String> {
    let prepared = work.prepare(&radeon(), choice, work.size == 9)?;
    let title = |launch: &Launch| {
        let kernel = launch.shader.path().rsplit('/').next().unwrap_or_default();
        let mapping = launch.composed.variant.mapping;
        format!("{kernel}/{}/{}", work.problem(), mapping.name())
    };
    let titles: Vec<String> = prepared.capture.launches.iter().map(title).collect();
    let is_missing = |title: &String, rows: &[Row]| {
        let filters = &arguments.names;
        let is_wanted = filters.is_empty() || filters.iter().any(|it| title.contains(it));
        is_wanted && !rows.iter().any(|row| row.work == *title)
    };
    if !titles.iter().any(|title| is_missing(title, rows)) {
        return Ok(());
    }
    let (buffers, metered) = match emulate::run(compiler, &prepared.capture, arguments.wave) {
        Ok(ran) => ran,
        Err(error) if choice.is_automatic() => return Err(error),
        // What auto does not choose may fail.
        Err(error) => {
            println!("{}, {choice:?}: not metered: {error}", work.problem());
            return Ok(());
        }
    };
    let mut mistake = prepared.mistake(&buffers);
    if choice.is_automatic() {
        mistake = mistake.or(parity::mistake_in_waves(compiler, &prepared)?);
    }
    if let Some(mistake) = &mistake {
        let Work { algo, moment, .. } = work;
        println!("{algo} {moment:?} at {}: {mistake}", work.problem());
    }
    for (title, it) in titles.into_iter().zip(&metered) {
        if is_missing(&title, rows) {
            let (chosen, right) = (choice.is_automatic(), mistake.is_none());
            let Prepared { unit, units, .. } = prepared;
            rows.push(Row::new(title, chosen, right, it, unit, units));
        }
    }
    Ok(())
}

/// Meters one kernel, for experiments.
fn meter_one(compiler: &Compiler, arguments: &Arguments, kernel: &str) -> Result<bool, String> {
    let mut work = work::work_of(kernel, arguments.size)?;
    work.pop = arguments.pop.unwrap_or(work.pop);
    work.before = arguments.before.unwrap_or(work.before);
    if let Some(algo) = &arguments.algo {
        work.algo.clone_from(algo);
    }
    let diversity = kernel.ends_with("diversity");
    let mapping = arguments.mapping.map(Mapping::from);
    let choice = mapping.map_or(Choice::Auto, Choice::Fixed);
    let prepared = work.prepare(&radeon(), choice, diversity)?;
    let (buffers, metered) = emulate::run(compiler, &prepared.capture, arguments.wave)?;
    let Work { algo, pop, .. } = &work;
    println!(
        "{}: {algo}, {pop} individuals of {}",
        compiler.name,
        work.problem()
    );
    for it in &metered {
        let is_asked_for = it.kernel.ends_with(kernel);
        show(it, prepared.units, prepared.unit);
        if is_asked_for {
            show_hot(it, arguments.hot);
        }
        if let Some(file) = arguments.isa.as_ref().filter(|_| is_asked_for) {
            let written = std::fs::write(file, &it.compiled.assembly);
            written.map_err(|error| format!("{}: {error}", file.display()))?;
        }
    }
    match prepared.mistake(&buffers) {
        None => println!("every bit is right"),
        Some(mistake) => {
            println!("WRONG BITS: {mistake}");
            return Ok(false);
        }
    }
    Ok(true)
}

fn show(it: &Metered, units: u64, unit: &str) {
    let statistic = |name: &str| it.compiled.statistic(name);
    println!(
        "{} wave{} x{} in {} dispatches, {} VGPRs, {} SGPRs, {} + {} spilled, {} B scratch, {} B LDS, {} waves a SIMD, {} instructions of code",
        it.kernel,
        it.compiled.wave,
        it.waves,
        it.dispatches,
        statistic("VGPRs"),
        statistic("SGPRs"),
        statistic("Spilled VGPRs"),
        statistic("Spilled SGPRs"),
        statistic("Scratch size"),
        statistic("LDS size"),
        statistic("Subgroups per SIMD"),
        statistic("Instructions"),
    );
    let totals = it.counts.totals(&it.program, it.compiled.wave);
    let each = |count: u64| count as f64 / units.max(1) as f64;
    println!(
        "  per {unit}: {:.1} wave instructions; {:.1} vector ({:.1} passes, {:.1} lanes), {:.1} scalar, {:.1} branches, {:.1} scalar loads, {:.1} LDS, {:.2} memory ({:.2} lines), {:.2} scratch; {:.0} serial cycles",
        each(totals.instructions),
        each(totals.vector),
        each(totals.vector_passes),
        totals.active_lanes(),
        each(totals.scalar),
        each(totals.branches),
        each(totals.scalar_loads),
        each(totals.lds),
        each(totals.memory),
        each(totals.lines),
        each(totals.scratch),
        each(totals.serial_cycles),
    );
}

fn show_hot(it: &Metered, most: usize) {
    let all = it.counts.totals(&it.program, it.compiled.wave).instructions;
    for (issued, first, entered, lanes) in it.counts.hottest(&it.program, most) {
        let share = 100.0 * issued as f64 / all.max(1) as f64;
        let line = &it.program.line(first).text;
        println!("  {share:5.1} %  at {first:5}, {entered:9} times, {lanes:4.1} lanes: {line}");
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
