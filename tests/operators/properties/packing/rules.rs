//! The rules of packing searches one by one, each in a case of its own.

use super::*;

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
