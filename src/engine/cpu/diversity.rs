//! Twin of `shaders/diversity.wgsl`: in how many cells the individuals differ.

use std::ops::Range;

use rayon::prelude::*;

use crate::population::Population;

/// The number of differing cells, summed over all pairs of individuals: where the digits of a
/// cell occur c_1, c_2, ... times in a population of P, (P^2 - sum of c_d^2) / 2 pairs differ.
pub fn differences(population: &Population, threads: usize) -> u64 {
    let cells = population.geometry().cells();
    // A thread counts a range of cells: nobody shares its counters.
    let piece = cells.div_ceil(threads);
    let count = |at: usize| differences_in(population, at * piece..cells.min((at + 1) * piece));
    match threads {
        1 => count(0),
        _ => (0..cells.div_ceil(piece)).into_par_iter().map(count).sum(),
    }
}

fn differences_in(population: &Population, range: Range<usize>) -> u64 {
    let size = population.geometry().size();
    let pop = population.len() as u64;
    let width = range.len() as u64;
    let mut counts = vec![0u32; range.len() * size];
    for individual in 0..population.len() {
        let digits = &population.cells(individual)[range.clone()];
        for (counts, &digit) in counts.chunks_exact_mut(size).zip(digits) {
            counts[usize::from(digit)] += 1;
        }
    }
    let squares: u64 = counts.iter().map(|&count| u64::from(count).pow(2)).sum();
    (width * pop * pop - squares) / 2
}
