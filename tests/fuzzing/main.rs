//! Every reader of foreign text on the inputs that fuzzing has found worth keeping, and on mutations of
//! them: the same ones each time, few enough for every day. `fuzz/` goes on where this ends.
#![cfg(feature = "cli")]

mod targets;

use std::collections::BTreeSet;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use gpusudoku::rng::Stream;
use rand::RngExt as _;

use targets::Target;

/// What texts are made of, so that mutations hit more than the first check.
const WORDS: &[&str] = &[
    "0",
    "1",
    "9",
    "-1",
    "16",
    "1000000000",
    "18446744073709551616",
    ".",
    " ",
    "\n",
    "\n\n",
    ",",
    "\t",
    "|",
    "+---+",
    "#",
    "[Puzzle]",
    "p edges 16 0\n",
    "e 1 2\n",
    "f 1 1\n",
    "<",
    "/>",
    "<opensudoku>",
    "<name>",
    "<game data='",
    "&amp;",
    "xmlns:a='b' ",
    "\"",
    "\\u0000",
    "{",
    "}",
    "[",
    "]",
    ":",
    "null",
    "1e308",
    "-0.0",
    "0.1",
    "true",
    "=",
    "--",
    "--set",
    "pop=",
    "%",
    "/",
    "x",
    "G",
    "A",
    "é",
    "\u{feff}",
    "\0",
];

/// Longer inputs would take the time of many others.
const LONGEST: usize = 1 << 16;

fn folder(of: &str, target: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("fuzz").join(of).join(target)
}

/// The files of a folder in the order of their names.
fn files(folder: &Path) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Changes an input in one to four places.
fn mutate(seeds: &[Vec<u8>], rng: &mut Stream) -> Vec<u8> {
    let mut bytes = seeds[rng.random_range(0..seeds.len())].clone();
    for _ in 0..rng.random_range(1..=4) {
        let at = rng.random_range(0..=bytes.len());
        let end = bytes.len().min(at + rng.random_range(1..=16));
        match rng.random_range(0..6) {
            0 if at < end => bytes[at] = rng.random(),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let word = WORDS[rng.random_range(0..WORDS.len())];
                bytes.splice(at..at, word.bytes());
            }
            3 => {
                let word = WORDS[rng.random_range(0..WORDS.len())];
                bytes.splice(at..end, word.bytes());
            }
            4 => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            _ => {
                // The head of this one, the tail of another.
                let other = &seeds[rng.random_range(0..seeds.len())];
                bytes.truncate(at);
                bytes.extend(&other[rng.random_range(0..=other.len())..]);
            }
        }
    }
    bytes.truncate(LONGEST);
    bytes
}

/// Feeds a target, and shows what it did not bear.
fn feed(target: Target, input: &[u8]) {
    let fed = panic::catch_unwind(AssertUnwindSafe(|| target(input)));
    if let Err(panic) = fed {
        eprintln!("the input was b\"{}\"", input.escape_ascii());
        panic::resume_unwind(panic);
    }
}

/// The most memory that the process ever had, where the system tells (Linux).
fn peak_mebibytes() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes >> 10)
}

fn bears(name: &str, mutations: usize) {
    let (_, target) = targets::ALL.iter().find(|it| it.0 == name).unwrap();
    let mut seeds = files(&folder("corpus", name));
    assert!(!seeds.is_empty(), "fuzz/corpus/{name} is empty");
    seeds.extend(files(&folder("regressions", name)));
    for seed in &seeds {
        feed(*target, seed);
    }
    let mut rng = Stream::new(1, 0);
    for _ in 0..mutations {
        feed(*target, &mutate(&seeds, &mut rng));
    }
    if let Some(peak) = peak_mebibytes() {
        assert!(peak < 512, "{peak} MiB of memory for inputs of a few KiB");
    }
}

#[test]
fn puzzles_of_any_format() {
    bears("puzzle", 40_000);
}

#[test]
fn puzzles_of_a_known_format() {
    bears("format", 60_000);
}

#[test]
fn names_of_problems() {
    bears("problem", 40_000);
}

#[test]
fn results_of_experiments() {
    bears("results", 6_000);
}

#[test]
fn measurements_of_engines() {
    bears("bench", 20_000);
}

#[test]
fn command_lines() {
    bears("arguments", 6_000);
}

#[test]
fn checkpoints_of_runs() {
    bears("checkpoint", 40_000);
}

#[test]
fn populations_in_files() {
    bears("population", 40_000);
}

/// A target that is not fuzzed, or has no seeds, would not be missed otherwise.
#[test]
fn every_target_has_a_program_and_a_corpus() {
    let names = |folder: PathBuf| -> BTreeSet<String> {
        let entries = fs::read_dir(folder).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let stem = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
        paths.map(stem).collect()
    };
    let known: BTreeSet<String> = targets::ALL.iter().map(|it| it.0.to_owned()).collect();
    assert_eq!(names(folder("fuzz_targets", "")), known);
    assert_eq!(names(folder("corpus", "")), known);
}
