//! Constraint propagation: what the rules alone say about the open cells.
//!
//! Owns the candidates of every cell, the techniques that remove them, and their
//! undoing. Every conclusion follows from the givens; search belongs to
//! [`exact`](super::exact).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Geometry, Grid, House, Puzzle};

mod probe;

pub(crate) use probe::is_work_for_threads;

/// How far propagation goes. Every level includes the ones before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Nothing is concluded: a digit only leaves the peers of the cells it was assigned to.
    None,
    /// Naked singles (a cell with one digit left) and hidden singles (a digit with one
    /// place left in a house).
    #[default]
    Singles,
    /// Also locked candidates: where all places of a digit in one house lie in a second
    /// house, the digit leaves the rest of the second. From a box to a line this is
    /// called pointing, from a line to a box claiming.
    Locked,
    /// Also singleton probing: a candidate leaves if assuming it and propagating to
    /// [`Locked`](Self::Locked) ends in a contradiction.
    ///
    /// Every candidate costs a propagation and its undoing, and all of them once more after
    /// the last removal. In a release build that is a millisecond at 9x9, ten at 16x16 and
    /// below fifty at 25x25, with the hardest shares of givens; below half a second for a
    /// half full 64x64. Blank grids have the most candidates: 64x64 takes 6 seconds, a
    /// Latin square of order 128 nearly a minute. A further call probes everything anew.
    Probing,
    /// Also nested probing, where little is left: a candidate leaves if assuming it and
    /// [`Probing`](Self::Probing) ends in a contradiction.
    ///
    /// Cells with fewest candidates come first. It begins only where at most 300 candidates
    /// are open. A pass ends at the fourth cell that it cannot close, and the last pass finds
    /// nothing. So it takes some milliseconds, and closes most of the hardest 9x9 puzzles with
    /// one solution.
    Nested,
}

impl Level {
    /// Every level, in ascending order.
    pub const ALL: [Self; 5] = [
        Self::None,
        Self::Singles,
        Self::Locked,
        Self::Probing,
        Self::Nested,
    ];

    /// The name, as [`parse`](Self::parse) reads it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Singles => "singles",
            Self::Locked => "locked",
            Self::Probing => "probing",
            Self::Nested => "nested",
        }
    }

    /// The level of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// What a propagation achieved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deductions {
    /// Cells closed because one digit was left for them.
    pub naked_singles: usize,
    /// Cells closed because they were the last place of a digit in a house.
    pub hidden_singles: usize,
    /// Candidates removed by locked candidates.
    pub locked_candidates: usize,
    /// Candidates removed by probing, without what followed from their removal.
    pub probed_candidates: usize,
    /// Candidates removed by nested probing, likewise.
    #[serde(default)]
    pub nested_candidates: usize,
}

/// Why a puzzle has no solution. Positions count from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Contradiction {
    /// Every digit is excluded from a cell.
    #[error("no digit is left for row {row}, column {col}")]
    Cell {
        /// Row of the cell.
        row: usize,
        /// Column of the cell.
        col: usize,
    },
    /// A digit is excluded from every cell of a house.
    #[error("no place is left for {digit} in {house}")]
    House {
        /// Where.
        house: House,
        /// What.
        digit: u8,
    },
    /// A digit was assigned to a cell that cannot hold it.
    #[error("{digit} is not a candidate of row {row}, column {col}")]
    Digit {
        /// Row of the cell.
        row: usize,
        /// Column of the cell.
        col: usize,
        /// The digit assigned.
        digit: u8,
    },
}

/// A set of digits from 1 to 128.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Digits(u128);

impl Digits {
    /// The set as bits: bit `d - 1` stands for the digit `d`.
    pub fn bits(self) -> u128 {
        self.0
    }

    /// The number of digits.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is no digit.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a digit belongs to the set.
    pub fn contains(self, digit: u8) -> bool {
        matches!(digit, 1..=128) && self.0 >> (digit - 1) & 1 == 1
    }

    /// The digits in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        ones(self.0).map(|bit| bit as u8 + 1)
    }
}

/// The candidates of every cell of a puzzle.
///
/// A cell is *closed* once its digit is known and gone from all its peers; propagation
/// closes cells, [`undo`](Self::undo) opens them again. Cells are numbered row by row
/// from zero.
///
/// ```
/// use gpusudoku::problem::sudoku::propagate::{Candidates, Level};
/// use gpusudoku::problem::{Geometry, Grid, Puzzle};
///
/// let givens = vec![
///     1, 2, 0, 0, //
///     0, 0, 0, 0, //
///     0, 0, 0, 3, //
///     0, 0, 0, 0,
/// ];
/// let puzzle = Puzzle::new(Grid::new(Geometry::usual(4)?, givens)?)?;
/// let mut candidates = Candidates::new(&puzzle)?;
/// assert_eq!(candidates.digits(3).iter().collect::<Vec<_>>(), [4]);
///
/// let deductions = candidates.propagate(Level::Singles)?;
/// assert!(deductions.naked_singles >= 1);
/// assert_eq!(candidates.to_grid().cells()[..4], [1, 2, 3, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Candidates {
    layout: Arc<Layout>,
    /// The digits left for a cell, and how many.
    digits: Vec<u128>,
    digit_counts: Vec<u8>,
    /// The positions left for a digit in a house, and how many, by [`Layout::slot`].
    places: Vec<u128>,
    place_counts: Vec<u8>,
    /// The digits of the closed cells, 0 elsewhere, and how many cells are closed.
    closed: Vec<u8>,
    closed_count: usize,
    /// Cells with one digit and slots with one place, from which nothing was concluded yet.
    naked: Vec<u16>,
    hidden: Vec<u16>,
    /// For each house the digits that lost a place since they were last searched for locks.
    lockable: Vec<u128>,
    /// What to undo: (cell, digit) is a removed candidate, (cell, 0) a closed cell.
    trail: Vec<(u16, u8)>,
    contradiction: Option<Contradiction>,
}

/// A state of [`Candidates`] to return to.
#[derive(Debug, Clone, Copy)]
pub struct Mark {
    trail: usize,
    singles_pending: bool,
    locks_pending: bool,
    contradiction: Option<Contradiction>,
}

impl Candidates {
    /// The candidates that the givens leave, with nothing concluded from them.
    pub fn new(puzzle: &Puzzle) -> Result<Self, Contradiction> {
        let geometry = puzzle.geometry();
        let (n, cells) = (geometry.size(), geometry.cells());
        let layout = Layout::new(geometry);
        let slots = layout.cells.len();
        let all = u128::MAX >> (128 - n);
        let mut candidates = Self {
            digits: vec![all; cells],
            digit_counts: vec![n as u8; cells],
            places: vec![all; slots],
            place_counts: vec![n as u8; slots],
            closed: vec![0; cells],
            closed_count: 0,
            naked: Vec::new(),
            hidden: Vec::new(),
            lockable: vec![all; slots / n],
            trail: Vec::new(),
            contradiction: None,
            layout: Arc::new(layout),
        };
        for (cell, &digit) in puzzle.givens().cells().iter().enumerate() {
            if digit != 0 {
                candidates.assign(cell, digit)?;
            }
        }
        Ok(candidates)
    }

    /// Size and boxes.
    pub fn geometry(&self) -> Geometry {
        self.layout.geometry
    }

    /// The digits left for a cell; none for a cell outside the grid.
    pub fn digits(&self, cell: usize) -> Digits {
        Digits(self.digits.get(cell).copied().unwrap_or(0))
    }

    /// The number of candidates of all open cells together.
    pub fn open_candidates(&self) -> usize {
        self.digit_counts
            .iter()
            .zip(&self.closed)
            .filter(|&(_, &digit)| digit == 0)
            .map(|(&count, _)| usize::from(count))
            .sum()
    }

    /// The number of cells that are not closed.
    pub fn open_cells(&self) -> usize {
        self.closed.len() - self.closed_count
    }

    /// Whether every cell is closed: [`to_grid`](Self::to_grid) is then a solution.
    pub fn is_solved(&self) -> bool {
        self.open_cells() == 0
    }

    /// The closed cells as a grid, the open ones blank. Closed cells never contradict
    /// each other, so [`Puzzle::new`] accepts it.
    pub fn to_grid(&self) -> Grid {
        Grid::new(self.geometry(), self.closed.clone())
            .expect("a closed cell holds one of the N digits it began with")
    }

    /// Closes a cell with a digit, which leaves all its peers. Conclusions are left to
    /// [`propagate`](Self::propagate).
    ///
    /// After a contradiction every change reports it again until it is undone.
    pub fn assign(&mut self, cell: usize, digit: u8) -> Result<(), Contradiction> {
        self.consistent()?;
        if !self.digits(cell).contains(digit) {
            let (row, col) = self.layout.position(cell);
            return self.fail(Contradiction::Digit { row, col, digit });
        }
        let others = self.digits[cell] & !(1 << (digit - 1));
        for other in ones(others) {
            self.remove(cell, other)?;
        }
        self.close(cell)
    }

    /// Removes a candidate; nothing happens if it is none. Conclusions are left to
    /// [`propagate`](Self::propagate).
    pub fn eliminate(&mut self, cell: usize, digit: u8) -> Result<(), Contradiction> {
        self.consistent()?;
        if self.digits(cell).contains(digit) {
            self.remove(cell, usize::from(digit) - 1)?;
        }
        Ok(())
    }

    /// Applies the techniques of a level until none of them finds anything more, always
    /// the simplest one that does.
    pub fn propagate(&mut self, level: Level) -> Result<Deductions, Contradiction> {
        self.consistent()?;
        let mut deductions = Deductions::default();
        self.conclude(level, &mut deductions)?;
        if level >= Level::Probing {
            self.probe(&mut deductions)?;
        }
        if level == Level::Nested {
            self.probe_nested(&mut deductions)?;
        }
        Ok(deductions)
    }

    /// [`propagate`](Self::propagate) without probing.
    fn conclude(&mut self, level: Level, deductions: &mut Deductions) -> Result<(), Contradiction> {
        if level == Level::None {
            return Ok(());
        }
        loop {
            if let Some(cell) = self.naked.pop() {
                let cell = usize::from(cell);
                if self.closed[cell] == 0 {
                    self.close(cell)?;
                    deductions.naked_singles += 1;
                }
            } else if let Some(slot) = self.hidden.pop() {
                let (cell, digit) = self.first_place(usize::from(slot));
                if self.closed[cell] == 0 {
                    self.assign(cell, digit)?;
                    deductions.hidden_singles += 1;
                }
            } else if level >= Level::Locked {
                match self.lock()? {
                    0 => return Ok(()),
                    removed => deductions.locked_candidates += removed,
                }
            } else {
                return Ok(());
            }
        }
    }

    /// The present state, for [`undo`](Self::undo).
    pub fn mark(&self) -> Mark {
        Mark {
            trail: self.trail.len(),
            singles_pending: !(self.naked.is_empty() && self.hidden.is_empty()),
            locks_pending: self.lockable.iter().any(|&digits| digits != 0),
            contradiction: self.contradiction,
        }
    }

    /// Returns to a state marked earlier. Marks made after it lose their meaning.
    pub fn undo(&mut self, mark: Mark) {
        while self.trail.len() > mark.trail
            && let Some((cell, digit)) = self.trail.pop()
        {
            let cell = usize::from(cell);
            match digit.checked_sub(1) {
                Some(digit) => self.restore(cell, usize::from(digit)),
                None => {
                    self.closed[cell] = 0;
                    self.closed_count -= 1;
                }
            }
        }
        self.contradiction = mark.contradiction;
        // The queues are not on the trail. Where they were empty they are empty again;
        // where they were not, looking at everything once more finds what they held.
        self.naked.clear();
        self.hidden.clear();
        if mark.singles_pending {
            let single = |counts: &[u8]| {
                let found = |(i, &count): (usize, &u8)| (count == 1).then_some(i as u16);
                counts.iter().enumerate().filter_map(found).collect()
            };
            self.naked = single(&self.digit_counts);
            self.hidden = single(&self.place_counts);
        }
        self.lockable.fill(if mark.locks_pending {
            u128::MAX >> (128 - self.layout.n)
        } else {
            0
        });
    }

    /// The number of digits left for each cell.
    pub(super) fn digit_counts(&self) -> &[u8] {
        &self.digit_counts
    }

    /// The number of places left for each digit in each house.
    pub(super) fn place_counts(&self) -> &[u8] {
        &self.place_counts
    }

    /// The index of a house and a digit into [`place_counts`](Self::place_counts).
    pub(super) fn slot(&self, house: House, digit: u8) -> usize {
        let n = self.layout.n;
        let house = match house {
            House::Row(index) => index,
            House::Column(index) => n + index,
            House::Box(index) => 2 * n + index,
        };
        self.layout.slot(house, usize::from(digit) - 1)
    }

    /// The first cell left for the digit of an index into [`place_counts`](Self::place_counts).
    pub(super) fn first_place(&self, slot: usize) -> (usize, u8) {
        let (house, digit) = (slot / self.layout.n, slot % self.layout.n);
        let position = self.places[slot].trailing_zeros() as usize;
        (self.layout.cell(house, position), digit as u8 + 1)
    }

    fn consistent(&self) -> Result<(), Contradiction> {
        self.contradiction.map_or(Ok(()), Err)
    }

    fn fail(&mut self, contradiction: Contradiction) -> Result<(), Contradiction> {
        self.contradiction = Some(contradiction);
        Err(contradiction)
    }

    /// Removes the only digit of a cell from its peers.
    fn close(&mut self, cell: usize) -> Result<(), Contradiction> {
        if self.closed[cell] != 0 {
            return Ok(());
        }
        let digit = self.digits[cell].trailing_zeros() as usize;
        self.closed[cell] = digit as u8 + 1;
        self.closed_count += 1;
        self.trail.push((cell as u16, 0));
        for kind in 0..self.layout.kinds {
            let seat = self.layout.seats[cell][kind];
            let house = usize::from(seat.house);
            let others = self.places[self.layout.slot(house, digit)] & !(1 << seat.position);
            for position in ones(others) {
                self.remove(self.layout.cell(house, position), digit)?;
            }
        }
        Ok(())
    }

    /// Removes a candidate, which must be one, and queues the singles that this makes.
    fn remove(&mut self, cell: usize, digit: usize) -> Result<(), Contradiction> {
        let layout = &*self.layout;
        let mut contradiction = None;
        self.trail.push((cell as u16, digit as u8 + 1));
        self.digits[cell] &= !(1 << digit);
        self.digit_counts[cell] -= 1;
        match self.digit_counts[cell] {
            0 => {
                let (row, col) = layout.position(cell);
                contradiction = Some(Contradiction::Cell { row, col });
            }
            1 => self.naked.push(cell as u16),
            _ => {}
        }
        for seat in &layout.seats[cell][..layout.kinds] {
            let house = usize::from(seat.house);
            let slot = layout.slot(house, digit);
            self.lockable[house] |= 1 << digit;
            self.places[slot] &= !(1 << seat.position);
            self.place_counts[slot] -= 1;
            match self.place_counts[slot] {
                0 => {
                    let (house, digit) = (layout.house(house), digit as u8 + 1);
                    contradiction = Some(Contradiction::House { house, digit });
                }
                1 => self.hidden.push(slot as u16),
                _ => {}
            }
        }
        // Only now: a half removed candidate could not be restored.
        contradiction.map_or(Ok(()), |contradiction| self.fail(contradiction))
    }

    /// The inverse of [`remove`](Self::remove).
    fn restore(&mut self, cell: usize, digit: usize) {
        let layout = &*self.layout;
        self.digits[cell] |= 1 << digit;
        self.digit_counts[cell] += 1;
        for seat in &layout.seats[cell][..layout.kinds] {
            let slot = layout.slot(usize::from(seat.house), digit);
            self.places[slot] |= 1 << seat.position;
            self.place_counts[slot] += 1;
        }
    }

    /// Searches for locked candidates until a house yields some, and returns how many
    /// candidates were removed.
    fn lock(&mut self) -> Result<usize, Contradiction> {
        let Some(shape) = self.geometry().boxes() else {
            return Ok(0);
        };
        // A box and a line share no more cells than this.
        let shared = shape.rows.max(shape.cols);
        for house in 0..self.lockable.len() {
            let mut removed = 0;
            for digit in ones(std::mem::take(&mut self.lockable[house])) {
                let count = usize::from(self.place_counts[self.layout.slot(house, digit)]);
                if (2..=shared).contains(&count) {
                    removed += self.lock_digit(house, digit)?;
                }
            }
            if removed > 0 {
                return Ok(removed);
            }
        }
        Ok(0)
    }

    /// If all places of a digit in a house lie in a second house as well, removes the
    /// digit from the rest of the second.
    fn lock_digit(&mut self, house: usize, digit: usize) -> Result<usize, Contradiction> {
        let own_kind = house / self.layout.n;
        let places = self.places[self.layout.slot(house, digit)];
        let first = self.layout.cell(house, places.trailing_zeros() as usize);
        // Two lines share no more than one cell.
        let seconds: &[usize] = match own_kind {
            BOX => &[ROW, COLUMN],
            _ => &[BOX],
        };
        let mut removed = 0;
        for &kind in seconds {
            let layout = &*self.layout;
            let (in_own, in_second) = match own_kind {
                BOX => layout.crossings[first][kind].box_first(),
                line => layout.crossings[first][line].line_first(),
            };
            if places & !in_own != 0 {
                continue;
            }
            let second = usize::from(layout.seats[first][kind].house);
            for position in ones(self.places[layout.slot(second, digit)] & !in_second) {
                self.remove(self.layout.cell(second, position), digit)?;
                removed += 1;
            }
        }
        Ok(removed)
    }
}

/// Which cells make up which houses: the rows, then the columns, then the boxes, if any.
#[derive(Debug)]
struct Layout {
    geometry: Geometry,
    n: usize,
    /// Houses a cell belongs to: 2 in a Latin square, otherwise 3.
    kinds: usize,
    /// For each cell its row, column and box, and where in them it is.
    seats: Vec<[Seat; 3]>,
    /// The cells of each house.
    cells: Vec<u16>,
    /// For each cell where its row and its column cross its box; nothing in a Latin square.
    crossings: Vec<[Crossing; 2]>,
}

/// Kinds of houses, as [`Layout::seats`] has them.
const ROW: usize = 0;
const COLUMN: usize = 1;
const BOX: usize = 2;

#[derive(Debug, Clone, Copy, Default)]
struct Seat {
    house: u16,
    position: u8,
}

/// The cells that a line and a box share, as positions in either.
#[derive(Debug, Clone, Copy, Default)]
struct Crossing {
    in_line: u128,
    in_box: u128,
}

impl Crossing {
    /// Those of each cell's row and column with its box.
    fn of_cells(n: usize, seats: &[[Seat; 3]]) -> Vec<[Self; 2]> {
        let mut crossings = vec![Self::default(); 2 * n * n];
        let index = |line: Seat, block: Seat| {
            usize::from(line.house) * n + usize::from(block.house) - BOX * n
        };
        for &[row, column, block] in seats {
            for line in [row, column] {
                let crossing = &mut crossings[index(line, block)];
                crossing.in_line |= 1 << line.position;
                crossing.in_box |= 1 << block.position;
            }
        }
        { seats.iter() }
            .map(|&[row, column, block]| [row, column].map(|line| crossings[index(line, block)]))
            .collect()
    }

    /// The positions in the line, then those in the box.
    fn line_first(self) -> (u128, u128) {
        (self.in_line, self.in_box)
    }

    /// The positions in the box, then those in the line.
    fn box_first(self) -> (u128, u128) {
        (self.in_box, self.in_line)
    }
}

impl Layout {
    fn new(geometry: Geometry) -> Self {
        let n = geometry.size();
        let kinds = if geometry.boxes().is_some() { 3 } else { 2 };
        let mut seats = vec![[Seat::default(); 3]; n * n];
        let mut cells = vec![0; kinds * n * n];
        let mut filled = vec![0; kinds * n];
        for (cell, seats) in seats.iter_mut().enumerate() {
            let (row, col) = (cell / n, cell % n);
            let box_house = geometry.box_of(row, col).map(|index| 2 * n + index);
            let houses = [Some(row), Some(n + col), box_house];
            for (seat, house) in seats.iter_mut().zip(houses.into_iter().flatten()) {
                let position = filled[house];
                filled[house] += 1;
                cells[house * n + position] = cell as u16;
                *seat = Seat {
                    house: house as u16,
                    position: position as u8,
                };
            }
        }
        let crossings = if kinds > BOX {
            Crossing::of_cells(n, &seats)
        } else {
            Vec::new()
        };
        Self {
            geometry,
            n,
            kinds,
            seats,
            cells,
            crossings,
        }
    }

    /// The index of a digit (from zero) in a house.
    fn slot(&self, house: usize, digit: usize) -> usize {
        house * self.n + digit
    }

    fn cell(&self, house: usize, position: usize) -> usize {
        usize::from(self.cells[house * self.n + position])
    }

    /// Row and column, from one.
    fn position(&self, cell: usize) -> (usize, usize) {
        (cell / self.n + 1, cell % self.n + 1)
    }

    fn house(&self, house: usize) -> House {
        let index = house % self.n;
        match house / self.n {
            0 => House::Row(index),
            1 => House::Column(index),
            _ => House::Box(index),
        }
    }
}

/// The positions of the ones in a bit set, in ascending order.
fn ones(mut bits: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        lowest
    })
}

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
