//! Every algorithm on every size and shape.

use super::algorithms::brief;
use super::run::assert_coherent;
use super::support::*;

/// A short run; what it calls solved must be so for `check`, too.
#[track_caller]
fn short_run(puzzle: &str, algo: &str, options: &[&str], pairs: &[&str]) {
    let few = ["-", "--pop", "5", "--max-generations", "2"];
    let args = [&few[..], options, &brief(algo), &sets(pairs)].concat();
    let reply = run_cpu_with(&args, puzzle.as_bytes());
    assert!(reply.code < 2, "{args:?}: {reply:?}");
    assert_eq!(reply.stderr, "", "{args:?}");
    let run = reply.object();
    assert_coherent(&run);
    assert_eq!(run["solved"], reply.code == 0, "{args:?}");
    assert!(reply.code == 0 || count(&run, "generations") == 2, "{run}");
    if let Some(solution) = run["solution"].as_str() {
        assert_eq!(verdict(solution, options)["solved"], true, "{solution}");
    }
}

/// A solved grid with every third cell open.
fn two_thirds(size: usize, solved: impl Fn(usize, usize) -> usize) -> String {
    integers(size, |r, c| match (r + 2 * c) % 3 {
        0 => 0,
        _ => solved(r, c),
    })
}

#[test]
fn blank_grids() {
    for algo in ALGORITHMS {
        for size in [4, 6, 9, 12, 16, 25, 36, 64] {
            short_run(&blank(size), algo, &[], &[]);
        }
    }
}

#[test]
fn grids_with_givens() {
    for algo in ALGORITHMS {
        for side in [2, 3, 4, 5, 6, 8] {
            let puzzle = two_thirds(side * side, solved_square(side));
            short_run(&puzzle, algo, &[], &[]);
            short_run(&puzzle, algo, &[], &["propagate=locked"]);
        }
    }
}

#[test]
fn other_boxes() {
    for algo in ALGORITHMS {
        for (size, boxes) in [
            (6, "3x2"),
            (8, "2x4"),
            (8, "4x2"),
            (12, "4x3"),
            (12, "6x2"),
            (36, "4x9"),
            (64, "16x4"),
        ] {
            short_run(&blank(size), algo, &["--box", boxes], &[]);
        }
    }
}

#[test]
fn latin_squares() {
    for algo in ALGORITHMS {
        for size in [4, 5, 7, 9, 16, 31, 33, 64, 100] {
            let cyclic = |r, c| (r + c) % size + 1;
            let puzzle = two_thirds(size, cyclic);
            short_run(&puzzle, algo, &["--latin"], &[]);
        }
        short_run(&blank(10), algo, &["--latin"], &[]);
    }
}

/// A grid without any choice left: every open cell has one candidate.
#[test]
fn one_open_cell_is_closed_at_once_or_soon() {
    for algo in ALGORITHMS {
        for side in [2, 3, 5] {
            let (size, solved) = (side * side, solved_square(side));
            let puzzle = integers(size, |r, c| if (r, c) == (1, 2) { 0 } else { solved(r, c) });
            let args = [&["-", "--pop", "10"], &brief(algo)[..]].concat();
            let run = run_cpu_with(&args, puzzle.as_bytes()).expect(0).object();
            let digits = run["solution"].as_str().unwrap();
            let digits: String = digits.split_whitespace().collect();
            let wanted: String = integers(size, &solved).split_whitespace().collect();
            assert_eq!(digits, wanted, "{algo}");
            assert_eq!(count(&run, "generations"), 0, "{algo}: {run}");
        }
    }
}

#[test]
fn small_grids_are_solved() {
    // Boxes of three rows and two columns.
    let tall = |r: usize, c: usize| (2 * (r % 3) + r / 3 + c) % 6 + 1;
    let tall: String = two_thirds(6, tall).split_whitespace().collect();
    for algo in ALGORITHMS {
        for (puzzle, options) in [
            ("1..........4....", &[][..]),
            ("1..........4....", &["--latin"]),
            (&tall.replace('0', "."), &["--box", "3x2"]),
        ] {
            let args = [&["-", "--algo", algo], options].concat();
            let run = run_cpu_with(&args, puzzle.as_bytes()).expect(0).object();
            assert_coherent(&run);
            let solution = run["solution"].as_str().unwrap();
            for (given, digit) in puzzle.chars().zip(solution.chars()) {
                assert!(given == '.' || given == digit, "{algo}: {solution}");
            }
            assert_eq!(verdict(solution, options)["solved"], true, "{algo}");
        }
    }
}

#[test]
fn both_engines_run_alike_on_latin_squares_and_large_grids() {
    if gpu_wanted() {
        let latin = two_thirds(11, |r, c| (r + c) % 11 + 1);
        let large = two_thirds(16, solved_square(4));
        for algo in ALGORITHMS {
            for (puzzle, options) in [(&latin, &["--latin"][..]), (&large, &[])] {
                let few = ["-", "--pop", "3", "--max-generations", "2"];
                let args = [&few[..], options, &brief(algo)].concat();
                super::gpu::assert_twins(&super::gpu::GPU, &args, puzzle);
            }
        }
    }
}
