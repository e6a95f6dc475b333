//! New puzzles from the command line.

use std::fs;
use std::path::Path;

use super::support::*;

/// The frozen set: file, options. `puzzles/generated/README.md` has the same commands.
const FROZEN: &[(&str, &[&str])] = &[
    ("16x16-40.txt", &["--size", "16", "--givens", "40%"]),
    ("16x16-45.txt", &["--size", "16", "--givens", "45%"]),
    ("25x25-40.txt", &["--size", "25", "--givens", "40%"]),
    ("25x25-45.txt", &["--size", "25", "--givens", "45%"]),
    ("25x25-50.txt", &["--size", "25", "--givens", "50%"]),
    ("36x36-50.txt", &["--size", "36", "--givens", "50%"]),
    ("49x49-48.txt", &["--size", "49", "--givens", "48%"]),
    ("49x49-50.txt", &["--size", "49", "--givens", "50%"]),
    ("49x49-52.txt", &["--size", "49", "--givens", "52%"]),
    ("64x64-40.txt", &["--size", "64", "--givens", "40%"]),
    ("64x64-44.txt", &["--size", "64", "--givens", "44%"]),
    ("64x64-48.txt", &["--size", "64", "--givens", "48%"]),
    (
        "latin-50-70.txt",
        &["--latin", "--size", "50", "--givens", "70%"],
    ),
];

fn generate(options: &[&str]) -> Reply {
    call(&[&["generate"], options].concat())
}

/// Generated puzzles, as the program itself reads them.
fn verdicts(text: &str, options: &[&str]) -> Vec<serde_json::Value> {
    let args = [
        &["check", "-", "--format", "json", "--max-nodes", "1000"],
        options,
    ]
    .concat();
    let reply = call_with(&args, text.as_bytes());
    assert!(reply.code < 2, "{reply:?}");
    let lines = reply.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn the_frozen_set_is_what_its_commands_make() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("puzzles/generated");
    let notes = fs::read_to_string(folder.join("README.md")).unwrap();
    for (file, options) in FROZEN {
        let frozen = fs::read_to_string(folder.join(file)).unwrap();
        let reply = generate(options).expect(0);
        assert_eq!(reply.stdout, frozen, "{file}");
        assert_eq!(reply.stderr.lines().count(), 1, "{reply:?}");
        let command = format!("gpusudoku generate {} --seed 1", options.join(" "));
        assert!(notes.contains(&command), "{command}");
    }
}

#[test]
fn sizes_shares_and_formats() {
    for (options, read, size, givens, count) in [
        (&["--givens", "30"][..], &[][..], 9, 30, 1),
        (&["--size", "4", "--givens", "0"], &[], 4, 0, 1),
        (
            &["--box", "3x2", "--givens", "9"],
            &["--box", "3x2"],
            6,
            9,
            1,
        ),
        (
            &["--size", "6", "--givens", "100%", "--count", "3"],
            &[],
            6,
            36,
            3,
        ),
        (
            &["--size", "12", "--box", "4x3", "--givens", "50%"],
            &["--box", "4x3"],
            12,
            72,
            1,
        ),
        (
            &["--size", "16", "--givens", "45.5%", "--count", "2"],
            &[],
            16,
            116,
            2,
        ),
        (&["--size", "64", "--givens", "40%"], &[], 64, 1638, 1),
        (&["--latin", "--size", "7", "--givens", "10"], &[], 7, 10, 1),
        (
            &["--latin", "--size", "11", "--count", "2"],
            &["--latin"],
            11,
            54,
            2,
        ),
        (
            &[
                "--latin",
                "--size",
                "128",
                "--givens",
                "90%",
                "--to",
                "canonical",
            ],
            &["--latin"],
            128,
            14746,
            1,
        ),
        (
            &["--latin", "--size", "9", "--to", "dimacs", "--givens", "20"],
            &[],
            9,
            20,
            1,
        ),
        (
            &["--to", "csv", "--count", "2", "--givens", "41"],
            &[],
            9,
            41,
            2,
        ),
        (
            &[
                "--to", "json", "--size", "16", "--count", "2", "--givens", "42",
            ],
            &[],
            16,
            42,
            2,
        ),
        (
            &["--to", "opensudoku", "--count", "2", "--givens", "40"],
            &[],
            9,
            40,
            2,
        ),
        (
            &["--to", "framed", "--size", "16", "--givens", "50%"],
            &[],
            16,
            128,
            1,
        ),
        (
            &["--to", "lloyd-amos", "--size", "25", "--givens", "45%"],
            &[],
            25,
            281,
            1,
        ),
    ] {
        let text = generate(options).expect(0).stdout;
        let verdicts = verdicts(&text, read);
        assert_eq!(verdicts.len(), count, "{options:?}");
        for verdict in verdicts {
            assert_eq!(verdict["valid"], true, "{options:?}: {verdict}");
            assert_eq!(verdict["size"], size, "{options:?}");
            assert_eq!(verdict["givens"], givens, "{options:?}");
        }
    }
}

#[test]
fn seeds_and_numbers_decide() {
    let text = |options: &[&str]| generate(options).expect(0).stdout;
    let three = text(&["--count", "3", "--seed", "5"]);
    assert_eq!(three, text(&["--count", "3", "--seed", "5"]));
    assert!(text(&["--count", "4", "--seed", "5"]).starts_with(&three));
    assert_eq!(three.lines().count(), 3);
    let mut lines: Vec<_> = three.lines().collect();
    lines.dedup();
    assert_eq!(lines.len(), 3);
    assert_ne!(three, text(&["--count", "3", "--seed", "6"]));
}

#[test]
fn unique_puzzles_have_one_solution() {
    let reply = generate(&["--unique", "--givens", "30", "--count", "5"]).expect(0);
    for verdict in verdicts(&reply.stdout, &[]) {
        assert_eq!(verdict["solutions"], "1", "{verdict}");
    }
    // Nobody knows one with fewer than 17.
    let reply = generate(&["--unique", "--givens", "10"]).expect(0);
    assert!(reply.stderr.contains("givens instead of 10"), "{reply:?}");
    let verdict = &verdicts(&reply.stdout, &[])[0];
    assert_eq!(verdict["solutions"], "1");
    assert!(
        (17..40).contains(&verdict["givens"].as_u64().unwrap()),
        "{verdict}"
    );
    let larger = ["--unique", "--size", "16", "--givens", "60%"];
    assert_eq!(
        verdicts(&generate(&larger).expect(0).stdout, &[])[0]["solutions"],
        "1"
    );
}

#[test]
fn the_summary_says_whether_solutions_are_unique() {
    let summary = |options: &[&str]| generate(options).expect(0).stderr;
    let unique = summary(&["--unique", "--givens", "30"]);
    assert!(unique.ends_with(": unique\n"), "{unique}");
    // Nothing is left to choose.
    let full = summary(&["--givens", "100%", "--count", "3"]);
    assert!(
        full.contains("3 puzzles") && full.ends_with(": all unique\n"),
        "{full}"
    );
    let empty = summary(&["--givens", "0", "--count", "2"]);
    assert!(empty.contains("may have more than one solution"), "{empty}");
    assert!(
        empty.contains("--unique") && !empty.contains(" unique"),
        "{empty}"
    );
    let large = summary(&["--size", "25"]);
    assert!(large.contains("may have more than one solution"), "{large}");
    assert!(!large.contains("--unique"), "{large}");
    assert_eq!(summary(&["--quiet"]), "");
    // Some are, some are not; `check` agrees.
    let mixed = generate(&["--givens", "38", "--count", "20"]).expect(0);
    let verdicts = verdicts(&mixed.stdout, &[]);
    let one = verdicts
        .iter()
        .filter(|verdict| verdict["solutions"] == "1")
        .count();
    assert!((1..20).contains(&one), "{one}");
    let expected = format!("{one} unique, {} may have more than one solution", 20 - one);
    assert!(mixed.stderr.contains(&expected), "{mixed:?}");
}

#[test]
fn lines_end_with_their_cells() {
    for to in ["line", "canonical"] {
        let text = generate(&["--count", "2", "--to", to]).expect(0).stdout;
        assert!(text.lines().all(|line| line.len() == 81), "{text}");
    }
}

#[test]
fn files_are_written_or_the_reason_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new.txt");
    let path = file.to_str().unwrap();
    let reply = generate(&["--out", path, "--size", "6", "--quiet"]).expect(0);
    assert_eq!((reply.stdout.as_str(), reply.stderr.as_str()), ("", ""));
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        generate(&["--size", "6"]).expect(0).stdout
    );
    let nowhere = folder.path().join("no/such/folder.txt");
    let reply = generate(&["--out", nowhere.to_str().unwrap()]).expect(2);
    assert!(reply.sentence().contains("cannot write"), "{reply:?}");
    let full = generate(&["--size", "64", "--out", "/dev/full"]).expect(2);
    assert!(full.sentence().contains("/dev/full"), "{full:?}");
}

#[test]
fn impossible_wishes_are_refused_in_one_sentence() {
    for (options, words) in [
        (&["--size", "7"][..], &["7x7", "--latin"][..]),
        (&["--size", "3"], &["4x4", "3x3"]),
        (&["--size", "65"], &["64x64"]),
        (&["--latin", "--size", "129"], &["128x128"]),
        (&["--latin", "--size", "1"], &["Latin square"]),
        (&["--givens", "101%"], &["101%", "45%"]),
        (&["--givens", "-1%"], &["-1%"]),
        (&["--givens", "82"], &["82", "0 to 81"]),
        (&["--givens", "many"], &["many"]),
        (&["--givens", "nan%"], &["nan%"]),
        (&["--unique", "--size", "25"], &["--unique", "16x16"]),
        (&["--box", "2x3", "--size", "9"], &["2x3", "6x6", "9x9"]),
        (&["--to", "line", "--size", "16"], &["line", "16x16"]),
        (&["--to", "triples"], &["triples", "9x9"]),
        (
            &["--latin", "--to", "dimacs", "--count", "2"],
            &["dimacs", "one puzzle"],
        ),
    ] {
        let reply = generate(options).expect(2);
        assert_eq!(reply.stdout, "", "{options:?}");
        let sentence = reply.sentence();
        for word in words {
            assert!(sentence.contains(word), "{options:?}: {sentence}");
        }
    }
}
