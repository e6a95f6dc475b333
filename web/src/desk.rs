//! What the page asks for besides runs: lists, problems, puzzles, texts and pictures.

use gpusudoku::algo::{self, Info};
use gpusudoku::error::Error;
use gpusudoku::problem::argument::{self, parse_box};
use gpusudoku::problem::picture::{Picture, pages};
use gpusudoku::problem::sudoku::builtin;
use gpusudoku::problem::sudoku::exact::Limit;
use gpusudoku::problem::sudoku::format::{self, Entry, Format, canonical};
use gpusudoku::problem::sudoku::generate::{self, Recipe, parse_givens};
use gpusudoku::problem::{Answer, Geometry, Grid, NamedProblem, Placement, Problem, conflicts};
use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use crate::request::{Fields, Request, command, first_grid, options, read};
use crate::{sentence, text};

/// Algorithms, built-in puzzles and formats, as JSON.
#[wasm_bindgen]
pub fn catalogue() -> String {
    let algorithm = |info: &Info| {
        let params: Vec<_> = info
            .params
            .iter()
            .map(|param| {
                json!({
                    "key": param.key, "default": param.default, "meaning": param.meaning,
                    "source": param.source, "values": param.kind.to_string(),
                })
            })
            .collect();
        json!({
            "name": info.name, "title": info.title, "source": info.source, "pop": info.pop,
            "maxGenerations": info.max_generations, "params": params,
        })
    };
    let puzzle = |it: &builtin::Builtin| json!({ "name": it.name, "note": it.note });
    text(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "default": builtin::DEFAULT,
        "algorithms": algo::ALL.iter().map(algorithm).collect::<Vec<_>>(),
        "puzzles": builtin::all().iter().map(puzzle).collect::<Vec<_>>(),
        "formats": Format::ALL.map(|it| it.to_string()),
    }))
}

/// A grid as the page draws it.
fn drawn(name: &str, grid: &Grid, puzzles: usize) -> Value {
    let geometry = grid.geometry();
    json!({
        "name": name,
        "puzzles": puzzles,
        "kind": "grid",
        "size": geometry.size(),
        "box": geometry.boxes().map(|it| [it.rows, it.cols]),
        "givens": grid.cells(),
    })
}

/// A problem as the page draws it.
fn described(named: &NamedProblem, puzzles: usize) -> Value {
    match &named.problem {
        Problem::Sudoku(puzzle) => drawn(&named.name, puzzle.givens(), puzzles),
        Problem::Queens(queens) => json!({
            "name": named.name,
            "puzzles": puzzles,
            "kind": "queens",
            "size": queens.size(),
            "box": null,
            "givens": [],
            "notice": queens.impossibility(),
        }),
    }
}

/// A grid whose givens contradict each other, which is no problem but is drawn as it was typed.
fn draft(fields: &Fields) -> Option<Value> {
    let first = first_grid(fields)?;
    let mut value = drawn(&first.name, first.grid(), 1);
    let marked = conflicts::of_grid(first.grid());
    value["conflicts"] = marked.into_iter().map(u8::from).collect();
    Some(value)
}

/// What the fields mean, and what is wrong with them, as JSON.
#[wasm_bindgen]
pub fn check(fields: &str) -> Result<String, JsValue> {
    let fields: Fields = serde_json::from_str(fields).map_err(sentence)?;
    let problem = match read(&fields) {
        Ok((named, puzzles)) => Some(described(&named, puzzles)),
        Err(_) => draft(&fields),
    };
    let request = Request::new(&fields);
    let resolved = request.as_ref().ok().map(|request| {
        let most = request.budget.max_generations;
        json!({
            "algo": request.settings.info().name,
            "pop": request.pop.to_string(),
            "seed": request.seed.to_string(),
            "max-generations": if most == u32::MAX { String::new() } else { most.to_string() },
        })
    });
    Ok(text(&json!({
        "problem": problem,
        "wrong": request.err().unwrap_or_default(),
        "resolved": resolved,
        "command": command(&fields),
    })))
}

/// The first puzzle of a file, as fields, as JSON.
#[wasm_bindgen]
pub fn open(bytes: &[u8], name: &str, fields: &str) -> Result<String, JsValue> {
    let fields: Fields = serde_json::from_str(fields).map_err(sentence)?;
    let options = options(&fields).map_err(|(_, error)| sentence(error))?;
    let grids = argument::read(bytes, name, &options).map_err(sentence)?;
    let puzzles = grids.len();
    let Some(first) = grids.into_iter().next() else {
        return Err(sentence(format!("{name}: no puzzle")));
    };
    first.puzzle().map_err(sentence)?;
    Ok(text(&of_grid(first.grid(), &first.name, puzzles)))
}

/// A grid as fields from which it is read again.
fn of_grid(grid: &Grid, name: &str, puzzles: usize) -> Value {
    let geometry = grid.geometry();
    let usual = Geometry::usual(geometry.size()).is_ok_and(|it| it == geometry);
    let shape = geometry.boxes().filter(|_| !usual);
    json!({
        "problem": canonical(grid),
        "box": shape.map_or(String::new(), |it| it.to_string()),
        "latin": geometry.boxes().is_none(),
        "name": name,
        "puzzles": puzzles,
    })
}

/// A new puzzle, as fields, as JSON.
#[wasm_bindgen]
pub fn generate(
    size: usize,
    shape: &str,
    latin: bool,
    givens: &str,
    seed: u64,
) -> Result<String, JsValue> {
    let geometry = match shape.trim() {
        _ if latin => Geometry::latin(size),
        "" => Geometry::usual(size),
        shape => {
            let shape = parse_box(shape).map_err(sentence)?;
            Geometry::sudoku(shape.rows, shape.cols)
        }
    };
    let geometry = geometry.map_err(|error| sentence(Error::from(error)))?;
    let recipe = Recipe {
        geometry,
        givens: parse_givens(givens, geometry.cells()).map_err(sentence)?,
        unique: false,
        limit: Limit::default(),
    };
    let made = generate::generate(&recipe, seed, 0, |_, _| {});
    Ok(text(&of_grid(&made.puzzle, "generated", 1)))
}

/// An answer from the numbers that the page has: digits from 1, or rows of queens from 0.
fn answer(problem: &Problem, values: &[u32]) -> Result<Answer, Error> {
    match problem {
        Problem::Sudoku(puzzle) => {
            let cells = values.iter().map(|&digit| digit as u8).collect();
            Ok(Answer::Grid(Grid::new(puzzle.geometry(), cells)?))
        }
        Problem::Queens(_) => Ok(Answer::Placement(Placement::new(values.to_vec()))),
    }
}

/// An answer in one of the formats.
#[wasm_bindgen]
pub fn write(fields: &str, values: &[u32], to: &str) -> Result<String, JsValue> {
    let fields: Fields = serde_json::from_str(fields).map_err(sentence)?;
    let (named, _) = read(&fields).map_err(|(_, error)| sentence(error))?;
    match answer(&named.problem, values).map_err(sentence)? {
        Answer::Grid(grid) => {
            let format: Format = to.parse().map_err(sentence)?;
            let mut entry = Entry::from(grid);
            if let Problem::Sudoku(puzzle) = &named.problem {
                entry.alphabet = puzzle.alphabet();
                if format == Format::Framed {
                    // As `run` prints it: givens are set apart.
                    let givens = Some(puzzle.givens());
                    return Ok(format::framed_in(&entry.grid, givens, entry.alphabet));
                }
            }
            format::write(&[entry], format).map_err(|error| sentence(format!("--to {to}: {error}")))
        }
        Answer::Placement(queens) => Ok(queens.to_string()),
    }
}

/// A page of SVG with the problem and an answer.
#[wasm_bindgen]
pub fn picture(fields: &str, values: &[u32]) -> Result<String, JsValue> {
    let fields: Fields = serde_json::from_str(fields).map_err(sentence)?;
    let (named, _) = read(&fields).map_err(|(_, error)| sentence(error))?;
    let answer = answer(&named.problem, values).map_err(sentence)?;
    let picture = Picture::of(&named.problem, Some(&answer), named.name);
    let picture = picture.ok_or_else(|| sentence("boards of more than 64 queens are not drawn"))?;
    Ok(pages(&[picture]).swap_remove(0))
}
