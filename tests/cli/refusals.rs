//! Bad usage and bad input: exit status 2, nothing on standard output, one sentence.

use super::support::*;

#[track_caller]
fn refused_with(args: &[&str], stdin: &[u8]) -> Reply {
    let reply = call_with(args, stdin);
    assert_eq!(reply.code, 2, "{args:?}: {reply:?}");
    assert_eq!(reply.stdout, "", "{args:?}");
    assert!(!reply.stderr.trim().is_empty(), "{args:?}");
    reply
}

/// Refused by the program itself: one line, and what was wrong is in it.
#[track_caller]
fn refused(args: &[&str], stdin: &[u8], names: &[&str]) {
    let stderr = refused_with(args, stdin).stderr;
    assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
    assert!(stderr.starts_with("gpusudoku: "), "{args:?}: {stderr}");
    for name in names {
        assert!(stderr.contains(name), "{args:?}: {name} is not in {stderr}");
    }
}

#[test]
fn impossible_options_are_named() {
    for (args, names) in [
        (&["--pop", "0"][..], &["pop", "0"][..]),
        (&["--pop", "99999999999"], &["99999999999", "at most"]),
        (
            &["--algo", "lsga", "--set", "pc1=1.5"],
            &["pc1", "1.5", "from 0 to 1"],
        ),
        (&["--algo", "lsga", "--set", "pc1=-0.1"], &["pc1", "-0.1"]),
        (&["--algo", "lsga", "--set", "pc1=NaN"], &["pc1", "NaN"]),
        (
            &["--algo", "lsga", "--set", "elite=2.5"],
            &["elite", "2.5", "whole number"],
        ),
        (
            &["--algo", "lsga", "--set", "tournament=0"],
            &["tournament", "0"],
        ),
        (
            &["--algo", "lsga", "--set", "accept=nope"],
            &["accept", "not-worse or better"],
        ),
        (
            &["--algo", "lsga", "--set", "nope=1"],
            &["nope", "pc1", "tournament"],
        ),
        (&["--algo", "lsga", "--set", "pc1"], &["pc1", "key=value"]),
        (&["--set", "steps=0"], &["steps", "0", "whole number"]),
        (&["--set", "pc1=0.5"], &["memetic", "pc1", "steps"]),
        (&["--set", "steps"], &["steps", "key=value"]),
        (&["--set", ""], &["key=value"]),
        (&["--algo", "nope"], &["nope", "memetic", "lsga"]),
        (&["--time-limit=-1"], &["--time-limit", "-1"]),
        (&["--time-limit=nan"], &["--time-limit"]),
        (
            &["--backend", "cpu", "--adapter", "0"],
            &["--adapter", "--backend cpu"],
        ),
        (&["queens:3"], &["queens:3", "at least 4"]),
        (&["torus:0"], &["torus:0", "at least 4"]),
        (
            &["queens:16777217"],
            &["queens:16777217", "at most 16777216"],
        ),
        (&["queens:"], &["queens:", "expected a number of queens"]),
        (&["torus:-7"], &["torus:-7", "expected a number of queens"]),
        (&["queens:8", "--latin"], &["queens:8", "--latin", "grids"]),
        (&["nosuch-1"], &["nosuch-1", "no such file", "sd3"]),
    ] {
        refused(&[&["run"], args].concat(), b"", names);
    }
}

#[test]
fn usage_errors_exit_with_2() {
    for args in [
        &[][..],
        &["nosuch-command"],
        &["run", "sd1", "--bogus"],
        &["run", "--threads", "0"],
        &["run", "--runs", "0"],
        &["run", "--pop", "many"],
        &["run", "--pop", "-1"],
        &["run", "--seed", "-1"],
        &["run", "--time-limit", "-1"],
        &["run", "--seed", "99999999999999999999"],
        &["run", "--backend", "abacus"],
        &["run", "--format", "yaml"],
        &["run", "--box", "3"],
        &["run", "--box", "3x3", "--latin"],
        &["run", "--alphabet", "zz"],
        &["run", "sd1", "sd2"],
        &["adapters", "extra"],
        &["check", "--format", "yaml", "sd1"],
    ] {
        refused_with(args, b"");
    }
}

/// A mistyped option must not be taken for a puzzle, nor its value be blamed.
#[test]
fn unknown_options_are_called_so() {
    for args in [
        &["run", "--bogus"][..],
        &["run", "--sed", "5"],
        &["run", "sd1", "--bogus"],
        &["run", "-x"],
        &["check", "--bogus", "sd1"],
        &["check", "sd1", "--bogus"],
        &["adapters", "--bogus"],
    ] {
        let stderr = refused_with(args, b"").stderr;
        let option = args.iter().find(|arg| arg.starts_with('-')).unwrap();
        assert!(stderr.contains(option), "{args:?}: {stderr}");
        assert!(!stderr.contains("no such file"), "{args:?}: {stderr}");
    }
}

#[test]
fn files_that_hold_no_puzzle_are_named() {
    let dir = Dir::new();
    let folder = dir.path().to_str().unwrap().to_owned();
    let huge = dir.at("huge.txt");
    std::fs::File::create(&huge)
        .unwrap()
        .set_len(100 << 20)
        .unwrap();
    for (file, reason) in [
        (dir.at("missing.txt"), "no such file"),
        (folder, "directory"),
        (dir.file("empty.txt", ""), "empty"),
        (dir.file("spaces.txt", " \n\t\n"), "empty"),
        (
            dir.file("binary.txt", [0x7f, b'E', b'L', b'F', 2, 1, 0, 0xff]),
            "binary",
        ),
        (
            dir.file("prose.txt", "Roses are red,\nviolets are blue.\n"),
            "expected",
        ),
        (huge, "64 MiB"),
    ] {
        for command in ["run", "check"] {
            refused(&[command, &file], b"", &[&file, reason]);
        }
    }
}

#[test]
fn contradicting_givens_are_located() {
    let dir = Dir::new();
    for (givens, unit) in [
        ("11..............", "row 1"),
        ("..........3...3.", "column 3"),
        ("..........2....2", "box 4"),
    ] {
        let file = dir.file("givens.txt", givens);
        refused(&["run", &file], b"", &[&file, "contradict", unit]);
        refused(&["run", givens], b"", &["contradict", unit]);
        refused(
            &["run", "-"],
            givens.as_bytes(),
            &["standard input", "contradict", unit],
        );
    }
}

#[test]
fn wrong_counts_and_unknown_symbols_are_located() {
    let dir = Dir::new();
    let located = |text: &str, place: &str, words: &[&str]| {
        let file = dir.file("puzzle.txt", text);
        let place = format!("{file}:{place}:");
        for command in ["run", "check"] {
            refused(&[command, &file], b"", &[&[place.as_str()], words].concat());
        }
    };
    located(&".".repeat(80), "1", &["81", "80"]);
    located(&".".repeat(82), "1", &["81", "82"]);
    located("123456789\n12\n", "2", &["9", "2"]);
    located("1...\n....\n..!.\n....\n", "3:3", &["`!`"]);
    located("1...\n....\n..5.\n....\n", "3:3", &["`5`", "1 to 4"]);
    located(&blank(16).replacen('0', "17", 1), "1:1", &["17", "16"]);
    located(&blank(7), "1", &["7x7", "--latin"]);
    located(&blank(65), "1", &["65x65", "64x64"]);
}

#[test]
fn boxes_that_do_not_fit_are_refused() {
    let dir = Dir::new();
    let file = dir.file("nine.txt", known_as("easy-1").puzzle);
    for command in ["run", "check"] {
        for boxes in ["2x2", "2x3", "9x9", "1x9"] {
            refused(&[command, "--box", boxes, &file], b"", &[&file]);
        }
        for boxes in ["0x0", "99999999999x3", "18446744073709551615x2"] {
            refused_with(&[command, "--box", boxes, &file], b"");
        }
    }
}

/// Options about reading must not be dropped in silence for built-in puzzles.
#[test]
fn boxes_that_do_not_fit_a_built_in_are_refused() {
    for command in ["run", "check"] {
        for boxes in ["2x2", "0x0"] {
            refused_with(&[command, "--box", boxes, "easy-1"], b"");
        }
    }
}

#[test]
fn a_bad_puzzle_among_good_ones_stops_all_before_anything_is_written() {
    let dir = Dir::new();
    let contradiction = format!("11{}", ".".repeat(79));
    for bad in [contradiction.as_str(), "123", &"!".repeat(81)] {
        let lines = format!("{}\n{bad}\n", known_as("easy-1").puzzle);
        let file = dir.file("mixed.sdm", lines);
        refused(&["run", &file], b"", &[&format!("{file}:2")]);
    }
}
