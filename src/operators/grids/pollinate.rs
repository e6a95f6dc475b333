//! Twin of `shaders/grids/pollinate.wgsl`: flower pollination (FPCHS section III).

use std::sync::Arc;

use crate::engine::cpu::Generation;
use crate::engine::cpu::grids::{
    GridKernels, GridOperator, KernelResult, Mask, MaskTables, Shape, score,
};
use crate::error::Error;
use crate::operators::kernel::{KernelCall, Params, Shader};
use crate::operators::{Ancestry, Call, Operator};
use crate::plan::{Encoding, KernelFamily, Representation};
use crate::population::Population;
use crate::rng::{Key, Rate, Site, bounded};

/// Flower pollination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pollinate {
    /// Probability of global pollination; otherwise it is local.
    pub switch: Rate,
    /// Levy steps, drawn with equal probability: signed 16.16 fixed-point numbers from -64 to 64.
    pub levy: Arc<[u32]>,
    /// Whether a flower does not move to where another one was.
    pub distinct: bool,
}

impl Operator for Pollinate {
    fn suits(&self, representation: Representation) -> bool {
        representation.family() == KernelFamily::Grids
            && matches!(representation.encoding, Encoding::Cells(_))
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        assert!(
            !self.levy.is_empty(),
            "{self:?} lacks what its kernel needs"
        );
        Ok(())
    }

    fn ancestry(&self) -> Ancestry {
        Ancestry::Anybody
    }

    fn kernels(&self, _: &Call) -> Vec<KernelCall> {
        let params = Params::new([
            ("switch_rate", self.switch.threshold()),
            ("steps", self.levy.len() as u32),
            ("distinct", u32::from(self.distinct)),
        ]);
        let kernel = KernelCall::new(Shader::builtin("grids/pollinate"));
        vec![kernel.with(params).reading(&self.levy)]
    }
}

impl GridOperator for Pollinate {
    #[cfg(test)]
    fn example() -> Self {
        Self {
            switch: Rate::ALWAYS,
            levy: Arc::from([1, 2, 3]),
            distinct: true,
        }
    }

    fn run<M: Mask, S: Shape, const C: usize>(
        &self,
        kernels: &mut GridKernels<M, S, C>,
        generation: &mut Generation<'_>,
    ) -> u64 {
        let (key, best_at, old) = (generation.key(), generation.best_at, &*generation.old);
        kernels.each(
            generation.new,
            &generation.share,
            |tables, _, flower, cells| {
                KernelResult::new(pollinate(tables, self, key, best_at, flower, old, cells))
            },
        )
    }
}

/// Moves one flower towards the best by a Levy flight (eq. 2), or along the difference of two
/// others (eq. 4); it stays where it was unless that is better. Returns its fitness.
pub fn pollinate<M: Mask, S: Shape, const C: usize>(
    tables: &MaskTables<M, S, C>,
    pollinate: &Pollinate,
    key: Key,
    best_at: u32,
    flower: u32,
    old: &Population,
    cells: &mut [u8],
) -> u32 {
    let pop = old.len() as u32;
    let [coin, one, two, share] = key.draw(flower, Site::Pollinate.counter(0));
    let global = pollinate.switch.hit(coin);
    let before = old.cells(flower as usize);
    let [one, two] = [one, two].map(|word| old.cells(bounded(word, pop) as usize));
    let best = old.cells(best_at as usize);
    let share = (share >> 16) as i32;
    cells.copy_from_slice(before);
    for &cell in tables.free_cells.iter().flatten() {
        let at = usize::from(cell);
        let [step, fraction, ..] = key.draw(flower, Site::Pollinate.counter(1 + u32::from(cell)));
        let domain = tables.domains[at];
        let place_in = |cells: &[u8]| domain.rank(u32::from(cells[at])) as i32;
        let place = place_in(before);
        let by = if global {
            let steps = pollinate.levy.len() as u32;
            let step = pollinate.levy[bounded(step, steps) as usize] as i32;
            step * (place_in(best) - place)
        } else {
            share * (place_in(one) - place_in(two))
        };
        // Rounded up with the probability of the fraction.
        let to = place + ((by + (fraction >> 16) as i32) >> 16);
        cells[at] = domain.select(to.clamp(0, domain.count() as i32 - 1) as u32) as u8;
    }
    let child = score(tables, cells);
    let fitness = old.fitness()[flower as usize];
    let taken = |cells: &[u8]| (0..old.len()).any(|other| old.cells(other) == cells);
    if child < fitness && !(pollinate.distinct && taken(cells)) {
        child
    } else {
        cells.copy_from_slice(before);
        fitness
    }
}
