//! `--trace`.

use super::support::*;

/// Header and rows of a CSV file without commas in its fields.
pub fn csv(path: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let text = std::fs::read_to_string(path).unwrap();
    let fields = |line: &str| line.split(',').map(str::to_owned).collect();
    let mut lines = text.lines().map(fields);
    (lines.next().unwrap(), lines.collect())
}

pub fn column(path: &str, name: &str) -> Vec<f64> {
    let (header, rows) = csv(path);
    let at = header.iter().position(|field| field == name).unwrap();
    rows.iter().map(|row| row[at].parse().unwrap()).collect()
}

/// Header and rows without the seconds, which are the last column and never the same twice.
pub fn timeless(path: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let (mut header, mut rows) = csv(path);
    assert_eq!(header.pop().unwrap(), "seconds");
    for row in &mut rows {
        assert!(row.pop().unwrap().parse::<f64>().unwrap() > 0.0, "{row:?}");
    }
    (header, rows)
}

#[test]
fn a_row_for_every_generation_up_to_the_solution() {
    let dir = Dir::new();
    let file = dir.at("trace.csv");
    let run = run_cpu(&["hard-77", "--algo", "lsga", "--trace", &file])
        .expect(0)
        .object();
    let wanted: Vec<_> = (0..=count(&run, "generations")).map(|g| g as f64).collect();
    assert!(wanted.len() > 2);
    assert_eq!(column(&file, "generation"), wanted);
    let best = column(&file, "best");
    let (last, before) = best.split_last().unwrap();
    assert_eq!(*last, 0.0);
    assert!(
        before.iter().all(|&best| best > 0.0),
        "solved before the end"
    );
    let (mean, worst) = (column(&file, "mean"), column(&file, "worst"));
    for ((best, mean), worst) in best.iter().zip(&mean).zip(&worst) {
        assert!(best <= mean && mean <= worst, "{best} {mean} {worst}");
    }
}

#[test]
fn an_unsolved_run_ends_with_its_best_fitness() {
    let dir = Dir::new();
    let file = dir.at("trace.csv");
    let few = ["sd3", "--algo", "lsga", "--max-generations", "7"];
    let run = run_cpu(&[&few[..], &["--trace", &file]].concat())
        .expect(1)
        .object();
    let best = column(&file, "best");
    assert_eq!(best.len(), 8);
    assert_eq!(best.last().copied(), run["best_fitness"].as_f64());
}

#[test]
fn runs_follow_each_other_in_one_file() {
    let dir = Dir::new();
    let file = dir.file("trace.csv", "what was there before");
    let args = [
        "sd3",
        "--algo",
        "lsga",
        "--max-generations",
        "3",
        "--runs",
        "2",
        "--seed",
        "8",
        "--trace",
        &file,
    ];
    run_cpu(&args).expect(1);
    assert_eq!(
        column(&file, "seed"),
        [8.0, 8.0, 8.0, 8.0, 9.0, 9.0, 9.0, 9.0]
    );
    assert_eq!(
        column(&file, "generation"),
        [0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0, 3.0]
    );
}

#[test]
fn a_trace_changes_no_result() {
    let dir = Dir::new();
    let few = ["sd3", "--algo", "lsga", "--max-generations", "7"];
    let with = run_cpu(&[&few[..], &["--trace", &dir.at("trace.csv")]].concat()).object();
    assert_eq!(hash(&with), hash(&run_cpu(&few).object()));
}

#[test]
fn a_trace_that_cannot_be_written_exits_with_2() {
    let dir = Dir::new();
    for path in ["/nonexistent-dir/x.csv", dir.path().to_str().unwrap()] {
        let reply = run_cpu(&["easy-1", "--trace", path]).expect(2);
        assert_eq!(
            (reply.stdout.as_str(), reply.stderr.lines().count()),
            ("", 1)
        );
        assert!(reply.stderr.contains(path), "{reply:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_trace_that_is_lost_on_the_way_exits_with_2() {
    for generations in ["3", "500"] {
        let args = [
            "sd3",
            "--algo",
            "lsga",
            "--pop",
            "20",
            "--max-generations",
            generations,
            "--trace",
            "/dev/full",
        ];
        let reply = run_cpu(&args).expect(2);
        assert_eq!(reply.stderr.lines().count(), 1, "{reply:?}");
        assert!(reply.stderr.contains("/dev/full"), "{reply:?}");
    }
}

#[test]
fn refused_input_leaves_the_file_as_it_was() {
    let dir = Dir::new();
    let file = dir.file("trace.csv", "precious");
    for args in [
        ["11..............", "--quiet"],
        ["--pop", "0"],
        ["--pop", "99999999999"],
    ] {
        run_cpu(&[&args[..], &["--trace", &file]].concat()).expect(2);
        assert_eq!(
            std::fs::read_to_string(&file).unwrap(),
            "precious",
            "{args:?}"
        );
    }
}

#[test]
fn rows_tell_algorithm_evaluations_and_seconds() {
    let dir = Dir::new();
    let file = dir.at("trace.csv");
    for algo in ["lsga", "memetic", "hs"] {
        let few = ["sd3", "--algo", algo, "--max-generations", "9"];
        let few = [&few[..], &["--set", "propagate=none", "--trace", &file]].concat();
        let run = run_cpu(&few).object();
        let (header, rows) = csv(&file);
        let last: Vec<_> = header.iter().rev().take(3).collect();
        assert_eq!(last, ["seconds", "evaluations", "algo"]);
        assert!(rows.iter().all(|row| row[9] == algo), "{rows:?}");
        let evaluations = column(&file, "evaluations");
        assert_eq!(evaluations[0], run["pop"].as_f64().unwrap());
        assert!(evaluations.is_sorted_by(|a, b| a < b), "{evaluations:?}");
        assert_eq!(evaluations.last().copied(), run["evaluations"].as_f64());
        let seconds = column(&file, "seconds");
        assert!(seconds[0] > 0.0 && seconds.is_sorted(), "{seconds:?}");
        assert!(seconds.last().copied() <= run["seconds"].as_f64());
    }
}
