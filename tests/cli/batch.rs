//! Many runs of one command: side by side, and told as if they had been made one after the other.

use std::io::{BufRead, BufReader, Read as _};
use std::process::{Child, Stdio};

use serde_json::Value;

use super::propagation::IMPOSSIBLE;
use super::support::*;
use super::trace;

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

/// The lines of text without the sum of all.
fn told(reply: &Reply) -> Vec<&str> {
    let mut lines: Vec<_> = reply.stdout.lines().collect();
    let sum = lines.pop().unwrap();
    assert!(sum.contains(" runs solved"), "{reply:?}");
    lines
}

#[test]
fn a_few_runs_have_their_grids_in_order() {
    let dir = Dir::new();
    let (one, two) = (known_as("easy-1"), known_as("hard-77"));
    let file = dir.file("two.sdm", lines([one.puzzle, two.puzzle]));
    let reply = call(&["run", &file, "--backend", "cpu"]).expect(0);
    let told = told(&reply);
    assert_eq!(told.len(), 2 * 14, "{reply:?}");
    for (at, known) in [one, two].iter().enumerate() {
        let (frame, summary) = told[14 * at..][..14].split_at(13);
        let digits: String = frame
            .concat()
            .chars()
            .filter(char::is_ascii_digit)
            .collect();
        assert_eq!(digits, known.solution);
        let givens = frame.concat().matches('[').count() as u64;
        assert_eq!(givens, known.givens, "those of this puzzle");
        let place = format!("{file}:{}: solved", at + 1);
        assert!(summary[0].starts_with(&place), "{summary:?}");
    }
    let checked = call_with(&["check", "-"], reply.stdout.as_bytes()).expect(0);
    assert_eq!(checked.stdout.matches("solved, and valid").count(), 2);

    // So have runs that are not solved, with the best that there is.
    let args = ["run", "sd3", "--runs", "2", "--algo", "lsga", "--pop", "9"];
    let few = [&args[..], &["--max-generations", "2", "--backend", "cpu"]].concat();
    let reply = call(&few).expect(1);
    let frames = reply.stdout.lines().filter(|it| it.starts_with('|'));
    assert_eq!(frames.count(), 2 * 9, "{reply:?}");
    assert_eq!(reply.stdout.matches("sd3: not solved (best ").count(), 2);
}

/// Ten are drawn, eleven are not.
#[test]
fn solutions_of_many_runs_are_lines() {
    let easy = known_as("easy-1");
    let run = |runs: &str| call(&["run", "easy-1", "--backend", "cpu", "--runs", runs]).expect(0);
    assert_eq!(told(&run("10")).len(), 10 * 14);
    let reply = run("11");
    let told = told(&reply);
    assert_eq!(told.len(), 11 * 2);
    for (at, pair) in told.chunks(2).enumerate() {
        assert_eq!(pair[0], easy.solution);
        assert!(pair[1].starts_with("easy-1: solved"), "{pair:?}");
        assert!(pair[1].contains(&format!(" seed {} ", at + 1)), "{pair:?}");
    }
}

#[test]
fn many_runs_without_a_solution_have_no_line_for_it() {
    let args = ["run", "sd3", "--runs", "11", "--algo", "lsga", "--pop", "9"];
    let few = [&args[..], &["--max-generations", "2", "--backend", "cpu"]].concat();
    let reply = call(&few).expect(1);
    let told = told(&reply);
    assert_eq!(told.len(), 11, "{reply:?}");
    assert!(told.iter().all(|it| it.starts_with("sd3: not solved")));
}

/// Larger grids are rows of numbers; here they are one line, which is read as well.
#[test]
fn large_solutions_are_lines_too() {
    let dir = Dir::new();
    let cell = solved_square(4);
    let open = integers(16, |r, c| if (r, c) == (3, 5) { 0 } else { cell(r, c) });
    let file = dir.file("sixteen.txt", open);
    let reply = call(&["run", &file, "--backend", "cpu", "--runs", "11"]).expect(0);
    let told = told(&reply);
    assert_eq!(told.len(), 11 * 2, "{reply:?}");
    assert_eq!(told[0].replace(' ', "\n").lines().count(), 256);
    assert_eq!(told[0], integers(16, cell).trim_end().replace('\n', " "));
    assert_eq!(verdict(told[0], &[])["solved"], true);
    let queens = ["run", "queens:8", "--backend", "cpu", "--runs", "11"];
    let reply = call(&queens).expect(0);
    assert_eq!(self::told(&reply).len(), 11 * 2, "{reply:?}");
}

#[test]
fn times_are_told_as_people_read_them() {
    let reply = call(&["run", "easy-1", "--backend", "cpu", "--runs", "2"]).expect(0);
    let units = ["µs", "ms", "s"];
    let mut lines = 0;
    for line in reply.stdout.lines().filter(|it| it.contains("solved")) {
        lines += 1;
        let time = line.split(", ").find(|part| {
            let words: Vec<_> = part.split(' ').collect();
            words.len() >= 2 && units.contains(&words[1]) && words[0].parse::<f64>().is_ok()
        });
        assert!(time.is_some(), "{line}");
    }
    assert_eq!(lines, 3);
    // For programs they are numbers as before.
    let run = run_cpu(&["easy-1"]).expect(0).object();
    assert!(run["seconds"].is_f64(), "{run}");
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
    assert_eq!(trace::timeless(&one), trace::timeless(&three));
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
