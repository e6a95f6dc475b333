//! The evaluator: both engines agree with each other and with a slow recount, and nothing outside of an encoding passes.

mod common;

use common::*;
use gpusudoku::Evaluator;
use gpusudoku::engine::Backend;
use gpusudoku::engine::gpu::adapter::AdapterChoice;
use gpusudoku::error::Error;
use gpusudoku::evaluator::{Session, representation};
use gpusudoku::operators::{Order, Sample};
use gpusudoku::plan::Representation;
use gpusudoku::problem::{Geometry, Grid, Problem, Puzzle};
use gpusudoku::rng::Stream;
use pollster::block_on;
use rand::RngExt;
use rand::seq::SliceRandom;

/// Native code with one thread and with several, and the adapter unless this machine is declared to have none.
fn backends() -> Vec<Backend> {
    let mut backends = vec![Backend::Cpu { threads: 1 }, Backend::Cpu { threads: 3 }];
    match std::env::var("GPUSUDOKU_SKIP_GPU_TESTS").is_ok_and(|value| value == "1") {
        true => eprintln!("GPU part skipped: GPUSUDOKU_SKIP_GPU_TESTS is set"),
        false => backends.push(Backend::Gpu {
            adapter: AdapterChoice::Best,
            mapping: None,
        }),
    }
    backends
}

fn evaluator(problem: &Problem, backend: &Backend, representation: Representation) -> Evaluator {
    Evaluator::new(problem, backend, representation).unwrap()
}

/// A puzzle without givens.
fn blank(geometry: Geometry) -> Problem {
    Problem::from(Puzzle::new(Grid::new(geometry, vec![0; geometry.cells()]).unwrap()).unwrap())
}

/// Grids whose rows are permutations.
fn random_rows(geometry: Geometry, pop: usize, seed: u64) -> Vec<u8> {
    let mut rng = Stream::new(seed, 1);
    let mut row: Vec<u8> = (1..=geometry.size() as u8).collect();
    let rows = (0..pop * geometry.size()).flat_map(|_| {
        row.shuffle(&mut rng);
        row.clone()
    });
    rows.collect()
}

/// Grids of whatever digits.
fn random_cells(geometry: Geometry, pop: usize, seed: u64) -> Vec<u8> {
    let mut rng = Stream::new(seed, 2);
    let digits = 1..=geometry.size() as u8;
    (0..pop * geometry.cells())
        .map(|_| rng.random_range(digits.clone()))
        .collect()
}

/// Rows, columns and boxes as lists of cells.
fn houses(geometry: Geometry, rows: bool) -> Vec<Vec<usize>> {
    let n = geometry.size();
    let mut houses = units(geometry, false);
    if geometry.boxes().is_some() {
        houses.extend(units(geometry, true));
    }
    if rows {
        houses.extend((0..n).map(|row| (row * n..(row + 1) * n).collect()));
    }
    houses
}

/// Illegal units and missing digits, counted as slowly as can be.
fn recount(geometry: Geometry, rows: bool, grid: &[u8]) -> (u32, u32) {
    let missing = houses(geometry, rows).into_iter().map(|house| {
        let there = |digit: u8| house.iter().any(|&cell| grid[cell] == digit);
        (1..=geometry.size() as u8)
            .filter(|&digit| !there(digit))
            .count() as u32
    });
    missing.fold((0, 0), |(units, digits), missing| {
        (units + u32::from(missing > 0), digits + missing)
    })
}

fn geometries() -> Vec<Geometry> {
    let boxes = [
        (2, 2),
        (2, 3),
        (3, 3),
        (3, 4),
        (4, 4),
        (5, 5),
        (6, 6),
        (7, 7),
        (8, 8),
    ];
    let mut all: Vec<_> = boxes
        .iter()
        .map(|&(rows, cols)| sudoku(rows, cols))
        .collect();
    all.extend([latin(5), latin(17), latin(64), latin(70)]);
    all
}

#[test]
fn every_engine_counts_as_a_slow_recount_does() {
    for geometry in geometries() {
        let problem = blank(geometry);
        let pop = if geometry.size() > 25 { 5 } else { 37 };
        for (encoding, grids) in [
            ("rows", random_rows(geometry, pop, 3)),
            ("cells", random_cells(geometry, pop, 4)),
        ] {
            for (at, objective) in ["illegal-units", "missing-digits"].into_iter().enumerate() {
                let expected = grids.chunks_exact(geometry.cells()).map(|grid| {
                    let (units, digits) = recount(geometry, encoding == "cells", grid);
                    [units, digits][at]
                });
                let expected: Vec<u32> = expected.collect();
                let representation = representation(encoding, Some(objective)).unwrap();
                for backend in backends() {
                    let mut evaluator = evaluator(&problem, &backend, representation);
                    let found = block_on(evaluator.evaluate(&grids)).unwrap();
                    assert_eq!(
                        found, expected,
                        "{geometry}, {encoding}, {objective}, {backend:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn conflicts_and_holes_are_counted_of_partial_grids() {
    let geometry = sudoku(2, 2);
    let problem = blank(geometry);
    // Two 1 in the first row, two 1 in the first box and column, a hole.
    let grid = [1, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 1, 3, 4, 0, 2];
    let pairs = (0..16).flat_map(|a| (a + 1..16).map(move |b| (a, b)));
    let share = |&(a, b): &(usize, usize)| {
        let house = |cell: usize| [cell / 4, 4 + cell % 4, 8 + cell / 8 * 2 + cell % 4 / 2];
        grid[a] != 0 && grid[a] == grid[b] && (0..3).any(|k| house(a)[k] == house(b)[k])
    };
    let expected = pairs.filter(share).count() as u32 + 1;
    for backend in backends() {
        let mut evaluator = evaluator(&problem, &backend, Representation::COLOURING);
        let found = block_on(evaluator.evaluate(&grid)).unwrap();
        assert_eq!(found, [expected]);
    }
}

#[test]
fn a_population_of_any_size_is_evaluated() {
    let geometry = sudoku(2, 2);
    let problem = blank(geometry);
    let grids = random_rows(geometry, 70_001, 5);
    let expected = { grids.chunks_exact(16) }.map(|grid| recount(geometry, false, grid).0);
    let expected: Vec<u32> = expected.collect();
    for backend in backends() {
        let mut evaluator = evaluator(&problem, &backend, Representation::ROWS);
        for pop in [0, 1, 2, 3, 70_001, 64] {
            let found = block_on(evaluator.evaluate(&grids[..pop * 16])).unwrap();
            assert_eq!(found, expected[..pop], "{pop} on {backend:?}");
        }
    }
}

#[test]
fn who_is_outside_of_the_encoding_is_named_with_the_reason() {
    let geometry = sudoku(3, 3);
    let puzzle = puzzle(geometry, 0.3, 1);
    let given = puzzle
        .givens()
        .cells()
        .iter()
        .position(|&it| it != 0)
        .unwrap();
    let free = puzzle
        .givens()
        .cells()
        .iter()
        .position(|&it| it == 0)
        .unwrap();
    let problem = Problem::from(puzzle);
    let right = solution(geometry, 1);
    let place = |cell: usize| format!("row {}, column {}", cell / 9 + 1, cell % 9 + 1);
    let pop = 300;
    let late = 211;
    let with = |change: &dyn Fn(&mut [u8])| {
        let mut grids = right.repeat(pop);
        // The last is wrong as well, and is not the one that is named.
        for individual in [late, pop - 1] {
            change(&mut grids[individual * 81..][..81]);
        }
        grids
    };
    let swap_given = with(&|grid| {
        let row = given / 9 * 9;
        let other = (row..row + 9).find(|&cell| cell != given).unwrap();
        grid.swap(given, other);
    });
    let twice = with(&|grid| grid[free] = grid[free / 9 * 9 + (free + 1) % 9]);
    let cases = [
        ("rows", swap_given, "is given as".to_owned()),
        ("rows", twice.clone(), format!("row {} has", free / 9 + 1)),
        (
            "rows",
            with(&|grid| grid[free] = 0),
            format!("{} has 0", place(free)),
        ),
        (
            "rows",
            with(&|grid| grid[free] = 10),
            format!("{} has 10", place(free)),
        ),
        ("cells", with(&|grid| grid[80] = 200), "has 200".to_owned()),
        ("blocks", twice, "sub-block".to_owned()),
    ];
    for backend in backends() {
        for (encoding, grids, reason) in &cases {
            let representation = representation(encoding, None).unwrap();
            let mut evaluator = evaluator(&problem, &backend, representation);
            match block_on(evaluator.evaluate(grids)) {
                Err(error @ Error::NotOfTheEncoding { individual, .. }) => {
                    assert_eq!(individual, late, "{error}");
                    assert!(error.to_string().contains(reason), "{error}: {reason}");
                }
                other => panic!("{encoding}, {reason}: {other:?}"),
            }
        }
        let mut evaluator = evaluator(&problem, &backend, Representation::ROWS);
        let part = block_on(evaluator.evaluate(&right[..80])).unwrap_err();
        assert!(part.to_string().contains("a multiple of 81"), "{part}");
    }
}

#[test]
fn what_no_kernel_can_do_is_refused() {
    let problem = blank(sudoku(2, 2));
    let backend = Backend::Cpu { threads: 1 };
    for (encoding, objective) in [("rows", "conflicts"), ("partial", "illegal-units")] {
        let representation = representation(encoding, Some(objective)).unwrap();
        assert!(Evaluator::new(&problem, &backend, representation).is_err());
    }
    assert!(representation("columns", None).is_err());
    assert!(representation("rows", Some("beauty")).is_err());
    let rows = evaluator(&problem, &backend, Representation::ROWS);
    let mut session = block_on(rows.session(4, 1)).unwrap();
    let refused = block_on(session.tabu(10, 1)).unwrap_err().to_string();
    assert!(refused.contains("rows"), "{refused}");
    assert!(block_on(session.crossover(rate(0.5), rate(0.5), 0)).is_err());
    assert!(block_on(session.load(&[1; 16])).is_err());
}

/// All operators on rows, one after the other, with what came of each.
fn vary_rows(session: &mut Session) -> Vec<(Vec<u8>, Vec<u32>)> {
    let mut seen = Vec::new();
    // Generations need not count up by one: the second and the third have the same parity.
    for (step, generation) in [(0, 1), (1, 7), (2, 9), (3, 10), (4, 10), (5, 3), (6, 4)] {
        block_on(async {
            match step {
                0 => session.crossover(rate(0.7), rate(0.5), generation).await,
                1 => session.swap_mutation(rate(0.4), generation).await,
                2 => session.reinitialise_mutation(rate(0.2), generation).await,
                3 => session.column_search(2, generation).await,
                4 => session.block_search(2, generation).await,
                5 => session.initialise(generation).await,
                _ => session.swap_mutation(rate(1.0), generation).await,
            }
            .unwrap();
            let digits = session.digits().await.unwrap();
            seen.push((digits, session.fitness().await.unwrap()));
        });
    }
    seen
}

#[test]
fn operators_make_the_same_population_on_every_engine() {
    for geometry in [sudoku(2, 2), sudoku(3, 3), sudoku(3, 4), latin(11)] {
        let problem = Problem::from(puzzle(geometry, 0.3, 2));
        let mut runs = backends().into_iter().map(|backend| {
            let evaluator = evaluator(&problem, &backend, Representation::ROWS);
            vary_rows(&mut block_on(evaluator.session(33, 6)).unwrap())
        });
        let first = runs.next().unwrap();
        for other in runs {
            assert_eq!(other, first, "{geometry}");
        }
        // Each operator does something, and leaves what others would evaluate in the same way.
        let mut evaluator = evaluator(&problem, &Backend::Cpu { threads: 1 }, Representation::ROWS);
        for (digits, fitness) in &first {
            assert_eq!(&block_on(evaluator.evaluate(digits)).unwrap(), fitness);
        }
        let differ = |pair: &[(Vec<u8>, Vec<u32>)]| pair[0].0 != pair[1].0;
        assert!(first.windows(2).take(3).all(differ), "{geometry}");
    }
}

#[test]
fn an_operator_depends_on_population_seed_and_generation_alone() {
    let problem = Problem::from(puzzle(sudoku(3, 3), 0.3, 2));
    for backend in backends() {
        let evaluator = evaluator(&problem, &backend, Representation::ROWS);
        let mut session = block_on(evaluator.session(20, 8)).unwrap();
        let start = block_on(session.digits()).unwrap();
        let mut made = Vec::new();
        for (step, generation) in [5, 2, 5, 6].into_iter().enumerate() {
            block_on(session.load(&start)).unwrap();
            block_on(session.swap_mutation(rate(0.5), generation)).unwrap();
            made.push(block_on(session.digits()).unwrap());
            // What happens in between does not matter.
            for _ in 0..step {
                block_on(session.reinitialise_mutation(rate(0.5), 40)).unwrap();
            }
        }
        assert_eq!(made[0], made[2]);
        assert_ne!(made[0], made[1]);
        assert_ne!(made[0], made[3]);
    }
}

#[test]
fn operators_go_on_where_somebody_has_solved_the_puzzle() {
    let geometry = sudoku(3, 3);
    let problem = Problem::from(puzzle(geometry, 0.3, 2));
    for backend in backends() {
        let evaluator = evaluator(&problem, &backend, Representation::ROWS);
        let mut session = block_on(evaluator.session(3, 8)).unwrap();
        block_on(session.load(&solution(geometry, 2).repeat(3))).unwrap();
        assert_eq!(block_on(session.fitness()).unwrap(), [0; 3]);
        let record = block_on(session.swap_mutation(rate(1.0), 1)).unwrap();
        assert!(record.best > 0, "{record:?}");
        let record = block_on(session.initialise(2)).unwrap();
        assert_eq!(record.generation, 2);
    }
}

#[test]
fn models_are_sampled_and_tabu_searches_move_on_every_engine() {
    let geometry = sudoku(3, 3);
    let problem = Problem::from(puzzle(geometry, 0.4, 5));
    let mut samples = Vec::new();
    let mut searches = Vec::new();
    for backend in backends() {
        let blocks = evaluator(&problem, &backend, Representation::BLOCKS);
        let mut session = block_on(blocks.session(16, 2)).unwrap();
        let model = Sample {
            model: (0..729).map(|it| it % 5 + 1).collect(),
            order: Order::Random,
            neighbours: true,
            retries: 2,
        };
        block_on(session.sample(model, 3)).unwrap();
        samples.push(block_on(session.digits()).unwrap());
        let short = Sample {
            model: vec![1; 728].into(),
            order: Order::Random,
            neighbours: false,
            retries: 0,
        };
        assert!(block_on(session.sample(short, 3)).is_err());
        let partial = evaluator(&problem, &backend, Representation::COLOURING);
        let mut session = block_on(partial.session(16, 2)).unwrap();
        let before: u32 = block_on(session.fitness()).unwrap().iter().sum();
        block_on(session.tabu(50, 1)).unwrap();
        let after: u32 = block_on(session.fitness()).unwrap().iter().sum();
        assert!(after < before, "{after} after {before}");
        searches.push(block_on(session.digits()).unwrap());
    }
    assert!(samples.iter().all(|it| *it == samples[0]));
    assert!(searches.iter().all(|it| *it == searches[0]));
}
