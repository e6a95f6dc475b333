//! What the host sees of a generation: both engines count the digits that a naive count finds.

use gpusudoku::engine::Engine;
use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::observation::{DigitBalance, Observation, Observed};
use gpusudoku::operators::{Order, Sample, Start, Variation};
use gpusudoku::plan::{Plan, Representation};
use gpusudoku::population::{HOLE, Population};
use gpusudoku::problem::Geometry;
use gpusudoku::rng::Stream;
use pollster::block_on;
use rand::RngExt;

use super::common::*;
use super::support::*;

fn balance(engine: &mut Engine, [best, worst]: [usize; 2]) -> DigitBalance {
    let [best, worst] = [best, worst].map(|count| count as u32);
    match block_on(engine.observe(Observation::DigitBalance { best, worst })).unwrap() {
        Observed::DigitBalance(balance) => balance,
        other => panic!("asked for counts and got {other:?}"),
    }
}

/// Compares both engines with the naive count.
fn check(pair: &mut Pair, groups: [usize; 2], what: &str) {
    let seen = population(&mut pair.cpu);
    let what = format!("{}: {what}", pair.name);
    for engine in [&mut pair.cpu, &mut pair.gpu] {
        let backend = engine.info().backend;
        let found = balance(engine, groups);
        assert_balance(&found, &seen, groups, &format!("{what}, {backend}"));
    }
}

/// Groups of every kind: none, one, some, all, more than there are, and such that overlap.
fn groups(pop: usize) -> [[usize; 2]; 9] {
    [
        [0, 0],
        [1, 0],
        [0, 1],
        [pop / 4, pop / 4],
        [pop / 3, pop - pop / 3],
        [pop - 1, pop.div_ceil(2)],
        [pop, 0],
        [0, pop],
        [pop + 7, pop - 1],
    ]
}

/// Populations with ties of every kind: all are alike, few values, many, and values of several digits.
fn ties(population: &Population, seed: u64) -> Vec<(&'static str, Population)> {
    let kinds: [(&str, u32, u32); 6] = [
        ("all alike", 7, 8),
        ("three values", 4, 7),
        ("fewer than bins", 100, 900),
        ("more than bins", 0, 5_000),
        ("any value", 0, u32::MAX),
        ("the highest values", u32::MAX - 3, u32::MAX),
    ];
    let mut rng = Stream::new(seed, 3);
    let mut spoil = |(name, low, end): (&'static str, u32, u32)| {
        let mut population = population.clone();
        for fitness in population.split_mut().2 {
            *fitness = rng.random_range(low..end);
        }
        (name, population)
    };
    kinds.map(&mut spoil).to_vec()
}

fn check_sizes(geometries: &[Geometry], pops: &[usize], representation: Representation) {
    if skipped() {
        return;
    }
    for (at, &geometry) in geometries.iter().enumerate() {
        for &pop in pops {
            let mapping = [Mapping::Workgroup, Mapping::Thread][(at + pop) % 2];
            let puzzle = puzzle_of(geometry, 5);
            let mut pair = Pair::of(representation, &puzzle, pop, 11, mapping, 2);
            pair.initialise();
            let whole = population(&mut pair.cpu);
            for (name, population) in ties(&whole, pop as u64) {
                pair.load(&population);
                for groups in groups(pop) {
                    check(&mut pair, groups, name);
                }
            }
        }
    }
}

#[test]
fn both_engines_count_what_a_naive_count_finds() {
    let small = [sudoku(2, 2), sudoku(3, 3), latin(5)];
    check_sizes(&small, &[1, 2, 3, 150, 257], Representation::BLOCKS);
}

#[test]
fn counts_agree_on_large_grids() {
    let large = [sudoku(5, 5), sudoku(6, 6)];
    check_sizes(&large, &[1, 31], Representation::BLOCKS);
}

/// From 1,025 on individuals have numbers of two digits.
#[test]
fn counts_agree_in_large_populations() {
    check_sizes(&[sudoku(2, 2)], &[1024, 1025, 3001], Representation::ROWS);
}

#[test]
fn holes_are_not_counted() {
    if skipped() {
        return;
    }
    let puzzle = puzzle_of(sudoku(3, 3), 6);
    let colouring = Representation::COLOURING;
    let mut pair = Pair::of(colouring, &puzzle, 40, 2, Mapping::Workgroup, 1);
    pair.initialise();
    let mut partial = population(&mut pair.cpu);
    for individual in 0..partial.len() {
        let cells = partial.cells_mut(individual).iter_mut();
        let free = cells.zip(puzzle.givens().cells());
        for (cell, _) in free.filter(|(_, given)| **given == 0).step_by(3) {
            *cell = HOLE;
        }
    }
    pair.load(&partial);
    check(&mut pair, [13, 9], "a third of the free cells are holes");
}

/// A model in which every digit is as likely as another.
fn sampling(geometry: Geometry) -> Start {
    Start::Sample(Sample {
        model: vec![1 << 20; geometry.size() * geometry.cells()].into(),
        order: Order::Random,
        neighbours: true,
        retries: 5,
    })
}

/// Counts that come with the record of a generation are those of the population as it is when the host asks, whatever
/// happens in between.
#[test]
fn counts_are_those_of_the_current_population() {
    if skipped() {
        return;
    }
    for mapping in [Mapping::Thread, Mapping::Workgroup] {
        let geometry = sudoku(3, 3);
        let start = sampling(geometry);
        let plan = Plan::from(Variation::Renew(start.clone()));
        let representation = Representation::BLOCKS;
        let mut pair = Pair::of(representation, &impossible(geometry), 50, 4, mapping, 1);
        pair.start(&start);
        check(&mut pair, [12, 12], "the initial population");
        for batch in [1, 1, 3, 1] {
            pair.advance(&plan, batch, (batch, batch), "sampling");
            check(&mut pair, [12, 12], "another generation");
            check(&mut pair, [12, 12], "asked twice");
        }
        pair.advance(&plan, 1, (1, 1), "sampling");
        check(&mut pair, [5, 0], "other groups than before");
        pair.advance(&plan, 1, (1, 1), "sampling");
        let mut other = population(&mut pair.cpu);
        other.split_mut().2.reverse();
        pair.load(&other);
        check(&mut pair, [5, 0], "a loaded population");
        pair.advance(&plan, 1, (1, 1), "sampling");
        pair.spoil_fitness();
        pair.evaluate();
        check(&mut pair, [5, 0], "an evaluated population");
        pair.advance(&plan, 1, (1, 1), "sampling");
        pair.start(&start);
        check(&mut pair, [5, 0], "a new beginning");
    }
}

/// Algorithms from outside may look at everybody, or at nobody.
#[test]
fn whole_populations_can_be_observed() {
    if skipped() {
        return;
    }
    let mut pair = Pair::new(&puzzle_of(sudoku(3, 3), 2), 20, 9, Mapping::Thread, 1);
    pair.initialise();
    let everybody = population(&mut pair.cpu);
    for engine in [&mut pair.cpu, &mut pair.gpu] {
        let seen = block_on(engine.observe(Observation::Records)).unwrap();
        assert_eq!(seen, Observed::Records);
        match block_on(engine.observe(Observation::Population)).unwrap() {
            Observed::Population(seen) => assert_eq!(*seen, everybody),
            other => panic!("asked for everybody and got {other:?}"),
        }
    }
}

/// The host learns from the generation that holds the solution, too.
#[test]
fn a_solved_generation_is_counted() {
    if skipped() {
        return;
    }
    let geometry = sudoku(2, 2);
    let start = sampling(geometry);
    let plan = Plan::from(Variation::Renew(start.clone()));
    let puzzle = puzzle_of(geometry, 1);
    let representation = Representation::BLOCKS;
    let mut pair = Pair::of(representation, &puzzle, 1, 8, Mapping::Thread, 1);
    assert!(!pair.start(&start).solved(), "solved too soon");
    check(&mut pair, [1, 0], "the initial population");
    let solved = (0..1000).any(|_| pair.advance(&plan, 1, (1, 1), "sampling"));
    assert!(solved, "no sample is a solution");
    check(&mut pair, [1, 0], "a solution");
}
