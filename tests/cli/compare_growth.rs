//! Experiments that grow: more runs, algorithms and problems in the same file, and reports of several files.

use std::collections::BTreeMap;

use serde_json::Value;

use super::lab::*;
use super::support::*;

/// The options of an experiment of that size.
fn plan<'a>(algos: &'a str, problems: &'a str, runs: &'a str) -> Vec<&'a str> {
    vec![
        "--algo",
        algos,
        "--problem",
        problems,
        "--runs",
        runs,
        "--pop",
        "12",
        "--budget",
        "generations=25",
    ]
}

/// All runs of a file without what depends on the machine, and on the plan that they were run for.
#[track_caller]
fn planless_runs(file: &str) -> BTreeMap<Key, Value> {
    let mut runs = timeless_runs(file);
    for run in runs.values_mut() {
        run.as_object_mut().unwrap().remove("experiment").unwrap();
    }
    runs
}

/// Grows an experiment by further commands, and compares with one that was whole from the beginning.
#[track_caller]
fn assert_grows(commands: &[Vec<&str>], whole: &[&str]) {
    let dir = Dir::new();
    let file = dir.at("grown.jsonl");
    let mut before = String::new();
    for command in commands {
        compare_into(&file, command).expect(0);
        let now = read(&file);
        assert!(now.starts_with(&before), "what was there is changed");
        before = now;
    }
    let fresh = dir.at("fresh.jsonl");
    compare_into(&fresh, whole).expect(0);
    assert_eq!(planless_runs(&file), planless_runs(&fresh));
    // The whole experiment has nothing left to run, and says the same, whatever was first.
    let json = [whole, &["--format", "json"]].concat();
    let [grown, fresh] = [&file, &fresh].map(|file| compare_into(file, &json).expect(0).object());
    assert_eq!(read(&file), before);
    assert_eq!(grown["contenders"], fresh["contenders"]);
    assert_eq!(grown["problems"], fresh["problems"]);
    assert_eq!(grown["pairs"], fresh["pairs"]);
    assert_eq!(grown["ranking"], fresh["ranking"]);
    assert_eq!(grown["experiment"], fresh["experiment"]);
}

#[test]
fn an_experiment_grows_by_runs_algorithms_and_problems() {
    let small = plan("lsga,ga", "easy-1,easy-11", "3");
    let runs = plan("lsga,ga", "easy-1,easy-11", "5");
    let algos = plan("lsga,ga,nb-coin", "easy-1,easy-11", "5");
    let problems = plan("lsga,ga,nb-coin", "easy-1,easy-11,sd1", "5");
    assert_grows(&[small.clone(), runs.clone()], &runs);
    assert_grows(&[small.clone(), runs, algos, problems.clone()], &problems);
    assert_grows(&[small.clone(), problems.clone()], &problems);
    // The new one alone is enough.
    let only = plan("nb-coin", "easy-1,easy-11", "3");
    let three = plan("lsga,ga,nb-coin", "easy-1,easy-11", "3");
    assert_grows(&[small, only], &three);
}

#[test]
fn only_what_is_new_is_run() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    compare_into(&file, &plan("lsga,ga", "easy-1", "3")).expect(0);
    let reply = compare_into(&file, &plan("lsga,ga", "easy-1", "5")).expect(0);
    assert!(reply.stderr.contains("goes on after 6 runs"), "{reply:?}");
    let new: Vec<_> = runs(&file).split_off(6).iter().map(key).collect();
    assert_eq!(new.len(), 4);
    assert!(new.iter().all(|(_, _, run)| *run >= 3), "{new:?}");
}

/// A part of what is there: told with all of it, and nothing is written.
#[test]
fn fewer_runs_algorithms_or_problems_change_nothing() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    let whole = plan("lsga,ga", "easy-1,easy-11", "3");
    let said = compare_into(&file, &whole).expect(0).stdout;
    let before = read(&file);
    for less in [
        plan("ga,lsga", "easy-1,easy-11", "3"),
        plan("ga", "easy-1,easy-11", "3"),
        plan("lsga,ga", "easy-11", "3"),
        plan("lsga", "easy-1", "1"),
    ] {
        let reply = compare_into(&file, &less).expect(0);
        assert_eq!(reply.stdout, said, "{less:?}");
        assert_eq!(read(&file), before, "{less:?}");
    }
}

/// A file that lacks runs gets those of the command, under a plan of its own.
#[test]
fn a_part_of_an_unfinished_experiment_can_be_run() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    compare_into(&file, &plan("lsga,ga", "easy-1", "4")).expect(0);
    let lines: Vec<String> = read(&file).lines().map(str::to_owned).collect();
    let file = dir.file("cut.jsonl", lines[..3].join("\n") + "\n");
    compare_into(&file, &plan("ga", "easy-1", "4")).expect(0);
    let of_ga = |(contender, ..): &&Key| contender == "ga";
    assert_eq!(planless_runs(&file).keys().filter(of_ga).count(), 4);
    compare_into(&file, &plan("lsga,ga", "easy-1", "4")).expect(0);
    assert_eq!(
        planless_runs(&file),
        planless_runs(&dir.at("results.jsonl"))
    );
}

fn report(files: &[&str], page: &str) -> Reply {
    call(&[&["report"], files, &["--out", page]].concat())
}

#[test]
fn reports_join_files_of_one_growing_experiment() {
    let dir = Dir::new();
    let small = dir.at("small.jsonl");
    compare_into(&small, &plan("lsga,ga", "easy-1", "3")).expect(0);
    let wide = dir.at("wide.jsonl");
    compare_into(&wide, &plan("lsga,ga,nb-coin", "easy-1,easy-11", "4")).expect(0);
    let mut shards = Vec::new();
    for shard in ["1/2", "2/2"] {
        let file = dir.at(&shard.replace('/', "-of-"));
        let args = plan("lsga,ga,nb-coin", "easy-1,easy-11", "6");
        compare_into(&file, &[&args[..], &["--shard", shard]].concat()).expect(0);
        shards.push(file);
    }
    let page = dir.at("page.html");
    // Each has some that others have, too: counted once, and said.
    let all = [&*wide, &small, &shards[0], &shards[1]];
    let reply = report(&all, &page).expect(0);
    assert!(reply.stdout.contains("a page of 36 runs"), "{reply:?}");
    assert!(!reply.stderr.contains("missing"), "{reply:?}");
    assert!(reply.stderr.contains("counted once"), "{reply:?}");
    let text = read(&page);
    assert!(text.contains("36 of 36 planned runs"));
    // Without a part, what only it has is missing.
    let reply = report(&[&wide, &shards[0]], &page).expect(0);
    assert!(reply.stdout.contains("a page of 30 runs"), "{reply:?}");
    let told = "6 of 36 planned runs are missing";
    assert!(reply.stderr.contains(told), "{reply:?}");
    let gap = "nb-coin on easy-11: 1 of 6 runs";
    assert!(reply.stderr.contains(gap), "{reply:?}");
}

/// Nobody has planned the one contender on the other's problem.
#[test]
fn what_was_never_planned_is_not_missing() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    compare_into(&file, &plan("lsga,ga", "easy-1", "3")).expect(0);
    compare_into(&file, &plan("nb-coin", "easy-11", "2")).expect(0);
    let page = dir.at("page.html");
    let reply = report(&[&file], &page).expect(0);
    assert_eq!(reply.stderr, "");
    let text = read(&page);
    assert!(text.contains("8 of 8 planned runs"));
    assert!(text.contains("Up to 3 runs of each contender on each problem"));
}

#[test]
fn reports_name_what_cannot_be_joined() {
    let dir = Dir::new();
    let file = dir.at("one.jsonl");
    compare_into(&file, &plan("lsga", "easy-1", "2")).expect(0);
    for (change, value, told) in [
        (
            "--seed",
            "9",
            "the seed of the first run is 1 there and 9 here",
        ),
        (
            "--pop",
            "13",
            "the population of lsga is 12 there and 13 here",
        ),
        (
            "--budget",
            "generations=26",
            "the budget of generations of lsga is 25 there and 26 here",
        ),
    ] {
        let mut args = plan("lsga", "easy-1", "2");
        match args.iter().position(|it| *it == change) {
            Some(at) => args[at + 1] = value,
            None => args.extend([change, value]),
        }
        let other = dir.at("other.jsonl");
        compare_into(&other, &args).expect(0);
        let reply = report(&[&file, &other], &dir.at("page.html")).expect(2);
        let sentence = reply.sentence();
        assert!(sentence.contains("other.jsonl:1:"), "{sentence}");
        assert!(sentence.contains("different experiments"), "{sentence}");
        assert!(sentence.ends_with(told), "{sentence}");
        std::fs::remove_file(&other).unwrap();
    }
}

/// A run has to be in the plan that it was run for, not only in one that came later.
#[test]
fn runs_that_a_later_plan_has_are_not_those_of_an_earlier_one() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    compare_into(&file, &plan("lsga", "easy-1", "2")).expect(0);
    compare_into(&file, &plan("lsga", "easy-1", "3")).expect(0);
    let text = read(&file);
    let lines: Vec<&str> = text.lines().collect();
    let plan_of = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        word(&value, "experiment").to_owned()
    };
    let [first, second] = [plan_of(lines[0]), plan_of(lines[3])];
    assert_ne!(first, second);
    let last = lines[4].replace(&second, &first);
    let tampered = [&lines[..4], &[&last]].concat().join("\n");
    let file = dir.file("tampered.jsonl", tampered);
    let reply = report(&[&file], &dir.at("page.html")).expect(2);
    let sentence = reply.sentence();
    assert!(sentence.contains("not in the plan of"), "{sentence}");
}

#[test]
fn every_line_says_what_it_is_and_older_ones_need_not() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    let small = plan("lsga,ga", "easy-1", "3");
    let said = compare_into(&file, &small).expect(0).stdout;
    let text = read(&file);
    let kinds: Vec<String> = text
        .lines()
        .map(|line| word(&serde_json::from_str(line).unwrap(), "kind").to_owned())
        .collect();
    assert_eq!(kinds[0], "plan");
    assert!(kinds[1..].iter().all(|kind| kind == "run"), "{kinds:?}");

    let old = text
        .replace("\"kind\":\"plan\",", "")
        .replace("\"kind\":\"run\",", "");
    assert!(old.starts_with("{\"gpusudoku_results\":"));
    let file = dir.file("old.jsonl", &old);
    let reply = compare_into(&file, &small).expect(0);
    assert_eq!(reply.stdout, said);
    assert_eq!(read(&file), old);
    report(&[&file], &dir.at("page.html")).expect(0);
    compare_into(&file, &plan("lsga,ga", "easy-1", "4")).expect(0);
    assert!(read(&file).starts_with(&old));
    // The beginning of an older plan is still known to be ours.
    let cut = dir.file("cut.jsonl", &old[..200]);
    compare_into(&cut, &small).expect(0);
    assert_eq!(run_lines(&cut).len(), 6);
    // A run that calls itself something else is none.
    let odd = text.replacen("\"kind\":\"run\"", "\"kind\":\"walk\"", 1);
    let odd = dir.file("odd.jsonl", odd);
    let reply = report(&[&odd], &dir.at("page.html")).expect(0);
    assert!(reply.stderr.contains("odd.jsonl:2: cut off or damaged"));
}

/// Tables share a file, and each is told with its own problems and runs.
#[test]
fn several_tables_can_be_reproduced_into_one_file() {
    let dir = Dir::new();
    let file = dir.at("tables.jsonl");
    let table = |name: &str, runs: &str, out: &[&str]| {
        let args = ["reproduce", name, "--runs", runs, "--format", "json"];
        let mut object = call(&[&args[..], out].concat()).expect(0).object();
        for row in object["rows"].as_array_mut().unwrap() {
            if let Some(measured) = row["measured"].as_object_mut() {
                measured.remove("seconds").unwrap();
            }
        }
        object
    };
    let out = ["--out", file.as_str()];
    table("nb-coin-2", "2", &out);
    for (name, runs) in [("lsga-2", "1"), ("nb-coin-2", "1"), ("nb-coin-2", "2")] {
        assert_eq!(table(name, runs, &out), table(name, runs, &[]), "{name}");
    }
}
