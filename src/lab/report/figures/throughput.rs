//! How many individuals a second the engines bring through a generation.

use std::collections::{BTreeMap, BTreeSet};

use super::super::bench::{Measurements, Row};
use super::axis::Scale;
use super::plot::{Axis, Mark, Panel, short_name};
use super::style::Style;
use super::{Figure, Source};
use crate::lab::results::{Line, Run};

const RATE: &str = "individual-generations / s";
/// Panels that are drawn at most: one for each kind of work over populations, and one over sizes.
const MOST: usize = 16;

/// Names of adapters that are programs. Results have the name of an adapter only, so this is all there is to
/// go by.
const SOFTWARE: [&str; 5] = [
    "llvmpipe",
    "lavapipe",
    "softpipe",
    "swiftshader",
    "basic render",
];

/// Whether an adapter is a program and not a GPU, as far as its name tells.
pub fn is_software(adapter: &str) -> bool {
    let name = adapter.to_lowercase();
    SOFTWARE.iter().any(|known| name.contains(known))
}

/// A sentence about adapters that are programs, if there are any.
fn warning<'a>(adapters: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let adapters: BTreeSet<&str> = adapters.into_iter().collect();
    if adapters.is_empty() {
        return None;
    }
    let names = adapters.into_iter().collect::<Vec<_>>().join(", ");
    Some(format!(
        "Software adapter, a program on the processor, which says nothing of a GPU: {names}."
    ))
}

pub(super) fn figure(source: &Source<'_>) -> Figure {
    match source.bench {
        Some(bench) => of_bench(bench),
        None => of_runs(source),
    }
}

fn titled(caption: &str) -> Figure {
    Figure {
        id: "throughput",
        title: "Throughput of CPU and GPU",
        caption: caption.to_owned(),
        empty: "No run has searched, so there is nothing to measure; `gpusudoku bench --format json` \
                measures without, and its output goes into a report with --bench.",
        legend: Vec::new(),
        panels: Vec::new(),
        notes: Vec::new(),
    }
}

fn size_name(size: usize) -> String {
    format!("{size}x{size}")
}

/// Sums of evaluations and seconds.
#[derive(Default, Clone, Copy)]
struct WorkSeries {
    evaluations: f64,
    seconds: f64,
}

impl WorkSeries {
    fn add(&mut self, run: &Run) {
        self.evaluations += run.evaluations as f64;
        self.seconds += run.seconds;
    }

    fn rate(&self) -> Option<f64> {
        let measured = self.evaluations > 0.0 && self.seconds > 0.0;
        measured.then(|| self.evaluations / self.seconds)
    }
}

fn of_runs(source: &Source<'_>) -> Figure {
    let design = &source.results.header.design;
    let runs = || source.results.runs.iter().map(|(_, line)| &line.result);
    let mut figure = titled(
        "Evaluations of all runs over their seconds, setting up included. Algorithms do different work \
         for an evaluation: compare engines of one algorithm. Runs that share a machine slow each other \
         down; `gpusudoku bench` measures one engine at a time.",
    );
    let (mut over_pop, mut over_size) = (Vec::new(), Vec::new());
    for (at, contender) in design.contenders.iter().enumerate() {
        let mut sizes = BTreeMap::<usize, WorkSeries>::new();
        let mut adapters = BTreeSet::new();
        for (number, problem) in design.problems.iter().enumerate() {
            // What propagation has solved has not been through a generation.
            let searched = |line: &&Line| line.result.solved_by.as_deref() != Some("propagation");
            for line in source.runs(at, number).filter(searched) {
                sizes.entry(problem.size).or_default().add(&line.result);
                adapters.insert(line.result.adapter.as_str());
            }
        }
        let points: Vec<(usize, f64)> = sizes
            .iter()
            .filter_map(|(&size, work)| Some((size, work.rate()?)))
            .collect();
        if points.is_empty() {
            continue;
        }
        let software = adapters.iter().any(|adapter| is_software(adapter));
        let style = Style::of(at);
        figure.legend.push((
            format!(
                "{}, {}",
                short_name(&contender.name),
                match software {
                    true => "software adapter",
                    false => contender.backend.name(),
                }
            ),
            style,
        ));
        let pop = contender.pop as f64;
        over_pop.push(Mark::Points {
            style,
            opacity: 1.0,
            radius: 4.0,
            points: points.iter().map(|&(_, rate)| (pop, rate)).collect(),
        });
        over_size.push(Mark::Line {
            style,
            points: points
                .iter()
                .map(|&(size, rate)| (size as f64, rate))
                .collect(),
            end: None,
        });
    }
    figure.panels = panels("", over_pop, over_size);
    if runs().all(|run| run.backend == "cpu") && !figure.panels.is_empty() {
        figure.notes.push(
            "All runs are of the native engine, so this says nothing of a GPU. `gpusudoku bench \
             --format json` sets both side by side, and its output goes into a report with --bench."
                .to_owned(),
        );
    }
    let adapters: BTreeSet<&str> = runs()
        .filter(|run| run.backend == "gpu")
        .map(|run| run.adapter.as_str())
        .collect();
    let (software, real): (Vec<_>, Vec<_>) = adapters.into_iter().partition(|it| is_software(it));
    if !real.is_empty() {
        figure.notes.push(format!("GPU: {}.", real.join(", ")));
    }
    figure.notes.extend(warning(software));
    figure
}

/// The panels over populations and over sizes: those with more than one value, or else the first.
fn panels(title: &str, over_pop: Vec<Mark>, over_size: Vec<Mark>) -> Vec<Panel> {
    let title = |over: &str| match title {
        "" => over.to_owned(),
        title => format!("{}, {over}", short_name(title)),
    };
    let (pops, sizes) = (values(&over_pop), values(&over_size));
    let distinct = |values: &[(f64, f64)]| values.iter().any(|value| value.0 != values[0].0);
    let (several_pops, several_sizes) = (distinct(&pops), distinct(&sizes));
    let mut panels = Vec::new();
    let panel = |title: String, label: &str, marks: Vec<Mark>, values: &[(f64, f64)]| Panel {
        title,
        x: Axis::new(label, Scale::log_at(values.iter().map(|value| value.0))),
        y: Axis::new(RATE, Scale::log(values.iter().map(|value| value.1))),
        marks,
    };
    if !pops.is_empty() && (several_pops || !several_sizes) {
        let label = "population (individuals)";
        panels.push(panel(title("over population"), label, over_pop, &pops));
    }
    if several_sizes {
        let label = "size N of the problem";
        panels.push(panel(title("over size"), label, over_size, &sizes));
    }
    panels
}

fn values(marks: &[Mark]) -> Vec<(f64, f64)> {
    let mut values = Vec::new();
    for mark in marks {
        if let Mark::Line { points, .. } | Mark::Points { points, .. } = mark {
            values.extend(points);
        }
    }
    values
}

fn of_bench(bench: &Measurements) -> Figure {
    let mut figure = titled(
        "Measured by `gpusudoku bench`: individuals a second, each in one generation of the work named. \
         What stands at the end of a line is the size of its grids; over sizes it is the largest \
         population that was measured.",
    );
    let mut engines: Vec<&str> = Vec::new();
    let mut workloads: Vec<&str> = Vec::new();
    for row in &bench.rows {
        if !engines.contains(&row.engine.as_str()) {
            engines.push(&row.engine);
            let software = if row.software {
                ", software adapter"
            } else {
                ""
            };
            let name = format!("{}{software}", short_name(plain(&row.engine)));
            figure.legend.push((name, Style::of(engines.len() - 1)));
        }
        if !workloads.contains(&row.workload.as_str()) {
            workloads.push(&row.workload);
        }
    }
    for workload in &workloads {
        let of_workload = |row: &&Row| row.workload == **workload;
        let rows: Vec<&Row> = bench.rows.iter().filter(of_workload).collect();
        let (over_pop, over_size) = lines(&rows, &engines);
        figure.panels.extend(panels(workload, over_pop, over_size));
    }
    if figure.panels.len() > MOST {
        let left_out = figure.panels.len() - MOST;
        figure.panels.truncate(MOST);
        figure.notes.push(format!(
            "{left_out} further panels are left out; the file has their numbers."
        ));
    }
    if bench.debug_build {
        figure
            .notes
            .push("This was a debug build: its figures do not count.".to_owned());
    }
    let skipped = bench.rows.iter().filter(|row| row.rate.is_none()).count();
    if skipped > 0 {
        let of = bench.rows.len();
        figure.notes.push(format!(
            "{skipped} of {of} measurements were skipped, as the file says, and are not shown."
        ));
    }
    let software = bench.rows.iter().filter(|row| row.software);
    figure
        .notes
        .extend(warning(software.map(|row| plain(&row.engine))));
    figure
}

/// The name of an engine without the remark that `bench` puts behind that of a software adapter.
fn plain(engine: &str) -> &str {
    engine.split(" [software").next().unwrap_or(engine)
}

/// Lines over populations, one for each engine and size, and over sizes, one for each engine.
fn lines(rows: &[&Row], engines: &[&str]) -> (Vec<Mark>, Vec<Mark>) {
    let sizes: BTreeSet<usize> = rows.iter().map(|row| row.size).collect();
    let timed = || rows.iter().filter(|row| row.rate.is_some());
    let largest = timed().map(|row| row.pop).max();
    let (mut over_pop, mut over_size) = (Vec::new(), Vec::new());
    for (at, engine) in engines.iter().enumerate() {
        let style = Style::of(at);
        let line = |points: BTreeMap<usize, f64>, end: Option<String>| {
            let points: Vec<_> = points.into_iter().map(|(x, y)| (x as f64, y)).collect();
            (!points.is_empty()).then_some(Mark::Line { style, points, end })
        };
        let of_engine = || timed().filter(|row| row.engine == *engine);
        for &size in &sizes {
            let rows = of_engine().filter(|row| row.size == size);
            let points = rows.filter_map(|row| Some((row.pop, row.rate?)));
            over_pop.extend(line(points.collect(), Some(size_name(size))));
        }
        let rows = of_engine().filter(|row| Some(row.pop) == largest);
        let points = rows.filter_map(|row| Some((row.size, row.rate?)));
        over_size.extend(line(points.collect(), None));
    }
    (over_pop, over_size)
}
