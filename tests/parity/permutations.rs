//! The permutation kernels one by one, on boards, tori and grids of awkward sizes, with awkward
//! parameters, from random and from adversarial populations.

use gpusudoku::engine::gpu::shaders::{Mapping, Variant};
use gpusudoku::operators::*;
use gpusudoku::plan::*;
use gpusudoku::population::Population;
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{
    Form, Geometry, Grid, Instance, Placement, Puzzle, Queens, Reduction, Surface, verify,
};
use gpusudoku::rng::Stream;
use rand::seq::SliceRandom;

use super::common::*;
use super::permutation_plans::some_plans;
use super::support::*;

/// Queens on a board.
pub fn board(n: usize) -> Instance {
    Instance::Queens(Queens::new(n, Surface::Board).unwrap())
}

/// Queens on a torus.
pub fn torus(n: usize) -> Instance {
    Instance::Queens(Queens::new(n, Surface::Torus).unwrap())
}

/// A puzzle as it is.
pub fn grid(puzzle: &Puzzle) -> Instance {
    Instance::from(Reduction::new(puzzle, Level::None).unwrap())
}

/// Rows that the permutation kernels can count.
pub const ROWS: Representation = Representation {
    encoding: Encoding::Rows,
    objective: Objective::MissingDigits,
};

/// The same individuals, judged by support and confidence.
pub fn confident(encoding: Encoding, support: u32, confidence: u32) -> Representation {
    Representation {
        encoding,
        objective: Objective::SupportConfidence(Weights {
            support,
            confidence,
        }),
    }
}

/// Placements that a person would think of first, and random ones in between.
fn adversaries(n: usize, pop: usize, seed: u64) -> Vec<u32> {
    let mut rng = Stream::new(seed, 11);
    let mut words = Vec::new();
    for individual in 0..pop {
        let mut rows: Vec<u32> = (0..n as u32).collect();
        match individual % 6 {
            0 => {}
            1 => rows.reverse(),
            2 => rows.rotate_left(individual % n),
            3 => rows.swap(0, n - 1),
            _ => rows.shuffle(&mut rng),
        }
        words.extend(rows);
    }
    words
}

/// What verification finds in a placement, which shares no code with fitness.
fn attacks(queens: &Queens, rows: &[u32]) -> u64 {
    verify::attacks(queens, &Placement::new(rows.to_vec()))
}

/// Gives both engines adversarial placements with their fitness, which both have to find first.
fn load_adversaries(pair: &mut Pair, queens: &Queens, pop: usize, judged: bool) {
    let n = queens.size();
    let words = adversaries(n, pop, 5);
    let wrong = Population::from_parts(Form::Placement(n), words, vec![1; pop]);
    pair.load(&wrong);
    pair.evaluate();
    let right = population(&mut pair.cpu);
    if judged {
        for individual in 0..pop {
            let found = attacks(queens, right.words_at(individual));
            let fitness = right.fitness()[individual];
            assert_eq!(
                u64::from(fitness),
                found,
                "{}: individual {individual}",
                pair.name
            );
        }
    }
    pair.load(&right);
}

/// A pair whose first generation solves nothing.
fn unsolved(
    instance: &Instance,
    representation: Representation,
    pop: usize,
    mapping: Mapping,
) -> Pair {
    let start = |seed: u64| {
        let backend = gpusudoku::engine::Backend::Cpu { threads: 1 };
        let mut cpu = try_engine_on(&backend, instance, representation, pop, seed).unwrap();
        initialise(&mut cpu)
    };
    let seed = (1..200).find(|&seed| !start(seed).solved());
    let seed = seed.expect("chance does not solve it every time");
    Pair::on(instance, representation, pop, seed, mapping, 1 + pop % 3)
}

/// Every plan from a start of its own: fresh, or adversarial on boards.
fn run(
    instance: &Instance,
    representation: Representation,
    pop: usize,
    mapping: Mapping,
    plans: &[Variation],
) {
    let mut pair = unsolved(instance, representation, pop, mapping);
    for (at, vary) in plans.iter().enumerate() {
        assert!(!pair.initialise().solved(), "{}", pair.name);
        if let (Instance::Queens(queens), 0) = (instance, at % 2) {
            load_adversaries(
                &mut pair,
                queens,
                pop,
                representation == Representation::QUEENS,
            );
        }
        let what = format!("{vary:?}");
        let generations = if at % 3 == 0 { 4 } else { 2 };
        pair.advance(&vary.clone().into(), generations, (1, generations), &what);
    }
}

const QUEENS: Representation = Representation::QUEENS;

#[test]
fn boards_and_tori() {
    if skipped() {
        return;
    }
    let sure = confident(Encoding::Placement, 700, 300);
    let cases = [
        (board(4), QUEENS, 1, 9),
        (board(5), QUEENS, 2, 9),
        (board(31), QUEENS, 63, 2),
        (torus(33), QUEENS, 64, 2),
        (board(63), sure, 65, 2),
        (torus(64), QUEENS, 2, 9),
        (board(65), QUEENS, 200, 1),
        (torus(127), sure, 64, 1),
        (board(500), QUEENS, 3, 2),
    ];
    for (turn, (instance, representation, pop, count)) in cases.into_iter().enumerate() {
        let plans = some_plans(pop, turn, count);
        run(&instance, representation, pop, Mapping::Workgroup, &plans);
    }
}

/// The largest desk that workgroup memory holds, and the smallest that it does not.
#[test]
fn desks_on_either_side_of_the_edge() {
    if skipped() {
        return;
    }
    let (inside, outside) = (548, 549);
    assert!(
        !Variant::board(inside).workspace_in_storage()
            && Variant::board(outside).workspace_in_storage()
    );
    run(
        &torus(inside),
        QUEENS,
        7,
        Mapping::Workgroup,
        &some_plans(7, 3, 1),
    );
    run(
        &torus(outside),
        QUEENS,
        7,
        Mapping::Workgroup,
        &some_plans(7, 3, 1),
    );
    // More individuals than there are desks: several dispatches, which use the same ones.
    let mut plans = some_plans(280, 1, 1);
    plans.truncate(3);
    run(
        &board(outside),
        QUEENS,
        280,
        Mapping::Workgroup,
        &plans[1..],
    );
}

/// Many individuals, so that every loop over them goes round often.
#[test]
fn a_large_population() {
    if skipped() {
        return;
    }
    let mut pair = Pair::on(&board(20), QUEENS, 5000, 31, Mapping::Workgroup, 2);
    assert!(!pair.initialise().solved());
    for vary in some_plans(5000, 2, 1) {
        pair.advance(&vary.clone().into(), 1, (1, 1), &format!("{vary:?}"));
    }
}

/// One block is free, the others have one free cell each.
fn lonely_cells(geometry: Geometry) -> Puzzle {
    let mut cells = solution(geometry, 21);
    for (at, block) in units(geometry, true).iter().enumerate() {
        match at {
            0 => block.iter().for_each(|&cell| cells[cell] = 0),
            _ => cells[block[at % block.len()]] = 0,
        }
    }
    Puzzle::new(Grid::new(geometry, cells).unwrap()).unwrap()
}

#[test]
fn grids() {
    if skipped() {
        return;
    }
    let blocks = Representation::BLOCKS;
    let (one, many) = (Mapping::Thread, Mapping::Workgroup);
    let sure = |encoding| confident(encoding, 1, 1000);
    let cases = [
        (unsolvable(), blocks, 200, one, 1),
        (unsolvable(), ROWS, 1, many, 9),
        (impossible(sudoku(2, 3)), ROWS, 64, many, 1),
        (impossible(sudoku(3, 2)), sure(Encoding::Blocks), 65, one, 1),
        (puzzle(sudoku(3, 3), 0.3, 1), blocks, 63, many, 1),
        (
            puzzle(sudoku(3, 3), 0.3, 1),
            sure(Encoding::Rows),
            2,
            one,
            9,
        ),
        (lonely_cells(sudoku(3, 3)), blocks, 5, many, 2),
        (puzzle(sudoku(4, 4), 0.4, 2), ROWS, 9, many, 2),
        (puzzle(sudoku(5, 5), 0.5, 3), blocks, 3, many, 1),
        (puzzle(sudoku(6, 6), 0.5, 4), ROWS, 3, many, 1),
        (impossible(latin(5)), blocks, 2, one, 9),
        (puzzle(latin(10), 0.2, 5), ROWS, 65, many, 1),
    ];
    for (turn, (puzzle, representation, pop, mapping, count)) in cases.into_iter().enumerate() {
        let plans = some_plans(pop, turn, count);
        run(&grid(&puzzle), representation, pop, mapping, &plans);
    }
}

/// Nothing is free: kernels without a gene do no harm.
#[test]
fn complete_grids() {
    if skipped() {
        return;
    }
    let cells = solution(sudoku(3, 3), 9);
    let puzzle = Puzzle::new(Grid::new(sudoku(3, 3), cells).unwrap()).unwrap();
    for representation in [Representation::BLOCKS, confident(Encoding::Rows, 500, 500)] {
        let mut pair = Pair::on(&grid(&puzzle), representation, 3, 1, Mapping::Workgroup, 1);
        assert!(pair.initialise().solved());
        for vary in some_plans(3, 0, 9) {
            // Until the next survey they are held for unsolved.
            pair.spoil_fitness();
            pair.evaluate();
            assert_eq!(population(&mut pair.gpu).fitness(), [0; 3]);
            let plan = vary.into();
            let native = pollster::block_on(pair.cpu.advance(&plan, 5)).unwrap();
            assert!(native.len() == 1 && native[0].solved(), "{native:?}");
            let ran = pollster::block_on(pair.gpu.advance(&plan, 5)).unwrap();
            assert_eq!(ran, native, "{}", pair.name);
            assert_eq!(population(&mut pair.gpu), population(&mut pair.cpu));
            let more = pollster::block_on(pair.gpu.advance(&plan, 5)).unwrap();
            assert!(more.is_empty(), "{}: the run is solved", pair.name);
        }
    }
}

/// Initial placements, and those of a population that begins anew.
#[test]
fn starts() {
    if skipped() {
        return;
    }
    let all = [0, 1, 3, 63, 64, 65, 200];
    for (instance, pop) in [(board(65), 66), (torus(31), 5), (board(549), 4)] {
        let mut pair = Pair::on(&instance, QUEENS, pop, 77, Mapping::Workgroup, 2);
        let mut fitness = Vec::new();
        for tries in all {
            let start = match tries {
                0 => Start::Fresh,
                tries => Start::Greedy(tries),
            };
            let first = pair.start(&start);
            fitness.push(first.sum());
            if !first.solved() {
                let renew = Variation::Renew(start);
                pair.advance(&renew.clone().into(), 3, (1, 3), &format!("{renew:?}"));
            }
        }
        let [fresh, .., most] = fitness[..] else {
            panic!("there are some starts")
        };
        assert!(most < fresh, "{}: many tries help", pair.name);
    }
}
