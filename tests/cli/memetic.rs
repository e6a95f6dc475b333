//! `memetic`, which is what `run` takes for grids, and the searches that it is made of: `packing` and `tabu`.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::gpu::{GPU, assert_twins};
use super::params::listed_of;
use super::run::{DEDUCTIONS, assert_coherent};
use super::support::*;
use super::trace::{column, csv};

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

/// A puzzle of the frozen set.
fn frozen(name: &str) -> String {
    format!(
        "{}/puzzles/generated/{name}.txt",
        env!("CARGO_MANIFEST_DIR")
    )
}

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
            let by = match known.name {
                "sd2" => "search",
                _ => "propagation",
            };
            assert_eq!(run["solved_by"], by, "{}", known.name);
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

/// What the summary has to say of propagation, from the JSON.
fn in_words(run: &Value) -> String {
    let words = |many: u64, what: &str| match many {
        0 => None,
        1 => Some(format!("1 {what}")),
        many => Some(format!("{many} {what}s")),
    };
    let did = DEDUCTIONS.map(|key| count(&run["deductions"], key));
    let both = |a: Option<String>, b: Option<String>| match (a, b) {
        (Some(a), Some(b)) => format!("{a}, {b}"),
        (a, b) => a.or(b).unwrap_or_default(),
    };
    let singles = both(
        words(did[0], "naked single"),
        words(did[1], "hidden single"),
    );
    let removed = both(
        words(did[2], "locked candidate"),
        words(did[3], "probed candidate"),
    );
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
        let levels = ["none", "singles", "locked", "probing"];
        for (at, level) in levels.into_iter().enumerate() {
            let pair = format!("propagate={level}");
            let args = [&problem, "--max-generations", "0", "--set", &pair];
            let run = run_cpu(&args).object();
            assert_coherent(&run);
            let did = DEDUCTIONS.map(|key| count(&run["deductions"], key));
            if run["solved_by"] == "propagation" {
                let open = known_as(&problem).puzzle.matches('.').count();
                assert_eq!(did[0] + did[1], open as u64, "{problem}");
            }
            assert!(at >= 1 || did[0] + did[1] == 0, "{problem} {level}");
            assert!(at >= 2 || did[2] == 0, "{problem} {level}");
            assert!(at >= 3 || did[3] == 0, "{problem} {level}");
            let text = call(&[&["run", "--backend", "cpu"], &args[..]].concat());
            let summary = text.summary();
            assert!(summary.contains(&in_words(&run)), "{summary}");
            seen.insert(did.map(|many| many.min(2)));
        }
    }
    for kind in [[0, 0, 0, 0], [2, 0, 0, 0], [0, 1, 0, 2], [0, 0, 0, 2]] {
        assert!(seen.contains(&kind), "{kind:?} is not in {seen:?}");
    }
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
        // Probing is the default.
        for pairs in [&[][..], &["propagate=probing"]] {
            let args = [&few[..], &sets(pairs), &["--trace", &file]].concat();
            let reply = assert_refuted(&args, reason, &file);
            let text = call(&[&["run"], &few[..]].concat()).expect(1);
            assert_eq!((text.stdout, text.stderr), (reply.stdout, reply.stderr));
        }
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

/// Keys of the three, with their defaults.
const DEFAULTS: [(&str, &[&str]); 3] = [
    (
        "memetic",
        &[
            "steps=200",
            "rate=1",
            "heat=0.5",
            "period=250",
            "cycle=320",
            "tabu=0.0625",
            "propagate=probing",
        ],
    ),
    (
        "packing",
        &[
            "steps=200",
            "rate=1",
            "heat=0.5",
            "period=250",
            "propagate=probing",
        ],
    ),
    (
        "tabu",
        &[
            "moves=10000",
            "tenure=1",
            "heat=0.25",
            "period=50",
            "random=6",
            "restart=7000",
            "propagate=probing",
        ],
    ),
];

#[test]
fn the_help_lists_what_can_be_set() {
    for (algo, defaults) in DEFAULTS {
        let listed: Vec<_> = listed_of(algo)
            .into_iter()
            .map(|param| format!("{}={}", param.key, param.default))
            .collect();
        assert_eq!(listed, defaults, "{algo}");
        let usual = run_cpu(&["sd2", "--algo", algo]).expect(0).object();
        let set = run_cpu(&[&["sd2", "--algo", algo], &sets(defaults)[..]].concat());
        let set = set.expect(0).object();
        assert_eq!(hash(&set), hash(&usual), "{algo}");
        assert_eq!(set["params"], usual["params"], "{algo}");
    }
}

#[test]
fn bad_values_are_refused_with_the_key() {
    for (algo, key, values) in [
        (
            "tabu",
            "moves",
            &["0", "-1", "1048577", "1.5", "", "many", "all"][..],
        ),
        (
            "tabu",
            "tenure",
            &["-0.1", "4.01", "nan", "inf", "", "short"],
        ),
        ("tabu", "heat", &["-0.1", "4.01", "nan", "-inf", "", "0,2"]),
        ("tabu", "period", &["0", "-1", "4096", "2.5", "", "1e3"]),
        ("tabu", "random", &["0", "-1", "1001", "0.5", "", "x"]),
        ("tabu", "restart", &["-1", "1000001", "0.5", "", "x"]),
        (
            "packing",
            "steps",
            &["0", "1", "-1", "10001", "1.5", "", "x"],
        ),
        ("packing", "rate", &["-0.1", "100.1", "nan", "inf", "", "x"]),
        ("memetic", "heat", &["-0.1", "100.1", "nan", "inf", "", "x"]),
        ("memetic", "cycle", &["0", "-1", "1000001", "0.5", "", "x"]),
        (
            "memetic",
            "tabu",
            &["-0.1", "0.51", "nan", "inf", "", "off"],
        ),
        ("memetic", "propagate", &["everything", "PROBING", "", "1"]),
    ] {
        for value in values {
            let pair = format!("{key}={value}");
            let reply = call(&["run", "sd2", "--algo", algo, "--set", &pair]).expect(2);
            let named = format!("{key} = {value:?} is not possible: expected ");
            assert!(reply.sentence().starts_with(&named), "{reply:?}");
        }
    }
    for wrong in ["pc1=0.5", "Steps=5", "moves=5", "=5"] {
        let sentence = call(&["run", "sd2", "--set", wrong]).expect(2);
        let sentence = sentence.sentence();
        assert!(sentence.starts_with("memetic has no parameter "));
        let keys = "steps, rate, heat, period, cycle, tabu, propagate";
        assert!(sentence.ends_with(keys), "{sentence}");
    }
}

#[test]
fn both_ends_of_every_parameter_run_and_differ() {
    for (algo, key, ends) in [
        ("tabu", "moves", ["1", "1048576"]),
        ("tabu", "tenure", ["0", "4"]),
        ("tabu", "heat", ["0", "4"]),
        ("tabu", "period", ["1", "4095"]),
        ("tabu", "random", ["1", "1000"]),
        ("tabu", "restart", ["0", "1"]),
        ("packing", "steps", ["2", "1000"]),
        ("packing", "rate", ["0", "100"]),
        ("packing", "heat", ["0", "100"]),
        ("packing", "period", ["1", "4095"]),
        ("memetic", "cycle", ["2", "1000000"]),
        ("memetic", "tabu", ["0", "0.5"]),
    ] {
        let digests = ends.map(|end| {
            let pair = format!("{key}={end}");
            let few = [
                "sd2",
                "--algo",
                algo,
                "--pop",
                "3",
                "--max-generations",
                "3",
            ];
            let short = match algo {
                "tabu" => &["propagate=none", "moves=50", &pair][..],
                "packing" => &["propagate=none", "steps=2", &pair],
                _ => &["propagate=none", "steps=2", "cycle=2", "tabu=0.5", &pair],
            };
            let reply = run_cpu(&[&few[..], &sets(short)].concat());
            assert!(reply.code < 2, "{pair}: {reply:?}");
            assert_eq!(reply.stderr, "", "{pair}");
            let run = reply.object();
            assert_coherent(&run);
            assert_eq!(run["params"][key].as_f64(), end.parse().ok(), "{pair}");
            hash(&run).to_owned()
        });
        assert_ne!(digests[0], digests[1], "{algo} {key}");
    }
}

#[test]
fn all_parameters_at_their_ends_together_run() {
    let ends: [(&str, &[&str]); 6] = [
        (
            "tabu",
            &["moves=1", "tenure=0", "heat=0", "period=1", "random=1"],
        ),
        (
            "tabu",
            &[
                "moves=20000",
                "tenure=4",
                "heat=4",
                "period=4095",
                "random=1000",
            ],
        ),
        ("packing", &["steps=2", "rate=0", "heat=0", "period=1"]),
        (
            "packing",
            &["steps=300", "rate=100", "heat=100", "period=4095"],
        ),
        (
            "memetic",
            &["steps=2", "rate=0", "heat=0", "cycle=1", "tabu=0"],
        ),
        (
            "memetic",
            &["steps=300", "rate=100", "heat=100", "cycle=2", "tabu=0.5"],
        ),
    ];
    let sixteen = frozen("16x16-45");
    for problem in ["1..........4....", "sd2", &sixteen] {
        for (algo, pairs) in ends {
            for pop in ["1", "9"] {
                let few = [problem, "--pop", pop, "--max-generations", "3"];
                let pairs = [pairs, &["propagate=none"]].concat();
                let args = [&few[..], &["--algo", algo], &sets(&pairs)].concat();
                let reply = run_cpu(&args);
                assert!(reply.code < 2, "{pairs:?}: {reply:?}");
                assert_coherent(&reply.object());
            }
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
fn queens_are_sent_to_the_algorithms_that_know_them() {
    for problem in ["queens:8", "torus:7"] {
        for algo in LIST_SEARCHES {
            let reply = call(&["run", problem, "--algo", algo]).expect(2);
            assert_eq!(
                reply.sentence(),
                format!(
                    "{algo} is for Sudoku and Latin squares; for {problem} there is {}",
                    FOR_QUEENS.join(", ")
                )
            );
        }
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
