//! `docs/results-schema.md` lists what the program writes.

use serde_json::Value;

use super::lab::*;
use super::support::*;
use super::trace::csv;

/// The keys that the page lists under a heading, in its order.
fn listed(heading: &str) -> Vec<String> {
    let page = include_str!("../../docs/results-schema.md");
    let mut lines = page.lines().skip_while(|line| {
        let title = line.strip_prefix('#').map(|it| it.trim_start_matches('#'));
        title.map(str::trim) != Some(heading)
    });
    assert!(lines.next().is_some(), "no heading {heading}");
    let section = lines.take_while(|line| !line.starts_with('#'));
    let key = |line: &str| {
        let cell = line.strip_prefix("| `")?;
        Some(cell.split_once('`')?.0.to_owned())
    };
    let keys: Vec<String> = section.filter_map(key).collect();
    assert!(!keys.is_empty(), "nothing is listed under {heading}");
    keys
}

#[track_caller]
pub fn assert_listed(heading: &str, object: &Value) {
    let keys = object.as_object().unwrap_or_else(|| panic!("{object}"));
    let keys: Vec<String> = keys.keys().cloned().collect();
    assert_eq!(listed(heading), keys, "{heading}");
}

#[test]
fn the_page_lists_every_key_of_a_run() {
    let run = run_cpu(&["easy-1", "--algo", "lsga"]).expect(0).object();
    assert_listed("A run", &run);
    assert_listed("Deductions", &run["deductions"]);
}

#[test]
fn the_page_lists_every_key_of_a_comparison() {
    let dir = Dir::new();
    let (file, folder) = (dir.at("results.jsonl"), dir.at("traces"));
    let args = [
        "--algo",
        "lsga,ga,nb-coin",
        "--problem",
        "easy-1,easy-11",
        "--runs",
        "2",
        "--pop",
        "9",
        "--budget",
        "generations=4",
        "--format",
        "json",
        "--traces",
        &folder,
    ];
    let summary = compare_into(&file, &args).expect(0).object();
    let text = read(&file);
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let plan = &lines[0];
    assert_listed("A plan", plan);
    assert_listed("The design of a plan", &plan["design"]);
    assert_listed("A contender", &plan["design"]["contenders"][0]);
    assert_listed("A problem", &plan["design"]["problems"][0]);
    let of_run = [listed("A run of a comparison"), listed("A run")].concat();
    let keys: Vec<String> = lines[1].as_object().unwrap().keys().cloned().collect();
    assert_eq!(of_run, keys);

    assert_listed("The statistics of a comparison", &summary);
    assert_listed("A cell", &summary["cells"][0]);
    assert_listed("A pair", &summary["pairs"][0]);
    assert_listed("The ranking", &summary["ranking"]);

    let runs = dir.at("runs.csv");
    let page = dir.at("page.html");
    call(&["report", &file, "--out", &page, "--csv", &runs]).expect(0);
    assert_eq!(listed("The table of runs"), csv(&runs).0);
    let trace = format!("{folder}/ga/easy-1-1.csv");
    assert_eq!(listed("A trace"), csv(&trace).0);
}
