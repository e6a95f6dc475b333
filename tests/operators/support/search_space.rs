//! What the permutation kernels search, seen the slow way: boards, tori and grids as genes in segments,
//! conflicts counted pair by pair and unit by unit, and engines for them.

use gpusudoku::engine::{Backend, Engine, Setup};
use gpusudoku::plan::{Encoding, Objective, Representation, Weights};
use gpusudoku::population::Population;
use gpusudoku::problem::sudoku::propagate::Level;
use gpusudoku::problem::{Instance, Placement, Puzzle, Queens, Reduction, Surface};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::*;
use crate::common::*;

/// The value of every cell of a grid, or of every column: from zero.
pub type Individual = Vec<u32>;

/// A problem and what its individuals are.
#[derive(Debug, Clone)]
pub struct SearchSpace {
    pub instance: Instance,
    pub representation: Representation,
    /// The cells or columns that are free, segment by segment.
    pub genes: Vec<usize>,
    /// Genes by their number: which stand in a segment together.
    pub segments: Vec<Vec<usize>>,
    /// Of a grid, the unit of each cell on whose lines the first and the second value lies.
    units: [Vec<usize>; 2],
}

/// n queens, judged by attacks or like that.
pub fn queens_space(queens: Queens, weights: Option<Weights>) -> SearchSpace {
    let genes: Vec<usize> = (0..queens.size()).collect();
    SearchSpace {
        instance: Instance::Queens(queens),
        representation: Representation {
            encoding: Encoding::Placement,
            objective: weights.map_or(Objective::Attacks, Objective::SupportConfidence),
        },
        segments: vec![genes.clone()],
        genes,
        units: [Vec::new(), Vec::new()],
    }
}

/// A grid with rows or sub-blocks as segments, judged by missing digits or like that.
pub fn grid_space(puzzle: &Puzzle, encoding: Encoding, weights: Option<Weights>) -> SearchSpace {
    let geometry = puzzle.geometry();
    let (rows, columns) = (row_units(geometry), units(geometry, false));
    let (segments, lines) = match (encoding, geometry.boxes()) {
        (Encoding::Rows, Some(_)) => (rows, [columns, units(geometry, true)]),
        _ => (blocks(geometry), [rows, columns]),
    };
    let mut genes = Vec::new();
    let mut numbers = Vec::new();
    for segment in &segments {
        let free = free_of(puzzle, segment);
        numbers.push((genes.len()..genes.len() + free.len()).collect());
        genes.extend(free);
    }
    let unit_of = |units: &[Vec<usize>], cell: usize| {
        let at = units.iter().position(|unit| unit.contains(&cell));
        at.expect("every cell is in a unit of each kind")
    };
    let cells = 0..geometry.cells();
    let units = lines.map(|units| cells.clone().map(|cell| unit_of(&units, cell)).collect());
    SearchSpace {
        instance: Instance::from(Reduction::new(puzzle, Level::None).unwrap()),
        representation: Representation {
            encoding,
            objective: weights.map_or(Objective::MissingDigits, Objective::SupportConfidence),
        },
        genes,
        segments: numbers,
        units,
    }
}

impl SearchSpace {
    pub fn goal(&self) -> u32 {
        self.instance.goal()
    }

    /// The genes that stand in a segment with a gene, itself among them.
    pub fn segment(&self, gene: usize) -> &[usize] {
        let segment = self.segments.iter().find(|segment| segment.contains(&gene));
        segment.expect("every gene is in a segment")
    }

    /// Whether the values of two cells lie on the same line of the first or second kind.
    fn clash(&self, kind: usize, individual: &[u32], one: usize, two: usize) -> bool {
        let Instance::Queens(queens) = &self.instance else {
            let units = &self.units[kind];
            return units[one] == units[two] && individual[one] == individual[two];
        };
        let n = queens.size() as i64;
        let [run, rise] = [
            one as i64 - two as i64,
            i64::from(individual[one]) - i64::from(individual[two]),
        ];
        let apart = if kind == 0 { rise - run } else { rise + run };
        match queens.surface() {
            Surface::Board => apart == 0,
            Surface::Torus => apart.rem_euclid(n) == 0,
        }
    }

    /// Whether nobody else is on the first line of a gene, and on its second.
    pub fn alone(&self, individual: &[u32], gene: usize) -> [bool; 2] {
        let cell = self.genes[gene];
        [0, 1].map(|kind| {
            let mut others = (0..individual.len()).filter(|&other| other != cell);
            !others.any(|other| self.clash(kind, individual, cell, other))
        })
    }

    /// Attacks, or digits that units miss.
    pub fn conflicts(&self, individual: &[u32]) -> u32 {
        if let Instance::Sudoku(reduction) = &self.instance {
            let digits: Vec<u8> = individual.iter().map(|&value| value as u8).collect();
            let units = all_units(reduction.puzzle().geometry());
            return units.iter().map(|unit| missing_in(unit, &digits)).sum();
        }
        let mut pairs = 0;
        for two in 0..individual.len() {
            for one in 0..two {
                for kind in [0, 1] {
                    pairs += u32::from(self.clash(kind, individual, one, two));
                }
            }
        }
        pairs
    }

    pub fn fitness(&self, individual: &[u32]) -> u32 {
        let Objective::SupportConfidence(weights) = self.representation.objective else {
            return self.conflicts(individual);
        };
        let alone: Vec<[bool; 2]> = (0..self.genes.len())
            .map(|gene| self.alone(individual, gene))
            .collect();
        let first = alone.iter().filter(|alone| alone[0]).count() as u64;
        let both = alone.iter().filter(|&&alone| alone == [true; 2]).count() as u64;
        let all = alone.len() as u64;
        let whole = u64::from(Weights::WHOLE);
        let lacks = |part: u64, of: u64| ((of - part) * whole).div_ceil(of);
        // Each of the two is rounded up; confidence of nothing is none.
        let support = if all == 0 { 0 } else { lacks(both, all) };
        let confidence = match (all, first) {
            (0, _) => 0,
            (_, 0) => whole,
            _ => lacks(both, first),
        };
        let weighed =
            u64::from(weights.support) * support + u64::from(weights.confidence) * confidence;
        weighed.div_ceil(1000) as u32
    }

    /// With two genes exchanged.
    pub fn swapped(&self, individual: &[u32], one: usize, two: usize) -> Individual {
        let mut individual = individual.to_vec();
        individual.swap(self.genes[one], self.genes[two]);
        individual
    }

    pub fn engine(&self, pop: usize, seed: u64, threads: usize) -> Engine {
        let setup = Setup {
            instance: &self.instance,
            representation: self.representation,
            pop,
            seed,
            diversity: true,
        };
        pollster::block_on(Engine::new(&Backend::Cpu { threads }, &setup)).unwrap()
    }

    /// Segments are permutations of what they miss, givens stand, fitness is what a recount says.
    pub fn check(&self, population: &Population) -> Result<(), TestCaseError> {
        for (individual, &fitness) in individuals(population).iter().zip(population.fitness()) {
            let mut expected: Individual = match &self.instance {
                Instance::Queens(_) => individual.clone(),
                Instance::Sudoku(reduction) => {
                    let givens = reduction.puzzle().givens().cells().iter();
                    givens
                        .map(|&given| u32::from(given).wrapping_sub(1))
                        .collect()
                }
            };
            let values = self.instance.form().values() as u32;
            for segment in &self.segments {
                let cells: Vec<usize> = segment.iter().map(|&gene| self.genes[gene]).collect();
                let mut here: Vec<u32> = cells.iter().map(|&cell| individual[cell]).collect();
                here.sort_unstable();
                here.dedup();
                prop_assert_eq!(here.len(), cells.len(), "a value stands twice in a segment");
                prop_assert!(here.iter().all(|&value| value < values));
                cells
                    .iter()
                    .for_each(|&cell| expected[cell] = individual[cell]);
            }
            prop_assert_eq!(individual, &expected, "a given has moved");
            if let Instance::Sudoku(reduction) = &self.instance {
                let geometry = reduction.puzzle().geometry();
                let digits: Vec<u8> = individual.iter().map(|&value| value as u8).collect();
                let segments = match self.representation.encoding {
                    Encoding::Rows => row_units(geometry),
                    _ => blocks(geometry),
                };
                for segment in segments {
                    prop_assert_eq!(missing_in(&segment, &digits), 0, "no permutation");
                }
            }
            prop_assert_eq!(
                fitness,
                self.fitness(individual),
                "fitness of {:?}",
                individual
            );
        }
        Ok(())
    }
}

pub fn placement(individual: &[u32]) -> Placement {
    Placement::new(individual.to_vec())
}

pub fn board(size: usize) -> Queens {
    Queens::new(size, Surface::Board).unwrap()
}

pub fn torus(size: usize) -> Queens {
    Queens::new(size, Surface::Torus).unwrap()
}
