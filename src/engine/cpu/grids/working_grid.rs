//! One individual under work: its digits by rows, columns and sub-blocks, and what is repeated where.

use std::ops::{Index, IndexMut};

use super::mask::{Mask, elements};
use super::registers::{NO_DIGIT, Pack as _, Registers, that_meet, transpose};
use super::score::{by_constraints, illegal_units, missing_digits, right_sum, sum_objective};
use crate::engine::tables::{BLOCKS, COLUMNS, Tables, UNIT_KINDS, cell_of};
use crate::operators::Repeats;
use crate::plan::{Objective, Representation};

/// N and the width of the sub-blocks; constants for the sizes that matter most, so that the
/// loops over them unroll.
pub trait Shape: Copy + Send + Sync + 'static {
    /// N.
    fn n(self) -> usize;
    /// Width of a sub-block.
    fn block_width(self) -> usize;

    /// Width of the units of a kind.
    #[inline(always)]
    fn width(self, kind: usize) -> usize {
        if kind == COLUMNS {
            1
        } else {
            self.block_width()
        }
    }
}

/// A size known to the compiler.
#[derive(Debug, Clone, Copy)]
pub struct Fixed<const N: usize, const W: usize>;

impl<const N: usize, const W: usize> Shape for Fixed<N, W> {
    #[inline(always)]
    fn n(self) -> usize {
        N
    }
    #[inline(always)]
    fn block_width(self) -> usize {
        W
    }
}

/// Any size.
#[derive(Debug, Clone, Copy)]
pub struct AnySize {
    /// N.
    pub n: usize,
    /// Width of a sub-block.
    pub block_width: usize,
}

impl Shape for AnySize {
    #[inline(always)]
    fn n(self) -> usize {
        self.n
    }
    #[inline(always)]
    fn block_width(self) -> usize {
        self.block_width
    }
}

/// The tables of a puzzle with masks of the width in use. `C` is their number of bits, and the length of
/// the arrays: whole SIMD registers.
#[derive(Debug)]
pub struct MaskTables<M, S, const C: usize> {
    /// N and block width.
    pub shape: S,
    /// Whether the sub-blocks count.
    pub has_blocks: bool,
    /// What an individual is, and what fitness counts.
    pub representation: Representation,
    /// See [`Tables::faulty`].
    pub faulty: [bool; 3],
    /// Rows of a segment, and segments of a band.
    pub segment_height: usize,
    /// See [`Tables::template`].
    pub template: Vec<u8>,
    /// See [`Tables::free`].
    pub free: Vec<Vec<u8>>,
    /// The free cells of each segment.
    pub free_cells: Vec<Vec<u16>>,
    /// The given cells and their digits.
    pub givens: Vec<(u16, u8)>,
    /// See [`Tables::domains`].
    pub domains: Vec<M>,
    /// See [`Tables::free_positions`].
    pub free_positions: [[M; C]; UNIT_KINDS],
}

impl<M: Mask, S: Shape, const C: usize> MaskTables<M, S, C> {
    /// The tables for this shape, which has to be theirs.
    pub fn new(tables: &Tables, shape: S) -> Self {
        let mut free_positions = [[M::EMPTY; C]; UNIT_KINDS];
        for (to, sets) in free_positions.iter_mut().zip(&tables.free_positions) {
            for (to, &set) in to.iter_mut().zip(sets) {
                *to = M::narrow(set);
            }
        }
        let (n, width) = (tables.size(), tables.segment_width());
        let free_cells = |(segment, positions): (usize, &Vec<u8>)| {
            let positions = positions.iter().map(|&k| usize::from(k));
            positions
                .map(|k| cell_of(n, width, segment, k) as u16)
                .collect()
        };
        let free_cells: Vec<Vec<u16>> = tables.free.iter().enumerate().map(free_cells).collect();
        let columns = &tables.free_positions[COLUMNS];
        let is_free = |cell: u16| {
            let cell = usize::from(cell);
            columns[cell % n] >> (cell / n) & 1 == 1
        };
        let cells = (0..).zip(tables.template.iter().copied());
        Self {
            shape,
            has_blocks: tables.has_blocks(),
            givens: cells.filter(|&(cell, _)| !is_free(cell)).collect(),
            representation: tables.representation(),
            faulty: tables.faulty(),
            segment_height: n / width,
            template: tables.template.clone(),
            free: tables.free.clone(),
            free_cells,
            domains: tables.domains.iter().map(|&set| M::narrow(set)).collect(),
            free_positions,
        }
    }

    /// The first unit of the band in which a unit is.
    #[inline(always)]
    pub fn band(&self, kind: usize, unit: usize) -> usize {
        if kind == COLUMNS {
            0
        } else {
            unit / self.height(kind) * self.height(kind)
        }
    }

    /// Number of units side by side in a band of a kind, which is their number of rows.
    #[inline(always)]
    pub fn height(&self, kind: usize) -> usize {
        self.shape.n() / self.shape.width(kind)
    }
}

/// Digits in rows, of which the first N have N; [`NO_DIGIT`] beyond. No row crosses a line of the cache.
#[derive(Debug)]
#[repr(align(64))]
pub struct Square<const C: usize>([[u8; C]; C]);

impl<const C: usize> Square<C> {
    const EMPTY: Self = Self([[NO_DIGIT; C]; C]);
}

impl<const C: usize> Index<usize> for Square<C> {
    type Output = [u8; C];
    #[inline(always)]
    fn index(&self, at: usize) -> &[u8; C] {
        &self.0[at]
    }
}

impl<const C: usize> IndexMut<usize> for Square<C> {
    #[inline(always)]
    fn index_mut(&mut self, at: usize) -> &mut [u8; C] {
        &mut self.0[at]
    }
}

/// The units of a kind.
#[derive(Debug)]
pub struct UnitKind<M, const C: usize> {
    /// `units[u][k]` is the digit of cell k of unit u: neighbouring cells stand in neighbouring SIMD
    /// lanes, where they are compared.
    pub units: Square<C>,
    /// The same as one-hot masks the other way round, `cells[k][u]`: units stand in lanes, where they
    /// are counted.
    cells: Box<[Lanes<M, C>; C]>,
    /// The digits that stand in each unit.
    pub once: Sets<M, C>,
    /// The digits that stand in each unit more than once: illegal units have some.
    pub twice: Sets<M, C>,
    /// The free cells of each unit that are marked as repeated.
    pub repeated: Sets<M, C>,
    /// The units that have got other digits since the three were computed.
    pub changed: M,
}

/// A mask for each unit, of which no register crosses a line of the cache.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Lanes<M, const C: usize>([M; C]);

/// A set for each unit, and as many empty ones behind them: some distance from each unit there is
/// another set.
#[derive(Debug)]
pub struct Sets<M, const C: usize>([[M; C]; 2]);

impl<M: Mask, const C: usize> Sets<M, C> {
    const EMPTY: Self = Self([[M::EMPTY; C]; 2]);

    /// Those of all units.
    #[inline(always)]
    pub fn all(&self) -> &[M; C] {
        &self.0[0]
    }

    /// Those from a unit on.
    #[inline(always)]
    pub fn beyond(&self, unit: usize) -> &[M] {
        &self.0.as_flattened()[unit..]
    }

    #[inline(always)]
    fn beyond_mut(&mut self, unit: usize) -> &mut [M] {
        &mut self.0[0][unit..]
    }
}

impl<M, const C: usize> Index<usize> for Sets<M, C> {
    type Output = M;
    #[inline(always)]
    fn index(&self, unit: usize) -> &M {
        &self.0[0][unit]
    }
}

impl<M, const C: usize> IndexMut<usize> for Sets<M, C> {
    #[inline(always)]
    fn index_mut(&mut self, unit: usize) -> &mut M {
        &mut self.0[0][unit]
    }
}

/// One individual under work: by rows, by columns and by sub-blocks.
#[derive(Debug)]
pub struct WorkingGrid<M, const C: usize> {
    /// The rows of the grid.
    pub rows: Square<C>,
    /// Columns and sub-blocks.
    pub kinds: [UnitKind<M, C>; UNIT_KINDS],
}

impl<M: Mask, const C: usize> WorkingGrid<M, C> {
    /// A grid for grids of at most C x C.
    pub fn new() -> Self {
        const { assert!(C == M::BITS as usize) }
        Self {
            rows: Square::EMPTY,
            kinds: [UnitKind::new(), UnitKind::new()],
        }
    }

    /// Takes the digits of an individual.
    #[inline(always)]
    pub fn load<S: Shape>(&mut self, shape: S, digits: &[u8]) {
        for row in 0..shape.n() {
            self.load_row(shape, row, digits);
        }
    }

    /// Takes one row of an individual.
    #[inline(always)]
    pub fn load_row<S: Shape>(&mut self, shape: S, row: usize, digits: &[u8]) {
        let n = shape.n();
        self.rows[row][..n].copy_from_slice(&digits[row * n..][..n]);
    }

    /// Writes the digits out.
    #[inline(always)]
    pub fn store<S: Shape>(&self, shape: S, digits: &mut [u8]) {
        let n = shape.n();
        for row in 0..n {
            digits[row * n..][..n].copy_from_slice(&self.rows[row][..n]);
        }
    }

    /// Ends the work on rows: columns and sub-blocks take over their cells.
    #[inline(always)]
    pub fn rows_changed<S: Shape>(
        &mut self,
        registers: impl Registers<M>,
        tables: &MaskTables<M, S, C>,
    ) {
        let n = tables.shape.n();
        let [columns, blocks] = &mut self.kinds;
        transpose(n, &self.rows.0, &mut columns.units.0);
        columns.all_changed(registers, n, &self.rows);
        if !tables.has_blocks {
            return;
        }
        let (width, height) = (tables.shape.block_width(), tables.height(BLOCKS));
        for band in 0..width {
            for row in 0..height {
                let cells = &self.rows[band * height + row];
                for stack in 0..height {
                    let unit = &mut blocks.units[band * height + stack];
                    let (to, from) = (&mut unit[row * width..], &cells[stack * width..]);
                    match (to.first_chunk_mut::<8>(), from.first_chunk::<8>()) {
                        // One number; the next rows of the block cover what is too much.
                        (Some(to), Some(from)) if width <= 8 && row * width + 8 <= n => *to = *from,
                        _ => to[..width].copy_from_slice(&from[..width]),
                    }
                }
            }
        }
        let mut by_cell = Square::EMPTY;
        transpose(n, &blocks.units.0, &mut by_cell.0);
        blocks.all_changed(registers, n, &by_cell);
    }

    /// Swaps cell `i` of unit `a` with cell `j` of unit `b` in the same row: digits that are
    /// repeated there, each new to the other unit. Their kind stays up to date. Returns where
    /// these digits were in `a` and in `b`.
    #[inline(always)]
    pub fn swap_between<S: Shape>(
        &mut self,
        registers: impl Registers<M>,
        tables: &MaskTables<M, S, C>,
        kind: usize,
        repeats: Repeats,
        [(a, i), (b, j)]: [(usize, usize); 2],
    ) -> [M; 2] {
        let units = &mut self.kinds[kind];
        let (x, y) = (units.units[a][i], units.units[b][j]);
        let at_a = units.lost_repeat(registers, repeats, (a, i), x, y);
        let at_b = units.lost_repeat(registers, repeats, (b, j), y, x);
        let width = tables.shape.width(kind);
        let in_other = [
            transfer(tables.shape, width, (a, i)),
            transfer(tables.shape, width, (b, j)),
        ];
        let [(x_col, x_row), (y_col, y_row)] = match kind == COLUMNS {
            true => [(a, i), (b, j)],
            false => in_other,
        };
        self.rows[x_row][x_col] = y;
        self.rows[y_row][y_col] = x;
        if tables.has_blocks {
            let other = &mut self.kinds[COLUMNS + BLOCKS - kind];
            let [x_place, y_place] = in_other;
            other.put(x_place, y);
            other.put(y_place, x);
            other.changed |= M::bit(x_place.0 as u32) | M::bit(y_place.0 as u32);
        }
        [at_a, at_b]
    }

    /// The fitness of this individual, whose rows are permutations.
    #[inline(always)]
    pub fn fitness<S: Shape>(
        &mut self,
        registers: impl Registers<M>,
        tables: &MaskTables<M, S, C>,
        repeats: Repeats,
    ) -> u32 {
        let n = tables.shape.n();
        if let Objective::Own(own) = tables.representation.objective {
            let mut cells = vec![0; n * n];
            self.store(tables.shape, &mut cells);
            return (own.native)(n, &cells);
        }
        let (mut illegal, mut missing, mut deviation) = (0, 0, 0);
        for kind in 0..if tables.has_blocks { UNIT_KINDS } else { 1 } {
            self.refresh(registers, tables, kind, repeats);
            let units = &self.kinds[kind];
            match tables.representation.objective {
                Objective::IllegalUnits => {}
                Objective::MissingDigits => missing += missing_digits(&units.once.beyond(0)[..n]),
                Objective::SumDeviation => deviation += units.sum_deviation(n),
                Objective::Attacks
                | Objective::SupportConfidence(_)
                | Objective::ConflictsAndHoles
                | Objective::Own(_) => {}
            }
            illegal += illegal_units(&units.twice.beyond(0)[..n]);
        }
        match tables.representation.objective {
            Objective::IllegalUnits => illegal,
            Objective::MissingDigits => missing,
            Objective::SumDeviation => sum_objective(deviation, illegal),
            Objective::Attacks
            | Objective::SupportConfidence(_)
            | Objective::ConflictsAndHoles
            | Objective::Own(_) => by_constraints(),
        }
    }

    /// Brings a kind up to date; which units have changed.
    #[inline(always)]
    pub fn refresh<S: Shape>(
        &mut self,
        registers: impl Registers<M>,
        tables: &MaskTables<M, S, C>,
        kind: usize,
        repeats: Repeats,
    ) -> M {
        let units = &mut self.kinds[kind];
        let changed = std::mem::take(&mut units.changed);
        if changed.any() {
            units.refresh(registers, tables, kind, repeats, changed);
        }
        changed
    }
}

impl<M: Mask, const C: usize> UnitKind<M, C> {
    fn new() -> Self {
        Self {
            units: Square::EMPTY,
            // On the heap: the largest would burst a thread's stack on their way.
            cells: vec![Lanes([M::EMPTY; C]); C]
                .try_into()
                .unwrap_or_else(|_| unreachable!("there are C of them")),
            once: Sets::EMPTY,
            twice: Sets::EMPTY,
            repeated: Sets::EMPTY,
            changed: M::EMPTY,
        }
    }

    /// Takes over `cells` from digits in the same order.
    #[inline(always)]
    fn all_changed<R: Registers<M>>(&mut self, registers: R, n: usize, digits: &Square<C>) {
        for k in 0..n {
            for first in (0..n).step_by(R::LANES) {
                let masks = registers.one_hot(&digits[k][first..]);
                masks.store(&mut self.cells[k].0[first..]);
            }
        }
        self.changed = M::below(n as u32);
    }

    /// Puts a digit into cell `k` of a unit.
    #[inline(always)]
    fn put(&mut self, (unit, k): (usize, usize), digit: u8) {
        self.units[unit][k] = digit;
        self.cells[k].0[unit] = M::bit(u32::from(digit));
    }

    /// What stands where, a register of units at a time if one of them has changed. Lanes beyond N
    /// hold no digit.
    #[inline(always)]
    fn refresh<S: Shape, R: Registers<M>>(
        &mut self,
        registers: R,
        tables: &MaskTables<M, S, C>,
        kind: usize,
        repeats: Repeats,
        changed: M,
    ) {
        let n = tables.shape.n();
        let none = registers.splat(M::EMPTY);
        for first in (0..n).step_by(R::LANES) {
            if !(changed >> first as u32 & M::below(R::LANES as u32)).any() {
                continue;
            }
            let (mut once, mut twice) = (none, none);
            for k in 0..n {
                let cells = registers.load(&self.cells[k].0[first..]);
                twice = twice | once & cells;
                once = once | cells;
            }
            once.store(self.once.beyond_mut(first));
            twice.store(self.twice.beyond_mut(first));
            if repeats == Repeats::Later {
                let (mut before, mut repeated) = (none, none);
                let mut bit = registers.splat(M::bit(0));
                for k in 0..n {
                    let cells = registers.load(&self.cells[k].0[first..]);
                    repeated = repeated | bit.without((cells & before).where_empty());
                    bit = bit.next();
                    before = before | cells;
                }
                let free = registers.load(&tables.free_positions[kind][first..]);
                (repeated & free).store(self.repeated.beyond_mut(first));
            }
        }
        if repeats == Repeats::Every {
            for unit in elements(changed) {
                let repeated = registers.places_of_any(&self.units[unit], self.twice[unit]);
                self.repeated[unit] = repeated & tables.free_positions[kind][unit];
            }
        }
    }

    /// How far the sums of the units are from N (N + 1) / 2, together.
    fn sum_deviation(&self, n: usize) -> u32 {
        (0..n)
            .map(|unit| {
                let digits = self.units[unit][..n]
                    .iter()
                    .map(|&digit| u32::from(digit) + 1);
                digits.sum::<u32>().abs_diff(right_sum(n))
            })
            .sum()
    }

    /// The units that have marked cells.
    #[inline(always)]
    pub fn marked<R: Registers<M>>(&self, registers: R, n: usize) -> M {
        M::narrow(that_meet(registers, self.repeated.beyond(0), n, !M::EMPTY)) & M::below(n as u32)
    }

    /// The marked cells of a unit that have one of these digits.
    #[inline(always)]
    pub fn marked_with(&self, registers: impl Registers<M>, unit: usize, digits: M) -> M {
        registers.places_of_any(&self.units[unit], digits) & self.repeated[unit]
    }

    /// Cell `k` of a unit, which has a repeated digit, gets one that is new to the unit. Returns where
    /// the old one was.
    #[inline(always)]
    fn lost_repeat(
        &mut self,
        registers: impl Registers<M>,
        repeats: Repeats,
        (unit, k): (usize, usize),
        lost: u8,
        gained: u8,
    ) -> M {
        let places = registers.places(&self.units[unit], lost);
        let holders = places & !M::bit(k as u32);
        self.put((unit, k), gained);
        self.once[unit] |= M::bit(u32::from(gained));
        let mut repeated = self.repeated[unit] & !M::bit(k as u32);
        if !holders.rest().any() {
            self.twice[unit] &= !M::bit(u32::from(lost));
            repeated &= !holders;
        } else if repeats == Repeats::Later {
            repeated &= !M::bit(holders.first());
        }
        self.repeated[unit] = repeated;
        places
    }
}

/// Where cell k of unit u in the kind of this width stands in the other kind.
#[inline(always)]
fn transfer<S: Shape>(shape: S, width: usize, (unit, k): (usize, usize)) -> (usize, usize) {
    let (n, block_width) = (shape.n(), shape.block_width());
    let block_height = n / block_width;
    if width == 1 {
        let (row, col) = (k, unit);
        (
            row / block_height * block_height + col / block_width,
            row % block_height * block_width + col % block_width,
        )
    } else {
        let row = unit / block_height * block_height + k / block_width;
        let col = unit % block_height * block_width + k % block_width;
        (col, row)
    }
}
