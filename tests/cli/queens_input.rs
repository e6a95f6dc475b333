//! What is refused of queens, and what is read as queens.

use super::queens::{attacks, rows, solved};
use super::run::assert_coherent;
use super::support::*;

#[test]
fn too_few_queens_are_refused() {
    for problem in ["torus:0", "queens:0", "queens:2", "queens:3"] {
        for algo in FOR_QUEENS {
            let reply = call(&["run", problem, "--algo", algo]).expect(2);
            let sentence = reply.sentence();
            assert!(sentence.starts_with(&format!("{problem} is not possible: expected ")));
        }
    }
}

#[test]
fn what_is_no_number_of_queens_is_refused() {
    for problem in [
        "queens:",
        "torus:",
        "queens: 8",
        "queens:8 ",
        "queens:8.5",
        "queens:-8",
        "queens:8x8",
        "queens:8,9",
        "queens:8:8",
        "queens:1e3",
        "queens:0x10",
        "queens:acht",
        "queens:\u{664}",
        "queens:+8",
    ] {
        let reply = call(&["run", problem]).expect(2);
        let sentence = reply.sentence();
        assert!(sentence.starts_with(&format!("{problem}: expected a number of queens")));
        assert!(sentence.contains("queens:8 or torus:13"), "{sentence}");
    }
}

/// Names are written as they are listed; the refusal lists them.
#[test]
fn other_names_are_told_those_there_are() {
    for problem in [
        "QUEENS:8",
        "Queens:8",
        "queens",
        "torus",
        "queen:8",
        "queens8",
        " queens:8",
    ] {
        let reply = call(&["run", problem]).expect(2);
        let sentence = reply.sentence();
        for words in [problem, "queens:N", "torus:N"] {
            assert!(sentence.contains(words), "{sentence}");
        }
    }
}

#[test]
fn a_number_with_leading_zeros_is_that_number() {
    let few = ["--max-generations", "3"];
    let eight = run_cpu(&[&["queens:8"], &few[..]].concat()).object();
    let padded = run_cpu(&[&["queens:008"], &few[..]].concat()).object();
    assert_eq!(padded["problem"], "queens:8");
    assert_eq!(hash(&padded), hash(&eight));
}

#[test]
fn one_problem_at_a_time() {
    for args in [
        ["queens:8", "extra"],
        ["queens:8", "queens:9"],
        ["queens:", "8"],
    ] {
        let reply = call(&[&["run"], &args[..]].concat()).expect(2);
        assert_eq!(reply.stdout, "");
        let words = format!("unexpected argument '{}'", args[1]);
        assert!(reply.stderr.contains(&words), "{reply:?}");
    }
}

#[test]
fn what_belongs_to_grids_is_refused() {
    for problem in ["queens:8", "torus:5", "torus:9"] {
        for option in [&["--box", "2x4"][..], &["--latin"], &["--alphabet", "0-F"]] {
            let reply = call(&[&["run", problem], option].concat()).expect(2);
            let sentence = reply.sentence();
            for words in [problem, option[0], "grids"] {
                assert!(sentence.contains(words), "{sentence}");
            }
        }
    }
}

#[test]
fn check_sends_queens_to_run() {
    for problem in ["queens:8", "torus:5", "torus:6"] {
        for format in ["text", "json"] {
            let reply = call(&["check", "--format", format, problem]).expect(2);
            let sentence = reply.sentence();
            for words in [problem, "gpusudoku run"] {
                assert!(sentence.contains(words), "{sentence}");
            }
        }
    }
}

/// The name of a problem is never that of a file; `./` makes it one.
#[test]
#[cfg(not(windows))]
fn a_file_called_like_queens_is_reached_by_its_path() {
    let dir = Dir::new();
    let easy = known_as("fpchs-1");
    dir.file("queens:8", easy.puzzle);
    let here = |args: &[&str]| {
        let mut command = program();
        command.current_dir(dir.path()).args(args);
        answer(command, b"")
    };
    let always = ["run", "--backend", "cpu", "--format", "json"];
    let queens = here(&[&always[..], &["queens:8"]].concat())
        .expect(0)
        .object();
    assert_eq!(
        attacks(&rows(queens["solution"].as_str().unwrap()), false),
        0
    );
    assert_eq!(hash(&queens), hash(&solved("queens:8", &[]).0));
    let grid = here(&[&always[..], &["./queens:8"]].concat())
        .expect(0)
        .object();
    assert_eq!(
        (&grid["algo"], &grid["solution"]),
        (&"memetic".into(), &easy.solution.into())
    );
    let verdict = here(&["check", "./queens:8"]).expect(0);
    assert!(verdict.stdout.contains("./queens:8"), "{verdict:?}");
}

/// Queens are named on the command line, not in a text.
#[test]
fn queens_are_not_read_from_a_text() {
    let dir = Dir::new();
    let file = dir.file("board.txt", "queens:8\n");
    for (problem, stdin) in [("-", "queens:8\n"), (file.as_str(), "")] {
        let reply = call_with(&["run", problem], stdin.as_bytes()).expect(2);
        reply.sentence();
    }
    let reply = call(&["run", "-"]).expect(2);
    assert!(reply.sentence().contains("empty"), "{reply:?}");
}

#[test]
fn sizes_beyond_any_engine_are_refused() {
    for problem in [
        "queens:16777217",
        "torus:4294967296",
        "queens:18446744073709551615",
    ] {
        let reply = call(&["run", problem]).expect(2);
        let sentence = reply.sentence();
        for words in [problem, "at most 16777216 queens"] {
            assert!(sentence.contains(words), "{sentence}");
        }
    }
}

#[test]
fn populations_beyond_memory_are_refused() {
    for algo in FOR_QUEENS {
        for (problem, pop) in [
            ("queens:16777216", "100000"),
            ("torus:16777213", "16777216"),
            ("queens:1000000", "10000000"),
            ("queens:8", "1000000000"),
            ("queens:8", "18446744073709551615"),
        ] {
            let reply = call(&["run", problem, "--algo", algo, "--pop", pop]).expect(2);
            let sentence = reply.sentence();
            assert!(
                sentence.contains(&format!("a population of {pop} ")),
                "{sentence}"
            );
        }
    }
}

/// Runs where the address space ends at so many KiB.
#[cfg(target_os = "linux")]
fn within(kib: u32, args: &[&str]) -> Reply {
    let mut command = std::process::Command::new("sh");
    let script = format!("ulimit -v {kib} && exec \"$@\"");
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_gpusudoku"), "run"]);
    command
        .args(["--backend", "cpu", "--time-limit", "0"])
        .args(args);
    answer(command, b"")
}

#[test]
#[cfg(target_os = "linux")]
fn populations_beyond_the_memory_of_the_process_are_refused() {
    for (problem, pop) in [("queens:16777216", "64"), ("torus:1000001", "100")] {
        let reply = within(400_000, &[problem, "--pop", pop]).expect(2);
        let sentence = reply.sentence();
        for words in [&format!("a population of {pop} needs "), "memory"] {
            assert!(sentence.contains(words), "{sentence}");
        }
    }
    within(400_000, &["queens:100000", "--algo", "min-conflicts"]).expect(1);
}

/// What is asked for may be granted and then not suffice: still a sentence, not an abortion.
#[test]
#[cfg(target_os = "linux")]
fn memory_for_little_more_than_the_population_is_refused_too() {
    for kib in [850_000, 1_000_000, 1_200_000] {
        let reply = within(kib, &["queens:1000000", "--pop", "100", "--algo", "cga"]).expect(2);
        assert!(reply.sentence().contains("memory"), "{reply:?}");
    }
}

/// Bad usage is one sentence on a torus that has a notice, too.
#[test]
fn a_refused_torus_is_not_told_of_its_aim() {
    for args in [
        &["--pop", "0"][..],
        &["--pop", "1000000000"],
        &["--algo", "lsga"],
        &["--trace", "/nonexistent-dir/trace.csv"],
        &["--set", "fitness=support-confidence"],
    ] {
        let reply = call(&[&["run", "torus:8", "--backend", "cpu"], args].concat()).expect(2);
        reply.sentence();
    }
}

/// A kernel that cannot be compiled is no answer, not even on an adapter that is too small.
#[test]
fn the_gpu_takes_or_refuses_many_queens_in_its_own_words() {
    if gpu_wanted() {
        let few = ["run", "queens:140000", "--backend", "gpu", "--pop", "1"];
        let reply = call(&[&few[..], &["--max-generations", "1"]].concat());
        for words in ["parsing error", "Validation Error"] {
            assert!(!reply.stderr.contains(words), "{reply:?}");
        }
    }
}

#[test]
fn one_queen_is_a_solution_and_no_refusal_says_otherwise() {
    for problem in ["queens:1", "torus:1"] {
        let reply = run_cpu(&[problem]);
        assert!(
            !reply.stderr.contains("the fewest that have a solution"),
            "{reply:?}"
        );
    }
    let reply = run_cpu(&["torus:3"]).expect(2);
    assert!(
        !reply
            .stderr
            .contains("4 queens, the fewest that have a solution"),
        "{reply:?}"
    );
}

#[test]
fn every_algorithm_takes_a_hundred_thousand_queens() {
    for algo in FOR_QUEENS {
        let few = ["queens:100000", "--algo", algo, "--pop", "2"];
        let reply = run_cpu(&[&few[..], &["--max-generations", "2"]].concat());
        assert!(reply.code < 2, "{algo}: {reply:?}");
        let run = reply.object();
        assert_coherent(&run);
        assert_eq!(reply.code == 0, run["solved"] == true, "{algo}");
        assert!(count(&run, "evaluations") > 2, "{algo}");
    }
}

/// Recounted along the diagonals: pair by pair would take an hour.
#[test]
fn min_conflicts_solves_a_million_queens() {
    let args = [
        "queens:1000000",
        "--algo",
        "min-conflicts",
        "--threads",
        "1",
    ];
    let run = run_cpu(&args).expect(0).object();
    assert_coherent(&run);
    let rows = rows(run["solution"].as_str().unwrap());
    assert_eq!(rows.len(), 1_000_000);
    for direction in [1, -1] {
        let mut diagonals: Vec<_> = (0..)
            .zip(&rows)
            .map(|(column, row)| row + direction * column)
            .collect();
        diagonals.sort_unstable();
        assert!(
            diagonals.is_sorted_by(|a: &i64, b| a < b),
            "two queens on a diagonal"
        );
    }
}
