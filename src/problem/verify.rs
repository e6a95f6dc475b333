//! The verifier that every claimed solution has to pass.
//!
//! It owns the last word, so it must not know how anything else judges a grid: no
//! fitness, no candidates, no box arithmetic of others. It counts digits, slowly.

use thiserror::Error;

use super::sudoku::House;
use super::{Answer, Geometry, Grid, Placement, Problem, Puzzle, Queens, Surface};

/// The first rule that a solution breaks. Positions count from one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Violation {
    /// The solution of some other kind of puzzle.
    #[error("the puzzle is a {puzzle}, the solution a {solution}")]
    Geometry {
        /// Size and boxes of the puzzle.
        puzzle: Geometry,
        /// Size and boxes of the solution.
        solution: Geometry,
    },
    /// A cell without a digit.
    #[error("row {row}, column {col} is blank")]
    Blank {
        /// Row of the cell.
        row: usize,
        /// Column of the cell.
        col: usize,
    },
    /// A digit above N.
    #[error("row {row}, column {col} holds {digit}, but the digits end at {size}")]
    Digit {
        /// Row of the cell.
        row: usize,
        /// Column of the cell.
        col: usize,
        /// The digit found.
        digit: u8,
        /// N.
        size: usize,
    },
    /// A given that was replaced.
    #[error("row {row}, column {col} holds {digit}, but {given} was given")]
    Given {
        /// Row of the cell.
        row: usize,
        /// Column of the cell.
        col: usize,
        /// The digit of the puzzle.
        given: u8,
        /// The digit of the solution.
        digit: u8,
    },
    /// A digit more or less than once in a row, column or box.
    #[error("in {house} the digit {digit} stands {times} times instead of once")]
    House {
        /// Where.
        house: House,
        /// What.
        digit: u8,
        /// How often.
        times: usize,
    },
    /// More or fewer queens than columns.
    #[error("{queens} has {found} queens")]
    Columns {
        /// The problem.
        queens: Queens,
        /// How many there are.
        found: usize,
    },
    /// A row with more or less than one queen, or a queen beside the board.
    #[error("row {row} holds {times} queens instead of one")]
    Row {
        /// Where.
        row: usize,
        /// How many.
        times: usize,
    },
    /// Queens that attack each other.
    #[error("there are {attacks} attacks between queens, more than {fewest}")]
    Attacks {
        /// How many.
        attacks: u64,
        /// What a solution may have.
        fewest: u32,
    },
    /// The solution of a problem of another kind.
    #[error("a grid is no placement of queens, nor is a placement a grid")]
    Kind,
}

/// Checks that an answer solves a problem.
pub fn verify_answer(problem: &Problem, answer: &Answer) -> Result<(), Violation> {
    match (problem, answer) {
        (Problem::Sudoku(puzzle), Answer::Grid(grid)) => verify(puzzle, grid),
        (Problem::Queens(queens), Answer::Placement(placement)) => {
            verify_placement(queens, placement)
        }
        _ => Err(Violation::Kind),
    }
}

/// Checks that a placement has a queen in every column and every row, and no more attacks than
/// the fewest that there can be: none, unless it is a torus on which the queens do not fit.
pub fn verify_placement(queens: &Queens, placement: &Placement) -> Result<(), Violation> {
    let n = queens.size();
    if placement.rows().len() != n {
        return Err(Violation::Columns {
            queens: *queens,
            found: placement.rows().len(),
        });
    }
    let mut times = vec![0; n];
    for &row in placement.rows() {
        // A queen beside the board leaves some row without one.
        if let Some(times) = times.get_mut(row as usize) {
            *times += 1;
        }
    }
    if let Some(row) = times.iter().position(|&times| times != 1) {
        return Err(Violation::Row {
            row: row + 1,
            times: times[row],
        });
    }
    let (attacks, fewest) = (attacks(queens, placement), queens.fewest_attacks());
    if attacks > u64::from(fewest) {
        return Err(Violation::Attacks { attacks, fewest });
    }
    Ok(())
}

/// The pairs of queens on each diagonal, added up. On a torus of even size two queens can share
/// two diagonals and attack each other twice.
pub fn attacks(queens: &Queens, placement: &Placement) -> u64 {
    let n = queens.size() as i64;
    let mut attacks = 0;
    for direction in [-1, 1] {
        let diagonal = |(column, &row): (usize, &u32)| {
            let diagonal = i64::from(row) + direction * column as i64;
            match queens.surface() {
                Surface::Board => diagonal,
                Surface::Torus => diagonal.rem_euclid(n),
            }
        };
        let mut diagonals: Vec<i64> = placement.rows().iter().enumerate().map(diagonal).collect();
        diagonals.sort_unstable();
        for together in diagonals.chunk_by(|one, two| one == two) {
            let queens = together.len() as u64;
            attacks += queens * (queens - 1) / 2;
        }
    }
    attacks
}

/// Checks that a grid solves a puzzle: every cell is filled, every given stands, and
/// every row, column and box holds every digit once.
pub fn verify(puzzle: &Puzzle, solution: &Grid) -> Result<(), Violation> {
    let geometry = solution.geometry();
    if geometry != puzzle.geometry() {
        return Err(Violation::Geometry {
            puzzle: puzzle.geometry(),
            solution: geometry,
        });
    }
    verify_grid(solution)?;
    let n = geometry.size();
    for row in 0..n {
        for col in 0..n {
            let given = digit_at(puzzle.givens(), row, col);
            let digit = digit_at(solution, row, col);
            if given != 0 && given != digit {
                return Err(Violation::Given {
                    row: row + 1,
                    col: col + 1,
                    given,
                    digit,
                });
            }
        }
    }
    Ok(())
}

/// Checks that a grid is complete and every row, column and box holds every digit once.
pub fn verify_grid(grid: &Grid) -> Result<(), Violation> {
    let n = grid.geometry().size();
    for row in 0..n {
        for col in 0..n {
            let digit = digit_at(grid, row, col);
            let (row, col) = (row + 1, col + 1);
            if digit == 0 {
                return Err(Violation::Blank { row, col });
            }
            if usize::from(digit) > n {
                return Err(Violation::Digit {
                    row,
                    col,
                    digit,
                    size: n,
                });
            }
        }
    }
    for row in 0..n {
        let digits: Vec<u8> = (0..n).map(|col| digit_at(grid, row, col)).collect();
        every_digit_once(House::Row(row), &digits)?;
    }
    for col in 0..n {
        let digits: Vec<u8> = (0..n).map(|row| digit_at(grid, row, col)).collect();
        every_digit_once(House::Column(col), &digits)?;
    }
    if let Some(shape) = grid.geometry().boxes() {
        let mut index = 0;
        for top in (0..n).step_by(shape.rows) {
            for left in (0..n).step_by(shape.cols) {
                let mut digits = Vec::new();
                for row in top..top + shape.rows {
                    for col in left..left + shape.cols {
                        digits.push(digit_at(grid, row, col));
                    }
                }
                every_digit_once(House::Box(index), &digits)?;
                index += 1;
            }
        }
    }
    Ok(())
}

/// As many digits as cells, each of them once, leave room for nothing else.
fn every_digit_once(house: House, digits: &[u8]) -> Result<(), Violation> {
    for digit in (1..=u8::MAX).take(digits.len()) {
        let times = digits.iter().filter(|&&other| other == digit).count();
        if times != 1 {
            return Err(Violation::House {
                house,
                digit,
                times,
            });
        }
    }
    Ok(())
}

/// A cell that the grid does not have is a blank, and rejected as one.
fn digit_at(grid: &Grid, row: usize, col: usize) -> u8 {
    let cell = row * grid.geometry().size() + col;
    grid.cells().get(cell).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::problem::sudoku::propagate::samples;

    fn small() -> impl Strategy<Value = Grid> {
        prop_oneof![
            samples::solved(Geometry::sudoku(2, 2).unwrap()),
            samples::solved(Geometry::sudoku(2, 3).unwrap()),
            samples::solved(Geometry::sudoku(3, 2).unwrap()),
            samples::solved(Geometry::sudoku(3, 3).unwrap()),
            samples::solved(Geometry::sudoku(3, 4).unwrap()),
            samples::solved(Geometry::latin(2).unwrap()),
            samples::solved(Geometry::latin(5).unwrap()),
            samples::solved(Geometry::latin(11).unwrap()),
        ]
    }

    fn large() -> impl Strategy<Value = Grid> {
        prop_oneof![
            samples::solved(Geometry::sudoku(4, 4).unwrap()),
            samples::solved(Geometry::sudoku(2, 8).unwrap()),
            samples::solved(Geometry::sudoku(5, 5).unwrap()),
            samples::solved(Geometry::latin(25).unwrap()),
        ]
    }

    fn with_cells(grid: &Grid, change: impl FnOnce(&mut Vec<u8>)) -> Grid {
        let mut cells = grid.cells().to_vec();
        change(&mut cells);
        Grid::new(grid.geometry(), cells).unwrap()
    }

    fn check_corruptions(grid: &Grid, wrong_digits: usize) -> Result<(), TestCaseError> {
        let n = grid.geometry().size();
        prop_assert_eq!(verify_grid(grid), Ok(()));
        for cell in 0..n * n {
            for shift in 1..=wrong_digits.min(n - 1) {
                let wrong = with_cells(grid, |cells| {
                    cells[cell] = ((usize::from(cells[cell]) - 1 + shift) % n + 1) as u8;
                });
                prop_assert!(verify_grid(&wrong).is_err());
            }
            let (row, col) = (cell / n + 1, cell % n + 1);
            let blank = with_cells(grid, |cells| cells[cell] = 0);
            prop_assert_eq!(verify_grid(&blank), Err(Violation::Blank { row, col }));
        }
        for line in 0..n {
            for (a, b) in (0..n).flat_map(|b| (0..b).map(move |a| (a, b))) {
                let in_row = with_cells(grid, |cells| cells.swap(line * n + a, line * n + b));
                prop_assert!(verify_grid(&in_row).is_err());
                let in_column = with_cells(grid, |cells| cells.swap(a * n + line, b * n + line));
                prop_assert!(verify_grid(&in_column).is_err());
            }
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_wrong_digit_and_every_swap_is_rejected(grid in small()) {
            check_corruptions(&grid, usize::MAX)?;
        }

        #[test]
        fn every_given_must_stand(grid in small(), relabelled in any::<prop::sample::Index>()) {
            let n = grid.geometry().size();
            let puzzle = Puzzle::new(grid.clone()).unwrap();
            prop_assert_eq!(verify(&puzzle, &grid), Ok(()));
            // Exchanging two digits everywhere keeps the rules and breaks the givens.
            let a = relabelled.index(n) as u8 + 1;
            let b = a % n as u8 + 1;
            let other = with_cells(&grid, |cells| {
                for digit in cells {
                    *digit = if *digit == a { b } else if *digit == b { a } else { *digit };
                }
            });
            prop_assert_eq!(verify_grid(&other), Ok(()));
            let given = matches!(verify(&puzzle, &other), Err(Violation::Given { .. }));
            prop_assert!(given);
        }

        #[test]
        fn rows_may_change_places_within_their_boxes_only(grid in small()) {
            let n = grid.geometry().size();
            let Some(shape) = grid.geometry().boxes() else { return Ok(()) };
            for (a, b) in (0..n).flat_map(|b| (0..b).map(move |a| (a, b))) {
                let exchanged = with_cells(&grid, |cells| {
                    for col in 0..n {
                        cells.swap(a * n + col, b * n + col);
                    }
                });
                let verdict = verify_grid(&exchanged);
                if a / shape.rows == b / shape.rows {
                    prop_assert_eq!(verdict, Ok(()));
                } else {
                    let in_box = matches!(verdict, Err(Violation::House { house: House::Box(_), .. }));
                    prop_assert!(in_box);
                }
            }
        }

        #[test]
        fn any_grid_gets_a_verdict(n in 2..=12_usize, cells in prop::collection::vec(0..=12_u8, 144)) {
            let digits = |cell: &u8| cell % (n as u8 + 1);
            let cells: Vec<u8> = cells.iter().take(n * n).map(digits).collect();
            for geometry in [Geometry::latin(n), Geometry::usual(n)].into_iter().flatten() {
                let _ = verify_grid(&Grid::new(geometry, cells.clone()).unwrap());
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4))]

        #[test]
        fn so_it_is_in_large_grids(grid in large()) {
            check_corruptions(&grid, 1)?;
        }
    }

    #[test]
    fn violations_say_what_is_wrong_in_a_sentence() {
        let latin = Geometry::latin(4).unwrap();
        let sudoku = Geometry::usual(4).unwrap();
        let cyclic = vec![1, 2, 3, 4, 2, 3, 4, 1, 3, 4, 1, 2, 4, 1, 2, 3];
        let grid = Grid::new(latin, cyclic).unwrap();
        assert_eq!(verify_grid(&grid), Ok(()));

        let boxed = grid.clone().with_geometry(sudoku).unwrap();
        let message = |result: Result<(), Violation>| result.unwrap_err().to_string();
        assert_eq!(
            message(verify_grid(&boxed)),
            "in box 1 the digit 2 stands 2 times instead of once"
        );
        let puzzle = Puzzle::new(Grid::new(sudoku, vec![0; 16]).unwrap()).unwrap();
        assert_eq!(
            message(verify(&puzzle, &grid)),
            "the puzzle is a 4x4 Sudoku with 2x2 boxes, the solution a Latin square of order 4"
        );
        let swapped = with_cells(&grid, |cells| cells.swap(4, 8));
        assert_eq!(
            message(verify_grid(&swapped)),
            "in row 2 the digit 2 stands 0 times instead of once"
        );
        let mut givens = vec![0; 16];
        givens[5] = 4;
        let puzzle = Puzzle::new(Grid::new(latin, givens).unwrap()).unwrap();
        assert_eq!(
            message(verify(&puzzle, &grid)),
            "row 2, column 2 holds 3, but 4 was given"
        );
        let blank = with_cells(&grid, |cells| cells[7] = 0);
        assert_eq!(message(verify_grid(&blank)), "row 2, column 4 is blank");
    }
}
