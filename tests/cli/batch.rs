//! Many runs of one command: side by side, and told as if they had been made one after the other.

use std::io::{BufRead, BufReader, Read as _};
use std::process::{Child, Stdio};

use serde_json::Value;

use super::propagation::IMPOSSIBLE;
use super::support::*;

/// Puzzles on a line each.
fn lines<'a>(puzzles: impl IntoIterator<Item = &'a str>) -> String {
    puzzles.into_iter().map(|it| it.to_owned() + "\n").collect()
}

/// What does not depend on how many run at a time: everything but threads and time.
fn timeless(reply: &Reply) -> Vec<Value> {
    let mut runs = reply.objects();
    for run in &mut runs {
        let run = run.as_object_mut().unwrap();
        assert!(run.remove("seconds").unwrap().as_f64() > Some(0.0));
        assert_ne!(run.remove("adapter"), None);
    }
    runs
}

/// The threads of every run.
fn threads(reply: &Reply) -> Vec<String> {
    let runs = reply.objects();
    let threads = runs.iter().map(|run| run["adapter"].as_str().unwrap());
    threads.map(str::to_owned).collect()
}

/// Some are done at once, some take their whole budget.
#[test]
fn runs_side_by_side_are_told_as_if_they_had_come_one_after_the_other() {
    let dir = Dir::new();
    let file = dir.file("all.sdm", lines(known().iter().map(|it| it.puzzle)));
    for algo in [&["memetic"][..], &["lsga", "--max-generations", "40"]] {
        let args = [&[&file, "--runs", "3", "--algo"], algo].concat();
        let with = |more: &[&str]| run_cpu(&[&args, more].concat());
        let alone = with(&["--threads", "1"]);
        assert_eq!(alone.stderr, "");
        let seeds: Vec<_> = alone.objects().iter().map(|it| count(it, "seed")).collect();
        assert_eq!(seeds, [1, 2, 3].repeat(12));
        assert_eq!(threads(&alone), ["1 thread"; 36]);
        for more in [&["--threads", "4"][..], &["--threads", "2"], &[]] {
            let beside = with(more);
            assert_eq!((beside.code, &*beside.stderr), (alone.code, ""), "{more:?}");
            assert_eq!(timeless(&beside), timeless(&alone), "{more:?}");
            assert_eq!(threads(&beside), ["1 thread"; 36], "{more:?}");
        }
    }
}

#[test]
fn threads_are_shared_out_and_the_summary_says_so() {
    for (args, each, at_a_time) in [
        (&["--threads", "5", "--runs", "2"][..], "2 threads", 2),
        (&["--threads", "4", "--runs", "9"], "1 thread", 4),
        (
            &["--threads", "6", "--runs", "9", "--jobs", "2"],
            "3 threads",
            2,
        ),
        (
            &["--threads", "3", "--runs", "2", "--jobs", "1"],
            "3 threads",
            1,
        ),
        // There are no more jobs than threads.
        (
            &["--threads", "2", "--runs", "9", "--jobs", "7"],
            "1 thread",
            2,
        ),
        (&["--threads", "3", "--runs", "1"], "3 threads", 1),
    ] {
        let reply = run_cpu(&[&["easy-1"], args].concat()).expect(0);
        assert!(threads(&reply).iter().all(|it| it == each), "{reply:?}");
        let text = [&["run", "easy-1", "--backend", "cpu"], args].concat();
        let text = call(&text).expect(0);
        let named = text.summary().contains(" runs at a time");
        let said = text
            .summary()
            .ends_with(&format!(", {at_a_time} runs at a time"));
        assert_eq!((named, said), (at_a_time > 1, at_a_time > 1), "{text:?}");
    }
    let refused = call(&["run", "easy-1", "--backend", "gpu", "--jobs", "2"]).expect(2);
    assert!(refused.sentence().contains("--jobs"), "{refused:?}");
}

/// A trace is one file, with one run after the other.
#[test]
fn runs_with_a_trace_come_one_at_a_time() {
    let dir = Dir::new();
    let (one, three) = (dir.at("one.csv"), dir.at("three.csv"));
    let args = ["sd3", "--algo", "lsga", "--pop", "20", "--runs", "4"];
    let args = [&args[..], &["--max-generations", "30"]].concat();
    let alone = run_cpu(&[&args[..], &["--threads", "1", "--trace", &one]].concat());
    let reply = run_cpu(&[&args[..], &["--threads", "3", "--trace", &three]].concat());
    assert_eq!(threads(&reply), ["3 threads"; 4]);
    assert_eq!(timeless(&reply), timeless(&alone));
    let read = |file: &str| std::fs::read_to_string(file).unwrap();
    assert_eq!(read(&one), read(&three));
}

#[test]
fn a_problem_without_a_solution_is_told_in_its_turn_and_once() {
    let puzzles = [
        known_as("easy-1").puzzle,
        IMPOSSIBLE[1].0,
        known_as("easy-11").puzzle,
        IMPOSSIBLE[2].0,
        known_as("sd1").puzzle,
    ];
    let dir = Dir::new();
    let file = dir.file("some.sdm", lines(puzzles));
    for runs in ["1", "50"] {
        let args = [&file, "--runs", runs];
        let alone = run_cpu(&[&args[..], &["--threads", "1"]].concat()).expect(1);
        let beside = run_cpu(&[&args[..], &["--threads", "4"]].concat()).expect(1);
        assert_eq!(beside.stderr, alone.stderr);
        assert_eq!(beside.stderr.lines().count(), 2, "{beside:?}");
        assert_eq!(timeless(&beside), timeless(&alone));
        assert_eq!(beside.objects().len(), 3 * runs.parse::<usize>().unwrap());
        let text = ["run", &file, "--runs", runs, "--threads", "4"];
        let text = call(&[&text[..], &["--backend", "cpu"]].concat()).expect(1);
        let runs = beside.objects().len();
        let told = format!("{runs} of {} runs solved", runs + 2);
        assert!(text.summary().starts_with(&told), "{text:?}");
    }
    // A tuner gets nothing.
    let irace = ["run", &file, "--format", "irace", "--threads", "4"];
    let irace = call(&[&irace[..], &["--backend", "cpu"]].concat()).expect(1);
    assert!(irace.sentence().contains("no solution"), "{irace:?}");
}

/// Starts runs, and returns when the first has been told, with its line.
fn begin(args: &[&str]) -> (Child, String, impl BufRead) {
    let mut command = program();
    command.args(["run", "--backend", "cpu", "--format", "json"]);
    let mut child = command
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    output.read_line(&mut first).unwrap();
    (child, first, output)
}

/// The first puzzle is told as soon as it is solved, which it is from the beginning; the others never are.
#[test]
#[cfg(unix)]
fn a_signal_ends_the_runs_under_way_and_begins_no_others() {
    let dir = Dir::new();
    let endless = [IMPOSSIBLE[2].0].repeat(40);
    let puzzles = [vec![known_as("easy-1").solution], endless].concat();
    let file = dir.file("some.sdm", lines(puzzles));
    let args = [&file, "--algo", "ga", "--set", "propagate=none"];
    let budget = ["--max-generations", "4000000000", "--threads", "3"];
    let args = [&args[..], &budget].concat();
    for name in ["INT", "TERM"] {
        let (child, first, mut output) = begin(&args);
        signal(&child, name);
        let mut rest = String::new();
        output.read_to_string(&mut rest).unwrap();
        let ended = child.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(1), "{ended:?}");
        assert_eq!(ended.stderr, b"");
        let runs = first + &rest;
        let runs: Vec<Value> = runs
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        // At most two were under way beside the first, and a third that took its place.
        assert!((1..=4).contains(&runs.len()), "{runs:?}");
        for (at, run) in runs.iter().enumerate() {
            let place = format!("{file}:{}", at + 1);
            assert_eq!(run["problem"], place);
            let stop = if at == 0 { "solved" } else { "stopped" };
            assert_eq!(run["stop"], stop, "{run}");
        }
    }
}

#[test]
fn a_reader_that_has_seen_enough_ends_all_runs() {
    let args = ["easy-1", "--runs", "4000000000", "--threads", "4"];
    let (child, first, output) = begin(&args);
    let first: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(first["solved"], true);
    drop(output);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    assert_eq!(ended.stderr, b"");
}
