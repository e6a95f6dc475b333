//! One individual under work: its digits as one-hot masks, and what is repeated where.

use super::mask::{Mask, Pack as _};
use super::score::{by_lines, illegal_units, missing_digits, right_sum, sum_objective};
use crate::engine::tables::{BLOCKS, COLUMNS, FAMILIES, Tables, cell_of};
use crate::plan::{Individuals, Objective, Repeats};

/// N and the width of the sub-blocks; constants for the sizes that matter most, so that the
/// loops over them unroll.
pub trait Shape: Copy + Send + Sync + 'static {
    /// N.
    fn n(self) -> usize;
    /// Width of a sub-block.
    fn block_width(self) -> usize;

    /// Width of the units of a family.
    #[inline(always)]
    fn width(self, family: usize) -> usize {
        if family == COLUMNS {
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

/// The tables of a puzzle with masks of the width in use. `C` >= N is the capacity of the
/// arrays: N rounded up to whole SIMD registers where N is known, the largest N elsewhere.
#[derive(Debug)]
pub struct Board<M, S, const C: usize> {
    /// N and block width.
    pub shape: S,
    /// Whether the sub-blocks count.
    pub has_blocks: bool,
    /// What an individual is, and what fitness counts.
    pub individuals: Individuals,
    /// See [`Tables::faulty`].
    pub faulty: [bool; 3],
    /// Rows of a brick, and bricks of a band.
    pub brick_height: usize,
    /// See [`Tables::template`].
    pub template: Vec<u8>,
    /// See [`Tables::free`].
    pub free: Vec<Vec<u8>>,
    /// The free cells of each brick.
    pub free_cells: Vec<Vec<u16>>,
    /// The given cells and their digits.
    pub givens: Vec<(u16, u8)>,
    /// See [`Tables::domains`].
    pub domains: Vec<M>,
    /// See [`Tables::free_positions`].
    pub free_positions: [[M; C]; FAMILIES],
}

impl<M: Mask, S: Shape, const C: usize> Board<M, S, C> {
    /// The tables for this shape, which has to be theirs.
    pub fn new(tables: &Tables, shape: S) -> Self {
        let mut free_positions = [[M::EMPTY; C]; FAMILIES];
        for (to, sets) in free_positions.iter_mut().zip(&tables.free_positions) {
            for (to, &set) in to.iter_mut().zip(sets) {
                *to = M::narrow(set);
            }
        }
        let (n, width) = (tables.size(), tables.brick_width());
        let free_cells = |(brick, positions): (usize, &Vec<u8>)| {
            let positions = positions.iter().map(|&k| usize::from(k));
            positions
                .map(|k| cell_of(n, width, brick, k) as u16)
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
            individuals: tables.individuals(),
            faulty: tables.faulty(),
            brick_height: n / width,
            template: tables.template.clone(),
            free: tables.free.clone(),
            free_cells,
            domains: tables.domains.iter().map(|&set| M::narrow(set)).collect(),
            free_positions,
        }
    }

    /// Number of units side by side in a band of a family, which is their number of rows.
    #[inline(always)]
    pub fn height(&self, family: usize) -> usize {
        self.shape.n() / self.shape.width(family)
    }
}

/// The units of a family.
#[derive(Debug)]
pub struct Family<M, const C: usize> {
    /// `cells[k][u]` is the one-hot digit of cell k of unit u: neighbouring units stand in
    /// neighbouring SIMD lanes. For the columns these are the rows of the grid. On the heap:
    /// the largest would burst a thread's stack on their way.
    pub cells: Box<[[M; C]; C]>,
    /// The digits that stand in each unit.
    pub once: [M; C],
    /// The digits that stand in each unit more than once: illegal units have some.
    pub twice: [M; C],
    /// The free cells of each unit that are marked as repeated.
    pub repeated: [M; C],
    /// The units that have got other digits since the three were computed.
    pub changed: M,
}

/// One individual under work, once by columns and once by sub-blocks.
#[derive(Debug)]
pub struct Tile<M, const C: usize> {
    /// Columns and sub-blocks.
    pub families: [Family<M, C>; FAMILIES],
}

impl<M: Mask, const C: usize> Tile<M, C> {
    /// A tile for grids of at most C x C.
    pub fn new() -> Self {
        Self {
            families: [Family::new(), Family::new()],
        }
    }

    /// The cells of a row.
    #[inline(always)]
    pub fn row(&mut self, row: usize) -> &mut [M; C] {
        &mut self.families[COLUMNS].cells[row]
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
        let digits = &digits[row * n..][..n];
        for (cell, &digit) in self.row(row).iter_mut().zip(digits) {
            *cell = M::bit(u32::from(digit));
        }
    }

    /// Writes the digits out.
    #[inline(always)]
    pub fn store<S: Shape>(&self, shape: S, digits: &mut [u8]) {
        let n = shape.n();
        for (digits, row) in digits
            .chunks_exact_mut(n)
            .zip(self.families[COLUMNS].cells.iter())
        {
            for (digit, cell) in digits.iter_mut().zip(row) {
                *digit = cell.first() as u8;
            }
        }
    }

    /// Ends the work on rows: the sub-blocks take over their cells.
    #[inline(always)]
    pub fn rows_changed<S: Shape>(&mut self, board: &Board<M, S, C>) {
        let [columns, blocks] = &mut self.families;
        columns.changed = M::below(board.shape.n() as u32);
        blocks.changed = columns.changed;
        if !board.has_blocks {
            return;
        }
        let (width, height) = (board.shape.block_width(), board.height(BLOCKS));
        for row in 0..board.shape.n() {
            let (band, first) = (row / height * height, row % height * width);
            for stack in 0..height {
                for at in 0..width {
                    blocks.cells[first + at][band + stack] = columns.cells[row][stack * width + at];
                }
            }
        }
    }

    /// Swaps cell `i` of unit `a` with cell `j` of unit `b` in the same row: digits that are
    /// repeated there, each new to the other unit. Their family stays up to date.
    #[inline(always)]
    pub fn swap_between<S: Shape>(
        &mut self,
        board: &Board<M, S, C>,
        family: usize,
        repeats: Repeats,
        (a, i): (usize, usize),
        (b, j): (usize, usize),
    ) {
        let units = &mut self.families[family];
        let (x, y) = (units.cells[i][a], units.cells[j][b]);
        (units.cells[i][a], units.cells[j][b]) = (y, x);
        units.lost_repeat(board.shape.n(), repeats, (a, i), x, y);
        units.lost_repeat(board.shape.n(), repeats, (b, j), y, x);
        if board.has_blocks {
            let width = board.shape.width(family);
            let other = &mut self.families[COLUMNS + BLOCKS - family];
            let (a, i) = transfer(board.shape, width, (a, i));
            let (b, j) = transfer(board.shape, width, (b, j));
            (other.cells[i][a], other.cells[j][b]) = (y, x);
            other.changed |= M::bit(a as u32) | M::bit(b as u32);
        }
    }

    /// The fitness of this individual, whose rows are permutations.
    #[inline(always)]
    pub fn fitness<S: Shape>(&mut self, board: &Board<M, S, C>, repeats: Repeats) -> u32 {
        let n = board.shape.n();
        let (mut illegal, mut missing, mut deviation) = (0, 0, 0);
        for family in 0..if board.has_blocks { FAMILIES } else { 1 } {
            self.refresh(board, family, repeats);
            let units = &self.families[family];
            match board.individuals.objective {
                Objective::IllegalUnits => {}
                Objective::MissingDigits => missing += missing_digits(&units.once[..n]),
                Objective::SumDeviation => deviation += units.sum_deviation(n),
                Objective::Attacks | Objective::SupportConfidence(_) | Objective::Conflicts => {}
            }
            illegal += illegal_units(&units.twice[..n]);
        }
        match board.individuals.objective {
            Objective::IllegalUnits => illegal,
            Objective::MissingDigits => missing,
            Objective::SumDeviation => sum_objective(deviation, illegal),
            Objective::Attacks | Objective::SupportConfidence(_) | Objective::Conflicts => {
                by_lines()
            }
        }
    }

    /// Brings a family up to date; which units have changed.
    #[inline(always)]
    pub fn refresh<S: Shape>(
        &mut self,
        board: &Board<M, S, C>,
        family: usize,
        repeats: Repeats,
    ) -> M {
        let units = &mut self.families[family];
        let changed = std::mem::take(&mut units.changed);
        if changed.any() {
            units.refresh(board.shape.n(), repeats, &board.free_positions[family]);
        }
        changed
    }
}

impl<M: Mask, const C: usize> Family<M, C> {
    fn new() -> Self {
        let Ok(cells) = vec![[M::EMPTY; C]; C].try_into() else {
            unreachable!("a vector of C rows is an array of C rows")
        };
        Self {
            cells,
            once: [M::EMPTY; C],
            twice: [M::EMPTY; C],
            repeated: [M::EMPTY; C],
            changed: M::EMPTY,
        }
    }

    /// What stands where, a register of units at a time. Lanes beyond N hold no digit.
    #[inline(always)]
    fn refresh(&mut self, n: usize, repeats: Repeats, free: &[M; C]) {
        let none = M::Pack::splat(M::EMPTY);
        for first in (0..C).step_by(M::Pack::LANES) {
            let cells = |k: usize| M::Pack::load(&self.cells[k][first..]);
            let (mut once, mut twice, mut repeated) = (none, none, none);
            for k in 0..n {
                let again = once & cells(k);
                if repeats == Repeats::Later {
                    repeated = repeated | (!again.where_empty() & M::Pack::splat(M::bit(k as u32)));
                }
                twice = twice | again;
                once = once | cells(k);
            }
            if repeats == Repeats::Every {
                for k in 0..n {
                    let marked = !(twice & cells(k)).where_empty();
                    repeated = repeated | (marked & M::Pack::splat(M::bit(k as u32)));
                }
            }
            once.store(&mut self.once[first..]);
            twice.store(&mut self.twice[first..]);
            (repeated & M::Pack::load(&free[first..])).store(&mut self.repeated[first..]);
        }
    }

    /// How far the sums of the units are from N (N + 1) / 2, together.
    fn sum_deviation(&self, n: usize) -> u32 {
        (0..n)
            .map(|unit| {
                let digits = self.cells[..n].iter().map(|cells| cells[unit].first() + 1);
                digits.sum::<u32>().abs_diff(right_sum(n))
            })
            .sum()
    }

    /// The units that have marked cells.
    #[inline(always)]
    pub fn marked(&self) -> M {
        let mut marked = 0u128;
        for first in (0..C).step_by(M::Pack::LANES) {
            let unmarked = M::Pack::load(&self.repeated[first..]).where_empty();
            let all = (1 << M::Pack::LANES) - 1;
            marked |= u128::from(!unmarked.lanes() & all) << first;
        }
        M::narrow(marked)
    }

    /// Cell `k` of a unit had a repeated digit and has one now that is new to the unit.
    #[inline(always)]
    fn lost_repeat(
        &mut self,
        n: usize,
        repeats: Repeats,
        (unit, k): (usize, usize),
        lost: M,
        gained: M,
    ) {
        let mut holders = M::EMPTY;
        for (at, cells) in self.cells[..n].iter().enumerate() {
            holders |= mark(cells[unit] & lost, at);
        }
        self.once[unit] |= gained;
        let mut repeated = self.repeated[unit] & !M::bit(k as u32);
        if !holders.rest().any() {
            self.twice[unit] &= !lost;
            repeated &= !holders;
        } else if repeats == Repeats::Later {
            repeated &= !M::bit(holders.first());
        }
        self.repeated[unit] = repeated;
    }
}

/// The set of `k` if `condition` has an element.
#[inline(always)]
fn mark<M: Mask>(condition: M, k: usize) -> M {
    condition.one_if_any() << k as u32
}

/// Where cell k of unit u in the family of this width stands in the other family.
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
