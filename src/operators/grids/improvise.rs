//! Twin of `shaders/grids/improvise.wgsl`: one improvisation of a harmony search (FPCHS section IV).

use std::sync::Arc;

use super::replace_worst::replace_worst;
use crate::engine::cpu::Generation;
use crate::engine::cpu::grids::{
    GridKernels, GridOperator, KernelResult, Mask, MaskTables, Shape, score,
};
use crate::error::Error;
use crate::operators::kernel::{Auxiliary, Dispatch, KernelCall, Params, Shader};
use crate::operators::{Call, Operator};
use crate::plan::{Encoding, KernelFamily, Representation};
use crate::population::Population;
use crate::rng::{Key, Rate, Site, bounded};

/// Harmony search: new harmonies from the memory, which is the population.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Improvise {
    /// Improvisations of a generation, at most as many as the memory holds. The best of them faces
    /// the worst of the memory, the second best the second worst, and so on; it replaces it if it
    /// is better. With one improvisation this is harmony search to the letter, with more the memory
    /// that they would leave one after another (copies apart, which take the place of a rival).
    pub batch: u32,
    /// HMCR, PAR (as [`Rate::threshold`]s) and bandwidth (256ths of a place in a cell's domain, up
    /// to 2^15) of the improvisations, in turn.
    pub pitches: Arc<[u32]>,
    /// Whether a harmony that is in the memory already does not enter it.
    pub distinct: bool,
}

impl Operator for Improvise {
    fn suits(&self, representation: Representation) -> bool {
        representation.family() == KernelFamily::Grids
            && matches!(representation.encoding, Encoding::Cells(_))
    }

    fn check(&self, pop: usize) -> Result<(), Error> {
        let complete = self.pitches.len() >= 3;
        assert!(complete, "{self:?} lacks what its kernel needs");
        match (1..=pop).contains(&(self.batch as usize)) {
            true => Ok(()),
            false => Err(Error::BadValue {
                key: "batch".to_owned(),
                value: self.batch.to_string(),
                expected: format!("from 1 to {pop}, the size of the population (--pop)"),
            }),
        }
    }

    fn evaluations(&self, _: u64) -> u64 {
        u64::from(self.batch)
    }

    fn auxiliary(&self, _: u32) -> Auxiliary {
        Auxiliary::Harmonies(self.batch)
    }

    fn kernels(&self, _: &Call) -> Vec<KernelCall> {
        let params = Params::new([
            ("batch", self.batch),
            ("pitches", (self.pitches.len() / 3) as u32),
            ("distinct", u32::from(self.distinct)),
        ]);
        let kernel = |path| KernelCall::new(Shader::builtin(path)).with(params.clone());
        let harmonies = Dispatch::Items(self.batch);
        vec![
            kernel("grids/improvise")
                .reading(&self.pitches)
                .over(harmonies.clone()),
            kernel("grids/rank_harmonies").over(harmonies),
            kernel("grids/replace_worst"),
        ]
    }
}

impl GridOperator for Improvise {
    #[cfg(test)]
    fn example() -> Self {
        Self {
            batch: 2,
            pitches: Arc::from([1, 2, 3]),
            distinct: true,
        }
    }

    fn run<M: Mask, S: Shape, const C: usize>(
        &self,
        kernels: &mut GridKernels<M, S, C>,
        generation: &mut Generation<'_>,
    ) -> u64 {
        let (key, number, old) = (generation.key(), generation.first, &*generation.old);
        let harmonies = generation.auxiliary.harmonies(old, self.batch as usize);
        kernels.each(
            harmonies,
            &(0..self.batch as usize),
            |tables, _, harmony, cells| {
                KernelResult::new(improvise(tables, self, key, number, harmony, old, cells))
            },
        );
        replace_worst(self, harmonies, old, generation.new);
        0
    }
}

/// Improvises one harmony and returns its fitness: every cell takes a digit from the memory,
/// perhaps one nearby, or any of its domain.
pub fn improvise<M: Mask, S: Shape, const C: usize>(
    tables: &MaskTables<M, S, C>,
    improvise: &Improvise,
    key: Key,
    generation: u32,
    harmony: u32,
    memory: &Population,
    cells: &mut [u8],
) -> u32 {
    let number = (generation - 1).wrapping_mul(improvise.batch);
    let pitches = improvise.pitches.len() / 3;
    let pitch = number.wrapping_add(harmony) as usize % pitches * 3;
    let [considering, adjusting] =
        [0, 1].map(|at| Rate::from_threshold(improvise.pitches[pitch + at]));
    let bandwidth = improvise.pitches[pitch + 2];
    cells.copy_from_slice(&tables.template);
    for &cell in tables.free_cells.iter().flatten() {
        let at = usize::from(cell);
        let [memory_coin, choice, pitch_coin, step] =
            key.draw(harmony, Site::Improvise.counter(u32::from(cell)));
        let domain = tables.domains[at];
        let place = if considering.hit(memory_coin) {
            let member = bounded(choice, memory.len() as u32) as usize;
            let place = domain.rank(u32::from(memory.cells(member)[at]));
            if adjusting.hit(pitch_coin) {
                adjusted(place, domain.count(), bandwidth, step)
            } else {
                place
            }
        } else {
            bounded(choice, domain.count())
        };
        cells[at] = domain.select(place) as u8;
    }
    score(tables, cells)
}

/// A place of a domain moved by the bandwidth (in 256ths) times a random number from -1 to 1,
/// rounded, but not beyond its ends.
fn adjusted(place: u32, count: u32, bandwidth: u32, word: u32) -> u32 {
    let up = word >> 31 != 0;
    // An odd number of 65536ths.
    let share = word >> 15 & 0xfffe | 1;
    let step = (bandwidth * share + (1 << 23)) >> 24;
    if up {
        (place + step).min(count - 1)
    } else {
        place.saturating_sub(step)
    }
}
