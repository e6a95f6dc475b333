//! New puzzles: a solved grid, and holes in it.
//!
//! A Sudoku begins as the canonical grid, whose rows are shifted copies of the first, and has its
//! digits relabelled, its rows and columns permuted within their bands and stacks, these permuted as
//! well, and perhaps rows and columns exchanged. A Latin square begins as the cyclic one and takes
//! Jacobson & Matthews' random walk ("Generating uniformly distributed random Latin squares", 1996),
//! because relabelling alone would leave it cyclic. Then cells are opened at random.
//!
//! Everything follows from the seed and the number of the puzzle, on every machine.

use rand::Rng;

use super::exact::{self, Count, Limit};
use super::{BoxShape, Geometry, Grid, Puzzle};
use crate::error::Error;

/// The largest grids of which all solutions can be counted in good time.
pub const MAX_UNIQUE: usize = 16;

/// The most cells of all puzzles together, as they are kept in memory until they are written: a million
/// of 9x9.
const MAX_CELLS: usize = 1 << 27;
use crate::rng::{Stream, bounded};

/// Streams of random numbers for generated puzzles begin here, one for each.
const STREAMS: u32 = 1 << 16;

/// What a puzzle should be like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recipe {
    /// Size and boxes.
    pub geometry: Geometry,
    /// How many cells are given.
    pub givens: usize,
    /// Whether no other solution may be left. Then there may be more givens than wanted.
    pub unique: bool,
    /// How far the exact solver goes to find out.
    pub limit: Limit,
}

impl Recipe {
    /// A recipe for so many puzzles, if they can be made; `givens` is a share or a number.
    pub fn new(
        geometry: Geometry,
        givens: &str,
        unique: bool,
        count: usize,
    ) -> Result<Self, Error> {
        let most = MAX_CELLS / geometry.cells();
        if count > most {
            return Err(Error::Input(format!(
                "--count {count} is too much: expected at most {most} of a {geometry}"
            )));
        }
        if unique && geometry.size() > MAX_UNIQUE {
            return Err(Error::Input(format!(
                "--unique is for grids up to {MAX_UNIQUE}x{MAX_UNIQUE}: of larger ones not all \
                 solutions can be counted"
            )));
        }
        Ok(Self {
            geometry,
            givens: parse_givens(givens, geometry.cells())?,
            unique,
            limit: Limit::default(),
        })
    }
}

/// The grid that is asked for by its size, by the shape of its boxes, or by both; 9x9 if by neither.
pub fn geometry(
    size: Option<usize>,
    boxes: Option<BoxShape>,
    latin: bool,
) -> Result<Geometry, Error> {
    let n = size.unwrap_or(9);
    let geometry = match boxes {
        Some(shape) if latin => {
            return Err(Error::Input(format!(
                "Latin squares have no boxes: expected --box {shape} or --latin, not both"
            )));
        }
        Some(shape) => Geometry::sudoku(shape.rows, shape.cols)?,
        None if latin => Geometry::latin(n)?,
        None => Geometry::usual(n)?,
    };
    match (size, boxes) {
        (Some(size), Some(shape)) if size != geometry.size() => Err(Error::Input(format!(
            "boxes of {shape} make a grid of {0}x{0}, not of {size}x{size}",
            geometry.size(),
        ))),
        _ => Ok(geometry),
    }
}

/// How many of so many cells a share or a number stands for.
pub fn parse_givens(text: &str, cells: usize) -> Result<usize, Error> {
    let number = match text.strip_suffix('%') {
        Some(share) => share
            .trim()
            .parse::<f64>()
            .ok()
            .filter(|share| (0.0..=100.0).contains(share))
            .map(|share| (cells as f64 * share / 100.0).round() as usize),
        None => text.parse().ok().filter(|&number: &usize| number <= cells),
    };
    number.ok_or_else(|| {
        Error::Input(format!(
            "{text} givens are not possible: expected a share such as 45%, or a number from 0 to \
             {cells}"
        ))
    })
}

/// A generated puzzle and the grid that it was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// The puzzle.
    pub puzzle: Grid,
    /// A solution; the solution, if it is unique.
    pub solution: Grid,
}

/// The `index`-th puzzle of a seed. `step` is told how many cells have been tried, of how many.
pub fn generate(
    recipe: &Recipe,
    seed: u64,
    index: u32,
    mut step: impl FnMut(usize, usize),
) -> Generated {
    let mut rng = Stream::new(seed, STREAMS.wrapping_add(index));
    let geometry = recipe.geometry;
    let solved = match geometry.boxes() {
        Some(_) => sudoku(geometry, &mut rng),
        None => latin(geometry.size(), &mut rng),
    };
    let grid = |cells: &[u8]| Grid::new(geometry, cells.to_vec()).expect("digits from 0 to N");
    let mut order: Vec<usize> = (0..geometry.cells()).collect();
    shuffle(&mut order, &mut rng);
    let mut cells = solved.clone();
    let mut left = geometry.cells();
    for (tried, &cell) in order.iter().enumerate() {
        if left <= recipe.givens {
            break;
        }
        cells[cell] = 0;
        left -= 1;
        if recipe.unique && !is_unique(&grid(&cells), recipe.limit) {
            cells[cell] = solved[cell];
            left += 1;
        }
        step(tried + 1, order.len());
    }
    Generated {
        puzzle: grid(&cells),
        solution: grid(&solved),
    }
}

/// Whether a part of a solved grid is known to have one solution only.
pub fn is_unique(grid: &Grid, limit: Limit) -> bool {
    let puzzle = Puzzle::new(grid.clone());
    puzzle.is_ok_and(|puzzle| matches!(exact::count(&puzzle, limit), Count::One(_)))
}

/// Puts things in random order (Fisher & Yates).
fn shuffle<T>(things: &mut [T], rng: &mut Stream) {
    for last in (1..things.len()).rev() {
        let other = bounded(rng.next_u32(), last as u32 + 1);
        things.swap(last, other as usize);
    }
}

/// Lines in random order: groups of so many, and the lines within each.
fn shuffled_lines(groups: usize, each: usize, rng: &mut Stream) -> Vec<usize> {
    let mut order: Vec<usize> = (0..groups).collect();
    shuffle(&mut order, rng);
    let mut lines = Vec::new();
    for group in order {
        let mut inside: Vec<usize> = (group * each..(group + 1) * each).collect();
        shuffle(&mut inside, rng);
        lines.extend(inside);
    }
    lines
}

/// A solved Sudoku.
fn sudoku(geometry: Geometry, rng: &mut Stream) -> Vec<u8> {
    let n = geometry.size();
    let shape = geometry.boxes().expect("a Sudoku has boxes");
    let mut digits: Vec<u8> = (1..=n as u8).collect();
    shuffle(&mut digits, rng);
    let rows = shuffled_lines(n / shape.rows, shape.rows, rng);
    let columns = shuffled_lines(n / shape.cols, shape.cols, rng);
    // Only square boxes stay boxes when rows and columns are exchanged.
    let transposed = rng.next_u32() >> 31 == 1 && shape.rows == shape.cols;
    let digit = |row: usize, col: usize| {
        let shift = row % shape.rows * shape.cols + row / shape.rows;
        digits[(shift + col) % n]
    };
    let cell = |at: usize| match transposed {
        false => digit(rows[at / n], columns[at % n]),
        true => digit(rows[at % n], columns[at / n]),
    };
    (0..n * n).map(cell).collect()
}

/// A random Latin square.
///
/// As a cube, a square has 1 where a row, a column and a digit meet and 0 elsewhere, so that every
/// line of the cube adds up to 1. A step adds 1 at a place that has 0, and to three others, and takes
/// 1 away from four, so that the lines still do. If one of these had 0, it is -1 now: the square is
/// improper, and the next step begins there.
fn latin(n: usize, rng: &mut Stream) -> Vec<u8> {
    let at = |[row, col, digit]: [usize; 3]| (row * n + col) * n + digit;
    let mut cube = vec![0i8; n * n * n];
    for cell in 0..n * n {
        let (row, col) = (cell / n, cell % n);
        cube[at([row, col, (row + col) % n])] = 1;
    }
    let mut improper = None;
    // The proper squares on the way are spread evenly, about one in n steps is proper, and n^3
    // steps are held for ample. (The first proper one after so many steps would not be spread
    // evenly: some have more improper neighbours than others.)
    let mut proper = 0;
    // Of the two squares of order 2 each leads to the other: only chance can choose.
    let wanted = n * n
        + if n == 2 {
            bounded(rng.next_u32(), 2) as usize
        } else {
            0
        };
    while proper < wanted {
        let mut below = |count: usize| bounded(rng.next_u32(), count as u32) as usize;
        let from = improper.unwrap_or_else(|| {
            loop {
                let place = [below(n), below(n), below(n)];
                if cube[at(place)] == 0 {
                    break place;
                }
            }
        });
        // The 1 on each line through it; an improper place has two, of which either will do.
        let which = [0, 1, 2].map(|_| if improper.is_some() { below(2) } else { 0 });
        let to = [0, 1, 2].map(|axis| {
            let ones = (0..n).filter(|&other| {
                let mut place = from;
                place[axis] = other;
                cube[at(place)] == 1
            });
            { ones }.nth(which[axis]).expect("lines add up to 1")
        });
        // The corners of the box between the two: an even number of steps away 1 more.
        for corner in 0..8 {
            let moved = [0, 1, 2].map(|axis| corner >> axis & 1 == 1);
            let place = [0, 1, 2].map(|axis| if moved[axis] { to[axis] } else { from[axis] });
            let even = moved.into_iter().filter(|&moved| moved).count() % 2 == 0;
            cube[at(place)] += if even { 1 } else { -1 };
        }
        improper = (cube[at(to)] < 0).then_some(to);
        proper += usize::from(improper.is_none());
    }
    let digit = |cell: usize| {
        let line = &cube[cell * n..(cell + 1) * n];
        let at = line.iter().position(|&one| one == 1);
        at.expect("a proper square") as u8 + 1
    };
    (0..n * n).map(digit).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::problem::verify::{verify, verify_grid};

    const LIMIT: Limit = Limit { nodes: 100_000 };

    fn recipe(geometry: Geometry, givens: usize) -> Recipe {
        Recipe {
            geometry,
            givens,
            unique: false,
            limit: LIMIT,
        }
    }

    fn geometries() -> impl Strategy<Value = Geometry> {
        prop_oneof![
            (2usize..=4, 2usize..=5).prop_map(|(rows, cols)| Geometry::sudoku(rows, cols).unwrap()),
            (2usize..=20).prop_map(|size| Geometry::latin(size).unwrap()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn puzzles_have_as_many_givens_as_wanted_and_the_solution(
            geometry in geometries(),
            share in 0.0..=1.0,
            seed in any::<u64>(),
        ) {
            let givens = (geometry.cells() as f64 * share) as usize;
            let made = generate(&recipe(geometry, givens), seed, 3, |_, _| {});
            prop_assert_eq!(made.puzzle.filled(), givens);
            prop_assert_eq!(verify_grid(&made.solution), Ok(()));
            let puzzle = Puzzle::new(made.puzzle.clone()).unwrap();
            prop_assert_eq!(verify(&puzzle, &made.solution), Ok(()));
            let again = generate(&recipe(geometry, givens), seed, 3, |_, _| {});
            prop_assert_eq!(&made, &again);
            let next = generate(&recipe(geometry, givens), seed, 4, |_, _| {});
            prop_assert!(geometry.cells() < 50 || made.solution != next.solution);
        }
    }

    #[test]
    fn unique_puzzles_have_one_solution_and_no_given_to_spare() {
        let geometry = Geometry::usual(9).unwrap();
        let unique = Recipe {
            unique: true,
            ..recipe(geometry, 0)
        };
        let made = generate(&unique, 7, 0, |_, _| {});
        let cells = made.puzzle.cells();
        assert!(made.puzzle.filled() < 30, "{}", made.puzzle.filled());
        assert!(is_unique(&made.puzzle, LIMIT));
        for given in (0..81).filter(|&cell| cells[cell] != 0) {
            let mut fewer = cells.to_vec();
            fewer[given] = 0;
            assert!(!is_unique(&Grid::new(geometry, fewer).unwrap(), LIMIT));
        }
    }

    #[test]
    fn both_squares_of_order_2_are_made() {
        let squares: std::collections::BTreeSet<_> = (0..20)
            .map(|seed| latin(2, &mut Stream::new(seed, 0)))
            .collect();
        assert_eq!(squares.len(), 2);
    }

    /// The walk reaches all squares of order 4 about equally often: there are 576.
    #[test]
    fn latin_squares_are_spread_evenly() {
        let mut counts = std::collections::BTreeMap::new();
        const WALKS: u32 = 576 * 20;
        for seed in 0..WALKS {
            let mut rng = Stream::new(u64::from(seed), 0);
            *counts.entry(latin(4, &mut rng)).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 576);
        let chi2: f64 = counts
            .values()
            .map(|&c| (f64::from(c) - 20.0).powi(2) / 20.0)
            .sum();
        // 575 degrees of freedom: within five standard deviations.
        assert!((575.0 - 170.0..575.0 + 170.0).contains(&chi2), "{chi2}");
    }
}
