//! Experiments of those who call the library: contenders of their own.

use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use gpusudoku::algo::{Algorithm, AlgorithmState, Info, Settings, Steady, Task};
use gpusudoku::engine::gpu::adapter::AdapterChoice;
use gpusudoku::lab::experiment::{Contender, Experiment, Shard};
use gpusudoku::lab::report::Report;
use gpusudoku::lab::results::{Header, Results};
use gpusudoku::lab::runner::{self, Resources};
use gpusudoku::lab::summary::{Measure, Summary};
use gpusudoku::operators::{BreedRows, Survivor, Variation};
use gpusudoku::plan::Plan;
use gpusudoku::problem::NamedProblem;
use gpusudoku::problem::sudoku::builtin;

struct Climbers;

impl Algorithm for Climbers {
    fn begin(&self, _: &Task<'_>) -> Box<dyn AlgorithmState> {
        let climb = BreedRows {
            column_search: true,
            block_search: true,
            rounds: 1,
            survivor: Survivor::Tournament(2),
            ..BreedRows::IDLE
        };
        Box::new(Steady {
            plan: Plan::from(Variation::BreedRows(climb)),
            operator: "climb",
        })
    }
}

fn build(_: &Settings) -> Box<dyn Algorithm> {
    Box::new(Climbers)
}

/// It has no parameters at all, not even how far propagation goes.
static CLIMBERS: Info = Info {
    name: "climbers",
    title: "hill climbers",
    source: "nowhere",
    pop: 20,
    max_generations: 5,
    params: &[],
    build,
};

#[test]
fn a_contender_of_ones_own_needs_no_parameters() {
    let puzzle = builtin::find("easy-1").unwrap().puzzle();
    let experiment = Experiment {
        contenders: vec![
            Contender::new(&CLIMBERS),
            Contender::parse("lsga", Some(20)).unwrap(),
        ],
        problems: vec![NamedProblem {
            name: "easy-1".to_owned(),
            problem: puzzle.clone().into(),
        }],
        runs: 2,
        seed: 1,
        max_evaluations: None,
        time_limit: None,
    };
    let resources = Resources {
        jobs: 2,
        threads: 1,
        adapter: AdapterChoice::Best,
    };
    let mut runs = Vec::new();
    let cases = experiment.cases(Shard::WHOLE);
    let stop = AtomicBool::new(false);
    let ran = runner::run(&experiment, &cases, &resources, &stop, |case, line| {
        runs.push((case, line));
        ControlFlow::Continue(())
    });
    ran.unwrap();
    assert_eq!(runs.len(), 4);
    let results = Results::new(Header::new(experiment.design(), Shard::WHOLE), runs);
    let of_climbers = results.runs.iter().filter(|(case, _)| case.contender == 0);
    for (_, line) in of_climbers {
        assert_eq!(
            (&*line.result.algo, line.result.propagated),
            ("climbers", 0)
        );
        assert!(line.result.params.is_empty());
    }
    let summary = Summary::new(&results, Measure::Evaluations);
    let report = Report {
        results: &results,
        summary: &summary,
        bench: None,
    };
    assert!(report.page().contains("climbers"));
}
