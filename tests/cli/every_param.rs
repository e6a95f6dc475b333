//! `--set` and `--help-params` of every algorithm.

use std::collections::HashSet;

use serde_json::Value;

use super::params::{Param, assert_refused, listed_of};
use super::support::*;

/// Digest and settings of a short run, which finds a solution only if it searches lists or needs no search.
fn short(algo: &str, pairs: &[String]) -> (String, Value) {
    let pairs: Vec<_> = pairs.iter().map(String::as_str).collect();
    let few = ["sd2", "--pop", "12", "--max-generations", "4"];
    let reply = run_cpu(&[&few[..], &["--algo", algo], &sets(&pairs)].concat());
    let may_solve = LIST_SEARCHES.contains(&algo) || pairs.contains(&NESTED);
    assert!(
        reply.code == 1 || (may_solve && reply.code == 0),
        "{algo}: {reply:?}"
    );
    let run = reply.object();
    (hash(&run).to_owned(), run["params"].clone())
}

/// The ends of a range, which `from LEAST to MOST` names.
pub fn range(kind: &str) -> Option<(&str, &str)> {
    let (least, most) = kind.split_once(" from ")?.1.split_once(" to ")?;
    Some((least, most.trim_end_matches(", or all")))
}

/// Values that a parameter must refuse.
pub fn impossible(param: &Param) -> Vec<String> {
    let mut values: Vec<String> = ["", "x", "1,5", "nan", "-1", "all of them"]
        .map(str::to_owned)
        .into();
    let Some((least, most)) = range(&param.kind) else {
        values.push(param.default.to_uppercase());
        values.push(param.words().join(" or "));
        return values;
    };
    values.extend(["inf", "-inf", "1e99", "99999999999999999999"].map(str::to_owned));
    if param.kind.starts_with("a whole number") {
        values.push("1.5".to_owned());
        values.push((least.parse::<i64>().unwrap() - 1).to_string());
        values.push((most.parse::<i64>().unwrap() + 1).to_string());
    } else {
        values.push((least.parse::<f64>().unwrap() - 0.001).to_string());
        values.push((most.parse::<f64>().unwrap() + 0.001).to_string());
    }
    if !param.kind.ends_with(", or all") {
        values.push("all".to_owned());
    }
    values
}

#[test]
fn every_parameter_has_default_source_meaning_and_values() {
    for algo in ALGORITHMS {
        let help = call(&["run", "--algo", algo, "--help-params"]).expect(0);
        assert_eq!(help.stderr, "");
        let lines: Vec<_> = help.stdout.lines().collect();
        assert!(lines[0].starts_with(&format!("{algo}: ")), "{}", lines[0]);
        let params = listed_of(algo);
        assert!(params.len() >= 5, "{algo}");
        // A head of two lines, then a blank and three lines a parameter.
        assert_eq!(lines.len(), 2 + 4 * params.len(), "{}", help.stdout);
        for param in &params {
            for part in [&param.default, &param.source, &param.meaning, &param.kind] {
                assert!(!part.is_empty(), "{algo} {}", param.key);
            }
            assert!(param.meaning.len() > 10, "{algo} {}", param.key);
        }
        let keys: HashSet<_> = params.iter().map(|param| &param.key).collect();
        assert_eq!(keys.len(), params.len(), "a key twice: {}", help.stdout);
        assert!(params.last().is_some_and(|last| last.key == "propagate"));
        let reported = short(algo, &[]).1;
        let reported: Vec<_> = reported.as_object().unwrap().keys().collect();
        assert_eq!(
            reported,
            params.iter().map(|param| &param.key).collect::<Vec<_>>()
        );
    }
}

/// What the papers' tables say, as far as they have tables.
#[test]
fn defaults_are_the_papers() {
    for (algo, table) in [
        ("nb-coin", &["c=0.25", "k=0.4", "upper=0.99"][..]),
        ("reseda", &["a=0.7", "best=0.1", "certain=0.6"]),
        (
            "ah-lsga",
            &["threshold=1", "pc=0.2", "pm=0.3", "propagate=singles"],
        ),
        ("ga", &["crossover=0.3", "mutation=0.3", "tournament=3"]),
        ("gpu-ga", &["crossover=0.3", "mutation=0.3", "tournament=3"]),
        ("hs", &["objective=missing", "domain=candidates"]),
        ("fpchs", &["improvisations=10000", "mu=4", "p=0.8"]),
    ] {
        let params = listed_of(algo);
        for pair in table {
            let (key, value) = pair.split_once('=').unwrap();
            let param = params.iter().find(|param| param.key == key).unwrap();
            assert_eq!(param.default, value, "{algo} {key}");
            assert_ne!(param.source, "reading", "{algo} {key}");
        }
    }
    for algo in ALGORITHMS {
        let level = match algo {
            "memetic" => "nested",
            "packing" | "tabu" => "probing",
            "ah-lsga" => "singles",
            _ => "none",
        };
        assert_eq!(short(algo, &[]).1["propagate"], level, "{algo}");
    }
}

#[test]
fn defaults_can_be_set_back_one_by_one_and_together() {
    for algo in ALGORITHMS {
        let usual = short(algo, &[]);
        let pair = |param: &Param| format!("{}={}", param.key, param.default);
        let pairs: Vec<_> = listed_of(algo).iter().map(pair).collect();
        for pair in &pairs {
            let alone = short(algo, std::slice::from_ref(pair));
            assert_eq!(alone, usual, "{algo} {pair}");
        }
        assert_eq!(short(algo, &pairs), usual, "{algo}");
        // What is set first is forgotten.
        let reversed: Vec<_> = pairs.iter().rev().cloned().collect();
        let before = ["propagate=probing".to_owned()];
        assert_eq!(short(algo, &[&before, &reversed[..]].concat()), usual);
    }
}

#[test]
fn both_ends_of_every_range_and_every_word_run() {
    for algo in ALGORITHMS {
        for param in listed_of(algo) {
            let mut values = param.words();
            if let Some((least, most)) = range(&param.kind) {
                values.push(least);
                if param.key != "batch" {
                    values.push(most);
                }
            }
            if param.kind.ends_with(", or all") {
                values.push("all");
            }
            assert!(values.len() >= 2, "{algo} {}: {}", param.key, param.kind);
            for value in values {
                let params = short(algo, &[format!("{}={value}", param.key)]).1;
                let reported = match &params[&param.key] {
                    Value::String(word) => word.clone(),
                    number => number.as_f64().unwrap().to_string(),
                };
                assert_eq!(reported, value, "{algo} {}", param.key);
            }
        }
    }
}

#[test]
fn values_out_of_range_are_refused_in_a_sentence() {
    for algo in ALGORITHMS {
        for param in listed_of(algo) {
            for value in impossible(&param) {
                assert_refused(&["--algo", algo], &param, &value);
            }
        }
    }
}

#[test]
fn unknown_keys_are_told_those_there_are() {
    for algo in ALGORITHMS {
        let keys: Vec<_> = listed_of(algo).into_iter().map(|param| param.key).collect();
        let upper = keys[0].to_uppercase();
        for wrong in ["nope", "", "population", &upper] {
            let pair = format!("{wrong}=1");
            let reply = call(&["run", "--algo", algo, "--set", &pair]).expect(2);
            assert_eq!(
                reply.sentence(),
                format!(
                    "{algo} has no parameter {wrong:?}; its parameters are {}",
                    keys.join(", ")
                )
            );
        }
        let reply = call(&["run", "--algo", algo, "--set", "propagate"]).expect(2);
        assert!(reply.sentence().contains("key=value"), "{reply:?}");
    }
}

#[test]
fn a_batch_has_to_fit_the_memory() {
    for algo in ["hs", "fpchs"] {
        for (pop, batch) in [("50", "batch=51"), ("1", "batch=2"), ("7", "batch=1000000")] {
            let args = ["run", "sd2", "--algo", algo, "--pop", pop, "--set", batch];
            let reply = call(&args).expect(2);
            let sentence = reply.sentence();
            for word in ["batch", &batch[6..], "from 1 to", pop, "--pop"] {
                assert!(sentence.contains(word), "{word}: {sentence}");
            }
        }
        let fits = [
            "sd2",
            "--algo",
            algo,
            "--pop",
            "7",
            "--set",
            "batch=7",
            "--max-generations",
            "3",
        ];
        let all = [&fits[..6], &["batch=all"], &fits[7..]].concat();
        let (fits, all) = (run_cpu(&fits).expect(1), run_cpu(&all).expect(1));
        assert_eq!(hash(&fits.object()), hash(&all.object()), "{algo}");
    }
}

#[test]
fn a_batch_that_does_not_fit_leaves_the_trace_as_it_was() {
    let dir = Dir::new();
    let file = dir.file("trace.csv", "precious");
    for algo in ["hs", "fpchs"] {
        let args = ["sd2", "--algo", algo, "--set", "batch=51", "--trace", &file];
        run_cpu(&args).expect(2);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "precious");
    }
    let args = ["sd2", "--algo", "hs", "--set", "batch=51"];
    run_cpu(&[&args[..], &["--max-generations", "0"]].concat()).expect(2);
}
