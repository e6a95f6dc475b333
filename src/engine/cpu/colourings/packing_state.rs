//! Twin of `shaders/colourings/packing_state.wgsl`: one packing under work.
//!
//! Elements are numbers of 16 bits, and the arrays have room for all of these: nothing that is looked up by an
//! element needs a check of bounds. Only the pages that a puzzle uses are ever touched.

use crate::engine::colouring::{Colouring, Vertex};
use crate::engine::cover::{Element, KINDS};
use crate::population::HOLE;

/// Numbers of elements.
const NUMBERS: usize = 1 << 16;

/// An exact cover as the native kernel reads it.
pub struct PackingTables {
    elements: Box<[Element; NUMBERS]>,
    candidates: Vec<[u16; KINDS]>,
    /// How many elements there are.
    count: u16,
    /// Whether there are boxes.
    pub has_boxes: bool,
    vertices: Vec<Vertex>,
    /// The choice of each cell and digit.
    choices: Vec<u32>,
    size: usize,
}

impl PackingTables {
    pub fn new(colouring: Colouring) -> Self {
        let size = colouring.geometry().size();
        let cover = colouring.cover;
        let mut elements = boxed(Element::default());
        elements[..cover.elements.len()].copy_from_slice(&cover.elements);
        Self {
            elements,
            candidates: cover.candidates,
            count: cover.elements.len() as u16,
            has_boxes: cover.has_boxes,
            size,
            vertices: colouring.vertices,
            choices: colouring.choices,
        }
    }
}

/// Room for a packing.
pub struct PackingState {
    owners: Box<[u16; NUMBERS]>,
    uncovered: Box<[u16; NUMBERS]>,
    places: Box<[u16; NUMBERS]>,
    held: Box<[u32; NUMBERS]>,
}

/// A packing on a state. It borrows the parts of the state one by one, so that their addresses stay in
/// registers.
pub struct PackingWork<'a> {
    tables: &'a PackingTables,
    /// Which cell's candidate covers each element, and 1; 0 if none does.
    owners: &'a mut [u16; NUMBERS],
    /// The elements that nobody covers, in no order that means anything, and the place of each of them there.
    uncovered: &'a mut [u16; NUMBERS],
    places: &'a mut [u16; NUMBERS],
    /// The candidate that each covered cell holds.
    held: &'a mut [u32; NUMBERS],
    /// How many elements nobody covers.
    count: u32,
}

impl PackingState {
    /// What it takes, if a puzzle has as many elements as there are numbers.
    pub const BYTES: usize = NUMBERS * (3 * size_of::<u16>() + size_of::<u32>());

    pub fn new() -> Self {
        Self {
            owners: boxed(0),
            uncovered: boxed(0),
            places: boxed(0),
            held: boxed(0),
        }
    }

    /// Loads an individual: cell by cell, a digit stays if nothing before it covers the same. What is uncovered
    /// stands in the order of its numbers.
    #[inline(always)]
    pub fn load<'a>(&'a mut self, tables: &'a PackingTables, cells: &[u8]) -> PackingWork<'a> {
        self.owners[..usize::from(tables.count)].fill(0);
        for (cell, vertex) in tables.vertices.iter().enumerate() {
            let at = usize::from(vertex.cell);
            if cells[at] == HOLE {
                continue;
            }
            let choice = tables.choices[at * tables.size + usize::from(cells[at])];
            let candidate = tables.elements[cell].first + choice - vertex.first;
            let its = tables.candidates[candidate as usize].map(usize::from);
            if its.iter().all(|&element| self.owners[element] == 0) {
                self.held[cell] = candidate;
                for &element in &its[..tables.kinds()] {
                    self.owners[element] = cell as u16 + 1;
                }
            }
        }
        let mut work = PackingWork {
            tables,
            owners: &mut self.owners,
            uncovered: &mut self.uncovered,
            places: &mut self.places,
            held: &mut self.held,
            count: 0,
        };
        for element in 0..tables.count {
            if work.owners[usize::from(element)] == 0 {
                work.uncover(element);
            }
        }
        work
    }
}

impl PackingTables {
    fn kinds(&self) -> usize {
        if self.has_boxes { KINDS } else { KINDS - 1 }
    }
}

impl PackingWork<'_> {
    /// Elements that nobody covers.
    #[inline(always)]
    pub fn uncovered(&self) -> u32 {
        self.count
    }

    /// Writes what covers the open cells into the cells of a grid. Returns how many nobody covers.
    pub fn store(&self, cells: &mut [u8]) -> u32 {
        let mut holes = 0;
        for (cell, vertex) in self.tables.vertices.iter().enumerate() {
            let digit = &mut cells[usize::from(vertex.cell)];
            if self.owners[cell] == 0 {
                *digit = HOLE;
                holes += 1;
            } else {
                let [_, row, ..] = self.tables.candidates[self.held[cell] as usize];
                *digit = self.tables.elements[usize::from(row)].digit as u8;
            }
        }
        holes
    }

    /// A step. The first number chooses an element that nobody covers, and what that leaves of it one of the element's
    /// candidates. The candidate is taken if it throws out at most one other, or if the second number is below the
    /// rate for two or for three.
    #[inline(always)]
    pub fn step<const KINDS: usize>(&mut self, [choice, chance]: [u32; 2], rates: [u32; 2]) {
        let product = u64::from(choice) * u64::from(self.count);
        let element = self.uncovered[usize::from((product >> 32) as u16)];
        let Element { first, count, .. } = self.tables.elements[usize::from(element)];
        let further = (u64::from(product as u32) * u64::from(count)) >> 32;
        let candidate = first + further as u32;
        let its: [u16; KINDS] = self.elements_of(candidate);
        let owners = its.map(|element| self.owners[usize::from(element)]);
        // If there is one owner, this is who. Then a product is zero for each: nobody, or this one. A product is no
        // branch, which would be mispredicted.
        let owner = owners.into_iter().fold(0, |all, owner| all | owner);
        let others = owners.map(|it| u32::from(it) * u32::from(it ^ owner));
        if others.into_iter().fold(0, |all, other| all | other) == 0 {
            match owner {
                0 => self.insert(candidate, its),
                owner => self.replace(owner - 1, candidate, its),
            }
        } else if chance < rates[0] {
            self.throw_out(owners, candidate, chance < rates[1]);
        }
    }

    /// Takes a candidate in for two others, or, if it may be, for three. Rarely called.
    #[inline(never)]
    fn throw_out<const KINDS: usize>(
        &mut self,
        owners: [u16; KINDS],
        candidate: u32,
        may_be_three: bool,
    ) {
        let is_first = |&at: &usize| owners[at] != 0 && !owners[..at].contains(&owners[at]);
        let out = (0..KINDS).filter(is_first);
        if may_be_three || out.clone().count() == 2 {
            for at in out {
                let held = self.held[usize::from(owners[at] - 1)];
                for element in self.elements_of::<KINDS>(held) {
                    self.uncover(element);
                }
            }
            self.insert(candidate, self.elements_of::<KINDS>(candidate));
        }
    }

    #[inline(always)]
    fn elements_of<const KINDS: usize>(&self, candidate: u32) -> [u16; KINDS] {
        let its = &self.tables.candidates[candidate as usize];
        std::array::from_fn(|kind| its[kind])
    }

    /// Takes a candidate in whose elements nobody covers.
    #[inline(always)]
    fn insert<const KINDS: usize>(&mut self, candidate: u32, its: [u16; KINDS]) {
        self.held[usize::from(its[0])] = candidate;
        for element in its {
            self.count -= 1;
            let last = self.uncovered[usize::from(self.count as u16)];
            let place = self.places[usize::from(element)];
            self.uncovered[usize::from(place)] = last;
            self.places[usize::from(last)] = place;
            self.owners[usize::from(element)] = its[0] + 1;
        }
    }

    /// Takes a candidate in for that of a cell, the only one in its way. Where they cover different elements, the one takes
    /// the other's place among those that nobody covers.
    #[inline(always)]
    fn replace<const KINDS: usize>(&mut self, cell: u16, candidate: u32, its: [u16; KINDS]) {
        let old = self.elements_of::<KINDS>(self.held[usize::from(cell)]);
        self.held[usize::from(its[0])] = candidate;
        for (old, new) in old.into_iter().zip(its) {
            // Elements that both cover have no place; what is written there instead, nobody reads.
            let place = match old == new {
                true => u16::MAX,
                false => self.places[usize::from(new)],
            };
            self.uncovered[usize::from(place)] = old;
            self.places[usize::from(old)] = place;
            self.owners[usize::from(old)] = 0;
            self.owners[usize::from(new)] = its[0] + 1;
        }
    }

    #[inline(always)]
    fn uncover(&mut self, element: u16) {
        self.owners[usize::from(element)] = 0;
        self.places[usize::from(element)] = self.count as u16;
        self.uncovered[usize::from(self.count as u16)] = element;
        self.count += 1;
    }
}

/// An array on the heap.
fn boxed<T: Copy + std::fmt::Debug, const N: usize>(value: T) -> Box<[T; N]> {
    let values = vec![value; N].into_boxed_slice();
    values.try_into().expect("as many as were asked for")
}
