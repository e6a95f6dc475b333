//! The model of grids encoded by blocks or cells: how they start, which operator makes a generation, and
//! its survey. [`blocks`] and [`cells`] have the operators.
//!
//! [`blocks`]: super::blocks
//! [`cells`]: super::cells

use gpusudoku::operators::{Start, Variation};
use gpusudoku::plan::{Encoding, Plan, Representation};
use gpusudoku::population::Record;
use gpusudoku::problem::Puzzle;
use gpusudoku::rng::{Key, Site, bounded, shuffle_index};

use crate::support::grid_runs::*;
use crate::support::*;

/// A grid, digits from zero.
pub type GridIndividual = Vec<u8>;

/// A population as nobody would write it for speed.
pub struct GridModel<'a> {
    pub puzzle: &'a Puzzle,
    pub representation: Representation,
    recount: FitnessRecount,
    /// The sub-blocks, whatever the encoding, and the domains of cells.
    pub blocks: Vec<Vec<usize>>,
    pub domains: Vec<Vec<u8>>,
    seed: u64,
    pub generation: u32,
    pub individuals: Vec<GridIndividual>,
    pub fitness: Vec<u32>,
    /// Swaps of the last generation's mutants that live.
    pub swaps: u32,
}

impl<'a> GridModel<'a> {
    pub fn new(case: &'a GridRun) -> Self {
        let geometry = case.puzzle.geometry();
        let mut model = Self {
            puzzle: &case.puzzle,
            representation: case.representation,
            recount: FitnessRecount::new(geometry),
            blocks: blocks(geometry),
            domains: match case.representation.encoding {
                Encoding::Cells(domain) => domains_of(&case.puzzle, domain),
                _ => Vec::new(),
            },
            seed: case.seed,
            generation: 0,
            individuals: Vec::new(),
            fitness: Vec::new(),
            swaps: 0,
        };
        for individual in 0..case.pop {
            let grid = match &case.start {
                Start::Fresh => model.fresh(individual),
                Start::Sample(sample) => model.sampled(sample, individual),
                Start::Greedy(_) => panic!("queens have a model of their own"),
            };
            model.fitness.push(model.fitness_of(&grid));
            model.individuals.push(grid);
        }
        model
    }

    pub fn n(&self) -> usize {
        self.puzzle.geometry().size()
    }

    pub fn pop(&self) -> usize {
        self.individuals.len()
    }

    pub fn fitness_of(&self, grid: &[u8]) -> u32 {
        self.recount.fitness(self.representation.objective, grid)
    }

    pub fn draw(&self, individual: usize, site: Site, index: usize) -> [u32; 4] {
        let key = Key::new(self.seed, self.generation);
        key.draw(individual as u32, site.counter(index as u32))
    }

    /// Puts the givens in place, and one digit into every other cell.
    pub fn givens(&self) -> GridIndividual {
        let givens = self.puzzle.givens().cells().iter();
        givens.map(|given| given.saturating_sub(1)).collect()
    }

    /// The digits that a list of cells still needs, ascending.
    pub fn needed(&self, cells: &[usize]) -> Vec<u8> {
        let givens = self.puzzle.givens().cells();
        let given = |digit: &u8| cells.iter().any(|&cell| givens[cell] == digit + 1);
        (0..self.n() as u8).filter(|digit| !given(digit)).collect()
    }

    fn fresh(&self, individual: usize) -> GridIndividual {
        let geometry = self.puzzle.geometry();
        let n = self.n();
        let mut grid = self.givens();
        let segments = match self.representation.encoding {
            Encoding::Placement => panic!("queens have a model of their own"),
            Encoding::Rows => row_units(geometry),
            Encoding::Blocks => self.blocks.clone(),
            Encoding::Cells(_) | Encoding::PartialCells => {
                // A word for every cell, four neighbours in a draw.
                for cell in free_of(self.puzzle, &(0..n * n).collect::<Vec<_>>()) {
                    let (row, col) = (cell / n, cell % n);
                    let index = shuffle_index(row as u32, col as u32);
                    let words = self.draw(individual, Site::Initialise, index as usize);
                    let digits = &self.domains[cell];
                    grid[cell] = digits[bounded(words[col % 4], digits.len() as u32) as usize];
                }
                return grid;
            }
        };
        for (at, segment) in segments.iter().enumerate() {
            let free = free_of(self.puzzle, segment);
            for (&cell, digit) in free.iter().zip(self.needed(segment)) {
                grid[cell] = digit;
            }
            // Fisher and Yates from the last free cell down, a word a step.
            for (step, last) in (1..free.len()).rev().enumerate() {
                let index = shuffle_index(at as u32, step as u32);
                let words = self.draw(individual, Site::Initialise, index as usize);
                let other = bounded(words[step % 4], last as u32 + 1) as usize;
                grid.swap(free[last], free[other]);
            }
        }
        grid
    }

    /// So many generations, of which only the last is surveyed.
    pub fn step(&mut self, plan: &Plan, generations: u32) -> Record {
        for _ in 0..generations {
            if let Variation::Islands(islands) = &plan.vary {
                self.migrate(islands);
            }
            self.generation += 1;
            self.swaps = 0;
            match &plan.vary {
                Variation::BreedRows(_) => panic!("rows have a model of their own"),
                Variation::Renew(Start::Sample(sample)) => {
                    let individuals = (0..self.pop()).map(|i| self.sampled(sample, i));
                    self.individuals = individuals.collect();
                    self.fitness = self
                        .individuals
                        .iter()
                        .map(|one| self.fitness_of(one))
                        .collect();
                }
                Variation::BreedBlocks(breed) => self.breed(breed, self.pop()),
                Variation::Islands(islands) => self.breed(&islands.breed, islands.size as usize),
                Variation::Improvise(improvise) => self.improvise(improvise),
                Variation::Pollinate(pollinate) => self.pollinate(pollinate),
                other => panic!("permutations have a model of their own: {other:?}"),
            }
        }
        self.survey()
    }

    pub fn survey(&self) -> Record {
        let known = Record {
            generation: self.generation,
            swaps_low: self.swaps,
            ..Record::default()
        };
        survey_of(&known, &self.fitness, &self.individuals)
    }
}

/// The first of the lowest.
pub fn first_lowest(numbers: &[u32]) -> usize {
    let mut best = 0;
    for at in 0..numbers.len() {
        if numbers[at] < numbers[best] {
            best = at;
        }
    }
    best
}

/// The first of the highest.
pub fn first_highest(numbers: &[u32]) -> usize {
    let mut worst = 0;
    for at in 0..numbers.len() {
        if numbers[at] > numbers[worst] {
            worst = at;
        }
    }
    worst
}
