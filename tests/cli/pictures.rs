//! `--svg` of `run` and `generate`.

use std::fs;

use super::support::*;

fn texts(file: &str) -> usize {
    let svg = fs::read_to_string(file).unwrap();
    assert!(
        svg.starts_with("<svg ") && svg.ends_with("</svg>\n"),
        "{svg}"
    );
    svg.matches("<text ").count()
}

#[test]
fn solutions_are_drawn() {
    let dir = Dir::new();
    let file = dir.at("sd2.svg");
    let drawn = run_cpu(&["sd2", "--svg", &file]).expect(0);
    let plain = run_cpu(&["sd2"]).expect(0);
    assert_eq!(hash(&drawn.object()), hash(&plain.object()));
    assert_eq!(texts(&file), 1 + 81);
    // Of many puzzles several a page, of many runs each puzzle once.
    let papers: String = known()
        .iter()
        .map(|it| format!("{} # {}\n", it.puzzle, it.name))
        .collect();
    let papers = dir.file("papers.sdm", papers);
    let file = dir.at("papers.svg");
    call(&[
        "run",
        &papers,
        "--runs",
        "2",
        "--backend",
        "cpu",
        "--svg",
        &file,
    ])
    .expect(0);
    assert_eq!(texts(&file), 6 * 82);
    assert_eq!(texts(&dir.at("papers-2.svg")), 6 * 82);
    assert!(fs::metadata(dir.at("papers-3.svg")).is_err());
    assert!(
        fs::read_to_string(dir.at("papers-2.svg"))
            .unwrap()
            .contains(">fpchs-3<")
    );
}

#[test]
fn what_is_not_solved_is_drawn_as_it_was() {
    let dir = Dir::new();
    let file = dir.at("open.svg");
    let few = ["--algo", "lsga", "--pop", "8", "--max-generations", "1"];
    run_cpu(&[&["sd2", "--svg", &file], &few[..]].concat()).expect(1);
    assert_eq!(texts(&file), 1 + 23);
    assert!(fs::read_to_string(&file).unwrap().contains("not solved"));
}

#[test]
fn queens_stand_on_a_board_that_is_not_too_large() {
    let dir = Dir::new();
    let file = dir.at("queens.svg");
    run_cpu(&["queens:8", "--svg", &file]).expect(0);
    assert_eq!(
        fs::read_to_string(&file).unwrap().matches("scale(").count(),
        8
    );
    let refused = call(&["run", "queens:65", "--backend", "cpu", "--svg", &file]).expect(2);
    assert!(refused.sentence().contains("64 queens"), "{refused:?}");
}

#[test]
fn generated_puzzles_are_drawn_in_every_size() {
    let dir = Dir::new();
    for (options, givens) in [
        (&["--size", "4", "--givens", "5"][..], 5),
        (&["--box", "3x2", "--givens", "9"], 9),
        (&["--size", "64", "--givens", "1000"], 1000),
        (&["--latin", "--size", "7", "--givens", "10"], 10),
    ] {
        let file = dir.at("new.svg");
        let drawn = call(&[&["generate", "--svg", &file], options].concat()).expect(0);
        let plain = call(&[&["generate"], options].concat()).expect(0);
        assert_eq!(drawn.stdout, plain.stdout);
        assert_eq!(texts(&file), 1 + givens, "{options:?}");
    }
}

#[test]
fn what_cannot_be_written_is_refused_at_once() {
    let dir = Dir::new();
    let folder = dir.at("");
    let nowhere = dir.at("no/such.svg");
    let file = dir.at("many.svg");
    for (args, word) in [
        (&["run", "sd1", "--svg", &folder][..], "directory"),
        (&["run", "sd1", "--svg", &nowhere], "directory"),
        (&["generate", "--svg", &nowhere], "directory"),
        (
            &["generate", "--count", "6001", "--svg", &file],
            "1001 files",
        ),
    ] {
        let reply = call(args).expect(2);
        assert!(reply.sentence().contains(word), "{reply:?}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}
