//! Populations made by hand, and the individuals of any population.

use gpusudoku::population::Population;
use gpusudoku::problem::{Form, Geometry};

use super::search_space::Individual;

/// A population of these grids with this fitness.
pub fn population_of(geometry: Geometry, grids: &[Vec<u8>], fitness: u32) -> Population {
    let mut population = Population::zeroed(geometry, grids.len());
    for (at, grid) in grids.iter().enumerate() {
        population.cells_mut(at).copy_from_slice(grid);
    }
    population.split_mut().2.fill(fitness);
    population
}

/// The grids of a population.
pub fn grids(population: &Population) -> Vec<Vec<u8>> {
    let grids = (0..population.len()).map(|i| population.cells(i).to_vec());
    grids.collect()
}

/// The individuals of a population, whatever they are.
pub fn individuals(population: &Population) -> Vec<Individual> {
    let individual = |at: usize| match population.form() {
        Form::Grid(_) => population.cells(at).iter().map(|&d| u32::from(d)).collect(),
        Form::Placement(_) => population.words_at(at).to_vec(),
    };
    (0..population.len()).map(individual).collect()
}

/// A population of these placements, whose fitness is a lie.
pub fn placements(rows: &[Individual]) -> Population {
    let form = Form::Placement(rows[0].len());
    Population::from_parts(form, rows.concat(), vec![12_345; rows.len()])
}

/// The rows of a grid.
pub fn rows(population: &Population, individual: usize) -> Vec<&[u8]> {
    let n = population.form().values();
    population.cells(individual).chunks(n).collect()
}

/// The columns in which two rows differ.
pub fn changed(old: &[u8], new: &[u8]) -> Vec<usize> {
    (0..old.len()).filter(|&col| old[col] != new[col]).collect()
}
