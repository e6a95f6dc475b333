//! What the README's table of reliability counts. Every day a few of each; all of them with
//! `GPUSUDOKU_ROUNDS=full cargo test --release --test reliability -- --nocapture --test-threads 1`.
#![cfg(feature = "cli")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;

use gpusudoku::checkpoint::Checkpoint;
use gpusudoku::rng::Stream;
use rand::RngExt;
use serde_json::Value;

/// How often, of the number in the table.
fn rounds(everyday: u32, full: u32) -> u32 {
    match std::env::var("GPUSUDOKU_ROUNDS").as_deref() {
        Ok("full") => full,
        _ => everyday,
    }
}

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpusudoku"));
    command.args(["run", "--format", "json"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Everything that must not depend on what happened on the way.
fn end(output: &Output) -> Vec<Value> {
    let run: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    let keys = ["generations", "evaluations", "effective_generations"];
    let keys = [&keys[..], &["best_fitness", "population_hash", "solution"]].concat();
    keys.iter().map(|&key| run[key].clone()).collect()
}

/// Algorithms whose state is of every kind there is (elites, models, islands, memories, phases), and
/// generations that take long enough to be killed in.
const RUNS: [(&str, &str); 6] = [
    ("sd3 --algo lsga --pop 400", "400"),
    ("sd3 --algo reseda --pop 60", "700"),
    ("sd3 --algo gpu-ga --pop 256", "1500"),
    ("torus:50 --algo hpsoga", "2500"),
    ("queens:60 --algo hgasa --pop 32 --set sweeps=1", "60000"),
    (
        "sd3 --algo tabu --set propagate=none --set moves=100 --seed 4",
        "1000000",
    ),
];

#[test]
fn runs_that_are_killed_end_as_they_would() {
    let rounds = rounds(6, 100);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("run.ck");
    let mut rng = Stream::new(u64::from(std::process::id()), 0);
    let mut identical = 0;
    let (mut kills, mut resumed) = (0, 0);
    for round in 0..rounds {
        let (run, generations) = RUNS[round as usize % RUNS.len()];
        let run: Vec<_> = run
            .split(' ')
            .chain(["--max-generations", generations])
            .collect();
        let begun = std::time::Instant::now();
        let whole = program()
            .args(&run)
            .args(["--backend", "cpu"])
            .output()
            .unwrap();
        let takes = begun.elapsed();
        let _ = fs::remove_file(&file);
        // Killed once at a random moment of the run, then perhaps again.
        let mut begin: Vec<String> = run.iter().map(|&word| word.to_owned()).collect();
        loop {
            let mut child = program();
            child
                .args(&begin)
                .args(["--backend", "cpu", "--checkpoint-every", "0.01"]);
            let mut child = child.arg("--checkpoint").arg(&file).spawn().unwrap();
            sleep(takes.mul_f64(rng.random_range(0.0..0.8)));
            let killed = child.try_wait().unwrap().is_none();
            child.kill().unwrap();
            child.wait().unwrap();
            kills += u32::from(killed);
            if Path::new(&file).exists() {
                begin = vec!["--resume".to_owned(), file.display().to_string()];
            }
            if killed && rng.random_bool(0.7) {
                break;
            }
        }
        let rest = program()
            .args(&begin)
            .args(["--backend", "cpu"])
            .output()
            .unwrap();
        assert_eq!(end(&rest), end(&whole), "round {round}: {run:?}");
        identical += 1;
        resumed += u32::from(begin[0] == "--resume");
    }
    println!(
        "SIGKILL: {kills} in {rounds} runs, {resumed} of them resumed, {identical} identical ends"
    );
    assert_eq!(identical, rounds);
    // When a kill comes is chance, so that some runs are over before.
    assert!(
        3 * resumed >= rounds,
        "{resumed} of {rounds} runs were resumed"
    );
}

#[test]
fn every_flipped_bit_is_refused() {
    let flips = 1000;
    let dir = tempfile::tempdir().unwrap();
    let mut rng = Stream::new(7, 0);
    let mut refused = 0;
    for (run, _) in RUNS {
        let file = dir.path().join("run.ck");
        let saved = program()
            .args(run.split(' '))
            .args(["--max-generations", "7", "--backend", "cpu", "--checkpoint"])
            .arg(&file)
            .arg("--overwrite")
            .output();
        assert!(saved.unwrap().status.code() == Some(1), "{run:?}");
        let bytes = fs::read(&file).unwrap();
        Checkpoint::read(&bytes[..]).unwrap();
        for _ in 0..flips / RUNS.len() + 1 {
            if refused == flips {
                break;
            }
            let mut bytes = bytes.clone();
            let bit = rng.random_range(0..8 * bytes.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
            let read = Checkpoint::read(&bytes[..]);
            assert!(read.is_err(), "{run:?}: bit {bit} is not missed");
            refused += 1;
        }
    }
    println!("flipped bits: {refused} of {flips} refused");
    assert_eq!(refused, flips);
}

#[test]
fn lost_devices_change_nothing() {
    if std::env::var("GPUSUDOKU_SKIP_GPU_TESTS").is_ok_and(|value| value == "1") {
        eprintln!("skipped: GPUSUDOKU_SKIP_GPU_TESTS is set");
        return;
    }
    let losses = rounds(5, 50);
    let runs = [
        "sd3 --algo lsga --pop 30 --max-generations 300",
        "sd3 --algo nb-coin --pop 30 --max-generations 40",
        "sd3 --algo gpu-ga --pop 32 --max-generations 90 --set epoch=3",
        "torus:14 --algo hgsaga --pop 16 --max-generations 120",
        "sd3 --algo tabu --set propagate=none --set moves=9 --max-generations 400",
    ];
    let mut rng = Stream::new(u64::from(std::process::id()), 1);
    let mut identical = 0;
    for round in 0..losses {
        let run: Vec<_> = runs[round as usize % runs.len()].split(' ').collect();
        let whole = program()
            .args(&run)
            .args(["--backend", "cpu"])
            .output()
            .unwrap();
        let at = rng.random_range(1..7);
        // Before a submission, while it is waited for, and after it.
        let how = ["lost", "panic", "vanished"][rng.random_range(0..3)];
        let lost = program()
            .args(&run)
            .args(["--backend", "gpu"])
            .env("GPUSUDOKU_FAULTS", format!("{how}@{at}"))
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&lost.stderr).contains("attempt 1 to go on");
        assert!(told, "{how} at submission {at} of {run:?}: {lost:?}");
        assert_eq!(
            end(&lost),
            end(&whole),
            "{how} at submission {at} of {run:?}"
        );
        identical += 1;
    }
    println!("lost devices: {identical} of {losses} runs with identical ends");
    assert_eq!(identical, losses);
}

/// Under a limit of the address space, of which a population is the least: threads and allocators
/// reserve more than they use.
#[cfg(target_os = "linux")]
#[test]
fn large_populations_fit_four_gigabytes() {
    let size = rounds(1, 10);
    let dir = tempfile::tempdir().unwrap();
    let large = dir.path().join("25x25.txt");
    let made = Command::new(env!("CARGO_BIN_EXE_gpusudoku"))
        .args("generate --size 25 --givens 45% --seed 1 --out".split(' '))
        .arg(&large)
        .status();
    assert!(made.unwrap().success());
    for (problem, pop) in [
        ("sd3", 100_000 * size),
        (large.to_str().unwrap(), 20_000 * size),
    ] {
        let kibibytes = ((4 << 20) / 10 * size + (256 << 10)).min(4 << 20);
        let limited = format!("ulimit -v {kibibytes} && exec \"$@\"");
        let run = Command::new("sh")
            .args([
                "-c",
                &limited,
                "sh",
                env!("CARGO_BIN_EXE_gpusudoku"),
                "run",
                problem,
            ])
            .args("--algo lsga --backend cpu --max-generations 2 --format json --pop".split(' '))
            .arg(pop.to_string())
            .output()
            .unwrap();
        assert!(run.status.code() < Some(2), "{problem}: {run:?}");
        assert_eq!(end(&run)[0], 2, "{problem}: {run:?}");
        println!("{problem}: {pop} individuals in {kibibytes} KiB");
    }
}
