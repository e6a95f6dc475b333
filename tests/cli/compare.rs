//! `compare`: runs as `run` has them, parts of experiments, and statistics.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use super::lab::*;
use super::support::*;

const SIX_BY_SIX: &str =
    "1 0 0 0 0 6\n0 0 0 0 0 0\n0 0 0 0 0 0\n0 0 3 0 0 0\n0 0 0 0 0 0\n2 0 0 0 0 5\n";

/// What `run` says of all runs of a contender on a problem, with the budget of the file.
fn runs_of_run(design: &Value, contender: &Value, problem: &str) -> Vec<Value> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let mut args = vec![problem.to_owned()];
    let mut option = |name: &str, value: &Value| {
        if !value.is_null() {
            args.extend([name.to_owned(), text(value)]);
        }
    };
    option("--algo", &contender["algo"]);
    option("--pop", &contender["pop"]);
    option("--max-generations", &contender["max_generations"]);
    option("--max-evaluations", &design["max_evaluations"]);
    option("--runs", &design["runs"]);
    option("--seed", &design["seed"]);
    for (key, value) in contender["params"].as_object().unwrap() {
        option("--set", &format!("{key}={}", text(value)).into());
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    run_cpu(&args).objects()
}

/// Every run of a file is the run of `run` with the same seed, key by key.
#[track_caller]
fn assert_as_run(file: &str, problems: &[&str]) {
    let design = design(file);
    let found = timeless_runs(file);
    let contenders = design["contenders"].as_array().unwrap();
    let planned = contenders.len() * problems.len() * count(&design, "runs") as usize;
    assert_eq!(found.len(), planned);
    for contender in contenders {
        for problem in problems {
            for (at, run) in (0..).zip(runs_of_run(&design, contender, problem)) {
                let key = (
                    word(contender, "name").to_owned(),
                    (*problem).to_owned(),
                    at,
                );
                let mut line = found[&key].clone();
                for more in ["kind", "experiment", "contender", "run", "improvements"] {
                    line.as_object_mut().unwrap().remove(more).unwrap();
                }
                assert_eq!(line, timeless(&run), "{key:?}");
            }
        }
    }
}

#[test]
fn every_run_is_that_of_run_with_its_seed() {
    let dir = Dir::new();
    let six = dir.file("six.txt", SIX_BY_SIX);
    let file = dir.at("grids.jsonl");
    let problems = format!("easy-1,{six}");
    let args = [
        "--algo",
        "lsga,lsga:elite=0:pop=13,memetic,nb-coin,gpu-ga,hgasa,fpchs",
        "--problem",
        &problems,
        "--runs",
        "3",
        "--seed",
        "41",
        "--pop",
        "24",
        "--budget",
        "evaluations=900,generations=200",
    ];
    let reply = compare_into(&file, &args).expect(0);
    let page = file.replace(".jsonl", ".html");
    assert_eq!(reply.stderr, format!("{page}: a page with figures\n"));
    assert_as_run(&file, &["easy-1", &six]);
}

#[test]
fn boards_are_problems_too() {
    let dir = Dir::new();
    let file = dir.at("boards.jsonl");
    let args = [
        "--algo",
        "hgasa,min-conflicts",
        "--problem",
        "queens:12,torus:7,torus:8",
        "--runs",
        "2",
        "--budget",
        "generations=300",
    ];
    compare_into(&file, &args).expect(0);
    assert_as_run(&file, &["queens:12", "torus:7", "torus:8"]);
    // The reader verifies placements as well, those with the fewest attacks included.
    let again = compare_into(&file, &args).expect(0);
    assert!(again.stderr.contains("12 runs"), "{again:?}");
    assert!(runs(&file).iter().any(|run| count(run, "goal") > 0));
}

#[test]
fn improvements_lead_from_the_first_generation_to_the_best() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    let args = [
        "--algo",
        "lsga,gpu-ga,nb-coin",
        "--problem",
        "easy-11,sd3",
        "--runs",
        "2",
        "--pop",
        "20",
        "--budget",
        "generations=60",
    ];
    compare_into(&file, &args).expect(0);
    for run in runs(&file) {
        let numbers = |it: &Value| -> Vec<u64> {
            let numbers = it.as_array().unwrap().iter();
            numbers.map(|number| number.as_u64().unwrap()).collect()
        };
        let improvements = run["improvements"].as_array().unwrap().iter();
        let improvements: Vec<_> = improvements.map(numbers).collect();
        assert_eq!(improvements[0][..2], [0, count(&run, "pop")], "{run}");
        for pair in improvements.windows(2) {
            let (before, after) = (&pair[0], &pair[1]);
            let forward = before[0] < after[0] && before[1] < after[1] && before[2] > after[2];
            assert!(forward, "{run}");
        }
        let later = improvements.len() as u64 - 1;
        assert_eq!(later, count(&run, "effective_generations"), "{run}");
        let last = improvements.last().unwrap();
        assert!(last[0] <= count(&run, "generations"), "{run}");
        assert!(last[1] <= count(&run, "evaluations"), "{run}");
        assert!(last[2] <= count(&run, "best_fitness"), "{run}");
        assert_eq!(last[2] == 0, run["solved"] == true, "{run}");
    }
}

const SMALL: [&str; 10] = [
    "--algo",
    "lsga,lsga:elite=0,nb-coin",
    "--problem",
    "easy-1,easy-11",
    "--runs",
    "5",
    "--pop",
    "12",
    "--budget",
    "generations=20",
];

#[test]
fn jobs_and_threads_change_nothing_but_the_time() {
    let dir = Dir::new();
    let outcome = |name: &str, means: &[&str]| {
        let file = dir.at(name);
        compare_into(&file, &[&SMALL[..], means].concat()).expect(0);
        timeless_runs(&file)
    };
    let alone = outcome("one", &["--jobs", "1"]);
    assert_eq!(alone.len(), 30);
    for (name, means) in [
        ("many", &["--jobs", "7"][..]),
        ("threads", &["--jobs", "2", "--threads", "3"]),
        ("quiet", &["--quiet", "--by", "seconds", "--format", "json"]),
    ] {
        assert_eq!(outcome(name, means), alone, "{name}");
    }
}

#[test]
fn both_engines_make_the_same_runs() {
    if !gpu_wanted() {
        return;
    }
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    let args = [
        "--algo",
        "lsga,tabu:propagate=none:moves=30",
        "--problem",
        "easy-1",
        "--runs",
        "2",
        "--pop",
        "8",
        "--backend",
        "cpu,gpu",
        "--budget",
        "generations=6,evaluations=2000",
        "--format",
        "json",
    ];
    let summary = compare_into(&file, &args).expect(0).object();
    let runs = timeless_runs(&file);
    assert_eq!(runs.len(), 8);
    for ((contender, problem, at), run) in &runs {
        let Some(name) = contender.strip_suffix("/cpu") else {
            assert_eq!(run["backend"], "gpu");
            continue;
        };
        assert_eq!(run["backend"], "cpu");
        let twin = &runs[&(format!("{name}/gpu"), problem.clone(), *at)];
        for (key, value) in run.as_object().unwrap() {
            if key != "backend" && key != "contender" {
                assert_eq!(value, &twin[key], "{contender}: {key}");
            }
        }
    }
    // Equal samples: no difference, whatever the statistics.
    let pairs = summary["pairs"].as_array().unwrap().iter();
    let twins = pairs.filter(|pair| {
        let pair = (count(pair, "first"), count(pair, "second"));
        [(0, 1), (2, 3)].contains(&pair)
    });
    let same: Vec<_> = twins.map(|pair| (&pair["a12"], &pair["p"])).collect();
    assert_eq!(same, [(&0.5.into(), &1.0.into()); 2]);
}

/// Not after hours of native runs.
#[test]
#[cfg(target_os = "linux")]
fn a_missing_adapter_is_told_before_anything_runs() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    let args = ["--algo", "lsga", "--problem", "easy-1", "--runs", "2"];
    let args = [
        &args[..],
        &["--pop", "20", "--backend", "cpu,gpu", "--out", &file],
    ]
    .concat();
    let mut command = program_without_driver();
    command.arg("compare").args(&args);
    let reply = answer(command, b"").expect(3);
    assert!(reply.sentence().contains("adapter"), "{reply:?}");
    assert!(!std::path::Path::new(&file).exists());
}

#[test]
fn parts_make_the_whole_and_files_can_be_put_together() {
    let dir = Dir::new();
    let whole = dir.at("whole.jsonl");
    let said = compare_into(&whole, &SMALL).expect(0).stdout;
    let mut together = BTreeMap::new();
    let mut files = Vec::new();
    for shard in ["3/3", "1/3", "2/3"] {
        let file = dir.at(&shard.replace('/', "-of-"));
        compare_into(&file, &[&SMALL[..], &["--shard", shard]].concat()).expect(0);
        for (key, run) in timeless_runs(&file) {
            let twice = together.insert(key, run);
            assert!(twice.is_none(), "{shard}: {twice:?}");
        }
        files.push(read(&file));
    }
    assert_eq!(together, timeless_runs(&whole));
    // In any order, with all their headers, they are the experiment: nothing is left to run.
    let joined = dir.file("joined.jsonl", files.concat());
    let reply = compare_into(&joined, &SMALL).expect(0);
    // Without the time at its end, a number and its unit.
    let untimed = |table: &str| -> Vec<String> {
        let line = |line: &str| {
            let words: Vec<_> = line.split_whitespace().collect();
            let has_time = line.contains('/');
            words[..words.len() - if has_time { 2 } else { 0 }].join(" ")
        };
        table
            .lines()
            .filter(|line| line.starts_with("easy"))
            .map(line)
            .collect()
    };
    assert_eq!(untimed(&reply.stdout), untimed(&said));
    assert_eq!(timeless_runs(&joined), together);
    // And all parts can be made in one file, one after another.
    let one = dir.at("one.jsonl");
    for shard in ["2/3", "3/3", "1/3"] {
        compare_into(&one, &[&SMALL[..], &["--shard", shard]].concat()).expect(0);
    }
    assert_eq!(timeless_runs(&one), together);
}

#[test]
fn a_part_without_runs_is_no_fault() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    let args = ["--algo", "lsga", "--problem", "easy-1", "--runs", "2"];
    compare_into(&file, &[&args[..], &["--shard", "3/9"]].concat()).expect(0);
    assert_eq!(runs(&file).len(), 0);
}

/// Runs of a task of a Slurm array with these variables, and the files that it makes.
fn slurm(dir: &Dir, variables: &[(&str, &str)], args: &[&str]) -> (Reply, Vec<String>) {
    let folder = dir.at(&format!("{variables:?}{args:?}").replace('/', "-"));
    fs::create_dir(&folder).unwrap();
    let mut command = compare_program();
    command.current_dir(&folder).args([
        "--algo",
        "lsga",
        "--problem",
        "easy-1",
        "--runs",
        "7",
        "--pop",
        "5",
        "--budget",
        "generations=2",
    ]);
    command.args(args);
    for (name, value) in variables {
        command.env(format!("SLURM_ARRAY_TASK_{name}"), value);
    }
    let reply = answer(command, b"");
    let files = fs::read_dir(&folder).unwrap();
    let path = |file: std::io::Result<fs::DirEntry>| file.unwrap().path().display().to_string();
    let results = files.map(path).filter(|path| !path.ends_with(".html"));
    (reply, results.collect())
}

#[test]
fn tasks_of_slurm_arrays_are_parts() {
    let dir = Dir::new();
    for (first, step) in [(0, 1), (1, 1), (1, 2), (10, 5)] {
        let mut all = BTreeSet::new();
        for at in 0..3 {
            let id = (first + at * step).to_string();
            let variables = [
                ("ID", id.as_str()),
                ("COUNT", "3"),
                ("MIN", &first.to_string()),
                ("MAX", &(first + 2 * step).to_string()),
                ("STEP", &step.to_string()),
            ];
            let (reply, files) = slurm(&dir, &variables, &[]);
            let reply = reply.expect(0);
            assert!(
                reply.stderr.contains(&format!("part {} of 3", at + 1)),
                "{reply:?}"
            );
            assert_eq!(files.len(), 1);
            assert!(
                files[0].ends_with(&format!("results.{}-of-3.jsonl", at + 1)),
                "{files:?}"
            );
            for run in runs(&files[0]) {
                assert!(all.insert(count(&run, "run")), "{variables:?}: {run}");
            }
        }
        assert_eq!(all, (0..7).collect(), "from {first} by {step}");
    }
}

#[test]
fn impossible_tasks_of_slurm_are_refused() {
    let dir = Dir::new();
    for variables in [
        &[("ID", "x"), ("COUNT", "3")][..],
        &[("ID", "1"), ("COUNT", "many")],
        &[("ID", ""), ("COUNT", "")],
        &[("ID", "-1"), ("COUNT", "3")],
        &[("ID", "1"), ("COUNT", "0")],
        &[("ID", "0"), ("COUNT", "3"), ("MIN", "1")],
        &[("ID", "4"), ("COUNT", "3"), ("MIN", "1")],
        &[("ID", "1"), ("COUNT", "3"), ("MIN", "1"), ("STEP", "x")],
        &[("ID", "1"), ("COUNT", "3"), ("MIN", "x")],
        &[("ID", "7"), ("COUNT", "3"), ("MIN", "1"), ("STEP", "2")],
        &[("ID", "4"), ("COUNT", "3"), ("MIN", "1"), ("STEP", "2")],
        &[("ID", "1"), ("COUNT", "3"), ("STEP", "0")],
        &[("ID", "4294967295"), ("COUNT", "1"), ("MIN", "0")],
        &[("ID", "3"), ("COUNT", "1"), ("MIN", "3")],
        &[("ID", "1")],
    ] {
        let (reply, files) = slurm(&dir, variables, &[]);
        let reply = reply.expect(2);
        let sentence = reply.sentence();
        assert!(
            sentence.contains("SLURM") || sentence.contains("Slurm"),
            "{sentence}"
        );
        assert_eq!(files, [""; 0], "{variables:?}");
    }
}

#[test]
fn shards_that_are_asked_for_win_over_slurm() {
    let dir = Dir::new();
    for id in ["0", "9", "x"] {
        let (reply, files) = slurm(&dir, &[("ID", id), ("COUNT", "3")], &["--shard", "2/2"]);
        assert_eq!(reply.expect(0).stderr, "");
        assert!(files[0].ends_with("results.2-of-2.jsonl"), "{files:?}");
        let found: BTreeSet<_> = runs(&files[0])
            .iter()
            .map(|run| count(run, "run"))
            .collect();
        assert_eq!(found, [1, 3, 5].into());
    }
    // A task outside of any array is no part.
    let (reply, files) = slurm(&dir, &[], &[]);
    let stderr = reply.expect(0).stderr;
    assert_eq!(stderr, "results.html: a page with figures\n");
    assert!(files[0].ends_with("results.jsonl"), "{files:?}");
}

/// What a run costs; without a solution more than any.
fn cost(run: &Value, by: &str) -> f64 {
    match run["solved"] == true {
        true => run[by].as_f64().unwrap(),
        false => f64::INFINITY,
    }
}

#[track_caller]
fn assert_near(found: &Value, expected: f64, what: &str) {
    let found = found.as_f64().unwrap_or(f64::INFINITY);
    let near = found == expected || (found - expected).abs() <= 1e-9 * expected.abs().max(1.0);
    assert!(near, "{what}: {found} is not {expected}");
}

/// The share of all orders of both samples in which U is at least as far from its mean.
fn exact_p(first: &[f64], second: &[f64]) -> f64 {
    let u = |first: &[f64], second: &[f64]| -> f64 {
        let pairs = first
            .iter()
            .flat_map(|a| second.iter().map(move |b| (a, b)));
        pairs
            .map(|(a, b)| {
                if a > b {
                    1.0
                } else if a < b {
                    0.0
                } else {
                    0.5
                }
            })
            .sum()
    };
    let middle = (first.len() * second.len()) as f64 / 2.0;
    let far = (u(first, second) - middle).abs();
    let all = [first, second].concat();
    let (mut orders, mut further) = (0, 0);
    for choice in 0u32..1 << all.len() {
        if choice.count_ones() as usize == first.len() {
            let chosen = |at: &usize| choice >> at & 1 == 1;
            let (one, other): (Vec<usize>, Vec<usize>) = (0..all.len()).partition(chosen);
            let sample = |at: &[usize]| at.iter().map(|&at| all[at]).collect::<Vec<_>>();
            orders += 1;
            let it = (u(&sample(&one), &sample(&other)) - middle).abs();
            further += u32::from(it >= far - 1e-9);
        }
    }
    f64::from(further) / f64::from(orders)
}

#[test]
fn statistics_are_those_of_the_file() {
    let dir = Dir::new();
    let file = dir.at("results.jsonl");
    let args = [
        "--algo",
        "lsga,lsga:elite=0:pop=9,gpu-ga,memetic",
        "--problem",
        "easy-1,easy-11",
        "--runs",
        "6",
        "--pop",
        "15",
        "--budget",
        "evaluations=420",
    ];
    compare_into(&file, &args).expect(0);
    let all = runs(&file);
    let names = |what: &str| -> Vec<String> {
        let design = design(&file);
        let them = design[what].as_array().unwrap().iter();
        them.map(|it| word(it, "name").to_owned()).collect()
    };
    let (contenders, problems) = (names("contenders"), names("problems"));
    let of = |cell: &Value, contender: &str| -> Vec<&Value> {
        let contender = &contenders[count(cell, contender) as usize];
        let problem = &problems[count(cell, "problem") as usize];
        let its = |run: &&Value| run["contender"] == *contender && run["problem"] == *problem;
        all.iter().filter(its).collect()
    };
    let mut mixed = 0;
    for by in ["evaluations", "generations", "seconds"] {
        let args = [&args[..], &["--by", by, "--format", "json"]].concat();
        let summary = compare_into(&file, &args).expect(0).object();
        assert_eq!(summary["measure"], by);
        let cells = summary["cells"].as_array().unwrap();
        assert_eq!(cells.len(), 8);
        for cell in cells {
            let runs = of(cell, "contender");
            let solved: Vec<_> = runs.iter().filter(|run| run["solved"] == true).collect();
            let propagated = solved
                .iter()
                .filter(|run| run["solved_by"] == "propagation");
            assert_eq!(count(cell, "runs"), 6);
            assert_eq!(count(cell, "solved") as usize, solved.len());
            assert_eq!(count(cell, "by_propagation") as usize, propagated.count());
            assert_eq!(count(cell, "rejected"), 0);
            let rate = solved.len() as f64 / 6.0;
            let bounds = ["low", "high"].map(|end| cell["rate"][end].as_f64().unwrap());
            assert!(0.0 <= bounds[0] && bounds[0] <= rate, "{cell}");
            assert!(rate <= bounds[1] && bounds[1] <= 1.0, "{cell}");
            let mut costs: Vec<_> = solved.iter().map(|run| cost(run, by)).collect();
            costs.sort_by(f64::total_cmp);
            let n = costs.len();
            let spent: f64 = runs.iter().map(|run| run[by].as_f64().unwrap()).sum();
            assert_near(&cell["ert"], spent / n as f64, "ERT");
            let seconds = runs.iter().map(|run| run["seconds"].as_f64().unwrap());
            assert_near(&cell["seconds"], seconds.sum::<f64>() / 6.0, "seconds");
            let to = &cell["to_solution"];
            assert_eq!(to.is_null(), n == 0);
            if n > 0 {
                let median = (costs[(n - 1) / 2] + costs[n / 2]) / 2.0;
                assert_near(&to["median"], median, "median");
                let mean = costs.iter().sum::<f64>() / n as f64;
                assert_near(&to["mean"], mean, "mean");
                let low = to["mean_interval"]["low"].as_f64().unwrap();
                let high = to["mean_interval"]["high"].as_f64().unwrap();
                let slack = 1e-9 * mean;
                assert!(costs[0] - slack <= low && low <= mean + slack, "{cell}");
                assert!(
                    mean - slack <= high && high <= costs[n - 1] + slack,
                    "{cell}"
                );
            }
            mixed += u32::from(n > 0 && n < 6);
        }
        let pairs = summary["pairs"].as_array().unwrap();
        assert_eq!(pairs.len(), 12, "6 pairs on 2 problems");
        for pair in pairs {
            let costs = |contender: &str| -> Vec<f64> {
                of(pair, contender)
                    .iter()
                    .map(|run| cost(run, by))
                    .collect()
            };
            let (first, second) = (costs("first"), costs("second"));
            let wins = first
                .iter()
                .flat_map(|a| second.iter().map(move |b| (a, b)));
            let wins = wins.map(|(a, b)| {
                if a < b {
                    1.0
                } else if a == b {
                    0.5
                } else {
                    0.0
                }
            });
            assert_near(&pair["a12"], wins.sum::<f64>() / 36.0, "A12");
            let mut values = [&first[..], &second].concat();
            values.sort_by(f64::total_cmp);
            // Without ties the probability is exact; with ties it is an approximation.
            if values.windows(2).all(|two| two[0] < two[1]) {
                assert_near(&pair["p"], exact_p(&first, &second), "p");
            }
        }
        assert_holm(pairs);
    }
    assert!(mixed >= 3, "the budget decides about none: {mixed}");
}

/// The least p counts times all tests, the next times one less; never less than one before.
#[track_caller]
fn assert_holm(pairs: &[Value]) {
    let mut p: Vec<(f64, f64)> = pairs
        .iter()
        .map(|pair| ["p", "p_holm"].map(|key| pair[key].as_f64().unwrap()))
        .map(|[p, holm]| (p, holm))
        .collect();
    p.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut before = 0.0f64;
    for (at, &(p_raw, holm)) in p.iter().enumerate() {
        assert!((0.0..=1.0).contains(&p_raw) && p_raw <= holm && holm <= 1.0);
        before = before.max(((p.len() - at) as f64 * p_raw).min(1.0));
        assert!((holm - before).abs() < 1e-12, "{holm} is not {before}");
    }
}

#[test]
fn text_names_everybody_and_says_never() {
    let dir = Dir::new();
    let args = [
        "--algo",
        "lsga,ga,memetic",
        "--problem",
        "easy-1",
        "--runs",
        "2",
    ];
    let args = [&args[..], &["--budget", "generations=1"]].concat();
    let reply = compare_into(&dir.at("results.jsonl"), &args).expect(0);
    let rows = |begin: &[&str]| -> Vec<&str> {
        let words = |row: &&str| {
            row.split_whitespace()
                .take(begin.len())
                .eq(begin.iter().copied())
        };
        reply.stdout.lines().filter(words).collect()
    };
    assert_eq!(
        rows(&["easy-1", "lsga"]).len(),
        1 + 2,
        "a cell and two pairs"
    );
    assert_eq!(rows(&["easy-1"]).len(), 3 + 3, "{}", reply.stdout);
    let ga = rows(&["easy-1", "ga", "0/2"])[0];
    assert!(ga.contains("never"), "{ga}");
    let memetic = rows(&["easy-1", "memetic"])[0];
    assert!(memetic.contains("2/2 (2 by propagation)"), "{memetic}");
}
