//! Singleton probing: candidates that refute themselves.
//!
//! Where it ends is singleton consistency (Debruyne and Bessiere, IJCAI 1997) with
//! locked candidates as the propagation. That end does not depend on the order of the
//! probes; how much of it counts as probed and how much as its consequence does.

use super::*;

impl Candidates {
    /// Removes every candidate that is refuted, cell by cell and again from the top, until
    /// a whole round removes none. Nothing simpler may be pending.
    pub(super) fn probe(&mut self, deductions: &mut Deductions) -> Result<(), Contradiction> {
        let cells = self.digits.len();
        let (mut cell, mut since_removal) = (0, 0);
        while since_removal < cells {
            since_removal += 1;
            for digit in ones(self.digits[cell]) {
                // A removal may have taken later digits with it, or closed the cell.
                let open = self.closed[cell] == 0 && self.digits[cell] >> digit & 1 == 1;
                if open && self.is_refuted(cell, digit as u8 + 1) {
                    self.remove(cell, digit)?;
                    deductions.probed_candidates += 1;
                    self.conclude(Level::Locked, deductions)?;
                    since_removal = 0;
                }
            }
            cell = (cell + 1) % cells;
        }
        Ok(())
    }

    /// Whether assuming a candidate ends in a contradiction.
    fn is_refuted(&mut self, cell: usize, digit: u8) -> bool {
        let before = self.mark();
        let assumed = self
            .assign(cell, digit)
            .and_then(|()| self.conclude(Level::Locked, &mut Deductions::default()));
        self.undo(before);
        assumed.is_err()
    }
}
