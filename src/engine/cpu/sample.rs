//! Twin of `shaders/sample.wgsl`: one individual from a model of the digits of each cell.

use super::shared::mask::Mask;
use super::shared::score::score;
use super::shared::tile::{Board, Shape};
use crate::plan::{Order, Sample};
use crate::rng::{Key, Site, bounded};

/// Samples one individual and returns its fitness.
pub fn sample<M: Mask, S: Shape, const C: usize>(
    board: &Board<M, S, C>,
    sample: &Sample,
    key: Key,
    individual: u32,
    cells: &mut [u8],
) -> u32 {
    let n = board.shape.n();
    cells.copy_from_slice(&board.template);
    let mut taken = Taken::givens(board);
    let mut left = M::below(n as u32);
    for step in 0..n {
        let [word, ..] = key.draw(individual, Site::Sample.counter(step as u32));
        let block = left.select(bounded(word, (n - step) as u32)) as usize;
        left &= !M::bit(block as u32);
        for attempt in 0..=sample.retries {
            if fill_block(
                board, sample, key, individual, block, attempt, &taken, cells,
            ) {
                break;
            }
        }
        for &cell in &board.free_cells[block] {
            taken.note(n, usize::from(cell), cells[usize::from(cell)]);
        }
    }
    score(board, cells)
}

/// The digits that stand in rows and columns.
struct Taken<M, const C: usize> {
    rows: [M; C],
    columns: [M; C],
}

impl<M: Mask, const C: usize> Taken<M, C> {
    fn givens<S: Shape>(board: &Board<M, S, C>) -> Self {
        let mut taken = Self {
            rows: [M::EMPTY; C],
            columns: [M::EMPTY; C],
        };
        for &(cell, digit) in &board.givens {
            taken.note(board.shape.n(), usize::from(cell), digit);
        }
        taken
    }

    #[inline(always)]
    fn note(&mut self, n: usize, cell: usize, digit: u8) {
        let digit = M::bit(u32::from(digit));
        self.rows[cell / n] |= digit;
        self.columns[cell % n] |= digit;
    }
}

/// Tries to fill a block; says whether it did. The last attempt always does: where the model has
/// no digit left, any that the block still needs will do.
#[expect(clippy::too_many_arguments, reason = "what a kernel reads")]
fn fill_block<M: Mask, S: Shape, const C: usize>(
    board: &Board<M, S, C>,
    sample: &Sample,
    key: Key,
    individual: u32,
    block: usize,
    attempt: u32,
    taken: &Taken<M, C>,
    cells: &mut [u8],
) -> bool {
    let n = board.shape.n();
    let free = &board.free_cells[block];
    let digits = free.iter().map(|&cell| board.template[usize::from(cell)]);
    let mut unused = digits.fold(M::EMPTY, |set, digit| set | M::bit(u32::from(digit)));
    let mut left = M::below(free.len() as u32);
    for step in 0..free.len() {
        let at = n + (attempt as usize * n + block) * n + step;
        let [cell, digit, fallback, _] = key.draw(individual, Site::Sample.counter(at as u32));
        let remaining = (free.len() - step) as u32;
        let index = match sample.order {
            Order::Given => sample.model[n * n * n + n * block + step],
            Order::Random => left.select(bounded(cell, remaining)),
        };
        left &= !M::bit(index);
        let cell = usize::from(free[index as usize]);
        let mut allowed = unused;
        if sample.neighbours {
            allowed &= !(taken.rows[cell / n] | taken.columns[cell % n]);
        }
        let weights = &sample.model[cell * n..][..n];
        let digit = match pick(weights, allowed, digit) {
            Some(digit) => digit,
            None if attempt < sample.retries => return false,
            None => unused.select(bounded(fallback, remaining)),
        };
        unused &= !M::bit(digit);
        cells[cell] = digit as u8;
    }
    true
}

/// A digit of the allowed ones by its weight, if one has any.
fn pick<M: Mask>(weights: &[u32], allowed: M, word: u32) -> Option<u32> {
    let digits = || {
        let mut rest = allowed;
        std::iter::from_fn(move || {
            let first = rest.any().then(|| rest.first());
            rest = rest.rest();
            first
        })
    };
    let total: u32 = digits().map(|digit| weights[digit as usize]).sum();
    if total == 0 {
        return None;
    }
    let mut goal = bounded(word, total);
    for digit in digits() {
        let weight = weights[digit as usize];
        if goal < weight {
            return Some(digit);
        }
        goal -= weight;
    }
    unreachable!("the goal is below the sum of the weights")
}
