//! Whatever is too large is refused in a sentence, before it takes the memory that it asks for.
#![cfg(unix)]

use std::process::Command;

use super::lab::*;
use super::support::*;

/// Address space of the program, in KiB. Hostile text of 64 MiB has to do with it, and the same text
/// without the limits that are tested here would not.
const MEMORY: &str = "1500000";

/// The program with little memory, fed by a command of the shell.
fn limited(feeder: &str, args: &[&str]) -> Reply {
    let mut command = Command::new("sh");
    command.env("NODEVICE_SELECT", "1");
    let script = format!("{feeder} | (ulimit -v {MEMORY}; exec \"$0\" \"$@\")");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_gpusudoku")]);
    command.args(args);
    answer(command, b"")
}

#[track_caller]
fn refused_with(feeder: &str, args: &[&str], names: &[&str]) {
    let reply = limited(feeder, args).expect(2);
    let sentence = reply.sentence();
    for name in names {
        assert!(sentence.contains(name), "{args:?}: {name}: {sentence}");
    }
    assert!(sentence.len() < 1000, "{args:?}: {sentence}");
}

#[track_caller]
fn refused(args: &[&str], names: &[&str]) {
    refused_with(":", args, names);
}

#[test]
fn endless_input_is_read_to_its_limit_only() {
    for command in ["run", "check"] {
        refused(&[command, "/dev/zero"], &["64 MiB"]);
        refused_with("yes '1 2 3 4'", &[command, "-"], &["64 MiB"]);
        refused_with("yes . | tr -d '\\n'", &[command, "-"], &["64 MiB"]);
    }
    refused(&["report", "/dev/zero"], &["/dev/zero:1", "longer"]);
    refused_with("yes", &["report", "/dev/stdin"], &["/dev/stdin:1"]);
    let dir = Dir::new();
    let results = finished(&dir);
    let page = dir.at("report.html");
    let out = ["--out", &page];
    let bench = ["report", &results, "--bench", "/dev/zero"];
    refused(&[&bench, &out[..]].concat(), &["/dev/zero", "bench"]);
    let report = ["report", "/dev/stdin"];
    let feeder = |garbage: &str| format!("(cat '{results}'; {garbage})");
    for (garbage, names) in [
        ("yes x", &["65536 lines", "damaged"][..]),
        ("yes | tr -d '\\n'", &["longer"]),
        ("head -c 50000000 /dev/zero | tr '\\0' [", &["longer"]),
        ("yes 0, | head -c 50000000 | tr -d '\\n'", &["longer"]),
    ] {
        let args = [&report, &out[..]].concat();
        refused_with(&feeder(garbage), &args, &[&["/dev/stdin"], names].concat());
    }
    assert!(!std::path::Path::new(&page).exists());
}

/// A file of results, as `compare` makes it.
fn finished(dir: &Dir) -> String {
    let results = dir.at("results.jsonl");
    let mut command = compare_program();
    command.args(["--algo", "memetic", "--problem", "easy-1", "--runs", "1"]);
    command.args(["--out", &results]);
    answer(command, b"").expect(0);
    results
}

#[test]
fn announced_sizes_are_checked_first() {
    for (text, names) in [
        ("1000000000\n", &["expected"][..]),
        ("999\n0 0 1\n", &["999", "128"]),
        ("999\n1\n-1 -1\n", &["999", "order"]),
        ("p edges 999950884 0\n", &["31622x31622", "128x128"]),
        ("p edges 9 0\nf 1000000000 1\n", &["1000000000", "cell"]),
    ] {
        refused_with(&format!("printf '{text}'"), &["check", "-"], names);
    }
    for (args, names) in [
        (&["run", "queens:1000000000"][..], &["16777216"][..]),
        (&["run", "--pop", "1000000000"], &["1000000000", "at most"]),
        (
            &[
                "run",
                "queens:16777216",
                "--pop",
                "16777216",
                "--algo",
                "cga",
            ],
            &["16777216", "memory"],
        ),
        (&["generate", "--size", "1000000000"], &["64x64"]),
        (
            &["generate", "--size", "64", "--count", "1000000"],
            &["--count 1000000", "32768"],
        ),
        (
            &["bench", "--pop", "1000000000", "--backend", "cpu"],
            &["1000000000"],
        ),
    ] {
        refused(args, names);
    }
}

#[test]
fn experiments_too_large_for_memory_or_for_their_file_are_refused() {
    let dir = Dir::new();
    let out = dir.at("results.jsonl");
    let compare = |args: &[&str], names: &[&str]| {
        let always = ["compare", "--quiet", "--out", &out];
        refused(&[&always, args].concat(), names);
        assert!(!std::path::Path::new(&out).exists());
    };
    compare(
        &[
            "--algo",
            "cga",
            "--problem",
            "queens:8,queens:9",
            "--runs",
            "16777216",
        ],
        &["33554432 runs", "--shard"],
    );
    compare(
        &[
            "--algo",
            "min-conflicts",
            "--problem",
            "queens:5000000",
            "--runs",
            "1",
        ],
        &["queens:5000000", "64 MiB"],
    );
    let many: Vec<_> = (1..=1025).map(|pop| format!("cga:pop={pop}")).collect();
    compare(
        &[
            "--algo",
            &many.join(","),
            "--problem",
            "easy-1",
            "--runs",
            "1",
        ],
        &["1025 contenders", "1024"],
    );
}

#[test]
fn xml_cannot_ask_for_more_than_its_text() {
    let game = "<game data=\"1000000000000002\"/>";
    let check = |feeder: &str, names: &[&str]| refused_with(feeder, &["check", "-"], names);
    check("yes '<' | head -c 60000000", &["times <"]);
    check(
        "(echo '<opensudoku>'; yes '==' | head -c 60000000)",
        &["times ="],
    );
    check("yes '<a>' | head -c 4000000", &["fault"]);
    check("yes '<a>' | head -c 60000000", &["times <"]);
    check(
        "yes '<a xmlns:b=\"c\">' | head -c 30000000",
        &["times xmlns"],
    );
    check(
        "(echo '<opensudoku '; seq -f 'a%.0f=\"\"' 1000000; echo '/>')",
        &["64 attributes"],
    );
    check(
        "echo '<!DOCTYPE a [<!ENTITY b \"cc\"><!ENTITY d \"&b;&b;\">]><opensudoku>&d;</opensudoku>'",
        &["fault"],
    );
    // A name of a mebibyte for each of 100,000 games.
    let name = "head -c 1000000 /dev/zero | tr '\\0' n";
    let text = format!(
        "(echo '<opensudoku><name>'; {name}; echo '</name>'; yes '{game}' | head -n 100000; echo '</oops>')"
    );
    check(&text, &["fault"]);
    let text = text.replace("oops", "opensudoku");
    let reply = limited(
        &text,
        &["check", "--max-nodes", "1", "--format", "json", "-"],
    );
    assert_eq!(reply.code, 0, "{}", reply.stderr);
    assert_eq!(reply.stdout.lines().count(), 100_000);
}
