//! The puzzle that is worked on.

use rand::RngExt;

use crate::problem::sudoku::propagate::Level;
use crate::problem::{Geometry, Grid, Instance, Puzzle, Reduction};
use crate::rng::Stream;

/// The sizes that [`puzzle`] is for: square boxes of three rows or more.
pub const SIZES: [usize; 6] = [9, 16, 25, 36, 49, 64];

/// About 40 % of a pattern grid with one digit changed, so that two cells of the first row need the
/// same digit: a population that never gets there does the same work in every generation.
///
/// # Panics
/// If the size is none of [`SIZES`].
pub fn puzzle(size: usize) -> Instance {
    assert!(SIZES.contains(&size), "there is no puzzle of size {size}");
    let geometry = Geometry::usual(size).expect("a size with boxes");
    let shape = geometry.boxes().expect("a Sudoku");
    let pattern = |row: usize, col: usize| {
        ((row % shape.rows * shape.cols + row / shape.rows + col) % size + 1) as u8
    };
    // The columns of both cells are given. The second box has the digit of the first cell at
    // (row, second); there stands now what belongs to the top of that column.
    let first = 0;
    let needed = pattern(0, first);
    let (row, second) = (1..shape.rows)
        .flat_map(|row| (shape.cols..2 * shape.cols).map(move |col| (row, col)))
        .find(|&(row, col)| pattern(row, col) == needed)
        .expect("every box has every digit");
    let changed = pattern(0, second);
    // Some choices of givens show at once that there is no solution.
    let tries = (0..).map(|seed| {
        let mut rng = Stream::new(seed, size as u32);
        let cells = (0..size * size).map(|cell| {
            let at = (cell / size, cell % size);
            let given = [first, second].contains(&at.1) || rng.random_bool(0.4);
            match pattern(at.0, at.1) {
                _ if at == (row, second) => changed,
                _ if at == (0, first) || at == (0, second) => 0,
                digit if given && !(at.0 == row && digit == changed) => digit,
                _ => 0,
            }
        });
        let grid = Grid::new(geometry, cells.collect()).expect("as many cells as the grid has");
        let puzzle = Puzzle::new(grid).expect("no digit twice in a house");
        Reduction::new(&puzzle, Level::None)
    });
    let reduction = tries.flatten().next();
    reduction.expect("one that does not show it").into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::sudoku::exact::{self, Count, Limit};

    #[test]
    fn the_puzzles_have_no_solution_and_two_fifths_of_their_cells_given() {
        for size in SIZES {
            let instance = puzzle(size);
            let count = exact::count(instance.reduction().puzzle(), Limit::default());
            assert_eq!(count, Count::None, "{size}");
            let share = instance.free_cells() as f64 / (size * size) as f64;
            assert!((0.4..0.65).contains(&share), "{size}: {share} free");
        }
    }
}
