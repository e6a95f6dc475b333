//! What propagation deduces before the first generation: told in words, and refuting puzzles.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::run::{DEDUCTIONS, assert_coherent};
use super::support::*;

/// The givens disprove the first; of the second, sd3 with a 4 in row 5, singles find out.
const REFUTED_BEFORE: [(&str, &str); 2] = [
    ("123....4........", "no place is left for 4 in box 1"),
    (
        ".....3.17.15..9..8.6.......1....7.....9..42.....5....4.......2.5..6..34.34.2.....",
        "no place is left for 2 in box 3",
    ),
];

/// sd2 with a 4 in row 2 and sd1 with an 8 in row 9: only probing finds out.
const REFUTED_BY_PROBING: [(&str, &str); 2] = [
    (
        "1....7.9..3.42...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..",
        "no digit is left for row 6, column 5",
    ),
    (
        "79......3.......6.8.1..4..2..5......3..1......4...62.92...3...6.3.6.5421.8.......",
        "no place is left for 5 in row 1",
    ),
];

/// sd2 with its only hidden single: probing removes candidates and closes nothing.
const SD2_AND_ITS_SINGLE: &str =
    "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..41.....7..7...3..";

/// Those that are there, one after another.
fn list(parts: &[Option<String>]) -> String {
    let there: Vec<&str> = parts.iter().flatten().map(String::as_str).collect();
    there.join(", ")
}

/// What the summary has to say of propagation, from the JSON.
fn in_words(run: &Value) -> String {
    let words = |many: u64, what: &str| match many {
        0 => None,
        1 => Some(format!("1 {what}")),
        many => Some(format!("{many} {what}s")),
    };
    let did = DEDUCTIONS.map(|key| count(&run["deductions"], key));
    let singles = list(&[
        words(did[0], "naked single"),
        words(did[1], "hidden single"),
    ]);
    let removed = list(&[
        words(did[2], "locked candidate"),
        words(did[3], "probed candidate"),
        words(did[4], "nested candidate"),
    ]);
    let closed = words(count(run, "propagated"), "cell");
    let closed = closed.map(|cells| format!(", {cells} closed by propagation ({singles})"));
    let removed = (!removed.is_empty()).then(|| format!(", {removed} removed"));
    format!(
        " evaluations{}{}, ",
        closed.unwrap_or_default(),
        removed.unwrap_or_default()
    )
}

#[test]
fn deductions_add_up_at_every_level_and_are_told_in_words() {
    let problems = known().into_iter().map(|known| known.name.to_owned());
    let mut seen = BTreeSet::new();
    for problem in problems.chain([SD2_AND_ITS_SINGLE.to_owned()]) {
        let levels = ["none", "singles", "locked", "probing", "nested"];
        for (at, level) in levels.into_iter().enumerate() {
            let pair = format!("propagate={level}");
            let args = [&problem, "--max-generations", "0", "--set", &pair];
            let run = run_cpu(&args).object();
            assert_coherent(&run);
            let did = DEDUCTIONS.map(|key| count(&run["deductions"], key));
            if run["solved_by"] == "propagation" {
                let known = known().into_iter().find(|known| known.name == problem);
                let text = known.map_or(problem.as_str(), |known| known.puzzle);
                let open = text.matches('.').count();
                assert_eq!(did[0] + did[1], open as u64, "{problem}");
            }
            assert!(at >= 1 || did[0] + did[1] == 0, "{problem} {level}");
            assert!(at >= 2 || did[2] == 0, "{problem} {level}");
            assert!(at >= 3 || did[3] == 0, "{problem} {level}");
            assert!(at >= 4 || did[4] == 0, "{problem} {level}");
            let text = call(&[&["run", "--backend", "cpu"], &args[..]].concat());
            let summary = text.summary();
            assert!(summary.contains(&in_words(&run)), "{summary}");
            seen.insert(did.map(|many| many.min(2)));
        }
    }
    for kind in [
        [0, 0, 0, 0, 0],
        [2, 0, 0, 0, 0],
        [0, 1, 0, 2, 0],
        [0, 0, 0, 2, 0],
    ] {
        assert!(seen.contains(&kind), "{kind:?} is not in {seen:?}");
    }
    assert!(seen.iter().any(|did| did[4] > 0), "{seen:?}");
}

/// Whether a run is refused for this reason, without a row of its trace.
#[track_caller]
fn assert_refuted(args: &[&str], reason: &str, trace: &str) -> Reply {
    let reply = run_cpu(args).expect(1);
    let sentence = reply.sentence();
    assert!(
        sentence.ends_with(&format!("no solution: {reason}")),
        "{sentence}"
    );
    assert!(!Path::new(trace).exists(), "a row was written");
    reply
}

#[test]
fn what_the_givens_or_singles_refute_is_said_before_any_generation() {
    let dir = Dir::new();
    let file = dir.at("trace.csv");
    for (puzzle, reason) in REFUTED_BEFORE {
        assert_eq!(verdict(puzzle, &[])["solutions"], "0", "{puzzle}");
        for runs in ["1", "3"] {
            let pair = ["--set", "propagate=singles"];
            let args = [&[puzzle, "--trace", &file, "--runs", runs], &pair[..]].concat();
            assert_refuted(&args, reason, &file);
        }
    }
}

#[test]
fn probing_refutes_what_singles_and_locked_candidates_do_not() {
    let dir = Dir::new();
    let file = dir.at("trace.csv");
    for (puzzle, reason) in REFUTED_BY_PROBING {
        assert_eq!(verdict(puzzle, &[])["solutions"], "0", "{puzzle}");
        let few = [puzzle, "--pop", "2", "--max-generations", "3"];
        for level in ["propagate=none", "propagate=singles", "propagate=locked"] {
            let tabu = ["--algo", "tabu", "--set", "moves=200", "--set", level];
            let args = [&few[..], &tabu].concat();
            let reply = run_cpu(&args).expect(1);
            assert_eq!(reply.stderr, "", "{level}");
            let run = reply.object();
            assert_coherent(&run);
            assert_eq!(
                (count(&run, "generations"), count(&run, "evaluations")),
                (3, 2 + 3 * 2 * 200),
                "{level}"
            );
        }
        // The default probes as well.
        for pairs in [&[][..], &["propagate=probing"]] {
            let args = [&few[..], &sets(pairs), &["--trace", &file]].concat();
            let reply = assert_refuted(&args, reason, &file);
            let text = call(&[&["run"], &few[..]].concat()).expect(1);
            assert_eq!((text.stdout, text.stderr), (reply.stdout, reply.stderr));
        }
    }
}
