//! `run` on the native engine.

use std::process::Stdio;

use proptest::prelude::*;
use serde_json::Value;

use super::support::*;

const KEYS: [&str; 15] = [
    "problem",
    "algo",
    "backend",
    "adapter",
    "seed",
    "pop",
    "generations",
    "evaluations",
    "best_fitness",
    "solved",
    "verified",
    "seconds",
    "solution",
    "population_hash",
    "params",
];

/// What came later stands behind.
const MORE_KEYS: [&str; 8] = [
    "solved_by",
    "propagated",
    "deductions",
    "effective_generations",
    "false_zero",
    "goal",
    "stop",
    "rejected",
];

pub const DEDUCTIONS: [&str; 5] = [
    "naked_singles",
    "hidden_singles",
    "locked_candidates",
    "probed_candidates",
    "nested_candidates",
];

/// What holds for every run, however it ends.
#[track_caller]
pub fn assert_coherent(run: &Value) {
    let keys: Vec<_> = run.as_object().unwrap().keys().collect();
    assert_eq!(keys[..KEYS.len()], KEYS);
    assert_eq!(keys[KEYS.len()..], MORE_KEYS);
    let solved = run["solved"].as_bool().unwrap();
    assert_eq!(run["verified"], solved, "{run}");
    let goal = count(run, "goal");
    assert_eq!(count(run, "best_fitness") <= goal, solved, "{run}");
    assert_eq!(run["solution"].is_string(), solved, "{run}");
    assert_eq!(run["solution"].is_null(), !solved, "{run}");
    assert_eq!(run["solved_by"].is_null(), !solved, "{run}");
    assert!(count(run, "effective_generations") <= count(run, "generations"));
    let deductions = &run["deductions"];
    let keys: Vec<_> = deductions.as_object().unwrap().keys().collect();
    assert_eq!(keys, DEDUCTIONS);
    let singles = count(deductions, DEDUCTIONS[0]) + count(deductions, DEDUCTIONS[1]);
    assert_eq!(singles, count(run, "propagated"), "{run}");
    // The hybrids evaluate children or proposals, not everybody.
    let hybrid = FOR_QUEENS.iter().any(|&algo| run["algo"] == algo);
    let each = if hybrid { 1 } else { count(run, "pop") };
    let least = count(run, "pop") + each * count(run, "generations");
    assert!(count(run, "evaluations") >= least, "{run}");
    assert!(run["seconds"].as_f64().unwrap() > 0.0, "{run}");
    assert!(!hash(run).is_empty() && hash(run).chars().all(|c| c.is_ascii_hexdigit()));
    assert!(!run["params"].as_object().unwrap().is_empty());
}

/// The lines of a frame, which ends with its last ruler.
fn frame(stdout: &str) -> Vec<&str> {
    let lines: Vec<_> = stdout.lines().collect();
    let end = lines
        .iter()
        .rposition(|line| line.starts_with('+'))
        .unwrap();
    assert!(lines[0].starts_with('+'), "{stdout}");
    lines[..=end].to_vec()
}

#[test]
fn without_a_problem_the_escargot_is_solved() {
    let reply = run_cpu(&[]).expect(0);
    assert_eq!(reply.stderr, "");
    let run = reply.object();
    assert_coherent(&run);
    assert_eq!(run["solution"], known_as("sd2").solution);
    assert_eq!((count(&run, "pop"), count(&run, "seed")), (4, 1));
    assert_eq!(
        (&run["algo"], &run["backend"]),
        (&"memetic".into(), &"cpu".into())
    );
    for args in [&["ai-escargot"][..], &["sd2", "--algo", "memetic"]] {
        let named = run_cpu(args).expect(0).object();
        assert_eq!(hash(&named), hash(&run));
    }
}

#[test]
fn lsga_solves_the_escargot_with_a_large_population() {
    let args = ["sd2", "--algo", "lsga", "--pop", "4096"];
    let run = run_cpu(&args).expect(0).object();
    assert_coherent(&run);
    assert_eq!(run["solution"], known_as("sd2").solution);
    assert_eq!((count(&run, "pop"), &run["algo"]), (4096, &"lsga".into()));
}

#[test]
fn text_is_a_frame_and_one_line_and_check_reads_it_back() {
    let escargot = known_as("sd2");
    let reply = call(&["run", "--pop", "40", "--backend", "cpu"]).expect(0);
    assert_eq!(reply.stderr, "");
    let frame = frame(&reply.stdout);
    assert_eq!(frame.len(), 13, "{}", reply.stdout);
    let rest: Vec<_> = reply.stdout.lines().skip(frame.len()).collect();
    assert_eq!(rest.len(), 1, "{}", reply.stdout);
    for word in ["solved", "memetic pop 40 ", "cpu", "generation"] {
        assert!(rest[0].contains(word), "{word}: {}", rest[0]);
    }
    let frame = frame.join("\n");
    let digits: String = frame.chars().filter(char::is_ascii_digit).collect();
    assert_eq!(digits, escargot.solution);
    assert_eq!(frame.matches('[').count() as u64, escargot.givens);
    for piped in [frame.as_str(), &reply.stdout] {
        let reply = call_with(&["check", "-"], piped.as_bytes()).expect(0);
        assert!(reply.stdout.contains("solved, and valid"), "{reply:?}");
    }
}

#[test]
fn every_given_and_only_givens_stand_apart() {
    let easy = known_as("easy-1");
    let reply = call(&["run", "easy-1", "--backend", "cpu"]).expect(0);
    let frame = frame(&reply.stdout).join("\n");
    let cells: Vec<_> = frame.match_indices(|c: char| c.is_ascii_digit()).collect();
    let givens = cells.iter().map(|&(at, digit)| {
        let apart = frame[..at].ends_with('[');
        if apart { digit } else { "." }
    });
    assert_eq!(givens.collect::<String>(), easy.puzzle);
}

#[test]
fn an_unsolved_frame_is_not_taken_for_a_solution() {
    let few = ["run", "sd3", "--max-generations", "1", "--backend", "cpu"];
    let reply = call(&[&few[..], &["--algo", "lsga"]].concat()).expect(1);
    assert!(reply.stdout.contains("not solved"), "{reply:?}");
    let reply = call_with(&["check", "-"], reply.stdout.as_bytes()).expect(1);
    assert!(reply.stdout.contains("complete, but wrong"), "{reply:?}");
}

#[test]
fn every_built_in_is_solved_by_lsga_as_the_papers_print_it() {
    for known in known() {
        let run = run_cpu(&[known.name, "--algo", "lsga"]).expect(0).object();
        assert_coherent(&run);
        assert_eq!(run["solution"], known.solution, "{}", known.name);
        assert_eq!(run["problem"], known.name);
    }
}

#[test]
fn a_spent_budget_exits_with_1() {
    for (budget, generations) in [
        (["--max-generations", "1"], 1),
        (["--time-limit", "0"], 0),
        (["--max-generations", "0"], 0),
    ] {
        let args = [&["sd3", "--algo", "lsga"], &budget[..]].concat();
        let run = run_cpu(&args).expect(1).object();
        assert_coherent(&run);
        assert_eq!(count(&run, "generations"), generations, "{budget:?}");
    }
}

#[test]
fn runs_count_seeds_up_and_are_those_of_the_seeds_alone() {
    let few = ["sd2", "--algo", "lsga", "--pop", "100"];
    let few = [&few[..], &["--max-generations", "20"]].concat();
    let reply = run_cpu(&[&few[..], &["--runs", "3", "--seed", "41"]].concat()).expect(1);
    assert_eq!(reply.stderr, "");
    let runs = reply.objects();
    assert_eq!(runs.len(), 3);
    for (run, seed) in runs.iter().zip(41..) {
        assert_coherent(run);
        assert_eq!(count(run, "seed"), seed);
        let alone = run_cpu(&[&few[..], &["--seed", &seed.to_string()]].concat()).object();
        assert_eq!(hash(run), hash(&alone));
    }
    assert_ne!(hash(&runs[0]), hash(&runs[1]));
    assert_ne!(hash(&runs[1]), hash(&runs[2]));
}

#[test]
fn one_failure_among_runs_or_puzzles_exits_with_1() {
    let dir = Dir::new();
    let lines = format!(
        "{}\n{}\n",
        known_as("easy-1").puzzle,
        known_as("sd3").puzzle
    );
    let file = dir.file("mixed.sdm", lines);
    let runs = run_cpu(&[&file, "--algo", "lsga", "--max-generations", "20"])
        .expect(1)
        .objects();
    let solved: Vec<_> = runs.iter().map(|run| run["solved"].as_bool()).collect();
    assert_eq!(solved, [Some(true), Some(false)]);
}

#[test]
fn every_puzzle_of_a_file_is_solved() {
    let names = ["easy-1", "easy-11", "fpchs-1"];
    let lines: String = names
        .iter()
        .map(|name| known_as(name).puzzle.to_owned() + "\n")
        .collect();
    let dir = Dir::new();
    let runs = run_cpu(&[&dir.file("three.sdm", lines), "--runs", "2"])
        .expect(0)
        .objects();
    assert_eq!(runs.len(), 6);
    for (run, name) in runs.iter().zip(names.iter().flat_map(|name| [name, name])) {
        assert_coherent(run);
        assert_eq!(run["solution"], known_as(name).solution);
    }
    let problems: Vec<_> = runs
        .iter()
        .map(|run| run["problem"].as_str().unwrap())
        .collect();
    assert_eq!(problems[0], problems[1]);
    assert_ne!(problems[1], problems[2], "puzzles of a file are told apart");
}

#[test]
fn it_does_not_matter_how_a_puzzle_comes_in() {
    let easy = known_as("easy-11");
    let dir = Dir::new();
    let file = dir.file("easy.txt", easy.puzzle);
    let named = run_cpu(&["easy-11", "--algo", "lsga"]).expect(0).object();
    for (problem, stdin) in [(easy.puzzle, ""), (&file, ""), ("-", easy.puzzle)] {
        let run = run_cpu_with(&[problem, "--algo", "lsga"], stdin.as_bytes())
            .expect(0)
            .object();
        assert_eq!(hash(&run), hash(&named), "{problem}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn auto_says_what_it_takes() {
    let mut command = program_without_driver();
    command.args(["run", "easy-1", "--algo", "lsga"]);
    let reply = answer(command, b"").expect(0);
    let last = reply.stdout.lines().last().unwrap();
    assert!(last.contains(" on cpu"), "{last}");
    assert_eq!(reply.stderr, "");
}

#[test]
fn quiet_changes_no_result() {
    let few = ["sd3", "--algo", "lsga", "--max-generations", "2"];
    let quiet = run_cpu(&[&few[..], &["--quiet"]].concat()).expect(1);
    assert_eq!(quiet.stderr, "");
    assert_eq!(hash(&quiet.object()), hash(&run_cpu(&few).object()));
}

#[test]
fn a_reader_that_leaves_is_no_fault() {
    let mut child = program()
        .args(["run", "easy-1", "--backend", "cpu", "--runs", "20"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_ne!(output.status.code(), Some(101));
}

#[test]
#[cfg(target_os = "linux")]
fn lost_output_is_an_error_and_no_panic() {
    for args in [
        &["run", "easy-1", "--backend", "cpu"][..],
        &["check", "sd1"],
    ] {
        let full = std::fs::File::options()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = program().args(args).stdout(full).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.contains("standard output"), "{stderr}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 8,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn threads_and_repetition_change_nothing(
        pop in 1usize..400, seed in 0..u64::MAX, puzzle in 0usize..12,
    ) {
        let (pop, seed) = (pop.to_string(), seed.to_string());
        let outcome = |threads: &str| {
            let run = run_cpu(&[
                known()[puzzle].name, "--algo", "lsga", "--pop", &pop, "--seed", &seed,
                "--max-generations", "12", "--threads", threads,
            ]).object();
            assert_coherent(&run);
            (hash(&run).to_owned(), count(&run, "generations"), count(&run, "evaluations"))
        };
        let first = outcome("1");
        for threads in ["1", "2", "3"] {
            prop_assert_eq!(&outcome(threads), &first, "{} threads", threads);
        }
    }

    #[test]
    fn other_seeds_give_other_populations(seed in 0..u64::MAX, step in 1u64..1000) {
        let digest = |seed: u64| {
            let few = ["sd1", "--algo", "lsga", "--max-generations", "3"];
            let run = run_cpu(&[&few[..], &["--seed", &seed.to_string()]].concat());
            hash(&run.object()).to_owned()
        };
        prop_assert_ne!(digest(seed), digest(seed.wrapping_add(step)));
    }

    #[test]
    fn renamed_digits_rename_the_solution(
        digits in Just((1..=9).collect::<Vec<u8>>()).prop_shuffle(),
    ) {
        let renamed = |text: &str| -> String {
            let rename = |c: char| c.to_digit(10).map_or(c, |d| (digits[d as usize - 1] + b'0') as char);
            text.chars().map(rename).collect()
        };
        let easy = known_as("easy-1");
        for algo in ["memetic", "lsga"] {
            let run = run_cpu(&[&renamed(easy.puzzle), "--algo", algo]).expect(0).object();
            prop_assert_eq!(&run["solution"], &renamed(easy.solution));
        }
    }
}
