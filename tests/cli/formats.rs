//! Every format that is promised, through `check` and `run`.

use super::support::*;

/// The rows of a puzzle in a line.
fn rows(puzzle: &str) -> Vec<&str> {
    (0..9).map(|row| &puzzle[9 * row..9 * row + 9]).collect()
}

fn sdk(puzzle: &str) -> String {
    format!("#ASomebody\n#DEscargot\n{}\n", rows(puzzle).join("\n"))
}

fn ss(puzzle: &str) -> String {
    let barred = |row: &&str| format!("{}|{}|{}\n", &row[..3], &row[3..6], &row[6..]);
    let bands: Vec<String> = rows(puzzle)
        .chunks(3)
        .map(|band| band.iter().map(barred).collect())
        .collect();
    bands.join("-----------\n")
}

/// Rows between bars and rulers around and between the boxes.
fn framed(puzzle: &str) -> String {
    let ruler = "+-------+-------+-------+\n";
    let spaced = |cells: &str| cells.chars().map(|c| format!(" {c}")).collect::<String>();
    let row = |row: &&str| {
        format!(
            "|{} |{} |{} |\n",
            spaced(&row[..3]),
            spaced(&row[3..6]),
            spaced(&row[6..])
        )
    };
    let bands: Vec<String> = rows(puzzle)
        .chunks(3)
        .map(|band| band.iter().map(row).collect())
        .collect();
    format!("{ruler}{}{ruler}", bands.join(ruler))
}

fn opensudoku(puzzles: &[&str]) -> String {
    let game = |puzzle: &&str| format!("<game data=\"{}\" />\n", puzzle.replace('.', "0"));
    let games: String = puzzles.iter().map(game).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone='no' ?>\n<opensudoku>\n\
         <name>Papers</name><author>x</author>\n{games}</opensudoku>\n"
    )
}

fn separated(puzzle: &str, blank: &str, separator: &str) -> String {
    let cell = |c: char| {
        if c == '.' {
            blank.to_owned()
        } else {
            c.to_string()
        }
    };
    let row = |row: &str| row.chars().map(cell).collect::<Vec<_>>().join(separator);
    rows(puzzle).iter().map(|cells| row(cells) + "\n").collect()
}

/// A 16x16 grid with one character a cell, every blank on the diagonal.
fn characters(alphabet: &str) -> String {
    let symbols: Vec<char> = alphabet.chars().collect();
    let solved = solved_square(4);
    let row = |r| {
        let cell = |c| {
            if r == c {
                '.'
            } else {
                symbols[solved(r, c) - 1]
            }
        };
        (0..16).map(cell).collect::<String>() + "\n"
    };
    (0..16).map(row).collect()
}

#[test]
fn one_puzzle_in_every_format_is_the_same_puzzle() {
    let escargot = known_as("sd2");
    let puzzle = escargot.puzzle;
    let mut texts = vec![
        sdk(puzzle),
        ss(puzzle),
        framed(puzzle),
        opensudoku(&[puzzle]),
    ];
    texts.extend(['.', '0', '*', '_', 'X'].map(|blank| puzzle.replace('.', &blank.to_string())));
    texts.push(separated(puzzle, "0", " "));
    texts.push(separated(puzzle, ".", ","));
    texts.push(format!("3\n1\n{}", separated(puzzle, "-1", "\t")));
    texts.push(sdk(puzzle).replace('\n', "\r\n"));
    for text in texts {
        let verdict = verdict(&text, &[]);
        assert_eq!(count(&verdict, "givens"), escargot.givens, "{text}");
        assert_eq!(verdict["solution"], escargot.solution, "{text}");
        assert_eq!(verdict["box"], "3x3", "{text}");
    }
}

#[test]
fn files_are_told_by_their_content_whatever_their_name() {
    let escargot = known_as("sd2");
    let dir = Dir::new();
    let files = [
        dir.file("a.sdk", sdk(escargot.puzzle)),
        dir.file("b.ss", ss(escargot.puzzle)),
        dir.file("c.opensudoku", opensudoku(&[escargot.puzzle])),
        dir.file("no-extension", escargot.puzzle),
    ];
    let few = ["--pop", "64", "--max-generations", "4"];
    let named = run_cpu(&[&["sd2"], &few[..]].concat()).object();
    for file in files {
        let run = run_cpu(&[&[file.as_str()], &few[..]].concat()).object();
        assert_eq!(hash(&run), hash(&named), "{file}");
    }
}

#[test]
fn files_of_several_puzzles_get_a_verdict_each() {
    let known = known();
    let puzzles: Vec<_> = known.iter().map(|known| known.puzzle).collect();
    let dir = Dir::new();
    let files = [
        dir.file("papers.sdm", puzzles.join("\n") + "\n"),
        dir.file("papers.opensudoku", opensudoku(&puzzles)),
        dir.file(
            "papers.ss",
            puzzles
                .iter()
                .map(|puzzle| ss(puzzle) + "\n")
                .collect::<String>(),
        ),
    ];
    for file in files {
        let verdicts = call(&["check", "--format", "json", &file])
            .expect(0)
            .objects();
        assert_eq!(verdicts.len(), known.len(), "{file}");
        for (verdict, known) in verdicts.iter().zip(&known) {
            assert_eq!(
                verdict["solution"], known.solution,
                "{file}: {}",
                known.name
            );
        }
    }
}

#[test]
fn large_grids_are_integers() {
    let solved = solved_square(4);
    let puzzle = integers(16, |r, c| if r == c { 0 } else { solved(r, c) });
    for text in [
        puzzle.clone(),
        puzzle.replace(' ', ","),
        puzzle.replace('\n', " "),
    ] {
        let verdict = verdict(&text, &[]);
        assert_eq!(
            (count(&verdict, "size"), count(&verdict, "givens")),
            (16, 240)
        );
        assert_eq!(verdict["solutions"], "1");
        assert_eq!(verdict["solution"], integers(16, &solved).trim_end());
    }
}

#[test]
fn an_alphabet_is_read_where_the_text_decides_and_asked_for_where_not() {
    let solution = integers(16, solved_square(4));
    for alphabet in ["123456789ABCDEFG", "0123456789ABCDEF", "ABCDEFGHIJKLMNOP"] {
        let verdict = verdict(&characters(alphabet), &[]);
        assert_eq!(verdict["solution"], solution.trim_end(), "{alphabet}");
    }
    // Without 0 and G the letters could follow either 9 or 10.
    let open = characters("0123456789ABCDEF").replace('0', ".");
    let reply = call_with(&["check", "-"], open.as_bytes()).expect(2);
    assert!(reply.stderr.contains("--alphabet"), "{reply:?}");
    let verdict = verdict(&open, &["--alphabet", "0-F"]);
    assert_eq!(verdict["solution"], solution.trim_end());
}

/// The answer to a puzzle in characters is in the same characters.
#[test]
fn answers_are_in_the_alphabet_of_the_question() {
    let numbers = integers(16, solved_square(4));
    let numbers = numbers.trim_end();
    for alphabet in ["123456789ABCDEFG", "0123456789ABCDEF", "ABCDEFGHIJKLMNOP"] {
        let puzzle = characters(alphabet);
        let symbols: Vec<char> = alphabet.chars().collect();
        let solved = solved_square(4);
        let answer: String = (0..256)
            .map(|at| symbols[solved(at / 16, at % 16) - 1])
            .collect();
        let run = run_cpu_with(&["-", "--set", "propagate=none"], puzzle.as_bytes());
        let run = run.expect(0).object();
        assert_eq!(run["solution"], numbers);
        assert_eq!(run["solution_text"], answer.as_str());
        let text = call_with(&["run", "-", "--backend", "cpu"], puzzle.as_bytes()).expect(0);
        let row: Vec<String> = answer[..16].chars().map(|c| format!("[{c}]")).collect();
        let row = row.concat().replacen(
            &format!("[{}]", &answer[..1]),
            &format!(" {} ", &answer[..1]),
            1,
        );
        let boxes = [&row[..12], &row[12..24], &row[24..36], &row[36..]].join("|");
        assert!(
            text.stdout.contains(&format!("|{boxes}|\n")),
            "{boxes}\n{}",
            text.stdout
        );
        // What is printed is read again, without being told the alphabet.
        let verdict = verdict(&text.stdout, &[]);
        assert_eq!(
            (&verdict["solved"], &verdict["solution"]),
            (&true.into(), &numbers.into())
        );
    }
    // Numbers are answered in numbers, and small grids have no alphabet.
    for puzzle in [numbers, known_as("sd1").puzzle] {
        let run = run_cpu_with(&["-"], puzzle.as_bytes()).expect(0).object();
        assert!(run.get("solution_text").is_none(), "{run}");
    }
}

/// A checkpoint knows how its puzzle was written.
#[test]
fn a_resumed_run_answers_in_the_alphabet_of_the_question() {
    let dir = Dir::new();
    let file = dir.at("run.checkpoint");
    let puzzle = format!("0123456789ABCDEF{}", ".".repeat(240));
    let begun = [
        "-",
        "--algo",
        "lsga",
        "--pop",
        "16",
        "--max-generations",
        "1",
        "--checkpoint",
        &file,
    ];
    let begun = run_cpu_with(
        &[&begun[..], &["--set", "propagate=none"]].concat(),
        puzzle.as_bytes(),
    );
    assert_eq!(begun.code, 1, "{begun:?}");
    let resumed = call(&[
        "run",
        "--resume",
        &file,
        "--backend",
        "cpu",
        "--max-generations",
        "1",
    ]);
    let widths: Vec<_> = resumed.stdout.lines().map(str::len).collect();
    assert_eq!(widths[0], 16 * 3 + 5, "one character a cell: {resumed:?}");
}

/// Forms that people paste.
#[test]
fn pastes_are_read() {
    let escargot = known_as("sd2");
    let puzzle = escargot.puzzle;
    let zeros = puzzle.replace('.', "0");
    let lists = |blank: &str| {
        let row = |row: &str| format!("[{}]", separated_row(row, blank, ","));
        rows(puzzle)
            .iter()
            .map(|cells| row(cells))
            .collect::<Vec<_>>()
            .join(",\n ")
    };
    let unicode = framed(puzzle)
        .replace('-', "─")
        .replace('+', "┼")
        .replace('|', "│");
    let texts = [
        rows(puzzle).join(" "),
        rows(&zeros).join(" "),
        rows(&zeros).join(","),
        framed(puzzle).replace('.', " "),
        ss(puzzle).replace('.', " "),
        unicode.clone(),
        unicode.replace('.', " "),
        framed(puzzle).replace('.', "-"),
        separated(puzzle, "", ","),
        separated(puzzle, "", ";"),
        separated(puzzle, "", "\t"),
        separated(puzzle, "-", " "),
        puzzle.replace('.', "-"),
        puzzle.replace('.', "?"),
        format!("[{}]", lists("0")),
        format!("grid = [{}]", lists("None")),
        format!("[{}]", lists("null")),
        format!("[{}]", separated_row(puzzle, "0", ", ")),
        format!("[\"{}\"]", rows(puzzle).join("\", \"")),
    ];
    for text in &texts {
        let verdict = verdict(text, &[]);
        assert_eq!(verdict["solution"], escargot.solution, "{text}");
        // As an argument, too.
        let argument = call(&["check", "--format", "json", "--", text.as_str()]);
        assert_eq!(
            argument.expect(0).object()["solution"],
            escargot.solution,
            "{text}"
        );
    }
}

fn separated_row(row: &str, blank: &str, separator: &str) -> String {
    let cell = |c: char| c.to_string().replace('.', blank);
    row.chars().map(cell).collect::<Vec<_>>().join(separator)
}

#[test]
fn forms_of_other_programs_are_refused_by_name() {
    for (text, name) in [
        (
            "https://www.f-puzzles.com/?load=N4IgzglgXgpiBcBOANCALhNAbO8QHU",
            "f-puzzles",
        ),
        ("N4IgzglgXgpiBcBOANCALhNAbO8QHUcBzKAQwCcwA", "f-puzzles"),
        ("https://sudokupad.app/some-puzzle", "SudokuPad"),
    ] {
        for reply in [
            call(&["run", text]),
            call_with(&["check", "-"], text.as_bytes()),
        ] {
            assert_eq!(reply.code, 2, "{reply:?}");
            let sentence = reply.sentence();
            assert!(
                sentence.contains(name) && sentence.contains("81 characters"),
                "{sentence}"
            );
        }
    }
}

#[test]
fn latin_squares_come_as_grids_triples_and_graphs() {
    let cyclic = |r: usize, c: usize| (r + c) % 5;
    let grid = integers(5, |r, c| if r == c { 0 } else { 1 + cyclic(r, c) });
    let cells = || (0..25).map(|at| (at / 5, at % 5)).filter(|(r, c)| r != c);
    let triples: String = cells()
        .map(|(r, c)| format!("{r} {c} {}\n", cyclic(r, c)))
        .collect();
    let lists: String = cells()
        .map(|(r, c)| format!("f {} {}\n", 5 * r + c + 1, 1 + cyclic(r, c)))
        .collect();
    let solution: String = integers(5, |r, c| 1 + cyclic(r, c))
        .split_whitespace()
        .collect();
    for (text, options) in [
        (grid, &["--latin"][..]),
        (format!("5\n{triples}"), &[]),
        (format!("c a square\np edges 25 0\n{lists}"), &[]),
    ] {
        let verdict = verdict(&text, options);
        assert_eq!(
            (count(&verdict, "size"), count(&verdict, "givens")),
            (5, 20),
            "{text}"
        );
        assert!(verdict["box"].is_null(), "{verdict}");
        assert_eq!(verdict["solution"], solution.as_str(), "{text}");
    }
    let verdict = verdict("4\n0 0 3\n1 2 0\n", &[]);
    assert_eq!(verdict["solutions"], "2+");
}
