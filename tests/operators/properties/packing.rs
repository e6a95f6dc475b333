//! Searches that keep partial grids: they equal their model to the bit, and keep their promises.

use gpusudoku::engine::{Backend, Engine};
use gpusudoku::error::Error;
use gpusudoku::operators::cooling::cooled;
use gpusudoku::operators::{Packing, Start, Tabu, Variation};
use gpusudoku::plan::{Objective, Plan, Representation};
use gpusudoku::population::{HOLE, Population, Record};
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{Geometry, Grid, Instance, Puzzle, Reduction};
use gpusudoku::rng::Stream;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use rand::RngExt;

use super::colouring::{reduced, reductions, tabus};
use crate::common::*;
use crate::reference::colouring::*;
use crate::reference::packing::*;
use crate::support::strategies::config;
use crate::support::*;

/// Two or three are thrown out now and then.
const WARM: [u32; 2] = [1 << 29, 1 << 31];

const SHORT: Packing = Packing {
    draws: 40,
    rates: WARM,
    period: 3,
};

/// A run of one plan.
#[derive(Debug, Clone)]
struct PackingRun {
    reduction: Reduction,
    packing: Packing,
    pop: usize,
    seed: u64,
    threads: usize,
}

impl PackingRun {
    fn plan(&self) -> Plan {
        plan(self.packing)
    }

    fn geometry(&self) -> Geometry {
        self.reduction.puzzle().geometry()
    }

    fn engine_with(&self, threads: usize) -> Engine {
        let instance = Instance::from(self.reduction.clone());
        let (backend, kind) = (Backend::Cpu { threads }, Representation::COLOURING);
        try_engine_on(&backend, &instance, kind, self.pop, self.seed).unwrap()
    }

    fn engine(&self) -> Engine {
        self.engine_with(self.threads)
    }

    fn model(&self) -> ColouringModel<'_> {
        ColouringModel::new(&self.reduction, self.pop, self.seed)
    }

    /// Both, with this population.
    fn begun_with(&self, foreign: &[Vec<u8>]) -> (Engine, ColouringModel<'_>) {
        let (mut engine, mut model) = (self.engine(), self.model());
        begin(&mut engine, &Start::Fresh);
        let loaded = population_of(self.geometry(), foreign, 54_321);
        engine.load(&loaded).unwrap();
        model.individuals = foreign.to_vec();
        model.evaluate();
        (engine, model)
    }
}

fn plan(packing: Packing) -> Plan {
    Plan::from(Variation::Packing(packing))
}

/// A case that is the same every time.
fn fixed(
    geometry: Geometry,
    givens: f64,
    level: Level,
    packing: Packing,
    pop: usize,
) -> PackingRun {
    PackingRun {
        reduction: reduced(&puzzle(geometry, givens, 190), level),
        packing,
        pop,
        seed: 191,
        threads: 2,
    }
}

fn packings() -> impl Strategy<Value = Packing> {
    let draws = prop_oneof![1u32..=5, 6u32..=18, 1u32..=60, 100u32..=200];
    let rates = prop_oneof![
        Just([0, 0]),
        Just([0, u32::MAX]),
        Just([u32::MAX; 2]),
        Just(WARM),
        Just([1, 2]),
        [0u32..1 << 28, 0u32..1 << 28],
        [any::<u32>(), any::<u32>()],
    ];
    let period = prop_oneof![Just(1u32), 2u32..6, 1u32..=4095, Just(4095)];
    (draws, rates, period).prop_map(|(draws, mut rates, period)| {
        rates.sort_unstable();
        Packing {
            draws,
            rates,
            period,
        }
    })
}

prop_compose! {
    /// So much to do at the most: draws of everybody.
    fn packing_runs(work: u32)(
        reduction in reductions(),
        packing in packings(),
        pop in 1usize..=20,
        seed: u64,
        threads in prop_oneof![Just(1usize), Just(3)],
    ) -> PackingRun {
        // A step on a large grid takes the model as long as many on a small one.
        let work = if reduction.puzzle().geometry().size() > 9 { work / 8 } else { work };
        let pop = pop.min((work / packing.draws).max(1) as usize);
        PackingRun { reduction, packing, pop, seed, threads }
    }
}

/// Random candidates with so many holes in 100 cells, whatever is in conflict.
fn foreign_of(reduction: &Reduction, pop: usize, holes: u32, seed: u64) -> Vec<Vec<u8>> {
    let givens = reduction.puzzle().givens().cells();
    let mut foreign = ColouringModel::new(reduction, pop, seed).individuals;
    let mut rng = Stream::new(seed, 7);
    for grid in &mut foreign {
        for (digit, &given) in grid.iter_mut().zip(givens) {
            if given == 0 && rng.random_range(0..100) < holes {
                *digit = HOLE;
            }
        }
    }
    foreign
}

fn has_holes(grids: &[Vec<u8>]) -> bool {
    grids.iter().any(|grid| grid.contains(&HOLE))
}

fn assert_equal(engine: &mut Engine, record: &Record, model: &ColouringModel<'_>) {
    let what = format!("generation {}", model.generation);
    assert_grids(
        &population(engine),
        &model.individuals,
        &model.fitness,
        &what,
    );
    assert_eq!(record.swaps(), model.moves, "{what}: steps");
    assert_eq!(*record, model.survey(), "{what}");
}

/// Compares so many generations, or all to the first solved one.
fn compare_with_model(case: &PackingRun, generations: u32) -> Steps {
    let (mut engine, mut model) = (case.engine(), case.model());
    let mut record = begin(&mut engine, &Start::Fresh);
    loop {
        assert_equal(&mut engine, &record, &model);
        if record.solved() || model.generation == generations {
            return model.steps;
        }
        record = next_of(&mut engine, &case.plan()).0;
        model.pack(&case.packing);
    }
}

/// Givens stand, cells hold candidates or are holes, nothing is in conflict, fitness is what a recount says, padding is
/// zero.
fn check_packings(reduction: &Reduction, population: &Population) -> Result<(), TestCaseError> {
    let recount = FitnessRecount::new(reduction.puzzle().geometry());
    let givens = reduction.puzzle().givens().cells();
    for (individual, &fitness) in population.fitness().iter().enumerate() {
        let cells = population.cells(individual);
        for (cell, &digit) in cells.iter().enumerate() {
            match givens[cell] {
                0 if digit == HOLE => (),
                0 => prop_assert!(reduction.candidates()[cell] >> digit & 1 == 1),
                given => prop_assert_eq!(given, digit + 1, "the given of cell {} moved", cell),
            }
        }
        prop_assert_eq!(recount.conflicts(cells), 0);
        let holes = cells.iter().filter(|&&digit| digit == HOLE).count();
        prop_assert_eq!(fitness, holes as u32);
        prop_assert_eq!(
            fitness,
            recount.fitness(Objective::ConflictsAndHoles, cells)
        );
    }
    check_padding(population)
}

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

/// Larger grids and boxes of all shapes, blank ones and nearly full ones.
#[test]
fn packings_on_large_grids_equal_the_slow_model() {
    let packing = |draws, rates| Packing {
        draws,
        rates,
        ..SHORT
    };
    let cold = [1 << 22, 1 << 24];
    for (geometry, givens, level, packing, pop) in [
        (sudoku(4, 4), 0.4, Level::Probing, packing(700, cold), 4),
        (sudoku(4, 4), 0.0, Level::None, packing(300, WARM), 2),
        (sudoku(2, 8), 0.3, Level::None, packing(300, WARM), 2),
        (sudoku(5, 2), 0.2, Level::Singles, packing(500, cold), 3),
        (sudoku(3, 4), 0.3, Level::None, packing(500, cold), 3),
        (sudoku(5, 5), 0.4, Level::Singles, packing(500, cold), 2),
        (sudoku(5, 5), 0.45, Level::Probing, packing(400, cold), 2),
        (sudoku(5, 5), 0.0, Level::None, packing(60, WARM), 1),
        (sudoku(5, 6), 0.6, Level::None, packing(100, WARM), 1),
        (sudoku(7, 7), 0.8, Level::None, packing(100, WARM), 1),
        (sudoku(8, 8), 0.9, Level::None, packing(50, WARM), 1),
        (latin(12), 0.0, Level::None, packing(300, WARM), 3),
        (latin(12), 0.4, Level::Singles, packing(500, cold), 3),
        (latin(20), 0.42, Level::Probing, packing(500, cold), 2),
        (latin(33), 0.5, Level::None, packing(80, WARM), 1),
        (latin(66), 0.9, Level::None, packing(50, WARM), 1),
        (latin(70), 0.95, Level::None, packing(50, WARM), 1),
    ] {
        let case = fixed(geometry, givens, level, packing, pop);
        compare_with_model(&case, 2);
    }
}

/// Periods that double, up to the longest and beyond.
#[test]
fn packings_cool_as_the_slow_model() {
    let packing = Packing {
        draws: 6,
        rates: [0, u32::MAX],
        period: 1,
    };
    for (case, generations) in [
        (fixed(sudoku(3, 3), 0.0, Level::None, packing, 3), 70),
        (
            PackingRun {
                reduction: reduced(&unsolvable(), Level::None),
                packing: Packing {
                    period: 2,
                    ..packing
                },
                pop: 3,
                seed: 192,
                threads: 1,
            },
            110,
        ),
    ] {
        let steps = compare_with_model(&case, generations);
        let last = steps.0.last().unwrap();
        assert_eq!(last.generation, generations, "solved too soon");
    }
}

/// The comparisons are worth something: every rule of the documentation was needed.
#[test]
fn every_rule_of_packings_is_met() {
    let case = |puzzle: &Puzzle, level, draws, rates| PackingRun {
        reduction: reduced(puzzle, level),
        packing: Packing {
            draws,
            rates,
            period: 2,
        },
        pop: 12,
        seed: 193,
        threads: 1,
    };
    let hot = [1 << 31, u32::MAX];
    let cases = [
        case(&unsolvable(), Level::None, 200, WARM),
        case(&unsolvable(), Level::None, 200, hot),
        case(&puzzle(sudoku(2, 2), 0.2, 1), Level::None, 100, WARM),
        case(&puzzle(sudoku(2, 3), 0.3, 2), Level::None, 300, WARM),
        case(&puzzle(sudoku(3, 3), 0.3, 3), Level::None, 200, WARM),
        case(&puzzle(sudoku(3, 3), 0.0, 4), Level::None, 100, hot),
        case(&puzzle(latin(6), 0.3, 5), Level::None, 200, WARM),
    ];
    let mut all = Steps::default();
    for case in &cases {
        let steps = compare_with_model(case, 4);
        assert!(
            case.geometry().boxes().is_some() || steps.count(|step| step.owners == 3) == 0,
            "a Latin square has three kinds of elements"
        );
        all.0.extend(steps.0);
    }
    let owners = |owners, taken| all.count(|step| step.owners == owners && step.taken == taken);
    let one = |which: fn(&Step) -> bool| all.count(|step| step.owners == 1 && which(step));
    let met = [
        ("nobody", owners(0, true), 1000),
        ("one", owners(1, true), 1000),
        ("two, and out", owners(2, true), 1000),
        ("two, and stay", owners(2, false), 1000),
        ("three, and out", owners(3, true), 300),
        ("three, and stay", owners(3, false), 300),
        ("a cell", all.count(|step| step.chose_a_cell), 1000),
        ("a digit", all.count(|step| !step.chose_a_cell), 1000),
        ("another digit", one(|step| step.recoloured), 1000),
        ("another cell", one(|step| !step.recoloured), 1000),
        ("one shared", one(|step| step.shared == 1), 1000),
        ("two shared", one(|step| step.shared == 2), 300),
        (
            "solved first",
            all.count(|step| step.solved && step.first),
            3,
        ),
        (
            "solved second",
            all.count(|step| step.solved && !step.first),
            3,
        ),
    ];
    for (rule, often, least) in met {
        assert!(often >= least, "{rule}: {met:?}");
    }
    assert_eq!(owners(0, false) + owners(1, false), 0, "that costs nothing");
}

/// A chance is below a rate or it is not, to the last bit: of two that are thrown out, and of three.
#[test]
fn rates_of_packings_are_exact() {
    let case = fixed(sudoku(3, 3), 0.2, Level::None, SHORT, 60);
    let run = |packing: &Packing| {
        let mut model = case.model();
        model.pack(packing);
        (model.steps, model.individuals)
    };
    let constant = |rate| Packing {
        rates: [rate; 2],
        ..SHORT
    };
    // What comes before the first that would throw out more than one does not depend on rates.
    let (steps, _) = run(&constant(0));
    let mut tried = [0; 4];
    for individual in 0..60 {
        let mut mine = steps.0.iter().filter(|step| step.individual == individual);
        let Some(step) = mine.find(|step| step.owners > 1) else {
            continue;
        };
        let chance = u64::from(step.chance);
        // The greatest rate with which it does not happen.
        let rate = match step.owners {
            2 => chance,
            _ => ((chance + 1) << 32).isqrt(),
        };
        let square = |rate: u64| (rate * rate) >> 32;
        let exact = step.owners == 2 || square(rate) == chance && square(rate + 1) == chance + 1;
        if !exact || rate + 1 > u64::from(u32::MAX) || tried[step.owners] == 4 {
            continue;
        }
        tried[step.owners] += 1;
        for (rate, taken) in [(rate, false), (rate + 1, true)] {
            let packing = Packing {
                draws: step.draw,
                ..constant(rate as u32)
            };
            let (steps, individuals) = run(&packing);
            let mut mine = steps.0.iter().filter(|step| step.individual == individual);
            assert_eq!(mine.find(|step| step.owners > 1).unwrap().taken, taken);
            let mut engine = case.engine();
            begin(&mut engine, &Start::Fresh);
            let (_, after) = next_of(&mut engine, &plan(packing));
            assert_eq!(
                grids(&after),
                individuals,
                "{} owners, {packing:?}",
                step.owners
            );
        }
    }
    assert!(tried[2] > 1 && tried[3] > 1, "{tried:?}");
}

/// With rates of zero there are never more holes than before, and nothing comes of what throws out two.
#[test]
fn cold_packings_only_get_better() {
    let packing = Packing {
        draws: 10,
        rates: [0, 0],
        ..SHORT
    };
    for geometry in [sudoku(3, 3), sudoku(2, 3), latin(8)] {
        let case = fixed(geometry, 0.2, Level::None, packing, 8);
        let mut engine = case.engine();
        begin(&mut engine, &Start::Fresh);
        let (mut record, mut last) = next_of(&mut engine, &case.plan());
        for _ in 0..20 {
            if record.solved() {
                break;
            }
            let next = next_of(&mut engine, &case.plan());
            let fitness = last.fitness().iter().zip(next.1.fitness());
            assert!({ fitness }.all(|(old, new)| new <= old));
            (record, last) = next;
        }
    }
}

/// A step takes in one candidate and throws out three at the most, or does nothing.
#[test]
fn a_draw_of_packings_is_two_steps() {
    let case = |draws| {
        let packing = Packing { draws, ..SHORT };
        fixed(sudoku(3, 3), 0.3, Level::Singles, packing, 6)
    };
    let after = |draws| {
        let case = case(draws);
        let mut engine = case.engine();
        begin(&mut engine, &Start::Fresh);
        let (record, population) = next_of(&mut engine, &case.plan());
        assert!(record.swaps() <= 12 * u64::from(draws));
        population
    };
    // More draws are the same draws and then others.
    let mut last = after(1);
    for draws in 2..40 {
        let next = after(draws);
        for individual in 0..6 {
            let [old, new] = [&last, &next].map(|population| population.cells(individual));
            let changed = changed(old, new);
            let news = changed.iter().filter(|&&cell| new[cell] != HOLE).count();
            let solved = last.fitness()[individual] == 0;
            assert!(news <= 2 && changed.len() <= 8, "draw {draws}");
            assert!(!solved || changed.is_empty(), "draw {draws}");
        }
        last = next;
    }
}

/// Generation 0 or a population that comes from elsewhere may hold a solution already.
#[test]
fn solved_packings_stay() {
    let full = fixed(sudoku(3, 3), 1.0, Level::None, SHORT, 3);
    let mut engine = full.engine();
    assert!(begin(&mut engine, &Start::Fresh).solved());
    let more = pollster::block_on(engine.advance(&full.plan(), 5)).unwrap();
    assert!(more.is_empty(), "{more:?}");

    for geometry in [sudoku(3, 3), sudoku(2, 3), latin(7)] {
        let case = fixed(geometry, 0.2, Level::None, SHORT, 4);
        let digits = solution(geometry, 190).into_iter();
        let solved: Vec<u8> = digits.map(|digit| digit - 1).collect();
        let mut foreign = foreign_of(&case.reduction, 4, 20, 194);
        foreign[2] = solved.clone();
        let (mut engine, mut model) = case.begun_with(&foreign);
        let (record, after) = next_of(&mut engine, &case.plan());
        model.pack(&case.packing);
        assert_equal(&mut engine, &record, &model);
        assert!(record.solved());
        assert_eq!((after.fitness()[2], after.cells(2)), (0, &solved[..]));
        assert_eq!(model.steps.count(|step| step.individual == 2), 0);

        // Who is solved makes no steps.
        let (mut engine, mut model) = case.begun_with(&vec![solved.clone(); 4]);
        let (record, after) = next_of(&mut engine, &case.plan());
        model.pack(&case.packing);
        assert_equal(&mut engine, &record, &model);
        assert_eq!((record.swaps(), record.sum()), (0, 0));
        assert!(grids(&after).iter().all(|grid| *grid == solved));
    }
}

/// The last step to a solution: of a full grid but for one cell, four elements are uncovered.
#[test]
fn the_last_hole_of_packings_is_filled() {
    let geometry = sudoku(3, 3);
    let case = fixed(geometry, 0.0, Level::None, SHORT, 9);
    let solved: Vec<u8> = solution(geometry, 190)
        .iter()
        .map(|digit| digit - 1)
        .collect();
    let mut foreign = vec![solved; 9];
    for (individual, grid) in foreign.iter_mut().enumerate() {
        grid[individual * 9 + individual] = HOLE;
    }
    let (mut engine, mut model) = case.begun_with(&foreign);
    let (record, _) = next_of(&mut engine, &case.plan());
    model.pack(&case.packing);
    assert_equal(&mut engine, &record, &model);
    // A step for each at the least: what is chosen may be in conflict with others.
    assert!(record.swaps() >= 9, "{record:?}");
    assert!(model.steps.count(|step| step.owners == 0 && step.solved) > 0);
}

/// Of two cells in conflict the second becomes a hole, and a third that was in conflict with the second stays.
#[test]
fn what_comes_first_in_packings_stays() {
    let geometry = latin(4);
    let givens = Grid::new(geometry, vec![0; 16]).unwrap();
    let packing = Packing {
        draws: 1,
        rates: [0, 0],
        period: 1,
    };
    let case = PackingRun {
        reduction: reduced(&Puzzle::new(givens).unwrap(), Level::None),
        packing,
        pop: 1,
        seed: 195,
        threads: 1,
    };
    // Cells 0 and 1 are in conflict, 1 and 5 are, 0 and 5 are not.
    let mut grid = vec![HOLE; 16];
    for cell in [0, 1, 5] {
        grid[cell] = 0;
    }
    let (mut engine, mut model) = case.begun_with(&[grid]);
    assert_eq!(model.fitness, [15]);
    let (record, _) = next_of(&mut engine, &case.plan());
    model.pack(&packing);
    assert_equal(&mut engine, &record, &model);
    // Two steps from two placed cells, none of which makes it worse.
    assert!((12..=14).contains(&model.fitness[0]), "{:?}", model.fitness);
}

/// A pair of individuals differs in a cell or does not: one individual differs from nobody, no more pairs differ than there
/// are, and threads do not matter.
#[test]
fn holes_are_counted_by_pairs() {
    for pop in 1..=4 {
        let case = fixed(sudoku(3, 3), 0.2, Level::None, SHORT, pop);
        let records = [1, 2, 3].map(|threads| {
            let mut engine = case.engine_with(threads);
            begin(&mut engine, &Start::Fresh);
            next_of(&mut engine, &case.plan()).0
        });
        assert!(!records[0].solved(), "too easy a task");
        let open = case.reduction.puzzle().givens().cells().iter();
        let open = open.filter(|&&given| given == 0).count() as u32;
        let pairs = (pop * (pop - 1) / 2) as u32;
        for record in records {
            assert!(record.differences_low <= pairs * open, "{pop}: {record:?}");
            assert_eq!(record, records[0], "threads, a population of {pop}");
        }
        let diversity = records[0].diversity(pop, open as usize);
        assert!((0.0..=1.0).contains(&diversity), "{pop}: {diversity}");
    }
}
