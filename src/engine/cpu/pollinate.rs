//! Twin of `shaders/pollinate.wgsl`: flower pollination (FPCHS section III).

use super::shared::mask::Mask;
use super::shared::score::score;
use super::shared::tile::{Board, Shape};
use crate::plan::Pollinate;
use crate::population::Population;
use crate::rng::{Key, Site, bounded};

/// Moves one flower towards the best by a Levy flight (eq. 2), or along the difference of two
/// others (eq. 4); it stays where it was unless that is better. Returns its fitness.
pub fn pollinate<M: Mask, S: Shape, const C: usize>(
    board: &Board<M, S, C>,
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
    for &cell in board.free_cells.iter().flatten() {
        let at = usize::from(cell);
        let [step, fraction, ..] = key.draw(flower, Site::Pollinate.counter(1 + u32::from(cell)));
        let domain = board.domains[at];
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
    let child = score(board, cells);
    let fitness = old.fitness()[flower as usize];
    let taken = |cells: &[u8]| (0..old.len()).any(|other| old.cells(other) == cells);
    if child < fitness && !(pollinate.distinct && taken(cells)) {
        child
    } else {
        cells.copy_from_slice(before);
        fitness
    }
}
