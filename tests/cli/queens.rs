//! `run queens:N`: N queens on the board.

use serde_json::Value;

use super::run::assert_coherent;
use super::support::*;
use super::trace::{column, csv};

/// The row of the queen of each column, from one.
#[track_caller]
pub fn rows(text: &str) -> Vec<i64> {
    let rows: Vec<i64> = text.split(' ').map(|row| row.parse().unwrap()).collect();
    let mut sorted = rows.clone();
    sorted.sort_unstable();
    let permutation: Vec<_> = (1..=rows.len() as i64).collect();
    assert_eq!(sorted, permutation, "{text}");
    rows
}

/// Attacks, counted pair by pair; a pair may meet on both diagonals of a torus.
pub fn attacks(rows: &[i64], torus: bool) -> u64 {
    let n = rows.len() as i64;
    let zero = |distance: i64| match torus {
        true => distance % n == 0,
        false => distance == 0,
    };
    let mut attacks = 0;
    for (right, &row) in rows.iter().enumerate() {
        for (left, &other) in rows[..right].iter().enumerate() {
            let (across, down) = ((right - left) as i64, row - other);
            attacks += u64::from(zero(across - down)) + u64::from(zero(across + down));
        }
    }
    attacks
}

/// The queens of a board drawn with one line a row.
#[track_caller]
pub fn drawn(board: &[&str]) -> Vec<i64> {
    let n = board.len();
    let mut rows = vec![0; n];
    for (row, line) in board.iter().enumerate() {
        let squares: Vec<_> = line.split(' ').collect();
        assert_eq!(squares.len(), n, "{line}");
        assert_eq!(
            squares.iter().filter(|&&square| square == ".").count(),
            n - 1
        );
        let column = squares.iter().position(|&square| square == "Q").unwrap();
        rows[column] = row as i64 + 1;
    }
    assert!(!rows.contains(&0), "two queens in a column: {board:?}");
    rows
}

/// Solves and recounts; standard error is the caller's.
#[track_caller]
pub fn solved(problem: &str, args: &[&str]) -> (Value, String) {
    let reply = run_cpu(&[&[problem], args].concat()).expect(0);
    let run = reply.object();
    assert_coherent(&run);
    assert_eq!(run["problem"], problem);
    assert_eq!(
        (&run["solved"], &run["solved_by"]),
        (&true.into(), &"search".into())
    );
    let (name, n) = problem.split_once(':').unwrap();
    let rows = rows(run["solution"].as_str().unwrap());
    assert_eq!(rows.len().to_string(), n);
    assert_eq!(
        attacks(&rows, name == "torus"),
        count(&run, "goal"),
        "{run}"
    );
    assert_eq!(run["best_fitness"], run["goal"]);
    (run, reply.stderr)
}

#[test]
fn every_algorithm_solves_the_board() {
    for algo in FOR_QUEENS {
        for problem in ["queens:4", "queens:5", "queens:8", "queens:20", "queens:50"] {
            let (run, stderr) = solved(problem, &["--algo", algo]);
            assert_eq!((count(&run, "goal"), stderr.as_str()), (0, ""));
            assert_eq!(run["algo"], algo);
        }
    }
}

#[test]
fn queens_are_solved_by_hgasa_unless_told_otherwise() {
    for problem in ["queens:8", "torus:7"] {
        let usual = solved(problem, &[]).0;
        assert_eq!(
            (&usual["algo"], count(&usual, "pop")),
            (&"hgasa".into(), 64)
        );
        let named = solved(problem, &["--algo", "hgasa"]).0;
        assert_eq!(hash(&usual), hash(&named));
    }
}

#[test]
fn the_drawn_board_is_the_solution() {
    for algo in FOR_QUEENS {
        for (problem, n) in [("queens:8", 8), ("queens:23", 23), ("torus:11", 11)] {
            let text = call(&["run", problem, "--algo", algo, "--backend", "cpu"]).expect(0);
            assert_eq!(text.stderr, "");
            let lines: Vec<_> = text.stdout.lines().collect();
            assert_eq!(lines.len(), n + 1, "{text:?}");
            let run = solved(problem, &["--algo", algo]).0;
            assert_eq!(drawn(&lines[..n]), rows(run["solution"].as_str().unwrap()));
            let words = format!(
                "{problem}: solved and verified; {algo} pop {} seed 1 on cpu (",
                count(&run, "pop")
            );
            assert!(text.summary().starts_with(&words), "{text:?}");
            let words = format!(" {} evaluations, ", count(&run, "evaluations"));
            assert!(text.summary().contains(&words), "{text:?}");
        }
    }
}

#[test]
fn boards_are_drawn_to_64_and_written_as_a_permutation_beyond() {
    let solve = |problem| {
        let run = solved(problem, &[]).0;
        let rows = rows(run["solution"].as_str().unwrap());
        (call(&["run", problem, "--backend", "cpu"]).expect(0), rows)
    };
    let (text, rows_64) = solve("queens:64");
    let lines: Vec<_> = text.stdout.lines().collect();
    assert_eq!(lines.len(), 65);
    assert_eq!(drawn(&lines[..64]), rows_64);
    let (text, rows_65) = solve("queens:65");
    let lines: Vec<_> = text.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{text:?}");
    assert_eq!(rows(lines[0]), rows_65);
}

/// What is not solved is drawn, too, with as many attacks as the summary says.
#[test]
fn an_unsolved_board_has_the_attacks_it_is_said_to_have() {
    for (problem, n, torus) in [("queens:30", 30, false), ("torus:25", 25, true)] {
        for seed in ["1", "2", "3"] {
            let few = [
                problem,
                "--pop",
                "3",
                "--max-generations",
                "1",
                "--seed",
                seed,
            ];
            let few = [&few[..], &["--algo", "hpsoga"]].concat();
            let run = run_cpu(&few).expect(1).object();
            assert_coherent(&run);
            let best = count(&run, "best_fitness");
            let text = call(&[&["run", "--backend", "cpu"], &few[..]].concat()).expect(1);
            let lines: Vec<_> = text.stdout.lines().collect();
            assert_eq!(lines.len(), n + 1, "{text:?}");
            assert_eq!(attacks(&drawn(&lines[..n]), torus), best);
            let words = format!("{problem}: not solved (best {best}), generations spent; hpsoga ");
            assert!(text.summary().starts_with(&words), "{text:?}");
        }
    }
}

#[test]
fn no_time_and_no_generations_are_kept() {
    for algo in FOR_QUEENS {
        for budget in [["--max-generations", "0"], ["--time-limit", "0"]] {
            let few = ["queens:200", "--algo", algo, "--pop", "2"];
            let reply = run_cpu(&[&few[..], &budget].concat()).expect(1);
            let run = reply.object();
            assert_coherent(&run);
            let spent = ["generations", "evaluations"].map(|key| count(&run, key));
            assert_eq!(spent, [0, 2], "{algo} {budget:?}");
        }
    }
}

#[test]
fn several_runs_are_those_of_their_seeds() {
    for algo in FOR_QUEENS {
        let own = ["queens:12", "--algo", algo, "--quiet"];
        let reply = run_cpu(&[&own[..], &["--runs", "3", "--seed", "7"]].concat()).expect(0);
        assert_eq!(reply.stderr, "");
        let runs = reply.objects();
        assert_eq!(runs.len(), 3, "{reply:?}");
        for (run, seed) in runs.iter().zip(["7", "8", "9"]) {
            let alone = run_cpu(&[&own[..], &["--seed", seed]].concat()).object();
            for key in ["seed", "population_hash", "solution", "evaluations"] {
                assert_eq!(run[key], alone[key], "{algo} {seed} {key}");
            }
        }
        assert_ne!(hash(&runs[0]), hash(&runs[1]), "{algo}");
    }
    let reply = call(&["run", "queens:8", "--backend", "cpu", "--runs", "4"]).expect(0);
    assert_eq!(reply.stdout.lines().count(), 4 * 9 + 1, "{reply:?}");
    // Boards stand above the lines that sum them up.
    let lines = reply.stdout.lines().filter(|it| it.contains("solved"));
    let lines: Vec<_> = lines.collect();
    assert_eq!(lines.len(), 5, "{reply:?}");
    for (line, seed) in lines.iter().zip(1..=4) {
        assert!(
            line.starts_with("queens:8: solved and verified; "),
            "{line}"
        );
        assert!(line.contains(&format!(" seed {seed} on cpu ")), "{line}");
    }
    assert!(lines[4].starts_with("4 of 4 runs solved, "), "{}", lines[4]);
}

/// One solved run does not hide another that is not.
#[test]
fn a_run_without_a_solution_decides_the_exit_status() {
    let few = ["queens:8", "--algo", "min-conflicts", "--max-generations"];
    let few = [&few[..], &["1", "--runs", "12"]].concat();
    let runs = run_cpu(&few).expect(1).objects();
    let solved = runs.iter().filter(|run| run["solved"] == true).count();
    assert!((1..12).contains(&solved), "{solved}");
    let text = call(&[&["run", "--backend", "cpu"], &few[..]].concat()).expect(1);
    let words = format!("{solved} of 12 runs solved");
    assert!(text.summary().starts_with(&words), "{text:?}");
}

#[test]
fn threads_change_nothing_and_seeds_do() {
    for algo in FOR_QUEENS {
        for problem in ["queens:40", "torus:35"] {
            let run = |seed: &str, threads: &str| {
                let few = [
                    problem,
                    "--algo",
                    algo,
                    "--pop",
                    "9",
                    "--max-generations",
                    "13",
                ];
                let own = [
                    "--seed",
                    seed,
                    "--threads",
                    threads,
                    "--set",
                    "fitness=conflicts",
                ];
                let reply = run_cpu(&[&few[..], &own].concat());
                let run = reply.object();
                assert_coherent(&run);
                [
                    "population_hash",
                    "generations",
                    "evaluations",
                    "best_fitness",
                    "solution",
                ]
                .map(|key| run[key].clone())
            };
            let first = run("5", "1");
            assert_eq!(run("5", "1"), first, "{algo}");
            assert_eq!(run("5", "2"), first, "{algo}, two threads");
            assert_eq!(run("5", "3"), first, "{algo}, three threads");
            assert_ne!(run("6", "2")[0], first[0], "{algo}, another seed");
        }
    }
}

#[test]
fn a_trace_has_a_row_a_generation_and_names_the_operator() {
    let dir = Dir::new();
    let file = dir.at("trace.csv");
    for (algo, operators) in [
        ("hpsoga", &["swarm", "genetic"][..]),
        ("cga", &["genetic"]),
        ("hgsaga", &["gravity", "genetic"]),
        ("hgasa", &["genetic", "anneal"]),
        ("min-conflicts", &["resolve"]),
    ] {
        let few = ["queens:60", "--algo", algo, "--pop", "8", "--trace", &file];
        let stop = ["--max-generations", "60"];
        let run = run_cpu(&[&few[..], &stop].concat());
        assert!(run.code < 2, "{run:?}");
        let run = run.object();
        let (header, table) = csv(&file);
        assert_eq!(
            header.join(","),
            "problem,seed,generation,best,mean,worst,diversity,swaps,operator,algo,evaluations,seconds"
        );
        assert!(
            table
                .iter()
                .all(|row| row[0] == "\"queens:60\"" && row[1] == "1")
        );
        let generations: Vec<_> = (0..=count(&run, "generations")).map(|g| g as f64).collect();
        assert_eq!(column(&file, "generation"), generations, "{algo}");
        assert_eq!(table[0][8], "initialise");
        let named: Vec<_> = table[1..].iter().map(|row| row[8].as_str()).collect();
        assert!(
            named.iter().all(|name| operators.contains(name)),
            "{algo}: {named:?}"
        );
        for operator in operators {
            assert!(
                named.contains(operator),
                "{algo} never has {operator}: {named:?}"
            );
        }
        let [best, mean, worst] = ["best", "mean", "worst"].map(|name| column(&file, name));
        for ((best, mean), worst) in best.iter().zip(&mean).zip(&worst) {
            assert!(best <= mean && mean <= worst, "{algo}");
        }
        let least = best.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(least, count(&run, "best_fitness") as f64, "{algo}");
        let swaps = column(&file, "swaps");
        let swapping: Vec<_> = named
            .iter()
            .zip(&swaps[1..])
            .filter(|(_, swaps)| **swaps > 0.0)
            .map(|(name, _)| *name)
            .collect();
        let searches = ["anneal", "resolve"];
        assert!(
            swapping.iter().all(|name| searches.contains(name)),
            "{algo}: {swapping:?}"
        );
        let local = operators.iter().any(|name| searches.contains(name));
        assert_eq!(!swapping.is_empty(), local, "{algo}");
    }
}
