//! Experiments: what is planned, one run of it, and the file that runs come back to.
//!
//! Who carries runs out, and where, is up to Python: a plan goes out as text, a line comes back as text, and is
//! verified before it is written.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use gpusudoku::engine::gpu::adapter::AdapterChoice;
use gpusudoku::lab::agreement::disagreements;
use gpusudoku::lab::experiment::{self as lab, Case, Contender, Design, Place, Shard};
use gpusudoku::lab::papers;
use gpusudoku::lab::report::{Report, write_file};
use gpusudoku::lab::results::{Header, Line, Reader, Results};
use gpusudoku::lab::runner::{self, Resources};
use gpusudoku::lab::store;
use gpusudoku::lab::summary::{Measure, Summary};
use pyo3::prelude::*;
use serde_json::json;

use crate::arguments::{problem as read_problem, refused};

/// Contenders x problems x runs.
#[pyclass(frozen)]
pub struct Experiment {
    inner: lab::Experiment,
    cases: Vec<Case>,
    stop: AtomicBool,
}

impl Experiment {
    fn ready(inner: lab::Experiment) -> PyResult<Self> {
        if let Some(excess) = inner.excess(Shard::WHOLE) {
            return Err(refused(excess));
        }
        if let Some((place, error)) = inner.unfit() {
            return Err(refused(format!("{place}: {error}")));
        }
        Ok(Self {
            cases: inner.cases(Shard::WHOLE),
            inner,
            stop: AtomicBool::new(false),
        })
    }

    fn header(&self) -> Header {
        Header::new(self.inner.design(), Shard::WHOLE)
    }

    fn case(&self, index: usize) -> PyResult<Case> {
        let case = self.cases.get(index).copied();
        case.ok_or_else(|| refused(format!("there is no run {index} in this experiment")))
    }
}

#[pymethods]
impl Experiment {
    #[new]
    #[pyo3(signature = (algos, problems, *, runs, seed, pop, backends, max_generations, max_evaluations, time_limit))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        algos: Vec<String>,
        problems: Vec<(Option<String>, Bound<'_, PyAny>)>,
        runs: u32,
        seed: u64,
        pop: Option<usize>,
        backends: Vec<String>,
        max_generations: Option<u32>,
        max_evaluations: Option<u64>,
        time_limit: Option<f64>,
    ) -> PyResult<Self> {
        let mut contenders = Vec::new();
        for text in &algos {
            for backend in &backends {
                let mut contender = Contender::parse(text, pop).map_err(refused)?;
                contender.place = match &**backend {
                    "cpu" => Place::Cpu,
                    "gpu" => Place::Gpu,
                    other => {
                        return Err(refused(format!(
                            "there is no backend called {other:?} for experiments; there is cpu, gpu"
                        )));
                    }
                };
                if backends.len() > 1 {
                    contender.name = format!("{text}/{backend}");
                }
                if let Some(generations) = max_generations {
                    contender.max_generations = generations;
                } else if max_evaluations.is_some() || time_limit.is_some() {
                    contender.max_generations = u32::MAX;
                }
                contenders.push(contender);
            }
        }
        let mut named = Vec::new();
        for (name, problem) in &problems {
            let mut problem = read_problem(problem, None, false)?;
            if let Some(name) = name {
                problem.name.clone_from(name);
            }
            named.push(problem);
        }
        let names = contenders.iter().map(|it| &it.name);
        for names in [
            names.collect::<Vec<_>>(),
            named.iter().map(|it| &it.name).collect(),
        ] {
            let twice = |at: &usize| names[..*at].contains(&names[*at]);
            if let Some(at) = (1..names.len()).find(twice) {
                let name = names[at];
                return Err(refused(format!(
                    "{name} is there twice: results are told apart by name"
                )));
            }
        }
        Self::ready(lab::Experiment {
            contenders,
            problems: named,
            runs,
            seed,
            max_evaluations,
            time_limit,
        })
    }

    /// The experiment of a plan.
    #[staticmethod]
    fn from_plan(plan: &str) -> PyResult<Self> {
        let design: Design = serde_json::from_str(plan).map_err(refused)?;
        Self::ready(design.experiment().map_err(refused)?)
    }

    /// The experiment of a paper's table.
    #[staticmethod]
    #[pyo3(signature = (table, *, runs, seed, all))]
    fn of_table(table: &str, runs: Option<u32>, seed: u64, all: bool) -> PyResult<Self> {
        let table = find_table(table)?;
        let experiment = table.experiment(runs.unwrap_or(table.runs), seed, all);
        Self::ready(experiment.map_err(refused)?)
    }

    /// The plan as text, for another process.
    #[getter]
    fn plan(&self) -> PyResult<String> {
        serde_json::to_string(&self.inner.design()).map_err(refused)
    }

    fn __len__(&self) -> usize {
        self.cases.len()
    }

    /// Contender, problem and seed of a run.
    fn case_of(&self, index: usize) -> PyResult<(String, String, u64)> {
        let case = self.case(index)?;
        Ok((
            self.inner.contenders[case.contender].name.clone(),
            self.inner.problems[case.problem].name.clone(),
            self.inner.seed.wrapping_add(u64::from(case.run)),
        ))
    }

    /// Ends all runs under way; they are no results.
    fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Carries a run out, and returns its line.
    #[pyo3(signature = (index, threads=1, adapter=None))]
    fn run(
        &self,
        py: Python<'_>,
        index: usize,
        threads: usize,
        adapter: Option<&str>,
    ) -> PyResult<String> {
        let case = self.case(index)?;
        let resources = Resources {
            jobs: 1,
            threads,
            adapter: adapter.map_or(AdapterChoice::Best, AdapterChoice::from),
        };
        let mut line = None;
        let ran = py.detach(|| {
            runner::run(&self.inner, &[case], &resources, &self.stop, |_, it| {
                line = Some(it);
                ControlFlow::Continue(())
            })
        });
        py.check_signals()?;
        ran.map_err(refused)?;
        let line = line.ok_or_else(|| refused("the run was stopped"))?;
        serde_json::to_string(&line).map_err(refused)
    }
}

fn find_table(name: &str) -> PyResult<&'static papers::Table> {
    papers::Table::find(name).ok_or_else(|| {
        let known: Vec<_> = papers::ALL.iter().map(|table| table.name).collect();
        let known = known.join(", ");
        refused(format!(
            "there is no table called {name:?}; there is {known}"
        ))
    })
}

/// The file that results come back to.
#[pyclass]
pub struct Store {
    inner: Option<store::Store>,
    header: Header,
    cases: Vec<Case>,
}

#[pymethods]
impl Store {
    #[new]
    fn new(path: PathBuf, experiment: &Experiment) -> PyResult<Self> {
        let header = experiment.header();
        Ok(Self {
            inner: Some(store::Store::open(&path, &header).map_err(refused)?),
            header,
            cases: experiment.cases.clone(),
        })
    }

    /// The runs that the file does not have.
    fn missing(&self) -> PyResult<Vec<usize>> {
        let store = self
            .inner
            .as_ref()
            .ok_or_else(|| refused("the file is closed"))?;
        let cases = self.cases.iter().enumerate();
        let missing = cases.filter(|(_, case)| !store.has(**case));
        Ok(missing.map(|(index, _)| index).collect())
    }

    /// Refuses the line of a run that was not planned, or whose solution is none.
    fn verify(&self, py: Python<'_>, text: &str) -> PyResult<()> {
        py.detach(|| verify(&self.header, text))
    }

    /// Writes the line of a run.
    fn add(&mut self, text: &str) -> PyResult<()> {
        let line: Line = serde_json::from_str(text).map_err(refused)?;
        let store = self
            .inner
            .as_mut()
            .ok_or_else(|| refused("the file is closed"))?;
        store.add(&line).map_err(refused)
    }

    /// Closes the file, and returns all that it has: summary and runs.
    #[pyo3(signature = (by="evaluations"))]
    fn results(&mut self, py: Python<'_>, by: &str) -> PyResult<String> {
        let store = self
            .inner
            .take()
            .ok_or_else(|| refused("the file is closed"))?;
        let measure = measure(by)?;
        py.detach(|| {
            let results = store.results().map_err(refused)?;
            let summary = Summary::new(&results, measure);
            let design = &results.header.design;
            let told = json!({
                "experiment": results.header.experiment,
                "contenders": design.contenders.iter().map(|it| &it.name).collect::<Vec<_>>(),
                "problems": design.problems.iter().map(|it| &it.name).collect::<Vec<_>>(),
                "summary": summary,
                "missing": results.missing(),
                "disagreements": disagreements(&results).iter().map(ToString::to_string).collect::<Vec<_>>(),
                "runs": results.runs.iter().map(|(_, line)| line).collect::<Vec<_>>(),
            });
            Ok(told.to_string())
        })
    }

    /// Closes the file, and returns a paper's table with what was measured.
    fn table(&mut self, py: Python<'_>, name: &str) -> PyResult<String> {
        let store = self
            .inner
            .take()
            .ok_or_else(|| refused("the file is closed"))?;
        let table = find_table(name)?;
        py.detach(|| {
            let results = store.results().map_err(refused)?;
            let results = results.narrowed(self.header.clone());
            Ok(describe(table, Some(&results)).to_string())
        })
    }
}

/// Refuses the line of a run that was not planned, or whose solution is none.
fn verify(header: &Header, line: &str) -> PyResult<()> {
    let header = serde_json::to_string(header).map_err(refused)?;
    let text = format!("{header}\n{line}\n");
    let mut reader = Reader::default();
    let read = reader.read("the result of a worker", text.as_bytes());
    read.map_err(refused)?;
    match reader.finish() {
        Some(results) if results.runs.len() == 1 && results.flaws.is_empty() => Ok(()),
        _ => Err(refused("a worker returned no result of this experiment")),
    }
}

fn measure(name: &str) -> PyResult<Measure> {
    match name {
        "evaluations" => Ok(Measure::Evaluations),
        "generations" => Ok(Measure::Generations),
        "seconds" => Ok(Measure::Seconds),
        _ => Err(refused(format!(
            "by = {name:?} is not possible: expected evaluations or generations or seconds"
        ))),
    }
}

fn describe(table: &papers::Table, results: Option<&Results>) -> serde_json::Value {
    json!({
        "table": table.name,
        "source": table.source,
        "title": table.title,
        "measure": table.measure.name(),
        "runs": table.runs,
        "rows": table.lines(results),
        "errors": table.errors,
    })
}

/// The papers' tables, with what was published.
#[pyfunction]
pub fn tables() -> String {
    let tables = papers::ALL.iter().map(|table| describe(table, None));
    serde_json::Value::from(tables.collect::<Vec<_>>()).to_string()
}

/// Writes the page of results, and what else is wanted. Returns how many runs there are, and how many are missing.
#[pyfunction]
#[pyo3(signature = (files, out, *, figures=None, csv=None, ioh=None, by="evaluations"))]
pub fn report(
    py: Python<'_>,
    files: Vec<PathBuf>,
    out: PathBuf,
    figures: Option<PathBuf>,
    csv: Option<PathBuf>,
    ioh: Option<PathBuf>,
    by: &str,
) -> PyResult<(usize, usize)> {
    let measure = measure(by)?;
    py.detach(|| {
        let results = Results::read_files(&files).map_err(refused)?;
        let summary = Summary::new(&results, measure);
        let report = Report {
            results: &results,
            summary: &summary,
            bench: None,
        };
        write_file(&out, report.page().as_bytes()).map_err(refused)?;
        if let Some(folder) = &figures {
            report.write_figures(folder).map_err(refused)?;
        }
        if let Some(file) = &csv {
            report.write_csv(file).map_err(refused)?;
        }
        if let Some(folder) = &ioh {
            report.write_ioh(folder).map_err(refused)?;
        }
        Ok((results.runs.len(), results.missing()))
    })
}
