//! Twin of `shaders/colourings/packing.wgsl`: a focused Metropolis search on packings for everybody.

use super::cooling::{MOST_PERIOD, cooled};
use crate::engine::cpu::Generation;
use crate::engine::cpu::colourings::{
    ColouringKernels, ColouringOperator, KernelResult, PackingState, PackingTables, Tally, Turn,
};
use crate::error::Error;
use crate::operators::kernel::{Auxiliary, Dispatch, KernelCall, Params, Shader, Steps};
use crate::operators::{Ancestry, Call, Operator};
use crate::plan::Representation;
use crate::rng::{Key, Site, bounded};

/// A search for everybody that keeps a partial grid without conflicts: a packing of the puzzle's exact cover. A step
/// chooses an element that nothing covers (a cell, or a digit of a row, a column or a box) and one of its
/// candidates, both at random. The candidate is taken, and those that cover the same are thrown out, if that is
/// one at most; if two, with a small chance p, and p^2 if three. So holes are an energy, and p a temperature: too
/// high, and the search stays far from solutions, too low, and it is trapped near them.
///
/// Individuals may come with conflicts: of two cells in conflict the second becomes a hole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Packing {
    /// Random draws of an individual in a generation, each for two steps; it stops at a solution.
    pub draws: u32,
    /// The least and the most p, in 2^-32 ([`cooled`]).
    pub rates: [u32; 2],
    /// Generations of the first period.
    pub period: u32,
}

impl Packing {
    /// The most draws of a generation.
    pub const MOST_DRAWS: u32 = 1 << 24;

    /// The chances of throwing out two and three.
    fn rates_of(&self, generation: u32, individual: u32) -> [u32; 2] {
        let rate = cooled(self.rates, self.period, generation, individual);
        [rate, bounded(rate, rate)]
    }
}

impl Operator for Packing {
    fn suits(&self, representation: Representation) -> bool {
        representation == Representation::COLOURING
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        let [least, most] = self.rates;
        let complete = least <= most
            && (1..=MOST_PERIOD).contains(&self.period)
            && (1..=Self::MOST_DRAWS).contains(&self.draws);
        assert!(complete, "{self:?} lacks what its kernel needs");
        Ok(())
    }

    fn evaluations(&self, pop: u64) -> u64 {
        pop * 2 * u64::from(self.draws)
    }

    fn counts_moves(&self) -> bool {
        true
    }

    fn auxiliary(&self, _: u32) -> Auxiliary {
        Auxiliary::Workspaces
    }

    fn ancestry(&self) -> Ancestry {
        Ancestry::Itself
    }

    fn kernels(&self, _: &Call) -> Vec<KernelCall> {
        let [least, most] = self.rates;
        let params = Params::new([
            ("draws", self.draws),
            ("least", least),
            ("most", most),
            ("period", self.period),
        ]);
        let kernel = KernelCall::new(Shader::builtin("colourings/packing"));
        let steps = Dispatch::Steps(Steps::Draws(self.draws));
        vec![kernel.with(params).over(steps)]
    }
}

impl ColouringOperator for Packing {
    #[cfg(test)]
    fn example() -> Self {
        Self {
            draws: 1,
            rates: [1, 2],
            period: 1,
        }
    }

    fn run<T: Tally, const N: usize>(
        &self,
        kernels: &mut ColouringKernels<T, N>,
        generation: &mut Generation<'_>,
    ) -> u64 {
        kernels.search(generation, |puzzle, state, turn, cells| {
            self.search(&puzzle.cover, &mut state.packing, turn, cells)
        })
    }
}

impl Packing {
    /// Makes so many draws of an individual's search; it ends at a solution.
    pub(super) fn search(
        &self,
        tables: &PackingTables,
        state: &mut PackingState,
        turn: Turn,
        cells: &mut [u8],
    ) -> KernelResult {
        let Turn {
            key,
            generation,
            individual,
        } = turn;
        let search = Search {
            tables,
            state,
            draws: self.draws,
            key,
            rates: self.rates_of(generation, individual),
            individual,
            cells,
        };
        match tables.has_boxes {
            true => search.on_this_machine::<4>(),
            false => search.on_this_machine::<3>(),
        }
    }
}

/// Draws that are made at once.
const DRAWS: usize = 8;

/// What is to be done, in one piece.
struct Search<'a> {
    tables: &'a PackingTables,
    state: &'a mut PackingState,
    draws: u32,
    key: Key,
    rates: [u32; 2],
    individual: u32,
    cells: &'a mut [u8],
}

impl Search<'_> {
    /// With AVX2, where there is AVX2.
    fn on_this_machine<const KINDS: usize>(self) -> KernelResult {
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V3::try_new() {
            return simd.vectorize(
                #[inline(always)]
                || self.run::<KINDS>(),
            );
        }
        self.run::<KINDS>()
    }

    #[inline(always)]
    fn run<const KINDS: usize>(self) -> KernelResult {
        let mut work = self.state.load(self.tables, self.cells);
        let mut steps = 0;
        let mut draws = [[0; DRAWS]; 4];
        'search: for first in (0..self.draws).step_by(DRAWS) {
            for lane in 0..DRAWS {
                let counter = Site::Step.counter(first + lane as u32 + 1);
                let words = self.key.draw(self.individual, counter);
                for (list, word) in draws.iter_mut().zip(words) {
                    list[lane] = word;
                }
            }
            let [choices, chances, more_choices, more_chances] = &draws;
            for lane in 0..DRAWS.min((self.draws - first) as usize) {
                // Not in a loop: numbers that are put together in memory would be waited for.
                if work.uncovered() == 0 {
                    break 'search;
                }
                work.step::<KINDS>([choices[lane], chances[lane]], self.rates);
                steps += 1;
                if work.uncovered() == 0 {
                    break 'search;
                }
                work.step::<KINDS>([more_choices[lane], more_chances[lane]], self.rates);
                steps += 1;
            }
        }
        KernelResult {
            fitness: work.store(self.cells),
            swaps: steps,
        }
    }
}
