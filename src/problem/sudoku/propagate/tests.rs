//! What propagation concludes is so, and no more.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::problem::sudoku::builtin;
use crate::problem::sudoku::exact::{self, Limit, Outcome};
use crate::problem::sudoku::format::{ReadOptions, read_one};

fn any_level() -> impl Strategy<Value = Level> {
    prop::sample::select(Level::ALL.to_vec())
}

fn medium_puzzle() -> impl Strategy<Value = Puzzle> {
    prop_oneof![
        samples::small_puzzle(),
        samples::puzzle(Geometry::sudoku(2, 4).unwrap()),
        samples::puzzle(Geometry::sudoku(3, 3).unwrap()),
        samples::puzzle(Geometry::sudoku(4, 3).unwrap()),
        samples::puzzle(Geometry::latin(9).unwrap()),
    ]
}

fn propagated(puzzle: &Puzzle, level: Level) -> Result<(Candidates, Deductions), Contradiction> {
    let mut candidates = Candidates::new(puzzle)?;
    let deductions = candidates.propagate(level)?;
    Ok((candidates, deductions))
}

/// The digits left for each cell; none at a contradiction.
fn sets(puzzle: &Puzzle, level: Level) -> Option<Vec<BTreeSet<u8>>> {
    let (candidates, _) = propagated(puzzle, level).ok()?;
    let digits = |cell| candidates.digits(cell).iter().collect();
    Some((0..puzzle.geometry().cells()).map(digits).collect())
}

/// The fixpoint by going over everything again and again; none at a contradiction.
fn naive(puzzle: &Puzzle, level: Level) -> Option<Vec<BTreeSet<u8>>> {
    let all: BTreeSet<u8> = (1..=puzzle.geometry().size() as u8).collect();
    let start = |&given: &u8| {
        if given == 0 {
            all.clone()
        } else {
            [given].into()
        }
    };
    let sets = puzzle.givens().cells().iter().map(start).collect();
    let mut sets = rescan(puzzle, level, sets)?;
    let refuted = |sets: &Vec<BTreeSet<u8>>| {
        let mut candidates =
            (0..sets.len()).flat_map(|cell| sets[cell].iter().map(move |&d| (cell, d)));
        candidates.find(|&(cell, digit)| {
            let mut assumed = sets.clone();
            assumed[cell] = [digit].into();
            rescan(puzzle, Level::Locked, assumed).is_none()
        })
    };
    while level == Level::Probing
        && let Some((cell, digit)) = refuted(&sets)
    {
        sets[cell].remove(&digit);
        sets = rescan(puzzle, Level::Locked, sets)?;
    }
    Some(sets)
}

/// [`naive`] without probing.
fn rescan(puzzle: &Puzzle, level: Level, mut sets: Vec<BTreeSet<u8>>) -> Option<Vec<BTreeSet<u8>>> {
    let geometry = puzzle.geometry();
    let n = geometry.size();
    let mut houses: Vec<BTreeSet<usize>> = Vec::new();
    for line in 0..n {
        houses.push((0..n).map(|i| line * n + i).collect());
        houses.push((0..n).map(|i| i * n + line).collect());
    }
    if let Some(shape) = geometry.boxes() {
        for top in (0..n).step_by(shape.rows) {
            for left in (0..n).step_by(shape.cols) {
                let inside = |i| (top + i / shape.cols) * n + left + i % shape.cols;
                houses.push((0..n).map(inside).collect());
            }
        }
    }
    loop {
        let before = sets.clone();
        for cell in 0..n * n {
            let single = level >= Level::Singles && sets[cell].len() == 1;
            if single || puzzle.givens().cells()[cell] != 0 {
                let digit = *sets[cell].first()?;
                for peer in (0..n * n).filter(|&peer| samples::are_peers(geometry, cell, peer)) {
                    sets[peer].remove(&digit);
                }
            }
        }
        for house in &houses {
            for digit in 1..=n as u8 {
                let holds = |cell: &&usize| sets[**cell].contains(&digit);
                let places: BTreeSet<usize> = house.iter().filter(holds).copied().collect();
                let first = *places.first()?;
                if level >= Level::Singles && places.len() == 1 {
                    sets[first] = [digit].into();
                }
                if level >= Level::Locked {
                    for second in houses.iter().filter(|second| places.is_subset(second)) {
                        for &cell in second.difference(house) {
                            sets[cell].remove(&digit);
                        }
                    }
                }
            }
        }
        if sets.iter().any(BTreeSet::is_empty) {
            return None;
        }
        if sets == before {
            return Some(sets);
        }
    }
}

fn same_state(a: &Candidates, b: &Candidates) -> bool {
    a.digits == b.digits
        && a.digit_counts == b.digit_counts
        && a.places == b.places
        && a.place_counts == b.place_counts
        && a.closed == b.closed
        && a.closed_count == b.closed_count
        && a.contradiction == b.contradiction
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_digit_of_a_solution_is_ever_removed(
        puzzle in samples::small_puzzle(),
        level in any_level(),
    ) {
        let solutions = samples::solutions(&puzzle, 100);
        match propagated(&puzzle, level) {
            Err(_) => prop_assert!(solutions.is_empty()),
            Ok((candidates, _)) => {
                for solution in &solutions {
                    for (cell, &digit) in solution.cells().iter().enumerate() {
                        prop_assert!(candidates.digits(cell).contains(digit));
                    }
                }
                if candidates.is_solved() {
                    prop_assert_eq!(solutions, [candidates.to_grid()]);
                }
            }
        }
    }

    #[test]
    fn the_queues_reach_the_fixpoint_of_a_naive_rescan(
        puzzle in medium_puzzle(),
        level in prop::sample::select(Level::ALL[..3].to_vec()),
    ) {
        prop_assert_eq!(sets(&puzzle, level), naive(&puzzle, level));
    }

    #[test]
    fn every_closed_cell_is_accounted_for(puzzle in medium_puzzle(), level in any_level()) {
        if let Ok((candidates, deductions)) = propagated(&puzzle, level) {
            let grid = candidates.to_grid();
            let found = deductions.naked_singles + deductions.hidden_singles;
            prop_assert_eq!(grid.filled(), puzzle.givens().filled() + found);
            prop_assert_eq!(candidates.open_cells(), puzzle.geometry().cells() - grid.filled());
            prop_assert!(level >= Level::Locked || deductions.locked_candidates == 0);
            prop_assert!(level >= Level::Probing || deductions.probed_candidates == 0);
            prop_assert!(level == Level::Nested || deductions.nested_candidates == 0);
            prop_assert!(Puzzle::new(grid).is_ok());
        }
    }

    #[test]
    fn undo_leaves_no_trace(
        puzzle in medium_puzzle(),
        before in any_level(),
        after in any_level(),
        cell in any::<prop::sample::Index>(),
        digit in any::<prop::sample::Index>(),
        assign in any::<bool>(),
    ) {
        let Ok((mut candidates, _)) = propagated(&puzzle, before) else { return Ok(()) };
        let untouched = candidates.clone();
        let mark = candidates.mark();
        let cell = cell.index(puzzle.geometry().cells());
        let digit = digit.index(puzzle.geometry().size()) as u8 + 1;
        let changed = if assign {
            candidates.assign(cell, digit)
        } else {
            candidates.eliminate(cell, digit)
        };
        let result = changed.and_then(|()| candidates.propagate(after));
        prop_assert!(result.is_ok() || candidates.propagate(after) == result);
        candidates.undo(mark);
        prop_assert!(same_state(&candidates, &untouched));

        let mut expected = untouched;
        let agree = candidates.propagate(Level::Locked).is_ok()
            == expected.propagate(Level::Locked).is_ok();
        prop_assert!(agree);
        prop_assert!(candidates.contradiction.is_some() || same_state(&candidates, &expected));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_level_concludes_what_the_one_before_does_and_finds_nothing_twice(
        puzzle in prop_oneof![medium_puzzle(), samples::puzzle(Geometry::usual(16).unwrap())],
    ) {
        let mut before = sets(&puzzle, Level::None);
        for level in Level::ALL {
            let after = sets(&puzzle, level);
            let mut pairs = before.iter().flatten().zip(after.iter().flatten());
            prop_assert!(before.is_some() || after.is_none());
            prop_assert!(pairs.all(|(before, after)| after.is_subset(before)));
            before = after;

            if let Ok((mut candidates, _)) = propagated(&puzzle, level) {
                let first = candidates.clone();
                prop_assert_eq!(candidates.propagate(level), Ok(Deductions::default()));
                prop_assert!(same_state(&candidates, &first));
            }
        }
    }

    #[test]
    fn no_level_loses_a_known_solution(
        (puzzle, solution) in prop_oneof![
            samples::part_and_whole(Geometry::usual(9).unwrap()),
            samples::part_and_whole(Geometry::usual(12).unwrap()),
            samples::part_and_whole(Geometry::usual(16).unwrap()),
            samples::part_and_whole(Geometry::latin(12).unwrap()),
        ],
        level in any_level(),
    ) {
        let left = sets(&puzzle, level);
        prop_assert!(left.is_some());
        let mut pairs = left.iter().flatten().zip(solution.cells());
        prop_assert!(pairs.all(|(digits, digit)| digits.contains(digit)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn probing_reaches_the_fixpoint_of_a_naive_rescan(puzzle in samples::small_puzzle()) {
        prop_assert_eq!(sets(&puzzle, Level::Probing), naive(&puzzle, Level::Probing));
    }

    #[test]
    fn what_probing_removes_is_in_no_solution(puzzle in prop_oneof![
        samples::puzzle(Geometry::usual(4).unwrap()),
        samples::puzzle(Geometry::usual(6).unwrap()),
        samples::puzzle(Geometry::usual(9).unwrap()),
        samples::puzzle(Geometry::usual(16).unwrap()),
        samples::puzzle(Geometry::latin(6).unwrap()),
        samples::puzzle(Geometry::latin(9).unwrap()),
        samples::puzzle(Geometry::latin(16).unwrap()),
    ], level in prop::sample::select(vec![Level::Probing, Level::Nested])) {
        let solvable = |puzzle: &Puzzle| {
            matches!(exact::solve(puzzle, Limit { nodes: 1_000 }), Outcome::Solved(_))
        };
        let Some(marks) = sets(&puzzle, Level::None) else { return Ok(()) };
        let Some(left) = sets(&puzzle, level) else {
            prop_assert!(!solvable(&puzzle));
            return Ok(());
        };
        for (cell, (marks, left)) in marks.iter().zip(&left).enumerate() {
            for &digit in marks.difference(left) {
                let mut cells = puzzle.givens().cells().to_vec();
                cells[cell] = digit;
                let assumed = Grid::new(puzzle.geometry(), cells).unwrap();
                prop_assert!(!solvable(&Puzzle::new(assumed).unwrap()));
            }
        }
    }
}

fn blank(geometry: Geometry) -> Candidates {
    let grid = Grid::new(geometry, vec![0; geometry.cells()]).unwrap();
    Candidates::new(&Puzzle::new(grid).unwrap()).unwrap()
}

#[test]
fn pointing_and_claiming_remove_candidates() {
    let mut pointing = blank(Geometry::usual(9).unwrap());
    for cell in [9, 10, 11, 18, 19, 20] {
        pointing.eliminate(cell, 5).unwrap();
    }
    let deductions = pointing.propagate(Level::Locked).unwrap();
    assert_eq!(deductions.locked_candidates, 6);
    assert!((3..9).all(|cell| !pointing.digits(cell).contains(5)));

    let mut claiming = blank(Geometry::usual(9).unwrap());
    for cell in 3..9 {
        claiming.eliminate(cell, 5).unwrap();
    }
    let deductions = claiming.propagate(Level::Locked).unwrap();
    assert_eq!(deductions.locked_candidates, 6);
    assert!(
        [9, 10, 11, 18, 19, 20]
            .iter()
            .all(|&cell| !claiming.digits(cell).contains(5))
    );
}

#[test]
fn each_level_to_probing_refutes_a_puzzle_that_the_one_before_does_not() {
    // Without a solution, and for each level the first that says so.
    for (text, first) in [
        ("........................143........5", Level::None),
        ("......2...........1......4.....36...", Level::Singles),
        ("..........41..3.....5...231...6.....", Level::Locked),
        ("5.34.1.6..2......5..4..........1..3.", Level::Probing),
    ] {
        let digit = |c: char| c.to_digit(10).unwrap_or(0) as u8;
        let grid = Grid::new(
            Geometry::usual(6).unwrap(),
            text.chars().map(digit).collect(),
        );
        let puzzle = Puzzle::new(grid.unwrap()).unwrap();
        assert!(samples::solutions(&puzzle, 1).is_empty());
        for level in Level::ALL {
            assert_eq!(
                propagated(&puzzle, level).is_err(),
                level >= first,
                "{text}"
            );
        }
    }
}

/// Loki, found by mith: one solution, of which nested probing sees nothing.
const LOKI: &str =
    "57....9..........8.1.........168..4......28.9..2.9416.....2.....6.9.82.4...41.6..";

#[test]
fn nested_probing_refutes_digits_of_loki_that_probing_does_not() {
    let loki = read_one(LOKI.as_bytes(), &ReadOptions::default()).unwrap();
    let loki = Puzzle::new(loki.grid).unwrap();
    let Outcome::Solved(solution) = exact::solve(&loki, Limit::default()) else {
        panic!("Loki has a solution");
    };
    let (left, deductions) = propagated(&loki, Level::Nested).unwrap();
    assert_eq!(deductions.nested_candidates, 0);
    let mut refuted = 0;
    for (cell, &right) in solution.cells().iter().enumerate() {
        for digit in left.digits(cell).iter() {
            let mut cells = loki.givens().cells().to_vec();
            cells[cell] = digit;
            let assumed = Puzzle::new(Grid::new(loki.geometry(), cells).unwrap()).unwrap();
            let levels = [Level::Probing, Level::Nested];
            let [probed, nested] = levels.map(|level| propagated(&assumed, level).is_err());
            assert!(digit != right || !nested, "{digit} in cell {cell}");
            assert!(nested || !probed, "{digit} in cell {cell}");
            refuted += usize::from(nested && !probed);
        }
    }
    assert!(refuted > 0);
}

#[test]
fn nested_probing_leaves_alone_what_has_many_candidates() {
    for geometry in [Geometry::usual(9).unwrap(), Geometry::latin(20).unwrap()] {
        let mut candidates = blank(geometry);
        let deductions = candidates.propagate(Level::Nested).unwrap();
        assert_eq!(deductions, Deductions::default());
    }
}

#[test]
fn probes_of_ai_escargot_go_as_far_as_locked_candidates() {
    // With singles alone they would remove four.
    let puzzle = builtin::find("ai-escargot").unwrap().puzzle();
    let (_, deductions) = propagated(puzzle, Level::Probing).unwrap();
    assert_eq!(deductions.probed_candidates, 7);
    assert_eq!(sets(puzzle, Level::Probing), naive(puzzle, Level::Probing));
}

#[test]
fn levels_have_names() {
    assert_eq!(
        Level::ALL.map(Level::name),
        ["none", "singles", "locked", "probing", "nested"]
    );
    assert!(Level::ALL.is_sorted());
    for level in Level::ALL {
        assert_eq!(Level::parse(level.name()), Some(level));
    }
    assert_eq!(Level::parse("Probing"), None);
}

#[test]
fn the_largest_latin_square_uses_every_bit() {
    let mut candidates = blank(Geometry::latin(128).unwrap());
    assert_eq!(candidates.digits(0).len(), 128);
    candidates.assign(16383, 128).unwrap();
    assert!(!candidates.digits(16382).contains(128));
    assert_eq!(
        candidates.propagate(Level::Locked),
        Ok(Deductions::default())
    );
    assert_eq!(candidates.to_grid().filled(), 1);
}

#[test]
fn a_contradiction_is_named_and_stays_until_undone() {
    let mut candidates = blank(Geometry::usual(4).unwrap());
    let start = candidates.mark();
    let message = |result: Result<(), Contradiction>| result.unwrap_err().to_string();

    candidates.assign(0, 3).unwrap();
    let refused = candidates.assign(5, 3);
    assert_eq!(message(refused), "3 is not a candidate of row 2, column 2");
    assert_eq!(candidates.assign(15, 1), refused);
    assert_eq!(candidates.eliminate(15, 1), refused);
    assert_eq!(candidates.propagate(Level::None).map(|_| ()), refused);

    candidates.undo(start);
    for digit in 1..=3 {
        candidates.eliminate(6, digit).unwrap();
    }
    let empty = candidates.eliminate(6, 4);
    assert_eq!(message(empty), "no digit is left for row 2, column 3");

    candidates.undo(start);
    for cell in [2, 3, 6] {
        candidates.eliminate(cell, 1).unwrap();
    }
    let lost = candidates.eliminate(7, 1);
    assert_eq!(message(lost), "no place is left for 1 in box 2");
}

#[test]
fn what_is_outside_the_grid_is_no_candidate() {
    let mut candidates = blank(Geometry::usual(4).unwrap());
    let start = candidates.mark();
    assert!(candidates.digits(16).is_empty());
    assert_eq!(candidates.eliminate(16, 1), Ok(()));
    assert_eq!(candidates.eliminate(0, 0), Ok(()));
    assert_eq!(candidates.eliminate(0, 255), Ok(()));
    for (cell, digit) in [(16, 1), (0, 0), (0, 5), (0, 255), (usize::MAX, 1)] {
        assert!(candidates.assign(cell, digit).is_err());
        candidates.undo(start);
    }
}
