//! What `compare` refuses before anything is run or written.

use std::fs;

use super::lab::*;
use super::support::*;

/// Refused in an empty folder, which is as empty afterwards.
#[track_caller]
fn refused(args: &[&str], code: i32) -> Reply {
    let dir = Dir::new();
    let mut command = compare_program();
    command.current_dir(dir.path()).args(args);
    let reply = answer(command, b"").expect(code);
    assert_eq!(reply.stdout, "", "{args:?}");
    assert!(!reply.stderr.trim().is_empty(), "{args:?}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "{args:?}");
    reply
}

#[test]
fn impossible_experiments_are_named() {
    let easy = ["--algo", "lsga", "--problem", "easy-1"];
    for (args, names) in [
        (
            &["--algo", "nope", "--problem", "easy-1"][..],
            &["nope", "memetic", "lsga"][..],
        ),
        (&["--algo", "lsga,", "--problem", "easy-1"], &["\"\""]),
        (
            &["--algo", "lsga:nope=1", "--problem", "easy-1"],
            &["lsga", "nope", "elite"],
        ),
        (
            &["--algo", "lsga:pc1=2", "--problem", "easy-1"],
            &["pc1", "2", "from 0 to 1"],
        ),
        (
            &["--algo", "lsga:elite", "--problem", "easy-1"],
            &["elite", "key=value"],
        ),
        (
            &["--algo", "lsga:pop=0", "--problem", "easy-1"],
            &["pop", "0", "whole number"],
        ),
        (
            &["--algo", "lsga,nb-coin,lsga", "--problem", "easy-1"],
            &["--algo", "lsga", "twice"],
        ),
        (
            &["--algo", "lsga", "--problem", "sd1,easy-1,sd1"],
            &["--problem", "sd1", "twice"],
        ),
        (
            &["--algo", "lsga", "--problem", "sd2,ai-escargot"],
            &["--problem", "sd2", "twice"],
        ),
        (
            &[&easy[..], &["--backend", "cpu,cpu"]].concat(),
            &["lsga/cpu", "twice"],
        ),
        (
            &["--algo", "hgasa,lsga", "--problem", "easy-1,queens:8"],
            &["lsga", "queens:8"],
        ),
        (
            &["--algo", "memetic", "--problem", "torus:7"],
            &["memetic", "torus:7"],
        ),
        (
            &["--algo", "lsga", "--problem", "nosuch-1"],
            &["nosuch-1", "no such file"],
        ),
        (
            &["--algo", "lsga", "--problem", "11.............."],
            &["contradict", "row 1"],
        ),
        (&["--algo", "hgasa", "--problem", "queens:3"], &["queens:3"]),
    ] {
        let reply = refused(args, 2);
        for name in names {
            assert!(reply.sentence().contains(name), "{name}: {reply:?}");
        }
    }
}

#[test]
fn puzzles_without_a_solution_exit_with_1_and_name_the_contradiction() {
    let dir = Dir::new();
    let impossible = "123....4........";
    let file = dir.file("impossible.txt", impossible);
    for problem in [impossible, &file] {
        for algo in ["memetic", "ah-lsga", "lsga,lsga:propagate=singles"] {
            let problems = format!("easy-1,{problem}");
            let reply = refused(&["--algo", algo, "--problem", &problems], 1);
            let sentence = reply.sentence();
            assert!(sentence.contains("no solution"), "{sentence}");
            assert!(sentence.contains("box 1"), "{sentence}");
            assert!(problem == impossible || sentence.contains(&file));
        }
    }
}

#[test]
fn impossible_budgets_are_named() {
    for limits in [
        "seconds=-1",
        "seconds=nan",
        "seconds=inf",
        "seconds=1e10",
        "evaluations=0.5",
        "evaluations=0",
        "evaluations=-3",
        "evaluations=1e30",
        "evaluations=",
        "generations=0",
        "generations=1.5",
        "generations=4294967296",
        "nonsense",
        "nonsense=1",
        "=1",
        "",
        "10",
        "generations=5,nonsense",
    ] {
        let args = ["--algo", "lsga", "--problem", "easy-1", "--budget", limits];
        let reply = refused(&args, 2);
        let sentence = reply.sentence();
        let named = limits.split(',').any(|it| sentence.contains(it));
        assert!(named && sentence.contains("--budget"), "{reply:?}");
    }
}

#[test]
fn usage_errors_exit_with_2() {
    let easy = ["--algo", "lsga", "--problem", "easy-1"];
    for args in [
        &[][..],
        &["--algo", "lsga"],
        &["--problem", "easy-1"],
        &["--algo", "", "--problem", "easy-1"],
        &["--algo", "lsga", "--problem", ""],
    ] {
        refused(args, 2);
    }
    for (option, values) in [
        ("--runs", &["0", "-1", "x", "1.5", "99999999999"][..]),
        (
            "--shard",
            &[
                "0/3",
                "4/3",
                "x",
                "",
                "1",
                "1/0",
                "0/0",
                "1/2/3",
                "1/99999999999",
            ],
        ),
        ("--pop", &["0", "-1", "x"]),
        ("--seed", &["-1", "x", "18446744073709551616"]),
        ("--backend", &["auto", "abacus", "cpu,abacus"]),
        ("--by", &["money", ""]),
        ("--jobs", &["0", "x"]),
        ("--threads", &["0", "x"]),
        ("--format", &["yaml", "irace"]),
        ("--out", &[""]),
    ] {
        for value in values {
            let option = format!("{option}={value}");
            refused(&[&easy[..], &[&option]].concat(), 2);
        }
    }
    let reply = refused(&[&easy[..], &["--bogus"]].concat(), 2);
    assert!(reply.stderr.contains("--bogus"), "{reply:?}");
}

#[test]
fn files_that_cannot_be_written_are_named() {
    let dir = Dir::new();
    let folder = dir.path().to_str().unwrap().to_owned();
    let mut places = vec![folder, dir.at("missing/results.jsonl")];
    if cfg!(target_os = "linux") {
        places.push("/dev/full".to_owned());
    }
    for place in places {
        let args = ["--algo", "lsga", "--problem", "easy-1", "--runs", "2"];
        let reply = refused(&[&args[..], &["--out", &place]].concat(), 2);
        assert!(reply.sentence().contains(&place), "{reply:?}");
    }
}

/// What was done before standard output was lost is in the file.
#[test]
#[cfg(target_os = "linux")]
fn lost_output_is_an_error_but_no_lost_experiment() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = compare_program()
        .args(["--algo", "lsga", "--problem", "easy-1", "--runs", "2"])
        .args(["--out", &file])
        .stdout(full)
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("standard output"), "{stderr}");
    assert_eq!(run_lines(&file).len(), 2);
}
