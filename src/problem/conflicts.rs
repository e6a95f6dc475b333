//! Which cells of a grid, or which queens, stand in each other's way: what a picture marks. The verifier
//! ([`super::verify`]) knows nothing of it.

use super::{Answer, Grid, Placement, Problem, Surface};

/// For each cell, or for the queen of each column, whether another one has its digit in a row, column or sub-block, or
/// attacks it. Blanks are in nobody's way.
///
/// ```
/// use gpusudoku::problem::{Answer, Geometry, Grid, Problem, Puzzle, conflicts};
///
/// let geometry = Geometry::usual(4).unwrap();
/// let puzzle = Puzzle::new(Grid::new(geometry, vec![0; 16]).unwrap()).unwrap();
/// let mut cells = vec![0; 16];
/// (cells[0], cells[5], cells[15]) = (1, 1, 1);
/// let answer = Answer::Grid(Grid::new(geometry, cells).unwrap());
/// let marked = conflicts::of(&Problem::from(puzzle), &answer);
/// assert!(marked[0] && marked[5] && !marked[15] && !marked[1]);
/// ```
pub fn of(problem: &Problem, answer: &Answer) -> Vec<bool> {
    match (answer, problem) {
        (Answer::Grid(grid), _) => of_grid(grid),
        (Answer::Placement(queens), Problem::Queens(problem)) => {
            of_queens(queens, problem.surface())
        }
        (Answer::Placement(queens), Problem::Sudoku(_)) => of_queens(queens, Surface::Board),
    }
}

/// The same of a grid alone, also of one whose givens contradict each other.
pub fn of_grid(grid: &Grid) -> Vec<bool> {
    let geometry = grid.geometry();
    let size = geometry.size();
    let cells = grid.cells();
    let boxes = geometry.boxes();
    let units = |cell: usize| {
        let (row, col) = (cell / size, cell % size);
        let block = boxes.map_or(0, |shape| row / shape.rows * shape.rows + col / shape.cols);
        [row, size + col, 2 * size + block]
    };
    let kinds = if boxes.is_some() { 3 } else { 2 };
    let mut counts = vec![0u32; 3 * size * (size + 1)];
    let at = |unit: usize, digit: u8| unit * (size + 1) + usize::from(digit);
    for (cell, &digit) in cells.iter().enumerate() {
        for unit in units(cell) {
            counts[at(unit, digit)] += 1;
        }
    }
    let marked = |(cell, &digit): (usize, &u8)| {
        let repeated = |unit: &usize| counts[at(*unit, digit)] > 1;
        digit > 0 && units(cell)[..kinds].iter().any(repeated)
    };
    cells.iter().enumerate().map(marked).collect()
}

fn of_queens(queens: &Placement, surface: Surface) -> Vec<bool> {
    let rows = queens.rows();
    let size = rows.len();
    let lines = |column: usize| {
        let row = rows[column] as usize % size.max(1);
        let (sum, difference) = (row + column, row + size - column);
        match surface {
            Surface::Board => [row, sum, difference],
            Surface::Torus => [row, sum % size, difference % size],
        }
    };
    let mut counts = vec![[0u32; 3]; 2 * size + 1];
    for column in 0..size {
        for (kind, line) in lines(column).into_iter().enumerate() {
            counts[line][kind] += 1;
        }
    }
    let attacked = |column: usize| {
        let mut lines = lines(column).into_iter().enumerate();
        lines.any(|(kind, line)| counts[line][kind] > 1)
    };
    (0..size).map(attacked).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::sudoku::builtin;
    use crate::problem::verify::verify_answer;
    use crate::problem::{Geometry, Puzzle, Queens};

    #[test]
    fn a_solution_has_no_conflicts_and_every_change_of_it_has() {
        for known in builtin::all() {
            let problem = Problem::from(known.puzzle().clone());
            let solution = known.solution().clone();
            assert!(!of(&problem, &Answer::Grid(solution.clone())).contains(&true));
            for cell in [0, 40, 80] {
                let mut cells = solution.cells().to_vec();
                cells[cell] = cells[cell] % 9 + 1;
                let changed = Grid::new(solution.geometry(), cells).unwrap();
                let marked = of(&problem, &Answer::Grid(changed));
                assert!(marked[cell], "{}", known.name);
                // Its twins in row, column and sub-block, of which two may be one cell.
                let twins = marked.iter().filter(|marked| **marked).count() - 1;
                assert!((2..=3).contains(&twins), "{}: {twins}", known.name);
            }
        }
    }

    #[test]
    fn latin_squares_have_no_blocks() {
        let geometry = Geometry::latin(4).unwrap();
        let mut cells = vec![0; 16];
        (cells[0], cells[5]) = (1, 1);
        let grid = Grid::new(geometry, cells).unwrap();
        let puzzle = Puzzle::new(grid.clone()).unwrap();
        assert!(!of(&puzzle.into(), &Answer::Grid(grid)).contains(&true));
    }

    #[test]
    fn attacked_queens_are_those_that_the_verifier_refuses() {
        for surface in [Surface::Board, Surface::Torus] {
            let problem = Problem::from(Queens::new(5, surface).unwrap());
            for number in 0..5usize.pow(5) {
                let row = |column: u32| (number / 5usize.pow(column) % 5) as u32;
                let rows: Vec<_> = (0..5).map(row).collect();
                let answer = Answer::Placement(Placement::new(rows));
                let none = !of(&problem, &answer).contains(&true);
                assert_eq!(none, verify_answer(&problem, &answer).is_ok(), "{answer:?}");
            }
        }
    }
}
