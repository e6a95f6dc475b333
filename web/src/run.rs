//! A run, and what the worker is told of it.

use std::ops::ControlFlow;

use gpusudoku::agreement::Agreement;
use gpusudoku::controller::{
    self, Dissection, Leave, Measured, Moment, Observer, Progress, Remedy, View,
};
use gpusudoku::engine::EngineInfo;
use gpusudoku::error::Error;
use gpusudoku::lab::results::Run;
use gpusudoku::lab::trace::{HEADER, TracedRun};
use gpusudoku::population::Population;
use gpusudoku::problem::{Answer, Problem, conflicts};
use js_sys::{Array, Float64Array, Promise, Uint8Array, Uint32Array};
use serde_json::json;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::request::{Fields, Request};
use crate::{sentence, text};

#[wasm_bindgen]
extern "C" {
    /// The worker, as far as a run knows it.
    pub type Hooks;
    #[wasm_bindgen(method)]
    fn started(this: &Hooks, engine: &str);
    #[wasm_bindgen(method)]
    fn progress(this: &Hooks, records: Float64Array, operator: &str, elapsed: f64, rows: &str);
    #[wasm_bindgen(method, js_name = wantsView)]
    fn wants_view(this: &Hooks, generation: u32, ended: bool) -> bool;
    #[wasm_bindgen(method)]
    fn view(
        this: &Hooks,
        about: &str,
        best: Uint32Array,
        conflicts: Uint8Array,
        agreement: Uint32Array,
        picked: Uint32Array,
    );
    /// The individual that one looks at, or a negative number.
    #[wasm_bindgen(method)]
    fn picked(this: &Hooks) -> i32;
    #[wasm_bindgen(method, js_name = wantsSteps)]
    fn wants_steps(this: &Hooks) -> bool;
    #[wasm_bindgen(method)]
    fn steps(this: &Hooks, about: &str, cells: Array);
    /// A promise of how many generations may run; a negative number ends the run.
    #[wasm_bindgen(method)]
    fn leave(this: &Hooks) -> Promise;
    #[wasm_bindgen(method)]
    fn fault(this: &Hooks, sentence: &str, remedy: &str);
}

/// How many of the most frequent values of a cell the page gets.
const FREQUENT: usize = 3;

struct Watcher<'a> {
    hooks: &'a Hooks,
    problem: &'a Problem,
    run: TracedRun<'a>,
}

/// Values as the page has them: digits from 1, 0 for a hole; rows of queens from 0.
fn values(population: &Population, individual: usize) -> Result<(Vec<u32>, Answer), String> {
    let answer = population
        .answer(individual)
        .map_err(|error| error.to_string())?;
    let values = match &answer {
        Answer::Grid(grid) => grid.cells().iter().map(|&digit| digit.into()).collect(),
        Answer::Placement(queens) => queens.rows().to_vec(),
    };
    Ok((values, answer))
}

impl Observer for Watcher<'_> {
    fn started(&mut self, engine: &EngineInfo) {
        self.hooks.started(&text(&json!({
            "backend": engine.backend, "adapter": engine.adapter, "header": HEADER,
        })));
    }

    fn measured(&mut self, engine: &EngineInfo, measured: &Measured) {
        self.hooks.started(&text(&json!({
            "backend": engine.backend, "adapter": engine.adapter,
            "factor": measured.factor, "other": measured.other.adapter,
        })));
    }

    fn progress(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        let record = |(record, evaluations): (&gpusudoku::population::Record, &u64)| {
            [
                f64::from(record.generation),
                f64::from(record.best),
                record.mean(self.run.pop),
                f64::from(record.worst),
                record.diversity(self.run.pop, progress.free_cells),
                record.swaps() as f64,
                *evaluations as f64,
            ]
        };
        let records = progress.records.iter().zip(progress.evaluations);
        let records: Vec<f64> = records.flat_map(record).collect();
        self.hooks.progress(
            Float64Array::from(&records[..]),
            progress.operator,
            progress.elapsed.as_secs_f64(),
            &self.run.rows(progress),
        );
        ControlFlow::Continue(())
    }

    fn fault(&mut self, error: &Error, remedy: Remedy) -> ControlFlow<()> {
        let remedy = match remedy {
            Remedy::Rebuild { generation, .. } => match generation {
                Some(generation) => format!(
                    "The device is made anew, and the run goes on from generation {generation}."
                ),
                None => "The device is made anew, and the run begins again.".to_owned(),
            },
            Remedy::Others => "The run goes on elsewhere.".to_owned(),
            Remedy::Native => "The run goes on in WebAssembly.".to_owned(),
            Remedy::Surrender => "The run has ended.".to_owned(),
        };
        self.hooks.fault(&error.to_string(), &remedy);
        ControlFlow::Continue(())
    }

    fn wants_diversity(&self) -> bool {
        true
    }

    fn wants_view(&self, moment: Moment) -> bool {
        self.hooks.wants_view(moment.generation, moment.ended)
    }

    fn view(&mut self, view: &View<'_>) {
        let last = view.population;
        let (best, at, generation) = match view.champion {
            Some(champion) => (&champion.individual, 0, champion.generation),
            None => match last.best() {
                Some((_, at)) => (last, at, view.moment.generation),
                None => return,
            },
        };
        // A device that returns what is no grid is found out by the run itself.
        let Ok((cells, answer)) = values(best, at) else {
            return;
        };
        let marked: Vec<u8> = conflicts::of(self.problem, &answer)
            .into_iter()
            .map(u8::from)
            .collect();
        let agreement = Agreement::of(last, FREQUENT);
        let mut frequent = Vec::with_capacity(cells.len() * FREQUENT * 2);
        for cell in 0..cells.len() {
            let of_cell = agreement.of_cell(cell);
            for at in 0..FREQUENT {
                let (value, count) = of_cell.get(at).copied().unwrap_or((0, 0));
                frequent.extend([value, count]);
            }
        }
        let picked = usize::try_from(self.hooks.picked())
            .ok()
            .filter(|it| *it < last.len());
        let individual = picked
            .and_then(|it| values(last, it).ok())
            .map(|(cells, _)| cells);
        self.hooks.view(
            &text(&json!({
                "generation": view.moment.generation, "ended": view.moment.ended,
                "bestFitness": best.fitness()[at], "bestGeneration": generation,
                "hash": format!("{:016x}", last.digest()), "pop": last.len(),
                "picked": picked, "pickedFitness": picked.map(|it| last.fitness()[it]),
            })),
            Uint32Array::from(&cells[..]),
            Uint8Array::from(&marked[..]),
            Uint32Array::from(&frequent[..]),
            Uint32Array::from(&individual.unwrap_or_default()[..]),
        );
    }

    fn wants_dissection(&self) -> Option<usize> {
        let wanted = self.hooks.wants_steps();
        wanted
            .then(|| usize::try_from(self.hooks.picked()).ok())
            .flatten()
    }

    fn dissection(&mut self, dissection: &Dissection) {
        let names: Vec<_> = dissection.steps.iter().map(|it| it.name).collect();
        let fitness: Vec<_> = dissection
            .steps
            .iter()
            .map(|it| it.individual.fitness()[0])
            .collect();
        let cells = Array::new();
        for step in &dissection.steps {
            let values =
                values(&step.individual, 0).map_or_else(|_| Vec::new(), |(cells, _)| cells);
            cells.push(&Uint32Array::from(&values[..]));
        }
        self.hooks.steps(
            &text(&json!({
                "individual": dissection.individual, "generation": dissection.generation,
                "names": names, "fitness": fitness,
            })),
            cells,
        );
    }

    fn leave(&mut self) -> Leave<'_> {
        Box::pin(async {
            let answer = JsFuture::from(self.hooks.leave()).await;
            let generations = answer.ok().and_then(|it| it.as_f64());
            match generations {
                Some(many) if many >= 0.0 => ControlFlow::Continue(many as u32),
                _ => ControlFlow::Break(()),
            }
        })
    }
}

/// Runs what the fields say. Returns the object of `run --format json`.
#[wasm_bindgen]
pub async fn run(fields: String, hooks: Hooks) -> Result<String, JsValue> {
    let fields: Fields = serde_json::from_str(&fields).map_err(sentence)?;
    let request = Request::new(&fields).map_err(|wrong| {
        let sentences: Vec<_> = wrong.into_iter().map(|it| it.sentence).collect();
        sentence(sentences.join("; "))
    })?;
    let algorithm = request.settings.build();
    let config = request.config(&*algorithm);
    let named = &request.problem;
    let mut watcher = Watcher {
        hooks: &hooks,
        problem: &named.problem,
        run: TracedRun {
            problem: &named.name,
            algo: request.settings.info().name,
            seed: config.seed,
            pop: config.pop,
        },
    };
    let outcome = controller::run(&named.problem, &config, &mut watcher).await;
    let outcome = outcome.map_err(sentence)?;
    let run = Run::new(&named.name, &request.settings, &config, &outcome);
    Ok(text(&json!({
        "run": run.spelled_like(&named.problem, &outcome),
        "fault": outcome.fault.map(|error| error.to_string()),
    })))
}
