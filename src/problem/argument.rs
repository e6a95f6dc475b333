//! What a PROBLEM argument means: a built-in name, so many queens, a file, or a puzzle's own text. Every way into the
//! program reads problems by this, with the same sentences about what is wrong. In a browser there are no files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::queens::QueensError;
use super::sudoku::builtin;
use super::sudoku::format::{self, Entry, ReadOptions};
use super::{BoxShape, Grid, NamedProblem, Puzzle, Queens, Surface};
use crate::error::Error;

/// What a puzzle is called that was given as text.
pub const GIVEN: &str = "the puzzle given";

/// A grid and what to call it.
#[derive(Debug, Clone)]
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
    pub fn puzzle(&self) -> Result<Puzzle, Error> {
        Puzzle::new(self.grid().clone())
            .map(|puzzle| puzzle.in_alphabet(self.entry.alphabet))
            .map_err(|error| Error::Input(format!("{}: {error}", self.place)))
    }
}

/// A box shape as users write it.
pub fn parse_box(text: &str) -> Result<BoxShape, String> {
    text.split_once(['x', 'X'])
        .and_then(|(rows, cols)| Some((rows.parse().ok()?, cols.parse().ok()?)))
        .map(|(rows, cols)| BoxShape { rows, cols })
        .ok_or_else(|| "expected rows x columns, such as 2x3".to_owned())
}

/// What is asked for if it is queens: on what, and how many.
fn asked_queens(problem: &str) -> Option<(Surface, &str)> {
    let kinds = [("queens:", Surface::Board), ("torus:", Surface::Torus)];
    kinds
        .into_iter()
        .find_map(|(kind, surface)| Some((surface, problem.strip_prefix(kind)?)))
}

/// Whether an argument asks for queens.
pub fn asks_for_queens(problem: &str) -> bool {
    asked_queens(problem).is_some()
}

/// The problems that an argument names.
///
/// ```
/// use gpusudoku::problem::argument::problems;
///
/// let problems = problems("torus:7", &Default::default()).unwrap();
/// assert_eq!(problems[0].name, "torus:7");
/// ```
pub fn problems(problem: &str, options: &ReadOptions) -> Result<Vec<NamedProblem>, Error> {
    let Some((surface, size)) = asked_queens(problem) else {
        return named(grids(problem, options)?);
    };
    let refused = |reason: &str| Err(Error::Input(format!("{problem}: {reason}")));
    if *options != ReadOptions::default() {
        return refused("--box, --latin and --alphabet are for grids");
    }
    if size.is_empty() || !size.bytes().all(|byte| byte.is_ascii_digit()) {
        return refused("expected a number of queens, as in queens:8 or torus:13");
    }
    let size = size.parse().map_err(|_| QueensError::TooMany {
        name: problem.to_owned(),
    });
    let queens = Queens::new(size?, surface)?;
    Ok(vec![NamedProblem {
        name: queens.to_string(),
        problem: queens.into(),
    }])
}

/// Grids as problems, if their givens agree.
pub fn named(grids: Vec<NamedGrid>) -> Result<Vec<NamedProblem>, Error> {
    let named = |grid: NamedGrid| {
        Ok(NamedProblem {
            problem: grid.puzzle()?.into(),
            name: grid.name,
        })
    };
    grids.into_iter().map(named).collect()
}

/// The grids that an argument names.
pub fn grids(problem: &str, options: &ReadOptions) -> Result<Vec<NamedGrid>, Error> {
    let refused = |reason: &str| Err(Error::Input(format!("{problem}: {reason}")));
    if asks_for_queens(problem) {
        return refused("queens are no grid; only `gpusudoku run` knows them");
    }
    if let Some(known) = builtin::find(problem) {
        return read(known.text.as_bytes(), known.name, options);
    }
    if Path::new(problem).exists() {
        let cannot_read = |reason: &str| Error::Input(format!("cannot read {problem}: {reason}"));
        if Path::new(problem).is_dir() {
            return Err(cannot_read("it is a directory"));
        }
        let file = File::open(problem).map_err(|error| cannot_read(&error.to_string()))?;
        return read_from(file, problem, options);
    }
    if is_text(problem) {
        return read(problem.as_bytes(), GIVEN, options);
    }
    let names: Vec<_> = builtin::all().iter().map(|known| known.name).collect();
    refused(&format!(
        "no such file, and no built-in puzzle of that name; there is {}, and queens:N or torus:N",
        names.join(", ")
    ))
}

/// Reads grids from somewhere that has a name.
pub fn read_from(
    reader: impl Read,
    name: &str,
    options: &ReadOptions,
) -> Result<Vec<NamedGrid>, Error> {
    let mut text = Vec::new();
    // One byte more than is allowed: the reader of formats refuses it.
    reader
        .take(format::MAX_BYTES as u64 + 1)
        .read_to_end(&mut text)
        .map_err(|error: io::Error| Error::Input(format!("cannot read {name}: {error}")))?;
    read(&text, name, options)
}

/// The grids of a text of that name.
pub fn read(text: &[u8], name: &str, options: &ReadOptions) -> Result<Vec<NamedGrid>, Error> {
    let entries = format::read(text, options).map_err(|error| {
        // A position follows the file's name directly, as compilers write it.
        let separator = if error.line > 0 { ":" } else { ": " };
        Error::Input(format!("{name}{separator}{error}"))
    })?;
    let single = entries.len() == 1;
    let named = |entry: Entry| {
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
    Ok(entries.into_iter().map(named).collect())
}

/// Whether an argument that names nothing is meant as a puzzle's own text.
pub fn is_text(problem: &str) -> bool {
    looks_like_cells(problem) || format::foreign_form(problem).is_some()
}

/// What cells, lists of them and frames are made of, beside digits.
const CELLS_AND_FRAMES: &str = ".*_-?| ,;\t\n+=[](){}\"'";

fn is_box_drawing(c: char) -> bool {
    ('\u{2500}'..='\u{257f}').contains(&c)
}

/// Whether a text may be one of cells: the smallest puzzle has 16.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(problem: &str) -> String {
        problems(problem, &ReadOptions::default())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn an_argument_is_a_name_queens_or_a_text() {
        let named = |problem| problems(problem, &ReadOptions::default()).unwrap();
        assert_eq!(named("AI-Escargot")[0].name, "sd2");
        assert_eq!(named("queens:8")[0].name, "queens:8");
        assert_eq!(named("1..4....2..3....")[0].name, GIVEN);
        assert_eq!(named("1..4....2..3....\n1..4....2..3....").len(), 2);
    }

    #[test]
    fn what_is_wrong_is_said_in_a_sentence() {
        assert!(refusal("nothing").starts_with("nothing: no such file, and no built-in puzzle"));
        assert!(refusal("queens:x").contains("expected a number of queens"));
        assert!(refusal("11.4....2..3....").starts_with("the puzzle given"));
        let options = ReadOptions {
            latin: true,
            ..ReadOptions::default()
        };
        let refused = problems("queens:8", &options).unwrap_err().to_string();
        assert!(refused.ends_with("are for grids"));
    }
}
