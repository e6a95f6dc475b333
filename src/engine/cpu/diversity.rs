//! Twin of `shaders/common/diversity.wgsl`: in how many cells the individuals differ.

use std::ops::Range;

use rayon::prelude::*;

use crate::population::Population;
use crate::problem::Form;

/// The number of differing cells, summed over all pairs of individuals: where the digits of a
/// cell occur c_1, c_2, ... times in a population of P, (P^2 - sum of c_d^2) / 2 pairs differ.
pub fn differences(population: &Population, threads: usize) -> u64 {
    let cells = population.form().cells();
    // A thread counts a range of cells: nobody shares its counters.
    let piece = cells.div_ceil(threads);
    let count = |at: usize| differences_in(population, at * piece..cells.min((at + 1) * piece));
    match threads {
        1 => count(0),
        _ => (0..cells.div_ceil(piece)).into_par_iter().map(count).sum(),
    }
}

fn differences_in(population: &Population, range: Range<usize>) -> u64 {
    let values = population.form().values();
    let pop = population.len() as u64;
    let width = range.len() as u64;
    let squares: u64 = match population.form() {
        Form::Grid(_) => {
            // One place more, for holes: they are all alike.
            let values = values + 1;
            let mut counts = vec![0u32; range.len() * values];
            for individual in 0..population.len() {
                let digits = &population.cells(individual)[range.clone()];
                for (counts, &digit) in counts.chunks_exact_mut(values).zip(digits) {
                    counts[usize::from(digit).min(values - 1)] += 1;
                }
            }
            counts.iter().map(|&count| u64::from(count).pow(2)).sum()
        }
        // A column of a large board has more rows than queens that stand in it.
        Form::Placement(_) => {
            let mut rows = vec![0; population.len()];
            let mut squares = 0;
            for column in range {
                for (individual, row) in rows.iter_mut().enumerate() {
                    *row = population.words_at(individual)[column];
                }
                rows.sort_unstable();
                let together = rows.chunk_by(|one, two| one == two);
                squares += together.map(|rows| (rows.len() as u64).pow(2)).sum::<u64>();
            }
            squares
        }
    };
    (width * pop * pop - squares) / 2
}
