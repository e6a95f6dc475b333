//! What holds of any packing search, whatever the puzzle and the plan.

use super::*;

proptest! {
    #![proptest_config(config(100))]

    /// The fast code against the slow and obvious code, bit for bit.
    #[test]
    fn any_packing_search_equals_the_slow_model(case in packing_runs(500)) {
        compare_with_model(&case, 3);
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn any_packing_search_keeps_its_promises(case in packing_runs(4000)) {
        let mut engine = case.engine();
        let mut last = begin(&mut engine, &Start::Fresh);
        for generation in 1..=3 {
            let plan = case.plan();
            let records = pollster::block_on(engine.advance(&plan, 1)).unwrap();
            prop_assert_eq!(records.is_empty(), last.solved(), "who is solved stops, and only they");
            let Some(&record) = records.first() else { break };
            prop_assert_eq!((records.len(), record.generation), (1, generation));
            let next = population(&mut engine);
            check_packings(&case.reduction, &next)?;
            prop_assert_eq!(record, survey(&record, &next));
            let most = case.pop as u64 * 2 * u64::from(case.packing.draws);
            prop_assert!(record.swaps() <= most);
            prop_assert!(record.solved() || record.swaps() == most);
            prop_assert_eq!(plan.evaluations(case.pop, 1, &records), record.swaps());
            pollster::block_on(engine.evaluate()).unwrap();
            prop_assert!(population(&mut engine) == next, "evaluation changed something");
            last = record;
        }
    }

    /// Neither decide threads anything, nor the batches in which generations come.
    #[test]
    fn threads_and_batches_change_nothing_for_packings(case in packing_runs(3000)) {
        let outcome = |threads, batch| {
            let mut engine = case.engine_with(threads);
            let first = begin(&mut engine, &Start::Fresh);
            let records = advance_to(&mut engine, &case.plan(), 4, batch);
            let evaluations = case.plan().evaluations(case.pop, 4, &records);
            let steps: u64 = records.iter().map(Record::swaps).sum();
            assert_eq!(evaluations, steps);
            (first, records, population(&mut engine))
        };
        let expected = outcome(1, 9);
        for (threads, batch) in [(3, 2), (2, 1)] {
            prop_assert!(
                outcome(threads, batch) == expected,
                "{threads} threads, batches of {batch}"
            );
        }
    }

    /// A search goes on from whatever it is given, with conflicts and with holes, and its fitness is not trusted.
    #[test]
    fn a_packing_search_goes_on_from_any_population(
        case in packing_runs(400),
        holes in prop_oneof![Just(0u32), Just(100), 0u32..=100],
        seed: u64,
    ) {
        let foreign = foreign_of(&case.reduction, case.pop, holes, seed);
        if begin(&mut case.engine(), &Start::Fresh).solved() {
            return Ok(());
        }
        let (mut engine, mut model) = case.begun_with(&foreign);
        let (record, after) = next_of(&mut engine, &case.plan());
        model.pack(&case.packing);
        assert_equal(&mut engine, &record, &model);
        check_packings(&case.reduction, &after)?;
    }

    /// Evaluation counts conflicts and holes anew, whatever was there.
    #[test]
    fn holes_and_conflicts_are_counted(
        reduction in reductions(),
        pop in 1usize..=12,
        holes in prop_oneof![Just(0u32), Just(100), 0u32..=100],
        seed: u64,
    ) {
        let case = PackingRun { reduction, packing: SHORT, pop, seed, threads: 2 };
        let foreign = foreign_of(&case.reduction, pop, holes, seed);
        let (mut engine, model) = case.begun_with(&foreign);
        pollster::block_on(engine.evaluate()).unwrap();
        let counted = population(&mut engine);
        assert_grids(&counted, &foreign, &model.fitness, "evaluated");
        let recount = FitnessRecount::new(case.geometry());
        for (grid, &fitness) in foreign.iter().zip(counted.fitness()) {
            prop_assert_eq!(fitness, recount.fitness(Objective::ConflictsAndHoles, grid));
        }
    }

    /// A tabu search fills holes before its first move.
    #[test]
    fn tabu_searches_fill_the_holes_of_packings(
        case in packing_runs(200),
        tabu in tabus(),
        holes in prop_oneof![Just(100u32), 1u32..=100],
        seed: u64,
    ) {
        let tabu = Tabu { moves: tabu.moves.min(20), ..tabu };
        if begin(&mut case.engine(), &Start::Fresh).solved() {
            return Ok(());
        }
        let (mut engine, mut model) = case.begun_with(&foreign_of(&case.reduction, case.pop, holes, seed));
        let (record, after) = next_of(&mut engine, &Plan::from(Variation::Tabu(tabu)));
        model.step(&tabu);
        assert_equal(&mut engine, &record, &model);
        prop_assert!(!has_holes(&grids(&after)));
    }

    /// Nothing of one search is left when another begins, be it of another kind or from another start.
    #[test]
    fn packings_and_tabu_searches_take_turns(
        case in packing_runs(100),
        other in packings(),
        tabu in tabus(),
    ) {
        let other = Packing { draws: other.draws.min(20), ..other };
        let tabu = Tabu { moves: tabu.moves.min(20), ..tabu };
        let (mut engine, mut model) = (case.engine(), case.model());
        let mut record = begin(&mut engine, &Start::Fresh);
        for turn in [0, 1, 0, 2, 1, 3, 0, 1, 2, 0] {
            if record.solved() {
                break;
            }
            let next = match turn {
                0 => {
                    model.pack(&case.packing);
                    case.plan()
                }
                1 => {
                    model.step(&tabu);
                    Plan::from(Variation::Tabu(tabu))
                }
                2 => {
                    model.pack(&other);
                    plan(other)
                }
                _ => {
                    model.renew();
                    Plan::from(Variation::Renew(Start::Fresh))
                }
            };
            record = next_of(&mut engine, &next).0;
            assert_equal(&mut engine, &record, &model);
        }
    }

    /// What a kernel computes in 32 bits is what the rule says, also for the highest rates.
    #[test]
    fn packing_rates_do_not_overflow(packing in packings(), generation: u32, individual: u32) {
        let rate = cooled(packing.rates, packing.period, generation, individual);
        let slow = temperature(packing.rates, packing.period, generation, individual as usize);
        prop_assert_eq!(u64::from(rate), slow);
        let [least, most] = packing.rates;
        prop_assert!((least..=most).contains(&rate));
    }

    /// What no kernel could work on is refused, and what was there stays.
    #[test]
    fn strangers_among_packings_are_refused(reduction in reductions(), seed: u64, digit: u8) {
        let case = PackingRun { reduction, packing: SHORT, pop: 4, seed, threads: 1 };
        let (cells, givens) = (case.geometry().cells(), case.reduction.puzzle().givens().cells());
        let mut rng = Stream::new(seed, 8);
        let cell = rng.random_range(0..cells);
        let who = rng.random_range(0..4);
        let mut foreign = foreign_of(&case.reduction, 4, 30, seed);
        let (mut engine, _) = case.begun_with(&foreign);
        let before = population(&mut engine);
        for digit in [digit, HOLE, HOLE - 1, 127, 128, case.geometry().size() as u8] {
            let mut changed = foreign[who].clone();
            changed[cell] = digit;
            std::mem::swap(&mut foreign[who], &mut changed);
            let result = engine.load(&population_of(case.geometry(), &foreign, 1));
            std::mem::swap(&mut foreign[who], &mut changed);
            let candidate = digit < 128 && case.reduction.candidates()[cell] >> digit & 1 == 1;
            if candidate || digit == HOLE && givens[cell] == 0 {
                prop_assert!(result.is_ok());
                engine.load(&before).unwrap();
            } else {
                let refused = matches!(
                    result,
                    Err(Error::NotOfTheEncoding { individual, .. }) if individual == who
                );
                prop_assert!(refused, "{} in cell {}", digit, cell);
                prop_assert!(population(&mut engine) == before);
            }
        }
    }
}
