//! What the program says of itself: help, manual pages, completions, names of commands.

use std::fs;

use super::support::*;

const COMMANDS: [&str; 13] = [
    "run",
    "adapters",
    "check",
    "generate",
    "evaluate",
    "compare",
    "reproduce",
    "bench",
    "selftest",
    "convert",
    "report",
    "completions",
    "man",
];

#[test]
fn every_shell_gets_a_script_that_knows_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let reply = call(&["completions", shell]).expect(0);
        assert_eq!(reply.stderr, "");
        for word in COMMANDS.iter().chain(&["max-generations", "overwrite"]) {
            assert!(reply.stdout.contains(word), "{shell}: {word}");
        }
    }
    for args in [&["completions"][..], &["completions", "command.com"]] {
        let refused = call(args).expect(2);
        assert_eq!(refused.stdout, "");
    }
}

/// Shells are at hand almost everywhere; a script that is none would break every new terminal.
#[test]
#[cfg(unix)]
fn bash_reads_its_script_and_completes() {
    let dir = Dir::new();
    let script = call(&["completions", "bash"]).expect(0).stdout;
    let file = dir.file("gpusudoku.bash", script);
    let ask = "source \"$1\"; COMP_WORDS=(gpusudoku run --over); COMP_CWORD=2; \
               _gpusudoku gpusudoku --over run; echo \"${COMPREPLY[@]}\"";
    let mut bash = std::process::Command::new("bash");
    bash.args(["-c", ask, "bash", &file]);
    let reply = answer(bash, b"").expect(0);
    assert_eq!((reply.stdout.trim(), &*reply.stderr), ("--overwrite", ""));
}

#[test]
fn every_command_has_a_page() {
    let dir = Dir::new();
    let folder = dir.at("share/man1");
    // The second time pages are there already.
    for _ in 0..2 {
        let reply = call(&["man", "--out", &folder]).expect(0);
        assert_eq!((&*reply.stdout, &*reply.stderr), ("", ""));
    }
    let mut names: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|it| it.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut wanted: Vec<_> = COMMANDS.map(|it| format!("gpusudoku-{it}.1")).to_vec();
    wanted.push("gpusudoku.1".to_owned());
    wanted.sort();
    assert_eq!(names, wanted);
    for name in names {
        let page = fs::read_to_string(format!("{folder}/{name}")).unwrap();
        let title = format!(".TH {} 1 ", name.trim_end_matches(".1"));
        assert!(page.contains(&title), "{name}: {page}");
    }
    let page = fs::read_to_string(format!("{folder}/gpusudoku-run.1")).unwrap();
    assert!(page.contains("\\-\\-max\\-generations"), "{page}");
}

#[test]
fn pages_that_cannot_be_written_exit_with_2() {
    let dir = Dir::new();
    let file = dir.file("file", "precious");
    for folder in [&file, &dir.at("file/below")] {
        let refused = call(&["man", "--out", folder]).expect(2);
        let start = format!("cannot write {folder}: ");
        assert!(refused.sentence().starts_with(&start), "{refused:?}");
    }
    assert_eq!(fs::read_to_string(file).unwrap(), "precious");
    fs::create_dir_all(dir.at("pages/gpusudoku.1")).unwrap();
    let refused = call(&["man", "--out", &dir.at("pages")]).expect(2);
    assert!(refused.sentence().contains("gpusudoku.1: "), "{refused:?}");
    call(&["man"]).expect(2);
    call(&["man", "--out", ""]).expect(2);
}

#[test]
fn solve_is_another_word_for_run() {
    let args = ["easy-1", "--backend", "cpu", "--format", "json"];
    let solve = call(&[&["solve"], &args[..]].concat()).expect(0).object();
    let run = call(&[&["run"], &args[..]].concat()).expect(0).object();
    assert_eq!(hash(&solve), hash(&run));
    assert_eq!(solve["solution"], known_as("easy-1").solution);
    let help = call(&["--help"]).expect(0).stdout;
    assert!(!help.contains("solve"), "{help}");
}

#[test]
fn help_lists_every_algorithm_with_its_title() {
    let help = call(&["run", "--help"]).expect(0).stdout;
    let mut listed = help.lines().map(str::trim);
    let brief = call(&["run", "-h"]).expect(0).stdout;
    for algo in ALGORITHMS {
        let params = call(&["run", "--algo", algo, "--help-params"]).expect(0);
        let title = params.stdout.lines().next().unwrap();
        let line = format!("- {title}");
        assert!(listed.any(|it| it == line), "{line}, in order: {help}");
        assert!(brief.contains(algo), "{brief}");
    }
    let words: Vec<_> = help.split_whitespace().collect();
    let queens = format!("Also for queens: {}", FOR_QUEENS.join(", "));
    assert!(words.join(" ").contains(&queens), "{help}");
}

#[test]
fn help_says_what_a_budget_counts() {
    let help = call(&["run", "--help"]).expect(0).stdout;
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "--time-limit <SECONDS> Seconds from now",
        "generations and evaluations in all, or seconds from now",
        "Of more than 10 runs each solution stands on one line",
    ] {
        assert!(words.contains(said), "{said}: {words}");
    }
}
