//! Stages of algorithms, run by hand as the controller does: whatever the batches, the same
//! generations follow each other.

use gpusudoku::algo::{self, Feedback, Settings, Task};
use gpusudoku::observation::Observed;
use gpusudoku::operators::Variation;
use gpusudoku::population::{Population, Record};
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{Instance, Puzzle, Reduction};

use super::{RunTrace, settings};
use crate::common::*;
use crate::support::*;

/// A run to this generation, in batches of at most so many strides: the operator and the record of
/// every step, and the last population.
fn run(
    settings: &Settings,
    puzzle: &Puzzle,
    pop: usize,
    last: u32,
    batch: u32,
) -> (Vec<(&'static str, Record)>, Population) {
    let instance = Instance::from(Reduction::new(puzzle, Level::None).unwrap());
    let representation = settings.build().representation(&instance).unwrap();
    let engine = engine_of(puzzle, representation, pop, 151, 1);
    let task = Task {
        instance: &instance,
        pop,
        seed: 151,
    };
    let trace = RunTrace::new(settings, &task, engine, last, batch);
    let steps = trace.steps.iter().map(|step| (step.operator, step.record));
    (steps.collect(), trace.last().clone())
}

#[test]
fn no_algorithm_depends_on_where_news_are_cut() {
    for info in algo::ALL {
        let mut settings = Settings::new(info);
        for (key, value) in [
            ("improvisations", "40"),
            ("epoch", "5"),
            ("island", "4"),
            ("patience", "3"),
            ("interval", "4"),
        ] {
            if info.params.iter().any(|param| param.key == key) {
                settings.set(key, value).unwrap();
            }
        }
        for (geometry, givens) in [(sudoku(3, 3), 0.3), (latin(8), 0.2)] {
            let puzzle = puzzle(geometry, givens, 150);
            let expected = run(&settings, &puzzle, 12, 33, 1000);
            for batch in [1, 2, 7] {
                let cut = run(&settings, &puzzle, 12, 33, batch);
                assert!(
                    cut == expected,
                    "{}, {geometry}, batches of {batch}",
                    info.name
                );
            }
        }
    }
}

/// MaxImp improvisations, then pollination for good, whatever the batches; the last batch of
/// improvisations is a whole one.
#[test]
fn fpchs_pollinates_after_its_improvisations() {
    let puzzle = puzzle(sudoku(3, 3), 0.2, 152);
    for (improvisations, size, generations) in [
        ("0", "all", 0),
        ("1", "all", 1),
        ("10", "all", 1),
        ("11", "all", 2),
        ("35", "all", 4),
        ("7", "1", 7),
        ("7", "3", 3),
    ] {
        let settings = settings(
            "fpchs",
            &[("improvisations", improvisations), ("batch", size)],
        );
        let expected = run(&settings, &puzzle, 10, 12, 1000);
        let operators: Vec<&str> = expected.0.iter().map(|(operator, _)| *operator).collect();
        assert_eq!(operators.len(), 13, "solved too soon");
        for (generation, operator) in operators.into_iter().enumerate() {
            let what = format!("{improvisations} by {size}, generation {generation}");
            let expected = match generation {
                0 => "initialise",
                g if g <= generations => "improvise",
                _ => "pollinate",
            };
            assert_eq!(operator, expected, "{what}");
        }
        for batch in [1, 2, 3, 5] {
            let cut = run(&settings, &puzzle, 10, 12, batch);
            assert!(
                cut == expected,
                "{improvisations} by {size}, batches of {batch}"
            );
        }
    }
}

/// A stage of the harmony search is no longer than what is left of it, also after a batch that ended
/// in its middle.
#[test]
fn fpchs_stages_end_where_the_phase_does() {
    let puzzle = puzzle(sudoku(2, 3), 0.2, 153);
    let instance = Instance::from(Reduction::new(&puzzle, Level::None).unwrap());
    let settings = settings("fpchs", &[("improvisations", "25"), ("batch", "4")]);
    let mut state = settings.build().begin(&Task {
        instance: &instance,
        pop: 5,
        seed: 1,
    });
    let mut generation = 0;
    let mut tell = |count: u32| {
        let records: Vec<Record> = (generation..generation + count)
            .map(|generation| Record {
                generation,
                ..Record::default()
            })
            .collect();
        generation += count;
        state.observe(&Feedback {
            records: &records,
            observed: &Observed::Records,
        });
        let stage = state.stage();
        let improvises = matches!(stage.plan.vary, Variation::Improvise(_));
        (improvises, stage.generations)
    };
    // 25 improvisations are 7 batches of 4.
    assert_eq!(tell(1), (true, 7), "generation 0 improvises nothing");
    assert_eq!(tell(3), (true, 4));
    assert_eq!(tell(1), (true, 3));
    assert_eq!(tell(3), (false, u32::MAX));
    assert_eq!(tell(9), (false, u32::MAX));
}
