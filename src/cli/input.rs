//! From a PROBLEM argument to grids: built-in names, files, standard input, or the text itself.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use clap::Args;
use gpusudoku::error::Error;
use gpusudoku::problem::sudoku::builtin;
use gpusudoku::problem::sudoku::format::{self, Alphabet, Entry, ReadOptions};
use gpusudoku::problem::{BoxShape, Grid, Puzzle};

use super::exit::Failure;

/// How puzzle text is read.
#[derive(Debug, Args)]
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
    fn options(&self) -> ReadOptions {
        ReadOptions {
            boxes: self.boxes,
            latin: self.latin,
            alphabet: self.alphabet,
        }
    }
}

fn parse_box(text: &str) -> Result<BoxShape, String> {
    text.split_once(['x', 'X'])
        .and_then(|(rows, cols)| Some((rows.parse().ok()?, cols.parse().ok()?)))
        .map(|(rows, cols)| BoxShape { rows, cols })
        .ok_or_else(|| "expected rows x columns, such as 2x3".to_owned())
}

/// A grid and what to call it.
#[derive(Debug)]
pub struct Problem {
    /// The built-in's name, the text's own, or the file and line.
    pub name: String,
    /// Where it was read, for messages.
    pub place: String,
    /// Its cells.
    pub grid: Grid,
}

impl Problem {
    /// The grid as a puzzle, if its givens agree.
    pub fn puzzle(&self) -> Result<Puzzle, Failure> {
        Puzzle::new(self.grid.clone())
            .map_err(|error| Failure::from(Error::from(error)).at(&self.place))
    }
}

/// Reads what a PROBLEM argument names.
pub fn resolve(problem: &str, args: &ReadArgs) -> Result<Vec<Problem>, Failure> {
    let options = args.options();
    if problem == "-" {
        return read_from(io::stdin().lock(), "standard input", &options);
    }
    if let Some(known) = builtin::find(problem) {
        return entries(known.text.as_bytes(), known.name, &options);
    }
    if ["queens:", "torus:"]
        .iter()
        .any(|kind| problem.starts_with(kind))
    {
        return Err(Failure::bad_input(format!(
            "{problem}: N-queens is not in this version; Sudoku and Latin squares are"
        )));
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
    if looks_like_cells(problem) {
        return entries(problem.as_bytes(), "the puzzle given", &options);
    }
    let names: Vec<_> = builtin::all().iter().map(|known| known.name).collect();
    Err(Failure::bad_input(format!(
        "{problem}: no such file, and no built-in puzzle of that name; there is {}",
        names.join(", ")
    )))
}

/// Whether an argument that names nothing is meant as a puzzle's own text: the smallest puzzle
/// has 16 cells.
fn looks_like_cells(text: &str) -> bool {
    let cells = text.chars().filter(|c| !c.is_whitespace()).count();
    let path = text.contains(['/', '\\']) && !text.contains(char::is_whitespace);
    let blanks_or_digits = text
        .chars()
        .filter(|c| c.is_ascii_digit() || ".*_-| ,\n".contains(*c));
    cells >= 16 && !path && blanks_or_digits.count() * 2 >= text.chars().count()
}

fn read_from(
    reader: impl Read,
    name: &str,
    options: &ReadOptions,
) -> Result<Vec<Problem>, Failure> {
    let mut text = Vec::new();
    // One byte more than is allowed: the reader of formats refuses it.
    reader
        .take(format::MAX_BYTES as u64 + 1)
        .read_to_end(&mut text)
        .map_err(|error| Failure::bad_input(format!("cannot read {name}: {error}")))?;
    entries(&text, name, options)
}

fn entries(text: &[u8], name: &str, options: &ReadOptions) -> Result<Vec<Problem>, Failure> {
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
        Problem {
            name: match entry.name {
                Some(name) => name,
                None if single => name.to_owned(),
                None => place.clone(),
            },
            place,
            grid: entry.grid,
        }
    };
    Ok(entries.into_iter().map(problem).collect())
}
