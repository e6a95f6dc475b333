//! Files of `compare`: going on after whatever ended it, and refusing what cannot be trusted.

use std::collections::BTreeSet;
use std::fs;

use proptest::prelude::*;
use serde_json::Value;

use super::lab::*;
use super::support::*;

const SMALL: [&str; 10] = [
    "--algo",
    "lsga,gpu-ga",
    "--problem",
    "easy-1,easy-11",
    "--runs",
    "3",
    "--pop",
    "12",
    "--budget",
    "generations=25",
];

/// The file of an experiment that nothing has interrupted.
fn finished(dir: &Dir) -> String {
    let file = dir.at("finished.jsonl");
    compare_into(&file, &SMALL).expect(0);
    assert_eq!(run_lines(&file).len(), 12);
    file
}

/// Goes on with the beginning of a finished file, and looks whether it becomes as good as that.
fn assert_goes_on(dir: &Dir, finished: &str, cut: usize) {
    let whole = read(finished);
    let file = dir.file("cut.jsonl", &whole[..cut]);
    let is_json = |line: &str| serde_json::from_str::<Value>(line).is_ok();
    let lines = whole[..cut].lines().skip(1);
    let (kept, torn): (Vec<&str>, Vec<&str>) = lines.partition(|line| is_json(line));
    let reply = compare_into(&file, &SMALL).expect(0);
    assert_eq!(
        timeless_runs(&file),
        timeless_runs(finished),
        "cut at {cut}"
    );
    // What was whole stays as it was, and nothing of it is run again.
    assert_eq!(run_lines(&file)[..kept.len()], kept, "cut at {cut}");
    assert!(read(&file).lines().all(is_json), "cut at {cut}");
    assert_eq!(
        reply.stderr.contains("cut off"),
        !torn.is_empty(),
        "{reply:?}"
    );
    let told = reply.stderr.contains(&format!("after {} runs", kept.len()));
    assert_eq!(told, !kept.is_empty(), "{reply:?}");
}

#[test]
fn an_experiment_goes_on_wherever_its_file_was_cut() {
    let dir = Dir::new();
    let finished = finished(&dir);
    let text = read(&finished);
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    assert_eq!(ends.len(), 13, "a header and 12 runs");
    let mut cuts = BTreeSet::new();
    for line in [0, 1, 6, 11] {
        // After a line, before and without its end, after one byte of the next, and in its middle.
        let (end, next) = (ends[line], ends[line + 1]);
        cuts.extend([end, end + 1, end + 2, (end + next) / 2, next - 1]);
    }
    for cut in cuts {
        assert_goes_on(&dir, &finished, cut);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 6,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn an_experiment_goes_on_wherever_chance_has_cut(share in 0.0f64..1.0) {
        let dir = Dir::new();
        let finished = finished(&dir);
        let text = read(&finished);
        let header = text.find('\n').unwrap();
        let cut = header + ((text.len() - header) as f64 * share) as usize;
        assert_goes_on(&dir, &finished, cut);
    }
}

/// Not even the plan is whole: a disk was full. So little of it that it might be anybody's is not harmed.
#[test]
fn a_file_with_part_of_a_plan_begins_anew() {
    let dir = Dir::new();
    let text = read(&finished(&dir));
    let header = text.find('\n').unwrap();
    for cut in [header / 2, header - 1] {
        let file = dir.file("cut.jsonl", &text[..cut]);
        compare_into(&file, &SMALL).expect(0);
        assert_eq!(run_lines(&file).len(), 12);
    }
    let file = dir.file("cut.jsonl", &text[..1]);
    let reply = compare_into(&file, &SMALL).expect(2);
    assert!(reply.sentence().contains("cut.jsonl"), "{reply:?}");
    assert_eq!(read(&file), text[..1]);
    // But what is empty is anybody's.
    let file = dir.file("empty.jsonl", "");
    compare_into(&file, &SMALL).expect(0);
    assert_eq!(run_lines(&file).len(), 12);
}

#[test]
fn a_finished_experiment_is_only_told_again() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    let first = compare_into(&file, &SMALL).expect(0);
    let lines = run_lines(&file);
    for _ in 0..2 {
        let again = compare_into(&file, &SMALL).expect(0);
        assert_eq!(again.stdout, first.stdout, "seconds included");
        assert_eq!(again.stderr.lines().count(), 2, "the page, too: {again:?}");
        assert!(again.stderr.contains("12 runs"), "{again:?}");
        assert_eq!(run_lines(&file), lines);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_is_lost_when_the_process_is_killed_and_nobody_else_writes_meanwhile() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    let args = [
        "--algo",
        "lsga",
        "--problem",
        "sd3",
        "--runs",
        "60",
        "--pop",
        "30",
    ];
    let args = [&args[..], &["--budget", "generations=150", "--jobs", "2"]].concat();
    let mut child = compare_program()
        .args(&args)
        .args(["--out", &file])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    let lines = || fs::read_to_string(&file).map_or(0, |text| text.lines().count());
    while lines() < 5 {
        assert!(start.elapsed() < Duration::from_secs(60), "no run finishes");
        std::thread::sleep(Duration::from_millis(2));
    }
    // It holds still while another one tries.
    signal(&child, "STOP");
    let before = read(&file);
    let reply = compare_into(&file, &args).expect(2);
    assert!(reply.sentence().contains("another process"), "{reply:?}");
    assert_eq!(read(&file), before);
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "it was done too early");
    let killed = read(&file);
    assert!(killed.starts_with(&before) && run_lines(&file).len() < 60);
    let whole: Vec<String> = run_lines(&file)
        .into_iter()
        .filter(|line| line.ends_with('}'))
        .collect();
    compare_into(&file, &args).expect(0);
    assert_eq!(run_lines(&file)[..whole.len()], whole);
    let all = timeless_runs(&file);
    let numbers: BTreeSet<u64> = all.keys().map(|key| key.2).collect();
    assert_eq!(numbers, (0..60).collect());
    // Some of them, of before and after, made by somebody who was not interrupted.
    let some = dir.at("some.jsonl");
    compare_into(&some, &[&args[..], &["--shard", "3/10"]].concat()).expect(0);
    for (key, run) in timeless_runs(&some) {
        assert_eq!(all[&key], run);
    }
}

/// Refused, and not a byte of the file is changed.
#[track_caller]
fn assert_refused(file: &str, args: &[&str], names: &[&str]) {
    assert_refused_as(2, file, args, names);
}

#[track_caller]
fn assert_refused_as(code: i32, file: &str, args: &[&str], names: &[&str]) {
    let before = fs::read(file).unwrap();
    let reply = compare_into(file, args).expect(code);
    for name in names {
        assert!(reply.sentence().contains(name), "{name}: {reply:?}");
    }
    assert!(fs::read(file).unwrap() == before, "{args:?}");
}

#[test]
fn other_experiments_do_not_write_to_the_file() {
    let dir = Dir::new();
    let file = finished(&dir);
    for (option, value, names) in [
        ("--pop", "13", &["population of lsga", "12", "13"][..]),
        (
            "--budget",
            "generations=26",
            &["budget of generations of lsga", "25", "26"],
        ),
        (
            "--budget",
            "generations=25,evaluations=1000000",
            &["budget of evaluations", "unlimited", "1000000"],
        ),
        (
            "--budget",
            "generations=25,seconds=1000",
            &["budget of seconds", "unlimited", "1000"],
        ),
    ] {
        let mut args = SMALL.to_vec();
        let at = args.iter().position(|it| *it == option).unwrap();
        args[at + 1] = value;
        let names = [&[file.as_str(), "another experiment"], names].concat();
        assert_refused(&file, &args, &names);
    }
    let args = [&SMALL[..], &["--seed", "2"]].concat();
    assert_refused(&file, &args, &[&file, "seed of the first run", "1", "2"]);
    if gpu_wanted() {
        let args = [&SMALL[..], &["--backend", "gpu"]].concat();
        assert_refused(&file, &args, &[&file, "backend of lsga", "cpu", "gpu"]);
    }
    // Another puzzle under the same name is another problem.
    let [one, two] = ["one", "two"].map(|name| {
        std::fs::create_dir(dir.at(name)).unwrap();
        dir.at(name)
    });
    for (folder, puzzle) in [(&one, "easy-1"), (&two, "easy-11")] {
        let text = known_as(puzzle).puzzle;
        std::fs::write(format!("{folder}/same.sdm"), text).unwrap();
    }
    let named = |folder: &str| {
        let mut command = compare_program();
        let mut args = SMALL.to_vec();
        args[3] = "same.sdm";
        command.current_dir(folder).args(args);
        command.args(["--out", &dir.at("same.jsonl")]);
        answer(command, b"")
    };
    named(&one).expect(0);
    let reply = named(&two).expect(2);
    assert!(reply.sentence().contains("one problem there"), "{reply:?}");
    // What changes no run is the same experiment.
    let same = [
        "--jobs",
        "1",
        "--threads",
        "2",
        "--by",
        "seconds",
        "--quiet",
    ];
    compare_into(&file, &[&SMALL[..], &same].concat()).expect(0);
}

#[test]
fn files_of_others_are_not_touched() {
    let dir = Dir::new();
    let long = "x".repeat(100_000);
    let run = run_cpu(&["easy-1", "--algo", "lsga"]).stdout;
    let alone = run_lines(&finished(&dir)).remove(0);
    for content in [
        &b"A letter to my aunt"[..],
        b"A letter to my aunt\n",
        b"\n\nA letter to my aunt",
        b"\n",
        b"  \n\t\n",
        b"{\"gpusudoku_results\":1}",
        b"{\"gpusudoku_results\":1,\"program\":\"0.1.0\"}\n",
        b"{}",
        b"[1,2",
        b"null",
        &[0xff, 0xfe, 0, 10, 0],
        long.as_bytes(),
        run.as_bytes(),
        alone.as_bytes(),
        known_as("easy-1").puzzle.as_bytes(),
    ] {
        let file = dir.file("foreign.txt", content);
        assert_refused(&file, &SMALL, &[&file]);
    }
}

/// A finished file with one line replaced or added.
struct Tampered {
    dir: Dir,
    lines: Vec<String>,
}

impl Tampered {
    fn new() -> Self {
        let dir = Dir::new();
        let file = finished(&dir);
        let lines = read(&file).lines().map(str::to_owned).collect();
        Self { dir, lines }
    }

    /// The first line of that kind and its number.
    fn find(&self, wanted: impl Fn(&Value) -> bool) -> (usize, Value) {
        let values = self
            .lines
            .iter()
            .map(|line| serde_json::from_str(line).unwrap());
        let mut values = values.enumerate();
        values.find(|(_, value)| wanted(value)).unwrap()
    }

    fn solved(&self) -> (usize, Value) {
        self.find(|line| line["solved"] == true)
    }

    fn unsolved(&self) -> (usize, Value) {
        self.find(|line| line["solved"] == false)
    }

    fn with(&self, at: usize, line: &str) -> String {
        let mut lines = self.lines.clone();
        match lines.get_mut(at) {
            Some(there) => *there = line.to_owned(),
            None => lines.push(line.to_owned()),
        }
        self.dir.file("tampered.jsonl", lines.join("\n") + "\n")
    }

    /// Refused with the number of the line.
    #[track_caller]
    fn assert_refused(&self, at: usize, line: &Value, names: &[&str]) {
        self.assert_refused_as(2, at, line, names);
    }

    #[track_caller]
    fn assert_refused_as(&self, code: i32, at: usize, line: &Value, names: &[&str]) {
        let file = self.with(at, &line.to_string());
        let place = format!("tampered.jsonl:{}:", at + 1);
        assert_refused_as(code, &file, &SMALL, &[&[place.as_str()], names].concat());
    }
}

#[test]
fn solutions_that_are_none_are_refused() {
    let it = Tampered::new();
    let (at, solved) = it.solved();
    let solution = word(&solved, "solution").to_owned();
    let changed = |text: &str| {
        let mut line = solved.clone();
        line["solution"] = text.into();
        line
    };
    let digit = if solution.ends_with('1') { "2" } else { "1" };
    let other = format!("{}{digit}", &solution[..80]);
    let swapped: String = solution.chars().rev().collect();
    // A valid grid, but not of this puzzle.
    let foreign = known_as("sd3").solution;
    for text in [&other, &swapped, foreign, "", &solution[..80], "1 2 3", "?"] {
        it.assert_refused_as(4, at, &changed(text), &["run", "solved"]);
    }
    let mut line = solved.clone();
    line["solution"] = Value::Null;
    it.assert_refused(at, &line, &["contradicts itself"]);
    let (at, mut unsolved) = it.unsolved();
    unsolved["solved"] = true.into();
    it.assert_refused(at, &unsolved, &["contradicts itself"]);
}

#[test]
fn runs_that_contradict_the_plan_or_themselves_are_refused() {
    let it = Tampered::new();
    let (at, solved) = it.solved();
    for (key, value, names) in [
        ("pop", Value::from(99), "not those planned"),
        ("algo", "ga".into(), "not those planned"),
        ("backend", "gpu".into(), "not those planned"),
        ("verified", false.into(), "contradicts itself"),
        ("best_fitness", 3.into(), "contradicts itself"),
        ("stop", "generations".into(), "another reason"),
        ("stop", "stopped".into(), "another reason"),
        ("seconds", (-5).into(), "no time"),
    ] {
        let mut line = solved.clone();
        line[key] = value;
        it.assert_refused(at, &line, &[names]);
    }
    let (at, mut unsolved) = it.unsolved();
    unsolved["stop"] = "stopped".into();
    it.assert_refused(at, &unsolved, &["not finished"]);
}

#[test]
fn runs_that_were_not_planned_are_refused() {
    let it = Tampered::new();
    let (at, run) = it.unsolved();
    for (key, value) in [
        ("experiment", Value::from("0123456789abcdef")),
        ("contender", "nb-coin".into()),
        ("problem", "sd1".into()),
        ("run", 3.into()),
        ("run", 4_000_000_000_u32.into()),
        ("seed", 77.into()),
    ] {
        let mut line = run.clone();
        line[key] = value;
        it.assert_refused(at, &line, &[]);
        it.assert_refused(it.lines.len(), &line, &[]);
    }
}

#[test]
fn plans_that_were_changed_are_refused() {
    let it = Tampered::new();
    let header: Value = serde_json::from_str(&it.lines[0]).unwrap();
    let changed = |path: &str, value: Value| {
        let mut line = header.clone();
        *line.pointer_mut(path).unwrap() = value;
        line
    };
    let version = changed("/gpusudoku_results", 2.into());
    it.assert_refused(0, &version, &["version 2"]);
    it.assert_refused(0, &changed("/gpusudoku_results", "1".into()), &["version"]);
    it.assert_refused(0, &changed("/program", "0.0.9".into()), &["0.0.9"]);
    for (path, value) in [
        ("/design/runs", Value::from(4)),
        ("/design/seed", 2.into()),
        ("/design/time_limit", 5.0.into()),
        ("/design/contenders/0/pop", 99.into()),
        ("/design/contenders/0/params/elite", 51.into()),
        ("/design/problems/0/name", "hard-1".into()),
        ("/design/problems/0/puzzle", ".".repeat(81).into()),
        ("/experiment", "0123456789abcdef".into()),
    ] {
        it.assert_refused(0, &changed(path, value), &["somebody changed it"]);
    }
    // Another version in the middle is no better than at the top.
    it.assert_refused(it.lines.len(), &version, &["version 2"]);
    // And so is the plan of another experiment.
    let other = it.dir.at("other.jsonl");
    compare_into(&other, &[&SMALL[..], &["--seed", "9"]].concat()).expect(0);
    let other = read(&other);
    let (plan, run) = (other.lines().next().unwrap(), other.lines().nth(1).unwrap());
    for line in [plan, run] {
        let line = serde_json::from_str(line).unwrap();
        it.assert_refused(it.lines.len(), &line, &["experiment"]);
    }
}

#[test]
fn the_same_run_twice_is_told_and_two_results_of_it_are_refused() {
    let it = Tampered::new();
    let end = it.lines.len();
    let (at, run) = it.solved();
    let said = compare_into(&it.dir.at("finished.jsonl"), &SMALL).stdout;
    let file = it.with(end, &it.lines[at]);
    let reply = compare_into(&file, &SMALL).expect(0);
    assert_eq!(reply.stdout, said, "counted once");
    for place in [at + 1, end + 1] {
        let place = format!("tampered.jsonl:{place}");
        assert!(reply.stderr.contains(&place), "{reply:?}");
    }
    // Another machine needs another time.
    let mut slower = run.clone();
    slower["seconds"] = 1234.5.into();
    let file = it.with(end, &slower.to_string());
    assert_eq!(compare_into(&file, &SMALL).expect(0).stdout, said);
    for (key, value) in [
        ("population_hash", Value::from("0123456789abcdef")),
        ("generations", (count(&run, "generations") + 1).into()),
    ] {
        let mut line = run.clone();
        line[key] = value;
        let first = format!("tampered.jsonl:{}", at + 1);
        it.assert_refused(end, &line, &["another result", &first]);
    }
}

#[test]
fn damaged_lines_are_told_and_run_again() {
    let it = Tampered::new();
    let (at, run) = it.unsolved();
    let whole = timeless_runs(&it.dir.at("finished.jsonl"));
    let mut poor = run.clone();
    poor.as_object_mut().unwrap().remove("population_hash");
    let half = &it.lines[at][..it.lines[at].len() / 2];
    for (line, told) in [
        ("garbage", true),
        ("{}", true),
        (half, true),
        (&poor.to_string(), true),
        ("", false),
    ] {
        let file = it.with(at, line);
        let reply = compare_into(&file, &SMALL).expect(0);
        let place = format!("tampered.jsonl:{}:", at + 1);
        assert_eq!(reply.stderr.contains(&place), told, "{line}: {reply:?}");
        assert!(reply.stderr.contains("after 11 runs"), "{reply:?}");
        let added = run_lines(&file).pop().unwrap();
        let added: Value = serde_json::from_str(&added).unwrap();
        assert_eq!(timeless(&added), whole[&key(&run)]);
    }
}
