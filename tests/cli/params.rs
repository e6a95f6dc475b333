//! `--set` and `--help-params`.

use super::support::*;

pub struct Param {
    pub key: String,
    pub default: String,
    pub source: String,
    pub meaning: String,
    pub kind: String,
}

impl Param {
    /// The words of a choice; nothing for numbers.
    pub fn words(&self) -> Vec<&str> {
        if self.kind.starts_with("a ") {
            return Vec::new();
        }
        self.kind.split(" or ").collect()
    }
}

/// Reads `key=default   [source]`, the meaning below it, and the values below that.
pub fn listed_of(algo: &str) -> Vec<Param> {
    let reply = call(&["run", "--algo", algo, "--help-params"]).expect(0);
    let lines: Vec<_> = reply.stdout.lines().collect();
    let param = |(at, line): (usize, &&str)| {
        let (pair, source) = line.split_once("   [")?;
        let (key, default) = pair.trim().split_once('=')?;
        Some(Param {
            key: key.to_owned(),
            default: default.to_owned(),
            source: source.trim_end_matches(']').to_owned(),
            meaning: lines[at + 1].trim().to_owned(),
            kind: lines[at + 2].trim().to_owned(),
        })
    };
    lines.iter().enumerate().filter_map(param).collect()
}

/// Whether a value that this parameter cannot have is refused in a sentence.
#[track_caller]
pub fn assert_refused(run: &[&str], param: &Param, value: &str) {
    let pair = format!("{}={value}", param.key);
    let reply = call(&[&["run"], run, &["--set", &pair]].concat()).expect(2);
    assert_eq!(
        reply.sentence(),
        format!(
            "{} = {value:?} is not possible: expected {}",
            param.key, param.kind
        )
    );
}

fn listed() -> Vec<Param> {
    listed_of("lsga")
}

/// Digest and settings of a short run.
fn short(sets: &[String]) -> (String, serde_json::Value) {
    let mut args = vec!["sd2", "--algo", "lsga"];
    args.extend(["--pop", "64", "--max-generations", "30"]);
    for set in sets {
        args.extend(["--set", set]);
    }
    let needs_no_search = sets.iter().any(|set| set == NESTED);
    let run = run_cpu(&args)
        .expect(if needs_no_search { 0 } else { 1 })
        .object();
    (hash(&run).to_owned(), run["params"].clone())
}

#[test]
fn help_lists_the_papers_table() {
    let reply = call(&["run", "--algo", "lsga", "--help-params"]).expect(0);
    assert!(reply.stdout.contains("population 150"), "{}", reply.stdout);
    let table = [
        ("elite", "50"),
        ("pc1", "0.2"),
        ("pc2", "0.1"),
        ("pm1", "0.3"),
        ("pm2", "0.05"),
        ("tournament", "2"),
    ];
    let listed = listed();
    let from_table: Vec<_> = listed
        .iter()
        .filter(|param| param.source == "Table I")
        .map(|param| (param.key.as_str(), param.default.as_str()))
        .collect();
    assert_eq!(from_table, table);
    let run = run_cpu(&["easy-1", "--algo", "lsga"]).object();
    assert_eq!(count(&run, "pop"), 150);
}

#[test]
fn without_an_algorithm_the_help_is_that_of_the_default_one() {
    for (problem, algo) in [
        (&[][..], "memetic"),
        (&["sd1"], "memetic"),
        (&["queens:8"], "hgasa"),
    ] {
        let help = |more: &[&str]| call(&[&["run", "--help-params"], problem, more].concat());
        let default = help(&[]).expect(0);
        assert!(
            default.stdout.starts_with(&format!("{algo}: ")),
            "{default:?}"
        );
        assert_eq!(default.stdout, help(&["--algo", algo]).stdout);
    }
}

#[test]
fn defaults_are_those_of_the_help() {
    let pairs: Vec<_> = listed()
        .iter()
        .map(|param| format!("{}={}", param.key, param.default))
        .collect();
    assert!(pairs.len() > 6, "{pairs:?}");
    let (usual, params) = short(&[]);
    assert_eq!(short(&pairs), (usual, params.clone()));
    let keys: Vec<_> = params.as_object().unwrap().keys().cloned().collect();
    let listed: Vec<_> = listed().into_iter().map(|param| param.key).collect();
    assert_eq!(keys, listed);
}

#[test]
fn every_reading_runs_and_differs_from_the_default() {
    let (usual, _) = short(&[]);
    let mut choices = 0;
    for param in listed() {
        for word in param.words() {
            let (digest, params) = short(&[format!("{}={word}", param.key)]);
            assert_eq!(params[&param.key], word);
            assert_eq!(
                digest == usual,
                word == param.default,
                "{}={word}",
                param.key
            );
            choices += 1;
        }
    }
    assert!(choices >= 14, "only {choices} choices found in the help");
}

#[test]
fn numbers_at_both_ends_of_their_range_run_and_are_reported() {
    let (usual, _) = short(&[]);
    for pair in [
        "pc1=0",
        "pc1=1",
        "pc2=1",
        "pm1=0",
        "pm1=1",
        "pm2=0",
        "pm2=1",
        "elite=0",
        "elite=1",
        "tournament=1",
        "tournament=1000",
        "rounds=0",
        "partners=1",
    ] {
        let (digest, params) = short(&[pair.to_owned()]);
        let (key, value) = pair.split_once('=').unwrap();
        assert_eq!(params[key].as_f64(), value.parse().ok(), "{pair}");
        assert_ne!(digest, usual, "{pair} changes nothing");
    }
    short(&["elite=10000".to_owned()]);
    short(&["rounds=1000".to_owned()]);
}

#[test]
fn the_last_of_several_settings_counts() {
    let twice = ["pc1=0.9".to_owned(), "pc1=0.4".to_owned()];
    assert_eq!(short(&twice), short(&["pc1=0.4".to_owned()]));
    assert_eq!(short(&twice).1["pc1"], 0.4);
}
