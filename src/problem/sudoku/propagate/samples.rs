//! Grids and puzzles for the tests of this and the neighbouring modules, made and solved without
//! the code under test.

use proptest::prelude::*;

use super::*;

/// Solved grids: a pattern with its digits, rows and columns shuffled.
pub(crate) fn solved(geometry: Geometry) -> BoxedStrategy<Grid> {
    let n = geometry.size();
    let (height, width) = geometry
        .boxes()
        .map_or((1, n), |shape| (shape.rows, shape.cols));
    let keys = || prop::collection::vec(any::<u32>(), n);
    let digits = Just((1..=n as u8).collect::<Vec<_>>()).prop_shuffle();
    (digits, keys(), keys(), keys(), keys())
        .prop_map(move |(digits, band_keys, row_keys, stack_keys, col_keys)| {
            // Lines keep the company of their box.
            let shuffle = |length: usize, group_keys: &[u32], keys: &[u32]| {
                let mut lines: Vec<usize> = (0..n).collect();
                lines.sort_by_key(|&line| (group_keys[line / length], line / length, keys[line]));
                lines
            };
            let rows = shuffle(height, &band_keys, &row_keys);
            let cols = shuffle(width, &stack_keys, &col_keys);
            let pattern = |row: usize, col: usize| (row % height * width + row / height + col) % n;
            let cells = rows
                .iter()
                .flat_map(|&row| cols.iter().map(move |&col| (row, col)))
                .map(|(row, col)| digits[pattern(row, col)])
                .collect();
            Grid::new(geometry, cells).unwrap()
        })
        .boxed()
}

/// Puzzles that are part of a solved grid, and that grid.
pub(crate) fn part_and_whole(geometry: Geometry) -> BoxedStrategy<(Puzzle, Grid)> {
    let keep = prop::collection::vec(0..100_u8, geometry.cells());
    (solved(geometry), 0..90_u8, keep)
        .prop_map(move |(solved, percent, keep)| {
            let mut givens = solved.cells().to_vec();
            for (given, key) in givens.iter_mut().zip(keep) {
                if key >= percent {
                    *given = 0;
                }
            }
            let givens = Grid::new(geometry, givens).unwrap();
            (Puzzle::new(givens).unwrap(), solved)
        })
        .boxed()
}

/// Puzzles with no, one or many solutions: part of a solved grid, and some further
/// givens of which nothing is known but that they do not clash.
pub(crate) fn puzzle(geometry: Geometry) -> BoxedStrategy<Puzzle> {
    let (n, cells) = (geometry.size(), geometry.cells());
    let further = prop::collection::vec((0..cells, 1..=n as u8), 0..6);
    (part_and_whole(geometry), further)
        .prop_map(move |((part, _), further)| {
            let mut givens = part.givens().cells().to_vec();
            let puzzle = |cells: &[u8]| Puzzle::new(Grid::new(geometry, cells.to_vec()).unwrap());
            for (cell, digit) in further {
                let before = std::mem::replace(&mut givens[cell], digit);
                if puzzle(&givens).is_err() {
                    givens[cell] = before;
                }
            }
            puzzle(&givens).unwrap()
        })
        .boxed()
}

/// Puzzles small enough for [`solutions`].
pub(crate) fn small_puzzle() -> impl Strategy<Value = Puzzle> {
    prop_oneof![
        puzzle(Geometry::sudoku(2, 2).unwrap()),
        puzzle(Geometry::sudoku(2, 3).unwrap()),
        puzzle(Geometry::sudoku(3, 2).unwrap()),
        puzzle(Geometry::latin(4).unwrap()),
        puzzle(Geometry::latin(5).unwrap()),
    ]
}

/// Whether two different cells share a row, column or box.
pub(crate) fn are_peers(geometry: Geometry, a: usize, b: usize) -> bool {
    let n = geometry.size();
    let (row_a, col_a, row_b, col_b) = (a / n, a % n, b / n, b % n);
    let same_box = geometry.boxes().is_some_and(|shape| {
        row_a / shape.rows == row_b / shape.rows && col_a / shape.cols == col_b / shape.cols
    });
    a != b && (row_a == row_b || col_a == col_b || same_box)
}

/// The first solutions by brute force, at most `most`.
pub(crate) fn solutions(puzzle: &Puzzle, most: usize) -> Vec<Grid> {
    fn fill(geometry: Geometry, cells: &mut Vec<u8>, most: usize, found: &mut Vec<Grid>) {
        if found.len() == most {
            return;
        }
        let legal = |cell: usize| -> Vec<u8> {
            let clash = |digit| {
                let holds = |peer: usize| cells[peer] == digit && are_peers(geometry, cell, peer);
                (0..cells.len()).any(holds)
            };
            (1..=geometry.size() as u8)
                .filter(|&digit| !clash(digit))
                .collect()
        };
        let blanks = (0..cells.len()).filter(|&cell| cells[cell] == 0);
        let fewest = blanks
            .map(|cell| (cell, legal(cell)))
            .min_by_key(|(_, digits)| digits.len());
        let Some((cell, digits)) = fewest else {
            found.push(Grid::new(geometry, cells.clone()).unwrap());
            return;
        };
        for digit in digits {
            cells[cell] = digit;
            fill(geometry, cells, most, found);
        }
        cells[cell] = 0;
    }
    let mut found = Vec::new();
    fill(
        puzzle.geometry(),
        &mut puzzle.givens().cells().to_vec(),
        most,
        &mut found,
    );
    found
}
