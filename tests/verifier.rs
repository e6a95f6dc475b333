//! The verifier against a million solved grids, each damaged in one of the ways in which a
//! search, a kernel or a file could be wrong. Every damage is real by construction: why it breaks a rule
//! stands beside it, so that a grid that passes is a fault of the verifier.

use std::collections::BTreeSet;

use gpusudoku::problem::sudoku::exact::Limit;
use gpusudoku::problem::sudoku::generate::{Generated, Recipe, generate};
use gpusudoku::problem::verify::verify;
use gpusudoku::problem::{Geometry, Grid, Puzzle};
use gpusudoku::rng::Stream;
use rand::RngExt as _;
use rayon::prelude::*;

/// Grids, and how many of each kind: every one is damaged [`EACH`] times. Small ones are quick to check,
/// so there are more of them.
const GRIDS: &[(Shape, u32)] = &[
    (Shape::Boxes(3, 3), 420),
    (Shape::Boxes(2, 5), 80),
    (Shape::Boxes(5, 2), 80),
    (Shape::Boxes(3, 4), 60),
    (Shape::Boxes(4, 3), 60),
    (Shape::Boxes(2, 7), 30),
    (Shape::Boxes(4, 4), 70),
    (Shape::Boxes(8, 2), 20),
    (Shape::Boxes(4, 5), 20),
    (Shape::Boxes(6, 4), 15),
    (Shape::Boxes(5, 5), 15),
    (Shape::Latin(9), 60),
    (Shape::Latin(11), 20),
    (Shape::Latin(16), 30),
    (Shape::Latin(25), 20),
];

const EACH: u32 = 1000;

#[derive(Clone, Copy)]
enum Shape {
    Boxes(usize, usize),
    Latin(usize),
}

/// Ways to damage a solved grid.
#[derive(Debug, Clone, Copy)]
enum Damage {
    /// A cell holds another digit: its row has no cell left for the digit that was there.
    Digit,
    /// A cell holds nothing.
    Blank,
    /// Two cells of a row change places. Their digits differ, as the row has each once, so that either
    /// column has one twice.
    SwapInRow,
    /// Two cells of a column do: the same with rows.
    SwapInColumn,
    /// Two cells of a box, in different rows, do; of a Latin square any two that differ in row and digit. The
    /// row of the first has the digit of the second already, at another place.
    SwapInBox,
    /// Two rows of different bands change places. All rows and columns stay right. Such rows are chosen that
    /// a digit of the one in the first stack is not in the first stack of the other: the box that it
    /// leaves does not get it back.
    Rows,
    /// Two digits change places everywhere. All houses stay right, but one of the two is a given.
    Relabelled,
    /// A given holds another digit, and its row breaks as with [`Damage::Digit`].
    Given,
    /// A digit above N.
    AboveN,
    /// Some cells at the end are missing.
    Truncated,
    /// There is a cell more.
    Extended,
    /// The same cells as a grid of another kind: with other boxes, or without any.
    OtherBoxes,
}

const ALL: [Damage; 12] = [
    Damage::Digit,
    Damage::Blank,
    Damage::SwapInRow,
    Damage::SwapInColumn,
    Damage::SwapInBox,
    Damage::Rows,
    Damage::Relabelled,
    Damage::Given,
    Damage::AboveN,
    Damage::Truncated,
    Damage::Extended,
    Damage::OtherBoxes,
];

/// Two different numbers below `n`.
fn two(n: usize, rng: &mut Stream) -> (usize, usize) {
    let one = rng.random_range(0..n);
    (one, (one + rng.random_range(1..n)) % n)
}

/// A digit of an N x N grid that is not this one.
fn another(digit: u8, n: usize, rng: &mut Stream) -> u8 {
    let step = rng.random_range(1..n);
    ((usize::from(digit) - 1 + step) % n + 1) as u8
}

impl Damage {
    /// What is left of a solution, and as what it is taken; nothing where this cannot be done.
    fn inflict(self, made: &Generated, rng: &mut Stream) -> Option<(Geometry, Vec<u8>)> {
        let geometry = made.solution.geometry();
        let n = geometry.size();
        let mut cells = made.solution.cells().to_vec();
        let at = rng.random_range(0..n * n);
        match self {
            Self::Digit => cells[at] = another(cells[at], n, rng),
            Self::Blank => cells[at] = 0,
            Self::SwapInRow => {
                let (one, two) = two(n, rng);
                let row = at / n * n;
                cells.swap(row + one, row + two);
            }
            Self::SwapInColumn => {
                let (one, two) = two(n, rng);
                cells.swap(one * n + at % n, two * n + at % n);
            }
            Self::SwapInBox => {
                let (row, col) = (at / n, at % n);
                let mates = |&other: &usize| {
                    let (r, c) = (other / n, other % n);
                    geometry.box_of(r, c) == geometry.box_of(row, col)
                        && r != row
                        && cells[other] != cells[at]
                };
                let mates: Vec<usize> = (0..n * n).filter(mates).collect();
                cells.swap(at, mates[rng.random_range(0..mates.len())]);
            }
            Self::Rows => {
                let shape = geometry.boxes()?;
                let first_stack = |row: usize| -> BTreeSet<u8> {
                    cells[row * n..][..shape.cols].iter().copied().collect()
                };
                let row = at / n;
                let here = first_stack(row);
                let others = |&other: &usize| {
                    other / shape.rows != row / shape.rows && first_stack(other) != here
                };
                let others: Vec<usize> = (0..n).filter(others).collect();
                let other = others[rng.random_range(0..others.len())];
                for col in 0..n {
                    cells.swap(row * n + col, other * n + col);
                }
            }
            Self::Relabelled => {
                let one = made.puzzle.cells()[given(made, at)];
                let two = another(one, n, rng);
                for cell in &mut cells {
                    *cell = match *cell {
                        digit if digit == one => two,
                        digit if digit == two => one,
                        digit => digit,
                    };
                }
            }
            Self::Given => {
                let at = given(made, at);
                cells[at] = another(cells[at], n, rng);
            }
            Self::AboveN => cells[at] = rng.random_range(n as u8 + 1..=u8::MAX),
            Self::Truncated => cells.truncate(at),
            Self::Extended => cells.push(1),
            Self::OtherBoxes => {
                let other = match geometry.boxes() {
                    None => Geometry::usual(n),
                    Some(shape) if shape.rows != shape.cols => {
                        Geometry::sudoku(shape.cols, shape.rows)
                    }
                    Some(_) => Geometry::latin(n),
                };
                return Some((other.ok()?, cells));
            }
        }
        Some((geometry, cells))
    }
}

/// The first given from a cell on.
fn given(made: &Generated, from: usize) -> usize {
    let cells = made.puzzle.cells();
    let mut around = (from..cells.len()).chain(0..from);
    around.find(|&at| cells[at] != 0).unwrap()
}

/// Whether cells pass for a solution, as everywhere in the program: first they have to be a grid.
fn passes(puzzle: &Puzzle, geometry: Geometry, cells: Vec<u8>) -> bool {
    Grid::new(geometry, cells).is_ok_and(|grid| verify(puzzle, &grid).is_ok())
}

/// Damages one solved grid again and again: how often in each way, and what passed.
fn damage(shape: Shape, seed: u32) -> ([u32; ALL.len()], Vec<String>) {
    let geometry = match shape {
        Shape::Boxes(rows, cols) => Geometry::sudoku(rows, cols),
        Shape::Latin(size) => Geometry::latin(size),
    }
    .unwrap();
    let recipe = Recipe {
        geometry,
        givens: geometry.cells() / 3,
        unique: false,
        limit: Limit::default(),
    };
    let made = generate(&recipe, u64::from(seed), 0, |_, _| {});
    let puzzle = Puzzle::new(made.puzzle.clone()).unwrap();
    let blank = Grid::new(geometry, vec![0; geometry.cells()]).unwrap();
    let blank = Puzzle::new(blank).unwrap();
    // Otherwise it would mean nothing that the others are refused.
    for puzzle in [&puzzle, &blank] {
        let whole = made.solution.cells().to_vec();
        assert!(passes(puzzle, geometry, whole), "{geometry}, seed {seed}");
    }
    let mut rng = Stream::new(u64::from(seed), 1);
    let mut tried = [0; ALL.len()];
    let mut passed = Vec::new();
    let mut next = (0..ALL.len()).cycle();
    while tried.iter().sum::<u32>() < EACH {
        let kind = next.next().unwrap();
        let Some((taken_for, cells)) = ALL[kind].inflict(&made, &mut rng) else {
            continue;
        };
        tried[kind] += 1;
        let puzzle = match ALL[kind] {
            Damage::Relabelled | Damage::Given => &puzzle,
            // No given may come to the help of the other rules.
            _ => &blank,
        };
        if passes(puzzle, taken_for, cells.clone()) {
            passed.push(format!("{:?} of {geometry}: {cells:?}", ALL[kind]));
        }
    }
    (tried, passed)
}

#[test]
fn a_million_damaged_grids_are_all_refused() {
    let grids: Vec<(Shape, u32)> = GRIDS
        .iter()
        .flat_map(|&(shape, count)| (0..count).map(move |seed| (shape, seed)))
        .collect();
    let (tried, passed) = grids
        .into_par_iter()
        .map(|(shape, seed)| damage(shape, seed))
        .reduce(Default::default, |mut sum, other| {
            for (sum, tried) in sum.0.iter_mut().zip(other.0) {
                *sum += tried;
            }
            sum.1.extend(other.1);
            sum
        });
    let all: u32 = tried.iter().sum();
    println!("{all} damaged grids, {} accepted", passed.len());
    for (kind, tried) in ALL.iter().zip(tried) {
        println!("{tried:>8} {kind:?}");
        assert!(tried > 10_000, "{kind:?} was hardly tried");
    }
    assert_eq!(all, 1_000_000);
    assert_eq!(passed, Vec::<String>::new());
}
