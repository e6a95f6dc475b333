//! `run torus:N`: N queens on the torus, where not every N has a solution.

use super::gpu::{GPU, assert_twins};
use super::queens::{attacks, drawn, rows, solved};
use super::run::assert_coherent;
use super::support::*;

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The largest number of queens that do not attack each other (Monsky 1989).
fn most(n: u64) -> u64 {
    match (gcd(n, 6), gcd(n, 12)) {
        (1, _) => n,
        (_, 2) => n - 1,
        _ => n - 2,
    }
}

const IMPOSSIBLE: [u64; 9] = [4, 6, 8, 9, 10, 12, 14, 15, 18];

/// The notice on an impossible torus: the theorem, the numbers, the aim.
#[track_caller]
fn assert_told(n: u64, goal: u64, stderr: &str) {
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.starts_with(&format!("torus:{n}: ")), "{stderr}");
    let reason = format!("gcd({n}, 6) = {} is not 1", gcd(n, 6));
    let fit = format!("at most {} fit without attack", most(n));
    let aim = format!("{n} queens with {goal} attacks, the fewest there can be");
    for words in [&reason, "Polya", &fit, "Monsky", &aim] {
        assert!(stderr.contains(words), "{words}: {stderr}");
    }
}

#[test]
fn every_algorithm_solves_the_torus() {
    for algo in FOR_QUEENS {
        for problem in ["torus:5", "torus:7", "torus:11"] {
            let (run, stderr) = solved(problem, &["--algo", algo]);
            assert_eq!((count(&run, "goal"), stderr.as_str()), (0, ""), "{algo}");
        }
    }
    for problem in ["torus:13", "torus:17"] {
        let (run, stderr) = solved(problem, &["--algo", "hgasa"]);
        assert_eq!((count(&run, "goal"), stderr.as_str()), (0, ""));
    }
}

/// Every torus on which a search for the fewest attacks of any permutation is short: the known
/// optimum is the true one.
#[test]
fn the_goal_is_the_fewest_attacks_of_any_permutation() {
    fn fewest(rows: &mut Vec<i64>, n: i64) -> u64 {
        if rows.len() as i64 == n {
            return attacks(rows, true);
        }
        let mut least = u64::MAX;
        for row in 1..=n {
            // The torus has no corners: the first queen may stand in the first row.
            if !rows.contains(&row) && (!rows.is_empty() || row == 1) {
                rows.push(row);
                least = least.min(fewest(rows, n));
                rows.pop();
            }
        }
        least
    }
    for n in 4..=8 {
        let run = run_cpu(&[&format!("torus:{n}"), "--time-limit", "0"]).object();
        assert_eq!(count(&run, "goal"), fewest(&mut Vec::new(), n), "{n}");
    }
}

#[test]
fn on_an_impossible_torus_the_known_optimum_is_reached_and_named() {
    for n in IMPOSSIBLE {
        let goal = if n % 6 == 0 { 3 } else { 2 };
        let problem = format!("torus:{n}");
        let (run, stderr) = solved(&problem, &[]);
        assert_eq!(count(&run, "goal"), goal, "{run}");
        assert_told(n, goal, &stderr);
        let text = call(&["run", &problem, "--backend", "cpu", "--quiet"]).expect(0);
        assert_told(n, goal, &text.stderr);
        let lines: Vec<_> = text.stdout.lines().collect();
        assert_eq!(lines.len() as u64, n + 1, "{text:?}");
        let drawn = drawn(&lines[..n as usize]);
        assert_eq!(drawn, rows(run["solution"].as_str().unwrap()));
        let words = format!(
            "{problem}: solved and verified, with {goal} attacks, the fewest there can be; hgasa "
        );
        assert!(text.summary().starts_with(&words), "{text:?}");
    }
}

#[test]
fn every_algorithm_runs_towards_the_known_optimum() {
    for algo in FOR_QUEENS {
        for n in [4, 6, 8, 9] {
            let goal = if n % 6 == 0 { 3 } else { 2 };
            let (run, stderr) = solved(&format!("torus:{n}"), &["--algo", algo]);
            assert_eq!(count(&run, "goal"), goal, "{algo}");
            assert_told(n, goal, &stderr);
        }
    }
}

#[test]
fn every_torus_is_told_what_is_true_of_it() {
    for n in 4..=40 {
        let goal = match gcd(n, 6) {
            1 => 0,
            6 => 3,
            _ => 2,
        };
        let args = [
            &format!("torus:{n}"),
            "--pop",
            "1",
            "--max-generations",
            "0",
        ];
        let reply = run_cpu(&args);
        assert_eq!(count(&reply.object(), "goal"), goal, "torus:{n}");
        match goal {
            0 => assert_eq!(reply.stderr, ""),
            _ => assert_told(n, goal, &reply.stderr),
        }
    }
}

/// The notice comes once, however many runs there are, and JSON stays one object a run.
#[test]
fn several_runs_have_one_notice() {
    let few = ["torus:10", "--runs", "3", "--quiet"];
    let reply = run_cpu(&few).expect(0);
    assert_told(10, 2, &reply.stderr);
    let runs = reply.objects();
    let seeds: Vec<_> = runs.iter().map(|run| count(run, "seed")).collect();
    assert_eq!(seeds, [1, 2, 3]);
    let text = call(&[&["run", "--backend", "cpu"], &few[..]].concat()).expect(0);
    assert_told(10, 2, &text.stderr);
    // Three boards, each with a line below, and the sum.
    assert_eq!(text.stdout.lines().count(), 3 * 11 + 1, "{text:?}");
    assert_eq!(
        text.stdout
            .matches(", with 2 attacks, the fewest there can be;")
            .count(),
        3
    );
    assert!(text.summary().starts_with("3 of 3 runs solved"), "{text:?}");
}

#[test]
fn an_impossible_torus_not_brought_to_its_optimum_is_not_solved() {
    let few = ["torus:36", "--pop", "4", "--max-generations", "1"];
    let reply = run_cpu(&few).expect(1);
    assert_told(36, 3, &reply.stderr);
    let run = reply.object();
    assert_coherent(&run);
    let best = count(&run, "best_fitness");
    assert!(best > 3, "{run}");
    let text = call(&[&["run", "--backend", "cpu"], &few[..]].concat()).expect(1);
    let words = format!("torus:36: not solved (best {best}, the aim is 3), ");
    assert!(text.summary().starts_with(&words), "{text:?}");
    assert!(!text.stdout.contains("fewest"), "{text:?}");
}

#[test]
fn an_impossible_torus_is_drawn_to_64_as_well() {
    let few = ["--backend", "cpu", "--pop", "2", "--max-generations", "0"];
    for (problem, lines) in [("torus:64", 65), ("torus:66", 2)] {
        let reply = call(&[&["run", problem], &few[..]].concat()).expect(1);
        assert_eq!(reply.stdout.lines().count(), lines, "{reply:?}");
    }
}

/// A fitness that is 0 only where there is no attack has no aim on an impossible torus.
#[test]
fn support_and_confidence_are_for_what_can_be_solved() {
    let weighed = ["--set", "fitness=support-confidence"];
    for algo in FOR_QUEENS {
        let args = [&["--algo", algo], &weighed[..]].concat();
        for problem in ["queens:8", "torus:7"] {
            let run = solved(problem, &args).0;
            assert_eq!(run["params"]["fitness"], "support-confidence");
            assert_eq!(
                (&run["params"]["w1"], &run["params"]["w2"]),
                (&0.2.into(), &0.8.into())
            );
        }
        let reply = run_cpu(&[&["torus:8"], &args[..]].concat()).expect(2);
        assert_eq!(reply.stdout, "");
        let refusal = reply.stderr.lines().last().unwrap();
        for words in ["gpusudoku: support and confidence", "fitness=conflicts"] {
            assert!(refusal.contains(words), "{reply:?}");
        }
    }
}

#[test]
fn weights_count_where_they_are_asked_for_and_only_there() {
    for algo in FOR_QUEENS {
        let run = |more: &[&str]| {
            let few = [
                "queens:40",
                "--algo",
                algo,
                "--pop",
                "12",
                "--max-generations",
                "12",
            ];
            let reply = run_cpu(&[&few[..], &sets(more)].concat());
            hash(&reply.object()).to_owned()
        };
        let usual = run(&[]);
        assert_eq!(run(&["w1=0.9", "w2=0.1"]), usual, "{algo}");
        let weighed = run(&["fitness=support-confidence"]);
        assert_ne!(weighed, usual, "{algo}");
        let defaults = ["fitness=support-confidence", "w1=0.2", "w2=0.8"];
        assert_eq!(run(&defaults), weighed, "{algo}");
        for other in ["w1=1", "w2=0"] {
            let other = run(&["fitness=support-confidence", other]);
            assert_ne!(other, weighed, "{algo}");
        }
    }
}

#[test]
fn both_engines_place_queens_alike() {
    if gpu_wanted() {
        for algo in FOR_QUEENS {
            for problem in ["queens:70", "torus:25"] {
                let few = [problem, "--algo", algo, "--pop", "6", "--seed", "3"];
                let few = [&few[..], &["--max-generations", "14"]].concat();
                let run = assert_twins(&GPU, &few, "");
                assert_coherent(&run);
            }
        }
    }
}

#[test]
fn both_engines_tell_and_reach_the_same_optimum() {
    if gpu_wanted() {
        let args = ["torus:9", "--algo", "hgasa", "--seed", "2"];
        let cpu = run_cpu(&args).expect(0);
        let gpu = ["run", "--backend", "gpu", "--format", "json"];
        let gpu = call(&[&gpu[..], &args].concat()).expect(0);
        assert_eq!(gpu.stderr, cpu.stderr);
        assert_told(9, 2, &gpu.stderr);
        let (gpu, cpu) = (gpu.object(), cpu.object());
        for key in [
            "population_hash",
            "solution",
            "goal",
            "generations",
            "verified",
        ] {
            assert_eq!(gpu[key], cpu[key], "{key}");
        }
        assert_eq!(gpu["backend"], "gpu");
    }
}
