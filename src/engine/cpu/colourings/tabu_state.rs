//! Twin of `shaders/colourings/counts.wgsl` and `troubled.wgsl`: one colouring under work, with the state that makes
//! its moves cheap.
//!
//! How many rivals of a choice are made is not kept but added up: those in its row, its column and its
//! box, less those that the box shares with the row or the column. Each of these five has a line with
//! a count for each digit, so that a move changes ten counts, and all choices of a vertex are added up
//! at once, a digit a lane. Vertices in conflict have a slot each, with what the best of their moves
//! would change. After a move only those are looked at again that see the vertex which moved, or have
//! a choice that is tabu no longer. The lanes of a GPU look at all of them every time; both choose
//! alike.
//!
//! A mispredicted branch costs as much as looking at a vertex. So there are as few as possible: what
//! may or may not be written is written always, if need be where nobody reads.

use std::collections::BTreeMap;

use bytemuck::cast;
use wide::{i16x8, u8x16};

use super::tally::{NO_MOVE, TABU, Tally};
use crate::engine::colouring::{Colouring, Vertex};
use crate::operators::Tabu;
use crate::population::HOLE;
use crate::rng::{FILL, Key, Site, bounded};

/// The slot of a vertex that has none: one of a group that nobody looks at.
const NOWHERE: u16 = 0;
/// The end of a chain.
const END: u16 = u16::MAX;
/// Slots of a group.
const SLOTS: usize = 64;
/// Slots of the ring in which tabus end.
const RING: usize = Tabu::LONGEST as usize + 2;
const _: () = assert!(RING.is_power_of_two());

/// A puzzle for states, with up to `N` digits.
pub struct Graph<T, const N: usize> {
    vertices: Vec<Vertex>,
    /// The digit of each choice.
    digits: Vec<u8>,
    /// The vertices where nothing is chosen.
    blank: Vec<Seat<T, N>>,
    houses: usize,
    lines: usize,
}

/// A vertex on a state.
#[derive(Debug, Clone, Copy)]
struct Seat<T, const N: usize> {
    /// The digits that it cannot take, as it has them or has no such choice, and those that are tabu.
    bars: [T; N],
    /// Where its choices are counted.
    lines: [u16; LINES],
    houses: [u8; HOUSES],
    /// The digit that it has.
    chosen: u8,
    /// Its slot.
    place: u16,
}

/// Lines of a vertex: its row, its column, its box, and what the box shares with these.
const LINES: usize = 5;
/// The first of them are houses.
const HOUSES: usize = 3;

/// The lines of each vertex, houses first, and how many there are.
fn lines_of(colouring: &Colouring) -> (Vec<[u16; LINES]>, usize) {
    let n = colouring.geometry().size();
    let mut overlaps = BTreeMap::new();
    let lines = colouring.vertices.iter().map(|vertex| {
        let [row, col, block] = vertex.houses.map(usize::from);
        let [row, col, block] = [row, n + col, 2 * n + block];
        let [row_block, col_block] = [[row, block], [col, block]].map(|houses| {
            let next = HOUSES * n + overlaps.len();
            *overlaps.entry(houses).or_insert(next)
        });
        [row, col, block, row_block, col_block].map(|line| line as u16)
    });
    let lines = lines.collect();
    (lines, HOUSES * n + overlaps.len())
}

/// The most rivals that a choice of a puzzle has.
pub fn most_rivals(colouring: &Colouring) -> usize {
    let (lines, all) = lines_of(colouring);
    let n = colouring.geometry().size();
    let digits = |vertex: &Vertex| {
        let list = vertex.list;
        (0..n).filter(move |digit| list >> digit & 1 == 1)
    };
    let mut counts = vec![0usize; all * n];
    for (vertex, lines) in colouring.vertices.iter().zip(&lines) {
        for digit in digits(vertex) {
            for line in lines {
                counts[usize::from(*line) * n + digit] += 1;
            }
        }
    }
    let rivals = colouring
        .vertices
        .iter()
        .zip(&lines)
        .flat_map(|(vertex, lines)| {
            let counts = &counts;
            digits(vertex).map(move |digit| {
                let [row, col, block, row_block, col_block] =
                    lines.map(|line| counts[usize::from(line) * n + digit]);
                row + col + block - row_block - col_block - 1
            })
        });
    rivals.max().unwrap_or(0)
}

impl<T: Tally, const N: usize> Graph<T, N> {
    pub fn new(colouring: &Colouring) -> Self {
        let (lines, all) = lines_of(colouring);
        let seat = |(vertex, lines): (&Vertex, [u16; LINES])| Seat {
            bars: std::array::from_fn(|digit| match vertex.list >> digit & 1 {
                1 => T::NOTHING,
                _ => T::BARRED,
            }),
            lines,
            houses: vertex.houses,
            chosen: 0,
            place: NOWHERE,
        };
        Self {
            blank: colouring.vertices.iter().zip(lines).map(seat).collect(),
            houses: HOUSES * colouring.geometry().size(),
            lines: all,
            digits: colouring.digits.clone(),
            vertices: colouring.vertices.clone(),
        }
    }

    /// Gives every hole a random one of its choices.
    pub fn fill_holes(&self, key: Key, individual: u32, cells: &mut [u8]) {
        for (at, vertex) in (0..).zip(&self.vertices) {
            let digit = &mut cells[usize::from(vertex.cell)];
            if *digit == HOLE {
                let [word, ..] = key.draw(individual, Site::Step.counter(FILL + at));
                let choice = vertex.first + bounded(word, vertex.choices.into());
                *digit = self.digits[choice as usize];
            }
        }
    }
}

/// Room for a colouring and its state.
pub struct TabuState<T, const N: usize> {
    seats: Vec<Seat<T, N>>,
    counts: Vec<[T; N]>,
    holders: Vec<[u16; N]>,
    groups: Vec<Group>,
    expiry: Vec<[u16; N]>,
    chains: Box<[Chain; RING]>,
    heads: Box<[u16; RING]>,
}

/// Vertices in conflict, a slot each.
#[derive(Debug, Clone)]
struct Group {
    /// The slots that are taken, and those to look at again.
    taken: u64,
    again: u64,
    vertices: [i16; SLOTS],
    /// Their rows, columns and boxes.
    houses: [[u8; SLOTS]; HOUSES],
    /// What the best move of each changes, tabu ones considered last, and what it changes if nothing
    /// is tabu.
    allowed: [i16; SLOTS],
    anyway: [i16; SLOTS],
}

impl Group {
    const EMPTY: Self = Self {
        taken: 0,
        again: 0,
        vertices: [0; SLOTS],
        houses: [[0; SLOTS]; HOUSES],
        allowed: [NO_MOVE; SLOTS],
        anyway: [NO_MOVE; SLOTS],
    };

    /// The slots of those who share a house.
    #[inline(always)]
    fn sharing(&self, houses: [u8; HOUSES]) -> u64 {
        let [rows, cols, blocks] = self.houses.each_ref().map(|list| list.as_chunks::<16>().0);
        let [row, col, block] = houses.map(u8x16::splat);
        let mut sharing = 0;
        for part in 0..SLOTS / 16 {
            let shares = u8x16::new(rows[part]).simd_eq(row)
                | u8x16::new(cols[part]).simd_eq(col)
                | u8x16::new(blocks[part]).simd_eq(block);
            sharing |= u64::from(shares.to_bitmask() as u16) << (16 * part);
        }
        sharing & self.taken
    }
}

/// A choice that is tabu, and the move that made the next one so that ends at the same time.
#[derive(Debug, Clone, Copy, Default)]
struct Chain {
    vertex: u16,
    next: u16,
    digit: u8,
}

impl<T: Tally, const N: usize> TabuState<T, N> {
    pub fn new(graph: &Graph<T, N>) -> Self {
        let vertices = graph.vertices.len();
        Self {
            seats: graph.blank.clone(),
            counts: vec![[T::NOTHING; N]; graph.lines],
            holders: vec![[0; N]; graph.houses],
            // The first is for those who have no slot.
            groups: vec![Group::EMPTY; vertices.div_ceil(SLOTS - HOUSES + 1) + 2],
            expiry: vec![[0; N]; vertices],
            chains: Box::new([Chain::default(); RING]),
            heads: Box::new([END; RING]),
        }
    }

    /// Pairs of rivals that are both made, and vertices without a choice.
    pub fn conflicts_and_holes(&mut self, graph: &Graph<T, N>, cells: &[u8]) -> u32 {
        self.counts.fill([T::NOTHING; N]);
        let mut found = 0;
        for (seat, vertex) in graph.blank.iter().zip(&graph.vertices) {
            let digit = cells[usize::from(vertex.cell)];
            if digit == HOLE {
                found += 1;
                continue;
            }
            // Those before it in its houses; whom the box shares with row or column counts once.
            let [row, col, block, row_block, col_block] = seat.lines.map(|line| {
                let count = &mut self.counts[usize::from(line)][usize::from(digit) % N];
                let before = *count;
                *count = before.plus(T::of(1));
                u32::from(before.number())
            });
            found += row + col + block - row_block - col_block;
        }
        found
    }

    /// Loads an individual without holes, with nothing tabu.
    #[inline(always)]
    pub fn load<'a>(&'a mut self, graph: &'a Graph<T, N>, cells: &[u8]) -> TabuWork<'a, T, N> {
        self.seats.copy_from_slice(&graph.blank);
        self.counts.fill([T::NOTHING; N]);
        self.holders.fill([0; N]);
        self.groups.fill(Group::EMPTY);
        self.heads.fill(END);
        for (at, (seat, vertex)) in self.seats.iter_mut().zip(&graph.vertices).enumerate() {
            seat.chosen = cells[usize::from(vertex.cell)];
            let digit = usize::from(seat.chosen) % N;
            seat.bars[digit] = T::BARRED;
            for line in seat.lines.map(usize::from) {
                let count = &mut self.counts[line][digit];
                *count = count.plus(T::of(1));
            }
            for line in seat.lines[..HOUSES].iter().copied().map(usize::from) {
                let holder = &mut self.holders[line][digit];
                *holder = holder.wrapping_add(at as u16);
            }
        }
        let mut work = TabuWork {
            graph,
            conflicts: 0,
            troubled: 0,
            open: 1,
            seats: &mut self.seats,
            counts: &mut self.counts,
            holders: &mut self.holders,
            groups: &mut self.groups,
            expiry: &mut self.expiry,
            chains: &mut self.chains,
            heads: &mut self.heads,
        };
        let mut ends = 0;
        for at in 0..graph.vertices.len() {
            let seat = &work.seats[at];
            let [row, col, block, row_block, col_block] = seat
                .lines
                .map(|line| work.counts[usize::from(line)][usize::from(seat.chosen) % N].number());
            let rivals = row + col + block - row_block - col_block - 1;
            ends += u32::from(rivals);
            work.admit([at as u16], rivals > 0);
        }
        work.conflicts = ends / 2;
        work.look_again();
        work
    }
}

/// A colouring on a state. It borrows the parts of the state one by one, so that their addresses stay
/// in registers.
pub struct TabuWork<'a, T, const N: usize> {
    graph: &'a Graph<T, N>,
    conflicts: u32,
    /// How many vertices are in conflict.
    troubled: u32,
    /// The last group that may have slots taken.
    open: usize,
    seats: &'a mut [Seat<T, N>],
    /// On each line how often each digit is chosen; in each house the sum of the vertices that have
    /// it, which is who has it where it is one.
    counts: &'a mut [[T; N]],
    holders: &'a mut [[u16; N]],
    groups: &'a mut [Group],
    /// The move before which a choice is tabu no longer, of which 16 bits are enough; and for each slot
    /// of the ring the chain of the tabus that end there, known by the moves that made them.
    expiry: &'a mut [[u16; N]],
    chains: &'a mut [Chain; RING],
    heads: &'a mut [u16; RING],
}

/// A vertex takes another digit, which changes the conflicts.
#[derive(Debug, Clone, Copy)]
pub struct Move {
    vertex: u16,
    digit: u8,
    delta: i16,
}

impl<T: Tally, const N: usize> TabuWork<'_, T, N> {
    /// Pairs of rivals that are both made.
    #[inline(always)]
    pub fn conflicts(&self) -> u32 {
        self.conflicts
    }

    /// How many vertices are in conflict.
    #[inline(always)]
    pub fn troubled(&self) -> u32 {
        self.troubled
    }

    /// Writes the digits of the vertices into the cells of a grid.
    #[inline(always)]
    pub fn store(&self, cells: &mut [u8]) {
        for (seat, vertex) in self.seats.iter().zip(&self.graph.vertices) {
            cells[usize::from(vertex.cell)] = seat.chosen;
        }
    }

    /// The best move: one that is not tabu or leads to fewer conflicts than ever. If there is none, the
    /// best of the tabu ones. Of equals that of the vertex with the lowest (vertex * odd) mod 2^16, as
    /// a signed number; of its choices the first from a random one on.
    #[inline(always)]
    pub fn best_move(&self, fewest: u32, odd: u16, turn: u32) -> Option<Move> {
        let groups = &self.groups[1..=self.open];
        let mut allowed = [i16::MAX; 16];
        let mut anyway = [i16::MAX; 16];
        for group in groups {
            for part in 0..SLOTS / 16 {
                let deltas = &group.allowed.as_chunks::<16>().0[part];
                let deltas_anyway = &group.anyway.as_chunks::<16>().0[part];
                for lane in 0..16 {
                    allowed[lane] = allowed[lane].min(deltas[lane]);
                    anyway[lane] = anyway[lane].min(deltas_anyway[lane]);
                }
            }
        }
        let delta = least(anyway);
        let aspires = i32::from(delta) < fewest as i32 - self.conflicts as i32;
        let delta = if aspires { delta } else { least(allowed) };
        // That of a vertex without moves is at most as much less as it has rivals now.
        if delta > NO_MOVE - TABU / 2 {
            return None;
        }
        let mut first = [i16::MAX; 16];
        for group in groups {
            let deltas = if aspires {
                &group.anyway
            } else {
                &group.allowed
            };
            for part in 0..SLOTS / 16 {
                let deltas = &deltas.as_chunks::<16>().0[part];
                let vertices = &group.vertices.as_chunks::<16>().0[part];
                for lane in 0..16 {
                    let rank = vertices[lane].wrapping_mul(odd as i16);
                    let rank = if deltas[lane] == delta {
                        rank
                    } else {
                        i16::MAX
                    };
                    first[lane] = first[lane].min(rank);
                }
            }
        }
        let vertex = (least(first) as u16).wrapping_mul(inverse(odd));
        let seat = &self.seats[usize::from(vertex)];
        let mut keys = tallies(self.counts, seat);
        let now = keys[usize::from(seat.chosen) % N].number() - 1;
        let is_tabu = u16::from(delta > TABU / 2);
        let delta = delta - (is_tabu as i16) * TABU;
        let wanted = T::of(now.wrapping_add_signed(delta) | is_tabu << T::BITS);
        let mask = if aspires { T::COUNT } else { T::BARRED };
        for (key, bar) in keys.iter_mut().zip(seat.bars) {
            *key = key.with(bar).within(mask);
        }
        let mut equal = 0;
        for (part, keys) in keys.as_chunks().0.iter().enumerate() {
            equal |= u128::from(T::equal(keys, wanted)) << (16 * part);
        }
        let Vertex { first, choices, .. } = self.graph.vertices[usize::from(vertex)];
        let start = first + bounded(turn, choices.into());
        let start = self.graph.digits[start as usize];
        Some(Move {
            vertex,
            digit: first_from(equal, start.into(), N),
            delta,
        })
    }

    /// Makes a move. The choice that is left becomes tabu until the move `expiry`.
    #[inline(always)]
    pub fn make(&mut self, step: Move, number: u32, expiry: u32) {
        let at = usize::from(step.vertex);
        let seat = &mut self.seats[at];
        let old = std::mem::replace(&mut seat.chosen, step.digit);
        let [from, to] = [old, step.digit].map(|digit| usize::from(digit) % N);
        seat.bars[from] = T::TABU;
        seat.bars[to] = T::BARRED;
        let (lines, houses) = (seat.lines.map(usize::from), seat.houses);
        self.conflicts = self.conflicts.wrapping_add_signed(step.delta.into());
        // Who was alone with the new digit in a house may get into conflict.
        let mut rivals = [step.vertex; HOUSES];
        for (family, line) in lines.into_iter().enumerate() {
            let counts = &mut self.counts[line];
            counts[from] = counts[from].minus(T::of(1));
            let others = counts[to];
            counts[to] = others.plus(T::of(1));
            if family < HOUSES {
                let holders = &mut self.holders[line];
                holders[from] = holders[from].wrapping_sub(step.vertex);
                let holder = holders[to];
                holders[to] = holder.wrapping_add(step.vertex);
                rivals[family] = if others == T::of(1) {
                    holder
                } else {
                    step.vertex
                };
            }
        }
        self.admit(rivals, true);
        self.expiry[at][from] = expiry as u16;
        let head = &mut self.heads[expiry as usize % RING];
        self.chains[number as usize % RING] = Chain {
            vertex: step.vertex,
            digit: old,
            next: std::mem::replace(head, (number as usize % RING) as u16),
        };
        self.expire(number + 1);
        for group in &mut self.groups[1..=self.open] {
            group.again |= group.sharing(houses);
        }
        self.look_again();
    }

    /// Lifts the tabus that end before this move.
    #[inline(always)]
    fn expire(&mut self, number: u32) {
        let mut at = std::mem::replace(&mut self.heads[number as usize % RING], END);
        while at != END {
            let Chain {
                vertex,
                digit,
                next,
            } = self.chains[usize::from(at) % RING];
            let digit = usize::from(digit) % N;
            let seat = &mut self.seats[usize::from(vertex)];
            // It may have been taken in spite of its tabu, and left again.
            let is_last = self.expiry[usize::from(vertex)][digit] == number as u16;
            let ends = is_last & (seat.bars[digit] == T::TABU);
            seat.bars[digit] = seat.bars[digit].minus(T::of(u16::from(ends) << T::BITS));
            let place = usize::from(seat.place);
            self.groups[place / SLOTS].again |= 1 << (place % SLOTS);
            at = next;
        }
    }

    /// Gives those vertices a slot that have none, if they shall have one.
    #[inline(always)]
    fn admit<const V: usize>(&mut self, vertices: [u16; V], shall: bool) {
        let mut at = 1;
        while self.groups[at].taken.count_zeros() < V as u32 {
            at += 1;
        }
        self.open = self.open.max(at);
        let group = &mut self.groups[at];
        for vertex in vertices {
            let seat = &mut self.seats[usize::from(vertex)];
            let is_new = shall & (seat.place == NOWHERE);
            let slot = group.taken.trailing_ones() as usize % SLOTS;
            // If it does not get the slot, nobody knows that its name stands there.
            group.vertices[slot] = vertex as i16;
            for (list, house) in group.houses.iter_mut().zip(seat.houses) {
                list[slot] = house;
            }
            let bit = u64::from(is_new) << slot;
            group.taken |= bit;
            group.again |= bit;
            self.troubled += u32::from(is_new);
            seat.place += u16::from(is_new) * (SLOTS * at + slot) as u16;
        }
    }

    /// Brings the slots up to date that are to be looked at again, and frees those of vertices that are
    /// not in conflict.
    #[inline(always)]
    fn look_again(&mut self) {
        for (at, group) in (1..=self.open).zip(&mut self.groups[1..]) {
            let mut again = std::mem::take(&mut group.again);
            while again != 0 {
                let slot = again.trailing_zeros() as usize % SLOTS;
                again &= again - 1;
                let seat = &mut self.seats[group.vertices[slot] as usize];
                let (allowed, anyway, is_free) = look_at(self.counts, seat);
                group.allowed[slot] = allowed;
                group.anyway[slot] = anyway;
                group.taken ^= u64::from(is_free) << slot;
                self.troubled -= u32::from(is_free);
                seat.place = (SLOTS * at + slot) as u16 * u16::from(!is_free);
            }
        }
        while self.open > 1 && self.groups[self.open].taken == 0 {
            self.open -= 1;
        }
    }
}

/// What the best move of a vertex changes, what it changes if nothing is tabu, and whether it is in no
/// conflict.
#[inline(always)]
fn look_at<T: Tally, const N: usize>(counts: &[[T; N]], seat: &Seat<T, N>) -> (i16, i16, bool) {
    let mut keys = tallies(counts, seat);
    let now = keys[usize::from(seat.chosen) % N].number() as i16 - 1;
    for (key, bar) in keys.iter_mut().zip(seat.bars) {
        *key = key.with(bar);
    }
    let mut allowed = [T::BARRED; 32];
    let mut anyway = [T::COUNT; 32];
    for keys in keys.as_chunks::<32>().0 {
        for lane in 0..32 {
            allowed[lane] = allowed[lane].lesser(keys[lane]);
            anyway[lane] = anyway[lane].lesser(keys[lane].within(T::COUNT));
        }
    }
    let [allowed, anyway] = [allowed, anyway].map(|lanes| {
        let halves = lanes.as_chunks::<16>().0;
        let mut lanes = halves[0];
        for (lane, other) in lanes.iter_mut().zip(&halves[1]) {
            *lane = lane.lesser(*other);
        }
        T::least(lanes).change() - now
    });
    let is_free = now == 0;
    let free = i16::from(is_free) * NO_MOVE;
    (allowed | free, anyway | free, is_free)
}

/// For each digit how many would be rivals of a vertex that has it, itself included if it has it.
#[inline(always)]
fn tallies<T: Tally, const N: usize>(counts: &[[T; N]], seat: &Seat<T, N>) -> [T; N] {
    let [row, col, block, row_block, col_block] = seat.lines.map(|line| &counts[usize::from(line)]);
    let mut tallies = [T::NOTHING; N];
    for at in 0..N {
        let shared = row_block[at].plus(col_block[at]);
        tallies[at] = row[at].plus(col[at]).plus(block[at]).minus(shared);
    }
    tallies
}

/// The least of all.
#[inline(always)]
fn least(lanes: [i16; 16]) -> i16 {
    let [low, high]: [i16x8; 2] = cast(lanes);
    low.min(high).reduce_min()
}

/// The first of the digits of a set from one of them on, beyond the last from 0 on.
#[inline(always)]
fn first_from(set: u128, start: u32, digits: usize) -> u8 {
    let first = if digits <= 64 {
        let set = set as u64;
        let further = set >> start << start;
        let set = if further == 0 { set } else { further };
        set.trailing_zeros()
    } else {
        let further = set >> start << start;
        let set = if further == 0 { set } else { further };
        set.trailing_zeros()
    };
    first as u8
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
