//! The population as both engines hold it: packed cells, one fitness each.
//!
//! Four cells of a grid share a 32-bit word, the first in the lowest byte; an individual starts on
//! a word. Cells hold digits from zero, so that a digit is the number of its bit in a mask; of a partial grid they may
//! be a [`HOLE`]. Of a placement of queens every column has a word, which holds the row, from zero.
//!
//! ```text
//!            word 0                     word 1                 last word
//! grid:    | d3   d2   d1   d0   |    | d7   d6   d5   d4  | ... | 0 0 0 d80 |     digits, byte 0 at the right
//! queens:  | row of column 0     |    | row of column 1    | ...
//!
//! words    | individual 0 | individual 1 | ... |      fitness | 0 | 1 | ... |
//! ```

use bytemuck::{Pod, Zeroable};

use crate::problem::sudoku::GridError;
use crate::problem::{Answer, Form, Grid, Placement};

/// What a cell has instead of a digit in a partial grid.
pub const HOLE: u8 = u8::MAX;

/// Words of so many cells of a grid.
pub const fn words_for(cells: usize) -> usize {
    cells.div_ceil(4)
}

/// Words of an individual.
pub fn words_of(form: Form) -> usize {
    match form {
        Form::Grid(geometry) => words_for(geometry.cells()),
        Form::Placement(columns) => columns,
    }
}

/// Whole grids or placements, and their fitness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Population {
    form: Form,
    words: Vec<u32>,
    fitness: Vec<u32>,
}

impl Population {
    /// `pop` individuals with the first value in every cell; for engines to fill.
    pub fn zeroed(form: impl Into<Form>, pop: usize) -> Self {
        let form = form.into();
        Self::from_parts(form, vec![0; pop * words_of(form)], vec![0; pop])
    }

    /// A population from packed words and fitness.
    ///
    /// # Panics
    /// If the two do not have the same number of individuals.
    pub fn from_parts(form: impl Into<Form>, words: Vec<u32>, fitness: Vec<u32>) -> Self {
        let form = form.into();
        assert_eq!(words.len(), fitness.len() * words_of(form));
        Self {
            form,
            words,
            fitness,
        }
    }

    /// What every individual is.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The number of individuals.
    pub fn len(&self) -> usize {
        self.fitness.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.fitness.is_empty()
    }

    /// The packed words of all individuals.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The fitness of every individual.
    pub fn fitness(&self) -> &[u32] {
        &self.fitness
    }

    /// The cells of a grid, digits from zero.
    ///
    /// # Panics
    /// If the individuals are placements, as [`Population::cells_mut`] does.
    pub fn cells(&self, individual: usize) -> &[u8] {
        let cells = self.cells_of_a_grid();
        &bytemuck::cast_slice(self.words_at(individual))[..cells]
    }

    /// The cells of a grid, to be changed. Padding stays zero.
    pub fn cells_mut(&mut self, individual: usize) -> &mut [u8] {
        let (cells, stride) = (self.cells_of_a_grid(), words_of(self.form));
        let words = &mut self.words[individual * stride..][..stride];
        &mut bytemuck::cast_slice_mut(words)[..cells]
    }

    /// The words of an individual: packed cells, or the row of the queen of each column.
    pub fn words_at(&self, individual: usize) -> &[u32] {
        let stride = words_of(self.form);
        &self.words[individual * stride..][..stride]
    }

    /// Whether what is behind the cells of a grid is zero, as it should be.
    pub fn is_padded(&self, individual: usize) -> bool {
        let bytes: &[u8] = bytemuck::cast_slice(self.words_at(individual));
        match self.form {
            Form::Grid(geometry) => bytes[geometry.cells()..].iter().all(|&byte| byte == 0),
            Form::Placement(_) => true,
        }
    }

    /// Keeps the first so many individuals.
    pub fn truncate(&mut self, pop: usize) {
        self.fitness.truncate(pop);
        self.words.truncate(pop * words_of(self.form));
    }

    /// Everything at once, to be written by parallel code: words per individual, words, fitness.
    pub fn split_mut(&mut self) -> (usize, &mut [u32], &mut [u32]) {
        (words_of(self.form), &mut self.words, &mut self.fitness)
    }

    /// A grid of digits from one, with blanks for holes. Fails if a cell holds anything else, which only a faulty
    /// device can bring about.
    ///
    /// # Panics
    /// If the individuals are placements.
    pub fn grid(&self, individual: usize) -> Result<Grid, GridError> {
        let Form::Grid(geometry) = self.form else {
            panic!("queens stand in columns, not in cells")
        };
        let cells = self.cells(individual);
        let digits = cells.iter().map(|&digit| match digit {
            HOLE => 0,
            digit => digit + 1,
        });
        Grid::new(geometry, digits.collect())
    }

    /// An individual, whatever it is. Rows of queens are left to the verifier.
    pub fn answer(&self, individual: usize) -> Result<Answer, GridError> {
        match self.form {
            Form::Grid(_) => self.grid(individual).map(Answer::Grid),
            Form::Placement(_) => {
                let rows = self.words_at(individual).to_vec();
                Ok(Answer::Placement(Placement::new(rows)))
            }
        }
    }

    /// A population of one individual of this one.
    pub fn only(&self, individual: usize) -> Self {
        let fitness = vec![self.fitness()[individual]];
        Self::from_parts(self.form(), self.words_at(individual).to_vec(), fitness)
    }

    /// The lowest fitness and who has it, the lowest of equals.
    pub fn best(&self) -> Option<(u32, usize)> {
        let fitness = self.fitness.iter().copied().enumerate();
        fitness.map(|(at, fitness)| (fitness, at)).min()
    }

    /// A digest of all cells and fitness: equal populations have equal digests on every
    /// machine, whatever the packing (XXH3 over each individual's cells, a byte a cell or four
    /// bytes a queen, and its fitness, four bytes, in order).
    pub fn digest(&self) -> u64 {
        let mut hash = xxhash_rust::xxh3::Xxh3::new();
        for (individual, fitness) in self.fitness.iter().enumerate() {
            match self.form {
                Form::Grid(_) => hash.update(self.cells(individual)),
                Form::Placement(_) => hash.update(bytemuck::cast_slice(self.words_at(individual))),
            }
            hash.update(&fitness.to_le_bytes());
        }
        hash.digest()
    }

    fn cells_of_a_grid(&self) -> usize {
        match self.form {
            Form::Grid(geometry) => geometry.cells(),
            Form::Placement(_) => panic!("queens stand in columns, not in cells"),
        }
    }
}

/// What the survey of a generation finds, before learning; ties go to the lowest individual. If
/// learning makes a solution, that is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Record {
    /// The generation; 0 is the initial population.
    pub generation: u32,
    /// The lowest fitness.
    pub best: u32,
    /// Who has it.
    pub best_at: u32,
    /// The highest fitness.
    pub worst: u32,
    /// Who has it.
    pub worst_at: u32,
    /// Sum of all fitness, low half.
    pub sum_low: u32,
    /// Sum of all fitness, high half.
    pub sum_high: u32,
    /// Individuals that learning has re-initialised, and so evaluated, to this generation.
    pub reinitialised: u32,
    /// Swaps that local search made in this generation, low half.
    pub swaps_low: u32,
    /// The same, high half.
    pub swaps_high: u32,
    /// In how many cells the pairs of individuals differ, summed over all pairs, low half; 0
    /// unless it was asked for.
    pub differences_low: u32,
    /// The same, high half.
    pub differences_high: u32,
    /// The fitness of a solution.
    pub goal: u32,
}

impl Record {
    /// Whether the generation holds a solution, as far as fitness knows.
    pub fn solved(&self) -> bool {
        self.best <= self.goal
    }

    /// The sum of all fitness.
    pub fn sum(&self) -> u64 {
        wide(self.sum_low, self.sum_high)
    }

    /// The mean fitness of a population of this size.
    pub fn mean(&self, pop: usize) -> f64 {
        self.sum() as f64 / pop as f64
    }

    /// Swaps that local search made in this generation.
    pub fn swaps(&self) -> u64 {
        wide(self.swaps_low, self.swaps_high)
    }

    /// The share of these many free cells in which two individuals differ, over all pairs of the
    /// population: 0 when all are the same.
    pub fn diversity(&self, pop: usize, free_cells: usize) -> f64 {
        let pairs = pop as f64 * (pop as f64 - 1.0) / 2.0;
        let differences = wide(self.differences_low, self.differences_high) as f64;
        if differences == 0.0 {
            return 0.0;
        }
        differences / (pairs * free_cells as f64)
    }
}

const fn wide(low: u32, high: u32) -> u64 {
    (high as u64) << 32 | low as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Geometry;

    #[test]
    fn cells_are_packed_lowest_byte_first() {
        let geometry = Geometry::usual(9).unwrap();
        let mut population = Population::zeroed(geometry, 2);
        for (at, cell) in population.cells_mut(1).iter_mut().enumerate() {
            *cell = (at % 9) as u8;
        }
        assert_eq!(population.words()[..21], [0; 21]);
        assert_eq!(population.words()[21], 0x0302_0100);
        assert_eq!(population.words()[41], 8);
        assert_eq!(population.grid(1).unwrap().at(0, 0), 1);
        population.cells_mut(0)[7] = 9;
        assert!(population.grid(0).is_err());
    }

    #[test]
    fn the_digest_sees_cells_and_fitness_alike() {
        let geometry = Geometry::usual(6).unwrap();
        let plain = Population::zeroed(geometry, 3);
        let mut cell = plain.clone();
        cell.cells_mut(2)[35] = 1;
        let mut fitness = plain.clone();
        fitness.split_mut().2[2] = 1;
        assert_ne!(plain.digest(), cell.digest());
        assert_ne!(plain.digest(), fitness.digest());
        assert_ne!(cell.digest(), fitness.digest());
        assert_eq!(plain.digest(), plain.clone().digest());
    }
}
