//! What tests of experiments share: calling `compare`, and reading the files that it leaves.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde_json::Value;

use super::support::*;

/// What tells the runs of an experiment apart: contender, problem, number.
pub type Key = (String, String, u64);

/// The program with `compare`, whatever job these tests are part of.
pub fn compare_program() -> Command {
    let mut command = program();
    for name in ["ID", "COUNT", "MIN", "MAX", "STEP"] {
        command.env_remove(format!("SLURM_ARRAY_TASK_{name}"));
    }
    command.arg("compare");
    command
}

pub fn compare(args: &[&str]) -> Reply {
    let mut command = compare_program();
    command.args(args);
    answer(command, b"")
}

/// An experiment into a file.
pub fn compare_into(file: &str, args: &[&str]) -> Reply {
    compare(&[args, &["--out", file]].concat())
}

pub fn read(file: &str) -> String {
    fs::read_to_string(file).unwrap()
}

/// Whether a line is a run and no header; older ones do not say so.
pub fn is_run(line: &str) -> bool {
    line.starts_with("{\"kind\":\"run\",") || line.starts_with("{\"experiment\":")
}

/// The lines of a file that are runs, as they stand there.
pub fn run_lines(file: &str) -> Vec<String> {
    let text = read(file);
    let lines = text.lines().filter(|line| is_run(line));
    lines.map(str::to_owned).collect()
}

/// The runs of a file, in its order.
pub fn runs(file: &str) -> Vec<Value> {
    let value = |line: &String| serde_json::from_str(line).unwrap();
    run_lines(file).iter().map(value).collect()
}

/// The plan of a file.
pub fn design(file: &str) -> Value {
    let text = read(file);
    let header: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    header["design"].clone()
}

pub fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key]
        .as_str()
        .unwrap_or_else(|| panic!("{key}: {value}"))
}

pub fn key(run: &Value) -> Key {
    let (contender, problem) = (word(run, "contender"), word(run, "problem"));
    (contender.to_owned(), problem.to_owned(), count(run, "run"))
}

/// A run without what depends on the machine.
pub fn timeless(run: &Value) -> Value {
    let mut run = run.clone();
    for key in ["seconds", "adapter"] {
        run.as_object_mut().unwrap().remove(key).unwrap();
    }
    run
}

/// All runs of a file, none of which is there twice, without what depends on the machine.
#[track_caller]
pub fn timeless_runs(file: &str) -> BTreeMap<Key, Value> {
    let all = runs(file);
    let by_key: BTreeMap<_, _> = all.iter().map(|run| (key(run), timeless(run))).collect();
    assert_eq!(by_key.len(), all.len(), "a run twice: {}", read(file));
    by_key
}
