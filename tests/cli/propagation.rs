//! `--set propagate=...`: what it closes, solves and disproves, for every algorithm.

use super::run::assert_coherent;
use super::support::*;

const LEVELS: [&str; 4] = [
    "propagate=none",
    "propagate=singles",
    "propagate=locked",
    "propagate=probing",
];

/// A puzzle without a solution, the first level that finds this out, and what it says.
pub const IMPOSSIBLE: [(&str, usize, &str); 5] = [
    ("123....4........", 0, "no place is left for 4 in box 1"),
    (
        // medium-27 with a 5 in row 6
        ".1.5.6.2.3.......6..91.45...9..1..4..7.3.2.5..35.8..6...32.71..9.......2.5.6.1.8.",
        0,
        "no place is left for 5 in box 1",
    ),
    (
        // sd3 with a 4 in row 5
        ".....3.17.15..9..8.6.......1....7.....9..42.....5....4.......2.5..6..34.34.2.....",
        1,
        "no place is left for 2 in box 3",
    ),
    (
        // hard-106 with a 4 in row 9
        "...4.7.....1...7..4.......3.2.3.9.4..4..1..9...6...8..5.......8.84.6.53.3.....4.2",
        2,
        "no digit is left for row 1, column 5",
    ),
    (
        // sd2 with a 6 in row 7
        "1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......16.4......7..7...3..",
        3,
        "no place is left for 7 in row 5",
    ),
];

#[test]
fn what_propagation_solves_is_not_evolutions_success() {
    for (problem, first) in [("easy-1", 1), ("hard-106", 3)] {
        let known = known_as(problem);
        for algo in ALGORITHMS {
            for level in &LEVELS[first..] {
                let args = [problem, "--algo", algo, "--set", level, "--pop", "20"];
                let run = run_cpu(&args).expect(0).object();
                assert_coherent(&run);
                assert_eq!(run["solved_by"], "propagation", "{algo} {level}");
                assert_eq!(run["solution"], known.solution, "{algo} {level}");
                assert_eq!(count(&run, "propagated"), 81 - known.givens);
                assert_eq!(count(&run, "generations"), 0, "{algo} {level}");
                assert_eq!(count(&run, "effective_generations"), 0);
                assert_eq!(run["params"]["propagate"], level[10..]);
                let text = call(&[&["run", "--backend", "cpu"], &args[..]].concat()).expect(0);
                let summary = text.summary();
                assert!(
                    summary.contains(": solved by propagation, verified;"),
                    "{summary}"
                );
                let cells = format!("{} cells closed by propagation", 81 - known.givens);
                assert!(summary.contains(&cells), "{summary}");
                assert!(summary.contains("generation 0 "), "{summary}");
            }
        }
    }
}

#[test]
fn without_propagation_no_success_is_its() {
    for algo in ALGORITHMS {
        let args = ["fpchs-1", "--algo", algo, "--set", LEVELS[0]];
        let run = run_cpu(&args).object();
        assert_coherent(&run);
        assert_ne!(run["solved_by"], "propagation", "{algo}");
        assert_eq!(count(&run, "propagated"), 0, "{algo}");
        let text = call(&[&["run", "--backend", "cpu"], &args[..]].concat());
        assert!(!text.stdout.contains("propagation"), "{text:?}");
    }
}

/// sd1 keeps 33 open cells: evolution has to find those, and it is called its success.
#[test]
fn what_propagation_begins_and_evolution_ends_is_a_success_of_the_search() {
    for level in ["propagate=singles", "propagate=locked"] {
        for algo in ["memetic", "lsga", "nb-coin", "reseda", "ah-lsga"] {
            let args = ["sd1", "--algo", algo, "--set", level];
            let run = run_cpu(&args).expect(0).object();
            assert_coherent(&run);
            assert_eq!(run["solved_by"], "search", "{algo}");
            assert_eq!(run["solution"], known_as("sd1").solution, "{algo}");
            assert_eq!(count(&run, "propagated"), 24, "{algo}");
            let text = call(&[&["run", "--backend", "cpu"], &args[..]].concat()).expect(0);
            let summary = text.summary();
            assert!(summary.contains(": solved and verified;"), "{summary}");
            assert!(
                summary.contains("24 cells closed by propagation"),
                "{summary}"
            );
        }
    }
    let args = ["run", "sd2", "--max-generations", "0", "--set", LEVELS[1]];
    let text = call(&args).expect(1);
    assert!(
        text.summary()
            .contains(", 1 cell closed by propagation (1 hidden single), ")
    );
}

#[test]
fn every_level_closes_at_least_what_the_one_before_does() {
    for known in known() {
        let closed = LEVELS.map(|level| {
            let none = ["--max-generations", "0", "--pop", "2", "--set", level];
            let run = run_cpu(&[&[known.name], &none[..]].concat()).object();
            let closed = count(&run, "propagated");
            assert_eq!(
                run["solved_by"] == "propagation",
                closed == 81 - known.givens,
                "{} {level}",
                known.name
            );
            closed
        });
        assert_eq!(closed[0], 0);
        assert!(closed.is_sorted(), "{}: {closed:?}", known.name);
        // Papers print this of easy puzzles; of the others nobody could miss it.
        if known.name.starts_with("easy") {
            assert_eq!(closed[1], 81 - known.givens);
        }
    }
}

#[test]
fn what_propagation_disproves_is_said_with_the_contradiction() {
    for (puzzle, first, reason) in IMPOSSIBLE {
        assert_eq!(verdict(puzzle, &[])["solutions"], "0", "{puzzle}");
        for algo in ALGORITHMS {
            for (at, level) in LEVELS.into_iter().enumerate() {
                let few = ["--pop", "5", "--max-generations", "1"];
                let args = [&[puzzle, "--algo", algo, "--set", level], &few[..]].concat();
                let reply = run_cpu(&args).expect(1);
                if at < first {
                    // Nothing is known of it: evolution tries.
                    assert_eq!(
                        (reply.stderr.as_str(), &reply.object()["solved"]),
                        ("", &false.into())
                    );
                    continue;
                }
                let sentence = reply.sentence();
                assert!(sentence.contains("no solution"), "{sentence}");
                assert!(sentence.ends_with(reason) || at > first, "{sentence}");
                assert!(sentence.contains("left for"), "{sentence}");
            }
        }
    }
}

#[test]
fn a_puzzle_without_solution_leaves_the_trace_as_it_was() {
    let dir = Dir::new();
    let file = dir.file("trace.csv", "precious");
    run_cpu(&[IMPOSSIBLE[0].0, "--trace", &file]).expect(1);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "precious");
}

#[test]
fn a_puzzle_without_solution_does_not_stop_those_behind_it() {
    let (easy, dir) = (known_as("easy-1").puzzle, Dir::new());
    let lines = format!("{easy}\n{}\n{easy}\n", IMPOSSIBLE[1].0);
    let file = dir.file("three.sdm", lines);
    let reply = run_cpu(&[&file]).expect(1);
    let solved = reply.objects();
    assert!(solved.len() >= 2, "{reply:?}");
    assert_eq!(solved.last().unwrap()["solved"], true);
    assert!(reply.stderr.contains(&format!("{file}:2")), "{reply:?}");
}

#[test]
fn runs_by_propagation_alone_are_told_apart_in_the_sum() {
    let dir = Dir::new();
    let lines = format!(
        "{}\n{}\n",
        known_as("easy-1").puzzle,
        known_as("sd1").puzzle
    );
    let file = dir.file("two.sdm", lines);
    let args = [
        "run",
        &file,
        "--algo",
        "ah-lsga",
        "--backend",
        "cpu",
        "--runs",
        "2",
    ];
    let text = call(&args).expect(0);
    assert_eq!(
        text.stdout
            .matches("solved by propagation, verified")
            .count(),
        2
    );
    let sum = text.summary();
    assert!(
        sum.starts_with("4 of 4 runs solved (2 by propagation alone), "),
        "{sum}"
    );
}

/// Where nothing is open, nobody can have solved anything by propagation.
#[test]
fn a_complete_grid_is_no_success_of_propagation() {
    let solution = known_as("easy-1").solution;
    for algo in ALGORITHMS {
        for level in LEVELS {
            let run = run_cpu(&[solution, "--algo", algo, "--set", level]);
            let run = run.expect(0).object();
            assert_eq!(run["solution"], solution, "{algo}");
            assert_ne!(run["solved_by"], "propagation", "{algo}");
            assert_eq!(
                (count(&run, "propagated"), count(&run, "generations")),
                (0, 0)
            );
        }
    }
}

#[test]
fn both_engines_reduce_alike() {
    if gpu_wanted() {
        for algo in ["reseda", "ah-lsga", "hs"] {
            for level in &LEVELS[2..] {
                let args = ["hard-106", "--algo", algo, "--pop", "9", "--set", level];
                let args = [&args[..], &["--max-generations", "3"]].concat();
                super::gpu::assert_twins(&super::gpu::GPU, &args, "");
            }
        }
    }
}
