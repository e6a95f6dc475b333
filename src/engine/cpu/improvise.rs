//! Twin of `shaders/improvise.wgsl`: one improvisation of a harmony search (FPCHS section IV).

use super::shared::mask::Mask;
use super::shared::score::score;
use super::shared::tile::{Board, Shape};
use crate::plan::Improvise;
use crate::population::Population;
use crate::rng::{Key, Rate, Site, bounded};

/// Improvises one harmony and returns its fitness: every cell takes a digit from the memory,
/// perhaps one nearby, or any of its domain.
pub fn improvise<M: Mask, S: Shape, const C: usize>(
    board: &Board<M, S, C>,
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
    cells.copy_from_slice(&board.template);
    for &cell in board.free_cells.iter().flatten() {
        let at = usize::from(cell);
        let [memory_coin, choice, pitch_coin, step] =
            key.draw(harmony, Site::Improvise.counter(u32::from(cell)));
        let domain = board.domains[at];
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
    score(board, cells)
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
