//! `gpusudoku reproduce`.

use std::path::PathBuf;

use clap::Args;
use gpusudoku::lab::experiment::{Place, Shard};
use gpusudoku::lab::numbers::{number, readable_seconds};
use gpusudoku::lab::papers::{self, Figure, Line, Measured};
use gpusudoku::lab::results::{Header, Results};
use serde::Serialize;

use super::exit::{Failure, Status};
use super::experiment::{Destination, MeansArgs, PlaceName, carry_out, verdict};
use super::table::Table;
use super::{CommandResult, OutputFormat, print, print_json};

#[derive(Debug, Args)]
pub struct ReproduceArgs {
    /// The table; without one, all tables are listed.
    #[arg(value_name = "TABLE")]
    table: Option<String>,
    /// Runs of each algorithm on each problem [default: the paper's].
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    runs: Option<u32>,
    /// Also run the algorithms whose figures the paper quotes from others. Of `ga` on hard puzzles 100 runs take
    /// half an hour.
    #[arg(long)]
    all: bool,
    /// Seed of the first run.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Where to run.
    #[arg(long, value_enum, default_value = "cpu")]
    backend: PlaceName,
    /// File of results, for `report` and to go on where it stopped.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    resources: MeansArgs,
    /// How the table is written.
    #[arg(long, value_enum, default_value = "text")]
    format: OutputFormat,
}

impl ReproduceArgs {
    /// Whether the runs go to an adapter.
    pub fn may_look_for_adapters(&self) -> bool {
        self.backend == PlaceName::Gpu
    }
}

/// A table as JSON has it.
#[derive(Serialize)]
struct JsonTable<'a> {
    table: &'a str,
    source: &'a str,
    title: &'a str,
    measure: &'a str,
    runs: u32,
    rows: &'a [Line],
    errors: &'a [&'a str],
    /// Of all runs; nothing if none were wanted.
    digest: Option<String>,
}

fn digest(results: &Results) -> String {
    format!("{:016x}", results.digest())
}

pub fn reproduce(args: ReproduceArgs) -> CommandResult {
    let Some(name) = &args.table else {
        return list(args.format);
    };
    let Some(table) = papers::Table::find(name) else {
        let known: Vec<_> = papers::ALL.iter().map(|table| table.name).collect();
        return Err(Failure::bad_input(format!(
            "there is no table called {name:?}; there is {}",
            known.join(", ")
        )));
    };
    args.resources.check(&[args.backend])?;
    let runs = args.runs.unwrap_or(table.runs);
    let mut experiment = table.experiment(runs, args.seed, args.all)?;
    for contender in &mut experiment.contenders {
        contender.place = Place::from(args.backend);
    }
    let into = Destination {
        results: args.out.as_deref(),
        traces: None,
    };
    let results = carry_out(&experiment, Shard::WHOLE, &args.resources, into)?;
    // The file may have more: other tables, or more runs.
    let results = results.narrowed(Header::new(experiment.design(), Shard::WHOLE));
    let lines = table.lines(Some(&results));
    match args.format {
        OutputFormat::Json => print_json(&JsonTable {
            table: table.name,
            source: table.source,
            title: table.title,
            measure: table.measure.name(),
            runs,
            rows: &lines,
            errors: table.errors,
            digest: Some(digest(&results)),
        })?,
        OutputFormat::Text => print(&text(table, runs, &lines, &results))?,
    }
    verdict(&results)
}

fn list(format: OutputFormat) -> CommandResult {
    let mut list = Table::new(3, ["table", "paper", "what"]);
    for table in papers::ALL {
        match format {
            OutputFormat::Text => list.row(vec![
                table.name.to_owned(),
                table.source.to_owned(),
                table.title.to_owned(),
            ]),
            OutputFormat::Json => print_json(&JsonTable {
                table: table.name,
                source: table.source,
                title: table.title,
                measure: table.measure.name(),
                runs: table.runs,
                rows: &table.lines(None),
                errors: table.errors,
                digest: None,
            })?,
        }
    }
    if format == OutputFormat::Text {
        print(&list.to_string())?;
    }
    Ok(Status::Success)
}

fn text(table: &papers::Table, runs: u32, lines: &[Line], results: &Results) -> String {
    let unit = table.measure.name();
    let levels = lines.iter().any(|line| line.published.range.is_some());
    let published_runs = match table.runs_are_published {
        true => format!("the paper has {}", table.runs),
        false => "the paper does not say how many".to_owned(),
    };
    let mut text = format!(
        "{}\n{}; {runs} runs each ({published_runs})\n\n",
        table.source, table.title
    );
    let mut rows = Table::new(
        3,
        [
            if levels { "level" } else { "problem" },
            "there",
            "here",
            "published: solved",
            unit,
            "measured: solved",
            "rate, 95 %",
            unit,
            "95 %",
            if levels { "most-least" } else { "median" },
            "effective",
            "time a run",
        ],
    );
    for line in lines {
        let mut cells = vec![
            line.row.to_owned(),
            line.column.to_owned(),
            match (line.contender, &line.measured) {
                (contender, Some(_)) => contender.to_owned(),
                (contender, None) => format!("({contender}: only with --all)"),
            },
        ];
        cells.extend(published(&line.published));
        cells.extend(line.measured.iter().flat_map(measured));
        rows.row(cells);
    }
    text.push_str(&format!("{rows}\n\n"));
    text.push_str(&format!(
        "Averages are over solved runs{}; effective: generations that improved the best. Every solution was \
         verified.",
        if levels {
            ", then over the puzzles of a level; most-least: its hardest and its easiest puzzle"
        } else {
            ""
        }
    ));
    let by_propagation = results
        .runs
        .iter()
        .filter(|(_, line)| line.result.solved_by.as_deref() == Some("propagation"));
    match by_propagation.count() {
        0 => {}
        runs => text.push_str(&format!(
            " {runs} runs were solved by propagation alone, before any generation (marked p)."
        )),
    }
    text.push_str(&format!(
        " Digest of all {} runs: {}; the same command leads to the same on every machine.",
        results.runs.len(),
        digest(results)
    ));
    if lines.iter().any(|line| line.measured.is_none()) {
        text.push_str(
            " What the paper quotes from others, and readings that take long, are run only with --all.",
        );
    }
    text.push_str("\n\nKnown errors, and what to read with care:");
    for error in table.errors {
        text.push_str(&format!("\n- {error}"));
    }
    text
}

fn published(figure: &Figure) -> [String; 2] {
    let nothing = || "-".to_owned();
    // As they are printed: nothing rounded, nothing added.
    let mean = figure.mean.map_or_else(nothing, |mean| mean.to_string());
    [
        figure
            .success
            .map_or_else(nothing, |percent| format!("{percent} %")),
        match figure.range {
            Some((most, least)) => format!("{mean} ({most}-{least})"),
            None => mean,
        },
    ]
}

fn measured(it: &Measured) -> [String; 7] {
    let nothing = || "-".to_owned();
    let optional = |value: Option<f64>| value.map_or_else(nothing, number);
    let mark = if it.by_propagation > 0 { "p" } else { "" };
    [
        format!("{}/{}{mark}", it.solved, it.runs),
        format!("{:.3}-{:.3}", it.rate.low, it.rate.high),
        optional(it.mean),
        it.interval.map_or_else(nothing, |interval| {
            format!("{}-{}", number(interval.low), number(interval.high))
        }),
        match it.range {
            Some((most, least)) => format!("{}-{}", number(most), number(least)),
            None => optional(it.median),
        },
        optional(it.effective_generations),
        readable_seconds(it.seconds),
    ]
}
