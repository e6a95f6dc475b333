//! `--backend auto` measures both engines and goes on with the faster one. One of them is slow on purpose, and the
//! software adapter stands in for a GPU.

use serde_json::Value;

use super::faults::{faulty, same_end};
use super::lab::read;
use super::results_schema::assert_listed;
use super::support::*;

/// Nobody solves it.
const IMPOSSIBLE: &str =
    ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4.........";

/// A run that lasts if the native engine takes so many microseconds longer for a record. The device takes a little
/// longer as well, so that it is not at the end of the run before the end of its trial.
type LastingRun = (&'static str, [&'static str; 3], &'static [&'static str]);

const LSGA: LastingRun = (
    "slow-cpu=10000,slow-gpu=2000",
    ["sd3", "lsga", "12"],
    &["--max-generations", "900"],
);
const NB_COIN: LastingRun = (
    "slow-cpu=50000,slow-gpu=2000",
    ["sd3", "nb-coin", "20"],
    &[],
);
const MEMETIC: LastingRun = (
    "slow-cpu=100000,slow-gpu=2000",
    [IMPOSSIBLE, "memetic", "256"],
    &[
        "--max-generations",
        "100",
        "--set",
        "steps=2",
        "--set",
        "cycle=20",
        "--set",
        "tabu=0.4",
        "--set",
        "propagate=none",
    ],
);
const GPU_GA: LastingRun = (
    "slow-cpu=50000,slow-gpu=2000",
    ["sd3", "gpu-ga", "32"],
    &[
        "--max-generations",
        "600",
        "--set",
        "island=8",
        "--set",
        "epoch=2",
    ],
);
const HGASA: LastingRun = (
    "slow-cpu=10000,slow-gpu=2000",
    ["torus:23", "hgasa", "64"],
    &["--max-generations", "900"],
);

fn args_of((_, [problem, algo, pop], more): LastingRun) -> Vec<&'static str> {
    [&[problem, "--algo", algo, "--pop", pop], more].concat()
}

fn auto(faults: &str, args: &[&str]) -> Reply {
    let args = [&["run", "--format", "json"], args].concat();
    faulty(&format!("auto-software,{faults}"), &args)
}

#[track_caller]
fn assert_measured(run: &Value, winner: &str, loser: &str) {
    assert_eq!(run["backend"], winner, "{run}");
    assert_eq!(run["measured"]["backend"], loser, "{run}");
    assert!(run["measured"]["factor"].as_f64().unwrap() >= 1.0, "{run}");
    assert_ne!(run["measured"]["adapter"], run["adapter"]);
    assert_listed("Measured", &run["measured"]);
}

#[test]
fn a_slow_native_engine_is_left_for_the_device() {
    if !gpu_wanted() {
        return;
    }
    for lasting in [LSGA, NB_COIN, MEMETIC, GPU_GA, HGASA] {
        let args = args_of(lasting);
        let alone = run_cpu(&args);
        let reply = auto(lasting.0, &args).expect(alone.code);
        assert_eq!(reply.stderr, alone.stderr);
        let run = reply.object();
        same_end(&run, &alone.object());
        assert_measured(&run, "gpu", "cpu");
    }
}

#[test]
fn a_slow_device_is_left_for_the_native_engine() {
    if !gpu_wanted() {
        return;
    }
    for lasting in [LSGA, HGASA] {
        let args = args_of(lasting);
        let alone = run_cpu(&args).expect(1).object();
        // A run that is over soon would not be measured, so the native engine is slow as well.
        let reply = auto("slow-cpu=10000,slow-gpu=80000", &args).expect(1);
        assert_eq!(reply.stderr, "");
        let run = reply.object();
        same_end(&run, &alone);
        assert_measured(&run, "cpu", "gpu");
    }
}

/// What is written on the way does not show where it went.
#[test]
fn trace_and_checkpoint_go_with_the_run() {
    if !gpu_wanted() {
        return;
    }
    let dir = Dir::new();
    let run = |faults: Option<&str>, name: &str| {
        let (trace, saved) = (
            dir.at(&format!("{name}.csv")),
            dir.at(&format!("{name}.ck")),
        );
        let written = ["--trace", &trace, "--checkpoint", &saved];
        let args = [&args_of(LSGA)[..], &written, &["--checkpoint-every", "0.1"]].concat();
        let reply = match faults {
            Some(faults) => auto(faults, &args),
            None => run_cpu(&args),
        };
        let end = reply.expect(1).object();
        let rows: Vec<String> = read(&trace)
            .lines()
            // The last column is the time.
            .map(|row| row.rsplit_once(',').unwrap().0.to_owned())
            .collect();
        let further = ["--resume", &saved, "--max-generations", "1000"];
        (end, rows, run_cpu(&further).expect(1).object())
    };
    let alone = run(None, "alone");
    let moved = run(Some(LSGA.0), "moved");
    assert_measured(&moved.0, "gpu", "cpu");
    same_end(&moved.0, &alone.0);
    assert_eq!(alone.1.len(), 902, "a head and generations from 0");
    assert_eq!(moved.1, alone.1);
    same_end(&moved.2, &alone.2);
}

/// The first submission would fail, and somebody would say so.
#[test]
fn what_is_soon_over_opens_no_device() {
    if !gpu_wanted() {
        return;
    }
    let reply = auto("lost@1", &["easy-1", "--algo", "lsga"]).expect(0);
    assert_eq!(reply.stderr, "");
    let run = reply.object();
    assert_eq!(run["backend"], "cpu");
    assert!(run.get("measured").is_none(), "{run}");
    // Nor does what will be over soon, however slow it is.
    for budget in [["--max-generations", "100"], ["--time-limit", "1"]] {
        let args = [&["sd3", "--algo", "lsga", "--pop", "12"], &budget[..]].concat();
        let reply = auto("slow-cpu=10000,lost@1", &args).expect(1);
        assert_eq!(reply.stderr, "");
        assert_eq!(reply.object()["backend"], "cpu");
    }
}

/// Where no real GPU is, nobody misses it.
#[test]
fn a_software_adapter_has_no_trial() {
    let adapters = call(&["adapters", "--format", "json"]).objects();
    if adapters.iter().any(|info| info["auto"] == true) {
        return;
    }
    let args = [&["run", "--format", "json"], &args_of(NB_COIN)[..]].concat();
    let reply = faulty("slow-cpu=6000,lost@1", &args).expect(0);
    assert_eq!(reply.stderr, "");
    let run = reply.object();
    assert!(run["seconds"].as_f64().unwrap() > 0.6, "long enough: {run}");
    assert_eq!(run["backend"], "cpu");
    assert!(run.get("measured").is_none(), "{run}");
    same_end(&run, &run_cpu(&args_of(NB_COIN)).expect(0).object());
}

#[test]
fn a_device_that_fails_on_trial_has_lost() {
    if !gpu_wanted() {
        return;
    }
    let args = args_of(LSGA);
    let alone = run_cpu(&args).expect(1).object();
    for faults in ["lost@1", "vanished@2", "silent@3", "binding=1000"] {
        let reply = auto(&format!("slow-cpu=7000,{faults}"), &args).expect(1);
        let run = reply.object();
        assert_eq!(run["backend"], "cpu", "{reply:?}");
        assert!(run.get("measured").is_none(), "{run}");
        same_end(&run, &alone);
        assert_eq!(reply.stderr.lines().count(), 1, "{reply:?}");
        assert!(
            reply.stderr.contains("going on with the CPU engine"),
            "{reply:?}"
        );
    }
}

#[test]
fn the_summary_says_by_how_much() {
    if !gpu_wanted() {
        return;
    }
    let args = [&["run"], &args_of(HGASA)[..], &["--threads", "1"]].concat();
    let reply = faulty(&format!("auto-software,{}", HGASA.0), &args).expect(1);
    let summary = reply.summary();
    assert!(summary.contains(" on gpu ("), "{summary}");
    assert!(
        summary.contains(" times as fast as 1 thread: "),
        "{summary}"
    );
}

/// Runs side by side would disturb each other's measurements, so they have to be asked for.
#[test]
fn many_runs_are_measured_one_by_one_unless_jobs_are_asked_for() {
    if !gpu_wanted() {
        return;
    }
    let runs = |more: &[&str]| {
        let args = ["run", "easy-1", "--algo", "lsga", "--runs", "4"];
        let args = [&args[..], &["--threads", "2"], more].concat();
        let reply = faulty("auto-software", &args).expect(0);
        reply.summary().contains(", 2 runs at a time")
    };
    assert!(!runs(&[]));
    assert!(runs(&["--jobs", "2"]));
}

/// The signal comes after the run has gone to the device, which its trace tells by the pace.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_run_that_has_moved() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    if !gpu_wanted() {
        return;
    }
    let dir = Dir::new();
    let (trace, saved) = (dir.at("run.csv"), dir.at("run.ck"));
    let long = ["sd3", "--algo", "ga", "--pop", "12", "--format", "json"];
    let limit = ["--max-generations", "1000000"];
    let child = program()
        .env("GPUSUDOKU_FAULTS", "auto-software,slow-cpu=100000")
        .args([&["run"], &long[..], &limit].concat())
        .args(["--trace", &trace, "--checkpoint", &saved])
        .args(["--checkpoint-every", "0.2"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let rows = || std::fs::read_to_string(&trace).map_or(0, |text| text.lines().count());
    // The native engine would take a minute and a half.
    while rows() < 900 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(50));
    }
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let run: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&run["stop"], &run["backend"]),
        (&"stopped".into(), &"gpu".into())
    );
    let generations = run["generations"].to_string();
    let further = run_cpu(&["--resume", &saved, "--max-generations", &generations]);
    let alone = [&long[..5], &["--max-generations", &generations]].concat();
    let alone = run_cpu(&alone).expect(1).object();
    same_end(&further.expect(1).object(), &alone);
    assert_eq!(run["population_hash"], alone["population_hash"]);
}
