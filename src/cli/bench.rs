//! `gpusudoku bench`.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use clap::{Args, ValueEnum};
use gpusudoku::engine::gpu::adapter::{self, AdapterChoice, AdapterInfo};
use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::error::Error;
use gpusudoku::lab::bench::{Bench, BenchCase, Options, Workload, contenders};
use gpusudoku::lab::machine::{Machine, load};
use indicatif::{ProgressBar, ProgressStyle};

use super::bench_report::{as_json, growth_table, heading, legend, lines};
use super::exit::{Failure, Status};
use super::run::LayoutName;
use super::selftest;
use super::{CommandResult, OutputFormat, print, print_json};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BackendName {
    /// Native code and every adapter there is.
    All,
    /// Native code only.
    Cpu,
}

#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Sizes of grids, of 9, 16, 25, 36, 49, 64 [default: 9,16,25,36; with --quick 9,16].
    #[arg(long, value_name = "N,...")]
    size: Option<String>,
    /// Sizes of populations [default: 150,4096,65536; with --quick 150,4096].
    #[arg(long, value_name = "N,...", allow_hyphen_values = true)]
    pop: Option<String>,
    /// Work, of evaluate, initialise, copy, crossover, mutation, local-search, lsga, tabu, packing
    /// [default: all of it].
    #[arg(long, value_name = "NAME,...")]
    workload: Option<String>,
    /// Who is measured.
    #[arg(long, value_enum, default_value = "all")]
    backend: BackendName,
    /// An adapter, by part of its name or by its number in `gpusudoku adapters`; may be given more
    /// than once [default: all of them].
    #[arg(long, value_name = "NAME-OR-INDEX")]
    adapter: Vec<String>,
    /// How adapters map individuals to threads, where kernels can be mapped so [default: chosen for kernel, size,
    /// population and adapter].
    #[arg(long, value_enum)]
    layout: Option<LayoutName>,
    /// Repetitions, of which the median counts; slow work has fewer [default: 5; with --quick 3].
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000))]
    repetitions: Option<u32>,
    /// Work is skipped, with a note, if a generation takes more seconds than this, a fifth of it on
    /// a software adapter [default: 1.5; with --quick 0.25].
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    limit: Option<f64>,
    /// A first look: small populations, short repetitions.
    #[arg(long)]
    quick: bool,
    /// What each kernel takes on adapters that have timestamps.
    #[arg(long)]
    profile: bool,
    /// How results are written: text line by line, JSON as one object at the end.
    #[arg(long, value_enum, default_value = "text")]
    format: OutputFormat,
    /// No progress bar.
    #[arg(long)]
    quiet: bool,
}

impl BenchArgs {
    /// Whether any adapter may be measured.
    pub fn may_look_for_adapters(&self) -> bool {
        self.backend != BackendName::Cpu
    }
}

pub fn bench(args: BenchArgs) -> CommandResult {
    let options = options(&args)?;
    let adapters = adapters(&args)?;
    for info in &adapters {
        selftest::agrees(info)?;
    }
    let mut bench = Bench::new(
        options.clone(),
        contenders(adapters, args.layout.map(Mapping::from)),
    )?;
    let cases = bench.cases();
    // Before there is a load of our own.
    let machine = (Machine::here(), load());
    let text = args.format == OutputFormat::Text;
    if text {
        let native_only = args.backend == BackendName::Cpu;
        print(&legend(&machine, &bench, &options, native_only))?;
    }
    let bar = bar(&args, cases.len());
    let mut rows = Vec::new();
    let mut population = None;
    for case in cases {
        bar.set_message(describe(case));
        let row = pollster::block_on(bench.measure(case))?;
        bar.inc(1);
        if text {
            let first = population.replace((case.size, case.pop)) != Some((case.size, case.pop));
            let heading = first.then(|| heading(&bench, case));
            let lines = heading.into_iter().chain(lines(&bench, &row));
            let lines = lines.collect::<Vec<_>>().join("\n");
            bar.suspend(|| print(&lines))?;
        }
        rows.push(row);
    }
    bar.finish_and_clear();
    if !text {
        print_json(&as_json(&machine, &bench, &options, &rows))?;
    } else if let Some(table) = growth_table(&bench, &rows) {
        print(&table)?;
    }
    Ok(Status::Success)
}

fn options(args: &BenchArgs) -> Result<Options, Failure> {
    let mut options = match args.quick {
        true => Options::quick(),
        false => Options::default(),
    };
    options.profile = args.profile;
    if let Some(list) = &args.size {
        options.sizes = numbers("size", list)?;
    }
    if let Some(list) = &args.pop {
        options.pops = numbers("pop", list)?;
    }
    if let Some(list) = &args.workload {
        let names = list.split(',').map(|name| name.trim().parse());
        options.workloads = names.collect::<Result<Vec<Workload>, Error>>()?;
    }
    if let Some(repetitions) = args.repetitions {
        options.repetitions = repetitions as usize;
    }
    if let Some(seconds) = args.limit {
        options.limit = limit(seconds)?;
    }
    Ok(options)
}

pub fn numbers(key: &str, list: &str) -> Result<Vec<usize>, Failure> {
    let number = |text: &str| {
        text.trim().parse().map_err(|_| Error::BadValue {
            key: key.to_owned(),
            value: text.to_owned(),
            expected: "whole numbers with commas between them".to_owned(),
        })
    };
    let numbers = list.split(',').map(number).collect::<Result<_, _>>();
    Ok(numbers?)
}

fn limit(seconds: f64) -> Result<Duration, Failure> {
    const MOST: f64 = 100.0;
    match seconds > 0.0 && seconds <= MOST {
        true => Ok(Duration::from_secs_f64(seconds)),
        false => Err(Failure::bad_input(format!(
            "--limit {seconds} is not possible: expected more than 0 and at most {MOST} seconds"
        ))),
    }
}

/// The adapters that take part, once each.
fn adapters(args: &BenchArgs) -> Result<Vec<AdapterInfo>, Failure> {
    if args.backend == BackendName::Cpu {
        let refused = [
            (!args.adapter.is_empty(), "--adapter"),
            (args.profile, "--profile"),
            (args.layout.is_some(), "--layout"),
        ];
        return match refused.into_iter().find(|&(given, _)| given) {
            None => Ok(Vec::new()),
            Some((_, flag)) => Err(Failure::bad_input(format!(
                "{flag} does not go with --backend cpu"
            ))),
        };
    }
    if args.adapter.is_empty() {
        return Ok(pollster::block_on(adapter::list()));
    }
    let mut chosen: Vec<AdapterInfo> = Vec::new();
    for name in &args.adapter {
        if name.is_empty() {
            return Err(Failure::bad_input(
                "--adapter is empty: expected a name or a number of `gpusudoku adapters`",
            ));
        }
        let info = pollster::block_on(adapter::find(&AdapterChoice::from(&**name)))?;
        if chosen.iter().all(|known| known.index != info.index) {
            chosen.push(info);
        }
    }
    Ok(chosen)
}

fn describe(case: BenchCase) -> String {
    let BenchCase {
        workload,
        size,
        pop,
    } = case;
    format!("{size}x{size}, population {pop}, {workload}")
}

/// A bar on a terminal.
fn bar(args: &BenchArgs, cases: usize) -> ProgressBar {
    if args.quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(cases as u64);
    let style = ProgressStyle::with_template("{pos}/{len} [{wide_bar}] {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}
