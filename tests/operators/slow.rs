//! Slow and obvious twins of the kernels that came after LSGA's, written from the documentation in
//! `src/plan/` and `src/rng.rs`, and the native engine beside them. [`slow_blocks`] has what works
//! on sub-blocks, [`slow_cells`] what works on cells.
//!
//! [`slow_blocks`]: super::slow_blocks
//! [`slow_cells`]: super::slow_cells

use gpusudoku::operators::{Start, Variation};
use gpusudoku::plan::{Encoding, Plan, Representation};
use gpusudoku::population::Record;
use gpusudoku::problem::Puzzle;
use gpusudoku::rng::{Key, Site, bounded, shuffle_index};
use proptest::prelude::*;

use super::common::*;
use super::judge::*;
use super::kinds::*;
use super::strategies::*;
use super::support::*;

/// A grid, digits from zero.
pub type Person = Vec<u8>;

/// A population as nobody would write it for speed.
pub struct Slow<'a> {
    pub puzzle: &'a Puzzle,
    pub representation: Representation,
    judge: Judge,
    /// The sub-blocks, whatever the encoding, and the domains of cells.
    pub blocks: Vec<Vec<usize>>,
    pub domains: Vec<Vec<u8>>,
    seed: u64,
    pub generation: u32,
    pub people: Vec<Person>,
    pub fitness: Vec<u32>,
    /// Swaps of the last generation's mutants that live.
    pub swaps: u32,
}

impl<'a> Slow<'a> {
    fn new(case: &'a Case) -> Self {
        let geometry = case.puzzle.geometry();
        let mut slow = Self {
            puzzle: &case.puzzle,
            representation: case.representation,
            judge: Judge::new(geometry),
            blocks: blocks(geometry),
            domains: match case.representation.encoding {
                Encoding::Cells(domain) => domains_of(&case.puzzle, domain),
                _ => Vec::new(),
            },
            seed: case.seed,
            generation: 0,
            people: Vec::new(),
            fitness: Vec::new(),
            swaps: 0,
        };
        for individual in 0..case.pop {
            let person = match &case.start {
                Start::Fresh => slow.fresh(individual),
                Start::Sample(sample) => slow.sampled(sample, individual),
                Start::Greedy(_) => panic!("queens have a model of their own"),
            };
            slow.fitness.push(slow.judge(&person));
            slow.people.push(person);
        }
        slow
    }

    pub fn n(&self) -> usize {
        self.puzzle.geometry().size()
    }

    pub fn pop(&self) -> usize {
        self.people.len()
    }

    pub fn judge(&self, person: &[u8]) -> u32 {
        self.judge.fitness(self.representation.objective, person)
    }

    pub fn draw(&self, individual: usize, site: Site, index: usize) -> [u32; 4] {
        let key = Key::new(self.seed, self.generation);
        key.draw(individual as u32, site.counter(index as u32))
    }

    /// Puts the givens in place, and one digit into every other cell.
    pub fn givens(&self) -> Person {
        let givens = self.puzzle.givens().cells().iter();
        givens.map(|given| given.saturating_sub(1)).collect()
    }

    /// The digits that a list of cells still needs, ascending.
    pub fn needed(&self, cells: &[usize]) -> Vec<u8> {
        let givens = self.puzzle.givens().cells();
        let given = |digit: &u8| cells.iter().any(|&cell| givens[cell] == digit + 1);
        (0..self.n() as u8).filter(|digit| !given(digit)).collect()
    }

    fn fresh(&self, individual: usize) -> Person {
        let geometry = self.puzzle.geometry();
        let n = self.n();
        let mut person = self.givens();
        let segments = match self.representation.encoding {
            Encoding::Placement => panic!("queens have a model of their own"),
            Encoding::Rows => row_units(geometry),
            Encoding::Blocks => self.blocks.clone(),
            Encoding::Cells(_) => {
                // A word for every cell, four neighbours in a draw.
                for cell in free_of(self.puzzle, &(0..n * n).collect::<Vec<_>>()) {
                    let (row, col) = (cell / n, cell % n);
                    let index = shuffle_index(row as u32, col as u32);
                    let words = self.draw(individual, Site::Initialise, index as usize);
                    let digits = &self.domains[cell];
                    person[cell] = digits[bounded(words[col % 4], digits.len() as u32) as usize];
                }
                return person;
            }
        };
        for (at, segment) in segments.iter().enumerate() {
            let free = free_of(self.puzzle, segment);
            for (&cell, digit) in free.iter().zip(self.needed(segment)) {
                person[cell] = digit;
            }
            // Fisher and Yates from the last free cell down, a word a step.
            for (step, last) in (1..free.len()).rev().enumerate() {
                let index = shuffle_index(at as u32, step as u32);
                let words = self.draw(individual, Site::Initialise, index as usize);
                let other = bounded(words[step % 4], last as u32 + 1) as usize;
                person.swap(free[last], free[other]);
            }
        }
        person
    }

    /// So many generations, of which only the last is surveyed.
    fn step(&mut self, plan: &Plan, generations: u32) -> Record {
        for _ in 0..generations {
            if let Variation::Islands(islands) = &plan.vary {
                self.migrate(islands);
            }
            self.generation += 1;
            self.swaps = 0;
            match &plan.vary {
                Variation::BreedRows(_) => panic!("rows have a model of their own"),
                Variation::Renew(Start::Sample(sample)) => {
                    let people = (0..self.pop()).map(|i| self.sampled(sample, i));
                    self.people = people.collect();
                    self.fitness = self.people.iter().map(|one| self.judge(one)).collect();
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

    fn survey(&self) -> Record {
        let known = Record {
            generation: self.generation,
            swaps_low: self.swaps,
            ..Record::default()
        };
        let people: Vec<&[u8]> = self.people.iter().map(Vec::as_slice).collect();
        survey_of(&known, &self.fitness, &people)
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

/// Compares so many generations; islands stop at the end of every epoch.
pub fn compare_with_slow(case: &Case, generations: u32) {
    let mut engine = engine_of(&case.puzzle, case.representation, case.pop, case.seed, 2);
    let mut record = begin(&mut engine, &case.start);
    let mut slow = Slow::new(case);
    let mut expected = slow.survey();
    loop {
        let what = format!("{}, generation {}", case.puzzle.geometry(), slow.generation);
        let population = population(&mut engine);
        for individual in 0..case.pop {
            assert_eq!(
                population.cells(individual),
                slow.people[individual],
                "{what}: individual {individual}, engine and model"
            );
        }
        assert_eq!(population.fitness(), slow.fitness, "{what}: fitness");
        assert_eq!(record, expected, "{what}");
        if record.solved() || slow.generation == generations {
            break;
        }
        let wanted = case.plan.stride().min(generations - slow.generation);
        let records = pollster::block_on(engine.advance(&case.plan, wanted)).unwrap();
        assert_eq!(records.len(), 1, "{what}: a record for what runs together");
        record = records[0];
        expected = slow.step(&case.plan, wanted);
    }
}

proptest! {
    #![proptest_config(config(1200))]

    /// The fast code against the slow and obvious code, bit for bit, for every kernel.
    #[test]
    fn any_case_equals_the_slow_model(case in cases(10)) {
        compare_with_slow(&case, 2 * case.plan.stride().max(2) + 1);
    }
}

/// Every algorithm as published, on every common size.
#[test]
fn algorithms_equal_the_slow_model() {
    use gpusudoku::algo::{ALL, Task};
    use gpusudoku::problem::sudoku::propagate::Level;
    use gpusudoku::problem::{Instance, Reduction};
    for info in ALL {
        for (geometry, givens, pop) in [
            (sudoku(2, 2), 0.1, 8),
            (sudoku(2, 3), 0.3, 13),
            (sudoku(3, 3), 0.3, 20),
            (sudoku(4, 3), 0.3, 9),
            (sudoku(4, 4), 0.4, 6),
            (sudoku(5, 5), 0.5, 4),
            (latin(7), 0.2, 9),
            (latin(34), 0.6, 3),
        ] {
            let puzzle = puzzle(geometry, givens, 70);
            let instance = Instance::from(Reduction::new(&puzzle, Level::None).unwrap());
            let task = Task {
                instance: &instance,
                pop,
                seed: 71,
            };
            let mut settings = gpusudoku::algo::Settings::new(info);
            for (key, value) in [("improvisations", "0"), ("epoch", "4"), ("island", "3")] {
                if info.params.iter().any(|param| param.key == key) {
                    settings.set(key, value).unwrap();
                }
            }
            let algorithm = settings.build();
            let state = algorithm.begin(&task);
            let plan = state.stage().plan;
            // Rows, permutations and colourings have models of their own.
            if matches!(
                plan.vary,
                Variation::BreedRows(_)
                    | Variation::Recombine(_)
                    | Variation::ParticleSwarm(_)
                    | Variation::GravitationalSearch(_)
                    | Variation::Anneal(_)
                    | Variation::MinConflicts(_)
                    | Variation::Tabu(_)
            ) {
                continue;
            }
            let case = Case {
                representation: algorithm.representation(&instance).unwrap(),
                start: state.start(),
                plan,
                pop,
                seed: 71,
                puzzle: puzzle.clone(),
            };
            compare_with_slow(&case, 9);
        }
    }
}
