//! Random individuals: segments (rows or sub-blocks) in random order, or cells with random digits of
//! their domains. Givens never move. Twin of `shaders/grids/segments.wgsl`.

use super::mask::Mask;
use super::working_grid::{MaskTables, Shape};
use crate::rng::{Key, Site, bounded, shuffle_index};

/// Puts the free cells of a segment, so many, in random order (Fisher & Yates).
#[inline(always)]
pub fn shuffle(
    count: usize,
    key: Key,
    individual: u32,
    segment: usize,
    site: Site,
    mut swap: impl FnMut(usize, usize),
) {
    let mut words = [0; 4];
    for last in (1..count).rev() {
        let step = (count - 1 - last) as u32;
        if step.is_multiple_of(4) {
            words = key.draw(
                individual,
                site.counter(shuffle_index(segment as u32, step)),
            );
        }
        swap(
            last,
            bounded(words[step as usize % 4], last as u32 + 1) as usize,
        );
    }
}

/// Two different ones of so many, if there are two.
#[inline(always)]
pub fn two_of(count: usize, one: u32, two: u32) -> Option<(usize, usize)> {
    let count = count as u32;
    if count < 2 {
        return None;
    }
    let one = bounded(one, count);
    // A draw among the others, shifted past the first.
    let two = one + 1 + bounded(two, count - 1);
    let two = if two < count { two } else { two - count };
    Some((one as usize, two as usize))
}

/// A fresh individual.
pub fn fresh<M: Mask, S: Shape, const C: usize>(
    tables: &MaskTables<M, S, C>,
    key: Key,
    individual: u32,
    site: Site,
    cells: &mut [u8],
) {
    cells.copy_from_slice(&tables.template);
    for (segment, free) in tables.free_cells.iter().enumerate() {
        if tables.representation.encoding.has_free_digits() {
            for &cell in free {
                cells[usize::from(cell)] = any_digit(tables, key, individual, site, cell);
            }
        } else {
            shuffle(free.len(), key, individual, segment, site, |one, two| {
                cells.swap(usize::from(free[one]), usize::from(free[two]));
            });
        }
    }
}

/// A random digit of a cell's domain.
fn any_digit<M: Mask, S: Shape, const C: usize>(
    tables: &MaskTables<M, S, C>,
    key: Key,
    individual: u32,
    site: Site,
    cell: u16,
) -> u8 {
    let n = tables.shape.n() as u32;
    let (row, col) = (u32::from(cell) / n, u32::from(cell) % n);
    let words = key.draw(individual, site.counter(shuffle_index(row, col)));
    let domain = tables.domains[usize::from(cell)];
    domain.select(bounded(words[col as usize % 4], domain.count())) as u8
}
