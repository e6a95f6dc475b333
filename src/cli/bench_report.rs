//! What `gpusudoku bench` writes. Every figure of an adapter stands beside its name.

use gpusudoku::engine::gpu::adapter;
use gpusudoku::lab::bench::{
    Bench, BenchCase, Contender, Growth, KernelShare, Options, Outcome, Profile, Row, Spread,
    Timing, growth,
};
use gpusudoku::lab::machine::Machine;
use serde_json::{Value, json};

use super::table::Table;

/// Whether the compiler was asked for the speed that is measured.
const DEBUG: bool = cfg!(debug_assertions);

/// Who takes part, and what the figures are; that there is no adapter, unless nobody wants one.
pub fn legend(
    (machine, load): &(Machine, Option<f64>),
    bench: &Bench,
    options: &Options,
    native_only: bool,
) -> String {
    let cores = machine.cores.map(|cores| format!("{cores} cores, "));
    let mut lines = vec![format!(
        "gpusudoku {} on {}, {}{} threads, {} {}",
        env!("CARGO_PKG_VERSION"),
        machine.processor.as_deref().unwrap_or("some processor"),
        cores.unwrap_or_default(),
        machine.threads,
        machine.os,
        machine.arch
    )];
    if let Some(load) = load {
        lines.push(format!("{load} threads were busy in the minute before."));
    }
    if DEBUG {
        lines.push("This is a debug build: build with --release for figures that count.".into());
    }
    lines.push("Engines:".to_owned());
    for contender in bench.contenders() {
        lines.push(match &contender.adapter {
            None => format!("  {}: native code", contender.name),
            Some(info) => format!(
                "  {}\n    {}, {}, driver {}",
                contender.name, info.kind, info.backend, info.driver
            ),
        });
    }
    if !native_only && bench.contenders().iter().all(|who| who.adapter.is_none()) {
        lines.push(format!(
            "  no adapter: {} found none",
            adapter::backends_tried()
        ));
    }
    lines.push("Work:".to_owned());
    for workload in &options.workloads {
        lines.push(format!("  {}: {}", workload, workload.meaning()));
    }
    lines.push(format!(
        "A rate is individuals a second, each in one generation: the median of {} repetitions of \
         about {} ms, in turn with\nthose of the other engines; then the lower and the upper \
         quartile. A ratio is that of two medians.",
        options.repetitions,
        options.target.as_millis()
    ));
    if options.profile {
        lines.push(
            "A kernel's time is the median of a generation by the adapter's own timestamps, in a pass \
             of its own.\nIts share is that of all kernels of the work."
                .to_owned(),
        );
    }
    lines.join("\n")
}

/// The head of a table.
pub fn heading(bench: &Bench, case: BenchCase) -> String {
    let [one, all] = native(bench.contenders());
    format!(
        "\n{0}x{0}, population {1}\n{2:<12} {3:>13} {4:>17} {5:>10} {6:>11}  engine",
        case.size,
        case.pop,
        "work",
        "individuals/s",
        "quartiles",
        format!("/ {}", bench.contenders()[one].name),
        format!("/ {}", bench.contenders()[all].name),
    )
}

/// The lines of a row, one for each engine and, if they are asked for, for each of its kernels.
pub fn lines(bench: &Bench, row: &Row) -> Vec<String> {
    let engines = bench.contenders().iter().enumerate();
    engines
        .flat_map(|(at, contender)| {
            let kernels = kernel_lines(contender, &row.profiles[at]);
            std::iter::once(line(bench, row, at)).chain(kernels)
        })
        .collect()
}

/// The line of an engine.
fn line(bench: &Bench, row: &Row, at: usize) -> String {
    let (work, name) = (row.case.workload.name(), &bench.contenders()[at].name);
    let timing = match &row.outcomes[at] {
        Outcome::Timed(timing) => timing,
        Outcome::Skipped(why) => {
            return format!("{work:<12} {:>13} {name}: {why}", "skipped");
        }
    };
    let [lower, rate, upper] = timing.rates(row.case.pop).map(short);
    let ratios = ratios(bench, row, at).map(|ratio| match ratio {
        Some(ratio) => format!("{ratio:.3}"),
        None => "-".to_owned(),
    });
    format!(
        "{work:<12} {rate:>13} {:>17} {:>10} {:>11}  {name}{}",
        format!("{lower} .. {upper}"),
        ratios[0],
        ratios[1],
        further(row, timing)
    )
}

/// What an adapter's kernels took.
fn kernel_lines(contender: &Contender, profile: &Profile) -> Vec<String> {
    let kernels = match profile {
        Profile::None => return Vec::new(),
        Profile::Unknown(why) => {
            return vec![format!(
                "  what its kernels take is not known: {}: {why}",
                contender.name
            )];
        }
        Profile::Kernels(kernels) => kernels,
    };
    let line = |kernel: &KernelShare| {
        let time = match kernel.microseconds {
            Some(microseconds) => format!("{microseconds:.1} us a generation"),
            None => "no time that makes sense".to_owned(),
        };
        let share = match kernel.share {
            Some(share) => format!(", {:.1} %", 100.0 * share),
            None => String::new(),
        };
        let dispatches = match kernel.dispatches {
            1 => "1 dispatch".to_owned(),
            more => format!("{more} dispatches"),
        };
        format!("  {:<12} {time}{share}, {dispatches}", kernel.kernel)
    };
    kernels.iter().map(line).collect()
}

/// How the work grows with N, if there are sizes enough to tell.
pub fn growth_table(bench: &Bench, rows: &[Row]) -> Option<String> {
    let growths = growth(rows);
    if growths.is_empty() {
        return None;
    }
    let head = [
        "work",
        "engine",
        "population",
        "sizes",
        "exponent",
        "off by up to",
    ];
    let mut table = Table::new(2, head);
    for it in &growths {
        table.row(vec![
            it.workload.to_string(),
            bench.contenders()[it.contender].name.clone(),
            it.pop.to_string(),
            it.sizes.len().to_string(),
            format!("{:.2}", it.exponent),
            format!("{:.0} %", 100.0 * (it.off - 1.0)),
        ]);
    }
    Some(format!(
        "\nGrowth: an individual takes time as N to this power, by least squares over the logarithms of \
         all sizes\n{table}"
    ))
}

fn growth_as_json(bench: &Bench, it: &Growth) -> Value {
    let contender = &bench.contenders()[it.contender];
    json!({
        "workload": it.workload.name(),
        "pop": it.pop,
        "engine": contender.name,
        "software": contender.is_software(),
        "sizes": it.sizes,
        "exponent": it.exponent,
        "off": it.off,
    })
}

/// What else there is to say.
fn further(row: &Row, timing: &Timing) -> String {
    let mut text = String::new();
    if let Some(moves) = timing.moves_rate() {
        text += &format!("; {} moves/s", short(moves));
    }
    if let (Some(share), Some(memcpy)) = (timing.memcpy_share(), &timing.memcpy) {
        text += &format!(
            "; {:.1} % of memcpy's {}B/s",
            100.0 * share,
            short(row.case.bytes() as f64 / memcpy.median)
        );
    }
    text
}

/// The ratios to one thread and to all threads, where they say something.
fn ratios(bench: &Bench, row: &Row, at: usize) -> [Option<f64>; 2] {
    let [one, all] = native(bench.contenders());
    let timing = |at: usize| row.outcomes[at].timing();
    let is_adapter = bench.contenders()[at].adapter.is_some();
    let to = |other: usize| Some(timing(at)?.ratio(timing(other)?));
    [
        (at != one).then(|| to(one)).flatten(),
        is_adapter.then(|| to(all)).flatten(),
    ]
}

/// Where one thread and all threads stand.
fn native(contenders: &[Contender]) -> [usize; 2] {
    let threads = contenders.iter().filter(|who| who.threads().is_some());
    [0, threads.count() - 1]
}

/// Three digits and the thousands.
fn short(number: f64) -> String {
    let units = [(1e9, " G"), (1e6, " M"), (1e3, " k"), (1.0, "  ")];
    let unit = units.into_iter().find(|&(unit, _)| number >= unit);
    let (unit, name) = unit.unwrap_or((1.0, "  "));
    let number = number / unit;
    match number {
        99.95.. => format!("{number:.0}{name}"),
        9.995.. => format!("{number:.1}{name}"),
        _ => format!("{number:.2}{name}"),
    }
}

/// Everything, unrounded; a row for each engine.
pub fn as_json(
    (machine, load): &(Machine, Option<f64>),
    bench: &Bench,
    options: &Options,
    rows: &[Row],
) -> Value {
    let engines = |contender: &Contender| {
        let info = contender.adapter.as_ref();
        json!({
            "name": contender.name,
            "backend": backend(contender),
            "threads": contender.threads(),
            "adapter": info.map(|info| json!({
                "index": info.index,
                "name": info.name,
                "type": info.kind,
                "software": info.software,
                "backend": info.backend,
                "driver": info.driver,
                "timestamps": info.timestamps,
            })),
        })
    };
    let lines = rows.iter().flat_map(|row| {
        let engines = 0..row.outcomes.len();
        engines.map(move |at| line_as_json(bench, row, at))
    });
    json!({
        "program": "gpusudoku",
        "version": env!("CARGO_PKG_VERSION"),
        "debug_build": DEBUG,
        "machine": {
            "processor": machine.processor,
            "cores": machine.cores,
            "threads": machine.threads,
            "load": load,
            "os": machine.os,
            "arch": machine.arch,
        },
        "repetitions": options.repetitions,
        "repetition_seconds": options.target.as_secs_f64(),
        "limit_seconds": options.limit.as_secs_f64(),
        "engines": bench.contenders().iter().map(engines).collect::<Vec<_>>(),
        "rows": lines.collect::<Vec<_>>(),
        "growth": growth(rows).iter().map(|it| growth_as_json(bench, it)).collect::<Vec<_>>(),
    })
}

fn line_as_json(bench: &Bench, row: &Row, at: usize) -> Value {
    let contender = &bench.contenders()[at];
    let timing = row.outcomes[at].timing();
    let [to_one, to_all] = ratios(bench, row, at);
    let skipped = match &row.outcomes[at] {
        Outcome::Timed(_) => None,
        Outcome::Skipped(why) => Some(why),
    };
    let memcpy = timing.and_then(|timing| timing.memcpy);
    json!({
        "workload": row.case.workload.name(),
        "size": row.case.size,
        "pop": row.case.pop,
        "engine": contender.name,
        "backend": backend(contender),
        "software": contender.is_software(),
        "skipped": skipped,
        "repetitions": timing.map(|timing| timing.repetitions),
        "generations": timing.map(|timing| timing.generations),
        "seconds": timing.map(|timing| spread(&timing.seconds)),
        "individuals_per_second": timing.map(|timing| timing.rates(row.case.pop)[1]),
        "moves_per_second": timing.and_then(Timing::moves_rate),
        "ratio_to_one_thread": to_one,
        "ratio_to_all_threads": to_all,
        "bytes": row.case.bytes(),
        "memcpy_seconds": memcpy.as_ref().map(spread),
        "share_of_memcpy": timing.and_then(Timing::memcpy_share),
        "kernels": match &row.profiles[at] {
            Profile::Kernels(kernels) => Some(kernels.iter().map(kernel_as_json).collect::<Vec<_>>()),
            _ => None,
        },
        "kernels_unknown": match &row.profiles[at] {
            Profile::Unknown(why) => Some(why),
            _ => None,
        },
    })
}

fn kernel_as_json(kernel: &KernelShare) -> Value {
    json!({
        "kernel": kernel.kernel,
        "dispatches": kernel.dispatches,
        "microseconds": kernel.microseconds,
        "share": kernel.share,
    })
}

fn backend(contender: &Contender) -> &'static str {
    match contender.adapter {
        Some(_) => "gpu",
        None => "cpu",
    }
}

fn spread(spread: &Spread) -> Value {
    json!({
        "least": spread.least,
        "lower_quartile": spread.lower,
        "median": spread.median,
        "upper_quartile": spread.upper,
        "most": spread.most,
    })
}
