//! Twin of `shaders/grids/sample.wgsl`: one individual from a model of the digits of each cell.

use std::sync::Arc;

use crate::engine::cpu::grids::{Mask, MaskTables, Shape, score};
use crate::operators::kernel::{KernelCall, Params, Shader};
use crate::rng::{Key, Site, bounded};

/// A model to be sampled: weights of the digits of each cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// The weights, cell after cell, a word a digit; those of a cell sum up to less than 2^31. If
    /// the order is given, it follows: the order of each block's free cells, counted among them,
    /// N words a block.
    pub model: Arc<[u32]>,
    /// In which order the cells of a block are filled. Blocks always come in random order.
    pub order: Order,
    /// Whether digits that stand in the row or column already are left out.
    pub neighbours: bool,
    /// How often a block is begun anew when no digit is left for a cell; after that any digit
    /// that the block still needs will do.
    pub retries: u32,
}

/// In which order the cells of a sampled block are filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Each individual has its own random one.
    Random,
    /// As it stands in the model.
    Given,
}

impl Sample {
    /// Its kernel.
    pub(crate) fn kernel(&self) -> KernelCall {
        let params = Params::new([
            ("neighbours", u32::from(self.neighbours)),
            ("given_order", u32::from(self.order == Order::Given)),
            ("retries", self.retries),
        ]);
        let kernel = KernelCall::new(Shader::builtin("grids/sample"));
        kernel.with(params).reading(&self.model)
    }
}

/// Samples one individual and returns its fitness.
pub(crate) fn sample<M: Mask, S: Shape, const C: usize>(
    tables: &MaskTables<M, S, C>,
    sample: &Sample,
    key: Key,
    individual: u32,
    cells: &mut [u8],
) -> u32 {
    let n = tables.shape.n();
    cells.copy_from_slice(&tables.template);
    let mut taken = Taken::givens(tables);
    let mut left = M::below(n as u32);
    for step in 0..n {
        let [word, ..] = key.draw(individual, Site::Sample.counter(step as u32));
        let block = left.select(bounded(word, (n - step) as u32)) as usize;
        left &= !M::bit(block as u32);
        for attempt in 0..=sample.retries {
            if fill_block(
                tables, sample, key, individual, block, attempt, &taken, cells,
            ) {
                break;
            }
        }
        for &cell in &tables.free_cells[block] {
            taken.note(n, usize::from(cell), cells[usize::from(cell)]);
        }
    }
    score(tables, cells)
}

/// The digits that stand in rows and columns.
struct Taken<M, const C: usize> {
    rows: [M; C],
    columns: [M; C],
}

impl<M: Mask, const C: usize> Taken<M, C> {
    fn givens<S: Shape>(tables: &MaskTables<M, S, C>) -> Self {
        let mut taken = Self {
            rows: [M::EMPTY; C],
            columns: [M::EMPTY; C],
        };
        for &(cell, digit) in &tables.givens {
            taken.note(tables.shape.n(), usize::from(cell), digit);
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
    tables: &MaskTables<M, S, C>,
    sample: &Sample,
    key: Key,
    individual: u32,
    block: usize,
    attempt: u32,
    taken: &Taken<M, C>,
    cells: &mut [u8],
) -> bool {
    let n = tables.shape.n();
    let free = &tables.free_cells[block];
    let digits = free.iter().map(|&cell| tables.template[usize::from(cell)]);
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
