//! `--trace` of every algorithm: what its columns say.

use serde_json::Value;

use super::algorithms::brief;
use super::support::*;
use super::trace::{column, csv, timeless};

const COLUMNS: &str =
    "problem,seed,generation,best,mean,worst,diversity,swaps,operator,algo,evaluations,seconds";

/// Runs with a trace and returns both.
fn traced(dir: &Dir, args: &[&str]) -> (String, Value) {
    let file = dir.at("trace.csv");
    let run = run_cpu(&[args, &["--trace", &file]].concat());
    assert!(run.code < 2, "{run:?}");
    (file, run.object())
}

/// The operators of a run, generation by generation.
fn operators(file: &str) -> Vec<String> {
    csv(file).1.into_iter().map(|row| row[8].clone()).collect()
}

#[test]
fn columns_agree_with_each_other_and_with_the_run() {
    let dir = Dir::new();
    for algo in ALGORITHMS {
        let few = ["hard-106", "--pop", "24", "--max-generations", "15"];
        let (file, run) = traced(&dir, &[&few[..], &brief(algo)].concat());
        let (header, rows) = csv(&file);
        assert_eq!(header.join(","), COLUMNS);
        assert!(
            rows.iter()
                .all(|row| row[0] == "\"hard-106\"" && row[1] == "1")
        );
        let generations: Vec<_> = column(&file, "generation");
        let wanted: Vec<_> = match algo {
            "gpu-ga" => vec![0.0, 5.0, 10.0, 15.0],
            _ => (0..=count(&run, "generations")).map(|g| g as f64).collect(),
        };
        assert_eq!(generations, wanted, "{algo}");
        assert_eq!(rows[0][8], "initialise", "{algo}");
        let [best, mean, worst] = ["best", "mean", "worst"].map(|name| column(&file, name));
        for ((best, mean), worst) in best.iter().zip(&mean).zip(&worst) {
            assert!(
                best <= mean && mean <= worst,
                "{algo} {best} {mean} {worst}"
            );
        }
        for diversity in column(&file, "diversity") {
            assert!((0.0..=1.0).contains(&diversity), "{algo} {diversity}");
        }
        assert!(
            column(&file, "diversity")[0] > 0.3,
            "{algo}: a random start"
        );
        let mut least = f64::INFINITY;
        let mut improved = 0;
        for &best in &best {
            improved += u64::from(best < least && least.is_finite());
            least = least.min(best);
        }
        assert_eq!(Some(least), run["best_fitness"].as_f64(), "{algo}");
        assert_eq!(count(&run, "effective_generations"), improved, "{algo}");
    }
}

#[test]
fn a_trace_changes_no_result_of_any_algorithm() {
    let dir = Dir::new();
    for algo in ALGORITHMS {
        let few = ["sd2", "--pop", "24", "--max-generations", "15"];
        let args = [&few[..], &brief(algo)].concat();
        let with = traced(&dir, &args).1;
        let without = run_cpu(&args).object();
        for key in ["population_hash", "evaluations", "generations"] {
            assert_eq!(with[key], without[key], "{algo} {key}");
        }
    }
}

#[test]
fn a_longer_run_begins_with_the_shorter_one() {
    let dir = Dir::new();
    for algo in ALGORITHMS {
        let rows = |generations| {
            let few = ["sd2", "--pop", "12", "--max-generations", generations];
            timeless(&traced(&dir, &[&few[..], &brief(algo)].concat()).0).1
        };
        let (short, long) = (rows("10"), rows("40"));
        assert!(long.len() > short.len(), "{algo}");
        assert_eq!(long[..short.len()], short, "{algo}");
    }
}

#[test]
fn one_individual_and_equal_ones_have_no_diversity() {
    let dir = Dir::new();
    for algo in ALGORITHMS {
        let few = ["sd2", "--pop", "1", "--max-generations", "5"];
        let file = traced(&dir, &[&few[..], &brief(algo)].concat()).0;
        assert!(column(&file, "diversity").iter().all(|&share| share == 0.0));
        assert_eq!(column(&file, "best"), column(&file, "worst"), "{algo}");
        let solved = ["easy-1", "--algo", algo, "--set", "propagate=singles"];
        let file = traced(&dir, &solved).0;
        assert_eq!(column(&file, "diversity"), [0.0], "{algo}");
        assert_eq!(column(&file, "worst"), [0.0], "{algo}");
        assert_eq!(operators(&file), ["initialise"], "{algo}");
    }
}

#[test]
fn swaps_are_those_of_local_search() {
    let dir = Dir::new();
    let swaps = |algo: &str, settings: &[&str]| {
        let few = ["sd2", "--pop", "20", "--max-generations", "6"];
        let args = [&few[..], &["--algo", algo], &sets(settings)].concat();
        let swaps = column(&traced(&dir, &args).0, "swaps");
        assert_eq!(swaps[0], 0.0, "{algo}: generation 0 searches nothing");
        swaps[1..].to_vec()
    };
    let all = |swaps: &[f64]| swaps.iter().all(|&swaps| swaps > 0.0);
    let none = |swaps: &[f64]| swaps.iter().all(|&swaps| swaps == 0.0);
    assert!(all(&swaps("tabu", &["moves=5"])));
    assert!(all(&swaps("packing", &["steps=2"])));
    assert!(all(&swaps("lsga", &[])));
    assert!(all(&swaps("lsga", &["column-search=off"])));
    assert!(all(&swaps("lsga", &["block-search=off"])));
    assert!(none(&swaps("lsga", &["rounds=0"])));
    assert!(none(&swaps(
        "lsga",
        &["column-search=off", "block-search=off"]
    )));
    assert!(none(&swaps("ah-lsga", &["threshold=1000"])));
    assert!(all(&swaps("ga", &[])));
    assert!(all(&swaps("gpu-ga", &["epoch=2"])));
    for algo in ["nb-coin", "reseda", "hs", "fpchs"] {
        assert!(none(&swaps(algo, &[])), "{algo} has no local search");
    }
    assert!(none(&swaps("fpchs", &["improvisations=40"])));
}

#[test]
fn one_mutant_is_no_local_search() {
    let dir = Dir::new();
    for algo in ["ga", "gpu-ga"] {
        let args = [
            "sd2",
            "--algo",
            algo,
            "--pop",
            "20",
            "--max-generations",
            "6",
        ];
        let file = traced(&dir, &[&args[..], &["--set", "mutants=1"]].concat()).0;
        assert!(
            column(&file, "swaps").iter().all(|&swaps| swaps == 0.0),
            "{algo}"
        );
    }
}

#[test]
fn steady_algorithms_name_one_operator() {
    let dir = Dir::new();
    for (algo, operator) in [
        ("packing", "packing"),
        ("tabu", "tabu"),
        ("lsga", "breed"),
        ("nb-coin", "sample"),
        ("reseda", "sample"),
        ("ga", "breed"),
        ("gpu-ga", "islands"),
        ("hs", "improvise"),
    ] {
        let few = ["sd2", "--pop", "12", "--max-generations", "10"];
        let operators = operators(&traced(&dir, &[&few[..], &brief(algo)].concat()).0);
        assert!(operators.len() >= 3, "{algo}");
        assert_eq!(operators[0], "initialise", "{algo}");
        assert!(operators[1..].iter().all(|name| name == operator), "{algo}");
    }
}

/// A purge comes after so many generations without a better best, and the count begins anew after it.
#[test]
fn ga_ii_purges_when_it_is_stuck_and_only_then() {
    let dir = Dir::new();
    for settings in [
        &["patience=2"][..],
        &["patience=5", "purge=0.2"],
        &["patience=3", "encoding=blocks"],
        &["patience=0"],
    ] {
        let patience: usize = settings[0].split_once('=').unwrap().1.parse().unwrap();
        let few = ["sd2", "--algo", "ga-ii", "--pop", "12"];
        let args = [&few[..], &["--max-generations", "60"], &sets(settings)].concat();
        let file = traced(&dir, &args).0;
        let (best, operators) = (column(&file, "best"), operators(&file));
        let (mut least, mut stagnant, mut purges) = (best[0], 0, 0);
        for generation in 1..operators.len() {
            let due = patience > 0 && stagnant == patience;
            let expected = if due { "purge" } else { "genetic" };
            assert_eq!(operators[generation], expected, "{settings:?} {generation}");
            purges += usize::from(due);
            if due || best[generation] < least {
                (least, stagnant) = (best[generation], 0);
            } else {
                stagnant += 1;
            }
        }
        assert_eq!(purges > 0, patience > 0, "{settings:?}");
    }
}

/// Generations of the GA and sweeps take turns.
#[test]
fn ga_iii_optimises_after_every_interval() {
    let dir = Dir::new();
    for (interval, sweeps) in [(3, 1), (1, 2), (4, 0), (0, 1)] {
        let pairs = [format!("interval={interval}"), format!("sweeps={sweeps}")];
        let few = ["sd2", "--algo", "ga-iii", "--pop", "12"];
        let more = ["--max-generations", "20"];
        let args = [&few[..], &more, &sets(&[&pairs[0], &pairs[1]])].concat();
        let operators = operators(&traced(&dir, &args).0);
        assert_eq!(operators.len(), 21);
        for (at, operator) in operators[1..].iter().enumerate() {
            let genetic = at % (interval + sweeps) < interval;
            let expected = if genetic { "genetic" } else { "optimise" };
            assert_eq!(operator, expected, "{pairs:?} {at}");
        }
    }
}

/// Search runs exactly in the generations before which the best has stagnated for k.
#[test]
fn ah_lsga_searches_when_it_stagnates_and_only_then() {
    let dir = Dir::new();
    for (threshold, reset) in [(1, "off"), (3, "off"), (1, "on"), (4, "on")] {
        let (k, reset_pair) = (format!("threshold={threshold}"), format!("reset={reset}"));
        let few = ["sd2", "--algo", "ah-lsga", "--pop", "12"];
        let more = ["--max-generations", "60"];
        let args = [&few[..], &more, &sets(&[&k, &reset_pair])].concat();
        let file = traced(&dir, &args).0;
        let (best, swaps) = (column(&file, "best"), column(&file, "swaps"));
        let (mut least, mut stagnant) = (best[0], 0);
        let mut seen = [0, 0];
        let operators = operators(&file);
        for generation in 1..operators.len() {
            let searching = stagnant >= threshold;
            let expected = if searching { "search" } else { "genetic" };
            assert_eq!(operators[generation], expected, "{k} {reset} {generation}");
            assert_eq!(swaps[generation] > 0.0, searching, "{k} {generation}");
            seen[usize::from(searching)] += 1;
            stagnant = match best[generation] < least {
                true => 0,
                false if searching && reset == "on" => 0,
                false => stagnant + 1,
            };
            least = least.min(best[generation]);
        }
        assert!(seen[0] > 3 && seen[1] > 3, "{k} {reset}: {seen:?}");
    }
}

#[test]
fn fpchs_improvises_first_and_pollinates_then() {
    let dir = Dir::new();
    for (settings, improvised) in [
        (&["improvisations=0"][..], 0),
        (&["improvisations=1"], 1),
        (&["improvisations=48"], 4),
        (&["improvisations=49"], 5),
        (&["improvisations=20", "batch=3"], 7),
        (&["improvisations=10000"], 12),
    ] {
        let few = ["sd2", "--algo", "fpchs", "--pop", "12"];
        let args = [&few[..], &["--max-generations", "12"], &sets(settings)].concat();
        let operators = operators(&traced(&dir, &args).0);
        let expected = |generation| match generation {
            0 => "initialise",
            g if g <= improvised => "improvise",
            _ => "pollinate",
        };
        let expected: Vec<_> = (0..=12).map(expected).collect();
        assert_eq!(operators, expected, "{settings:?}");
    }
}

#[test]
fn islands_have_a_row_for_each_epoch_and_one_for_the_rest() {
    let dir = Dir::new();
    for (epoch, expected) in [
        ("epoch=4", &[0.0, 4.0, 8.0, 10.0][..]),
        ("epoch=10", &[0.0, 10.0]),
        ("epoch=100", &[0.0, 10.0]),
    ] {
        let few = [
            "sd2",
            "--algo",
            "gpu-ga",
            "--pop",
            "12",
            "--max-generations",
            "10",
        ];
        let file = traced(&dir, &[&few[..], &["--set", epoch]].concat()).0;
        assert_eq!(column(&file, "generation"), expected, "{epoch}");
    }
}

/// hs and fpchs keep what is good: their best and their worst never get worse.
#[test]
fn a_harmony_memory_only_improves() {
    let dir = Dir::new();
    for algo in ["hs", "fpchs"] {
        let few = ["sd2", "--pop", "20", "--max-generations", "40"];
        let file = traced(&dir, &[&few[..], &brief(algo)].concat()).0;
        for name in ["best", "mean", "worst"] {
            let falling = column(&file, name);
            assert!(
                falling.is_sorted_by(|a, b| a >= b),
                "{algo} {name}: {falling:?}"
            );
        }
    }
}

#[test]
fn both_engines_write_the_same_trace() {
    if gpu_wanted() {
        let dir = Dir::new();
        for algo in ALGORITHMS {
            let few = ["easy-11", "--pop", "13", "--max-generations", "6"];
            let args = [&few[..], &brief(algo)].concat();
            let cpu = timeless(&traced(&dir, &args).0);
            let file = dir.at("gpu.csv");
            let gpu = ["run", "--backend", "gpu", "--trace", &file];
            assert!(call(&[&gpu[..], &args].concat()).code < 2);
            assert_eq!(timeless(&file), cpu, "{algo}");
        }
    }
}
