//! `gpusudoku compare`.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use gpusudoku::lab::experiment::{Contender, Experiment, Place, Shard};
use gpusudoku::lab::numbers::{probability, readable_seconds};
use gpusudoku::lab::results::Results;
use gpusudoku::lab::summary::{Measure, Ranking, Summary};
use gpusudoku::problem::NamedProblem;
use serde::Serialize;

use super::exit::Failure;
use super::experiment::{Destination, MeansArgs, PlaceName, carry_out, verdict};
use super::input::{ReadArgs, problems};
use super::table::Table;
use super::{CommandResult, OutputFormat, print, print_json, report};

/// Where results go if nobody says.
const DEFAULT_OUT: &str = "results.jsonl";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MeasureName {
    /// Grids whose fitness was computed.
    Evaluations,
    /// Generations, as the papers count.
    Generations,
    /// Wall clock.
    Seconds,
}

impl From<MeasureName> for Measure {
    fn from(name: MeasureName) -> Self {
        match name {
            MeasureName::Evaluations => Self::Evaluations,
            MeasureName::Generations => Self::Generations,
            MeasureName::Seconds => Self::Seconds,
        }
    }
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Algorithms, with parameters if they are not the default ones
    /// [example: lsga,lsga:elite=0:pop=300,nb-coin].
    #[arg(long, value_name = "A,B", value_delimiter = ',', required = true)]
    algo: Vec<String>,
    /// Problems: files, built-in names, queens:N or torus:N.
    #[arg(long, value_name = "P,Q", value_delimiter = ',', required = true)]
    problem: Vec<String>,
    /// Runs of each algorithm on each problem, with seeds counting up.
    #[arg(long, value_name = "K", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    runs: u32,
    /// Where to run: cpu, gpu or both.
    #[arg(
        long,
        value_name = "WHERE",
        value_enum,
        value_delimiter = ',',
        default_value = "cpu"
    )]
    backend: Vec<PlaceName>,
    /// When to give up: any of generations=N, evaluations=N, seconds=S [default: the generations
    /// of each algorithm].
    #[arg(long, value_name = "LIMITS", value_delimiter = ',')]
    budget: Vec<String>,
    /// Individuals of every population [default: each algorithm's].
    #[arg(long, value_name = "N", value_parser = parse_pop)]
    pop: Option<usize>,
    /// Seed of the first run.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Part I of N of the experiment, by runs; the files of all parts go into one `report`
    /// [default: that of a Slurm array job, else everything].
    #[arg(long, value_name = "I/N", value_parser = parse_shard)]
    shard: Option<Shard>,
    /// What a solution costs.
    #[arg(long, value_enum, default_value = "evaluations")]
    by: MeasureName,
    /// File of results, a line of JSON for every run. If it is there, the experiment goes on where it
    /// stopped, and may grow by runs, algorithms and problems [default: results.jsonl, of a part
    /// results.I-of-N.jsonl].
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Folder for a trace of every run that is made now: a CSV file as of `run --trace`, in a folder of its
    /// contender.
    #[arg(long, value_name = "DIR")]
    traces: Option<PathBuf>,
    #[command(flatten)]
    resources: MeansArgs,
    /// How the statistics are written.
    #[arg(long, value_enum, default_value = "text")]
    format: OutputFormat,
    #[command(flatten)]
    read: ReadArgs,
}

impl CompareArgs {
    /// Whether any run goes to an adapter.
    pub fn may_look_for_adapters(&self) -> bool {
        self.backend.contains(&PlaceName::Gpu)
    }
}

pub fn compare(args: CompareArgs) -> CommandResult {
    let (shard, from_slurm) = match args.shard {
        Some(shard) => (shard, false),
        None => match slurm_shard(|name| std::env::var(name).ok())? {
            Some(shard) => (shard, true),
            None => (Shard::WHOLE, false),
        },
    };
    args.resources.check(&args.backend)?;
    let experiment = experiment(&args)?;
    check(&experiment)?;
    let default_out = || match shard {
        Shard::WHOLE => PathBuf::from(DEFAULT_OUT),
        Shard { index, of } => PathBuf::from(format!("results.{index}-of-{of}.jsonl")),
    };
    let out = args.out.clone().unwrap_or_else(default_out);
    if from_slurm {
        eprintln!("part {} of {}, as Slurm says", shard.index, shard.of);
    }
    let into = Destination {
        results: Some(&out),
        traces: args.traces.as_deref(),
    };
    let results = carry_out(&experiment, shard, &args.resources, into)?;
    let summary = Summary::new(&results, args.by.into());
    match args.format {
        OutputFormat::Json => print_json(&JsonSummary::new(&results, &summary))?,
        OutputFormat::Text => print(&text(&results, &summary))?,
    }
    // A part says nothing on its own: the files of all parts go into one report.
    if shard == Shard::WHOLE {
        report::beside(&out, &results, &summary)?;
    }
    verdict(&results)
}

/// A summary with the names that its numbers stand for.
#[derive(Serialize)]
struct JsonSummary<'a> {
    experiment: &'a str,
    contenders: Vec<&'a str>,
    problems: Vec<&'a str>,
    #[serde(flatten)]
    summary: &'a Summary,
}

impl<'a> JsonSummary<'a> {
    fn new(results: &'a Results, summary: &'a Summary) -> Self {
        let design = &results.header.design;
        Self {
            experiment: &results.header.experiment,
            contenders: design.contenders.iter().map(|it| &*it.name).collect(),
            problems: design.problems.iter().map(|it| &*it.name).collect(),
            summary,
        }
    }
}

fn experiment(args: &CompareArgs) -> Result<Experiment, Failure> {
    let mut budget = Limits::default();
    for pair in &args.budget {
        budget.set(pair)?;
    }
    let mut contenders = Vec::new();
    for text in &args.algo {
        for place in &args.backend {
            let mut contender = Contender::parse(text, args.pop)?;
            contender.place = Place::from(*place);
            if args.backend.len() > 1 {
                contender.name = format!("{text}/{}", contender.place.name());
            }
            if let Some(generations) = budget.generations {
                contender.max_generations = generations;
            } else if budget.evaluations.is_some() || budget.seconds.is_some() {
                contender.max_generations = u32::MAX;
            }
            contenders.push(contender);
        }
    }
    let mut all = Vec::new();
    for text in &args.problem {
        all.extend(problems(text, &args.read)?);
    }
    unique("--algo", contenders.iter().map(|it| &it.name))?;
    unique("--problem", all.iter().map(|it: &NamedProblem| &it.name))?;
    Ok(Experiment {
        contenders,
        problems: all,
        runs: args.runs,
        seed: args.seed,
        max_evaluations: budget.evaluations,
        time_limit: budget.seconds,
    })
}

/// Refuses what cannot be run before anything is.
fn check(experiment: &Experiment) -> Result<(), Failure> {
    match experiment.unfit() {
        Some((place, error)) => Err(Failure::from(error).at(&place)),
        None => Ok(()),
    }
}

fn unique<'a>(option: &str, names: impl Iterator<Item = &'a String>) -> Result<(), Failure> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(Failure::bad_input(format!(
                "{option} has {name} twice: results are told apart by name"
            )));
        }
    }
    Ok(())
}

/// When to give up.
#[derive(Debug, Default)]
pub struct Limits {
    generations: Option<u32>,
    evaluations: Option<u64>,
    seconds: Option<f64>,
}

impl Limits {
    /// Sets one of them from `key=value`.
    pub fn set(&mut self, pair: &str) -> Result<(), Failure> {
        const MOST_SECONDS: f64 = 1e9;
        /// Above this not every whole number is one of these.
        const MOST_EVALUATIONS: f64 = 9e15;
        let refused = || {
            Failure::bad_input(format!(
                "--budget {pair} is not possible: expected generations=N, evaluations=N or seconds=S"
            ))
        };
        let twice = |key: &str| Failure::bad_input(format!("--budget has {key} twice"));
        let (key, value) = pair.split_once('=').ok_or_else(refused)?;
        let (key, value) = (key.trim(), value.trim());
        // 1e6 is a whole number as well.
        let number = value.parse::<f64>().ok().filter(|number| *number >= 0.0);
        let rounded = number.filter(|it| it.fract() == 0.0 && *it < MOST_EVALUATIONS);
        let whole = value.parse::<u64>().ok().or(rounded.map(|it| it as u64));
        let whole = whole.filter(|&whole| whole > 0);
        let before = match key {
            "generations" => {
                let generations = whole.and_then(|whole| u32::try_from(whole).ok());
                let generations = generations.ok_or_else(refused)?;
                self.generations.replace(generations).map(|_| ())
            }
            "evaluations" => {
                let evaluations = whole.ok_or_else(refused)?;
                self.evaluations.replace(evaluations).map(|_| ())
            }
            "seconds" => {
                let seconds = number.filter(|&seconds| seconds <= MOST_SECONDS);
                self.seconds
                    .replace(seconds.ok_or_else(refused)?)
                    .map(|_| ())
            }
            _ => return Err(refused()),
        };
        match before {
            Some(()) => Err(twice(key)),
            None => Ok(()),
        }
    }
}

fn parse_pop(text: &str) -> Result<usize, String> {
    let pop = text.parse().ok().filter(|&pop: &usize| pop > 0);
    pop.ok_or_else(|| "expected a whole number from 1".to_owned())
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    text.split_once('/')
        .and_then(|(index, of)| Shard::new(index.parse().ok()?, of.parse().ok()?))
        .ok_or_else(|| "expected a part and how many there are, such as 2/8".to_owned())
}

/// The part of a task of a Slurm array job, whose numbers may begin anywhere and be some steps apart.
pub fn slurm_shard(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Shard>, Failure> {
    let number = |name: &str| {
        let Some(text) = variable(name) else {
            return Ok(None);
        };
        let number = text.trim().parse::<u32>();
        number
            .map(Some)
            .map_err(|_| Failure::bad_input(format!("{name} is {text:?}: expected a whole number")))
    };
    let Some(id) = number("SLURM_ARRAY_TASK_ID")? else {
        return Ok(None);
    };
    let count = number("SLURM_ARRAY_TASK_COUNT")?;
    let first = number("SLURM_ARRAY_TASK_MIN")?.unwrap_or(0);
    let step = number("SLURM_ARRAY_TASK_STEP")?.unwrap_or(1);
    let steps = id
        .checked_sub(first)
        .filter(|past| past.checked_rem(step) == Some(0));
    let index = steps.and_then(|past| (past / step).checked_add(1));
    // A lost task that is submitted again alone is an array of one, and would run everything.
    let alone = count == Some(1) && id > 1;
    let shard = index
        .zip(count)
        .filter(|_| !alone)
        .and_then(|(index, of)| Shard::new(index, of));
    shard.map(Some).ok_or_else(|| {
        let count = count.map_or("an unknown number of".to_owned(), |count| count.to_string());
        Failure::bad_input(format!(
            "task {id} of a Slurm array of {count} tasks, from {first} in steps of {step}, is none of its \
             parts: say --shard I/N"
        ))
    })
}

/// The statistics for people.
pub fn text(results: &Results, summary: &Summary) -> String {
    let design = &results.header.design;
    let contender = |at: usize| design.contenders[at].name.clone();
    let problem = |at: usize| design.problems[at].name.clone();
    let unit = summary.measure.name();
    let cost = |cost: f64| summary.measure.written(cost);
    let optional = |it: Option<f64>| it.map_or("-".to_owned(), cost);
    let mut table = Table::new(
        2,
        [
            "problem",
            "algorithm",
            "solved",
            "rate, 95 %",
            &format!("median {unit}"),
            "mean",
            "sd",
            "ERT",
            "95 %",
            "time a run",
        ],
    );
    for cell in &summary.cells {
        let to = cell.to_solution;
        let rate = cell.rate;
        table.row(vec![
            problem(cell.problem),
            contender(cell.contender),
            cell.solved_of_runs(),
            format!("{:.3}-{:.3}", rate.low, rate.high),
            optional(to.map(|to| to.median)),
            optional(to.map(|to| to.mean)),
            optional(to.and_then(|to| to.sd)),
            cost(cell.ert),
            format!(
                "{}-{}",
                cost(cell.ert_interval.low),
                cost(cell.ert_interval.high)
            ),
            readable_seconds(cell.seconds),
        ]);
    }
    let mut text = format!(
        "{table}\n\nMedian, mean and standard deviation are of the solved runs. ERT: {unit} of all runs over the number of \
         solutions, with a bootstrap interval."
    );
    if !summary.pairs.is_empty() {
        let mut table = Table::new(3, ["problem", "first", "second", "A12", "p", "p (Holm)"]);
        for pair in &summary.pairs {
            table.row(vec![
                problem(pair.problem),
                contender(pair.first),
                contender(pair.second),
                format!("{:.3}", pair.a12),
                probability(pair.p),
                probability(pair.p_holm),
            ]);
        }
        text.push_str(&format!(
            "\n\n{table}\n\nA12: how likely the first needs fewer {unit} than the second, an unsolved run \
             needing most of all. p: Mann-Whitney U, two-sided, then corrected for all pairs."
        ));
    }
    if let Some(ranking) = &summary.ranking {
        text.push_str(&format!("\n\n{}", ranks(ranking, contender)));
    }
    text
}

/// The ranks over all problems.
fn ranks(ranking: &Ranking, contender: impl Fn(usize) -> String) -> String {
    let mut averages = Table::new(1, ["algorithm", "average rank"]);
    for it in &ranking.ranks {
        averages.row(vec![contender(it.contender), format!("{:.2}", it.rank)]);
    }
    let mut pairs = Table::new(2, ["first", "second", "p (Nemenyi)", "p (Holm)"]);
    for pair in &ranking.pairs {
        pairs.row(vec![
            contender(pair.first),
            contender(pair.second),
            probability(pair.p_nemenyi),
            probability(pair.p_holm),
        ]);
    }
    format!(
        "{averages}\n\n{}\n\n{pairs}\n\n{}",
        ranking.sentence(),
        Ranking::PAIRS
    )
}
