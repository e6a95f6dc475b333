//! Every kernel for blocks and cells equals the model of grids, bit for bit.

use gpusudoku::operators::Variation;
use proptest::prelude::*;

use crate::common::*;
use crate::reference::grids::GridModel;
use crate::support::grid_runs::*;
use crate::support::strategies::*;
use crate::support::*;

/// Compares so many generations; islands stop at the end of every epoch.
pub fn compare_with_model(case: &GridRun, generations: u32) {
    let mut engine = engine_of(&case.puzzle, case.representation, case.pop, case.seed, 2);
    let mut record = begin(&mut engine, &case.start);
    let mut model = GridModel::new(case);
    let mut expected = model.survey();
    loop {
        let what = format!(
            "{}, generation {}",
            case.puzzle.geometry(),
            model.generation
        );
        assert_grids(
            &population(&mut engine),
            &model.individuals,
            &model.fitness,
            &what,
        );
        assert_eq!(record, expected, "{what}");
        if record.solved() || model.generation == generations {
            break;
        }
        let wanted = case.plan.stride().min(generations - model.generation);
        let records = pollster::block_on(engine.advance(&case.plan, wanted)).unwrap();
        assert_eq!(records.len(), 1, "{what}: a record for what runs together");
        record = records[0];
        expected = model.step(&case.plan, wanted);
    }
}

proptest! {
    #![proptest_config(config(1200))]

    /// The fast code against the slow and obvious code, bit for bit, for every kernel.
    #[test]
    fn any_case_equals_the_slow_model(case in grid_runs(10)) {
        compare_with_model(&case, 2 * case.plan.stride().max(2) + 1);
    }
}

/// Every algorithm as published, on every common size.
#[test]
fn algorithms_equal_the_slow_model() {
    use gpusudoku::algo::{ALL, Task};
    use gpusudoku::problem::sudoku::propagate::Level;
    use gpusudoku::problem::{Instance, Reduction};
    for info in ALL {
        for (geometry, givens, pop) in [
            (sudoku(2, 2), 0.1, 8),
            (sudoku(2, 3), 0.3, 13),
            (sudoku(3, 3), 0.3, 20),
            (sudoku(4, 3), 0.3, 9),
            (sudoku(4, 4), 0.4, 6),
            (sudoku(5, 5), 0.5, 4),
            (latin(7), 0.2, 9),
            (latin(34), 0.6, 3),
        ] {
            let puzzle = puzzle(geometry, givens, 70);
            let instance = Instance::from(Reduction::new(&puzzle, Level::None).unwrap());
            let task = Task {
                instance: &instance,
                pop,
                seed: 71,
            };
            let mut settings = gpusudoku::algo::Settings::new(info);
            for (key, value) in [("improvisations", "0"), ("epoch", "4"), ("island", "3")] {
                if info.params.iter().any(|param| param.key == key) {
                    settings.set(key, value).unwrap();
                }
            }
            let algorithm = settings.build();
            let state = algorithm.begin(&task);
            let plan = state.stage().plan;
            // Rows, permutations and colourings have models of their own.
            if matches!(
                plan.vary,
                Variation::BreedRows(_)
                    | Variation::Recombine(_)
                    | Variation::ParticleSwarm(_)
                    | Variation::GravitationalSearch(_)
                    | Variation::Anneal(_)
                    | Variation::MinConflicts(_)
                    | Variation::Tabu(_)
                    | Variation::Packing(_)
            ) {
                continue;
            }
            let case = GridRun {
                representation: algorithm.representation(&instance).unwrap(),
                start: state.start(),
                plan,
                pop,
                seed: 71,
                puzzle: puzzle.clone(),
            };
            compare_with_model(&case, 9);
        }
    }
}
