//! `generate`, `check`, `adapters`.

use gpusudoku::engine::gpu::adapter;
use gpusudoku::problem::sudoku::Verdict;
use gpusudoku::problem::sudoku::exact::Limit;
use gpusudoku::problem::sudoku::format::ReadOptions;
use gpusudoku::problem::sudoku::generate::{Recipe, generate as make, geometry};
use gpusudoku::problem::{Grid, argument};
use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arguments::{box_shape, grid, refused};

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
    let geometry = geometry(size, box_shape(boxes), latin).map_err(refused)?;
    let recipe = Recipe::new(geometry, givens, unique, count as usize).map_err(refused)?;
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
    text_or_array: &Bound<'_, PyAny>,
    boxes: Option<(usize, usize)>,
    latin: bool,
) -> PyResult<(String, Grid)> {
    if let Ok(text) = text_or_array.extract::<String>() {
        let options = ReadOptions {
            boxes: box_shape(boxes),
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
    let array: PyReadonlyArray2<'_, u8> = text_or_array.extract().map_err(|_| {
        refused("expected a grid: a text, a file's name, or a two-dimensional array of uint8")
    })?;
    let grid = grid(&array.as_array(), boxes, latin)?;
    Ok(("the grid given".to_owned(), grid))
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
        told.set_item("max_storage_binding", info.max_storage_binding)?;
        told.set_item("max_workgroup_memory", info.max_workgroup_memory)?;
        told.set_item("max_workgroup_size", info.max_workgroup_size)?;
        told.set_item("max_workgroups", info.max_workgroups)?;
        told.set_item("subgroup_lanes", info.subgroup_lanes)?;
        told.set_item("auto", automatic == Some(info.index))?;
        list.append(told)?;
    }
    Ok(list)
}
