//! How much the individuals of a population agree: for each cell, which values are the most frequent.

use crate::population::Population;
use crate::problem::Form;

/// For each cell, its most frequent values and how many individuals have them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreement {
    pop: usize,
    cells: Vec<Vec<(u32, u32)>>,
}

impl Agreement {
    /// Of a population, the `most` most frequent values of each cell. Of equals the lowest value comes first; a hole is a
    /// value like others.
    pub fn of(population: &Population, most: usize) -> Self {
        let form = population.form();
        let cells = form.cells();
        // Holes of partial grids are 255.
        let values = match form {
            Form::Grid(_) => 256,
            Form::Placement(columns) => columns,
        };
        let mut counts = vec![0u32; values];
        let count = |cell: usize| {
            let mut seen = Vec::new();
            for individual in 0..population.len() {
                let value = match form {
                    Form::Grid(_) => u32::from(population.cells(individual)[cell]),
                    Form::Placement(_) => population.words_at(individual)[cell],
                };
                let count = &mut counts[value as usize];
                if *count == 0 {
                    seen.push(value);
                }
                *count += 1;
            }
            let mut frequent: Vec<_> = seen
                .into_iter()
                .map(|value| (value, std::mem::take(&mut counts[value as usize])))
                .collect();
            frequent.sort_unstable_by_key(|&(value, count)| (std::cmp::Reverse(count), value));
            frequent.truncate(most);
            frequent
        };
        Self {
            pop: population.len(),
            cells: (0..cells).map(count).collect(),
        }
    }

    /// The most frequent values of a cell, from zero, and how many individuals have each.
    pub fn of_cell(&self, cell: usize) -> &[(u32, u32)] {
        &self.cells[cell]
    }

    /// The share of individuals that have the most frequent value of a cell.
    pub fn share(&self, cell: usize) -> f64 {
        let count = self.cells[cell].first().map_or(0, |&(_, count)| count);
        f64::from(count) / self.pop as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::population::HOLE;
    use crate::problem::Geometry;

    #[test]
    fn the_most_frequent_values_come_first_and_holes_count() {
        let mut population = Population::zeroed(Geometry::usual(4).unwrap(), 5);
        for (individual, value) in [3, 1, 1, HOLE, 3].into_iter().enumerate() {
            population.cells_mut(individual)[7] = value;
        }
        let agreement = Agreement::of(&population, 2);
        assert_eq!(agreement.of_cell(0), [(0, 5)]);
        assert_eq!(agreement.share(0), 1.0);
        assert_eq!(agreement.of_cell(7), [(1, 2), (3, 2)]);
        assert_eq!(agreement.share(7), 0.4);
        let all = Agreement::of(&population, 9);
        assert_eq!(all.of_cell(7), [(1, 2), (3, 2), (u32::from(HOLE), 1)]);
    }

    #[test]
    fn queens_agree_on_rows() {
        let words = vec![0, 5, 2, 5, 0, 5];
        let population = Population::from_parts(Form::Placement(6), words, vec![0]);
        let agreement = Agreement::of(&population, 3);
        assert_eq!(agreement.of_cell(1), [(5, 1)]);
    }
}
