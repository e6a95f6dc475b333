//! A puzzle as the packing kernels see it: an exact cover.
//!
//! What has to be covered are the elements: every open cell, and every digit that a row, a column or a box misses. A
//! candidate of a cell covers four of them, in a Latin square three: its cell, and its digit in its row, its
//! column and its box. A solution is a set of candidates that covers each element exactly once; a packing covers
//! each at most once. Sudoku has long been solved by exact search for such covers (Knuth, "Dancing Links", 2000).

use super::colouring::Vertex;
use crate::problem::Geometry;

/// What the packing kernels know of a puzzle.
#[derive(Debug, Clone)]
pub struct Cover {
    /// The elements: the open cells first, in the order of the colouring's vertices.
    pub elements: Vec<Element>,
    /// The candidates of every element, one element after the other, each with what it covers: its cell, then its
    /// digit in row, column and box. A candidate stands here once for each of these. In a Latin square the last is
    /// [`Cover::NO_ELEMENT`].
    pub candidates: Vec<[u16; KINDS]>,
    /// Whether candidates cover four elements, and not three.
    pub has_boxes: bool,
}

/// What has to be covered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Element {
    /// The first of its candidates.
    pub first: u32,
    /// How many there are: at least one.
    pub count: u16,
    /// The digit of a row, a column or a box, from 0; of a cell this is 0.
    pub digit: u16,
}

/// Kinds of elements: cells, digits of rows, of columns, of boxes.
pub const KINDS: usize = 4;

impl Cover {
    /// Covered by nobody, for ever.
    pub const NO_ELEMENT: u16 = u16::MAX;

    /// The exact cover of open cells with the digits of their choices.
    pub(super) fn new(geometry: Geometry, vertices: &[Vertex], digits: &[u8]) -> Self {
        let n = geometry.size();
        let has_boxes = geometry.boxes().is_some();
        let kinds = if has_boxes { KINDS } else { KINDS - 1 };
        let mut elements = vec![Element::default(); vertices.len()];
        // The element of each digit in each row, column and box; those that no candidate covers have none.
        let mut numbers = vec![Self::NO_ELEMENT; (KINDS - 1) * n * n];
        let mut covered = Vec::new();
        for (cell, vertex) in (0..).zip(vertices) {
            let digits = &digits[vertex.first as usize..][..usize::from(vertex.choices)];
            for &digit in digits {
                let mut its = [Self::NO_ELEMENT; KINDS];
                its[0] = cell;
                for (kind, house) in vertex.houses.into_iter().enumerate().take(kinds - 1) {
                    let unit = kind * n + usize::from(house);
                    let number = &mut numbers[unit * n + usize::from(digit)];
                    if *number == Self::NO_ELEMENT {
                        *number = elements.len() as u16;
                        elements.push(Element {
                            digit: digit.into(),
                            ..Element::default()
                        });
                    }
                    its[1 + kind] = *number;
                }
                for &element in &its[..kinds] {
                    elements[usize::from(element)].count += 1;
                }
                covered.push(its);
            }
        }
        let mut all = 0;
        for element in &mut elements {
            element.first = all;
            all += u32::from(std::mem::take(&mut element.count));
        }
        let mut candidates = vec![[Self::NO_ELEMENT; KINDS]; all as usize];
        for its in covered {
            for &element in &its[..kinds] {
                let element = &mut elements[usize::from(element)];
                candidates[element.first as usize + usize::from(element.count)] = its;
                element.count += 1;
            }
        }
        Self {
            elements,
            candidates,
            has_boxes,
        }
    }
}
