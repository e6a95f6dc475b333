//! The loop over individuals, which all kernels share.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::population::Population;

/// Workplaces a thread: small pieces even out individuals that search longer than others.
const PIECES_PER_THREAD: usize = 8;

/// What a kernel has made of an individual besides its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelResult {
    /// Its fitness.
    pub fitness: u32,
    /// Swaps or moves of its local search.
    pub swaps: u32,
}

impl KernelResult {
    /// Of a kernel without local search.
    pub fn new(fitness: u32) -> Self {
        Self { fitness, swaps: 0 }
    }
}

/// How many pieces a population is cut into.
pub fn pieces(threads: usize) -> usize {
    match threads {
        1 => 1,
        threads => threads * PIECES_PER_THREAD,
    }
}

/// The workplaces that are used: one, if a thread works alone.
pub fn in_use<T>(workplaces: &mut [T], alone: bool) -> &mut [T] {
    match alone {
        true => &mut workplaces[..1],
        false => workplaces,
    }
}

/// Calls `kernel` for every individual of a share, in as many pieces as there are workplaces; it writes the
/// individual's words, and has its own of what else there is one of for each. Returns the number
/// of swaps.
pub fn each<T: Send, X: Send>(
    workplaces: &mut [T],
    population: &mut Population,
    share: &Range<usize>,
    extras: &mut [X],
    kernel: impl Fn(&mut T, u32, &mut [u32], &mut X) -> KernelResult + Sync,
) -> u64 {
    if share.is_empty() {
        return 0;
    }
    let pieces = workplaces.len();
    let piece = share.len().div_ceil(pieces);
    let (stride, words, fitness) = population.split_mut();
    let words = &mut words[share.start * stride..share.end * stride];
    let fitness = &mut fitness[share.clone()];
    let extras = &mut extras[share.clone()];
    let swaps = AtomicU64::new(0);
    let work =
        |at: usize, place: &mut T, words: &mut [u32], fitness: &mut [u32], extras: &mut [X]| {
            let individuals = words.chunks_exact_mut(stride).zip(fitness).zip(extras);
            let mut total = 0;
            let first = share.start + at * piece;
            for (individual, ((words, fitness), extra)) in (first..).zip(individuals) {
                let made = kernel(place, individual as u32, words, extra);
                *fitness = made.fitness;
                total += u64::from(made.swaps);
            }
            swaps.fetch_add(total, Ordering::Relaxed);
        };
    if pieces == 1 {
        work(0, &mut workplaces[0], words, fitness, extras);
    } else {
        workplaces
            .par_iter_mut()
            .zip(words.par_chunks_mut(piece * stride))
            .zip(fitness.par_chunks_mut(piece))
            .zip(extras.par_chunks_mut(piece))
            .enumerate()
            .with_max_len(1)
            .for_each(|(at, (((place, words), fitness), extras))| {
                work(at, place, words, fitness, extras);
            });
    }
    swaps.into_inner()
}
