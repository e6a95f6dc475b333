//! `gpusudoku report`.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;
use gpusudoku::lab::report::bench::Measurements;
use gpusudoku::lab::report::{MOST_LISTED, Report, WriteError, write_file};
use gpusudoku::lab::results::{Results, ResultsError};
use gpusudoku::lab::summary::Summary;

use super::compare::MeasureName;
use super::exit::Failure;
use super::experiment::verdict;
use super::{CommandResult, print};

/// Measurements are small; a file larger than this is something else.
const MAX_BENCH: u64 = 64 << 20;

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Results of `gpusudoku compare`: one file, or those of all parts of an experiment that may have grown.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// The page: HTML that needs no network.
    #[arg(long, value_name = "FILE", default_value = "report.html")]
    out: PathBuf,
    /// Folder for every figure as SVG and PNG.
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// Comma-separated values, a row for every run.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// New folder for the runs in the format of IOHprofiler.
    #[arg(long, value_name = "DIR")]
    ioh: Option<PathBuf>,
    /// What a solution costs, in the tables.
    #[arg(long, value_enum, default_value = "evaluations")]
    by: MeasureName,
    /// What `gpusudoku bench --format json` wrote, for the figure of throughput [default: the speed
    /// of the runs themselves].
    #[arg(long, value_name = "FILE")]
    bench: Option<PathBuf>,
}

pub fn report(args: ReportArgs) -> CommandResult {
    let results = Results::read_files(&args.files)?;
    let bench = args.bench.as_deref().map(read_bench).transpose()?;
    let summary = Summary::new(&results, args.by.into());
    tell_flaws(&results);
    let report = Report {
        results: &results,
        summary: &summary,
        bench: bench.as_ref(),
    };
    write_file(&args.out, report.page().as_bytes())?;
    let runs = results.runs.len();
    print(&format!("{}: a page of {runs} runs", args.out.display()))?;
    if let Some(folder) = &args.figures {
        let files = report.write_figures(folder)?.len();
        print(&format!("{}: {files} files of figures", folder.display()))?;
    }
    if let Some(file) = &args.csv {
        report.write_csv(file)?;
        print(&format!("{}: a row for each run", file.display()))?;
    }
    if let Some(folder) = &args.ioh {
        report.write_ioh(folder)?;
        print(&format!("{}: runs for IOHprofiler", folder.display()))?;
    }
    verdict(&results)
}

/// Writes the page of results beside them, as `compare` does at its end.
pub fn beside(out: &Path, results: &Results, summary: &Summary) -> Result<(), Failure> {
    let mut page = out.with_extension("html");
    if page == out {
        page = out.with_extension("report.html");
    }
    let report = Report {
        results,
        summary,
        bench: None,
    };
    write_file(&page, report.page().as_bytes())?;
    eprintln!("{}: a page with figures", page.display());
    Ok(())
}

fn read_bench(path: &Path) -> Result<Measurements, Failure> {
    let name = path.display().to_string();
    let mut text = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_BENCH).read_to_end(&mut text))
        .map_err(|error| Failure::bad_input(format!("cannot read {name}: {error}")))?;
    Measurements::read(&name, &text).map_err(|error| Failure::bad_input(error.to_string()))
}

/// Says what is incomplete; the page says it, too.
fn tell_flaws(results: &Results) {
    let flaws: Vec<String> = results.flaws.iter().map(ToString::to_string).collect();
    tell(&flaws, "flaws");
    if results.missing() > 0 {
        let (missing, planned) = (results.missing(), results.planned());
        eprintln!("gpusudoku: {missing} of {planned} planned runs are missing");
        tell(&results.gaps(), "gaps");
    }
}

fn tell(sentences: &[String], what: &str) {
    for sentence in sentences.iter().take(MOST_LISTED) {
        eprintln!("gpusudoku: {sentence}");
    }
    if sentences.len() > MOST_LISTED {
        let more = sentences.len() - MOST_LISTED;
        eprintln!("gpusudoku: and {more} more {what}");
    }
}

impl From<ResultsError> for Failure {
    fn from(error: ResultsError) -> Self {
        match error {
            ResultsError::Rejected { .. } => Self::rejected(error.to_string()),
            error => Self::bad_input(error.to_string()),
        }
    }
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Self::bad_input(error.to_string())
    }
}
