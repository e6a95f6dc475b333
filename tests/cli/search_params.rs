//! Parameters of the searches of lists: `memetic`, `packing` and `tabu`.

use super::params::listed_of;
use super::run::assert_coherent;
use super::support::*;

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
            "propagate=nested",
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
