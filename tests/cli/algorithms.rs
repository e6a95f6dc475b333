//! Every algorithm: what all of them owe to their users.

use serde_json::Value;

use super::gpu::{GPU, assert_twins};
use super::run::assert_coherent;
use super::support::*;

/// An algorithm with settings under which a run takes little time but does what is its own:
/// list searches have to search and to cool down, memetic to hand over, ah-lsga to evolve, ga-ii to purge, ga-iii to optimise, gpu-ga to migrate, fpchs to pollinate.
pub fn brief(algo: &str) -> Vec<&str> {
    let pairs: &[_] = match algo {
        "memetic" => &[
            "propagate=none",
            "steps=2",
            "rate=100",
            "cycle=3",
            "tabu=0.4",
        ],
        "packing" => &["propagate=none", "steps=2", "rate=100", "period=4"],
        "tabu" => &["propagate=none", "moves=5", "period=4"],
        "ah-lsga" => &["propagate=none"],
        "ga-ii" => &["patience=3"],
        "ga-iii" => &["interval=3"],
        "gpu-ga" => &["island=8", "epoch=5"],
        "fpchs" => &["improvisations=96"],
        _ => &[],
    };
    [&["--algo", algo], &sets(pairs)[..]].concat()
}

/// Everything of a run that must not change when it is repeated.
fn outcome(run: &Value) -> Vec<Value> {
    let mut run = run.clone();
    for measured in ["seconds", "adapter", "backend"] {
        assert!(!run[measured].is_null(), "{measured}");
        run[measured] = Value::Null;
    }
    run.as_object().unwrap().values().cloned().collect()
}

#[test]
fn every_algorithm_solves_an_easy_puzzle() {
    let easy = known_as("fpchs-1");
    for algo in ALGORITHMS {
        let reply = run_cpu(&["fpchs-1", "--algo", algo]).expect(0);
        assert_eq!(reply.stderr, "", "{algo}");
        let run = reply.object();
        assert_coherent(&run);
        assert_eq!(
            (&run["algo"], &run["verified"]),
            (&algo.into(), &true.into())
        );
        assert_eq!(run["solution"], easy.solution, "{algo}");
        let by = match algo {
            "memetic" | "packing" | "tabu" | "ah-lsga" => "propagation",
            _ => "search",
        };
        assert_eq!(run["solved_by"], by, "{algo}");
        assert!(run["false_zero"].is_null(), "{run}");
        let text = call(&["run", "fpchs-1", "--algo", algo, "--backend", "cpu"]).expect(0);
        let words = format!("; {algo} pop {} seed 1 on cpu", count(&run, "pop"));
        assert!(text.summary().contains(&words), "{text:?}");
        let check = call_with(&["check", "-"], text.stdout.as_bytes()).expect(0);
        assert!(check.stdout.contains("solved, and valid"), "{check:?}");
    }
}

#[test]
fn ah_lsga_solves_what_propagation_leaves() {
    for (problem, propagate) in [("fpchs-1", "propagate=none"), ("sd1", "propagate=singles")] {
        let run = run_cpu(&[problem, "--algo", "ah-lsga", "--set", propagate])
            .expect(0)
            .object();
        assert_coherent(&run);
        assert_eq!(run["solution"], known_as(problem).solution);
        assert_eq!(run["solved_by"], "search");
        assert!(count(&run, "generations") > 0, "{run}");
    }
}

/// Populations and budgets of the publications, as `--help-params` gives them.
#[test]
fn without_pop_and_budget_those_of_the_help_are_taken() {
    for algo in ALGORITHMS {
        let help = call(&["run", "--algo", algo, "--help-params"]).expect(0);
        let run = run_cpu(&["easy-1", "--algo", algo, "--time-limit", "0"]).object();
        let population = format!("; population {}, at most ", count(&run, "pop"));
        assert!(help.stdout.contains(&population), "{}", help.stdout);
    }
    for (algo, generations) in [("hs", 200), ("fpchs", 400)] {
        let help = call(&["run", "--algo", algo, "--help-params"]).stdout;
        assert!(help.contains(&format!("at most {generations} generations")));
        let run = run_cpu(&["sd2", "--algo", algo]).expect(1).object();
        assert_eq!(count(&run, "generations"), generations, "{algo}");
    }
}

#[test]
fn both_engines_solve_alike() {
    if gpu_wanted() {
        for algo in ALGORITHMS {
            let small = match algo {
                "memetic" => sets(&["propagate=none", "steps=9", "cycle=2", "tabu=0.5"]),
                "packing" => sets(&["propagate=none", "steps=9"]),
                "tabu" => sets(&["propagate=none", "moves=10"]),
                "gpu-ga" => sets(&["island=16", "epoch=10"]),
                "ah-lsga" => sets(&["propagate=none"]),
                _ => Vec::new(),
            };
            let args = ["fpchs-1", "--algo", algo, "--pop", "96", "--seed", "1"];
            let run = assert_twins(&GPU, &[&args[..], &small].concat(), "");
            assert_eq!(run["solution"], known_as("fpchs-1").solution, "{algo}");
        }
    }
}

#[test]
fn both_engines_fail_alike() {
    if gpu_wanted() {
        let puzzle = "1.....\n...2..\n....3.\n.4....\n..5...\n.....6\n";
        for algo in ALGORITHMS {
            let few = ["-", "--box", "3x2", "--pop", "21", "--max-generations", "7"];
            assert_twins(&GPU, &[&few[..], &brief(algo)].concat(), puzzle);
        }
    }
}

/// A driver that cuts loops short must be an error (exit status 3), never another result.
#[test]
fn both_engines_run_long_epochs_alike() {
    if gpu_wanted() {
        let few = ["fpchs-1", "--algo", "gpu-ga", "--max-generations", "40"];
        for (pop, island) in [
            ("96", "island=16"),
            ("32", "island=32"),
            ("64", "island=64"),
        ] {
            let args = [&few[..], &["--pop", pop, "--set", island]].concat();
            assert_twins(&GPU, &args, "");
        }
    }
}

#[test]
fn a_population_of_one_is_enough_for_every_algorithm() {
    for algo in ALGORITHMS {
        for problem in ["sd3", "easy-1"] {
            let few = [problem, "--pop", "1", "--max-generations", "12"];
            let reply = run_cpu(&[&few[..], &brief(algo)].concat());
            assert!(reply.code < 2, "{algo}: {reply:?}");
            assert_eq!(reply.stderr, "", "{algo}");
            assert_coherent(&reply.object());
        }
    }
}

#[test]
fn no_generations_and_no_time_leave_the_first_population() {
    for algo in ALGORITHMS {
        let none = [
            &["sd3", "--pop", "9", "--max-generations", "0"],
            &brief(algo)[..],
        ];
        let none = run_cpu(&none.concat()).expect(1).object();
        let no_time = [
            &["sd3", "--pop", "9", "--time-limit", "0"],
            &brief(algo)[..],
        ];
        let no_time = run_cpu(&no_time.concat()).expect(1).object();
        for run in [&none, &no_time] {
            assert_coherent(run);
            assert_eq!(
                (count(run, "generations"), count(run, "evaluations")),
                (0, 9)
            );
        }
        assert_eq!(hash(&none), hash(&no_time), "{algo}");
    }
}

#[test]
fn repetition_and_threads_change_nothing_and_seeds_do() {
    for algo in ALGORITHMS {
        let few = ["sd2", "--pop", "37", "--max-generations", "11"];
        let run = |seed: &str, threads: &str| {
            let own = ["--seed", seed, "--threads", threads];
            let run = run_cpu(&[&few[..], &own, &brief(algo)].concat()).expect(1);
            outcome(&run.object())
        };
        let first = run("5", "1");
        for threads in ["1", "2", "3"] {
            assert_eq!(run("5", threads), first, "{algo}, {threads} threads");
        }
        let hash = |outcome: &[Value]| outcome[13].clone();
        let digest = hash(&first);
        assert_eq!(digest.as_str().map(str::len), Some(16), "{first:?}");
        for other in ["6", "0", "18446744073709551615"] {
            assert_ne!(hash(&run(other, "2")), digest, "{algo}, seed {other}");
        }
    }
}

#[test]
fn runs_of_a_command_are_those_of_their_seeds_alone() {
    for algo in ALGORITHMS {
        let few = [
            &["sd2", "--pop", "16", "--max-generations", "9"],
            &brief(algo)[..],
        ]
        .concat();
        let together = [&few[..], &["--runs", "3", "--seed", "7"]].concat();
        let runs = run_cpu(&together).expect(1).objects();
        assert_eq!(runs.len(), 3);
        for (run, seed) in runs.iter().zip(["7", "8", "9"]) {
            let alone = run_cpu(&[&few[..], &["--seed", seed]].concat()).object();
            assert_eq!(outcome(run), outcome(&alone), "{algo}");
        }
    }
}

/// An evaluation is a grid whose fitness was computed: the first population, then in every
/// generation each individual, each move (tabu), each step (packing), each mutant of each child (ga), each
/// improvisation (hs).
#[test]
fn evaluations_are_counted_as_documented() {
    let (pop, generations) = (24, 10);
    for (algo, settings, expected) in [
        ("tabu", &["moves=1"][..], pop + generations * pop),
        ("tabu", &["moves=7"], pop + generations * pop * 7),
        // Blanks of sd2, and a tabu move for twelve steps of each individual.
        (
            "packing",
            &["steps=2", "propagate=none"],
            pop + generations * pop * 2 * 58,
        ),
        (
            "memetic",
            &["steps=2", "cycle=2", "tabu=0.5", "propagate=none"],
            pop + generations / 2 * pop * (2 * 58 + 2 * 58 / 12),
        ),
        ("lsga", &["elite=0"], pop + generations * pop),
        ("nb-coin", &[], pop + generations * pop),
        ("nb-coin", &["retries=100"], pop + generations * pop),
        ("reseda", &[], pop + generations * pop),
        ("ah-lsga", &[], pop + generations * pop),
        ("ah-lsga", &["threshold=3"], pop + generations * pop),
        ("ga", &[], pop + generations * pop * 2),
        ("ga", &["mutants=1"], pop + generations * pop),
        ("ga", &["mutants=5"], pop + generations * pop * 5),
        ("ga-ii", &["patience=2"], pop + generations * pop),
        (
            "ga-ii",
            &["encoding=blocks", "mutants=3", "patience=0"],
            pop + generations * pop * 3,
        ),
        // Two cycles of four generations and a sweep.
        (
            "ga-iii",
            &["interval=4", "sweeps=1"],
            pop + 8 * pop * 2 + 2 * pop,
        ),
        ("ga-iii", &["interval=0"], pop + generations * pop),
        (
            "gpu-ga",
            &["island=8", "epoch=4"],
            pop + generations * pop * 2,
        ),
        ("gpu-ga", &["mutants=3"], pop + generations * pop * 3),
        ("hs", &[], pop + generations * pop),
        ("hs", &["batch=1"], pop + generations),
        ("hs", &["batch=7"], pop + generations * 7),
        ("fpchs", &[], pop + generations * pop),
        // 30 improvisations are three generations of ten; seven of pollination follow.
        (
            "fpchs",
            &["batch=10", "improvisations=30"],
            pop + 3 * 10 + 7 * pop,
        ),
        (
            "fpchs",
            &["batch=10", "improvisations=31"],
            pop + 4 * 10 + 6 * pop,
        ),
        (
            "fpchs",
            &["batch=1", "improvisations=0"],
            pop + generations * pop,
        ),
    ] {
        let few = ["sd2", "--pop", "24", "--max-generations", "10"];
        let args = [&few[..], &["--algo", algo], &sets(settings)].concat();
        let run = run_cpu(&args).expect(1).object();
        assert_eq!(count(&run, "generations"), generations, "{algo}");
        assert_eq!(count(&run, "evaluations"), expected, "{algo} {settings:?}");
    }
}

/// The elite queue of lsga evaluates those whom it re-initialises, too: at most one for each
/// individual and generation.
#[test]
fn the_elite_queue_adds_a_few_evaluations() {
    let few = ["sd2", "--pop", "24", "--max-generations", "10"];
    let args = [&few[..], &["--algo", "lsga"]].concat();
    let evaluations = count(&run_cpu(&args).expect(1).object(), "evaluations");
    assert!((24 + 240 + 1..=24 + 480).contains(&evaluations));
}

/// gpu-ga looks for solutions at the end of an epoch only, and counts whole epochs.
#[test]
fn islands_end_with_an_epoch_or_with_the_budget() {
    let args = ["fpchs-1", "--algo", "gpu-ga", "--set", "epoch=30"];
    let run = run_cpu(&args).expect(0).object();
    assert_eq!(count(&run, "generations") % 30, 0, "{run}");
    let args = ["sd2", "--algo", "gpu-ga", "--max-generations", "45"];
    for epoch in ["epoch=30", "epoch=1000", "epoch=1"] {
        let run = run_cpu(&[&args[..], &["--pop", "8", "--set", epoch]].concat());
        assert_eq!(count(&run.expect(1).object(), "generations"), 45);
    }
}

#[test]
fn unknown_algorithms_are_told_those_there_are() {
    for wrong in ["nope", "", "LSGA", "lsga ", "nb_coin", "gpuga"] {
        for more in [&[][..], &["--help-params"], &["--set", "pc1=0.5"]] {
            let reply = call(&[&["run", "--algo", wrong], more].concat()).expect(2);
            let sentence = reply.sentence();
            assert!(sentence.contains(&format!("{wrong:?}")), "{sentence}");
            let listed = sentence.rsplit_once("there is ").unwrap().1;
            assert_eq!(listed.split(", ").collect::<Vec<_>>(), ALGORITHMS);
        }
    }
}

#[test]
fn algorithms_for_grids_name_those_for_queens() {
    for algo in ALGORITHMS.iter().filter(|algo| !FOR_QUEENS.contains(algo)) {
        for problem in ["queens:8", "torus:5"] {
            let reply = call(&["run", problem, "--algo", algo]).expect(2);
            assert_eq!(
                reply.sentence(),
                format!(
                    "{algo} is for Sudoku and Latin squares; for {problem} there is {}",
                    FOR_QUEENS.join(", ")
                )
            );
        }
    }
}
