//! What a cell can hold and what the fitness of a grid is, counted the slow way for every encoding and
//! objective.

use gpusudoku::plan::{Domain, Encoding, Objective, Representation};
use gpusudoku::population::HOLE;
use gpusudoku::problem::{Geometry, Puzzle};

use super::units::*;

/// Cells with digits of these domains, judged like that.
pub fn cells(domain: Domain, objective: Objective) -> Representation {
    Representation {
        encoding: Encoding::Cells(domain),
        objective,
    }
}

/// Counts over all units, whatever the encoding promises.
pub struct FitnessRecount {
    units: Vec<Vec<usize>>,
    geometry: Geometry,
    right: u32,
}

impl FitnessRecount {
    pub fn new(geometry: Geometry) -> Self {
        let n = geometry.size() as u32;
        Self {
            units: all_units(geometry),
            geometry,
            right: n * (n + 1) / 2,
        }
    }

    /// Z of FPCHS eq. 1.
    pub fn deviation(&self, cells: &[u8]) -> u32 {
        let sums = self.units.iter().map(|unit| {
            let digits = unit.iter().map(|&cell| u32::from(cells[cell]) + 1);
            digits.sum::<u32>()
        });
        sums.map(|sum| sum.abs_diff(self.right)).sum()
    }

    /// Pairs of cells that hold the same digit and share a row, a column or a box.
    pub fn conflicts(&self, cells: &[u8]) -> u32 {
        let n = self.geometry.size();
        let mut pairs = 0;
        for one in 0..cells.len() {
            for two in one + 1..cells.len() {
                let [[row, col], [other_row, other_col]] =
                    [one, two].map(|cell| [cell / n, cell % n]);
                let boxed = self.geometry.boxes().is_some_and(|shape| {
                    row / shape.rows == other_row / shape.rows
                        && col / shape.cols == other_col / shape.cols
                });
                let share = row == other_row || col == other_col || boxed;
                let same = cells[one] == cells[two] && cells[one] != HOLE;
                pairs += u32::from(share && same);
            }
        }
        pairs
    }

    pub fn fitness(&self, objective: Objective, cells: &[u8]) -> u32 {
        let missing = self.units.iter().map(|unit| missing_in(unit, cells));
        let illegal = missing.clone().filter(|&missing| missing > 0).count() as u32;
        match objective {
            Objective::IllegalUnits => illegal,
            Objective::MissingDigits => missing.sum(),
            Objective::SumDeviation => match self.deviation(cells) {
                0 if illegal > 0 => 1,
                z => z,
            },
            Objective::ConflictsAndHoles => {
                let holes = cells.iter().filter(|&&digit| digit == HOLE).count() as u32;
                self.conflicts(cells) + holes
            }
            other => panic!("{other:?} is counted by lines"),
        }
    }
}

/// For each cell the digits from zero that it can hold, ascending.
pub fn domains_of(puzzle: &Puzzle, domain: Domain) -> Vec<Vec<u8>> {
    let (geometry, givens) = (puzzle.geometry(), puzzle.givens().cells());
    let mut domains = vec![(0..geometry.size() as u8).collect::<Vec<u8>>(); geometry.cells()];
    if domain == Domain::Candidates {
        for unit in all_units(geometry) {
            for &cell in &unit {
                domains[cell].retain(|digit| unit.iter().all(|&peer| givens[peer] != digit + 1));
            }
        }
    }
    for (domain, &given) in domains
        .iter_mut()
        .zip(givens)
        .filter(|(_, given)| **given != 0)
    {
        *domain = vec![given - 1];
    }
    domains
}
