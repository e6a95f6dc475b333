//! Fitness of grids that are not in the engine: the population of somebody else, read where it is.
//!
//! ```text
//! digits from one, N x N bytes each   | grid 0 | grid 1 | ...                     (somebody's array)
//!        | a piece at a time: less one, checked against the encoding
//! cells from zero, in the cache       | grid 0 | ... | grid 127 | padding |
//!        | kernel
//! fitness                             | 0 | 1 | ...
//! ```

use rayon::prelude::*;

use super::{CpuEngine, SOON_EVALUATED, expect_kernels, has_company, in_pool};
use crate::engine::encoding::REACH;
use crate::plan::KernelFamily;

/// Bytes of a piece: it stays in the first cache with its copy.
const PIECE: usize = 12 << 10;

/// Bytes behind the last grid that kernels may read.
const PADDING: usize = 64;
const _: () = assert!(PADDING >= REACH);

impl CpuEngine {
    /// Whether [`CpuEngine::evaluate_outside`] knows such individuals.
    pub fn evaluates_outside(&self) -> bool {
        self.representation.family() == KernelFamily::Grids
    }

    /// The fitness of grids of digits from one, row by row; as many as there is room for fitness. Fails with the
    /// number of the first grid that is none of the encoding.
    ///
    /// # Panics
    /// If there are not as many digits as that, or if the individuals are no grids that such kernels know.
    pub fn evaluate_outside(&mut self, digits: &[u8], fitness: &mut [u32]) -> Result<(), usize> {
        let cells = self.population.form().cells();
        assert_eq!(digits.len(), fitness.len() * cells);
        let alone = digits.len() <= SOON_EVALUATED || !has_company(&self.pool);
        let grids = expect_kernels(&mut self.kernels.grids);
        let (grids, rules) = (&*grids, &self.rules);
        let piece = (PIECE / cells).clamp(1, 128);
        let work = |room: &mut Vec<u8>, (at, (digits, fitness)): (usize, (&[u8], &mut [u32]))| {
            room.clear();
            // A blank becomes a hole.
            room.extend(digits.iter().map(|digit| digit.wrapping_sub(1)));
            room.resize(digits.len() + PADDING, 0);
            if let Some(stranger) = rules.first_strange_grid(room, fitness.len()) {
                return Err(at * piece + stranger);
            }
            grids.evaluate_cells(room, cells, fitness);
            Ok(())
        };
        if alone {
            let room = &mut Vec::with_capacity(piece * cells + PADDING);
            let pieces = digits.chunks(piece * cells).zip(fitness.chunks_mut(piece));
            return pieces.enumerate().try_for_each(|it| work(room, it));
        }
        in_pool(&self.pool, || {
            let pieces = digits.par_chunks(piece * cells);
            let pieces = pieces.zip(fitness.par_chunks_mut(piece)).enumerate();
            let strangers = pieces.map_init(Vec::new, |room, it| work(room, it).err());
            // The first of them, whoever has found it first.
            match strangers.flatten().min() {
                Some(stranger) => Err(stranger),
                None => Ok(()),
            }
        })
    }
}
