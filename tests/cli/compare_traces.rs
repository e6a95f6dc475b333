//! `compare --traces`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gpusudoku::lab::trace::HEADER;
use serde_json::Value;

use super::lab::*;
use super::support::*;
use super::trace::{column, csv};

const SMALL: [&str; 12] = [
    "--algo",
    "lsga,lsga:elite=0,nb-coin",
    "--problem",
    "easy-1,sd3",
    "--runs",
    "3",
    "--pop",
    "12",
    "--budget",
    "generations=15",
    "--seed",
    "4",
];

fn traced(file: &str, folder: &str, more: &[&str]) -> Reply {
    compare_into(file, &[&SMALL[..], &["--traces", folder], more].concat())
}

/// All files below a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found.sort();
    found
}

/// The trace of a run: the file of that problem and seed in the folder of its contender.
fn trace_of(folder: &str, run: &Value) -> String {
    let name = word(run, "contender").replace([':', '='], "_");
    let is_its = |path: &PathBuf| {
        let contender = path.file_name().unwrap().to_str().unwrap();
        // What had to be changed has a digest behind it.
        contender == word(run, "contender") || contender.starts_with(&format!("{name}-"))
    };
    let folders = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let found: Vec<_> = folders
        .filter(|path| path.to_str().unwrap().contains("elite") == name.contains("elite"))
        .filter(is_its)
        .collect();
    assert_eq!(found.len(), 1, "{name}: {found:?}");
    let file = format!("{}-{}.csv", word(run, "problem"), count(run, "seed"));
    found[0].join(file).to_str().unwrap().to_owned()
}

#[test]
fn every_run_has_the_trace_that_run_writes() {
    let dir = Dir::new();
    let (file, folder) = (dir.at("results.jsonl"), dir.at("traces"));
    traced(&file, &folder, &["--jobs", "3"]).expect(0);
    let all = runs(&file);
    assert_eq!(files(Path::new(&folder)).len(), all.len());
    for run in &all {
        let trace = trace_of(&folder, run);
        let (header, rows) = csv(&trace);
        assert_eq!(header.join(",") + "\n", HEADER);
        let last = rows.last().unwrap();
        let cell = |name: &str| &last[header.iter().position(|it| it == name).unwrap()];
        assert_eq!(rows.len() as u64, count(run, "generations") + 1, "{trace}");
        let best = column(&trace, "best");
        assert!(
            best.contains(&(count(run, "best_fitness") as f64)),
            "{trace}"
        );
        assert_eq!(cell("evaluations"), &run["evaluations"].to_string());
        assert_eq!(cell("seed"), &run["seed"].to_string());
        assert_eq!(cell("algo"), word(run, "algo"));
        assert!(column(&trace, "seconds").is_sorted());

        let alone = dir.at("alone.csv");
        let (pop, seed) = (run["pop"].to_string(), run["seed"].to_string());
        let mut args = vec![word(run, "problem"), "--algo", word(run, "algo"), "--pop"];
        args.extend([&*pop, "--seed", &seed, "--max-generations", "15"]);
        if word(run, "contender").contains("elite=0") {
            args.extend(["--set", "elite=0"]);
        }
        run_cpu(&[&args[..], &["--trace", &alone]].concat());
        let (of_run, its_rows) = csv(&alone);
        // Everything but the time.
        for (at, name) in of_run.iter().enumerate() {
            let place = header.iter().position(|it| it == name);
            let place = place.unwrap_or_else(|| panic!("no column {name}"));
            if name != "seconds" {
                let cells = |rows: &[Vec<String>], at: usize| -> Vec<String> {
                    rows.iter().map(|row| row[at].clone()).collect()
                };
                assert_eq!(cells(&rows, place), cells(&its_rows, at), "{trace}: {name}");
            }
        }
    }
}

#[test]
fn traces_change_no_result_and_parts_share_a_folder() {
    let dir = Dir::new();
    let plain = dir.at("plain.jsonl");
    compare_into(&plain, &SMALL).expect(0);
    let folder = dir.at("traces");
    let mut together = BTreeMap::new();
    for shard in ["1/2", "2/2"] {
        let file = dir.at(&shard.replace('/', "-of-"));
        traced(&file, &folder, &["--shard", shard]).expect(0);
        together.extend(timeless_runs(&file));
    }
    assert_eq!(together, timeless_runs(&plain));
    assert_eq!(files(Path::new(&folder)).len(), together.len());
}

#[test]
fn only_new_runs_are_traced_and_that_is_said() {
    let dir = Dir::new();
    let (file, folder) = (dir.at("results.jsonl"), dir.at("traces"));
    let mut fewer = SMALL;
    fewer[5] = "2";
    compare_into(&file, &fewer).expect(0);
    let reply = traced(&file, &folder, &[]).expect(0);
    let told = "traces: 12 runs that were made before have no trace";
    assert!(reply.stderr.contains(told), "{reply:?}");
    assert_eq!(files(Path::new(&folder)).len(), 6);
    // What has one is not complained about, and is left alone.
    let more = dir.at("more.jsonl");
    traced(&more, &dir.at("more"), &[]).expect(0);
    let before: Vec<_> = files(Path::new(&dir.at("more")))
        .iter()
        .map(|it| fs::read(it).unwrap())
        .collect();
    let again = traced(&more, &dir.at("more"), &[]).expect(0);
    assert!(!again.stderr.contains("no trace"), "{again:?}");
    let after = files(Path::new(&dir.at("more")));
    let after: Vec<_> = after.iter().map(|it| fs::read(it).unwrap()).collect();
    assert!(before == after);
}

#[test]
fn traces_that_cannot_be_written_exit_with_2() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    for place in [dir.at("missing/traces"), dir.file("taken", "")] {
        let reply = traced(&file, &place, &[]).expect(2);
        assert!(reply.sentence().contains(&place), "{reply:?}");
        assert!(!Path::new(&file).exists());
    }
    // A refused experiment leaves no folder.
    compare_into(&file, &SMALL).expect(0);
    let folder = dir.at("traces");
    traced(&file, &folder, &["--budget", "seconds=9"]).expect(2);
    assert!(!Path::new(&folder).exists());
    // One contender's folder is taken: its runs are no results without their traces.
    let file = dir.at("lost.jsonl");
    fs::create_dir(&folder).unwrap();
    dir.file("traces/nb-coin", "");
    let reply = traced(&file, &folder, &["--jobs", "1"]).expect(2);
    let sentence = reply.sentence();
    assert!(sentence.contains("cannot write"), "{sentence}");
    assert!(sentence.contains("nb-coin"), "{sentence}");
    let is_lost = |line: &String| line.contains("\"contender\":\"nb-coin\"");
    assert!(!run_lines(&file).iter().any(is_lost));
    // With room for them it goes on.
    fs::remove_file(dir.at("traces/nb-coin")).unwrap();
    traced(&file, &folder, &[]).expect(0);
    assert_eq!(run_lines(&file).len(), 18);
    assert_eq!(files(Path::new(&folder)).len(), 18);
}
