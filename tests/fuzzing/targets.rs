//! What is fuzzed: every reader of foreign text as a function of bytes, with what must hold of what it
//! accepts and of how it refuses.
//!
//! `fuzz/` feeds these functions with libFuzzer, `tests/fuzzing/main.rs` with the saved corpus and with
//! mutations of it. A panic is a failure; nothing here runs an engine, or reads or writes a file.

use std::sync::LazyLock;

use clap::Parser as _;
use clap::error::ErrorKind;
use gpusudoku::algo::{self, Settings, Task, Value as Setting};
use gpusudoku::checkpoint::Checkpoint;
use gpusudoku::engine::gpu::adapter::AdapterChoice;
use gpusudoku::lab::bench::Workload;
use gpusudoku::lab::experiment::{Contender, Design, Experiment, MAX_CASES};
use gpusudoku::lab::report::bench::Measurements;
use gpusudoku::lab::report::{Report, csv};
use gpusudoku::lab::results::{Header, Reader, Results};
use gpusudoku::lab::summary::{Measure, Summary};
use gpusudoku::population_file;
use gpusudoku::problem::queens::{Queens, Surface};
use gpusudoku::problem::sudoku::builtin;
use gpusudoku::problem::sudoku::format::{
    self, Alphabet, Entry, Format, FormatError, MAX_NAME, MAX_PUZZLES, ReadOptions, canonical,
};
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{BoxShape, Geometry, Instance, NamedProblem, Problem};
use serde::Deserialize as _;
use serde_json::Value;

use self::cli::input::{ReadArgs, parse_box, problems};
use gpusudoku::problem::argument::looks_like_cells;

// The command line is no part of the library.
#[allow(dead_code)]
#[path = "../../src/cli/mod.rs"]
mod cli;

/// A reader, fed with bytes.
pub type Target = fn(&[u8]);

/// Every target. A reader of another kind of file gets its function below, a line here, a file of the
/// same name in `fuzz/fuzz_targets` and seeds in `fuzz/corpus`; a test says what is missing.
pub const ALL: &[(&str, Target)] = &[
    ("puzzle", puzzle),
    ("format", format),
    ("problem", problem),
    ("results", results),
    ("bench", bench),
    ("arguments", arguments),
    ("checkpoint", checkpoint),
    ("population", population),
];

/// A sentence for the user: something, in a line that fits a screen.
fn told(message: &str) {
    assert!(!message.trim().is_empty());
    assert!(message.chars().count() < 2000, "{message}");
    assert!(!message.contains(char::is_control), "{message:?}");
}

/// A population as a file: a byte for the size of its grids, then the file.
pub fn population(data: &[u8]) {
    let [size, file @ ..] = data else {
        return;
    };
    let sizes = [4, 6, 9, 16, 25];
    let geometry = Geometry::usual(sizes[usize::from(*size) % sizes.len()]).unwrap();
    match population_file::read("population", file, geometry) {
        Ok(digits) => {
            assert!(digits.len().is_multiple_of(geometry.cells()));
            // No cell takes less than a byte.
            assert!(digits.len() <= file.len());
        }
        Err(error) => told(&error.to_string()),
    }
}

/// The text of a puzzle, in a format that has to be recognised.
pub fn puzzle(data: &[u8]) {
    let latin = ReadOptions {
        latin: true,
        ..ReadOptions::default()
    };
    for options in [ReadOptions::default(), latin] {
        judge_text(data, format::read(data, &options));
    }
}

/// The text of a puzzle in a format that is known: a byte for it, a byte for the options, the text.
pub fn format(data: &[u8]) {
    let [format, options, text @ ..] = data else {
        return;
    };
    let format = Format::ALL[usize::from(*format) % Format::ALL.len()];
    judge_text(text, format::read_as(text, format, &options_of(*options)));
}

/// Every choice of options that a byte has room for.
fn options_of(byte: u8) -> ReadOptions {
    let boxes = [None, Some((2, 3)), Some((3, 2)), Some((4, 4)), Some((0, 9))];
    let alphabets = [None, Some(0), Some(1), Some(2)];
    let byte = usize::from(byte);
    ReadOptions {
        latin: byte % 2 == 1,
        boxes: boxes[byte / 2 % 5].map(|(rows, cols)| BoxShape { rows, cols }),
        alphabet: alphabets[byte / 10 % 4].map(|at: usize| Alphabet::ALL[at]),
    }
}

fn judge_text(text: &[u8], read: Result<Vec<Entry>, FormatError>) {
    match read {
        Ok(entries) => accepted(text, &entries),
        Err(error) => {
            told(&error.to_string());
            let text = String::from_utf8_lossy(text);
            assert!(error.line > 0 || error.column == 0, "{error:?}");
            // A fault may be that the text is at its end.
            assert!(error.line <= text.matches('\n').count() + 1, "{error}");
            let line = text.lines().nth(error.line.saturating_sub(1));
            let columns = line.unwrap_or_default().chars().count() + 1;
            assert!(error.column <= columns, "{error}");
        }
    }
}

/// What holds of the puzzles of a text.
fn accepted(text: &[u8], entries: &[Entry]) {
    assert!((1..=MAX_PUZZLES).contains(&entries.len()));
    let cells: usize = entries.iter().map(|it| it.grid.cells().len()).sum();
    // Where there can be more than one puzzle, no cell takes less than a byte.
    let alone = Geometry::MAX_LATIN * Geometry::MAX_LATIN;
    assert!(cells <= text.len().max(alone), "{cells} cells");
    for entry in entries.iter().take(8) {
        let name = entry.name.as_deref().unwrap_or("-");
        // A collection's name has the number of the puzzle behind it.
        assert!(name.chars().count() <= MAX_NAME + 8, "{name}");
        told(name);
        survives(entry);
    }
    let geometry = entries[0].grid.geometry();
    let alphabet = entries[0].alphabet;
    let alike = |entry: &Entry| entry.grid.geometry() == geometry && entry.alphabet == alphabet;
    if entries.len() > 1 && cells < 4000 && entries.iter().all(alike) {
        for format in Format::ALL.into_iter().filter(|it| it.holds_many()) {
            if let Ok(text) = format::write(entries, format) {
                // Numbers need no alphabet, and would be misread with one.
                let options = ReadOptions {
                    alphabet: alphabet.filter(|_| !format.holds(geometry)),
                    ..ReadOptions::from(geometry)
                };
                let again = format::read(text.as_bytes(), &options).unwrap();
                let grids = |entries: &[Entry]| -> Vec<_> {
                    entries.iter().map(|entry| entry.grid.clone()).collect()
                };
                assert_eq!(grids(entries), grids(&again), "{format}: {text}");
            }
        }
    }
}

/// Whatever was read can be written in every format that has room for it, and is read again.
fn survives(entry: &Entry) {
    let geometry = entry.grid.geometry();
    let options = ReadOptions::from(geometry);
    let text = canonical(&entry.grid);
    let again = format::read_one(text.as_bytes(), &options).unwrap();
    assert_eq!(again.grid, entry.grid, "{text}");
    assert_eq!(canonical(&again.grid), text);
    for format in Format::ALL {
        // A graph has a line for each edge.
        let most = if format == Format::Dimacs { 9 } else { 25 };
        if geometry.size() > most || !format.holds(geometry) {
            continue;
        }
        let text = format::write(std::slice::from_ref(entry), format).unwrap();
        let recognised = format::read_one(text.as_bytes(), &options).unwrap();
        assert_eq!(recognised.grid, entry.grid, "{format}: {text}");
        let told = format::read_as(text.as_bytes(), format, &options).unwrap();
        assert_eq!(told.len(), 1, "{format}: {text}");
        assert_eq!(told[0].grid, entry.grid, "{format}: {text}");
        let short = |name: &String| name.chars().count() <= MAX_NAME;
        if matches!(format, Format::Line | Format::Sdk | Format::OpenSudoku)
            && entry.name.as_ref().is_none_or(short)
        {
            assert_eq!(told[0].name, entry.name, "{format}: {text}");
        }
    }
}

/// PROBLEM arguments: queens, the shape of boxes, and what is taken for a puzzle's own text.
pub fn problem(data: &[u8]) {
    let text = &*String::from_utf8_lossy(data);
    for (kind, surface) in [("queens", Surface::Board), ("torus", Surface::Torus)] {
        let name = format!("{kind}:{text}");
        match problems(&name, &ReadArgs::default()) {
            Ok(found) => {
                let [named] = &found[..] else {
                    panic!("{name}: {found:?}")
                };
                let Problem::Queens(queens) = named.problem else {
                    panic!("{name}: {found:?}")
                };
                assert_eq!(queens.surface(), surface);
                assert!((4..=Queens::MAX_SIZE).contains(&queens.size()));
                assert_eq!(Ok(queens.size()), text.parse());
                let impossible = queens.fewest_attacks() > 0;
                assert_eq!(queens.impossibility().is_some(), impossible);
                let again = problems(&named.name, &ReadArgs::default()).unwrap();
                assert_eq!(again[0].name, named.name);
            }
            Err(failure) => told(&format!("{failure:?}")),
        }
    }
    if let Ok(shape) = parse_box(text) {
        assert_eq!(
            parse_box(&shape.to_string()).map(|it| (it.rows, it.cols)),
            Ok((shape.rows, shape.cols))
        );
        // The product may be larger than any number.
        if let Ok(geometry) = Geometry::sudoku(shape.rows, shape.cols) {
            assert_eq!(geometry.size(), shape.rows * shape.cols);
        }
    }
    if looks_like_cells(text) {
        puzzle(data);
    }
}

/// A file of results: as it is, and with the digests that its plan ought to have.
pub fn results(data: &[u8]) {
    read_results(data);
    if let Some(text) = with_digests(data) {
        read_results(text.as_bytes());
    }
}

/// Mutations of a plan hardly ever come with their digest, and nothing behind it would be tried.
fn with_digests(data: &[u8]) -> Option<String> {
    let mut id = None;
    let mut text = String::new();
    for line in std::str::from_utf8(data).ok()?.lines() {
        let mut value: Value = match serde_json::from_str(line) {
            Ok(value) => value,
            Err(_) => {
                text.push_str(line);
                text.push('\n');
                continue;
            }
        };
        if let Some(object) = value.as_object_mut() {
            if let Some(design) = object.get("design") {
                let design = Design::deserialize(design).ok()?;
                id = Some(design.id());
            }
            if let (Some(id), true) = (&id, object.contains_key("experiment")) {
                object.insert("experiment".to_owned(), id.clone().into());
            }
        }
        text.push_str(&value.to_string());
        text.push('\n');
    }
    id.map(|_| text)
}

fn read_results(text: &[u8]) {
    let mut reader = Reader::default();
    if let Err(error) = reader.read("results", text) {
        told(&error.to_string());
        return;
    }
    let Some(found) = reader.finish() else { return };
    let design = &found.header.design;
    assert!(design.contenders.len() * design.problems.len() <= MAX_CASES);
    assert_eq!(found.runs.len() + found.missing(), found.planned());
    assert!(found.planned() <= design.cases());
    assert!(found.runs.is_sorted_by(|one, two| one.0 < two.0));
    for flaw in &found.flaws {
        told(&flaw.to_string());
    }
    // What was read, written as `compare` does, says the same.
    let mut text = String::new();
    for plan in &found.plans {
        text.push_str(&serde_json::to_string(plan).unwrap());
        text.push('\n');
    }
    for (_, line) in &found.runs {
        text.push_str(&serde_json::to_string(line).unwrap());
        text.push('\n');
    }
    let mut again = Reader::default();
    again.read("again", text.as_bytes()).unwrap();
    let again = again.finish().unwrap();
    assert_eq!(again.header, found.header);
    assert_eq!(again.runs, found.runs);
    assert_eq!(again.flaws, []);
    // A page takes as long as reading a hundred files.
    let small = found.runs.len() <= 64 && design.contenders.len() * design.problems.len() <= 32;
    if small && text.len().is_multiple_of(8) {
        for gap in found.gaps() {
            told(&gap);
        }
        shown(&found, None);
    }
}

/// Statistics, page and exports can be made of whatever was accepted.
fn shown(results: &Results, bench: Option<&Measurements>) {
    let somebody_is_called_so = format!("{results:?}{bench:?}").contains("NaN");
    for measure in [Measure::Evaluations, Measure::Seconds] {
        let summary = &Summary::new(results, measure);
        for cell in &summary.cells {
            assert!(
                0.0 <= cell.rate.low && cell.rate.low <= cell.rate.high && cell.rate.high <= 1.0
            );
            assert!(!cell.ert.is_nan());
        }
        let report = Report {
            results,
            summary,
            bench,
        };
        let page = report.page();
        assert!(page.starts_with("<!") && page.trim_end().ends_with("</html>"));
        assert!(somebody_is_called_so || !page.contains("NaN"), "{page}");
    }
    let rows = csv::table(results).lines().count();
    assert!(rows > results.runs.len());
}

/// What `gpusudoku bench` measured.
pub fn bench(data: &[u8]) {
    static NO_RUNS: LazyLock<Results> = LazyLock::new(|| {
        let experiment = Experiment {
            contenders: vec![Contender::new(&algo::lsga::INFO)],
            problems: vec![easy()],
            runs: 1,
            seed: 1,
            max_evaluations: None,
            time_limit: None,
        };
        let shard = gpusudoku::lab::experiment::Shard::WHOLE;
        Results::new(Header::new(experiment.design(), shard), Vec::new())
    });
    match Measurements::read("bench", data) {
        Ok(bench) => {
            assert!(!bench.rows.is_empty());
            let rates = bench.rows.iter().filter_map(|row| row.rate);
            assert!(rates.into_iter().all(|rate| rate.is_finite() && rate > 0.0));
            if bench.rows.len() <= 64 {
                shown(&NO_RUNS, Some(&bench));
            }
        }
        Err(error) => told(&error.to_string()),
    }
}

fn easy() -> NamedProblem {
    NamedProblem {
        name: "easy-1".to_owned(),
        problem: builtin::find("easy-1").unwrap().puzzle().clone().into(),
    }
}

/// A command line, an argument a line; and each argument as everything that one can be.
pub fn arguments(data: &[u8]) {
    let text = &*String::from_utf8_lossy(data);
    let line = || ["gpusudoku"].into_iter().chain(text.lines());
    match cli::Cli::try_parse_from(line()) {
        Ok(cli) => {
            let again = cli::Cli::try_parse_from(line()).unwrap();
            assert_eq!(format!("{again:?}"), format!("{cli:?}"));
        }
        Err(error) => {
            let asked = matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            );
            assert_eq!(error.exit_code(), if asked { 0 } else { 2 }, "{error}");
            assert!(!error.to_string().trim().is_empty());
        }
    }
    for argument in text.lines().take(8) {
        resolve(argument);
    }
    let variable = |name: &str| {
        let mut lines = text.lines();
        lines.find_map(|line| {
            line.strip_prefix(name)?
                .strip_prefix('=')
                .map(str::to_owned)
        })
    };
    if let Ok(Some(shard)) = cli::compare::slurm_shard(variable) {
        assert!((1..=shard.of).contains(&shard.index));
        let runs = 1000;
        let mine = (0..runs).filter(|&run| shard.has(run)).count();
        assert_eq!(mine, shard.share(runs) as usize);
    }
}

/// An argument as everything that one can be.
fn resolve(text: &str) {
    if let Ok(format) = text.parse::<Format>() {
        assert_eq!(format.to_string(), text);
    }
    if let Ok(alphabet) = text.parse::<Alphabet>() {
        assert_eq!(alphabet.to_string().parse(), Ok(alphabet));
    }
    if let Ok(workload) = text.parse::<Workload>() {
        assert_eq!(workload.to_string(), text);
    }
    if let Some(level) = Level::parse(text) {
        assert_eq!(level.name(), text);
    }
    match AdapterChoice::from(text) {
        AdapterChoice::Index(index) => assert_eq!(Ok(index), text.parse()),
        AdapterChoice::Name(name) => assert_eq!(name, text),
        other => panic!("{text:?} is {other:?}"),
    }
    let _ = cli::bench::numbers("pop", text);
    if let Ok(givens) = gpusudoku::problem::sudoku::generate::parse_givens(text, 81) {
        assert!(givens <= 81, "{text:?}");
    }
    let mut limits = cli::compare::Limits::default();
    if limits.set(text).is_ok() {
        assert!(limits.set(text).is_err(), "{text:?} twice");
    }
    for info in algo::ALL {
        let mut settings = Settings::new(info);
        match settings.set_pair(text) {
            Ok(()) => begin(&settings, 4),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    if let Ok(contender) = Contender::parse(text, None) {
        assert_eq!(contender.name, text);
        assert!(contender.pop > 0);
        begin(&contender.settings, contender.pop.min(1000));
        written_again(contender);
    }
}

/// Settings that were accepted make an algorithm, and are the same when they are written and set again.
fn begin(settings: &Settings, pop: usize) {
    static INSTANCES: LazyLock<[Instance; 2]> = LazyLock::new(|| {
        let queens = Problem::from(Queens::new(8, Surface::Board).unwrap());
        [easy().problem, queens].map(|problem| problem.reduce(Level::None).unwrap())
    });
    let algorithm = settings.build();
    for instance in INSTANCES.iter() {
        if let Some(representation) = algorithm.representation(instance) {
            let task = Task {
                instance,
                pop,
                seed: 1,
            };
            let stage = algorithm.begin(&task).stage();
            assert!(stage.generations > 0);
            if let Err(error) = stage.plan.check(representation, pop) {
                told(&error.to_string());
            }
        }
    }
    let mut again = Settings::new(settings.info());
    for (param, value) in settings.iter() {
        let value = match value {
            Setting::Number(number) => number.to_string(),
            Setting::Count(count) => count.to_string(),
            Setting::Word(word) => word.to_owned(),
        };
        again.set(param.key, &value).unwrap();
    }
    assert!(
        again
            .iter()
            .map(|it| it.1)
            .eq(settings.iter().map(|it| it.1))
    );
}

/// The plan of a file is told from others by a digest of its text, so that it has to survive the file.
fn written_again(contender: Contender) {
    let experiment = Experiment {
        contenders: vec![contender],
        problems: vec![easy()],
        runs: 1,
        seed: 1,
        max_evaluations: None,
        time_limit: None,
    };
    let design = experiment.design();
    let text = serde_json::to_string(&design).unwrap();
    let again: Design = serde_json::from_str(&text).unwrap();
    assert_eq!(again.id(), design.id(), "{text}");
}

/// A checkpoint: whole files, and what stands between head and digest, which few mutations would reach.
pub fn checkpoint(data: &[u8]) {
    let words: Vec<u32> = bytemuck::pod_collect_to_vec(&data[..data.len() / 4 * 4]);
    for read in [Checkpoint::read(data), Checkpoint::from_words(words)] {
        match read {
            Err(error) => told(&error.to_string()),
            Ok(checkpoint) => {
                let mut bytes = Vec::new();
                checkpoint.clone().write(&mut bytes).unwrap();
                let again = Checkpoint::read(&bytes[..]).unwrap();
                assert_eq!(again.state, checkpoint.state);
                assert_eq!(again.problem.name, checkpoint.problem.name);
                assert_eq!(again.budget, checkpoint.budget);
                assert_eq!((again.pop, again.seed), (checkpoint.pop, checkpoint.seed));
            }
        }
    }
}
