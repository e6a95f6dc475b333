//! `run`.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gpusudoku::algo::{self, Settings};
use gpusudoku::checkpoint::Checkpoint;
use gpusudoku::controller::{self, Budget, Config, Observer, Outcome, Progress, RunState};
use gpusudoku::error::Error as LibraryError;
use gpusudoku::lab::results::Run;
use gpusudoku::population::Population;
use gpusudoku::problem::{Answer, Form, NamedProblem, Problem};
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{backend as read_backend, problem as read_problem, refused};
use crate::puzzles::array;

/// What is told of every generation.
#[derive(Default)]
struct Columns {
    generation: Vec<u32>,
    best: Vec<u32>,
    mean: Vec<f64>,
    worst: Vec<u32>,
    diversity: Vec<f64>,
    swaps: Vec<u64>,
    operator: Vec<&'static str>,
    evaluations: Vec<u64>,
    seconds: Vec<f64>,
}

/// Keeps the trace, calls back, saves, and ends the run if Python wants an end.
struct Watch<'a> {
    pop: usize,
    columns: Columns,
    callback: Option<&'a Py<PyAny>>,
    wants_population: bool,
    wants_diversity: bool,
    save: Option<(
        &'a NamedProblem,
        &'a Settings,
        u64,
        Budget,
        PathBuf,
        Duration,
    )>,
    saved: Instant,
    last: Option<Arc<RunState>>,
    /// Generations of which the callback knows.
    told: usize,
    failure: Option<PyErr>,
}

impl Watch<'_> {
    /// Calls back with the last generation.
    fn call(&mut self, population: Option<&Population>) -> ControlFlow<()> {
        let told = Python::attach(|py| {
            py.check_signals()?;
            let (Some(callback), Some(at)) =
                (self.callback, self.columns.generation.len().checked_sub(1))
            else {
                return Ok(false);
            };
            let columns = &self.columns;
            let told = PyDict::new(py);
            told.set_item("generation", columns.generation[at])?;
            told.set_item("best", columns.best[at])?;
            told.set_item("mean", columns.mean[at])?;
            told.set_item("worst", columns.worst[at])?;
            told.set_item("diversity", columns.diversity[at])?;
            told.set_item("evaluations", columns.evaluations[at])?;
            told.set_item("seconds", columns.seconds[at])?;
            told.set_item("operator", columns.operator[at])?;
            if let Some(population) = population {
                told.set_item("population", individuals(py, population)?)?;
                let fitness = population.fitness().to_vec().into_pyarray(py);
                told.set_item("fitness", fitness)?;
            }
            let answer = callback.call1(py, (told,))?;
            // Who returns nothing goes on.
            Ok(answer.extract::<bool>(py).is_ok_and(|go_on| !go_on))
        });
        match told {
            Ok(false) => ControlFlow::Continue(()),
            Ok(true) => ControlFlow::Break(()),
            Err(error) => {
                self.failure = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    /// Writes a state to the file.
    fn write(&mut self, state: &Arc<RunState>) -> ControlFlow<()> {
        let Some((problem, settings, seed, budget, path, _)) = &self.save else {
            return ControlFlow::Continue(());
        };
        self.saved = Instant::now();
        let checkpoint = Checkpoint {
            problem: (*problem).clone(),
            settings: (*settings).clone(),
            pop: self.pop,
            seed: *seed,
            budget: *budget,
            state: RunState::clone(state),
        };
        match checkpoint.save(path) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failure = Some(refused(format!("cannot write {}: {error}", path.display())));
                ControlFlow::Break(())
            }
        }
    }
}

impl Observer for Watch<'_> {
    fn progress(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        let columns = &mut self.columns;
        for (record, &evaluations) in progress.records.iter().zip(progress.evaluations) {
            columns.generation.push(record.generation);
            columns.best.push(record.best);
            columns.mean.push(record.mean(self.pop));
            columns.worst.push(record.worst);
            columns
                .diversity
                .push(record.diversity(self.pop, progress.free_cells));
            columns.swaps.push(record.swaps());
            columns.operator.push(progress.operator);
            columns.evaluations.push(evaluations);
            columns.seconds.push(progress.elapsed.as_secs_f64());
        }
        match self.wants_population {
            // It comes with the state.
            true => ControlFlow::Continue(()),
            false => self.call(None),
        }
    }

    fn checkpoint_every(&self) -> Option<Duration> {
        match (self.wants_population, &self.save) {
            (true, _) => Some(Duration::ZERO),
            (false, Some((.., every))) => Some(*every),
            (false, None) => None,
        }
    }

    fn checkpoint(&mut self, state: &Arc<RunState>) -> ControlFlow<()> {
        let first = self.last.replace(state.clone()).is_none();
        let due = |every: &Duration| first || self.saved.elapsed() >= *every;
        if self.save.as_ref().is_some_and(|(.., every)| due(every)) {
            self.write(state)?;
        }
        // The last state of a run may come twice.
        let is_new = self.columns.generation.len() > self.told;
        self.told = self.columns.generation.len();
        match self.wants_population && is_new {
            true => self.call(Some(&state.snapshot.population)),
            false => ControlFlow::Continue(()),
        }
    }

    fn wants_diversity(&self) -> bool {
        self.wants_diversity
    }
}

/// A population as an array: digits from one of shape (pop, N, N), or rows from one of shape (pop, queens).
fn individuals<'py>(py: Python<'py>, population: &Population) -> PyResult<Bound<'py, PyAny>> {
    let pop = population.len();
    match population.form() {
        Form::Grid(geometry) => {
            let n = geometry.size();
            let grids = (0..pop).flat_map(|at| population.cells(at));
            let digits: Vec<u8> = grids.map(|cell| cell.wrapping_add(1)).collect();
            Ok(digits.into_pyarray(py).reshape([pop, n, n])?.into_any())
        }
        Form::Placement(queens) => {
            let rows: Vec<u32> = population.words().iter().map(|row| row + 1).collect();
            Ok(rows.into_pyarray(py).reshape([pop, queens])?.into_any())
        }
    }
}

/// Everything that a run is, as the command line has it.
struct Request {
    problem: NamedProblem,
    settings: Settings,
    pop: usize,
    seed: u64,
    budget: Budget,
    from: Option<RunState>,
}

/// What [`run`] returns.
type Told<'py> = (
    String,
    Bound<'py, PyDict>,
    Bound<'py, PyAny>,
    Option<Bound<'py, PyAny>>,
);

/// Runs, and returns the object of `run --format json`, the columns of the trace, the best individual and the givens.
#[pyfunction]
#[pyo3(signature = (problem, *, algo, pop, seed, backend, adapter, threads, params, max_generations,
    max_evaluations, time_limit, callback, population, diversity, checkpoint, checkpoint_every, resume, boxes, latin))]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn run<'py>(
    py: Python<'py>,
    problem: Option<&Bound<'py, PyAny>>,
    algo: Option<&str>,
    pop: Option<usize>,
    seed: u64,
    backend: &str,
    adapter: Option<&str>,
    threads: usize,
    params: Vec<(String, String)>,
    max_generations: Option<u32>,
    max_evaluations: Option<u64>,
    time_limit: Option<f64>,
    callback: Option<Py<PyAny>>,
    population: bool,
    diversity: bool,
    checkpoint: Option<PathBuf>,
    checkpoint_every: f64,
    resume: Option<PathBuf>,
    boxes: Option<(usize, usize)>,
    latin: bool,
) -> PyResult<Told<'py>> {
    let backend = read_backend(backend, adapter, threads)?;
    let limit = |seconds: f64| {
        Duration::try_from_secs_f64(seconds)
            .map_err(|_| refused(format!("{seconds} seconds are not possible")))
    };
    let time_limit = time_limit.map(limit).transpose()?;
    let mut request = match (&resume, problem) {
        (Some(path), _) => saved(path)?,
        (None, Some(problem)) => {
            let problem = read_problem(problem, boxes, latin)?;
            let usual = match &problem.problem {
                Problem::Queens(_) => &algo::hgasa::INFO,
                Problem::Sudoku(_) => &algo::memetic::INFO,
            };
            let info = algo.map_or(Ok(usual), algo::find).map_err(refused)?;
            let mut settings = Settings::new(info);
            for (key, value) in &params {
                settings.set(key, value).map_err(refused)?;
            }
            Request {
                problem,
                settings,
                pop: pop.unwrap_or(info.pop),
                seed,
                budget: Budget {
                    max_generations: match max_evaluations {
                        Some(_) => u32::MAX,
                        None => info.max_generations,
                    },
                    max_evaluations: None,
                    time_limit: None,
                },
                from: None,
            }
        }
        (None, None) => return Err(refused("expected a problem, or a checkpoint to resume")),
    };
    if let (Some(path), None) = (&checkpoint, &resume) {
        request.go_on_from(path)?;
    }
    let before = request
        .from
        .as_ref()
        .map_or(Duration::ZERO, |from| from.elapsed);
    let budget = Budget {
        max_generations: max_generations.unwrap_or(request.budget.max_generations),
        max_evaluations: max_evaluations.or(request.budget.max_evaluations),
        time_limit: time_limit
            .map(|limit| limit.saturating_add(before))
            .or(request.budget.time_limit),
    };
    let Request {
        problem,
        settings,
        pop,
        seed,
        from,
        ..
    } = request;
    let every = limit(checkpoint_every)?;
    let mut watch = Watch {
        pop,
        columns: Columns::default(),
        callback: callback.as_ref(),
        wants_population: population && callback.is_some(),
        wants_diversity: diversity,
        save: checkpoint.map(|path| (&problem, &settings, seed, budget, path, every)),
        saved: Instant::now(),
        last: None,
        told: 0,
        failure: None,
    };
    let ran = py.detach(|| -> Result<(Outcome, Run), LibraryError> {
        let algorithm = settings.build();
        let config = Config {
            algorithm: &*algorithm,
            propagate: settings.propagation(),
            pop,
            seed,
            budget,
            backend,
        };
        let outcome = pollster::block_on(async {
            match from {
                Some(from) => controller::resume(&problem.problem, &config, from, &mut watch).await,
                None => controller::run(&problem.problem, &config, &mut watch).await,
            }
        })?;
        let run = Run::new(&problem.name, &settings, &config, &outcome);
        let run = run.spelled_like(&problem.problem, &outcome);
        Ok((outcome, run))
    });
    if let Some(state) = watch.last.take() {
        let _ = watch.write(&state);
    }
    if let Some(failure) = watch.failure.take() {
        return Err(failure);
    }
    let (outcome, run) = ran.map_err(|error| match error {
        LibraryError::NotForQueens => refused(algo::not_for(settings.info(), &problem)),
        error => refused(error),
    })?;
    if let Some(fault) = outcome.fault {
        return Err(refused(fault));
    }
    if let Some(violation) = outcome.rejected {
        return Err(refused(LibraryError::Rejected(violation)));
    }
    let best = match &outcome.best {
        Answer::Grid(grid) => array(py, grid)?.into_any(),
        Answer::Placement(queens) => {
            let rows: Vec<u32> = queens.rows().iter().map(|row| row + 1).collect();
            rows.into_pyarray(py).into_any()
        }
    };
    let givens = match &problem.problem {
        Problem::Sudoku(puzzle) => Some(array(py, puzzle.givens())?.into_any()),
        Problem::Queens(_) => None,
    };
    let text = serde_json::to_string(&run).map_err(refused)?;
    Ok((text, watch.columns.arrays(py)?, best, givens))
}

impl Request {
    /// Goes on with this run if it is in that file; another one is not overwritten.
    fn go_on_from(&mut self, path: &Path) -> PyResult<()> {
        if !path.metadata().is_ok_and(|it| it.is_file() && it.len() > 0) {
            return Ok(());
        }
        let there = saved(path)?;
        let known = Checkpoint {
            problem: there.problem,
            settings: there.settings,
            pop: there.pop,
            seed: there.seed,
            budget: there.budget,
            state: there.from.expect("what is saved has a state"),
        };
        let (problem, pop) = (&self.problem.problem, Some(self.pop));
        if let Some(difference) = known.difference(problem, &self.settings, pop, self.seed) {
            return Err(refused(format!(
                "{} has another run, with another {difference}; expected another file, or resume= to go on with that \
                 run",
                path.display()
            )));
        }
        self.from = Some(known.state);
        Ok(())
    }
}

/// The run that a file was saved of.
fn saved(path: &Path) -> PyResult<Request> {
    let cannot = |reason: String| refused(format!("cannot resume {}: {reason}", path.display()));
    let file = File::open(path).map_err(|error| cannot(error.to_string()))?;
    let there = Checkpoint::read(file).map_err(|error| cannot(error.to_string()))?;
    Ok(Request {
        problem: there.problem,
        settings: there.settings,
        pop: there.pop,
        seed: there.seed,
        budget: there.budget,
        from: Some(there.state),
    })
}

impl Columns {
    fn arrays<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        columns.set_item("generation", self.generation.into_pyarray(py))?;
        columns.set_item("best", self.best.into_pyarray(py))?;
        columns.set_item("mean", self.mean.into_pyarray(py))?;
        columns.set_item("worst", self.worst.into_pyarray(py))?;
        columns.set_item("diversity", self.diversity.into_pyarray(py))?;
        columns.set_item("swaps", self.swaps.into_pyarray(py))?;
        columns.set_item("operator", self.operator)?;
        columns.set_item("evaluations", self.evaluations.into_pyarray(py))?;
        columns.set_item("seconds", self.seconds.into_pyarray(py))?;
        Ok(columns)
    }
}

/// Name, title, source, population and generations of every algorithm.
#[pyfunction]
pub fn algorithms() -> Vec<(&'static str, &'static str, &'static str, usize, u32)> {
    let told = |info: &'static algo::Info| {
        (
            info.name,
            info.title,
            info.source,
            info.pop,
            info.max_generations,
        )
    };
    algo::ALL.iter().map(told).collect()
}
