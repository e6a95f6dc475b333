//! The algorithms for queens on grids.

use super::run::assert_coherent;
use super::support::*;

const LATIN_6: &str = "1.....\n...2..\n....3.\n.4....\n..5...\n.....6\n";

#[test]
fn every_hybrid_solves_easy_grids_as_the_papers_print_them() {
    for algo in FOR_QUEENS {
        for name in ["fpchs-1", "easy-1"] {
            let reply = run_cpu(&[name, "--algo", algo]).expect(0);
            assert_eq!(reply.stderr, "");
            let run = reply.object();
            assert_coherent(&run);
            assert_eq!(run["solution"], known_as(name).solution, "{algo}");
            assert_eq!(
                (count(&run, "goal"), &run["solved_by"]),
                (0, &"search".into())
            );
        }
    }
}

#[test]
fn hgasa_solves_a_hard_grid() {
    let run = run_cpu(&["hard-77", "--algo", "hgasa"]).expect(0).object();
    assert_coherent(&run);
    assert_eq!(run["solution"], known_as("hard-77").solution);
}

#[test]
fn small_grids_of_any_kind_are_solved() {
    for algo in FOR_QUEENS {
        for (text, options) in [
            ("1...\n..2.\n.3..\n...4\n", &[][..]),
            ("1...\n..2.\n.3..\n...4\n", &["--latin"]),
            (LATIN_6, &["--box", "3x2"]),
            (LATIN_6, &["--latin"]),
            ("1..\n...\n..1\n", &["--latin"]),
        ] {
            // A population of 64 finds a 3x3 at once; one individual has to search.
            for pop in ["1", "30"] {
                let own = ["-", "--algo", algo, "--pop", pop];
                let run = run_cpu_with(&[&own[..], options].concat(), text.as_bytes());
                let run = run.expect(0).object();
                assert_coherent(&run);
                let check = verdict(run["solution"].as_str().unwrap(), options);
                assert_eq!(check["solved"], true, "{algo}: {check}");
            }
        }
    }
}

/// Both kinds of bricks and both fitnesses, with a large grid and a Latin square.
#[test]
fn larger_grids_run() {
    let solved = solved_square(4);
    let sixteen = integers(16, |r, c| {
        if (r * 5 + c) % 3 == 0 {
            solved(r, c)
        } else {
            0
        }
    });
    let latin = integers(13, |r, c| {
        if (r + c) % 4 == 0 {
            (r + c) % 13 + 1
        } else {
            0
        }
    });
    for algo in FOR_QUEENS {
        for (text, options) in [(&sixteen, &[][..]), (&latin, &["--latin"])] {
            let mut hashes = Vec::new();
            for pairs in [
                &[][..],
                &["bricks=rows"],
                &["fitness=support-confidence"],
                &["bricks=rows", "fitness=support-confidence"],
            ] {
                let few = ["-", "--algo", algo, "--pop", "7", "--max-generations", "6"];
                let args = [&few[..], options, &sets(pairs)].concat();
                let run = run_cpu_with(&args, text.as_bytes()).expect(1).object();
                assert_coherent(&run);
                assert_eq!(count(&run, "generations"), 6);
                hashes.push(hash(&run).to_owned());
            }
            assert_ne!(hashes[0], hashes[2], "{algo}");
            // Without boxes, blocks are rows.
            assert_eq!(hashes[0] == hashes[1], !options.is_empty(), "{algo}");
        }
    }
}

#[test]
fn the_fitness_of_both_kinds_is_0_at_a_solution_only() {
    for algo in FOR_QUEENS {
        let weighed = [
            "easy-1",
            "--algo",
            algo,
            "--set",
            "fitness=support-confidence",
        ];
        let run = run_cpu(&[&weighed[..], &["--max-generations", "3000"]].concat());
        assert!(run.code < 2, "{run:?}");
        let run = run.object();
        assert_coherent(&run);
        assert!(run["false_zero"].is_null(), "{run}");
        if run["solved"] == true {
            assert_eq!(run["solution"], known_as("easy-1").solution, "{algo}");
        }
    }
}

#[test]
fn a_complete_grid_needs_no_search() {
    let easy = known_as("easy-1");
    for algo in FOR_QUEENS {
        let run = run_cpu(&[easy.solution, "--algo", algo]).expect(0).object();
        assert_coherent(&run);
        assert_eq!(run["solution"], easy.solution, "{algo}");
        assert_eq!(count(&run, "generations"), 0, "{algo}");
    }
}

/// The givens disprove the first; of the second, nobody knows without a search.
#[test]
fn an_impossible_grid_is_not_solved() {
    let obvious = "123....4........";
    let hidden =
        ".....3.17.15..9..8.6.......1....7.....9..42.....5....4.......2.5..6..34.34.2.....";
    assert_eq!(verdict(hidden, &[])["solutions"], "0");
    for algo in FOR_QUEENS {
        let few = ["--algo", algo, "--pop", "5", "--max-generations", "40"];
        let reply = run_cpu(&[&[obvious], &few[..]].concat()).expect(1);
        assert!(reply.sentence().contains("no solution"), "{reply:?}");
        let run = run_cpu(&[&[hidden], &few[..]].concat()).expect(1).object();
        assert_coherent(&run);
        assert_eq!((count(&run, "generations"), count(&run, "goal")), (40, 0));
    }
    let reply = run_cpu_with(&["-", "--algo", "hgasa"], b"11..\n....\n....\n....\n");
    reply.expect(2).sentence();
}

#[test]
fn a_file_of_several_puzzles_is_solved_one_after_the_other() {
    let dir = Dir::new();
    let names = ["fpchs-1", "easy-1", "easy-11"];
    let text: String = names
        .map(|name| known_as(name).puzzle.to_owned() + "\n")
        .concat();
    let file = dir.file("three.sdm", text);
    let runs = run_cpu(&[&file, "--algo", "hgasa"]).expect(0).objects();
    assert_eq!(runs.len(), 3);
    for ((run, name), line) in runs.iter().zip(names).zip(1..) {
        assert_coherent(run);
        assert_eq!(run["solution"], known_as(name).solution);
        assert_eq!(run["problem"], format!("{file}:{line}"));
        let alone = run_cpu(&[name, "--algo", "hgasa"]).object();
        assert_eq!(hash(run), hash(&alone), "{name}");
    }
}
