//! Equal runs end equally, on every engine; `compare` and `report` notice when they do not.

use serde_json::{Value, json};

use super::lab::*;
use super::support::*;

fn report(dir: &Dir, file: &str) -> Reply {
    call(&["report", file, "--out", &dir.at("page.html")])
}

/// Shaders that count one too many, beside native code that counts right.
#[test]
fn engines_that_disagree_are_found_out() {
    if !gpu_wanted() {
        return;
    }
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    let args = [
        "--algo",
        "ga",
        "--problem",
        "easy-1,sd3",
        "--runs",
        "2",
        "--pop",
        "8",
        "--seed",
        "6",
        "--backend",
        "cpu,gpu",
        "--budget",
        "generations=5",
    ];
    let compare = |faults: &[(&str, &str)]| {
        let mut command = compare_program();
        command.args(args).args(["--out", &file]);
        command.envs(faults.iter().copied());
        answer(command, b"")
    };
    let reply = compare(&[("GPUSUDOKU_FAULTS", "miscount")]).expect(4);
    let runs = timeless_runs(&file);
    let of = |contender: &str| &runs[&(contender.to_owned(), "easy-1".to_owned(), 0)];
    let [cpu, gpu] = ["ga/cpu", "ga/gpu"].map(of);
    assert_ne!(hash(cpu), hash(gpu), "the fault does nothing");
    let sentence = reply.stderr.lines().last().unwrap();
    for part in [
        "gpusudoku: equal runs on easy-1 with seed 6 ",
        "by ga/cpu on cpu",
        "by ga/gpu on gpu",
        hash(cpu),
        hash(gpu),
    ] {
        assert!(sentence.contains(part), "{part}: {sentence}");
    }
    // The figures are there to look at, and so is what is wrong with them.
    assert!(reply.stdout.contains("ga/gpu"), "{reply:?}");
    let page = read(&dir.at("results.html"));
    assert!(page.contains("id=\"disagreements\"") && page.contains(hash(gpu)));
    // The file stays as wrong as it is, without any fault.
    compare(&[]).expect(4);
    let again = report(&dir, &file).expect(4);
    assert!(
        again.stderr.ends_with(&format!("{sentence}\n")),
        "{again:?}"
    );
    assert!(read(&dir.at("page.html")).contains("id=\"disagreements\""));
    // Without faults the engines agree.
    std::fs::remove_file(&file).unwrap();
    compare(&[]).expect(0);
    assert!(!read(&dir.at("results.html")).contains("id=\"disagreements\""));
}

/// By default the elite has 50, so that both contenders make the same runs.
const TWINS: [&str; 12] = [
    "--algo",
    "lsga,lsga:elite=50,lsga:elite=0",
    "--problem",
    "easy-1,sd3",
    "--runs",
    "2",
    "--pop",
    "20",
    "--seed",
    "6",
    "--budget",
    "generations=9",
];

/// The lines of a file, with some keys of a run of the second twin changed.
fn altered(file: &str, problem: &str, changes: &[(&str, Value)]) -> String {
    let mut changed = 0;
    let mut line = |line: &str| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        let wanted = value["contender"] == "lsga:elite=50"
            && value["problem"] == problem
            && value["run"] == 1;
        if wanted {
            changed += 1;
            for (key, new) in changes {
                assert_ne!(value[key], *new, "nothing is altered");
                value[key] = new.clone();
            }
        }
        format!("{value}\n")
    };
    let text = read(file).lines().map(&mut line).collect();
    assert_eq!(changed, 1);
    text
}

#[test]
fn altered_results_of_equal_runs_are_found_out() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    compare_into(&file, &TWINS).expect(0);
    report(&dir, &file).expect(0);
    for (key, value, told) in [
        (
            "population_hash",
            json!("0123456789abcdef"),
            "0123456789abcdef",
        ),
        ("generations", json!(8), "generations is 9 by lsga on cpu"),
        ("best_fitness", json!(77), "but 77 by lsga:elite=50 on cpu"),
        ("evaluations", json!(5), "but 5 by lsga:elite=50 on cpu"),
    ] {
        let changed = dir.file("altered.jsonl", altered(&file, "sd3", &[(key, value)]));
        for reply in [report(&dir, &changed), compare_into(&changed, &TWINS)] {
            let reply = reply.expect(4);
            let sentence = reply.stderr.lines().last().unwrap();
            let begin = "gpusudoku: equal runs on sd3 with seed 7 have not ended equally: ";
            assert!(sentence.starts_with(begin), "{sentence}");
            assert!(sentence.contains(told), "{told}: {sentence}");
            assert!(sentence.contains(key), "{key}: {sentence}");
        }
    }
}

/// Where the clock has cut is no property of a run.
#[test]
fn what_a_time_limit_has_cut_short_is_compared_with_nothing() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    let mut args = TWINS;
    args[11] = "generations=9,seconds=0";
    compare_into(&file, &args).expect(0);
    let cut = |run: &Value| run["stop"] == "time";
    assert!(runs(&file).iter().any(cut), "no run was cut short");
    let changes = [("population_hash", json!("0123456789abcdef"))];
    let changed = dir.file("altered.jsonl", altered(&file, "sd3", &changes));
    report(&dir, &changed).expect(0);
    // A limit that cuts nothing is none.
    let file = dir.at("patient.jsonl");
    args[11] = "generations=9,seconds=1000";
    compare_into(&file, &args).expect(0);
    let changed = dir.file("altered.jsonl", altered(&file, "sd3", &changes));
    report(&dir, &changed).expect(4);
}
