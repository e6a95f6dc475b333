//! Runs that are saved, ended in many ways, and taken up again.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::support::*;
use super::trace::timeless;

/// Everything of a run that does not depend on where and how long it ran.
#[track_caller]
pub fn same_end(one: &Value, other: &Value) {
    let keys = [
        "problem",
        "algo",
        "seed",
        "pop",
        "generations",
        "evaluations",
        "best_fitness",
        "solved",
        "solution",
        "population_hash",
        "params",
        "propagated",
        "deductions",
        "effective_generations",
        "false_zero",
        "goal",
        "stop",
    ];
    for key in keys {
        assert_eq!(one[key], other[key], "{key}: {one}, {other}");
    }
}

/// Goes on with a saved run on the native engine.
fn resume(file: &str, args: &[&str]) -> Reply {
    run_cpu(&[&["--resume", file], args].concat())
}

/// A problem and an algorithm that are not done in an instant.
const SLOW: [&str; 8] = [
    "sd3", "--algo", "ga", "--pop", "3000", "--seed", "5", "--quiet",
];

#[test]
fn every_algorithm_goes_on_where_it_was() {
    let dir = Dir::new();
    for algo in ALGORITHMS {
        let file = dir.at(algo);
        let settings = match algo {
            "memetic" => sets(&["steps=2", "cycle=5", "tabu=0.4"]),
            "packing" => sets(&["steps=2"]),
            "tabu" => sets(&["moves=3"]),
            // So that epochs are cut, too.
            "gpu-ga" => vec!["--set", "epoch=4"],
            _ => vec![],
        };
        let mut problems = vec!["sd2"];
        if FOR_QUEENS.contains(&algo) {
            problems.push("torus:14");
        }
        for problem in problems {
            let run = [&[problem, "--algo", algo, "--pop", "30"], &settings[..]].concat();
            let run = [&run[..], &["--set", "propagate=none"]].concat();
            let run: Vec<_> = match problem {
                "sd2" => run,
                _ => run[..run.len() - 2].to_vec(),
            };
            let whole = run_cpu(&[&run[..], &["--max-generations", "24"]].concat());
            let saving = ["--checkpoint", &file, "--max-generations", "8"];
            let begun = run_cpu(&[&run[..], &saving].concat());
            assert!(begun.code < 2, "{begun:?}");
            // From the eighth generation to the sixteenth, then to the end.
            let on = ["--max-generations", "16", "--checkpoint", &file];
            assert!(resume(&file, &on).code < 2);
            let end = resume(&file, &["--max-generations", "24", "--threads", "1"]);
            assert_eq!(end.code, whole.code, "{end:?}");
            same_end(&end.object(), &whole.object());
            fs::remove_file(&file).unwrap();
        }
    }
}

#[test]
fn a_finished_run_is_told_again_and_can_be_given_more() {
    let dir = Dir::new();
    let file = dir.at("run.ck");
    let run = [
        "easy-1",
        "--algo",
        "lsga",
        "--pop",
        "60",
        "--checkpoint",
        &file,
    ];
    let solved = run_cpu(&run).expect(0).object();
    let bytes = fs::read(&file).unwrap();
    let again = resume(&file, &[]).expect(0).object();
    same_end(&again, &solved);
    assert_eq!(again["solution"], known_as("easy-1").solution);
    assert_eq!(fs::read(&file).unwrap(), bytes, "--resume only reads");

    // What was saved is a budget as well; a new one replaces it.
    let spent = [
        "sd3",
        "--algo",
        "lsga",
        "--pop",
        "9",
        "--max-evaluations",
        "100",
    ];
    let spent = run_cpu(&[&spent[..], &["--checkpoint", &file, "--overwrite"]].concat());
    let spent = spent.expect(1).object();
    assert_eq!(spent["stop"], "evaluations");
    same_end(&resume(&file, &[]).expect(1).object(), &spent);
    let more = resume(&file, &["--max-evaluations", "200"])
        .expect(1)
        .object();
    let at_once = [
        "sd3",
        "--algo",
        "lsga",
        "--pop",
        "9",
        "--max-evaluations",
        "200",
    ];
    same_end(&more, &run_cpu(&at_once).expect(1).object());
}

#[test]
fn every_kind_of_problem_survives_a_file() {
    let dir = Dir::new();
    let six = dir.file(
        "six.txt",
        "1.....\n..2...\n...3..\n4.....\n.5....\n..6...\n",
    );
    let latin = dir.file("latin.txt", integers(5, |r, c| usize::from(r == c)));
    let sixteen = dir.file("sixteen.txt", blank(16));
    for problem in [
        &["--box", "3x2", &six][..],
        &["--latin", &latin],
        &[&sixteen],
        &["queens:12"],
        &["torus:12", "--algo", "cga"],
    ] {
        let file = dir.at("run.ck");
        let run = [problem, &["--pop", "4", "--seed", "18446744073709551615"]].concat();
        let saved = [&run[..], &["--checkpoint", &file, "--max-generations", "1"]].concat();
        assert!(run_cpu(&[&saved[..], &["--overwrite"]].concat()).code < 2);
        let whole = run_cpu(&[&run[..], &["--max-generations", "3"]].concat());
        let end = resume(&file, &["--max-generations", "3"]);
        assert_eq!(end.code, whole.code, "{end:?}");
        same_end(&end.object(), &whole.object());
    }
}

/// Starts a run that saves itself all the time, and waits until it has.
#[cfg(unix)]
fn start(file: &str, args: &[&str]) -> std::process::Child {
    let mut command = program();
    command.args(["run", "--backend", "cpu", "--format", "json"]);
    command.args(args);
    command.args(["--checkpoint", file, "--checkpoint-every", "0.02"]);
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !Path::new(file).exists() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "nothing is saved"
        );
        sleep(Duration::from_millis(2));
    }
    child
}

#[cfg(unix)]
#[test]
fn signals_end_a_run_with_its_last_checkpoint() {
    let dir = Dir::new();
    let limit = ["--max-generations", "300"];
    let whole = run_cpu(&[&SLOW[..], &limit].concat()).expect(1).object();
    for name in ["INT", "TERM"] {
        let file = dir.at(name);
        let child = start(&file, &[&SLOW[..], &limit].concat());
        sleep(Duration::from_millis(150));
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let ended: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(ended["stop"], "stopped");
        assert_eq!(output.stderr, b"");
        // The file is of the very generation that was reported.
        let now = resume(&file, &["--max-generations", "0"])
            .expect(1)
            .object();
        for key in [
            "generations",
            "population_hash",
            "best_fitness",
            "evaluations",
        ] {
            assert_eq!(now[key], ended[key]);
        }
        assert!(count(&ended, "generations") < 300, "{name} came too late");
        same_end(&resume(&file, &[]).expect(1).object(), &whole);
    }
}

/// Problems that end before anything is run are no reason to go on with the next one.
#[cfg(unix)]
#[test]
fn signals_end_many_problems_without_solutions() {
    use std::io::{BufRead as _, BufReader};
    let dir = Dir::new();
    const COUNT: usize = 20_000;
    // No digit is left for the last cell of the first row.
    let impossible = format!("12345678.........9{}\n", ".".repeat(63));
    let file = dir.file("impossible.sdm", impossible.repeat(COUNT));
    let mut child = program()
        .args(["run", &file, "--backend", "cpu"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(told.next().is_some());
    signal(&child, "INT");
    let more = told.count();
    assert!(more + 1 < COUNT, "all of them were told");
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn no_damaged_file_is_taken() {
    let dir = Dir::new();
    let file = dir.at("run.ck");
    let run = [
        "sd1",
        "--algo",
        "lsga",
        "--pop",
        "3",
        "--max-generations",
        "5",
    ];
    run_cpu(&[&run[..], &["--checkpoint", &file]].concat()).expect(1);
    let whole = fs::read(&file).unwrap();
    let refused = |bytes: &[u8]| {
        let bad = dir.file("bad.ck", bytes);
        let reply = resume(&bad, &[]).expect(2);
        let sentence = reply.sentence().to_owned();
        assert!(
            sentence.starts_with(&format!("cannot resume {bad}: ")),
            "{sentence}"
        );
        sentence
    };
    let foreign = "it is no checkpoint of gpusudoku";
    assert!(refused(b"").ends_with(foreign));
    assert!(refused(b"{\"gpusudoku_results\":1}\n").ends_with(foreign));
    assert!(refused(&[0; 1000]).ends_with(foreign));
    assert!(refused(&whole[..10]).contains("it is truncated"));
    assert!(refused(&whole[..30]).contains("it is truncated"));
    assert!(refused(&whole[..whole.len() - 1]).contains("it is truncated"));
    assert!(refused(&whole[..whole.len() / 2]).contains("it is truncated"));
    assert!(refused(&[&whole[..], b"\n"].concat()).contains("there is more in it"));
    let changed = |at: usize, byte: u8| {
        let mut bytes = whole.clone();
        bytes[at] ^= byte;
        bytes
    };
    assert!(refused(&changed(5, 1)).ends_with(foreign));
    assert!(refused(&changed(20, 1)).contains("its format is version 3"));
    // It promises terabytes; and here they are, if only as a hole.
    let vast = changed(29, 0x02);
    assert!(refused(&vast).contains("it is truncated"));
    let hole = dir.file("hole.ck", &vast);
    let file = fs::OpenOptions::new().append(true).open(&hole).unwrap();
    // Not every file system has room for a hole.
    if file.set_len(8 << 40).is_ok() {
        let reply = resume(&hole, &[]).expect(2);
        assert!(reply.sentence().contains("more than there is memory"));
    }
    for at in [40, whole.len() / 2, whole.len() - 1] {
        assert!(
            refused(&changed(at, 0x10)).contains("it is damaged"),
            "{at}"
        );
    }
    let nowhere = resume(&dir.at("nowhere"), &[]).expect(2);
    assert!(nowhere.sentence().starts_with("cannot resume "));
    let folder = resume(&dir.at(""), &[]).expect(2);
    assert!(folder.sentence().ends_with("it is a directory"));
}

#[test]
fn what_a_checkpoint_tells_cannot_be_told_otherwise() {
    let dir = Dir::new();
    let file = dir.at("run.ck");
    run_cpu(&["easy-1", "--checkpoint", &file]).expect(0);
    for other in [
        &["sd2"][..],
        &["--algo", "lsga"],
        &["--pop", "9"],
        &["--seed", "1"],
        &["--set", "moves=1"],
        &["--runs", "2"],
        &["--latin"],
    ] {
        let refused = resume(&file, other).expect(2);
        assert!(refused.stderr.contains("--resume"), "{refused:?}");
        assert_eq!(refused.stdout, "");
    }
    let several = run_cpu(&["sd1", "--runs", "2", "--checkpoint", &file]).expect(2);
    assert!(
        several
            .sentence()
            .starts_with("--checkpoint is for one run")
    );
    for every in ["-1", "nan", "1e99", "x"] {
        let args = ["sd1", "--checkpoint", &file, "--checkpoint-every", every];
        run_cpu(&args).expect(2);
    }
    run_cpu(&["sd1", "--checkpoint-every", "3"]).expect(2);
}

#[test]
fn a_file_that_cannot_be_written_ends_the_run_before_it_begins() {
    let dir = Dir::new();
    let nowhere = dir.at("no/such/folder/run.ck");
    for path in [nowhere.as_str(), &dir.at(""), "/dev/null"] {
        if !cfg!(unix) && path == "/dev/null" {
            continue;
        }
        let refused = call(&["run", "sd3", "--backend", "cpu", "--checkpoint", path]).expect(2);
        let sentence = refused.sentence();
        assert!(
            sentence.starts_with(&format!("cannot write {path}: ")),
            "{refused:?}"
        );
    }
    assert!(!Path::new("/dev/null").is_file());
    // A file of another kind is replaced only by a whole one, and nothing is left beside it.
    let file = dir.file("run.ck", "something else");
    run_cpu(&["easy-1", "--checkpoint", &file, "--overwrite"]).expect(0);
    resume(&file, &[]).expect(0);
    let names: Vec<_> = fs::read_dir(dir.path()).unwrap().collect();
    assert_eq!(names.len(), 1, "{names:?}");
}

#[test]
fn a_trace_goes_on_with_its_run() {
    let dir = Dir::new();
    let (file, whole, parts) = (dir.at("run.ck"), dir.at("whole.csv"), dir.at("parts.csv"));
    let run = ["sd3", "--algo", "lsga", "--pop", "20"];
    let limit = |n| ["--max-generations", n];
    run_cpu(&[&run[..], &limit("30"), &["--trace", &whole]].concat()).expect(1);
    let begin = ["--trace", &parts, "--checkpoint", &file];
    run_cpu(&[&run[..], &limit("12"), &begin].concat()).expect(1);
    // A run that was killed has rows beyond its checkpoint, and a torn one.
    let mut text = fs::read_to_string(&parts).unwrap();
    let beyond = "\"sd3\",1,13,1,1.0,1,0.5,3,breed,lsga,280,0.1\n";
    let other = "\"sd3\",1,12,1,1.0,1,0.5,3,breed,ga,280,0.1\n";
    let torn = "\"sd3\",1,12,1,1.0,1,0.5,3,breed,lsga,26";
    for more in [beyond, other, torn, "\"sd3\",1,1"] {
        text.push_str(more);
        fs::write(&parts, &text).unwrap();
        resume(&file, &[&limit("30")[..], &["--trace", &parts]].concat()).expect(1);
        assert_eq!(timeless(&parts), timeless(&whole));
        text.truncate(text.len() - more.len());
    }
}

/// A trace begins with an empty file: that of the run would be gone.
#[test]
fn a_trace_does_not_overwrite_its_run() {
    let dir = Dir::new();
    let file = dir.at("run.ck");
    let run = ["sd3", "--algo", "lsga", "--pop", "20"];
    let run = [&run[..], &["--max-generations", "3", "--checkpoint", &file]].concat();
    let folder = dir.path().file_name().unwrap().to_str().unwrap();
    let roundabout = dir.at(&format!("../{folder}/run.ck"));
    let refused = run_cpu(&[&run[..], &["--trace", &file]].concat()).expect(2);
    assert!(
        refused
            .sentence()
            .ends_with("both a trace and a checkpoint")
    );
    assert!(!Path::new(&file).exists());
    run_cpu(&run).expect(1);
    let saved = fs::read(&file).unwrap();
    for trace in [&file, &roundabout] {
        resume(&file, &["--trace", trace]).expect(2);
        assert!(fs::read(&file).unwrap() == saved);
    }
}

/// What is written first, beside the file, must not be written to where a link leads, nor wait for the
/// reader of a pipe.
#[cfg(unix)]
#[test]
fn nothing_else_is_written_in_place_of_a_checkpoint() {
    let dir = Dir::new();
    let (file, beside) = (dir.at("run.ck"), dir.at("run.ck.tmp"));
    let valued = dir.file("valued", "something else");
    let refused = || {
        let refused = run_cpu(&["easy-1", "--checkpoint", &file]).expect(2);
        let start = format!("cannot write {file}: ");
        assert!(refused.sentence().starts_with(&start), "{refused:?}");
    };
    std::os::unix::fs::symlink(&valued, &beside).unwrap();
    refused();
    assert_eq!(fs::read_to_string(&valued).unwrap(), "something else");
    fs::remove_file(&beside).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&beside).status();
    assert!(made.unwrap().success());
    refused();
    fs::remove_file(&beside).unwrap();
    // A link that leads nowhere yet stays a link.
    std::os::unix::fs::symlink(dir.at("elsewhere"), &file).unwrap();
    refused();
    assert!(Path::new(&file).is_symlink());
    fs::write(dir.at("elsewhere"), "").unwrap();
    run_cpu(&["easy-1", "--checkpoint", &file]).expect(0);
    assert!(Path::new(&file).is_symlink());
    resume(&dir.at("elsewhere"), &[]).expect(0);
}

#[test]
fn a_limit_of_time_is_for_the_part_that_begins() {
    let dir = Dir::new();
    let file = dir.at("run.ck");
    // Nobody solves this in so little time, however fast the engine is.
    let puzzle = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/puzzles/generated/25x25-40.txt"
    );
    let run = [puzzle, "--algo", "lsga", "--pop", "50"];
    let limit = ["--time-limit", "0.2", "--checkpoint", &file];
    let first = run_cpu(&[&run[..], &limit].concat()).expect(1).object();
    assert_eq!(first["stop"], "time");
    let again = resume(&file, &[]).expect(1).object();
    assert_eq!(
        again["generations"], first["generations"],
        "no time is left"
    );
    let seconds = |run: &Value| run["seconds"].as_f64().unwrap();
    // The time before does not count, but is told; the command itself goes on in the same way.
    let again = [&run[..], &limit].concat();
    let on = [
        "--resume",
        &file,
        "--time-limit",
        "0.2",
        "--checkpoint",
        &file,
    ];
    let mut last = first;
    for args in [&on[..], &again, &on] {
        let more = run_cpu(args).expect(1).object();
        assert_eq!(more["stop"], "time");
        assert!(count(&more, "generations") > count(&last, "generations"));
        assert!(seconds(&more) >= seconds(&last) + 0.2, "{last}, {more}");
        last = more;
    }
    // What was left of it is a limit as well.
    let none = resume(&file, &[]).expect(1).object();
    assert_eq!(none["generations"], last["generations"], "no time is left");
}
