//! `--set` of the algorithms for queens, on queens.

use serde_json::Value;

use super::every_param::{impossible, range};
use super::params::{Param, assert_refused, listed_of};
use super::run::assert_coherent;
use super::support::*;
use super::trace::{column, csv};

/// Settings under which every key has something to do within few generations.
fn base(algo: &str) -> &'static [&'static str] {
    match algo {
        "hgasa" => &["temperature=1", "stagnation=4", "pc=1", "hold=2"],
        "hgsaga" => &["stagnation=4"],
        _ => &[],
    }
}

fn short(problem: &str, algo: &str, pairs: &[&str]) -> Value {
    let few = [
        problem,
        "--algo",
        algo,
        "--pop",
        "20",
        "--max-generations",
        "14",
    ];
    let reply = run_cpu(&[&few[..], &sets(base(algo)), &sets(pairs)].concat());
    assert!(reply.code < 2, "{algo} {pairs:?}: {reply:?}");
    let run = reply.object();
    assert_coherent(&run);
    run
}

/// Both ends of a range, or all words.
fn values(param: &Param) -> Vec<&str> {
    let mut values = param.words();
    values.extend(
        range(&param.kind)
            .map(|ends| [ends.0, ends.1])
            .into_iter()
            .flatten(),
    );
    assert!(values.len() >= 2, "{}", param.kind);
    values
}

/// Grids only, other settings only, or long runs only.
const IDLE: [&str; 5] = ["bricks", "propagate", "w1", "w2", "restart"];

#[test]
fn extremes_run_on_queens_and_every_key_matters() {
    for algo in FOR_QUEENS {
        let usual = short("queens:36", algo, &[]);
        for param in listed_of(algo) {
            let mut matters = false;
            for value in values(&param) {
                let run = short("queens:36", algo, &[&format!("{}={value}", param.key)]);
                let reported = match &run["params"][&param.key] {
                    Value::String(word) => word.clone(),
                    number => number.as_f64().unwrap().to_string(),
                };
                assert_eq!(reported, value, "{algo} {}", param.key);
                matters |= hash(&run) != hash(&usual);
            }
            let idle = IDLE.contains(&param.key.as_str());
            assert_eq!(matters, !idle, "{algo} {}", param.key);
        }
    }
}

#[test]
fn extremes_run_on_an_impossible_torus() {
    for algo in FOR_QUEENS {
        for param in listed_of(algo)
            .iter()
            .filter(|param| param.key != "fitness")
        {
            for value in values(param) {
                let run = short("torus:6", algo, &[&format!("{}={value}", param.key)]);
                assert_eq!(count(&run, "goal"), 3, "{algo} {} {value}", param.key);
            }
        }
    }
}

/// All extremes at once: what each allows, all together must.
#[test]
fn all_keys_at_their_ends_together_run() {
    for algo in FOR_QUEENS {
        let params = listed_of(algo);
        for end in [0, 1] {
            let pair = |param: &Param| format!("{}={}", param.key, values(param)[end]);
            // Ten thousand sweeps take their time, and so do thousand tries of thousand genes.
            let slow = ["sweeps", "genes"];
            let pairs: Vec<_> = params
                .iter()
                .filter(|p| !slow.contains(&p.key.as_str()))
                .map(pair)
                .collect();
            let pairs: Vec<_> = pairs.iter().map(String::as_str).collect();
            for problem in ["queens:9", "torus:7", "sd2"] {
                short(problem, algo, &pairs);
            }
        }
    }
}

#[test]
fn nonsense_is_refused_on_queens() {
    for algo in FOR_QUEENS {
        for param in listed_of(algo) {
            let nonsense = impossible(&param);
            for value in [&nonsense[1], nonsense.last().unwrap()] {
                assert_refused(&["queens:8", "--algo", algo], &param, value);
            }
        }
    }
}

#[test]
fn the_weights_are_the_papers() {
    for algo in FOR_QUEENS {
        let params = listed_of(algo);
        for (key, default) in [("fitness", "conflicts"), ("w1", "0.2"), ("w2", "0.8")] {
            let param = params.iter().find(|param| param.key == key).unwrap();
            assert_eq!(param.default, default, "{algo} {key}");
            assert_ne!(param.source, "reading", "{algo} {key}");
        }
    }
}

/// The operators of a run of so many generations without a solution.
fn operators(args: &[&str]) -> Vec<String> {
    let dir = Dir::new();
    let file = dir.at("trace.csv");
    let few = [
        "queens:80",
        "--pop",
        "20",
        "--trace",
        &file,
        "--max-generations",
        "24",
    ];
    run_cpu(&[&few[..], args].concat()).expect(1);
    let mut names: Vec<_> = csv(&file).1.into_iter().map(|row| row[8].clone()).collect();
    assert_eq!(names.remove(0), "initialise");
    assert_eq!(names.len(), 24);
    names
}

#[test]
fn swarm_and_genetic_algorithm_take_turns_as_set() {
    for (swarm, genetic) in [(1, 1), (3, 1), (2, 5)] {
        let pairs = [
            format!("swarm-turn={swarm}"),
            format!("genetic-turn={genetic}"),
        ];
        let pairs = pairs.each_ref().map(String::as_str);
        let names = operators(&[&["--algo", "hpsoga"], &sets(&pairs)[..]].concat());
        for (at, name) in names.iter().enumerate() {
            let turn = if at % (swarm + genetic) < swarm {
                "swarm"
            } else {
                "genetic"
            };
            assert_eq!(name, turn, "{pairs:?}: generation {}", at + 1);
        }
    }
}

/// The last phase begins once and lasts.
#[test]
fn the_phases_of_hybrids_change_as_set() {
    for (algo, pairs, first, then) in [
        ("hgsaga", &["stagnation=1"][..], "gravity", "genetic"),
        ("hgsaga", &["stagnation=6"], "gravity", "genetic"),
        ("hgasa", &["stagnation=1"], "genetic", "anneal"),
        ("hgasa", &["stagnation=5"], "genetic", "anneal"),
    ] {
        let names = operators(&[&["--algo", algo], &sets(pairs)[..]].concat());
        let turn = names.iter().position(|name| name == then).unwrap();
        assert!(turn >= 1, "{algo} {pairs:?}: {names:?}");
        assert!(
            names[..turn].iter().all(|name| name == first),
            "{algo}: {names:?}"
        );
        assert!(
            names[turn..].iter().all(|name| name == then),
            "{algo}: {names:?}"
        );
    }
    for (algo, pair, only) in [
        ("hgsaga", "stagnation=1000000", "gravity"),
        ("hgasa", "stagnation=1000000", "genetic"),
        ("hgasa", "switch=1000000", "anneal"),
    ] {
        let names = operators(&["--algo", algo, "--set", pair]);
        assert!(
            names.iter().all(|name| name == only),
            "{algo} {pair}: {names:?}"
        );
    }
}

/// A restart throws the population away: nothing else here makes the best worse.
#[test]
fn a_restart_begins_anew_and_none_never() {
    let dir = Dir::new();
    let file = dir.at("trace.csv");
    for algo in ["hpsoga", "hgsaga"] {
        for (pair, restarts) in [("restart=1", true), ("restart=0", false)] {
            let few = ["torus:25", "--algo", algo, "--pop", "8", "--trace", &file];
            let more = ["--max-generations", "300", "--set", pair];
            run_cpu(&[&few[..], &more].concat()).expect(1);
            let diversity = column(&file, "diversity");
            let jumps = diversity
                .windows(2)
                .filter(|pair| pair[1] > pair[0] + 0.3)
                .count();
            assert_eq!(jumps > 0, restarts, "{algo} {pair}: {diversity:?}");
        }
    }
}
