//! Lists as programs write them: JSON, Python, numpy, and C with braces.
//!
//! A list of N lists of N cells is a grid, a list of such lists several of them. A list of N * N cells is
//! a grid as well, and so is a list of N words of N characters. Blanks are 0, `None`, `null` or what is
//! a blank elsewhere; cells may be quoted. A name before the first bracket (`grid = [`) is no cell.

use super::alphabet;
use super::error::{FormatError, Place, quoted};
use super::source::{self, Symbol, Token};
use super::{Entry, Geometry, ReadOptions, canonical, line, push, shape};

/// Whether a text is a list: a bracket, perhaps behind a name, and in it another one or a cell.
pub(super) fn is_list(text: &str) -> bool {
    let Some(start) = text.find(opens) else {
        return false;
    };
    let name =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '=' | ':' | ' ' | '(');
    let before = text[..start].trim();
    let inside = text[start + 1..].trim_start();
    let named = before.is_empty() || before.ends_with(['=', ':']) || is_call(before);
    // A section of another format is a word in brackets.
    let word = inside.split(|c: char| !c.is_ascii_alphanumeric()).next();
    let word = word.unwrap_or_default();
    let section = inside.starts_with(|c: char| c.is_ascii_alphabetic()) && !is_blank_word(word);
    before.len() <= 64 && named && before.chars().all(name) && !section
}

/// Whether a bracket that follows is that of a function.
fn is_call(before: &str) -> bool {
    ["array", "matrix", "Matrix", "list", "tuple"]
        .iter()
        .any(|name| before.ends_with(name))
}

fn opens(c: char) -> bool {
    matches!(c, '[' | '(' | '{')
}

fn closes(c: char) -> bool {
    matches!(c, ']' | ')' | '}')
}

/// What programs have for nothing.
fn is_blank_word(word: &str) -> bool {
    matches!(
        word,
        "None" | "null" | "nil" | "nan" | "NaN" | "NA" | "undefined" | ""
    )
}

/// A piece of a list.
#[derive(Clone, Copy)]
enum Piece<'a> {
    Open(Place),
    Close(Place),
    Cell(Token<'a>),
}

/// The pieces of a text from its first bracket on.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let start = text.find(opens).unwrap_or(text.len());
    let mut place = source::place_at(&text[..start]);
    let mut rest = &text[start..];
    std::iter::from_fn(move || {
        loop {
            let c = rest.chars().next()?;
            let here = place;
            let length = match c {
                '"' | '\'' => match rest[1..].find([c, '\n']) {
                    Some(end) if rest[1 + end..].starts_with(c) => end + 2,
                    _ => 1,
                },
                c if opens(c) || closes(c) || separates(c) => c.len_utf8(),
                _ => {
                    let ends =
                        |c: char| opens(c) || closes(c) || separates(c) || matches!(c, '"' | '\'');
                    rest.find(ends).unwrap_or(rest.len())
                }
            };
            let (word, after) = rest.split_at(length);
            rest = after;
            match c {
                '\n' => {
                    place = Place {
                        line: place.line + 1,
                        column: 1,
                    }
                }
                _ => place.column += word.chars().count(),
            }
            return Some(match c {
                c if opens(c) => Piece::Open(here),
                c if closes(c) => Piece::Close(here),
                c if separates(c) => continue,
                _ => Piece::Cell(cell(word, here)),
            });
        }
    })
}

fn separates(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | ';')
}

/// A cell without its quotes; what stands for nothing is `.`.
fn cell(word: &str, place: Place) -> Token<'_> {
    let quote = |c: char| matches!(c, '"' | '\'');
    let bare = word.trim_matches(quote).trim();
    match is_blank_word(bare) && !(word.len() == 1 && bare.is_empty()) {
        true => Token { place, text: "." },
        // A quote that is not closed is told as it is.
        false if bare.is_empty() => Token { place, text: word },
        false => Token { place, text: bare },
    }
}

/// What a text's innermost lists have in common.
struct Plan {
    /// Cells of each.
    length: usize,
    lists: usize,
    /// Characters of each cell, if all have the same number and that is more than one.
    characters: usize,
}

pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Vec<Entry>, FormatError> {
    let plan = plan(text)?;
    let words = |size: usize| size > 1 && plan.characters == size && plan.length == size;
    let place = source::place_at(&text[..text.find(opens).unwrap_or(0)]);
    let here = Place::line(place.line);
    let valid = |size: usize| shape::geometry(size, options, here).is_ok();
    let lined = shape::side(plan.characters).filter(|&size| plan.characters > 1 && valid(size));
    let size = if words(plan.characters) {
        plan.characters
    } else if let Some(size) = lined {
        size
    } else if plan.lists.is_multiple_of(plan.length) && plan.length > 1 {
        plan.length
    } else if plan.lists == 1 || shape::side(plan.length).is_some_and(valid) {
        shape::side_of(plan.length, options, here)?
    } else {
        return Err(here.error(format_args!(
            "expected {0} lists of {0} cells, found {1} of them",
            plan.length, plan.lists
        )));
    };
    // Checked before any cells are gathered, so that a huge file takes no more memory.
    shape::geometry(size, options, here)?;
    let mut entries = Vec::new();
    let mut tokens = Vec::new();
    for piece in pieces(text) {
        let Piece::Cell(token) = piece else { continue };
        if is_kind(token.text) {
            continue;
        }
        if lined.is_some() && !words(size) {
            let place = Place::line(token.place.line);
            push(&mut entries, line::entry(token.symbols(), place, options)?)?;
            continue;
        }
        tokens.push(token);
        let symbols = || tokens.iter().flat_map(|token| token.symbols());
        if words(size) && tokens.len() == size {
            let place = Place::line(tokens[0].place.line);
            let symbols: Vec<Symbol> = symbols().collect();
            push(
                &mut entries,
                line::entry(symbols.into_iter(), place, options)?,
            )?;
            tokens.clear();
        } else if tokens.len() == size * size {
            push(&mut entries, canonical::entry(&tokens, size, options)?)?;
            tokens.clear();
        }
    }
    Ok(entries)
}

/// What numpy writes behind an array.
fn is_kind(word: &str) -> bool {
    word.starts_with("dtype=")
}

/// Looks at the brackets, and that all innermost lists are alike.
fn plan(text: &str) -> Result<Plan, FormatError> {
    const DEEPEST: usize = 8;
    let mut plan = Plan {
        length: 0,
        lists: 0,
        characters: 1,
    };
    let mut depth = 0;
    // The cells since the last bracket opened, if none has closed since.
    let mut open: Option<(Place, usize)> = None;
    let mut cells = 0;
    for piece in pieces(text) {
        match piece {
            Piece::Open(place) => {
                if let Some((_, 1..)) = open {
                    return Err(place.error("expected another cell, found a list among cells"));
                }
                depth += 1;
                if depth > DEEPEST {
                    return Err(place.error(format_args!(
                        "expected at most {DEEPEST} lists in each other, found more"
                    )));
                }
                open = Some((place, 0));
            }
            Piece::Close(place) => {
                if depth == 0 {
                    return Err(
                        place.error("expected the end of the text, found a closing bracket")
                    );
                }
                depth -= 1;
                let Some((start, length)) = open.take() else {
                    continue;
                };
                if length == 0 {
                    return Err(start.error("expected cells between brackets, found none"));
                }
                if plan.lists == 0 {
                    plan.length = length;
                } else if plan.length != length {
                    return Err(start.error(format_args!(
                        "expected a list of {} cells like the first one, found {length}",
                        plan.length
                    )));
                }
                plan.lists += 1;
            }
            Piece::Cell(token) => {
                if is_kind(token.text) {
                    continue;
                }
                let Some((_, length)) = open.as_mut() else {
                    return Err(token.place.error(format_args!(
                        "expected a list or the end of the text, found {}",
                        quoted(token.text)
                    )));
                };
                *length += 1;
                let most = alphabet::MAX_SIZE * alphabet::MAX_SIZE;
                let characters = token.text.chars().take(most + 1).count();
                if cells == 0 {
                    plan.characters = characters;
                } else if characters != plan.characters {
                    plan.characters = 1;
                }
                cells += 1;
                if *length > Geometry::MAX_LATIN * Geometry::MAX_LATIN && plan.characters == 1 {
                    return Err(token.place.error(format_args!(
                        "expected at most {} cells in a list, found more",
                        Geometry::MAX_LATIN * Geometry::MAX_LATIN
                    )));
                }
            }
        }
    }
    if depth > 0 {
        return Err(source::place_at(text.trim_end()).error(format_args!(
            "expected {depth} more closing brackets, found the end of the text"
        )));
    }
    match plan.lists {
        0 => Err(Place::NOWHERE.error("expected a list of cells, found none")),
        _ => Ok(plan),
    }
}

/// Lists of rows as JSON and Python have them, 0 for blanks; of several puzzles a list of those.
pub(super) fn write(entries: &[Entry]) -> String {
    let grid = |entry: &Entry| {
        let row = |row: &[u8]| {
            format!(
                "[{}]",
                row.iter().map(u8::to_string).collect::<Vec<_>>().join(", ")
            )
        };
        let rows = entry
            .grid
            .cells()
            .chunks(entry.grid.geometry().size())
            .map(row);
        format!("[{}]", rows.collect::<Vec<_>>().join(",\n "))
    };
    match entries {
        [entry] => grid(entry) + "\n",
        _ => {
            let grids: Vec<_> = entries.iter().map(grid).collect();
            format!("[{}]\n", grids.join(",\n"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{read, read_one};
    use super::*;

    fn usual(text: &str) -> Result<Vec<Entry>, FormatError> {
        read(text.as_bytes(), &ReadOptions::default())
    }

    #[test]
    fn lists_of_every_language_are_grids() {
        let wanted = usual("1..4....2..3....").unwrap().remove(0).grid;
        for text in [
            "[[1,0,0,4],[0,0,0,0],[2,0,0,3],[0,0,0,0]]",
            "[1, 0, 0, 4, 0, 0, 0, 0, 2, 0, 0, 3, 0, 0, 0, 0]",
            "board = [\n  [1, None, None, 4],\n  [None]*0",
            "[[1 0 0 4]\n [0 0 0 0]\n [2 0 0 3]\n [0 0 0 0]]",
            "np.array([[1, 0, 0, 4], [0, 0, 0, 0], [2, 0, 0, 3], [0, 0, 0, 0]])",
            "[[\"1\",\".\",\".\",\"4\"],[\"\",\"\",\"\",\"\"],['2',null,null,'3'],[0,0,0,0]]",
            "[\"1..4\", \"....\", \"2..3\", \"....\"]",
            "{{1,0,0,4},{0,0,0,0},{2,0,0,3},{0,0,0,0}};",
            "((1,0,0,4),(0,0,0,0),(2,0,0,3),(0,0,0,0))",
            "[\"1..4....2..3....\"]",
        ] {
            match text.contains('*') {
                true => assert!(usual(text).is_err(), "{text}"),
                false => assert_eq!(usual(text).unwrap()[0].grid, wanted, "{text}"),
            }
        }
    }

    #[test]
    fn several_grids_are_lists_of_lists() {
        let one = "[[1,0,0,4],[0,0,0,0],[2,0,0,3],[0,0,0,0]]";
        assert_eq!(usual(&format!("[{one},\n{one}]")).unwrap().len(), 2);
        assert_eq!(usual(&format!("{one}\n{one}\n")).unwrap().len(), 2);
        let lines = usual("['1..4....2..3....',\n '1..4....2..3....']").unwrap();
        let lines: Vec<_> = lines.iter().map(|entry| entry.line).collect();
        assert_eq!(lines, [1, 2]);
    }

    #[test]
    fn sections_of_other_formats_are_no_lists() {
        let text = "[Puzzle]\n1..4\n....\n2..3\n....\n";
        assert_eq!(
            read_one(text.as_bytes(), &ReadOptions::default())
                .unwrap()
                .grid
                .filled(),
            4
        );
    }

    #[test]
    fn faults_are_located() {
        let message = |text: &str| usual(text).unwrap_err().to_string();
        assert_eq!(
            message("[[1,0,0,4],\n [0,0,0],[2,0,0,3],[0,0,0,0]]"),
            "2:2: expected a list of 4 cells like the first one, found 3"
        );
        assert_eq!(
            message("[[1,0,0,4],\n [0,0,7,0],[2,0,0,3],[0,0,0,0]]"),
            "2:7: expected a digit from 1 to 4 or a blank (. 0 * _ - ? X), found `7`"
        );
        assert_eq!(
            message("[[1,0,0,4],[0,0,0,0],[2,0,0,3]]"),
            "1: expected 4 lists of 4 cells, found 3 of them"
        );
        assert!(message("[[1,2],[2,1]").ends_with("found the end of the text"));
        assert!(message("[[1,2],[2,1]]]").contains("found a closing bracket"));
        assert!(message("[[1,2],[2,[1]]]").contains("a list among cells"));
        assert!(message("[[],[]]").contains("found none"));
        assert!(message("[1, 2, 3]").contains("16 cells"));
        assert!(message(&"[".repeat(10_000)).contains("lists in each other"));
    }
}
