//! Breeding of sub-blocks: whose block-rows and block-columns children have, what mutation does to
//! them, and what islands have to do with each other.

use gpusudoku::engine::Engine;
use gpusudoku::operators::{BreedBlocks, Islands, MutationUnit, Variation};
use gpusudoku::plan::{Plan, Representation};
use gpusudoku::population::{Population, Record};
use gpusudoku::problem::{Geometry, Puzzle};
use gpusudoku::rng::Rate;
use proptest::prelude::*;

use crate::common::*;
use crate::reference::grids::{first_highest, first_lowest};
use crate::support::grid_runs::*;
use crate::support::strategies::*;
use crate::support::*;

const BLOCKS: Representation = Representation::BLOCKS;

fn plan(breed: BreedBlocks) -> Plan {
    Plan::from(Variation::BreedBlocks(breed))
}

/// The populations before and after one generation, and its record.
fn bred(
    puzzle: &Puzzle,
    pop: usize,
    seed: u64,
    breed: BreedBlocks,
) -> (Population, Population, Record) {
    let (mut engine, old) = started_of(puzzle, BLOCKS, pop, seed);
    let (record, new) = next_of(&mut engine, &plan(breed));
    (old, new, record)
}

/// The rows or columns of each band of blocks.
fn bands(geometry: Geometry, columns: bool) -> Vec<Vec<Vec<usize>>> {
    let (height, width) = geometry
        .boxes()
        .map_or((1, geometry.size()), |shape| (shape.rows, shape.cols));
    let (lines, thick) = match columns {
        true => (units(geometry, false), width),
        false => (row_units(geometry), height),
    };
    lines.chunks(thick).map(<[_]>::to_vec).collect()
}

/// Whether a child has every band of the parent that misses fewer digits in it, of equals the
/// first's.
fn is_crossed(bands: &[Vec<Vec<usize>>], child: &[u8], [one, two]: [&[u8]; 2]) -> bool {
    bands.iter().all(|band| {
        let missing =
            |parent: &[u8]| -> u32 { band.iter().map(|line| missing_in(line, parent)).sum() };
        let better = if missing(two) < missing(one) {
            two
        } else {
            one
        };
        band.iter()
            .flatten()
            .all(|&cell| child[cell] == better[cell])
    })
}

#[test]
fn a_pair_of_children_has_the_better_bands_of_its_parents() {
    for (geometry, pop) in [
        (sudoku(2, 2), 9),
        (sudoku(2, 3), 14),
        (sudoku(3, 2), 14),
        (sudoku(3, 3), 20),
        (sudoku(3, 4), 12),
        (latin(6), 10),
    ] {
        let breed = BreedBlocks {
            crossover: Rate::ALWAYS,
            ..COPIES
        };
        let (old, new, record) = bred(&puzzle(geometry, 0.2, 100), pop, 101, breed);
        assert_eq!(record.swaps(), 0);
        let (rows, columns) = (bands(geometry, false), bands(geometry, true));
        let mut mixed = 0;
        for first in (0..pop).step_by(2) {
            let explained = (0..pop * pop).any(|pair| {
                let parents = [old.cells(pair / pop), old.cells(pair % pop)];
                is_crossed(&rows, new.cells(first), parents)
                    && (first + 1 == pop || is_crossed(&columns, new.cells(first + 1), parents))
            });
            assert!(
                explained,
                "{geometry}: children {first} and next have no parents"
            );
            mixed += usize::from(grids(&old).iter().all(|one| one != new.cells(first)));
        }
        // In a Latin square every row is right, so the first parent gives them all.
        assert_eq!(mixed > 0, geometry.boxes().is_some(), "{geometry}");
    }
}

#[test]
fn pairs_are_crossed_as_often_as_it_says() {
    let (pop, p) = (6000, 0.3);
    let breed = BreedBlocks {
        crossover: rate(p),
        ..COPIES
    };
    let puzzle = puzzle(sudoku(3, 3), 0.0, 102);
    let (old, new, _) = bred(&puzzle, pop, 103, breed);
    let everybody: std::collections::HashSet<Vec<u8>> = grids(&old).into_iter().collect();
    let copies: Vec<bool> = grids(&new)
        .iter()
        .map(|one| everybody.contains(one))
        .collect();
    // A crossed child has all its bands from one parent by chance of a quarter or so.
    let crossed = copies.iter().filter(|&&copy| !copy).count();
    let always = BreedBlocks {
        crossover: Rate::ALWAYS,
        ..COPIES
    };
    let (_, new, _) = bred(&puzzle, pop, 103, always);
    let mixed = grids(&new)
        .iter()
        .filter(|one| !everybody.contains(*one))
        .count();
    assert!(mixed > pop / 2);
    // Both children of a pair are crossed or copied: fewer and larger steps than coins.
    let (expected, pairs) = (p * mixed as f64, pop as f64 / 2.0);
    let spread = 2.0 * (pairs * p * (1.0 - p)).sqrt();
    assert!(
        (crossed as f64 - expected).abs() < 5.0 * spread,
        "{crossed}, {expected}"
    );
}

#[test]
fn block_parents_are_the_best_of_their_tournaments() {
    let (pop, puzzle) = (3000, puzzle(sudoku(3, 3), 0.3, 104));
    for size in [1, 3, 9] {
        let breed = BreedBlocks {
            tournament: size,
            ..COPIES
        };
        let (old, new, _) = bred(&puzzle, pop, 105, breed);
        let mut sorted = old.fitness().to_vec();
        sorted.sort_unstable();
        let below = |population: &Population| {
            let fitness = population.fitness().iter();
            fitness
                .filter(|&&fitness| fitness < sorted[pop / 2])
                .count()
        };
        let p = below(&old) as f64 / pop as f64;
        let expected = 1.0 - (1.0 - p).powi(size as i32);
        assert_share(
            below(&new),
            pop,
            expected,
            &format!("tournaments of {size}"),
        );
    }
}

/// The individual that a mutant comes from: on a blank grid any other is far away.
fn nearest<'a>(old: &'a [Vec<u8>], child: &[u8]) -> &'a [u8] {
    let distance = |one: &&Vec<u8>| changed(one, child).len();
    old.iter().min_by_key(distance).unwrap()
}

#[test]
fn mutation_swaps_two_cells_of_a_block() {
    let (geometry, pop, n) = (sudoku(3, 3), 500, 9);
    let puzzle = puzzle(geometry, 0.0, 106);
    for (mutation, p) in [(MutationUnit::Each, 0.3), (MutationUnit::Individual, 0.6)] {
        let breed = BreedBlocks {
            swap: rate(p),
            mutation,
            ..COPIES
        };
        let (old, new, record) = bred(&puzzle, pop, 107, breed);
        let old = grids(&old);
        let mut struck = vec![0; n];
        for child in grids(&new) {
            let differing = changed(nearest(&old, &child), &child);
            let before: usize = struck.iter().sum();
            for (at, block) in blocks(geometry).iter().enumerate() {
                let here = differing.iter().filter(|cell| block.contains(cell)).count();
                assert!(here == 0 || here == 2, "{here} cells of block {at}");
                struck[at] += here / 2;
            }
            let swaps = struck.iter().sum::<usize>() - before;
            assert!(mutation == MutationUnit::Each || swaps <= 1);
        }
        let swaps: usize = struck.iter().sum();
        assert_eq!(record.swaps(), 0, "the only mutant of a child is no search");
        match mutation {
            MutationUnit::Each => assert_share(swaps, pop * n, p, "blocks"),
            MutationUnit::Individual => assert_share(swaps, pop, p, "individuals"),
        }
        assert_uniform(&struck, "blocks struck");
    }
}

/// Mutants of a child come one after another: more of them never make it worse, and usually better.
#[test]
fn the_best_of_more_mutants_is_better() {
    let puzzle = puzzle(sudoku(3, 3), 0.3, 108);
    let mut last = vec![u32::MAX; 200];
    for mutants in [1, 2, 5, 20] {
        let breed = BreedBlocks {
            tournament: 2,
            crossover: rate(0.5),
            swap: rate(0.2),
            mutants,
            ..COPIES
        };
        let (_, new, _) = bred(&puzzle, 200, 109, breed);
        assert!(
            new.fitness()
                .iter()
                .zip(&last)
                .all(|(new, last)| new <= last)
        );
        assert_ne!(new.fitness(), last);
        last = new.fitness().to_vec();
    }
}

/// The best of each island takes the place of the worst of the next one.
fn migrated(old: &Population, size: usize) -> Population {
    let mut new = old.clone();
    let firsts: Vec<usize> = (0..old.len()).step_by(size).collect();
    let fitness = |first: usize| &old.fitness()[first..old.len().min(first + size)];
    for (at, &first) in firsts.iter().enumerate() {
        let before = firsts[(at + firsts.len() - 1) % firsts.len()];
        let best = before + first_lowest(fitness(before));
        let worst = first + first_highest(fitness(first));
        new.cells_mut(worst).copy_from_slice(old.cells(best));
        new.split_mut().2[worst] = old.fitness()[best];
    }
    new
}

fn islands_engine(puzzle: &Puzzle, pop: usize, seed: u64) -> Engine {
    let mut engine = engine_of(puzzle, BLOCKS, pop, seed, 1);
    initialise(&mut engine);
    engine
}

proptest! {
    #![proptest_config(config(150))]

    /// Islands with epochs are islands that never meet, but for migration by hand between epochs.
    #[test]
    fn the_best_migrate_exactly_between_epochs(
        puzzle in puzzles(),
        islands in islands(),
        pop in 1usize..24,
        seed: u64,
    ) {
        let apart = Plan::from(Variation::Islands(Islands { epoch: u32::MAX, ..islands }));
        let meeting = Plan::from(Variation::Islands(islands));
        let mut one = islands_engine(&puzzle, pop, seed);
        let mut two = islands_engine(&puzzle, pop, seed);
        for epoch in 0..4 {
            if epoch > 0 {
                let loaded = migrated(&population(&mut two), islands.size as usize);
                two.load(&loaded).unwrap();
            }
            let [records, others] = [(&mut one, &meeting), (&mut two, &apart)]
                .map(|(engine, plan)| {
                    pollster::block_on(engine.advance(plan, islands.epoch)).unwrap()
                });
            prop_assert_eq!(&records, &others);
            // What a record says of an epoch is what it ended with, before anybody migrates.
            prop_assert!(population(&mut one) == population(&mut two), "epoch {epoch}");
            match records.last() {
                Some(record) if !record.solved() => {
                    prop_assert_eq!(record.generation, (epoch + 1) * islands.epoch);
                }
                _ => break,
            }
        }
    }

    /// Where the batches end makes no difference to who migrates when, unless they end the run.
    #[test]
    fn epochs_end_at_multiples_of_their_length(
        puzzle in puzzles(),
        islands in islands(),
        pop in 1usize..24,
        seed: u64,
        batch in 1u32..9,
    ) {
        let plan = Plan::from(Variation::Islands(islands));
        let [whole, pieces] = [1000, batch].map(|batch| {
            let mut engine = islands_engine(&puzzle, pop, seed);
            let records = advance_to(&mut engine, &plan, 3 * islands.epoch + 1, batch);
            (records.last().copied(), population(&mut engine))
        });
        if pieces.0.is_some_and(|record| !record.solved()) {
            prop_assert!(whole == pieces);
        }
    }

    /// An island that holds everybody is a population.
    #[test]
    fn one_island_is_no_island(
        puzzle in puzzles(),
        breed in block_breeds(),
        pop in 1usize..16,
        seed: u64,
    ) {
        let islands = Islands { breed, size: pop as u32 + 3, epoch: 5 };
        let mut one = islands_engine(&puzzle, pop, seed);
        let mut two = islands_engine(&puzzle, pop, seed);
        let records = advance_to(&mut one, &plan(breed), 5, 5);
        let epochs = advance_to(&mut two, &Plan::from(Variation::Islands(islands)), 5, 5);
        // A solved population stops, a solved island waits for the end of its epoch.
        prop_assert!(population(&mut one) == population(&mut two));
        if let (Some(last), [epoch]) = (records.last(), &epochs[..]) {
            prop_assert_eq!(last.best, epoch.best);
            prop_assert_eq!(epoch.generation, 5);
        }
    }
}

/// Islands do not know each other within an epoch.
#[test]
fn islands_keep_to_themselves() {
    let (size, pop) = (7, 30);
    let puzzle = puzzle(sudoku(3, 3), 0.1, 110);
    let islands = Islands {
        breed: COPIES,
        size: size as u32,
        epoch: 6,
    };
    let mut engine = islands_engine(&puzzle, pop, 111);
    let old = grids(&population(&mut engine));
    advance_to(&mut engine, &Plan::from(Variation::Islands(islands)), 6, 6);
    let new = grids(&population(&mut engine));
    for (child, grid) in new.iter().enumerate() {
        let home = child / size * size..pop.min(child / size * size + size);
        assert!(old[home].contains(grid), "individual {child} is a stranger");
    }
}
