//! Devices that fail, and kernels that lie. Tests are built with the feature `faults`, and the
//! environment says what goes wrong.

use serde_json::Value;

use super::support::*;

/// A run of many submissions that takes no longer than it must: each device compiles its shaders anew, and these are short.
const RUN: [&str; 8] = [
    "sd3", "--algo", "ga", "--pop", "40", "--seed", "3", "--format",
];
const LIMIT: [&str; 2] = ["--max-generations", "120"];

pub fn faulty(faults: &str, args: &[&str]) -> Reply {
    // What is written by default goes there.
    let dir = Dir::new();
    let mut command = program();
    command.env("GPUSUDOKU_FAULTS", faults).args(args);
    command.current_dir(dir.path());
    answer(command, b"")
}

fn gpu(faults: &str) -> Reply {
    let args = [&["run"], &RUN[..], &["json", "--backend", "gpu"], &LIMIT].concat();
    faulty(faults, &args)
}

fn unharmed() -> Value {
    run_cpu(&[&RUN[..7], &LIMIT].concat()).expect(1).object()
}

#[track_caller]
pub fn same_end(one: &Value, other: &Value) {
    for key in [
        "generations",
        "evaluations",
        "population_hash",
        "stop",
        "effective_generations",
    ] {
        assert_eq!(one[key], other[key], "{key}: {one}");
    }
}

#[test]
fn whatever_happens_to_a_device_the_run_ends_as_it_would() {
    if !gpu_wanted() {
        return;
    }
    let expected = unharmed();
    for fault in [
        // At once, after the first generation, while a copy is made, later, and again and again.
        "lost@1",
        "lost@2",
        "lost@3",
        "lost@7",
        "lost@5,lost@9,lost@13",
        "vanished@1",
        "vanished@2",
        "vanished@3",
        "vanished@6",
        "panic@1",
        "panic@5",
        "silent@1",
        "silent@6",
        "memory@4",
        "invalid@4",
        "invalid@2,silent@4,lost@8",
    ] {
        let reply = gpu(fault).expect(1);
        let run = reply.object();
        assert_eq!(run["backend"], "gpu");
        same_end(&run, &expected);
        let told = reply.stderr.matches("attempt ").count();
        assert_eq!(told, fault.matches('@').count(), "{fault}: {reply:?}");
    }
    // From a copy in the middle of the run, too.
    let dir = Dir::new();
    let saving = ["--checkpoint", &dir.at("run.ck"), "--checkpoint-every", "0"];
    let args = [
        &["run"],
        &RUN[..],
        &["json", "--backend", "gpu"],
        &LIMIT,
        &saving,
    ]
    .concat();
    let reply = faulty("lost@12", &args).expect(1);
    same_end(&reply.object(), &expected);
    let (_, from) = reply.stderr.split_once("from generation ").unwrap();
    assert!(from.trim().parse::<u32>().unwrap() > 0, "{reply:?}");
}

#[test]
fn a_device_that_fails_for_good_leaves_the_best_grid() {
    if !gpu_wanted() {
        return;
    }
    let always: Vec<_> = (6..200).map(|at| format!("lost@{at}")).collect();
    let always = always.join(",");
    let reply = gpu(&always).expect(3);
    let run = reply.object();
    assert_eq!(
        (&run["stop"], &run["solved"]),
        (&"fault".into(), &false.into())
    );
    assert_eq!(reply.stderr.matches("attempt ").count(), 3, "{reply:?}");
    assert!(
        reply.stderr.contains("giving up, with the best so far"),
        "{reply:?}"
    );
    // And its checkpoint, with which another engine goes on to the end.
    let dir = Dir::new();
    let file = dir.at("run.ck");
    let args = [&["run"], &RUN[..], &["text", "--backend", "gpu"], &LIMIT].concat();
    let args = [&args[..], &["--checkpoint", &file]].concat();
    let reply = faulty(&always, &args).expect(3);
    assert!(reply.stdout.contains("not solved (best "), "{reply:?}");
    assert!(reply.stdout.contains("the adapter failed"), "{reply:?}");
    assert_eq!(
        reply.stdout.lines().count(),
        14,
        "a grid and a line: {reply:?}"
    );
    let end = run_cpu(&["--resume", &file]).expect(1).object();
    same_end(&end, &unharmed());

    // Nothing is there to be kept if the device never came to work.
    let never: Vec<_> = (1..20).map(|at| format!("lost@{at}")).collect();
    let reply = gpu(&never.join(",")).expect(3);
    assert_eq!(reply.stdout, "", "{reply:?}");
}

/// Nobody waits for three attempts who wants an end.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_whose_device_fails() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Stdio;
    if !gpu_wanted() {
        return;
    }
    let always: Vec<_> = (6..200).map(|at| format!("silent@{at}")).collect();
    let mut child = program()
        .env("GPUSUDOKU_FAULTS", always.join(","))
        .args([&["run"], &RUN[..], &["json", "--backend", "gpu"], &LIMIT].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    let first = told.next().unwrap().unwrap();
    assert!(first.contains("attempt 1 to go on"), "{first}");
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(run["stop"], "stopped");
    let told: Vec<_> = told.map(Result::unwrap).collect();
    assert!(
        !told.iter().any(|line| line.contains("attempt 2")),
        "{told:?}"
    );
}

#[test]
fn auto_goes_on_with_the_cpu_engine_and_says_so() {
    if !gpu_wanted() {
        return;
    }
    // The native engine is so slow that the device wins, and it has won long before it fails.
    let limit = ["--max-generations", "3000"];
    let args = [&["run"], &RUN[..], &["json"], &limit].concat();
    let always: Vec<_> = (40..250).map(|at| format!("lost@{at}")).collect();
    let faults = format!(
        "auto-software,slow-cpu=3000,slow-gpu=1000,{}",
        always.join(",")
    );
    let reply = faulty(&faults, &args).expect(1);
    let run = reply.object();
    assert_eq!(run["backend"], "cpu");
    assert!(run.get("measured").is_none(), "{run}");
    same_end(
        &run,
        &run_cpu(&[&RUN[..7], &limit].concat()).expect(1).object(),
    );
    assert_eq!(reply.stderr.matches("attempt ").count(), 3, "{reply:?}");
    let told = reply.stderr.matches("going on with the CPU engine").count();
    assert_eq!(told, 1, "{reply:?}");
}

#[test]
fn a_kernel_that_lies_is_found_out() {
    let lying = |args: &[&str]| faulty("lie", args).expect(4);
    let mut backends = vec!["cpu"];
    if gpu_wanted() {
        backends.push("gpu");
    }
    for backend in backends {
        for algo in ["lsga", "memetic", "nb-coin", "hs"] {
            let args = [
                "run",
                "sd3",
                "--pop",
                "9",
                "--algo",
                algo,
                "--backend",
                backend,
                "--set",
                "propagate=none",
            ];
            let reply = lying(&[&args[..], &["--format", "json"]].concat());
            let run = reply.object();
            assert_eq!(
                (&run["solved"], &run["verified"]),
                (&false.into(), &false.into())
            );
            assert_eq!(run["solution"], Value::Null);
            assert!(run["rejected"].is_string(), "{run}");
            assert!(
                reply.stderr.contains("the independent check rejected"),
                "{reply:?}"
            );
            let text = lying(&args);
            assert!(
                text.stdout.contains("REJECTED by the independent check"),
                "{text:?}"
            );
        }
    }
    let compared = [
        "compare",
        "--problem",
        "sd3",
        "--algo",
        "lsga,cga",
        "--runs",
        "2",
    ];
    let compared = lying(&compared);
    assert!(compared.stderr.contains("rejected"), "{compared:?}");
    let reproduced = lying(&["reproduce", "lsga-2", "--runs", "1", "--quiet"]);
    assert!(reproduced.stderr.contains("rejected"), "{reproduced:?}");
}

#[test]
fn what_does_not_fit_an_adapter_is_named_and_auto_picks_it() {
    if !gpu_wanted() {
        return;
    }
    let run = |pop: &str, algo: &str, problem: &str| {
        let args = [
            "run",
            problem,
            "--algo",
            algo,
            "--pop",
            pop,
            "--backend",
            "gpu",
        ];
        let limit = ["--max-generations", "2", "--format", "json"];
        faulty("binding=65536", &[&args[..], &limit].concat())
    };
    // 2 + 21 words for each.
    let refused = run("1000", "lsga", "sd3").expect(2);
    let sentence = refused.sentence();
    assert!(
        sentence.contains("at most 712 individuals of 81 cells do"),
        "{sentence}"
    );
    for (algo, problem) in [("lsga", "sd3"), ("hpsoga", "queens:30"), ("hgsaga", "sd3")] {
        let picked = run("auto", algo, problem).expect(1).object();
        let pop = count(&picked, "pop");
        assert!((1..=712).contains(&pop), "{picked}");
        if algo == "lsga" {
            assert_eq!(pop, 712);
        }
        let more = run(&(2 * pop).to_string(), algo, problem);
        assert!(more.code == 2, "{more:?}");
    }
    // Where there is more room, a million is enough.
    let limit = ["--max-generations", "0", "--algo", "hs"];
    let cpu = run_cpu(&[&["sd3", "--pop", "auto"], &limit[..]].concat());
    let pop = count(&cpu.expect(1).object(), "pop");
    assert!(pop > 1000 && pop <= 1_000_000, "{pop}");
}
