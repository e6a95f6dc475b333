//! `convert`.

use std::fs;

use super::support::*;

const FORMATS: [&str; 7] = ["line", "sdk", "ss", "framed", "canonical", "csv", "json"];

fn convert(text: &str, options: &[&str]) -> Reply {
    call_with(&[&["convert"], options].concat(), text.as_bytes())
}

#[test]
fn every_format_leads_to_every_other_and_back() {
    let puzzle = known_as("sd2").puzzle;
    for first in FORMATS.into_iter().chain(["opensudoku", "lloyd-amos"]) {
        let text = convert(puzzle, &["--to", first]).expect(0).stdout;
        for second in FORMATS {
            let again = convert(&text, &["-", "--to", second]).expect(0).stdout;
            let back = convert(&again, &["--to", "line"]).expect(0).stdout;
            assert_eq!(back.trim_end(), puzzle, "{first} {second}: {again}");
        }
    }
    let latin = convert("5\n0 0 1\n4 3 2\n", &["--to", "dimacs"])
        .expect(0)
        .stdout;
    let back = convert(&latin, &["--to", "triples"]).expect(0).stdout;
    assert_eq!(back, "5\n0 0 1\n4 3 2\n");
}

#[test]
fn many_puzzles_of_many_texts_stay_in_order() {
    let known = known();
    let dir = Dir::new();
    let lines: String = known[1..]
        .iter()
        .map(|it| format!("{} # {}\n", it.puzzle, it.name))
        .collect();
    let file = dir.file("papers.sdm", &lines);
    let out = dir.at("papers.json");
    let reply = call(&[
        "convert",
        known[0].name,
        &file,
        "--to",
        "json",
        "--out",
        &out,
    ])
    .expect(0);
    assert_eq!((reply.stdout.as_str(), reply.stderr.as_str()), ("", ""));
    let list: serde_json::Value = serde_json::from_str(&fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(list.as_array().unwrap().len(), 12);
    let back = call(&["convert", &out, "--to", "line"]).expect(0).stdout;
    let wanted: Vec<_> = known.iter().map(|it| it.puzzle).collect();
    assert_eq!(back.lines().collect::<Vec<_>>(), wanted);
    // Names are kept where there is room for them.
    let named = call(&["convert", &file, "--to", "line"]).expect(0).stdout;
    assert_eq!(named, lines);
}

#[test]
fn characters_of_large_grids_are_kept() {
    let text = format!("0F{}\n", ".".repeat(254));
    assert_eq!(convert(&text, &["--to", "line"]).expect(0).stdout, text);
    let rows = convert(&text, &["--to", "sdk"]).expect(0).stdout;
    assert_eq!(rows.lines().next(), Some("0F.............."));
    let numbers = convert(&text, &["--to", "canonical"]).expect(0).stdout;
    assert!(numbers.starts_with("1 16 0 "), "{numbers}");
    let refused = convert(&numbers, &["--to", "line"]).expect(2);
    assert!(refused.sentence().contains("16x16"), "{refused:?}");
}

#[test]
fn what_cannot_be_converted_is_refused_and_nothing_is_written() {
    let dir = Dir::new();
    let out = dir.at("out.txt");
    for (args, words) in [
        (
            &["sd1", "sd2", "--to", "sdk"][..],
            &["sdk", "one puzzle"][..],
        ),
        (&["sd1", "--to", "dimacs"], &["dimacs", "9x9"]),
        (&["sd1", "123", "--to", "line"], &["123"]),
        (&["queens:8", "--to", "line"], &["queens"]),
    ] {
        let reply = call(&[&["convert", "--out", &out], args].concat()).expect(2);
        for word in words {
            assert!(reply.sentence().contains(word), "{reply:?}");
        }
        assert!(fs::metadata(&out).is_err());
    }
    let unknown = call(&["convert", "sd1", "--to", "xls"]).expect(2);
    assert!(unknown.stderr.contains("csv, json"), "{unknown:?}");
    call(&["convert", "sd1"]).expect(2);
    // Grids that break the rules are still texts.
    convert("11..............", &["--to", "framed"]).expect(0);
}
