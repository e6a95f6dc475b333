//! `--checkpoint` where a file is there already: the same run goes on, any other is spared.

use std::fs;

use super::checkpoint::same_end;
use super::support::*;
use super::trace::timeless;

const RUN: [&str; 5] = ["sd3", "--algo", "lsga", "--pop", "20"];

fn limit(generations: &str) -> [&str; 2] {
    ["--max-generations", generations]
}

/// A run with a checkpoint and these further arguments.
fn save(file: &str, args: &[&str]) -> Reply {
    run_cpu(&[&RUN[..], &["--checkpoint", file], args].concat())
}

/// What is said of a run that goes on.
fn going_on(file: &str, generation: u32) -> String {
    format!(
        "{file}: going on from generation {generation} of this run; --overwrite would begin anew\n"
    )
}

#[test]
fn the_same_command_goes_on_and_says_so() {
    let dir = Dir::new();
    let (file, parts, whole) = (dir.at("run.ck"), dir.at("parts.csv"), dir.at("whole.csv"));
    let first = save(&file, &[&limit("12")[..], &["--trace", &parts]].concat()).expect(1);
    assert_eq!(first.stderr, "");
    let at_once = [&RUN[..], &limit("30"), &["--trace", &whole]].concat();
    let at_once = run_cpu(&at_once).expect(1).object();
    let rest = save(&file, &[&limit("30")[..], &["--trace", &parts]].concat()).expect(1);
    assert_eq!(rest.stderr, going_on(&file, 12));
    same_end(&rest.object(), &at_once);
    // A trace goes on as well.
    assert_eq!(timeless(&parts), timeless(&whole));
    // The end is told again, and nothing is lost by asking.
    let saved = fs::read(&file).unwrap();
    let again = save(&file, &limit("30")).expect(1);
    assert_eq!(again.stderr, going_on(&file, 30));
    same_end(&again.object(), &at_once);
    let now = run_cpu(&["--resume", &file]).expect(1).object();
    same_end(&now, &at_once);
    assert_eq!(fs::read(&file).unwrap().len(), saved.len());
}

/// The budget is that of the command, as it names everything else, too.
#[test]
fn a_run_that_goes_on_has_the_budget_of_its_command() {
    let dir = Dir::new();
    let file = dir.at("run.ck");
    save(&file, &["--max-evaluations", "100"]).expect(1);
    let more = save(&file, &limit("40")).expect(1);
    assert!(more.stderr.starts_with(&file), "{more:?}");
    let more = more.object();
    assert_eq!(
        (count(&more, "generations"), &more["stop"]),
        (40, &"generations".into())
    );
    // Parameters that are the defaults are the same run, and so is another engine.
    let more = save(
        &file,
        &[&limit("41")[..], &["--seed", "1", "--threads", "1"]].concat(),
    );
    assert_eq!(more.stderr, going_on(&file, 40));
}

#[cfg(unix)]
#[test]
fn an_interrupted_command_is_repeated() {
    let dir = Dir::new();
    let file = dir.at("run.ck");
    let run = ["sd3", "--algo", "ga", "--pop", "3000", "--seed", "5"];
    let run = [&run[..], &limit("120")].concat();
    let whole = run_cpu(&run).expect(1).object();
    let saved = [&run[..], &["--checkpoint", &file]].concat();
    let mut command = program();
    command.args(["run", "--backend", "cpu", "--format", "json"]);
    let child = command
        .args(&saved)
        .stdout(std::process::Stdio::piped())
        .spawn();
    let child = child.unwrap();
    while !fs::exists(&file).unwrap() {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    signal(&child, "INT");
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(1));
    let rest = run_cpu(&saved).expect(1);
    assert!(
        rest.stderr.contains("going on from generation "),
        "{rest:?}"
    );
    same_end(&rest.object(), &whole);
}

#[test]
fn another_run_is_refused_and_spared() {
    let dir = Dir::new();
    let file = dir.at("run.ck");
    save(&file, &limit("7")).expect(1);
    let saved = fs::read(&file).unwrap();
    for (other, what) in [
        (&["sd2", "--algo", "lsga", "--pop", "20"][..], "problem"),
        (&["queens:9", "--pop", "20"], "problem"),
        (&["sd3", "--algo", "ga", "--pop", "20"], "algorithm"),
        (&["sd3", "--pop", "20"], "algorithm"),
        (&["sd3", "--algo", "lsga", "--pop", "21"], "population"),
        (&["sd3", "--algo", "lsga"], "population"),
        (&[&RUN[..], &["--seed", "2"]].concat(), "seed"),
        (&[&RUN[..], &["--set", "elite=0"]].concat(), "parameter"),
        (
            &[&RUN[..], &["--set", "propagate=singles"]].concat(),
            "parameter",
        ),
    ] {
        let refused = run_cpu(&[other, &["--checkpoint", &file]].concat()).expect(2);
        let start = format!("{file} has generation 7 of another run, with another {what}; ");
        assert!(refused.sentence().starts_with(&start), "{refused:?}");
        assert!(fs::read(&file).unwrap() == saved, "{other:?}");
    }
    // Whoever wants it can have it.
    let other = ["sd2", "--checkpoint", &file, "--overwrite"];
    let reply = run_cpu(&other).expect(0);
    assert_eq!(reply.stderr, "");
    let now = run_cpu(&["--resume", &file]).expect(0).object();
    assert_eq!(now["problem"], "sd2");
}

#[test]
fn overwriting_begins_anew() {
    let dir = Dir::new();
    let file = dir.at("run.ck");
    save(&file, &limit("7")).expect(1);
    let reply = save(&file, &[&limit("3")[..], &["--overwrite"]].concat()).expect(1);
    assert_eq!(reply.stderr, "");
    assert_eq!(count(&reply.object(), "generations"), 3);
    let now = run_cpu(&["--resume", &file]).expect(1).object();
    assert_eq!(count(&now, "generations"), 3);
    run_cpu(&["sd3", "--overwrite"]).expect(2);
}

#[test]
fn what_is_no_whole_checkpoint_is_refused_and_spared() {
    let dir = Dir::new();
    let file = dir.at("run.ck");
    save(&file, &limit("7")).expect(1);
    let whole = fs::read(&file).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    for (bytes, why) in [
        (&b"my thesis\n"[..], "it is no checkpoint of gpusudoku"),
        (&whole[..whole.len() / 2], "it is truncated"),
        (&flipped, "it is damaged"),
    ] {
        fs::write(&file, bytes).unwrap();
        let refused = save(&file, &limit("7")).expect(2);
        let start =
            format!("{file} would be overwritten, and is no checkpoint to go on from: {why}");
        assert!(refused.sentence().starts_with(&start), "{refused:?}");
        assert!(
            refused.sentence().ends_with(" or --overwrite"),
            "{refused:?}"
        );
        assert!(fs::read(&file).unwrap() == bytes);
    }
    let reply = save(&file, &[&limit("7")[..], &["--overwrite"]].concat()).expect(1);
    assert_eq!(reply.stderr, "");
    run_cpu(&["--resume", &file]).expect(1);
    // With an empty file nothing is lost.
    fs::write(&file, "").unwrap();
    assert_eq!(save(&file, &limit("7")).expect(1).stderr, "");
    assert!(fs::read(&file).unwrap().len() > 100);
}

/// A puzzle is what it is, wherever it was read.
#[test]
fn the_same_puzzle_elsewhere_is_the_same_run() {
    let dir = Dir::new();
    let file = dir.at("run.ck");
    let known = known_as("sd3").puzzle;
    let elsewhere = dir.file("puzzle.sdk", known);
    save(&file, &limit("3")).expect(1);
    for problem in [known, &elsewhere] {
        let run = [&[problem], &RUN[1..], &limit("3"), &["--checkpoint", &file]].concat();
        let reply = run_cpu(&run).expect(1);
        assert_eq!(reply.stderr, going_on(&file, 3));
        assert_eq!(reply.object()["problem"], "sd3");
    }
    // As a Latin square it is another one.
    let latin = [&[known, "--latin"], &RUN[1..], &["--checkpoint", &file]].concat();
    let refused = run_cpu(&latin).expect(2);
    assert!(
        refused.sentence().contains("another problem"),
        "{refused:?}"
    );
}

/// A run that is taken up elsewhere may not destroy what is further.
#[test]
fn a_resumed_run_spares_other_files_as_well() {
    let dir = Dir::new();
    let (old, new, other) = (dir.at("old.ck"), dir.at("new.ck"), dir.at("other.ck"));
    save(&old, &limit("3")).expect(1);
    save(&new, &limit("9")).expect(1);
    run_cpu(&["easy-1", "--checkpoint", &other]).expect(0);
    let resume = |from: &str, to: &str, more: &[&str]| {
        let args = ["--resume", from, "--checkpoint", to];
        run_cpu(&[&args[..], more, &limit("10")].concat())
    };
    let refused = resume(&old, &new, &[]).expect(2);
    let start =
        format!("{new} has generation 9 of this run, and it would go on from generation 3;");
    assert!(refused.sentence().starts_with(&start), "{refused:?}");
    let refused = resume(&old, &other, &[]).expect(2);
    assert!(refused.sentence().contains("of another run"), "{refused:?}");
    // What is behind is replaced, and so is what was read.
    assert_eq!(resume(&new, &old, &[]).expect(1).stderr, "");
    assert_eq!(resume(&new, &new, &[]).expect(1).stderr, "");
    assert_eq!(resume(&new, &other, &["--overwrite"]).expect(1).stderr, "");
}

#[test]
fn as_many_as_fit_are_as_many_as_there_are() {
    let dir = Dir::new();
    let file = dir.at("run.ck");
    save(&file, &limit("2")).expect(1);
    let auto = [
        "sd3",
        "--algo",
        "lsga",
        "--pop",
        "auto",
        "--checkpoint",
        &file,
    ];
    let reply = run_cpu(&[&auto[..], &limit("4")].concat()).expect(1);
    assert_eq!(reply.stderr, going_on(&file, 2));
    assert_eq!(count(&reply.object(), "pop"), 20);
}
