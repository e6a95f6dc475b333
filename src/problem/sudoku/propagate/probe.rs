//! Probing: candidates that refute themselves.
//!
//! Where singleton probing ends is singleton consistency (Debruyne and Bessiere, IJCAI 1997)
//! with locked candidates as the propagation. That end does not depend on the order of the
//! probes; how much of it counts as probed and how much as its consequence does. So
//! everything is probed in rounds: the probes of a round know nothing of each other, and
//! threads can share them out as they like.
//!
//! A probe that ends without a contradiction speaks for more than its own candidate: what it
//! closed on the way need not be probed. Assuming one of those cells alone leaves at least the
//! same candidates, so that it cannot be refuted either. Lecoutre and Cardon (*A Greedy Approach
//! to Establish Singleton Arc Consistency*, IJCAI 2005) save probes in this way.
//!
//! Nested probing refutes candidates by singleton probing. Its whole consistency would cost
//! seconds, so it begins with the cells of fewest candidates and has a limited patience.

use rayon::prelude::*;

use super::*;

/// Cells that a thread takes at once: it has to copy the candidates for its probes.
const CELLS_AT_ONCE: usize = 64;

/// Grids of so many cells are probed before another thread has woken up.
const SOON_PROBED: usize = 100;

/// Whether probing such a grid is work for all threads of the pool around the call.
pub(crate) fn is_work_for_threads(geometry: Geometry) -> bool {
    geometry.cells() > SOON_PROBED
}

/// With more open candidates than this there is no nested probing. Hard puzzles of 9x9 have
/// up to some 270; what has more is large, or has many solutions.
const NESTED_AT_MOST: usize = 300;

/// A pass of nested probing gives up after so many cells that it cannot close: in a puzzle with many solutions
/// nearly every cell is one.
const PATIENCE: usize = 4;

impl Candidates {
    /// Removes every candidate that is refuted, in rounds, until one finds none. Nothing
    /// simpler may be pending.
    pub(super) fn probe(&mut self, deductions: &mut Deductions) -> Result<(), Contradiction> {
        loop {
            let refuted = self.refuted();
            if refuted.iter().all(|&digits| digits == 0) {
                return Ok(());
            }
            for (cell, digits) in refuted.into_iter().enumerate() {
                for digit in ones(digits) {
                    // What an earlier removal of the round led to may have taken it away.
                    if self.digits[cell] >> digit & 1 == 1 {
                        self.remove(cell, digit)?;
                        deductions.probed_candidates += 1;
                        self.conclude(Level::Locked, deductions)?;
                    }
                }
            }
        }
    }

    /// Removes candidates that singleton probing refutes, in passes over cells, until one finds none. Singleton
    /// probing may not find anything any more.
    pub(super) fn probe_nested(
        &mut self,
        deductions: &mut Deductions,
    ) -> Result<(), Contradiction> {
        loop {
            let before = deductions.nested_candidates;
            self.pass_nested(deductions)?;
            if deductions.nested_candidates == before {
                return Ok(());
            }
        }
    }

    /// One pass of it, as far as patience goes.
    fn pass_nested(&mut self, deductions: &mut Deductions) -> Result<(), Contradiction> {
        let mut possible = Possible::new(self);
        let mut undecided = vec![false; self.digits.len()];
        while undecided.iter().filter(|&&is| is).count() < PATIENCE
            && self.open_candidates() <= NESTED_AT_MOST
            && let Some(cell) = self.tightest(&undecided)
        {
            for digit in ones(self.digits[cell]) {
                if self.is_open(cell, digit)
                    && self.is_refuted_by_probing(cell, digit, &mut possible)
                {
                    self.remove(cell, digit)?;
                    deductions.nested_candidates += 1;
                    self.conclude(Level::Locked, deductions)?;
                    deductions.probed_candidates += self.probe_in_turn(deductions)?;
                    possible.forget();
                }
            }
            undecided[cell] = self.closed[cell] == 0;
        }
        Ok(())
    }

    /// Whether a digit is still a candidate of a cell that is not closed.
    fn is_open(&self, cell: usize, digit: usize) -> bool {
        self.closed[cell] == 0 && self.digits[cell] >> digit & 1 == 1
    }

    /// The open cell with the fewest candidates, the first of equal ones, but for those that are left out.
    fn tightest(&self, left_out: &[bool]) -> Option<usize> {
        (0..self.digits.len())
            .filter(|&cell| self.closed[cell] == 0 && !left_out[cell])
            .min_by_key(|&cell| self.digit_counts[cell])
    }

    /// For each cell, the candidates that are refuted.
    fn refuted(&self) -> Vec<u128> {
        let probe = |(copy, possible): &mut (Self, Possible), cell: usize| {
            let open = copy.closed[cell] == 0;
            let digits = ones(if open { copy.digits[cell] } else { 0 });
            let refuted = digits.filter(|&digit| copy.is_refuted(cell, digit, possible));
            refuted.fold(0, |set, digit| set | 1 << digit)
        };
        let cells = 0..self.digits.len();
        let workplace = || (self.clone(), Possible::new(self));
        if !is_work_for_threads(self.geometry()) {
            let mut own = workplace();
            return cells.map(|cell| probe(&mut own, cell)).collect();
        }
        cells
            .into_par_iter()
            .with_min_len(CELLS_AT_ONCE)
            .map_init(workplace, probe)
            .collect()
    }

    /// Whether assuming a candidate ends in a contradiction.
    fn is_refuted(&mut self, cell: usize, digit: usize, possible: &mut Possible) -> bool {
        self.is_refuted_by(cell, digit, possible, |_| Ok(()))
    }

    /// Whether it does after singleton probing.
    fn is_refuted_by_probing(
        &mut self,
        cell: usize,
        digit: usize,
        possible: &mut Possible,
    ) -> bool {
        self.is_refuted_by(cell, digit, possible, |assumed| {
            let removed = assumed.probe_in_turn(&mut Deductions::default());
            removed.map(|_| ())
        })
    }

    fn is_refuted_by(
        &mut self,
        cell: usize,
        digit: usize,
        possible: &mut Possible,
        further: impl FnOnce(&mut Self) -> Result<(), Contradiction>,
    ) -> bool {
        if possible.contains(cell, digit) {
            return false;
        }
        let before = self.mark();
        let assumed = self
            .assign(cell, digit as u8 + 1)
            .and_then(|()| self.conclude(Level::Locked, &mut Deductions::default()))
            .and_then(|()| further(self));
        if assumed.is_ok() {
            possible.learn(self, before);
        }
        self.undo(before);
        assumed.is_err()
    }

    /// [`probe`](Self::probe) one candidate after another, each with what the ones before have removed; ends
    /// at the same candidates. Returns how many it refuted.
    fn probe_in_turn(&mut self, deductions: &mut Deductions) -> Result<usize, Contradiction> {
        let cells = self.digits.len();
        let mut possible = Possible::new(self);
        let (mut removed, mut cell, mut since) = (0, 0, 0);
        while since < cells && !self.is_solved() {
            // Of two digits of a cell it makes no difference which one is probed first: assuming one takes the others away.
            for digit in ones(self.digits[cell]) {
                if self.is_open(cell, digit) && self.is_refuted(cell, digit, &mut possible) {
                    self.remove(cell, digit)?;
                    self.conclude(Level::Locked, deductions)?;
                    possible.forget();
                    (removed, since) = (removed + 1, 0);
                }
            }
            (cell, since) = ((cell + 1) % cells, since + 1);
        }
        Ok(removed)
    }
}

/// Candidates that probes have shown to be beyond refutation.
#[derive(Debug)]
struct Possible {
    /// For each cell, digits of assumptions without a contradiction. They say nothing any more once a
    /// candidate has left.
    for_now: Vec<u128>,
    /// For each cell, its digits in solutions.
    for_good: Vec<u128>,
}

impl Possible {
    fn new(candidates: &Candidates) -> Self {
        let nothing = vec![0; candidates.digits.len()];
        Self {
            for_now: nothing.clone(),
            for_good: nothing,
        }
    }

    fn contains(&self, cell: usize, digit: usize) -> bool {
        (self.for_now[cell] | self.for_good[cell]) >> digit & 1 == 1
    }

    /// Takes in the cells that were closed since a mark and led to no contradiction.
    fn learn(&mut self, candidates: &Candidates, since: Mark) {
        let into = match candidates.is_solved() {
            true => &mut self.for_good,
            false => &mut self.for_now,
        };
        for &(cell, digit) in &candidates.trail[since.trail..] {
            if digit == 0 {
                let cell = usize::from(cell);
                into[cell] |= candidates.digits[cell];
            }
        }
    }

    /// A candidate has left.
    fn forget(&mut self) {
        self.for_now.fill(0);
    }
}
