//! Facts of board and torus, as tests of fitness and of the verifier: how many solutions there are,
//! the fewest attacks where there is none, and what is rejected.

use gpusudoku::plan::Representation;
use gpusudoku::problem::verify::{Violation, attacks, verify_placement};
use gpusudoku::problem::{Queens, Surface};
use proptest::prelude::*;

use crate::common::*;
use crate::support::search_space::*;
use crate::support::strategies::config;
use crate::support::*;

/// All orders of the rows, behind a first one if that is fixed, by Heap's algorithm.
fn permutations(n: usize, first_fixed: bool) -> Vec<Individual> {
    fn heap(k: usize, rows: &mut Individual, from: usize, all: &mut Vec<Individual>) {
        if k <= 1 {
            all.push(rows.clone());
            return;
        }
        for at in 0..k {
            heap(k - 1, rows, from, all);
            let other = if k.is_multiple_of(2) { at } else { 0 };
            rows.swap(from + other, from + k - 1);
        }
    }
    let from = usize::from(first_fixed);
    let mut all = Vec::new();
    heap(n - from, &mut (0..n as u32).collect(), from, &mut all);
    all
}

/// What the engine counts.
fn fitness(queens: Queens, individuals: &[Individual]) -> Vec<u32> {
    let space = queens_space(queens, None);
    assert_eq!(space.representation, Representation::QUEENS);
    let mut engine = space.engine(individuals.len(), 1, 1);
    engine.load(&placements(individuals)).unwrap();
    pollster::block_on(engine.evaluate()).unwrap();
    population(&mut engine).fitness().to_vec()
}

/// Pairs of queens on each diagonal.
fn naive(queens: Queens, rows: &[u32]) -> u64 {
    let n = queens.size() as i64;
    let mut count = 0;
    for two in 0..rows.len() {
        for one in 0..two {
            let run = (two - one) as i64;
            let rise = i64::from(rows[two]) - i64::from(rows[one]);
            for apart in [rise - run, rise + run] {
                count += u64::from(match queens.surface() {
                    Surface::Board => apart == 0,
                    Surface::Torus => apart % n == 0,
                });
            }
        }
    }
    count
}

#[test]
fn solutions_on_the_board() {
    for (n, solutions) in [(4, 2), (5, 10), (6, 4), (7, 40), (8, 92)] {
        let all = permutations(n, false);
        assert_eq!(all.len(), (1..=n).product::<usize>());
        let found = fitness(board(n), &all);
        assert_eq!(found.iter().filter(|&&f| f == 0).count(), solutions, "{n}");
        assert_eq!(board(n).fewest_attacks(), 0);
        for (rows, &fitness) in all.iter().zip(&found).step_by(7) {
            assert_eq!(u64::from(fitness), naive(board(n), rows), "{rows:?}");
            let verdict = verify_placement(&board(n), &placement(rows));
            assert_eq!(verdict.is_ok(), fitness == 0, "{rows:?}");
        }
    }
}

/// Translations along the rows keep all attacks, so the first queen may as well be in the first.
#[test]
fn solutions_and_fewest_attacks_on_the_torus() {
    for (n, solutions) in [(4, 0), (5, 10), (6, 0), (7, 28), (8, 0), (9, 0), (10, 0)] {
        let queens = torus(n);
        let all = permutations(n, true);
        let found = fitness(queens, &all);
        let solved = found.iter().filter(|&&f| f == 0).count();
        assert_eq!(n * solved, solutions, "{n}");
        let fewest = *found.iter().min().unwrap();
        assert_eq!(queens.fewest_attacks(), fewest, "{n}");
        assert_eq!(queens.most_peaceful() == n, fewest == 0, "{n}");
        assert_eq!(queens.impossibility().is_none(), fewest == 0, "{n}");
        // All verdicts of the small ones, many of the others.
        let step = if n < 8 { 1 } else { 97 };
        for (rows, &fitness) in all.iter().zip(&found).step_by(step) {
            assert_eq!(u64::from(fitness), naive(queens, rows), "{rows:?}");
            let verdict = verify_placement(&queens, &placement(rows));
            assert_eq!(verdict.is_ok(), fitness == fewest, "{rows:?}");
        }
        if n <= 7 {
            let everywhere = fitness_of_all(queens);
            let count = |f: &&u32| **f == fewest;
            let here = found.iter().filter(count).count();
            assert_eq!(everywhere.iter().filter(count).count(), n * here, "{n}");
        }
    }
}

fn fitness_of_all(queens: Queens) -> Vec<u32> {
    fitness(queens, &permutations(queens.size(), false))
}

/// All solutions that begin with these rows.
fn search(queens: Queens, rows: &mut Individual, found: &mut Vec<Individual>) {
    let n = queens.size() as u32;
    if rows.len() == queens.size() {
        found.push(rows.clone());
        return;
    }
    for row in 0..n {
        if rows.contains(&row) {
            continue;
        }
        rows.push(row);
        if naive(queens, rows) == 0 {
            search(queens, rows, found);
        }
        rows.pop();
    }
}

#[test]
fn eleven_queens_on_the_torus() {
    let queens = torus(11);
    let mut found = Vec::new();
    search(queens, &mut vec![0], &mut found);
    assert_eq!(11 * found.len(), 88);
    assert!(fitness(queens, &found).iter().all(|&fitness| fitness == 0));
    for rows in &found {
        assert_eq!(verify_placement(&queens, &placement(rows)), Ok(()));
        // Moved by any number of rows it is another one.
        for by in 1..11 {
            let moved: Individual = rows.iter().map(|row| (row + by) % 11).collect();
            assert_eq!(verify_placement(&queens, &placement(&moved)), Ok(()));
        }
    }
    // The linear ones are all there are: k and its neighbours have no divisor in common with 11.
    for step in 2..10 {
        let linear: Individual = (0..11).map(|column| column * step % 11).collect();
        assert!(found.contains(&linear), "step {step}");
    }
}

/// How many queens can stand on squares from this column on, some columns left empty.
fn peaceful(queens: Queens, columns: usize, placed: &mut Vec<(usize, u32)>) -> usize {
    let n = queens.size();
    if columns == n {
        return placed.len();
    }
    let mut most = peaceful(queens, columns + 1, placed);
    for row in 0..n as u32 {
        let free = placed.iter().all(|&(column, other)| {
            let run = (columns - column) as i64;
            let rise = i64::from(row) - i64::from(other);
            rise != 0 && (rise - run) % n as i64 != 0 && (rise + run) % n as i64 != 0
        });
        if free {
            placed.push((columns, row));
            most = most.max(peaceful(queens, columns + 1, placed));
            placed.pop();
        }
    }
    most
}

/// Monsky's theorem for small tori.
#[test]
fn the_most_peaceful_queens() {
    for n in 4..=7 {
        let most = peaceful(torus(n), 0, &mut Vec::new());
        assert_eq!(torus(n).most_peaceful(), most, "{n}");
    }
}

/// A placement with the fewest attacks, the first in the order of rows.
fn solution_of(queens: Queens) -> Individual {
    let all = permutations(queens.size(), true);
    let fewest = u64::from(queens.fewest_attacks());
    let found = all.into_iter().find(|rows| naive(queens, rows) == fewest);
    found.expect("there is one that begins with the first row")
}

#[test]
fn the_verifier_rejects_what_is_no_solution() {
    let mut rejected = 0;
    for queens in [board(7), board(8), torus(5), torus(6), torus(7), torus(8)] {
        let n = queens.size();
        let good = solution_of(queens);
        let fewest = queens.fewest_attacks();
        assert_eq!(verify_placement(&queens, &placement(&good)), Ok(()));
        for (one, two) in (0..n).flat_map(|two| (0..two).map(move |one| (one, two))) {
            let mut swapped = good.clone();
            swapped.swap(one, two);
            let attacks = naive(queens, &swapped);
            let expected = match attacks > u64::from(fewest) {
                true => Err(Violation::Attacks { attacks, fewest }),
                false => Ok(()),
            };
            rejected += u32::from(expected.is_err());
            assert_eq!(verify_placement(&queens, &placement(&swapped)), expected);

            let mut twice = good.clone();
            twice[one] = twice[two];
            let verdict = verify_placement(&queens, &placement(&twice));
            assert!(matches!(verdict, Err(Violation::Row { .. })), "{verdict:?}");
        }
        for column in 0..n {
            for row in [n as u32, n as u32 + 3, u32::MAX, u32::MAX - n as u32] {
                let mut beside = good.clone();
                beside[column] = row;
                let verdict = verify_placement(&queens, &placement(&beside));
                assert!(matches!(verdict, Err(Violation::Row { .. })), "{verdict:?}");
            }
        }
        for found in [0, 1, n - 1, n + 1, 2 * n] {
            let rows = good
                .iter()
                .cycle()
                .take(found)
                .copied()
                .collect::<Individual>();
            let verdict = verify_placement(&queens, &placement(&rows));
            assert_eq!(verdict, Err(Violation::Columns { queens, found }));
        }
    }
    assert!(rejected > 100, "only {rejected} swaps make attacks");
}

/// A row that the verifier names has no queen or too many.
#[test]
fn the_verifier_names_a_row_that_is_wrong() {
    let queens = board(4);
    for code in 0..256u32 {
        let rows: Individual = [0, 2, 4, 6].map(|shift| code >> shift & 3).to_vec();
        if let Err(Violation::Row { row, times }) = verify_placement(&queens, &placement(&rows)) {
            let here = rows.iter().filter(|&&other| other as usize + 1 == row);
            assert_eq!(here.count(), times, "{rows:?}");
            assert_ne!(times, 1, "{rows:?}: row {row}");
        }
    }
}

proptest! {
    #![proptest_config(config(400))]

    /// Whatever the rows, permutation or not.
    #[test]
    fn attacks_are_pairs_on_diagonals(
        n in 4usize..40,
        on_torus: bool,
        rows in prop::collection::vec(any::<u32>(), 40),
    ) {
        let queens = if on_torus { torus(n) } else { board(n) };
        let rows: Individual = rows.iter().take(n).map(|row| row % n as u32).collect();
        prop_assert_eq!(attacks(&queens, &placement(&rows)), naive(queens, &rows));
    }

    /// What fitness counts is what the verifier counts.
    #[test]
    fn fitness_is_the_number_of_attacks(space in crate::support::permutation_runs::boards(), seed: u64) {
        let gpusudoku::problem::Instance::Queens(queens) = space.instance else { return Ok(()) };
        let space = queens_space(queens, None);
        let mut engine = space.engine(6, seed, 1);
        initialise(&mut engine);
        let population = population(&mut engine);
        for (rows, &fitness) in individuals(&population).iter().zip(population.fitness()) {
            prop_assert_eq!(attacks(&queens, &placement(rows)), u64::from(fitness));
        }
    }
}
