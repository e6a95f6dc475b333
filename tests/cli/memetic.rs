//! `memetic`, which is what `run` takes for grids.

use serde_json::Value;

use super::gpu::{GPU, assert_twins};
use super::run::assert_coherent;
use super::support::*;
use super::trace::{column, csv};

/// The cells of a text, rows of numbers or of digits; blanks are 0.
fn numbers(text: &str) -> Vec<u32> {
    match text.trim().contains(' ') {
        true => text
            .split_whitespace()
            .map(|n| n.parse().unwrap())
            .collect(),
        false => {
            let cells = text.chars().filter(|c| !c.is_whitespace());
            cells.map(|c| c.to_digit(10).unwrap_or(0)).collect()
        }
    }
}

/// That a solution keeps the givens of a puzzle and obeys the rules.
#[track_caller]
fn assert_solves(run: &Value, puzzle: &[u32], options: &[&str]) {
    let solution = run["solution"].as_str().unwrap();
    let digits = numbers(solution);
    assert_eq!(digits.len(), puzzle.len(), "{solution}");
    for (given, digit) in puzzle.iter().zip(&digits) {
        assert!([0, *digit].contains(given), "{given} became {digit}");
    }
    assert_eq!(verdict(solution, options)["solved"], true, "{solution}");
}

#[test]
fn every_built_in_is_solved_by_a_plain_run_with_several_seeds() {
    for known in known() {
        for seed in ["1", "2", "3", "18446744073709551615"] {
            let plain = ["run", known.name, "--seed", seed];
            let reply = call(&[&plain[..], &["--format", "json"]].concat()).expect(0);
            assert_eq!(reply.stderr, "");
            let run = reply.object();
            assert_coherent(&run);
            assert_eq!(run["verified"], true);
            assert_eq!(run["solution"], known.solution, "{}", known.name);
            // Four individuals are no work for a GPU.
            assert_eq!(
                (&run["algo"], count(&run, "pop"), &run["backend"]),
                (&"memetic".into(), 4, &"cpu".into())
            );
            assert_eq!(run["solved_by"], "propagation", "{}", known.name);
        }
    }
}

#[test]
fn every_built_in_is_solved_by_search_alone() {
    for known in known() {
        let args = [known.name, "--set", "propagate=none"];
        let run = run_cpu(&args).expect(0).object();
        assert_coherent(&run);
        assert_eq!(run["solution"], known.solution, "{}", known.name);
        assert_eq!(run["solved_by"], "search", "{}", known.name);
        assert!(count(&run, "generations") > 0, "{}", known.name);
    }
}

#[test]
fn frozen_16x16_and_25x25_grids_are_solved() {
    for name in ["16x16-40", "16x16-45", "25x25-40", "25x25-45", "25x25-50"] {
        let file = frozen(name);
        let puzzle = numbers(&std::fs::read_to_string(&file).unwrap());
        let reply = run_cpu(&[&file, "--runs", "2"]).expect(0);
        assert_eq!(reply.stderr, "");
        for run in reply.objects() {
            assert_coherent(&run);
            assert_eq!(run["solved_by"], "search", "{name}");
            assert_solves(&run, &puzzle, &[]);
        }
    }
}

#[test]
fn half_filled_latin_squares_are_solved() {
    for size in ["4", "5", "6", "7", "9", "10", "16", "25", "32"] {
        for seed in ["1", "2"] {
            let made = ["generate", "--latin", "--size", size, "--givens", "50%"];
            let form = ["--seed", seed, "--to", "canonical"];
            let puzzle = call(&[&made[..], &form].concat()).expect(0).stdout;
            let reply = run_cpu_with(&["-", "--latin"], puzzle.as_bytes()).expect(0);
            let run = reply.object();
            assert_coherent(&run);
            assert_solves(&run, &numbers(&puzzle), &["--latin"]);
        }
    }
}

#[test]
fn half_filled_grids_of_every_size_run() {
    for size in ["4", "6", "8", "9", "10", "12", "16", "25", "36", "49", "64"] {
        for kind in [&[][..], &["--latin"]] {
            let made = ["generate", "--size", size, "--givens", "50%"];
            let form = ["--to", "canonical"];
            let puzzle = call(&[&made[..], &form, kind].concat()).expect(0).stdout;
            let few = ["-", "--pop", "3", "--max-generations", "2"];
            let pairs = sets(&["steps=2", "cycle=2", "tabu=0.5"]);
            let args = [&few[..], &pairs, kind].concat();
            let reply = run_cpu_with(&args, puzzle.as_bytes());
            assert!(reply.code < 2, "{size}: {reply:?}");
            assert_eq!(reply.stderr, "", "{size}");
            let run = reply.object();
            assert_coherent(&run);
            match run["solution"].as_str() {
                Some(solution) => {
                    assert_eq!(reply.code, 0, "{size}");
                    assert_eq!(verdict(solution, kind)["solved"], true, "{solution}");
                }
                None => assert_eq!(
                    (reply.code, count(&run, "generations")),
                    (1, 2),
                    "{size}: {run}"
                ),
            }
        }
    }
}

#[test]
fn threads_change_nothing_and_seeds_do() {
    let sixteen = frozen("16x16-40");
    for (problem, level) in [
        ("sd2", "propagate=singles"),
        ("sd3", "propagate=none"),
        (&sixteen, "propagate=probing"),
    ] {
        let run = |seed: &str, threads: &str| {
            let few = [problem, "--pop", "13", "--max-generations", "4"];
            let own = ["--seed", seed, "--threads", threads];
            let pairs = sets(&["steps=2", "cycle=2", "tabu=0.5", level]);
            let args = [&few[..], &own, &pairs].concat();
            let run = run_cpu(&args).expect(1).object();
            assert_coherent(&run);
            (
                hash(&run).to_owned(),
                count(&run, "evaluations"),
                count(&run, "best_fitness"),
            )
        };
        let first = run("4", "1");
        for threads in ["1", "2", "5"] {
            assert_eq!(run("4", threads), first, "{problem}, {threads} threads");
        }
        assert_ne!(run("5", "2").0, first.0, "{problem}");
    }
}

/// The last generation is the one in which somebody finds a solution, whoever is behind him.
#[test]
fn threads_change_nothing_in_the_generation_of_the_solution() {
    let file = frozen("25x25-45");
    let outcome = |threads: &str| {
        let args = [file.as_str(), "--threads", threads];
        let run = run_cpu(&args).expect(0).object();
        let keys = ["population_hash", "solution", "evaluations", "generations"];
        keys.map(|key| run[key].clone())
    };
    assert_eq!(outcome("1"), outcome("2"));
}

#[test]
fn both_engines_search_alike() {
    if gpu_wanted() {
        let sixteen = frozen("16x16-40");
        for (problem, level) in [
            ("sd2", "propagate=singles"),
            (&sixteen, "propagate=probing"),
        ] {
            let few = [problem, "--pop", "5", "--max-generations", "2"];
            let moves = ["--algo", "tabu", "--set", "moves=40", "--set", level];
            let run = assert_twins(&GPU, &[&few[..], &moves].concat(), "");
            assert_eq!(
                (count(&run, "generations"), count(&run, "evaluations")),
                (2, 5 + 2 * 5 * 40),
                "{run}"
            );
            let few = [problem, "--pop", "5", "--max-generations", "7"];
            let steps = sets(&["steps=4", "cycle=3", "tabu=0.4", level]);
            assert_twins(&GPU, &[&few[..], &steps].concat(), "");
        }
    }
}

/// Whoever takes over finds what the other has left: fitness goes on, and partial grids are drawn with blanks.
#[test]
fn a_cycle_ends_with_tabu_searches() {
    let dir = Dir::new();
    let file = dir.at("trace.csv");
    let few = ["sd2", "--pop", "3", "--max-generations", "9"];
    let pairs = sets(&["propagate=none", "steps=2", "cycle=5", "tabu=0.2"]);
    let args = [&few[..], &["--trace", &file], &pairs].concat();
    let run = run_cpu(&args).expect(1).object();
    assert_coherent(&run);
    let rows = csv(&file).1;
    let operators: Vec<_> = rows.iter().map(|row| row[8].as_str()).collect();
    let cycle = ["packing", "packing", "packing", "packing"];
    let expected = [&["initialise"][..], &cycle, &["tabu"], &cycle].concat();
    assert_eq!(operators, expected);
    let steps = [[348.0; 4].to_vec(), vec![27.0], [348.0; 4].to_vec()].concat();
    assert_eq!(column(&file, "swaps")[1..], steps);
}

/// A packing has no conflicts: what is drawn of it, blanks and all, breaks no rule.
#[test]
fn partial_grids_are_drawn_with_blanks() {
    for seed in ["1", "2", "3"] {
        let few = [
            "sd2",
            "--seed",
            seed,
            "--algo",
            "packing",
            "--max-generations",
            "2",
        ];
        let args = [&few[..], &sets(&["steps=2", "propagate=none"])].concat();
        let best = count(&run_cpu(&args).expect(1).object(), "best_fitness");
        let text = call(&[&["run", "--backend", "cpu"], &args[..]].concat()).expect(1);
        let rows: Vec<_> = text.stdout.lines().filter(|l| l.starts_with('|')).collect();
        let cells = rows.concat();
        let digits = cells.chars().filter(char::is_ascii_digit).count() as u64;
        assert!(best > 0 && digits == 81 - best, "{best}: {}", text.stdout);
        let check = call_with(&["check", "-"], text.stdout.as_bytes());
        assert!(!check.stdout.contains("contradict"), "{check:?}");
    }
}

#[test]
fn queens_are_left_to_the_algorithm_that_knows_them() {
    for problem in ["queens:8", "torus:7"] {
        let run = run_cpu(&[problem]).expect(0).object();
        assert_eq!(run["algo"], "hgasa", "{problem}");
    }
}

#[test]
fn a_grid_without_blanks_is_its_own_solution() {
    let easy = known_as("easy-1").solution;
    let sixteen = integers(16, solved_square(4));
    let latin = integers(11, |r, c| (r + 3 * c) % 11 + 1);
    for (text, options) in [(easy, &[][..]), (&sixteen, &[]), (&latin, &["--latin"])] {
        for level in ["propagate=none", "propagate=probing"] {
            let args = [&["-", "--set", level], options].concat();
            let reply = run_cpu_with(&args, text.as_bytes()).expect(0);
            assert_eq!(reply.stderr, "");
            let run = reply.object();
            assert_coherent(&run);
            assert_solves(&run, &numbers(text), options);
            assert_eq!(
                (count(&run, "generations"), count(&run, "propagated")),
                (0, 0)
            );
            assert_ne!(run["solved_by"], "propagation");
        }
    }
    let wrong = easy.replacen('5', "4", 1);
    let reply = run_cpu(&[&wrong]).expect(2);
    assert!(reply.sentence().contains("contradict"), "{reply:?}");
}
