//! What any plan that breeds rows leaves true, whatever the puzzle, the threads and the batches.

use gpusudoku::operators::{BreedRows, Variation};
use gpusudoku::population::Record;
use proptest::prelude::*;

use crate::common::*;
use crate::support::strategies::*;
use crate::support::*;

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn any_plan_keeps_rows_givens_and_counts(
        puzzle in puzzles(),
        plan in plans(),
        pop in 1usize..24,
        seed: u64,
        threads in 1usize..4,
    ) {
        let mut engine = engine(&puzzle, pop, seed, threads);
        let first = initialise(&mut engine);
        let mut last = population(&mut engine);
        check_rows(&puzzle, &last)?;
        prop_assert_eq!(first, survey(&Record::default(), &last));
        for generation in 1..=3 {
            let records = advance(&mut engine, &plan, 1, 1);
            if records.is_empty() {
                break;
            }
            let next = population(&mut engine);
            check_rows(&puzzle, &next)?;
            // Learning comes after the survey, unless there is a solution; it may make one.
            let by_learning = records[0].best_at == records[0].worst_at;
            if plan.learn.is_none() || (records[0].solved() && !by_learning) {
                prop_assert_eq!(records[0], survey(&records[0], &next));
            }
            prop_assert_eq!(records[0].generation, generation);
            if let Variation::BreedRows(BreedRows { rounds: 0, .. }) = plan.vary {
                prop_assert_eq!(records[0].swaps(), 0);
            }
            let Variation::BreedRows(breed) = &plan.vary else {
                unreachable!("these plans breed")
            };
            if breed.survivor.contest().0 >= 2 && plan.learn.is_none() {
                for (old, new) in last.fitness().iter().zip(next.fitness()) {
                    prop_assert!(new <= old, "a tournament made it worse");
                }
            }
            pollster::block_on(engine.evaluate()).unwrap();
            prop_assert!(population(&mut engine) == next, "evaluation changed something");
            last = next;
        }
    }

    /// Threads, and the batches in which generations come, decide nothing.
    #[test]
    fn threads_and_batches_change_nothing(
        puzzle in puzzles(),
        plan in plans(),
        pop in 1usize..70,
        seed: u64,
    ) {
        let outcome = |threads, batch| {
            let mut engine = engine(&puzzle, pop, seed, threads);
            let first = initialise(&mut engine);
            let records = advance(&mut engine, &plan, 7, batch);
            (first, records, population(&mut engine))
        };
        let expected = outcome(1, 7);
        for (threads, batch) in [(2, 3), (5, 1)] {
            prop_assert!(
                outcome(threads, batch) == expected,
                "{threads} threads, batches of {batch}"
            );
        }
    }
}
