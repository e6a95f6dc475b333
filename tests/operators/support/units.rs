//! Lists of cells: rows, columns, boxes and sub-blocks, and what of them is free.

use gpusudoku::population::HOLE;
use gpusudoku::problem::{Geometry, Puzzle};

use crate::common::*;

/// The rows as lists of cells.
pub fn row_units(geometry: Geometry) -> Vec<Vec<usize>> {
    let n = geometry.size();
    (0..n)
        .map(|row| (row * n..(row + 1) * n).collect())
        .collect()
}

/// Rows, columns and boxes.
pub fn all_units(geometry: Geometry) -> Vec<Vec<usize>> {
    [
        row_units(geometry),
        units(geometry, false),
        units(geometry, true),
    ]
    .concat()
}

/// The sub-blocks, which are the rows of a Latin square.
pub fn blocks(geometry: Geometry) -> Vec<Vec<usize>> {
    match geometry.boxes() {
        Some(_) => units(geometry, true),
        None => row_units(geometry),
    }
}

/// The free cells of a list, in its order.
pub fn free_of(puzzle: &Puzzle, cells: &[usize]) -> Vec<usize> {
    let givens = puzzle.givens().cells();
    let free = cells.iter().copied().filter(|&cell| givens[cell] == 0);
    free.collect()
}

/// How many digits of a unit are missing.
pub fn missing_in(unit: &[usize], cells: &[u8]) -> u32 {
    let mut there = [false; 128];
    let digits = unit.iter().map(|&cell| cells[cell]);
    { digits }
        .filter(|&digit| digit != HOLE)
        .for_each(|digit| there[usize::from(digit)] = true);
    (unit.len() - there.iter().filter(|&&there| there).count()) as u32
}

pub fn free_columns(puzzle: &Puzzle, row: usize) -> Vec<usize> {
    let n = puzzle.geometry().size();
    (0..n)
        .filter(|&col| puzzle.givens().at(row, col) == 0)
        .collect()
}
