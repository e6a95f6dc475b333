//! A puzzle as the colouring kernels see it: a graph to be coloured from lists.
//!
//! A vertex is an open cell, its list the candidates that propagation has left. A choice is a vertex
//! with a digit of its list. Choices are rivals if their vertices see each other (same row, column or
//! box) and their digits are the same: two rivals that are both made are a conflict. A pair counts
//! once, also where box and line overlap.

use super::Setup;
use super::cover::Cover;
use crate::plan::Representation;
use crate::problem::{Geometry, Instance, Reduction};

/// What the colouring kernels know of a puzzle.
#[derive(Debug, Clone)]
pub struct Colouring {
    geometry: Geometry,
    /// The open cells, row by row.
    pub vertices: Vec<Vertex>,
    /// The digit of each choice, from 0; [`Colouring::NO_DIGIT`] where a list is padded.
    pub digits: Vec<u8>,
    /// The choice of each cell and digit; [`Colouring::NO_CHOICE`] if there is none.
    pub choices: Vec<u32>,
    /// The same puzzle as an exact cover.
    pub cover: Cover,
}

/// An open cell.
#[derive(Debug, Clone, Copy)]
pub struct Vertex {
    /// Where it is in the grid.
    pub cell: u16,
    /// Its first choice; the others follow in ascending order of their digits.
    pub first: u32,
    /// How many there are.
    pub choices: u16,
    /// Row, column and box; in a Latin square the box is the row once more.
    pub houses: [u8; 3],
    /// The digits of its list, as bits.
    pub list: u128,
}

impl Colouring {
    /// Lists are padded to a multiple of this, so that they begin at multiples of it.
    pub const PADDING: usize = 8;
    /// The digit of padding.
    pub const NO_DIGIT: u8 = u8::MAX;
    /// What cells have instead of choices they cannot make.
    pub const NO_CHOICE: u32 = u32::MAX;

    /// The graph of what an engine is set up for, if the individuals are colourings.
    pub fn of(setup: &Setup<'_>) -> Option<Self> {
        match (setup.instance, setup.representation) {
            (Instance::Sudoku(reduction), Representation::COLOURING) => Some(Self::new(reduction)),
            _ => None,
        }
    }

    /// The graph of what is left of a puzzle.
    pub fn new(reduction: &Reduction) -> Self {
        let geometry = reduction.puzzle().geometry();
        let n = geometry.size();
        let givens = reduction.puzzle().givens().cells();
        let mut vertices = Vec::new();
        let mut digits = Vec::new();
        let mut choices = vec![Self::NO_CHOICE; n * geometry.cells()];
        for (cell, &list) in reduction.candidates().iter().enumerate() {
            if givens[cell] != 0 {
                continue;
            }
            let (row, col) = (cell / n, cell % n);
            let block = geometry.box_of(row, col).unwrap_or(row);
            let first = digits.len();
            for digit in (0..n).filter(|digit| list >> digit & 1 == 1) {
                choices[cell * n + digit] = digits.len() as u32;
                digits.push(digit as u8);
            }
            vertices.push(Vertex {
                cell: cell as u16,
                first: first as u32,
                choices: list.count_ones() as u16,
                houses: [row, col, block].map(|house| house as u8),
                list,
            });
            let padded = digits.len().next_multiple_of(Self::PADDING);
            digits.resize(padded, Self::NO_DIGIT);
        }
        Self {
            geometry,
            cover: Cover::new(geometry, &vertices, &digits),
            vertices,
            digits,
            choices,
        }
    }

    /// Size and boxes.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// The longest list.
    pub fn longest_list(&self) -> usize {
        let lists = self.vertices.iter().map(|vertex| vertex.choices);
        lists.max().map_or(0, usize::from)
    }
}
