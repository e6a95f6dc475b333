//! The survey of a population, done slowly: best, worst, sum, and the places in which any two differ.

use gpusudoku::population::{Population, Record};

/// The survey, done slowly. What only the engine knows is taken from its own record.
pub fn survey(known: &Record, population: &Population) -> Record {
    let cells: Vec<&[u8]> = (0..population.len()).map(|i| population.cells(i)).collect();
    survey_of(known, population.fitness(), &cells)
}

/// The same for fitness and individuals, be they digits of cells or values of genes.
pub fn survey_of<T: PartialEq>(
    known: &Record,
    fitness: &[u32],
    individuals: &[impl AsRef<[T]>],
) -> Record {
    let best = *fitness.iter().min().unwrap();
    let worst = *fitness.iter().max().unwrap();
    let first = |value| fitness.iter().position(|&f| f == value).unwrap() as u32;
    let sum: u64 = fitness.iter().map(|&f| u64::from(f)).sum();
    let mut differences = 0u64;
    for (at, one) in individuals.iter().enumerate() {
        for two in &individuals[..at] {
            let places = one.as_ref().iter().zip(two.as_ref());
            differences += places.filter(|(x, y)| x != y).count() as u64;
        }
    }
    // Nobody has faults: the worst is nobody in particular, the first.
    Record {
        generation: known.generation,
        best,
        best_at: first(best),
        worst,
        worst_at: first(worst),
        sum_low: sum as u32,
        sum_high: (sum >> 32) as u32,
        reinitialised: known.reinitialised,
        swaps_low: known.swaps_low,
        swaps_high: known.swaps_high,
        differences_low: differences as u32,
        differences_high: (differences >> 32) as u32,
        goal: known.goal,
    }
}
