//! `generate`, `check`, `adapters`.

use gpusudoku::engine::gpu::adapter;
use gpusudoku::problem::BoxShape;
use gpusudoku::problem::sudoku::Verdict;
use gpusudoku::problem::sudoku::exact::Limit;
use gpusudoku::problem::sudoku::format::ReadOptions;
use gpusudoku::problem::sudoku::generate::{Recipe, generate as make, parse_givens};
use gpusudoku::problem::{Geometry, Grid, NamedProblem, Problem, argument};
use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arguments::{problem as read_problem, refused};

/// A grid as an array.
pub fn array<'py>(py: Python<'py>, grid: &Grid) -> PyResult<Bound<'py, PyArray2<u8>>> {
    let n = grid.geometry().size();
    grid.cells().to_vec().into_pyarray(py).reshape([n, n])
}

#[pyfunction]
#[pyo3(signature = (size=None, givens="45%", count=1, seed=1, unique=false, latin=false, boxes=None))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn generate<'py>(
    py: Python<'py>,
    size: Option<usize>,
    givens: &str,
    count: u32,
    seed: u64,
    unique: bool,
    latin: bool,
    boxes: Option<(usize, usize)>,
) -> PyResult<Bound<'py, PyList>> {
    let geometry = match boxes {
        _ if latin => Geometry::latin(size.unwrap_or(9)),
        Some((rows, cols)) => Geometry::sudoku(rows, cols),
        None => Geometry::usual(size.unwrap_or(9)),
    };
    let geometry = geometry.map_err(refused)?;
    let cells = geometry.cells();
    let number = parse_givens(givens, cells).map_err(refused)?;
    let recipe = Recipe {
        geometry,
        givens: number,
        unique,
        limit: Limit::default(),
    };
    let puzzles = PyList::empty(py);
    for index in 0..count {
        let made = py.detach(|| make(&recipe, seed, index, |_, _| {}));
        py.check_signals()?;
        puzzles.append(array(py, &made.puzzle)?)?;
    }
    Ok(puzzles)
}

#[pyfunction]
#[pyo3(signature = (grid, *, count=2, max_nodes=None, boxes=None, latin=false))]
pub fn check<'py>(
    py: Python<'py>,
    grid: &Bound<'py, PyAny>,
    count: u64,
    max_nodes: Option<u64>,
    boxes: Option<(usize, usize)>,
    latin: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let (name, grid) = read_grid(grid, boxes, latin)?;
    let limit = max_nodes.map_or_else(Limit::default, |nodes| Limit { nodes });
    let verdict = py.detach(|| Verdict::of(&grid, count, limit));
    py.check_signals()?;
    let geometry = grid.geometry();
    let told = PyDict::new(py);
    told.set_item("problem", name)?;
    told.set_item("size", geometry.size())?;
    told.set_item("box", geometry.boxes().map(|shape| shape.to_string()))?;
    told.set_item("givens", grid.filled())?;
    told.set_item("valid", verdict.valid)?;
    told.set_item("solved", verdict.solved)?;
    told.set_item("solutions", verdict.solutions)?;
    let solution = verdict.solution.as_ref().map(|it| array(py, it));
    told.set_item("solution", solution.transpose()?)?;
    told.set_item("verdict", verdict.sentence)?;
    Ok(told)
}

/// A grid that may break the rules, unlike a puzzle.
fn read_grid(
    grid: &Bound<'_, PyAny>,
    boxes: Option<(usize, usize)>,
    latin: bool,
) -> PyResult<(String, Grid)> {
    if let Ok(text) = grid.extract::<String>() {
        let options = ReadOptions {
            boxes: boxes.map(|(rows, cols)| BoxShape { rows, cols }),
            latin,
            alphabet: None,
        };
        let mut grids = argument::grids(&text, &options).map_err(refused)?;
        return match grids.len() {
            1 => {
                let named = grids.remove(0);
                Ok((named.name.clone(), named.grid().clone()))
            }
            many => Err(refused(format!("{text} has {many} grids: expected one"))),
        };
    }
    let array: PyReadonlyArray2<'_, u8> = grid.extract().map_err(|_| {
        refused("expected a grid: a text, a file's name, or a two-dimensional array of uint8")
    })?;
    let size = array.as_array().nrows();
    let geometry = match boxes {
        _ if latin => Geometry::latin(size),
        Some((rows, cols)) => Geometry::sudoku(rows, cols),
        None => Geometry::usual(size),
    };
    let cells = array.as_array().iter().copied().collect();
    let grid = Grid::new(geometry.map_err(refused)?, cells).map_err(refused)?;
    Ok(("the grid given".to_owned(), grid))
}

/// Name and givens of a problem that is a grid.
#[pyfunction]
#[pyo3(signature = (problem, *, boxes=None, latin=false))]
pub fn problem<'py>(
    py: Python<'py>,
    problem: &Bound<'py, PyAny>,
    boxes: Option<(usize, usize)>,
    latin: bool,
) -> PyResult<(String, Option<Bound<'py, PyArray2<u8>>>)> {
    let NamedProblem { name, problem } = read_problem(problem, boxes, latin)?;
    let givens = match &problem {
        Problem::Sudoku(puzzle) => Some(array(py, puzzle.givens())?),
        Problem::Queens(_) => None,
    };
    Ok((name, givens))
}

#[pyfunction]
pub fn adapters(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let adapters = py.detach(|| pollster::block_on(adapter::list()));
    let automatic = adapter::automatic(&adapters).map(|info| info.index);
    let list = PyList::empty(py);
    for info in &adapters {
        let told = PyDict::new(py);
        told.set_item("index", info.index)?;
        told.set_item("name", &info.name)?;
        told.set_item("type", info.kind.to_string())?;
        told.set_item("software", info.software)?;
        told.set_item("backend", info.backend.to_string())?;
        told.set_item("driver", &info.driver)?;
        told.set_item("auto", automatic == Some(info.index))?;
        list.append(told)?;
    }
    Ok(list)
}
