//! What is called the best is the best of the whole run, wherever it is told.

use super::support::*;

/// A run whose generations get worse again: children always take the place.
const RUN: [&str; 11] = [
    "sd3",
    "--algo",
    "ga",
    "--pop",
    "40",
    "--seed",
    "3",
    "--max-generations",
    "300",
    "--set",
    "mutation=0.5",
];

#[test]
fn the_best_of_the_run_is_told_and_not_that_of_its_end() {
    let dir = Dir::new();
    let trace = dir.at("trace.csv");
    let args = [&RUN[..], &["--trace", &trace]].concat();
    let run = run_cpu(&args).expect(1).object();
    let text = std::fs::read_to_string(&trace).unwrap();
    let bests: Vec<u64> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(3).unwrap().parse().unwrap())
        .collect();
    let (least, last) = (*bests.iter().min().unwrap(), *bests.last().unwrap());
    assert!(
        least < last,
        "the run ends worse than it was: {least} {last}"
    );
    assert_eq!(count(&run, "best_fitness"), least);

    // The grid that is printed has this fitness: so many digits are missing in its rows and columns.
    let text = [&["run"], &RUN[..], &["--backend", "cpu"]].concat();
    let printed = call(&text).expect(1);
    assert!(
        printed.summary().contains(&format!("best {least}")),
        "{printed:?}"
    );
    let digits: Vec<u32> = { printed.stdout.lines() }
        .filter(|line| line.starts_with('|'))
        .flat_map(|line| line.chars().filter_map(|symbol| symbol.to_digit(10)))
        .collect();
    assert_eq!(digits.len(), 81, "{printed:?}");
    let missing = |cells: &dyn Fn(usize) -> usize| {
        let seen = (0..9).fold(0u32, |seen, k| seen | 1 << digits[cells(k)]);
        9 - u64::from(seen.count_ones())
    };
    let rows: u64 = (0..9).map(|row| missing(&|k| 9 * row + k)).sum();
    let columns: u64 = (0..9).map(|column| missing(&|k| 9 * k + column)).sum();
    assert_eq!(rows + columns, least);
}

#[test]
fn a_run_that_was_cut_in_two_remembers_its_best() {
    let dir = Dir::new();
    let checkpoint = dir.at("half.ck");
    let whole = run_cpu(&RUN).expect(1).object();
    let half = ["--max-generations", "150", "--checkpoint", &checkpoint];
    let first = [&RUN[..7], &RUN[9..], &half].concat();
    run_cpu(&first).expect(1);
    let rest = [
        "run",
        "--resume",
        &checkpoint,
        "--max-generations",
        "300",
        "--format",
        "json",
        "--backend",
        "cpu",
    ];
    let rest = call(&rest).expect(1).object();
    for key in ["best_fitness", "population_hash", "generations"] {
        assert_eq!(rest[key], whole[key], "{key}");
    }
}
