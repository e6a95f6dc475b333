//! A puzzle as the colouring kernels see it: a graph to be coloured from lists.
//!
//! A vertex is an open cell, its list the candidates that propagation has left. A choice is a vertex
//! with a digit of its list. Choices are rivals if their vertices see each other (same row, column or
//! box) and their digits are the same: two rivals that are both made are a conflict. A pair counts
//! once, also where box and line overlap.

use super::Setup;
use crate::plan::Individuals;
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

impl Vertex {
    /// Choices of its list, padding included.
    pub fn padded(&self) -> usize {
        usize::from(self.choices).next_multiple_of(Colouring::PADDING)
    }
}

impl Colouring {
    /// Lists are padded to a multiple of this: native code compares so many choices at once.
    pub const PADDING: usize = 8;
    /// The digit of padding.
    pub const NO_DIGIT: u8 = u8::MAX;
    /// What cells have instead of choices they cannot make.
    pub const NO_CHOICE: u32 = u32::MAX;

    /// The graph of what an engine is set up for, if the individuals are colourings.
    pub fn of(setup: &Setup<'_>) -> Option<Self> {
        match (setup.instance, setup.individuals) {
            (Instance::Sudoku(reduction), Individuals::COLOURING) => Some(Self::new(reduction)),
            _ => None,
        }
    }

    /// The graph of what is left of a puzzle.
    pub fn new(reduction: &Reduction) -> Self {
        let geometry = reduction.puzzle().geometry();
        let n = geometry.size();
        let givens = reduction.puzzle().givens().cells();
        let mut graph = Self {
            geometry,
            vertices: Vec::new(),
            digits: Vec::new(),
            choices: vec![Self::NO_CHOICE; n * geometry.cells()],
        };
        for (cell, &list) in reduction.candidates().iter().enumerate() {
            if givens[cell] != 0 {
                continue;
            }
            let (row, col) = (cell / n, cell % n);
            let block = geometry.box_of(row, col).unwrap_or(row);
            let first = graph.digits.len();
            for digit in (0..n).filter(|digit| list >> digit & 1 == 1) {
                graph.choices[cell * n + digit] = graph.digits.len() as u32;
                graph.digits.push(digit as u8);
            }
            graph.vertices.push(Vertex {
                cell: cell as u16,
                first: first as u32,
                choices: list.count_ones() as u16,
                houses: [row, col, block].map(|house| house as u8),
                list,
            });
            let padded = graph.digits.len().next_multiple_of(Self::PADDING);
            graph.digits.resize(padded, Self::NO_DIGIT);
        }
        graph
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

    /// For each choice, the others of the same digit that its vertex sees, with its vertex.
    pub fn rivals(&self) -> Rivals {
        let n = self.geometry.size();
        // The vertices that can have a digit, by their numbers, house by house.
        let mut places = vec![Vec::<u16>::new(); 3 * n * n];
        let at = |house: usize, vertex: &Vertex, digit: usize| {
            (house * n + usize::from(vertex.houses[house])) * n + digit
        };
        let digits = |vertex: &Vertex| {
            let list = vertex.list;
            (0..n).filter(move |digit| list >> digit & 1 == 1)
        };
        for (number, vertex) in self.vertices.iter().enumerate() {
            for digit in digits(vertex) {
                for house in 0..3 {
                    places[at(house, vertex, digit)].push(number as u16);
                }
            }
        }
        let mut rivals = Rivals {
            starts: vec![0],
            choices: Vec::new(),
        };
        for vertex in &self.vertices {
            for digit in digits(vertex) {
                for house in 0..3 {
                    let seen = places[at(house, vertex, digit)].iter();
                    let seen = seen.map(|&other| &self.vertices[usize::from(other)]);
                    // Who shares two houses is met in the first.
                    let new = seen.filter(|other| {
                        let shared = |house: usize| other.houses[house] == vertex.houses[house];
                        other.cell != vertex.cell && !(0..house).any(shared)
                    });
                    let choice = |other: &Vertex| self.choices[usize::from(other.cell) * n + digit];
                    rivals.choices.extend(new.map(choice));
                }
                rivals.starts.push(rivals.choices.len() as u32);
            }
            let behind = vertex.first as usize + vertex.padded();
            rivals
                .starts
                .resize(behind + 1, rivals.choices.len() as u32);
        }
        rivals
    }
}

/// The rivals of every choice.
#[derive(Debug, Clone)]
pub struct Rivals {
    starts: Vec<u32>,
    choices: Vec<u32>,
}

impl Rivals {
    /// The rivals of a choice.
    #[inline(always)]
    pub fn of(&self, choice: u32) -> &[u32] {
        let choice = choice as usize;
        &self.choices[self.starts[choice] as usize..self.starts[choice + 1] as usize]
    }

    /// Bytes that they take for a puzzle, or a little more.
    pub fn bytes(reduction: &Reduction) -> usize {
        let geometry = reduction.puzzle().geometry();
        let n = geometry.size();
        let mut places = vec![0usize; 3 * n * n];
        for (cell, &list) in reduction.candidates().iter().enumerate() {
            let (row, col) = (cell / n, cell % n);
            let houses = [Some(row), Some(col), geometry.box_of(row, col)];
            for (family, house) in houses.into_iter().enumerate() {
                let Some(house) = house else { continue };
                for digit in (0..n).filter(|digit| list >> digit & 1 == 1) {
                    places[(family * n + house) * n + digit] += 1;
                }
            }
        }
        4 * places.iter().map(|count| count * count).sum::<usize>()
    }
}
