//! `tabu`: moves, traces and budgets of tabu searches.

use super::gpu::{GPU, assert_twins};
use super::run::assert_coherent;
use super::support::*;
use super::trace::{column, csv};

/// A Latin square without a solution. After one move, only cells with one candidate are in conflict.
const STUCK: &str = "0 0 0 1 0\n4 5 0 0 3\n0 3 0 0 1\n0 1 2 3 4\n1 4 3 0 5\n";

#[test]
fn moves_that_nobody_can_make_are_not_counted() {
    let few = ["-", "--latin", "--pop", "1", "--max-generations", "3"];
    let pairs = sets(&["propagate=none", "moves=50"]);
    let args = [&few[..], &["--algo", "tabu"], &pairs].concat();
    let run = run_cpu_with(&args, STUCK.as_bytes()).expect(1).object();
    assert_eq!(
        (count(&run, "best_fitness"), count(&run, "evaluations")),
        (2, 1 + 1)
    );
    if gpu_wanted() {
        assert_twins(&GPU, &args, STUCK);
    }
}

/// Pairs of cells of a 9x9 grid that hold the same digit and see each other.
fn conflicts(digits: &[u32]) -> u64 {
    assert_eq!(digits.len(), 81);
    let units = |cell: usize| [cell / 9, cell % 9, cell / 27 * 3 + cell % 9 / 3];
    let see = |a, b| units(a).iter().zip(units(b)).any(|(a, b)| *a == b);
    let pairs = (0..81).flat_map(|b| (0..b).map(move |a| (a, b)));
    pairs
        .filter(|&(a, b)| digits[a] == digits[b] && see(a, b))
        .count() as u64
}

#[test]
fn the_best_fitness_is_the_conflicts_of_the_grid_that_is_drawn() {
    for seed in ["1", "2", "3"] {
        for level in ["propagate=none", "propagate=probing"] {
            let few = ["sd2", "--seed", seed, "--max-generations", "2"];
            let tabu = ["--algo", "tabu", "--set", "moves=3", "--set", level];
            let args = [&few[..], &tabu].concat();
            let best = count(&run_cpu(&args).expect(1).object(), "best_fitness");
            let text = call(&[&["run", "--backend", "cpu"], &args[..]].concat()).expect(1);
            let told = format!(": not solved (best {best}), generations spent; ");
            assert!(text.summary().contains(&told), "{text:?}");
            let rows = text.stdout.lines().filter(|line| line.starts_with('|'));
            let digits: Vec<_> = rows
                .flat_map(|row| row.chars().filter_map(|c| c.to_digit(10)))
                .collect();
            assert!(best > 0);
            assert_eq!(conflicts(&digits), best, "{}", text.stdout);
        }
    }
}

#[test]
fn budgets_are_kept_on_a_grid_that_takes_longer() {
    let file = frozen("36x36-50");
    for (budget, generations) in [
        (["--time-limit", "0"], 0..=0),
        (["--max-generations", "0"], 0..=0),
        (["--max-generations", "1"], 1..=1),
        (["--time-limit", "0.1"], 0..=999_999),
    ] {
        let tabu = ["--algo", "tabu", "--set", "moves=500"];
        let args = [&[file.as_str()], &budget[..], &tabu].concat();
        let run = run_cpu(&args).expect(1).object();
        assert_coherent(&run);
        let made = count(&run, "generations");
        assert!(generations.contains(&made), "{budget:?}: {run}");
        if budget[0] == "--time-limit" {
            let limit: f64 = budget[1].parse().unwrap();
            assert!(run["seconds"].as_f64().unwrap() >= limit, "{run}");
        }
        assert_eq!(count(&run, "evaluations"), 4 + made * 4 * 500);
        let text = call(&[&["run", "--backend", "cpu"], &args[..]].concat()).expect(1);
        let why = match budget[0] {
            "--time-limit" => "), time is up; tabu pop 4 ",
            _ => "), generations spent; tabu pop 4 ",
        };
        assert!(text.summary().contains(why), "{}", text.summary());
    }
}

#[test]
fn a_trace_counts_the_moves_of_every_generation() {
    let dir = Dir::new();
    let file = dir.at("trace.csv");
    let few = ["sd2", "--pop", "6", "--max-generations", "12"];
    let pairs = sets(&["propagate=singles", "moves=7", "period=5"]);
    let tabu = ["--algo", "tabu", "--trace", &file];
    let args = [&few[..], &tabu, &pairs].concat();
    let run = run_cpu(&args).expect(1).object();
    let rows = csv(&file).1;
    let operators: Vec<_> = rows.iter().map(|row| row[8].as_str()).collect();
    let expected = [&["initialise"][..], &["tabu"; 12]].concat();
    assert_eq!(operators, expected);
    let generations: Vec<_> = (0..=12).map(f64::from).collect();
    assert_eq!(column(&file, "generation"), generations);
    let swaps = column(&file, "swaps");
    assert_eq!(swaps, [&[0.0][..], &[42.0; 12]].concat());
    let [best, mean, worst] = ["best", "mean", "worst"].map(|name| column(&file, name));
    for ((best, mean), worst) in best.iter().zip(&mean).zip(&worst) {
        assert!(0.0 < *best && best <= mean && mean <= worst);
    }
    // Tabu search comes down from a random grid, and nobody copies anybody.
    assert!(worst[12] < best[0], "{best:?} {worst:?}");
    assert!(column(&file, "diversity").iter().all(|&share| share > 0.1));
    assert_eq!(best.last().copied(), run["best_fitness"].as_f64());
}

#[test]
fn everybody_begins_anew_after_so_many_generations() {
    let dir = Dir::new();
    let file = dir.at("trace.csv");
    let few = ["sd2", "--pop", "3", "--max-generations", "7"];
    let pairs = sets(&["propagate=singles", "moves=30", "restart=1"]);
    let args = [&few[..], &["--algo", "tabu"], &pairs].concat();
    let run = run_cpu(&[&args[..], &["--trace", &file]].concat());
    let run = run.expect(1).object();
    let rows = csv(&file).1;
    let operators: Vec<_> = rows.iter().map(|row| row[8].as_str()).collect();
    let round = ["tabu", "tabu", "restart"];
    let expected = [&["initialise"][..], &round, &round, &["tabu"]].concat();
    assert_eq!(operators, expected);
    let best = column(&file, "best");
    assert!(best[3] > best[2] && best[6] > best[5], "{best:?}");
    assert_eq!(count(&run, "evaluations"), 3 * (1 + 5 * 30 + 2));
    if gpu_wanted() {
        assert_twins(&GPU, &args, "");
    }
}

#[test]
fn the_trace_of_a_solved_run_ends_with_the_solution() {
    let dir = Dir::new();
    let file = dir.at("trace.csv");
    for (problem, pairs) in [
        ("sd2", &["propagate=none", "moves=100"][..]),
        (&frozen("25x25-45"), &[]),
    ] {
        let tabu = [problem, "--algo", "tabu", "--trace", &file];
        let args = [&tabu, &sets(pairs)[..]].concat();
        let run = run_cpu(&args).expect(0).object();
        let made = count(&run, "generations");
        let best = column(&file, "best");
        assert_eq!(best.len() as u64, made + 1, "{problem}");
        assert!(made > 1, "{problem}");
        assert_eq!(
            best.iter().position(|&best| best == 0.0),
            Some(made as usize)
        );
        let swaps = column(&file, "swaps");
        let full = 4.0 * run["params"]["moves"].as_f64().unwrap();
        let (last, before) = swaps[1..].split_last().unwrap();
        assert!(before.iter().all(|&swaps| swaps == full), "{swaps:?}");
        // Who has found it makes no further moves.
        assert!(0.0 < *last && *last < full, "{last}");
        let moves = count(&run, "evaluations") - 4;
        assert_eq!(swaps.iter().sum::<f64>(), moves as f64, "{problem}");
    }
}
