//! Every size that is promised.

use super::support::*;

/// A short run on a blank grid; what it calls solved must be so for `check`, too.
fn short_run(size: usize, options: &[&str]) {
    let dir = Dir::new();
    let file = dir.file("blank.txt", blank(size));
    let few = [&file, "--algo", "lsga", "--pop", "16"];
    let reply = run_cpu(&[&few[..], &["--max-generations", "3"], options].concat());
    let run = reply.object();
    assert_eq!(
        (reply.code == 0, reply.stderr.as_str()),
        (run["solved"] == true, ""),
        "{size}"
    );
    assert!(reply.code < 2, "{reply:?}");
    let generations = count(&run, "generations");
    assert!(
        generations == 3 || reply.code == 0,
        "{size}: {generations} generations"
    );
    if let Some(solution) = run["solution"].as_str() {
        assert_eq!(
            verdict(solution, options)["solved"],
            true,
            "{size}: {solution}"
        );
    }
}

#[test]
fn sudoku_of_every_size_runs() {
    for size in [4, 6, 8, 9, 10, 12, 16, 25, 36, 49, 64] {
        short_run(size, &[]);
    }
}

#[test]
fn other_boxes_run() {
    for (size, boxes) in [
        (6, "3x2"),
        (8, "4x2"),
        (12, "2x6"),
        (12, "6x2"),
        (64, "4x16"),
    ] {
        short_run(size, &["--box", boxes]);
    }
}

#[test]
fn latin_squares_run() {
    for size in [5, 7, 9, 50, 100] {
        short_run(size, &["--latin"]);
    }
}

#[test]
fn the_usual_boxes_are_those_of_the_contract() {
    for (size, boxes) in [(4, "2x2"), (6, "2x3"), (9, "3x3"), (12, "3x4"), (16, "4x4")] {
        assert_eq!(verdict(&blank(size), &[])["box"], boxes);
    }
    assert!(verdict(&blank(9), &["--latin"])["box"].is_null());
}

#[test]
fn a_small_blank_grid_of_each_kind_is_solved() {
    for (size, options) in [
        (4, &[][..]),
        (6, &[]),
        (6, &["--box", "3x2"]),
        (5, &["--latin"]),
    ] {
        let args = [&["-"], options].concat();
        let run = run_cpu_with(&args, blank(size).as_bytes())
            .expect(0)
            .object();
        let solution = run["solution"].as_str().unwrap();
        let digits = solution.chars().filter(char::is_ascii_digit).count();
        assert_eq!(digits, size * size, "{solution}");
    }
}

#[test]
fn a_large_solution_is_rows_of_numbers() {
    let solved = solved_square(4);
    let puzzle = integers(16, |r, c| if r == c { 0 } else { solved(r, c) });
    let run = run_cpu_with(&["-"], puzzle.as_bytes()).expect(0).object();
    assert_eq!(run["solution"], integers(16, &solved).trim_end());
}
