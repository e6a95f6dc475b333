//! From the text by which users name a problem to problems: built-in names, files, the puzzle's own text, or so many
//! queens.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use thiserror::Error;

use super::queens::QueensError;
use super::sudoku::builtin;
use super::sudoku::format::{self, Entry, ReadOptions};
use super::{Grid, NamedProblem, Puzzle, Queens, Surface};

/// Why a text names no problem, in a sentence.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct SourceError(pub String);

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
    pub fn puzzle(&self) -> Result<Puzzle, SourceError> {
        Puzzle::new(self.grid().clone())
            .map(|puzzle| puzzle.in_alphabet(self.entry.alphabet))
            .map_err(|error| SourceError(format!("{}: {error}", self.place)))
    }
}

/// Reads what a PROBLEM argument names.
pub fn problems(problem: &str, options: &ReadOptions) -> Result<Vec<NamedProblem>, SourceError> {
    if let Some((surface, size)) = queens(problem) {
        if *options != ReadOptions::default() {
            return Err(SourceError(format!(
                "{problem}: --box, --latin and --alphabet are for grids"
            )));
        }
        let digits = !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit());
        if !digits {
            return Err(SourceError(format!(
                "{problem}: expected a number of queens, as in queens:8 or torus:13"
            )));
        }
        let size = size.parse().map_err(|_| {
            let name = problem.to_owned();
            SourceError(QueensError::TooMany { name }.to_string())
        })?;
        let queens = Queens::new(size, surface).map_err(|error| SourceError(error.to_string()))?;
        return Ok(vec![NamedProblem {
            name: queens.to_string(),
            problem: queens.into(),
        }]);
    }
    named(grids(problem, options)?)
}

/// Grids as problems, if their givens agree.
pub fn named(grids: Vec<NamedGrid>) -> Result<Vec<NamedProblem>, SourceError> {
    let named = |grid: NamedGrid| {
        Ok(NamedProblem {
            problem: grid.puzzle()?.into(),
            name: grid.name,
        })
    };
    grids.into_iter().map(named).collect()
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
pub fn grids(problem: &str, options: &ReadOptions) -> Result<Vec<NamedGrid>, SourceError> {
    if queens(problem).is_some() {
        return Err(SourceError(format!(
            "{problem}: queens are no grid; only `gpusudoku run` knows them"
        )));
    }
    if let Some(known) = builtin::find(problem) {
        return entries(known.text.as_bytes(), known.name, options);
    }
    if Path::new(problem).exists() {
        let cannot_read = |error: io::Error| SourceError(format!("cannot read {problem}: {error}"));
        if Path::new(problem).is_dir() {
            return Err(SourceError(format!(
                "cannot read {problem}: it is a directory"
            )));
        }
        let file = File::open(problem).map_err(cannot_read)?;
        return read_from(file, problem, options);
    }
    if looks_like_cells(problem) || format::foreign_form(problem).is_some() {
        return entries(problem.as_bytes(), "the puzzle given", options);
    }
    let names: Vec<_> = builtin::all().iter().map(|known| known.name).collect();
    Err(SourceError(format!(
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

/// Reads grids from somewhere that has a name.
pub fn read_from(
    reader: impl Read,
    name: &str,
    options: &ReadOptions,
) -> Result<Vec<NamedGrid>, SourceError> {
    let mut text = Vec::new();
    // One byte more than is allowed: the reader of formats refuses it.
    reader
        .take(format::MAX_BYTES as u64 + 1)
        .read_to_end(&mut text)
        .map_err(|error| SourceError(format!("cannot read {name}: {error}")))?;
    entries(&text, name, options)
}

fn entries(text: &[u8], name: &str, options: &ReadOptions) -> Result<Vec<NamedGrid>, SourceError> {
    let entries = format::read(text, options).map_err(|error| {
        // A position follows the file's name directly, as compilers write it.
        let separator = if error.line > 0 { ":" } else { ": " };
        SourceError(format!("{name}{separator}{error}"))
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
