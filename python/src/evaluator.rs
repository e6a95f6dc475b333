//! `Evaluator` and `Session`.
//!
//! Arrays are read where they are. While the library works, Python's lock is released; the array that is read is
//! borrowed until it is done, so that nobody writes to it through this package meanwhile.

use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gpusudoku::error::Error as LibraryError;
use gpusudoku::evaluator::{self as library, representation};
use gpusudoku::operators::{BreedRows, Order, Parent, Sample, Survivor};
use gpusudoku::plan::Representation;
use gpusudoku::population::Record;
use gpusudoku::problem::{Geometry, Problem};
use gpusudoku::rng::Rate;
use numpy::{
    IntoPyArray, PyArray1, PyArray3, PyArrayMethods, PyReadonlyArray3, PyReadonlyArrayDyn,
    PyUntypedArray, PyUntypedArrayMethods,
};
use pollster::block_on;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{backend, contiguous, problem, refused, shape};

/// Tells the fitness of populations.
#[pyclass(frozen, subclass)]
pub struct Evaluator {
    inner: Mutex<library::Evaluator>,
    geometry: Geometry,
    representation: Representation,
    givens: Vec<u8>,
}

// Who evaluates holds the mutex and now and then asks for Python's lock, to see to signals. So nobody may wait for the
// mutex while holding Python's lock.

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing that could be half done is kept.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl Evaluator {
    #[new]
    #[pyo3(signature = (problem, backend="auto", encoding="rows", objective=None, *, adapter=None, threads=0,
        boxes=None, latin=false))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        problem: &Bound<'_, PyAny>,
        backend: &str,
        encoding: &str,
        objective: Option<&str>,
        adapter: Option<&str>,
        threads: usize,
        boxes: Option<(usize, usize)>,
        latin: bool,
    ) -> PyResult<Self> {
        let named = self::problem(problem, boxes, latin)?;
        let backend = self::backend(backend, adapter, threads)?;
        let representation = representation(encoding, objective).map_err(refused)?;
        let inner = library::Evaluator::new(&named.problem, &backend, representation);
        let inner = inner.map_err(refused)?;
        let Problem::Sudoku(puzzle) = &named.problem else {
            return Err(refused("expected a Sudoku or a Latin square"));
        };
        Ok(Self {
            geometry: inner.geometry(),
            representation,
            givens: puzzle.givens().cells().to_vec(),
            inner: Mutex::new(inner),
        })
    }

    /// N.
    #[getter]
    fn size(&self) -> usize {
        self.geometry.size()
    }

    /// The givens, 0 where there is none.
    #[getter]
    fn givens<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (n, givens) = (self.size(), self.givens.clone().into_pyarray(py));
        Ok(givens.reshape([n, n])?.into_any())
    }

    /// Rows and columns of a box, or nothing.
    #[getter]
    fn boxes(&self) -> Option<(usize, usize)> {
        let boxes = self.geometry.boxes();
        boxes.map(|shape| (shape.rows, shape.cols))
    }

    #[getter]
    fn encoding(&self) -> &'static str {
        self.representation.encoding.name()
    }

    #[getter]
    fn objective(&self) -> &'static str {
        self.representation.objective.name()
    }

    /// What has evaluated, and where; nothing before the first time.
    #[getter]
    fn engine(&self, py: Python<'_>) -> Option<(&'static str, String)> {
        let engine = py.detach(|| lock(&self.inner).engine());
        engine.map(|info| (info.backend, info.adapter))
    }

    /// The fitness of everybody, uint32 of shape (pop,).
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        population: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let population = grids(population, self.size())?;
        let digits = contiguous(&population)?;
        let mut fitness = vec![0; digits.len() / self.geometry.cells()];
        let mut signal = None;
        let evaluated = py.detach(|| {
            let progress = &mut |_| match Python::attach(|py| py.check_signals()) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    signal = Some(error);
                    ControlFlow::Break(())
                }
            };
            let mut inner = lock(&self.inner);
            block_on(inner.evaluate_into(digits, &mut fitness, progress))
        });
        match (signal, evaluated) {
            (Some(signal), _) => Err(signal),
            (None, Err(error)) => Err(refused(error)),
            (None, Ok(())) => Ok(fitness.into_pyarray(py)),
        }
    }

    /// A population of so many that stays on the engine.
    #[pyo3(signature = (pop, seed=1))]
    fn session(&self, py: Python<'_>, pop: usize, seed: u64) -> PyResult<Session> {
        let session = py.detach(|| block_on(lock(&self.inner).session(pop, seed)));
        Ok(Session {
            size: self.size(),
            pop,
            inner: Mutex::new(session.map_err(refused)?),
        })
    }
}

/// An array of grids, or a sentence on what it is instead.
fn grids<'py>(
    population: &Bound<'py, PyAny>,
    size: usize,
) -> PyResult<PyReadonlyArrayDyn<'py, u8>> {
    let array = population.cast::<PyUntypedArray>().map_err(|_| {
        refused("expected a population: a numpy array of uint8 of shape (pop, N, N)")
    })?;
    // What a mask hides would be read.
    if population.hasattr("mask")? {
        return Err(refused(
            "a masked array is no population: expected one without a mask, as population.filled() makes it",
        ));
    }
    let right = match *array.shape() {
        [_, rows, columns] => rows == size && columns == size,
        [_, cells] => cells == size * size,
        _ => false,
    };
    if !right {
        return Err(refused(format!(
            "an array of shape {} is no population: expected (pop, {size}, {size}) or (pop, {})",
            shape(array),
            size * size
        )));
    }
    population.extract().map_err(|_| {
        refused(format!(
            "an array of {} is no population: expected uint8, as population.astype(numpy.uint8) makes it",
            array.dtype()
        ))
    })
}

/// A population that stays on an engine.
#[pyclass(frozen)]
pub struct Session {
    inner: Mutex<library::Session>,
    size: usize,
    pop: usize,
}

impl Session {
    /// Works without Python's lock.
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut library::Session) -> Result<T, LibraryError> + Send,
    ) -> PyResult<T> {
        let done = py.detach(|| work(&mut lock(&self.inner)));
        py.check_signals()?;
        done.map_err(refused)
    }

    /// Works, and tells what the survey of the generation has found.
    fn vary<'py>(
        &self,
        py: Python<'py>,
        work: impl FnOnce(&mut library::Session) -> Result<Record, LibraryError> + Send,
    ) -> PyResult<Bound<'py, PyDict>> {
        let record = self.work(py, work)?;
        let told = PyDict::new(py);
        told.set_item("generation", record.generation)?;
        told.set_item("best", record.best)?;
        told.set_item("best_at", record.best_at)?;
        told.set_item("worst", record.worst)?;
        told.set_item("worst_at", record.worst_at)?;
        told.set_item("mean", record.mean(self.pop))?;
        told.set_item("swaps", record.swaps())?;
        Ok(told)
    }
}

#[pymethods]
impl Session {
    #[getter]
    fn pop(&self) -> usize {
        self.pop
    }

    /// The engine, and its adapter or threads.
    #[getter]
    fn engine(&self, py: Python<'_>) -> (&'static str, String) {
        let info = py.detach(|| lock(&self.inner).info());
        (info.backend, info.adapter)
    }

    fn load(&self, py: Python<'_>, population: &Bound<'_, PyAny>) -> PyResult<()> {
        let population = grids(population, self.size)?;
        let digits = contiguous(&population)?;
        self.work(py, |session| block_on(session.load(digits)))
    }

    #[getter]
    fn population<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let digits = self.work(py, |session| block_on(session.digits()))?;
        digits
            .into_pyarray(py)
            .reshape([self.pop, self.size, self.size])
    }

    #[getter]
    fn fitness<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let fitness = self.work(py, |session| block_on(session.fitness()))?;
        Ok(fitness.into_pyarray(py))
    }

    #[pyo3(signature = (generation=0))]
    fn initialise<'py>(&self, py: Python<'py>, generation: u32) -> PyResult<Bound<'py, PyDict>> {
        self.vary(py, |session| block_on(session.initialise(generation)))
    }

    #[pyo3(signature = (rate, row_rate, *, generation))]
    fn crossover<'py>(
        &self,
        py: Python<'py>,
        rate: f64,
        row_rate: f64,
        generation: u32,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (rate, rows) = (
            probability("rate", rate)?,
            probability("row_rate", row_rate)?,
        );
        self.vary(py, |session| {
            block_on(session.crossover(rate, rows, generation))
        })
    }

    #[pyo3(signature = (rate, *, generation))]
    fn swap_mutation<'py>(
        &self,
        py: Python<'py>,
        rate: f64,
        generation: u32,
    ) -> PyResult<Bound<'py, PyDict>> {
        let rate = probability("rate", rate)?;
        self.vary(py, |session| {
            block_on(session.swap_mutation(rate, generation))
        })
    }

    #[pyo3(signature = (rate, *, generation))]
    fn reinitialise_mutation<'py>(
        &self,
        py: Python<'py>,
        rate: f64,
        generation: u32,
    ) -> PyResult<Bound<'py, PyDict>> {
        let rate = probability("rate", rate)?;
        self.vary(py, |session| {
            block_on(session.reinitialise_mutation(rate, generation))
        })
    }

    #[pyo3(signature = (rounds=1, *, generation))]
    fn column_search<'py>(
        &self,
        py: Python<'py>,
        rounds: u32,
        generation: u32,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.vary(py, |session| {
            block_on(session.column_search(rounds, generation))
        })
    }

    #[pyo3(signature = (rounds=1, *, generation))]
    fn block_search<'py>(
        &self,
        py: Python<'py>,
        rounds: u32,
        generation: u32,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.vary(py, |session| {
            block_on(session.block_search(rounds, generation))
        })
    }

    /// A whole generation: parents by tournament, the operators with a rate above 0, survivors by tournament.
    #[pyo3(signature = (*, generation, crossover=0.0, row_rate=0.0, swap=0.0, reinitialise=0.0, column_search=false,
        block_search=false, rounds=1, parents=0, survivors=1))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn breed<'py>(
        &self,
        py: Python<'py>,
        generation: u32,
        crossover: f64,
        row_rate: f64,
        swap: f64,
        reinitialise: f64,
        column_search: bool,
        block_search: bool,
        rounds: u32,
        parents: u32,
        survivors: u32,
    ) -> PyResult<Bound<'py, PyDict>> {
        let operator = BreedRows {
            parent: match parents {
                0 => Parent::Own,
                size => Parent::Tournament(size),
            },
            crossover: probability("crossover", crossover)?,
            crossover_row: probability("row_rate", row_rate)?,
            swap: probability("swap", swap)?,
            reinitialise: probability("reinitialise", reinitialise)?,
            column_search,
            block_search,
            rounds,
            survivor: match survivors {
                1 => Survivor::Child,
                size => Survivor::Tournament(size),
            },
            ..BreedRows::IDLE
        };
        self.vary(py, |session| block_on(session.breed(operator, generation)))
    }

    /// A new population from a model: uint32 of shape (N, N, N), the weights of the digits of each cell.
    #[pyo3(signature = (model, *, generation, neighbours=true, retries=2))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        model: PyReadonlyArray3<'py, u32>,
        generation: u32,
        neighbours: bool,
        retries: u32,
    ) -> PyResult<Bound<'py, PyDict>> {
        let sample = Sample {
            model: model.as_array().iter().copied().collect(),
            order: Order::Random,
            neighbours,
            retries,
        };
        self.vary(py, |session| block_on(session.sample(sample, generation)))
    }

    #[pyo3(signature = (moves, *, generation))]
    fn tabu<'py>(
        &self,
        py: Python<'py>,
        moves: u32,
        generation: u32,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.vary(py, |session| block_on(session.tabu(moves, generation)))
    }
}

fn probability(name: &str, rate: f64) -> PyResult<Rate> {
    Rate::new(rate).ok_or_else(|| {
        refused(format!(
            "{name} = {rate} is not possible: expected from 0 to 1"
        ))
    })
}
