//! Singleton probing: candidates that refute themselves.
//!
//! Where it ends is singleton consistency (Debruyne and Bessiere, IJCAI 1997) with
//! locked candidates as the propagation. That end does not depend on the order of the
//! probes; how much of it counts as probed and how much as its consequence does. So
//! everything is probed in rounds: the probes of a round know nothing of each other, and
//! threads can share them out as they like.

use rayon::prelude::*;

use super::*;

/// Cells that a thread takes at once: it has to copy the candidates for its probes.
const CELLS_AT_ONCE: usize = 64;

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

    /// For each cell, the candidates that are refuted.
    fn refuted(&self) -> Vec<u128> {
        let probe = |copy: &mut Self, cell: usize| {
            let open = copy.closed[cell] == 0;
            let digits = ones(if open { copy.digits[cell] } else { 0 });
            let refuted = digits.filter(|&digit| copy.is_refuted(cell, digit as u8 + 1));
            refuted.fold(0, |set, digit| set | 1 << digit)
        };
        (0..self.digits.len())
            .into_par_iter()
            .with_min_len(CELLS_AT_ONCE)
            .map_init(|| self.clone(), probe)
            .collect()
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
