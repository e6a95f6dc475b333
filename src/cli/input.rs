//! From a PROBLEM argument to problems: built-in names, files, standard input, the text itself, or
//! so many queens.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use clap::Args;
use gpusudoku::error::Error;
use gpusudoku::problem::queens::QueensError;
use gpusudoku::problem::sudoku::builtin;
use gpusudoku::problem::sudoku::format::{self, Alphabet, Entry, ReadOptions};
use gpusudoku::problem::{BoxShape, Grid, NamedProblem, Puzzle, Queens, Surface};

use super::exit::Failure;

/// How puzzle text is read.
#[derive(Debug, Default, Args)]
pub struct ReadArgs {
    /// Shape of the boxes, rows x columns, where it is not the usual one [example: 2x3].
    #[arg(long = "box", value_name = "RxC", value_parser = parse_box)]
    boxes: Option<BoxShape>,
    /// Latin squares: no boxes.
    #[arg(long, conflicts_with = "boxes")]
    latin: bool,
    /// Meaning of one-character cells above 9x9, where the text leaves it open
    /// [1-9A-G, 0-F, A-P, A-Y].
    #[arg(long, value_name = "ALPHABET")]
    alphabet: Option<Alphabet>,
}

impl ReadArgs {
    /// Whether any of it is set.
    fn are_given(&self) -> bool {
        self.boxes.is_some() || self.latin || self.alphabet.is_some()
    }

    fn options(&self) -> ReadOptions {
        ReadOptions {
            boxes: self.boxes,
            latin: self.latin,
            alphabet: self.alphabet,
        }
    }
}

/// A box shape as users write it.
pub fn parse_box(text: &str) -> Result<BoxShape, String> {
    text.split_once(['x', 'X'])
        .and_then(|(rows, cols)| Some((rows.parse().ok()?, cols.parse().ok()?)))
        .map(|(rows, cols)| BoxShape { rows, cols })
        .ok_or_else(|| "expected rows x columns, such as 2x3".to_owned())
}

/// A grid and what to call it.
#[derive(Debug)]
pub struct NamedGrid {
    /// The built-in's name, the text's own, or the file and line.
    pub name: String,
    /// Where it was read, for messages.
    pub place: String,
    /// What was read.
    pub entry: Entry,
}

impl NamedGrid {
    /// Its cells.
    pub fn grid(&self) -> &Grid {
        &self.entry.grid
    }

    /// The grid as a puzzle, if its givens agree.
    pub fn puzzle(&self) -> Result<Puzzle, Failure> {
        Puzzle::new(self.grid().clone())
            .map(|puzzle| puzzle.in_alphabet(self.entry.alphabet))
            .map_err(|error| Failure::from(Error::from(error)).at(&self.place))
    }
}

/// Reads what a PROBLEM argument names.
pub fn problems(problem: &str, args: &ReadArgs) -> Result<Vec<NamedProblem>, Failure> {
    if let Some((surface, size)) = queens(problem) {
        if args.are_given() {
            return Err(Failure::bad_input(format!(
                "{problem}: --box, --latin and --alphabet are for grids"
            )));
        }
        let digits = !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit());
        if !digits {
            return Err(Failure::bad_input(format!(
                "{problem}: expected a number of queens, as in queens:8 or torus:13"
            )));
        }
        let size = size.parse().map_err(|_| {
            let name = problem.to_owned();
            Error::from(QueensError::TooMany { name })
        })?;
        let queens = Queens::new(size, surface).map_err(Error::from)?;
        return Ok(vec![NamedProblem {
            name: queens.to_string(),
            problem: queens.into(),
        }]);
    }
    let named = |grid: NamedGrid| {
        Ok(NamedProblem {
            problem: grid.puzzle()?.into(),
            name: grid.name,
        })
    };
    grids(problem, args)?.into_iter().map(named).collect()
}

/// Whether a PROBLEM argument asks for queens.
pub fn asks_for_queens(problem: &str) -> bool {
    queens(problem).is_some()
}

/// What is asked for if it is queens: on what, and how many.
fn queens(problem: &str) -> Option<(Surface, &str)> {
    let kinds = [("queens:", Surface::Board), ("torus:", Surface::Torus)];
    kinds
        .into_iter()
        .find_map(|(kind, surface)| Some((surface, problem.strip_prefix(kind)?)))
}

/// Reads the grids that a PROBLEM argument names.
pub fn grids(problem: &str, args: &ReadArgs) -> Result<Vec<NamedGrid>, Failure> {
    let options = args.options();
    if queens(problem).is_some() {
        return Err(Failure::bad_input(format!(
            "{problem}: queens are no grid; only `gpusudoku run` knows them"
        )));
    }
    if problem == "-" {
        return read_from(io::stdin().lock(), "standard input", &options);
    }
    if let Some(known) = builtin::find(problem) {
        return entries(known.text.as_bytes(), known.name, &options);
    }
    if Path::new(problem).exists() {
        let cannot_read =
            |error: io::Error| Failure::bad_input(format!("cannot read {problem}: {error}"));
        if Path::new(problem).is_dir() {
            return Err(Failure::bad_input(format!(
                "cannot read {problem}: it is a directory"
            )));
        }
        let file = File::open(problem).map_err(cannot_read)?;
        return read_from(file, problem, &options);
    }
    if looks_like_cells(problem) || format::foreign_form(problem).is_some() {
        return entries(problem.as_bytes(), "the puzzle given", &options);
    }
    let names: Vec<_> = builtin::all().iter().map(|known| known.name).collect();
    Err(Failure::bad_input(format!(
        "{problem}: no such file, and no built-in puzzle of that name; there is {}, and queens:N or torus:N",
        names.join(", ")
    )))
}

/// What cells, lists of them and frames are made of, beside digits.
const CELLS_AND_FRAMES: &str = ".*_-?| ,;\t\n+=[](){}\"'";

fn is_box_drawing(c: char) -> bool {
    ('\u{2500}'..='\u{257f}').contains(&c)
}

/// Whether an argument that names nothing is meant as a puzzle's own text: the smallest puzzle
/// has 16 cells.
pub fn looks_like_cells(text: &str) -> bool {
    // What lists have for blanks.
    let text = &text.replace("None", "0").replace("null", "0");
    let cells = text.chars().filter(|c| !c.is_whitespace()).count();
    let path = text.contains(['/', '\\']) && !text.contains(char::is_whitespace);
    let blanks_or_digits = text
        .chars()
        .filter(|c| c.is_ascii_digit() || CELLS_AND_FRAMES.contains(*c) || is_box_drawing(*c));
    cells >= 16 && !path && blanks_or_digits.count() * 2 >= text.chars().count()
}

fn read_from(
    reader: impl Read,
    name: &str,
    options: &ReadOptions,
) -> Result<Vec<NamedGrid>, Failure> {
    let mut text = Vec::new();
    // One byte more than is allowed: the reader of formats refuses it.
    reader
        .take(format::MAX_BYTES as u64 + 1)
        .read_to_end(&mut text)
        .map_err(|error| Failure::bad_input(format!("cannot read {name}: {error}")))?;
    entries(&text, name, options)
}

fn entries(text: &[u8], name: &str, options: &ReadOptions) -> Result<Vec<NamedGrid>, Failure> {
    let entries = format::read(text, options).map_err(|error| {
        // A position follows the file's name directly, as compilers write it.
        let separator = if error.line > 0 { ":" } else { ": " };
        Failure::bad_input(format!("{name}{separator}{error}"))
    })?;
    let single = entries.len() == 1;
    let problem = |entry: Entry| {
        let place = if entry.line > 0 {
            format!("{name}:{}", entry.line)
        } else {
            name.to_owned()
        };
        NamedGrid {
            name: match &entry.name {
                Some(name) => name.clone(),
                None if single => name.to_owned(),
                None => place.clone(),
            },
            place,
            entry,
        }
    };
    Ok(entries.into_iter().map(problem).collect())
}
