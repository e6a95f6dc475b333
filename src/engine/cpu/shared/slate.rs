//! Twin of `shaders/shared/slate.wgsl`: one colouring under work, with the state that makes its moves
//! cheap.
//!
//! Every choice has a tally: how many rivals of it are made, whether it is made itself, whether it is
//! tabu. Vertices in conflict stand on a list, each with what the best of its moves would change.
//! After a move only those are looked at again that see the vertex which moved and could have one of
//! the two digits. The lanes of a GPU look at all of them every time; both choose alike.

use wide::{i16x8, u8x16};

use crate::engine::colouring::{Colouring, Rivals, Vertex};
use crate::plan::Tabu;

/// A tally whose choice is made.
const MADE: i16 = 1 << 14;
/// A tally whose choice is tabu.
const TABU: i16 = 1 << 13;
/// The rivals in a tally.
const COUNT: i16 = TABU - 1;
/// The tally of padding, and what is behind the end of the list: no move leads there.
const PADDING: i16 = i16::MAX;
/// Not on the list, or the end of a chain.
const NOWHERE: u16 = u16::MAX;
/// Slots of the ring in which tabus end.
const RING: usize = Tabu::LONGEST as usize + 2;
const _: () = assert!(RING.is_power_of_two());

/// A puzzle for slates.
pub struct Graph {
    pub colouring: Colouring,
    rivals: Rivals,
    /// The vertex of each choice.
    vertex_of: Vec<u16>,
}

impl Graph {
    pub fn new(colouring: Colouring) -> Self {
        let vertices = (0..).zip(&colouring.vertices);
        Self {
            rivals: colouring.rivals(),
            vertex_of: vertices
                .flat_map(|(at, vertex)| std::iter::repeat_n(at, vertex.padded()))
                .collect(),
            colouring,
        }
    }

    pub fn vertices(&self) -> &[Vertex] {
        &self.colouring.vertices
    }
}

/// Room for a colouring and its state.
pub struct Slate {
    chosen: Vec<u32>,
    tallies: Vec<i16>,
    troubled: Vec<i16>,
    place: Vec<u16>,
    houses: [Vec<u8>; 3],
    allowed: Vec<i16>,
    anyway: Vec<i16>,
    expiry: Vec<u32>,
    chains: Box<[Chain; RING]>,
    heads: Box<[u16; RING]>,
    touched: Vec<u16>,
}

/// A choice that is tabu, and the move that made the next one so that ends at the same time.
#[derive(Debug, Clone, Copy, Default)]
struct Chain {
    choice: u32,
    next: u16,
}

impl Slate {
    pub fn new(graph: &Graph) -> Self {
        let vertices = graph.vertices().len();
        let choices = graph.colouring.digits.len();
        let room = vertices.next_multiple_of(16);
        Self {
            chosen: vec![0; vertices],
            tallies: vec![0; choices],
            troubled: vec![0; room],
            place: vec![NOWHERE; vertices],
            houses: [0, 1, 2].map(|_| vec![0; room]),
            allowed: vec![PADDING; room],
            anyway: vec![PADDING; room],
            expiry: vec![0; choices],
            chains: Box::new([Chain::default(); RING]),
            heads: Box::new([NOWHERE; RING]),
            // All on the list may be touched, and all that come to it.
            touched: vec![0; 2 * room],
        }
    }

    /// Puts an individual on the slate, with nothing tabu.
    pub fn load<'a>(&'a mut self, graph: &'a Graph, cells: &[u8]) -> Work<'a> {
        let n = graph.colouring.geometry().size();
        for (chosen, vertex) in self.chosen.iter_mut().zip(graph.vertices()) {
            let cell = usize::from(vertex.cell);
            *chosen = graph.colouring.choices[cell * n + usize::from(cells[cell])];
        }
        for (tally, &digit) in self.tallies.iter_mut().zip(&graph.colouring.digits) {
            *tally = if digit == Colouring::NO_DIGIT {
                PADDING
            } else {
                0
            };
        }
        for &choice in &self.chosen {
            for &rival in graph.rivals.of(choice) {
                self.tallies[rival as usize] += 1;
            }
        }
        let mut ends = 0;
        for &choice in &self.chosen {
            ends += self.tallies[choice as usize] as u32;
            self.tallies[choice as usize] |= MADE;
        }
        self.place.fill(NOWHERE);
        self.allowed.fill(PADDING);
        self.anyway.fill(PADDING);
        self.expiry.fill(0);
        self.heads.fill(NOWHERE);
        let [rows, cols, blocks] = &mut self.houses;
        let mut work = Work {
            graph,
            vertices: graph.vertices(),
            conflicts: ends / 2,
            len: 0,
            chosen: &mut self.chosen,
            tallies: &mut self.tallies,
            troubled: &mut self.troubled,
            place: &mut self.place,
            houses: [rows, cols, blocks],
            allowed: &mut self.allowed,
            anyway: &mut self.anyway,
            expiry: &mut self.expiry,
            chains: &mut self.chains,
            heads: &mut self.heads,
            touched: &mut self.touched,
        };
        for vertex in 0..work.vertices.len() {
            work.look_at(vertex);
        }
        work
    }
}

/// A colouring on a slate. It borrows the parts of the slate one by one, so that their addresses stay
/// in registers.
pub struct Work<'a> {
    graph: &'a Graph,
    vertices: &'a [Vertex],
    conflicts: u32,
    /// The choice of each vertex.
    chosen: &'a mut [u32],
    tallies: &'a mut [i16],
    /// How many vertices are in conflict, who, and where on this list each vertex is.
    len: usize,
    troubled: &'a mut [i16],
    place: &'a mut [u16],
    /// The row, column and box of everybody on the list.
    houses: [&'a mut [u8]; 3],
    /// What the best move of everybody on the list changes, tabu ones considered last, and what it
    /// changes if nothing is tabu.
    allowed: &'a mut [i16],
    anyway: &'a mut [i16],
    /// The move after which a choice is tabu no longer; and for each slot of the ring the chain of the
    /// tabus that end there, known by the moves that made them.
    expiry: &'a mut [u32],
    chains: &'a mut [Chain; RING],
    heads: &'a mut [u16; RING],
    touched: &'a mut [u16],
}

/// A vertex takes another choice, which changes the conflicts.
#[derive(Debug, Clone, Copy)]
pub struct Move {
    vertex: u16,
    choice: u32,
    delta: i16,
}

impl Work<'_> {
    /// Pairs of rivals that are both made.
    #[inline(always)]
    pub fn conflicts(&self) -> u32 {
        self.conflicts
    }

    /// How many vertices are in conflict.
    #[inline(always)]
    pub fn troubled(&self) -> u32 {
        self.len as u32
    }

    /// Writes the digits of the vertices into the cells of a grid.
    pub fn store(&self, cells: &mut [u8]) {
        for (&choice, vertex) in self.chosen.iter().zip(self.vertices) {
            cells[usize::from(vertex.cell)] = self.graph.colouring.digits[choice as usize];
        }
    }

    /// Lifts the tabus that end before this move.
    #[inline(always)]
    pub fn expire(&mut self, number: u32) {
        let mut at = std::mem::replace(&mut self.heads[number as usize % RING], NOWHERE);
        while at != NOWHERE {
            let Chain { choice, next } = self.chains[usize::from(at) % RING];
            // It may have been taken in spite of its tabu, and left again.
            if self.expiry[choice as usize] == number {
                self.tallies[choice as usize] &= !TABU;
                let vertex = usize::from(self.graph.vertex_of[choice as usize]);
                if self.place[vertex] != NOWHERE {
                    self.look_at(vertex);
                }
            }
            at = next;
        }
    }

    /// The best move: one that is not tabu or leads to fewer conflicts than ever. If there is none, the
    /// best of the tabu ones. Of equals that of the vertex with the lowest (vertex * odd) mod 2^16, as
    /// a signed number; of its choices the first from a random one on.
    #[inline(always)]
    pub fn best_move(&self, fewest: u32, odd: u16, turn: u32) -> Option<Move> {
        let vectors = self.len.div_ceil(8);
        let [allowed, anyway, troubled] = [&*self.allowed, &*self.anyway, &*self.troubled]
            .map(|list| &list.as_chunks::<8>().0[..vectors]);
        let mut least = [i16x8::splat(PADDING); 2];
        for (allowed, anyway) in allowed.iter().zip(anyway) {
            least[0] = least[0].min(i16x8::new(*allowed));
            least[1] = least[1].min(i16x8::new(*anyway));
        }
        let delta = least[1].reduce_min();
        let aspires = i32::from(delta) < fewest as i32 - self.conflicts as i32;
        let (deltas, delta, mask) = match aspires {
            true => (anyway, delta, !TABU),
            false => (allowed, least[0].reduce_min(), !0),
        };
        if delta > MADE / 2 + TABU / 2 {
            return None;
        }
        let mut first = i16x8::splat(i16::MAX);
        for (deltas, vertices) in deltas.iter().zip(troubled) {
            let ranks = i16x8::new(*vertices) * i16x8::splat(odd as i16);
            let equal = i16x8::new(*deltas).simd_eq(i16x8::splat(delta));
            first = first.min(equal.select(ranks, i16x8::splat(i16::MAX)));
        }
        let vertex = (first.reduce_min() as u16).wrapping_mul(inverse(odd));
        let Vertex { first, choices, .. } = self.vertices[usize::from(vertex)];
        let (first, choices) = (first as usize, usize::from(choices));
        let now = self.tallies[self.chosen[usize::from(vertex)] as usize] & COUNT;
        let tallies = &self.tallies[first..first + choices];
        let mut at = crate::rng::bounded(turn, choices as u32) as usize;
        while tallies[at] & mask != delta + now {
            at = if at + 1 == choices { 0 } else { at + 1 };
        }
        Some(Move {
            vertex,
            choice: (first + at) as u32,
            delta: if delta > TABU / 2 {
                delta - TABU
            } else {
                delta
            },
        })
    }

    /// Makes a move. The choice that is left becomes tabu until the move `expiry`.
    #[inline(always)]
    pub fn make(&mut self, step: Move, number: u32, expiry: u32) {
        let (at, new) = (usize::from(step.vertex), step.choice as usize);
        let old = std::mem::replace(&mut self.chosen[at], step.choice) as usize;
        self.conflicts = self.conflicts.wrapping_add_signed(step.delta.into());
        for &rival in self.graph.rivals.of(old as u32) {
            self.tallies[rival as usize] -= 1;
        }
        let mut touched = 0;
        for &rival in self.graph.rivals.of(step.choice) {
            let tally = self.tallies[rival as usize] + 1;
            self.tallies[rival as usize] = tally;
            if tally == MADE + 1 {
                self.touched[touched] = self.graph.vertex_of[rival as usize];
                touched += 1;
            }
        }
        self.tallies[new] = (self.tallies[new] | MADE) & !TABU;
        self.tallies[old] = self.tallies[old] & !MADE | TABU;
        self.expiry[old] = expiry;
        let slot = &mut self.heads[expiry as usize % RING];
        self.chains[number as usize % RING] = Chain {
            choice: old as u32,
            next: std::mem::replace(slot, (number as usize % RING) as u16),
        };
        // Who sees the vertex and could have either digit; it sees itself.
        let vertex = &self.vertices[at];
        let digits = &self.graph.colouring.digits;
        let either = 1u128 << digits[old] | 1u128 << digits[new];
        let [rows, cols, blocks] = &self.houses;
        let [rows, cols, blocks] = [rows, cols, blocks].map(|list| list.as_chunks::<16>().0);
        let [row, col, block] = vertex.houses.map(u8x16::splat);
        let lists = rows.iter().zip(cols).zip(blocks);
        for (from, ((rows, cols), blocks)) in (0..self.len).step_by(16).zip(lists) {
            let shares = u8x16::new(*rows).simd_eq(row)
                | u8x16::new(*cols).simd_eq(col)
                | u8x16::new(*blocks).simd_eq(block);
            let mut seen = shares.to_bitmask();
            let left = self.len - from;
            if left < 16 {
                seen &= (1 << left) - 1;
            }
            while seen != 0 {
                let other = self.troubled[from + seen.trailing_zeros() as usize] as u16;
                self.touched[touched] = other;
                touched += usize::from(self.vertices[usize::from(other)].list & either != 0);
                seen &= seen - 1;
            }
        }
        for at in 0..touched {
            self.look_at(usize::from(self.touched[at]));
        }
    }

    /// Puts a vertex on the list, or brings its place there up to date, or takes it off.
    #[inline(always)]
    fn look_at(&mut self, at: usize) {
        let vertex = &self.vertices[at];
        let now = self.tallies[self.chosen[at] as usize] & COUNT;
        if now == 0 {
            self.take_off(at);
            return;
        }
        let first = vertex.first as usize;
        let tallies = &self.tallies[first..first + vertex.padded()];
        let mut least = [i16x8::splat(PADDING); 2];
        for tallies in tallies.as_chunks::<8>().0 {
            let tallies = i16x8::new(*tallies);
            least[0] = least[0].min(tallies);
            least[1] = least[1].min(tallies & i16x8::splat(!TABU));
        }
        let place = match self.place[at] {
            NOWHERE => {
                let place = self.len;
                self.place[at] = place as u16;
                self.troubled[place] = at as i16;
                for (list, house) in self.houses.iter_mut().zip(vertex.houses) {
                    list[place] = house;
                }
                self.len += 1;
                place
            }
            place => usize::from(place),
        };
        self.allowed[place] = least[0].reduce_min() - now;
        self.anyway[place] = least[1].reduce_min() - now;
    }

    /// Takes a vertex off the list, if it is there; the last one gets its place.
    fn take_off(&mut self, at: usize) {
        let place = usize::from(std::mem::replace(&mut self.place[at], NOWHERE));
        if place == usize::from(NOWHERE) {
            return;
        }
        self.len -= 1;
        let last = self.len;
        for list in &mut self.houses {
            list[place] = list[last];
        }
        if place != last {
            self.troubled[place] = self.troubled[last];
            self.place[self.troubled[last] as usize] = place as u16;
        }
        for list in [&mut self.allowed, &mut self.anyway] {
            list[place] = list[last];
            list[last] = PADDING;
        }
    }
}

/// The number with which an odd one multiplies to 1, mod 2^16.
#[inline(always)]
fn inverse(odd: u16) -> u16 {
    // Right in five bits; each step of Newton's doubles them.
    let mut inverse = odd.wrapping_mul(3) ^ 2;
    for _ in 0..2 {
        inverse = inverse.wrapping_mul(2u16.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}
