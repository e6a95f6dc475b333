//! What Python hands over, and what it gets back when something is wrong.

use std::fmt::Display;

use gpusudoku::engine::Backend;
use gpusudoku::engine::gpu::adapter::AdapterChoice;
use gpusudoku::problem::sudoku::format::ReadOptions;
use gpusudoku::problem::sudoku::generate::geometry;
use gpusudoku::problem::{BoxShape, Grid, NamedProblem, Problem, Puzzle, argument};
use numpy::PyReadonlyArray2;
use numpy::ndarray::ArrayView2;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    gpusudoku,
    Error,
    PyException,
    "What the program would have said, in a sentence."
);

/// A sentence as an exception.
pub fn refused(sentence: impl Display) -> PyErr {
    Error::new_err(sentence.to_string())
}

/// Rows and columns of a box.
pub fn box_shape(boxes: Option<(usize, usize)>) -> Option<BoxShape> {
    boxes.map(|(rows, cols)| BoxShape { rows, cols })
}

/// The grid that an array is.
pub fn grid(
    array: &ArrayView2<'_, u8>,
    boxes: Option<(usize, usize)>,
    latin: bool,
) -> PyResult<Grid> {
    let (rows, columns) = array.dim();
    if rows != columns {
        return Err(refused(format!(
            "a grid of {rows} rows and {columns} columns is none: expected N x N"
        )));
    }
    let geometry = geometry(Some(rows), box_shape(boxes), latin).map_err(refused)?;
    Grid::new(geometry, array.iter().copied().collect()).map_err(refused)
}

/// The problem that a text names, or that an array is: digits 1 to N, 0 for blanks.
pub fn problem(
    problem: &Bound<'_, PyAny>,
    boxes: Option<(usize, usize)>,
    latin: bool,
) -> PyResult<NamedProblem> {
    if let Ok(text) = problem.extract::<String>() {
        let options = ReadOptions {
            boxes: box_shape(boxes),
            latin,
            alphabet: None,
        };
        let mut problems = argument::problems(&text, &options).map_err(refused)?;
        return match problems.len() {
            1 => Ok(problems.remove(0)),
            many => Err(refused(format!("{text} has {many} puzzles: expected one"))),
        };
    }
    let array: PyReadonlyArray2<'_, u8> = problem.extract().map_err(|_| {
        refused("expected a problem: a text, a file's name, or a two-dimensional array of uint8")
    })?;
    let grid = grid(&array.as_array(), boxes, latin)?;
    Ok(NamedProblem {
        name: "the puzzle given".to_owned(),
        problem: Problem::from(Puzzle::new(grid).map_err(refused)?),
    })
}

/// A backend by its name.
pub fn backend(name: &str, adapter: Option<&str>, threads: usize) -> PyResult<Backend> {
    match (name, adapter) {
        ("cpu", None) => Ok(Backend::Cpu { threads }),
        ("cpu", Some(_)) => Err(refused("adapter does not go with backend cpu")),
        ("auto", None) => Ok(Backend::Auto { threads }),
        ("gpu" | "auto", adapter) => Ok(Backend::Gpu {
            adapter: adapter.map_or(AdapterChoice::Best, AdapterChoice::from),
            mapping: None,
        }),
        _ => Err(refused(format!(
            "there is no backend called {name:?}; there is auto, cpu, gpu"
        ))),
    }
}

/// Whether an array lies in one piece, row by row; how it can be made so, if not.
pub fn contiguous<'a, 'py, D: numpy::ndarray::Dimension>(
    array: &'a numpy::PyReadonlyArray<'py, u8, D>,
) -> PyResult<&'a [u8]> {
    use numpy::PyUntypedArrayMethods as _;
    let strided = || {
        refused(
            "the array is strided: expected one in C order, as numpy.ascontiguousarray makes it",
        )
    };
    // Fortran's order is one piece as well, but not row by row.
    match array.is_c_contiguous() {
        true => array.as_slice().map_err(|_| strided()),
        false => Err(strided()),
    }
}

/// The shape of an array as a sentence has it.
pub fn shape(array: &Bound<'_, numpy::PyUntypedArray>) -> String {
    use numpy::PyUntypedArrayMethods as _;
    let parts: Vec<_> = array.shape().iter().map(ToString::to_string).collect();
    format!("({})", parts.join(", "))
}
