//! Swap and re-initialisation mutation (LSGA Algorithm 2). Givens never move, rows stay
//! permutations.

use super::mask::{Mask, elements};
use super::registers::{Registers, that_meet};
use super::segments::{shuffle, two_of};
use super::working_grid::{MaskTables, Shape, WorkingGrid};
use crate::operators::{BreedRows, MutationUnit};
use crate::rng::{Key, Site, bounded};

/// Mutates the rows whose coins fall so.
#[inline(always)]
pub fn mutate<M: Mask, S: Shape, const C: usize>(
    registers: impl Registers<M>,
    grid: &mut WorkingGrid<M, C>,
    tables: &MaskTables<M, S, C>,
    breed: &BreedRows,
    key: Key,
    individual: u32,
) {
    let n = tables.shape.n();
    let rows = match breed.mutation {
        MutationUnit::Each => n,
        MutationUnit::Individual => 1,
    };
    // All coins first: SIMD lanes toss them together.
    let mut hits = [M::EMPTY; C];
    for (unit, hit) in hits[..rows].iter_mut().enumerate() {
        let [swap, reinitialise, ..] = key.draw(individual, Site::MutateRow.counter(unit as u32));
        *hit = M::all_if(breed.swap.hit(swap) | breed.reinitialise.hit(reinitialise));
    }
    let mutants = M::narrow(that_meet(registers, &hits, n, !M::EMPTY)) & M::below(rows as u32);
    for unit in elements(mutants) {
        let [swap, reinitialise, one, two] =
            key.draw(individual, Site::MutateRow.counter(unit as u32));
        let (swap, reinitialise) = (breed.swap.hit(swap), breed.reinitialise.hit(reinitialise));
        let row = match breed.mutation {
            MutationUnit::Each => unit,
            MutationUnit::Individual => {
                let [row, ..] = key.draw(individual, Site::MutateRow.counter(n as u32));
                bounded(row, n as u32) as usize
            }
        };
        let free = &tables.free[row];
        let cells = &mut grid.rows[row];
        let mut swap_free = |one: usize, two: usize| {
            cells.swap(usize::from(free[one]), usize::from(free[two]));
        };
        if swap && let Some((one, two)) = two_of(free.len(), one, two) {
            swap_free(one, two);
        }
        if reinitialise {
            let site = Site::Reinitialise;
            shuffle(free.len(), key, individual, row, site, swap_free);
        }
    }
}
