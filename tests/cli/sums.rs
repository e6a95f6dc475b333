//! `--set objective=sum`: right sums are not yet a solution.

use super::run::assert_coherent;
use super::support::*;
use super::trace::column;

/// The form that the papers print, as far as it can be told.
const PUBLISHED: [&str; 3] = ["objective=sum", "domain=any", "distinct=off"];

/// Runs with objective=sum that reach Z = 0 by an invalid grid.
fn deceived() -> [Vec<&'static str>; 2] {
    let few = ["--max-generations", "200"];
    [
        [
            &["fpchs-2", "--algo", "hs", "--seed", "2"],
            &few[..],
            &sets(&PUBLISHED),
            &sets(&["hmcr=0.98", "par=0.01"]),
        ]
        .concat(),
        [
            &["fpchs-1", "--algo", "fpchs", "--seed", "3"],
            &few[..],
            &sets(&PUBLISHED),
            &sets(&["hmcr-min=0.9"]),
        ]
        .concat(),
    ]
}

#[test]
fn right_sums_of_an_invalid_grid_are_no_success_and_are_told() {
    for args in deceived() {
        let reply = run_cpu(&args).expect(1);
        assert_eq!(reply.stderr, "");
        let run = reply.object();
        assert_coherent(&run);
        assert!(count(&run, "best_fitness") > 0, "{run}");
        let first = count(&run, "false_zero");
        assert!((1..=200).contains(&first), "{run}");
        let text = call(&[&["run", "--backend", "cpu"], &args[..]].concat()).expect(1);
        let summary = text.summary();
        assert!(
            summary.contains(": not solved (best Z = 0, by an invalid grid), generations spent;"),
            "{summary}"
        );
        let told = format!("; Z = 0 was reached by an invalid grid in generation {first}");
        assert!(summary.ends_with(&told), "{summary}");
        // The frame shows that grid: all its sums are right, and it is none.
        let check = call_with(&["check", "-"], text.stdout.as_bytes()).expect(1);
        assert!(check.stdout.contains("complete, but wrong"), "{check:?}");
        let rows = text.stdout.lines().filter(|line| line.starts_with('|'));
        let digits: Vec<u32> = rows
            .flat_map(|row| row.chars().filter_map(|c| c.to_digit(10)))
            .collect();
        assert_eq!(digits.len(), 81);
        for line in 0..9 {
            let sum =
                |cell: &dyn Fn(usize) -> usize| -> u32 { (0..9).map(|k| digits[cell(k)]).sum() };
            let corner = line / 3 * 27 + line % 3 * 3;
            assert_eq!(sum(&|k| 9 * line + k), 45, "row {line}");
            assert_eq!(sum(&|k| 9 * k + line), 45, "column {line}");
            assert_eq!(sum(&|k| corner + k / 3 * 9 + k % 3), 45, "box {line}");
        }
    }
}

#[test]
fn the_generation_told_is_the_first_one() {
    let dir = Dir::new();
    let file = dir.at("trace.csv");
    for args in deceived() {
        let run = run_cpu(&[&args[..], &["--trace", &file]].concat()).expect(1);
        let first = count(&run.object(), "false_zero");
        let best = column(&file, "best");
        let least = best.last().copied().unwrap();
        let reached = best.iter().position(|&best| best == least).unwrap();
        assert_eq!(first, reached as u64);
        // One generation less, and there is nothing to tell.
        let before = (first - 1).to_string();
        let budget = args.iter().position(|&arg| arg == "200").unwrap();
        let shorter = [&args[..budget], &[before.as_str()], &args[budget + 1..]].concat();
        let run = run_cpu(&shorter).expect(1).object();
        assert!(run["false_zero"].is_null(), "{run}");
    }
}

#[test]
fn both_engines_are_deceived_alike() {
    if gpu_wanted() {
        for args in deceived() {
            let gpu = super::gpu::assert_twins(&super::gpu::GPU, &args, "");
            let cpu = run_cpu(&args).object();
            assert_eq!(gpu["false_zero"], cpu["false_zero"]);
        }
    }
}

/// Some of these runs find a solution, most only right sums; exit status 0 is for the first.
#[test]
fn success_is_decided_by_the_rules() {
    let puzzle = "12..34..2.......";
    let (mut solved, mut deceived, mut both) = (0, 0, 0);
    for algo in ["hs", "fpchs"] {
        for pairs in [&PUBLISHED[..], &PUBLISHED[..2], &PUBLISHED[..1]] {
            let common = ["--runs", "8", "--max-generations", "120"];
            let args = [&[puzzle, "--algo", algo], &common[..], &sets(pairs)].concat();
            let reply = run_cpu(&args);
            let runs = reply.objects();
            let all = runs.iter().all(|run| run["solved"] == true);
            assert_eq!(reply.code, i32::from(!all), "{algo}");
            for run in &runs {
                assert_coherent(run);
                let zero = !run["false_zero"].is_null();
                deceived += u32::from(zero && run["solved"] == false);
                if let Some(solution) = run["solution"].as_str() {
                    assert_eq!(verdict(solution, &[])["solved"], true, "{run}");
                    solved += 1;
                    both += u32::from(zero);
                }
            }
        }
    }
    assert!(
        solved > 0 && deceived > 0 && both > 0,
        "{solved} {deceived} {both}"
    );
}

#[test]
fn a_success_after_a_false_zero_tells_of_both() {
    let args = [
        "fpchs-1",
        "--algo",
        "hs",
        "--seed",
        "3",
        "--set",
        PUBLISHED[0],
    ];
    let run = run_cpu(&args).expect(0).object();
    assert_eq!(run["solution"], known_as("fpchs-1").solution);
    assert!(count(&run, "false_zero") < count(&run, "generations"));
    let text = call(&[&["run", "--backend", "cpu"], &args[..]].concat()).expect(0);
    let summary = text.summary();
    assert!(summary.contains(": solved and verified;"), "{summary}");
    assert!(summary.contains("; Z = 0 was reached by an invalid grid in generation "));
}

#[test]
fn other_objectives_know_no_false_zero() {
    for algo in ALGORITHMS {
        let args = [
            "1..........4....",
            "--algo",
            algo,
            "--max-generations",
            "60",
        ];
        let run = run_cpu(&args).object();
        assert!(run["false_zero"].is_null(), "{run}");
        let text = call(&[&["run", "--backend", "cpu"], &args[..]].concat());
        assert!(!text.stdout.contains("Z = 0"), "{text:?}");
    }
}

/// The sums of other sizes are N (N + 1) / 2.
#[test]
fn sums_work_for_every_size() {
    for algo in ["hs", "fpchs"] {
        for (size, options) in [
            (6, &["--box", "3x2"][..]),
            (12, &[]),
            (16, &[]),
            (64, &[]),
            (7, &["--latin"]),
        ] {
            let few = ["-", "--algo", algo, "--pop", "6", "--max-generations", "3"];
            let args = [&few[..], &sets(&PUBLISHED), options].concat();
            let reply = run_cpu_with(&args, blank(size).as_bytes());
            assert!(reply.code < 2, "{reply:?}");
            assert_coherent(&reply.object());
        }
        let solved = solved_square(4);
        let puzzle = integers(16, |r, c| if r == c { 0 } else { solved(r, c) });
        let args = ["-", "--algo", algo, "--set", PUBLISHED[0]];
        let run = run_cpu_with(&args, puzzle.as_bytes()).expect(0).object();
        assert_eq!(run["solution"], integers(16, &solved).trim_end());
    }
}
