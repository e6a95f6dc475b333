//! Tabu searches that recolour cells: they equal their model to the bit, and keep their promises.

use gpusudoku::engine::{Backend, Engine};
use gpusudoku::operators::cooling::cooled;
use gpusudoku::operators::{Start, Tabu, Variation};
use gpusudoku::plan::{Objective, Plan, Representation};
use gpusudoku::population::{Population, Record};
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{Geometry, Grid, Instance, Puzzle, Reduction};
use gpusudoku::rng::Stream;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use rand::RngExt;

use crate::common::*;
use crate::reference::colouring::*;
use crate::support::strategies::config;
use crate::support::*;

const SHORT: Tabu = Tabu {
    moves: 60,
    factors: [20, 200],
    period: 3,
    random: 4,
};

/// A run of one plan.
#[derive(Debug, Clone)]
struct ColouringRun {
    reduction: Reduction,
    tabu: Tabu,
    pop: usize,
    seed: u64,
    threads: usize,
}

impl ColouringRun {
    fn plan(&self) -> Plan {
        Plan::from(Variation::Tabu(self.tabu))
    }

    fn engine_with(&self, seed: u64, threads: usize) -> Engine {
        let instance = Instance::from(self.reduction.clone());
        let backend = Backend::Cpu { threads };
        try_engine_on(
            &backend,
            &instance,
            Representation::COLOURING,
            self.pop,
            seed,
        )
        .unwrap()
    }

    fn engine(&self) -> Engine {
        self.engine_with(self.seed, self.threads)
    }

    fn model(&self) -> ColouringModel<'_> {
        ColouringModel::new(&self.reduction, self.pop, self.seed)
    }
}

/// What is left of a puzzle, or without conclusions where there are contradictions.
pub fn reduced(puzzle: &Puzzle, level: Level) -> Reduction {
    let reduction = Reduction::new(puzzle, level);
    reduction.unwrap_or_else(|_| Reduction::new(puzzle, Level::None).unwrap())
}

/// A case that is the same every time.
fn fixed(geometry: Geometry, givens: f64, level: Level, tabu: Tabu, pop: usize) -> ColouringRun {
    ColouringRun {
        reduction: reduced(&puzzle(geometry, givens, 170), level),
        tabu,
        pop,
        seed: 171,
        threads: 2,
    }
}

/// The puzzle with some givens of other digits, as long as they are no contradiction at first sight.
pub fn spoilt(puzzle: Puzzle, wrong: usize, seed: u64) -> Puzzle {
    let geometry = puzzle.geometry();
    let mut rng = Stream::new(seed, 5);
    let mut spoilt = puzzle;
    for _ in 0..wrong {
        let mut cells = spoilt.givens().cells().to_vec();
        let given: Vec<usize> = (0..cells.len()).filter(|&cell| cells[cell] != 0).collect();
        if given.is_empty() {
            break;
        }
        let cell = given[rng.random_range(0..given.len())];
        cells[cell] = rng.random_range(1..=geometry.size() as u8);
        let other = Puzzle::new(Grid::new(geometry, cells).unwrap());
        let known = |other: &Puzzle| Reduction::new(other, Level::None).is_ok();
        spoilt = other.ok().filter(known).unwrap_or(spoilt);
    }
    spoilt
}

pub fn tabus() -> impl Strategy<Value = Tabu> {
    let moves = prop_oneof![1u32..=5, 1u32..=60, 100u32..=200];
    let factors = prop_oneof![
        Just([0, 0]),
        Just([0, 4000]),
        Just([1, 2]),
        Just([Tabu::LONGEST; 2]),
        [0u32..300, 0u32..300],
        [0u32..=Tabu::LONGEST, 0u32..=Tabu::LONGEST],
    ];
    let period = prop_oneof![Just(1u32), 2u32..6, 1u32..=4095, Just(4095)];
    let random = prop_oneof![Just(1u32), 2u32..12, 2u32..100, Just(Tabu::LONGEST)];
    (moves, factors, period, random).prop_map(|(moves, mut factors, period, random)| {
        factors.sort_unstable();
        Tabu {
            moves,
            factors,
            period,
            random,
        }
    })
}

/// Any puzzle, and some without a solution.
pub fn reductions() -> impl Strategy<Value = Reduction> {
    let known = [unsolvable(), stuck(), soon_stuck()].map(|puzzle| reduced(&puzzle, Level::None));
    prop_oneof![
        12 => random_reductions(),
        1 => prop::sample::select(known.to_vec()),
    ]
}

prop_compose! {
    /// From blank grids to nearly full ones, with wrong givens or without.
    fn random_reductions()(
        geometry in prop_oneof![
            2 => Just(sudoku(2, 2)),
            2 => Just(sudoku(2, 3)),
            1 => Just(sudoku(3, 2)),
            4 => Just(sudoku(3, 3)),
            1 => Just(sudoku(4, 4)),
            1 => Just(sudoku(2, 8)),
            1 => (2usize..=9).prop_map(latin),
        ],
        givens in prop_oneof![1 => Just(0.0), 4 => 0.1..=0.9],
        wrong in prop_oneof![Just(0usize), 1usize..=6],
        level in prop_oneof![2 => Just(Level::None), 1 => Just(Level::Singles), 1 => Just(Level::Probing)],
        seed: u64,
    ) -> Reduction {
        let level = if geometry.size() > 9 && givens < 0.2 { Level::None } else { level };
        reduced(&spoilt(puzzle(geometry, givens, seed), wrong, seed), level)
    }
}

prop_compose! {
    /// So much to do at the most: moves of everybody.
    fn colouring_runs(work: u32)(
        reduction in reductions(),
        tabu in tabus(),
        pop in 1usize..=20,
        seed: u64,
        threads in prop_oneof![Just(1usize), Just(3)],
    ) -> ColouringRun {
        // A move on a large grid takes the model as long as many on a small one.
        let work = if reduction.puzzle().geometry().size() > 9 { work / 8 } else { work };
        let pop = pop.min((work / tabu.moves).max(1) as usize);
        ColouringRun { reduction, tabu, pop, seed, threads }
    }
}

/// Compares so many generations, or all to the first solved one.
fn compare_with_model(case: &ColouringRun, generations: u32) -> RulesMet {
    let (mut engine, mut model) = (case.engine(), case.model());
    let mut record = begin(&mut engine, &Start::Fresh);
    loop {
        assert_equal(&mut engine, &record, &model);
        if record.solved() || model.generation == generations {
            return model.met;
        }
        record = next_of(&mut engine, &case.plan()).0;
        model.step(&case.tabu);
    }
}

/// The engine has the population and the record of the model.
pub fn assert_equal(engine: &mut Engine, record: &Record, model: &ColouringModel<'_>) {
    let what = format!("generation {}", model.generation);
    assert_grids(
        &population(engine),
        &model.individuals,
        &model.fitness,
        &what,
    );
    assert_eq!(record.swaps(), model.moves, "{what}: moves or steps");
    assert_eq!(*record, model.survey(), "{what}");
}

/// Givens stand, cells hold candidates, fitness is what a recount says, padding is zero.
fn check_colourings(reduction: &Reduction, population: &Population) -> Result<(), TestCaseError> {
    let recount = FitnessRecount::new(reduction.puzzle().geometry());
    let givens = reduction.puzzle().givens().cells();
    for (individual, &fitness) in population.fitness().iter().enumerate() {
        let cells = population.cells(individual);
        for (cell, &digit) in cells.iter().enumerate() {
            let list = reduction.candidates()[cell];
            prop_assert!(list >> digit & 1 == 1, "{digit} is not for cell {cell}");
            prop_assert!(givens[cell] == 0 || givens[cell] == digit + 1);
        }
        prop_assert_eq!(
            fitness,
            recount.fitness(Objective::ConflictsAndHoles, cells)
        );
    }
    check_padding(population)
}

proptest! {
    #![proptest_config(config(250))]

    /// The fast code against the slow and obvious code, bit for bit.
    #[test]
    fn any_search_equals_the_slow_model(case in colouring_runs(500)) {
        compare_with_model(&case, 3);
    }
}

proptest! {
    #![proptest_config(config(100))]

    #[test]
    fn any_search_keeps_its_promises(case in colouring_runs(4000)) {
        let mut engine = case.engine();
        let first = begin(&mut engine, &Start::Fresh);
        let begun = population(&mut engine);
        check_colourings(&case.reduction, &begun)?;
        prop_assert_eq!(first, survey(&Record::default(), &begun));
        let mut last = first;
        for generation in 1..=3 {
            let plan = case.plan();
            let records = pollster::block_on(engine.advance(&plan, 1)).unwrap();
            prop_assert_eq!(records.is_empty(), last.solved(), "who is solved stops, and only they");
            let Some(&record) = records.first() else { break };
            prop_assert_eq!((records.len(), record.generation), (1, generation));
            let next = population(&mut engine);
            check_colourings(&case.reduction, &next)?;
            prop_assert_eq!(record, survey(&record, &next));
            let most = case.pop as u64 * u64::from(case.tabu.moves);
            prop_assert!(record.swaps() <= most);
            prop_assert_eq!(plan.evaluations(case.pop, 1, &records), record.swaps());
            pollster::block_on(engine.evaluate()).unwrap();
            prop_assert!(population(&mut engine) == next, "evaluation changed something");
            last = record;
            if record.solved() {
                continue;
            }
            // It counts anew, whatever was there.
            let mut wrong = next.clone();
            wrong.split_mut().2.fill(12_345);
            engine.load(&wrong).unwrap();
            pollster::block_on(engine.evaluate()).unwrap();
            prop_assert!(population(&mut engine) == next, "evaluation trusts what it finds");
        }
    }

    /// Neither decide threads anything, nor the batches in which generations come.
    #[test]
    fn threads_and_batches_change_nothing_for_searches(case in colouring_runs(3000)) {
        let outcome = |threads, batch| {
            let mut engine = case.engine_with(case.seed, threads);
            let first = begin(&mut engine, &Start::Fresh);
            let records = advance_to(&mut engine, &case.plan(), 4, batch);
            let evaluations = case.plan().evaluations(case.pop, 4, &records);
            let moves: u64 = records.iter().map(Record::swaps).sum();
            assert_eq!(evaluations, moves);
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

    /// A search goes on from whatever colouring it is given, and its fitness is not trusted.
    #[test]
    fn a_search_goes_on_from_any_population(case in colouring_runs(400), seed: u64) {
        let foreign = ColouringModel::new(&case.reduction, case.pop, seed).individuals;
        let (mut engine, mut model) = (case.engine(), case.model());
        if begin(&mut engine, &Start::Fresh).solved() {
            return Ok(());
        }
        engine.load(&population_of(case.reduction.puzzle().geometry(), &foreign, 54_321)).unwrap();
        model.individuals = foreign;
        let (record, _) = next_of(&mut engine, &case.plan());
        model.step(&case.tabu);
        assert_equal(&mut engine, &record, &model);
    }

    /// Nothing of one search is left when another begins, be it of another plan or from another start.
    #[test]
    fn plans_for_searches_take_turns(case in colouring_runs(100), other in tabus()) {
        let other = Tabu { moves: other.moves.min(20), ..other };
        let (mut engine, mut model) = (case.engine(), case.model());
        let mut record = begin(&mut engine, &Start::Fresh);
        for turn in 0..5 {
            if record.solved() {
                break;
            }
            if turn == 2 {
                record = next_of(&mut engine, &Plan::from(Variation::Renew(Start::Fresh))).0;
                model.renew();
            } else {
                let tabu = [case.tabu, other][turn % 2];
                record = next_of(&mut engine, &Plan::from(Variation::Tabu(tabu))).0;
                model.step(&tabu);
            }
            assert_equal(&mut engine, &record, &model);
        }
    }

    /// What a kernel computes in 32 bits is what the rule says.
    #[test]
    fn tenures_do_not_overflow(
        tabu in tabus(),
        generation: u32,
        individual: u32,
        troubled in 0u32..=128 * 128,
        word: u32,
    ) {
        let factor = cooled(tabu.factors, tabu.period, generation, individual);
        prop_assert_eq!(u64::from(factor), factor_of(&tabu, generation, individual as usize));
        let [least, most] = tabu.factors;
        prop_assert!((least..=most).contains(&factor));
        prop_assert_eq!(cooled(tabu.factors, tabu.period, 0, 0), most, "a period begins with the most");
        let random = (u64::from(word) * u64::from(tabu.random)) >> 32;
        let tenure = u64::from(factor) * u64::from(troubled) / 256 + random;
        prop_assert_eq!(u64::from(tabu.tenure(factor, troubled, word)), tenure.min(4094));
    }
}

/// Larger grids, blank ones and nearly full ones.
#[test]
fn searches_on_large_grids_equal_the_slow_model() {
    let tabu = |moves, factors, random| Tabu {
        moves,
        factors,
        random,
        ..SHORT
    };
    for (geometry, givens, level, tabu, pop) in [
        (sudoku(5, 5), 0.4, Level::None, tabu(40, [10, 60], 5), 3),
        (
            sudoku(5, 5),
            0.4,
            Level::Singles,
            tabu(150, [100, 200], 10),
            2,
        ),
        (
            sudoku(5, 5),
            0.45,
            Level::Probing,
            tabu(200, [60, 100], 10),
            3,
        ),
        (sudoku(5, 5), 0.0, Level::None, tabu(12, [0, 4094], 1), 1),
        (latin(12), 0.0, Level::None, tabu(60, [0, 20], 3), 3),
        (latin(12), 0.4, Level::Singles, tabu(200, [60, 100], 6), 5),
        (latin(20), 0.3, Level::None, tabu(50, [0, 9], 3), 2),
        (latin(20), 0.42, Level::Probing, tabu(200, [60, 110], 10), 2),
        // More digits than lanes, and more rivals than a byte can count.
        (latin(66), 0.4, Level::None, tabu(8, [0, 9], 3), 1),
        (latin(70), 0.0, Level::None, tabu(4, [0, 9], 3), 1),
        (sudoku(7, 7), 0.4, Level::Singles, tabu(12, [0, 9], 3), 1),
        (sudoku(7, 7), 0.0, Level::None, tabu(4, [0, 9], 3), 1),
        (sudoku(3, 4), 0.3, Level::None, tabu(100, [50, 90], 6), 3),
        (
            sudoku(4, 4),
            0.4,
            Level::Probing,
            tabu(200, [60, 110], 10),
            4,
        ),
    ] {
        let case = fixed(geometry, givens, level, tabu, pop);
        compare_with_model(&case, 2);
    }
}

/// Tabus that end though they are as long as can be, and moves whose numbers go round the ring in which
/// the native engine keeps them.
#[test]
fn long_searches_equal_the_slow_model() {
    let wrong = |seed| spoilt(puzzle(sudoku(3, 3), 0.25, seed), 20, seed);
    let all = [4094, 4094];
    for (puzzle, factors, random, moves) in [
        (unsolvable(), all, 4094, 13_000),
        (unsolvable(), [0, 1], 4094, 9000),
        (wrong(1), all, 4094, 9000),
        (wrong(2), all, 4094, 9000),
        (wrong(3), all, 3900, 9000),
        (wrong(4), [60, 90], 3000, 9000),
        (puzzle(sudoku(4, 4), 0.0, 1), all, 4094, 5000),
    ] {
        let case = ColouringRun {
            reduction: reduced(&puzzle, Level::None),
            tabu: Tabu {
                moves,
                factors,
                period: 1,
                random,
            },
            pop: 1,
            seed: 175,
            threads: 1,
        };
        compare_with_model(&case, 1);
    }
}

/// The comparisons are worth something: every rule of the documentation was needed.
#[test]
fn every_rule_is_met() {
    let easy = reduced(&puzzle(sudoku(3, 3), 0.3, 172), Level::None);
    let tabu = Tabu {
        moves: 200,
        factors: [0, 60],
        period: 2,
        random: 8,
    };
    let cases = [
        (reduced(&unsolvable(), Level::None), tabu),
        (
            reduced(&unsolvable(), Level::None),
            Tabu { random: 40, ..tabu },
        ),
        (easy.clone(), tabu),
        (easy.clone(), Tabu { random: 60, ..tabu }),
        (
            easy,
            Tabu {
                factors: [4000, 4094],
                random: 4000,
                ..tabu
            },
        ),
        (reduced(&stuck(), Level::None), tabu),
    ];
    let mut all = RulesMet::default();
    for (reduction, tabu) in cases {
        let case = ColouringRun {
            reduction,
            tabu,
            pop: 5,
            seed: 173,
            threads: 1,
        };
        let met = compare_with_model(&case, 4);
        all.moves += met.moves;
        all.aspired += met.aspired;
        all.cornered += met.cornered;
        all.stuck += met.stuck;
        all.capped += met.capped;
        all.shortened += met.shortened;
        all.lifted += met.lifted;
        all.vertices_tied += met.vertices_tied;
        all.choices_tied += met.choices_tied;
    }
    for (often, least) in [
        (all.moves, 5000),
        (all.aspired, 10),
        (all.cornered, 10),
        (all.stuck, 5),
        (all.capped, 10),
        (all.shortened, 3),
        (all.lifted, 1000),
        (all.vertices_tied, 1000),
        (all.choices_tied, 100),
    ] {
        assert!(often >= least, "{all:?}");
    }
}

/// Who is in conflict and has no other choice ends a search, and what was not made is not counted.
#[test]
fn who_cannot_move_makes_no_move() {
    let case = ColouringRun {
        reduction: reduced(&stuck(), Level::None),
        tabu: SHORT,
        pop: 7,
        seed: 174,
        threads: 1,
    };
    let mut engine = case.engine();
    begin(&mut engine, &Start::Fresh);
    let before = population(&mut engine);
    let (record, after) = next_of(&mut engine, &case.plan());
    assert!(before == after, "somebody has moved");
    assert_eq!((record.best, record.worst), (4, 4));
    assert_eq!(record.swaps(), 0, "moves that nobody has made");
    assert_eq!(case.plan().evaluations(7, 1, &[record]), 0);
}

/// The same after some moves.
#[test]
fn searches_that_get_stuck_equal_the_slow_model() {
    for seed in 0..10 {
        let case = ColouringRun {
            reduction: reduced(&soon_stuck(), Level::None),
            tabu: Tabu {
                moves: 200,
                ..SHORT
            },
            pop: 4,
            seed,
            threads: 1,
        };
        let met = compare_with_model(&case, 2);
        assert!(met.moves > 0 && met.stuck > 0, "{met:?}");
    }
}

/// Generation 0 or a population that comes from elsewhere may hold a solution already.
#[test]
fn who_is_solved_stays() {
    let full = fixed(sudoku(3, 3), 1.0, Level::None, SHORT, 3);
    let mut engine = full.engine();
    let first = begin(&mut engine, &Start::Fresh);
    assert!(first.solved() && first.worst == 0);
    let more = pollster::block_on(engine.advance(&full.plan(), 5)).unwrap();
    assert!(more.is_empty(), "{more:?}");

    let case = fixed(sudoku(3, 3), 0.3, Level::None, SHORT, 4);
    let (mut engine, mut model) = (case.engine(), case.model());
    begin(&mut engine, &Start::Fresh);
    let digits = solution(sudoku(3, 3), 170).into_iter();
    model.individuals[2] = digits.map(|digit| digit - 1).collect();
    engine
        .load(&population_of(sudoku(3, 3), &model.individuals, 9))
        .unwrap();
    let (record, after) = next_of(&mut engine, &case.plan());
    model.step(&case.tabu);
    assert_equal(&mut engine, &record, &model);
    assert!(record.solved());
    assert_eq!((after.fitness()[2], record.best_at), (0, 2));
    assert_eq!(after.cells(2), model.individuals[2]);
}

/// More moves are the same moves and then others: each changes a cell that is in conflict.
#[test]
fn a_move_recolours_one_cell() {
    let after = |moves| {
        let tabu = Tabu { moves, ..SHORT };
        let case = fixed(sudoku(3, 3), 0.3, Level::Singles, tabu, 6);
        let mut engine = case.engine();
        begin(&mut engine, &Start::Fresh);
        let (record, population) = next_of(&mut engine, &case.plan());
        assert!(record.swaps() <= 6 * u64::from(moves));
        population
    };
    let recount = FitnessRecount::new(sudoku(3, 3));
    let mut last = after(1);
    for moves in 2..40 {
        let next = after(moves);
        for individual in 0..6 {
            let [old, new] = [&last, &next].map(|population| population.cells(individual));
            let changed: Vec<usize> = (0..81).filter(|&cell| old[cell] != new[cell]).collect();
            let solved = last.fitness()[individual] == 0;
            assert_eq!(changed.len(), usize::from(!solved), "move {moves}");
            for cell in changed {
                // A digit that nobody else has is in no conflict.
                let mut without = old.to_vec();
                without[cell] = 9;
                assert!(recount.conflicts(&without) < recount.conflicts(old));
            }
        }
        last = next;
    }
}
