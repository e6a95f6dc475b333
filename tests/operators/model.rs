//! The model: LSGA as its documentation tells it, and the native engine beside it.

use std::cell::Cell;

use gpusudoku::operators::{Admits, BreedRows, Elite, MutationUnit, Parent, Survivor, Variation};
use gpusudoku::plan::{Learn, Plan};
use gpusudoku::population::Record;
use gpusudoku::problem::Puzzle;
use gpusudoku::rng::{Key, Site, bounded, shuffle_index};
use proptest::prelude::*;

use super::common::*;
use super::search::swappable;
use super::strategies::*;
use super::support::*;

/// A population as nobody would write it for speed. Random numbers come from the documented
/// sites; everything is counted anew whenever it is asked for.
struct Model<'a> {
    puzzle: &'a Puzzle,
    seed: u64,
    generation: u32,
    people: Vec<Vec<u8>>,
    fitness: Vec<u32>,
    /// A ring: once it is full, the oldest gives way.
    elites: Vec<(Vec<u8>, u32)>,
    oldest: usize,
    best_ever: u32,
    reinitialised: u32,
    /// Swaps of this generation's local search.
    swaps: Cell<u32>,
}

impl<'a> Model<'a> {
    fn new(puzzle: &'a Puzzle, pop: usize, seed: u64) -> Self {
        let mut model = Self {
            puzzle,
            seed,
            generation: 0,
            people: Vec::new(),
            fitness: Vec::new(),
            elites: Vec::new(),
            oldest: 0,
            best_ever: u32::MAX,
            reinitialised: 0,
            swaps: Cell::new(0),
        };
        for individual in 0..pop {
            let person = model.fresh(individual, Site::Initialise);
            model.fitness.push(model.faults(&person));
            model.people.push(person);
        }
        model
    }

    fn n(&self) -> usize {
        self.puzzle.geometry().size()
    }

    fn faults(&self, person: &[u8]) -> u32 {
        faults(self.puzzle.geometry(), person)
    }

    fn draw(&self, individual: usize, site: Site, index: u32) -> [u32; 4] {
        Key::new(self.seed, self.generation).draw(individual as u32, site.counter(index))
    }

    /// The givens, the missing digits of each row in order, then every row shuffled.
    fn fresh(&self, individual: usize, site: Site) -> Vec<u8> {
        let n = self.n();
        let mut person = Vec::new();
        for row in self.puzzle.givens().cells().chunks(n) {
            let mut missing = (1..=n as u8).filter(|digit| !row.contains(digit));
            let whole = row.iter().map(|&given| match given {
                0 => missing.next().unwrap() - 1,
                given => given - 1,
            });
            person.extend(whole);
        }
        for row in 0..n {
            self.shuffle(&mut person, row, individual, site);
        }
        person
    }

    /// Fisher and Yates from the last free cell down, a word a step.
    fn shuffle(&self, person: &mut [u8], row: usize, individual: usize, site: Site) {
        let free = free_columns(self.puzzle, row);
        let lasts = (1..free.len()).rev();
        for (step, last) in lasts.enumerate() {
            let words = self.draw(individual, site, shuffle_index(row as u32, step as u32));
            let other = bounded(words[step % 4], last as u32 + 1) as usize;
            person.swap(row * self.n() + free[last], row * self.n() + free[other]);
        }
    }

    fn child(&self, individual: usize, breed: &BreedRows) -> Vec<u8> {
        let (n, pop) = (self.n(), self.people.len() as u32);
        let mut parent = individual;
        if let Parent::Tournament(size) = breed.parent {
            let contestants: Vec<usize> =
                (0..size).map(|k| self.contestant(individual, k)).collect();
            // The first of the best.
            if let Some(&best) = contestants.iter().min_by_key(|&&one| self.fitness[one]) {
                parent = best;
            }
        }
        let mut child = self.people[parent].clone();

        let [coin, mate, ..] = self.draw(individual, Site::Mate, 0);
        if breed.crossover.hit(coin) {
            let mate = &self.people[bounded(mate, pop) as usize];
            for row in 0..n {
                let [coin, ..] = self.draw(individual, Site::CrossoverRow, row as u32);
                if breed.crossover_row.hit(coin) {
                    child[row * n..][..n].copy_from_slice(&mate[row * n..][..n]);
                }
            }
        }

        match breed.mutation {
            MutationUnit::Each => {
                for row in 0..n {
                    let words = self.draw(individual, Site::MutateRow, row as u32);
                    self.mutate(&mut child, row, words, individual, breed);
                }
            }
            MutationUnit::Individual => {
                let [row, ..] = self.draw(individual, Site::MutateRow, n as u32);
                let words = self.draw(individual, Site::MutateRow, 0);
                let row = bounded(row, n as u32) as usize;
                self.mutate(&mut child, row, words, individual, breed);
            }
        }

        for round in 0..breed.rounds {
            let before = self.swaps.get();
            if breed.column_search {
                self.search(&mut child, false, round, individual, breed);
            }
            if breed.block_search && self.puzzle.geometry().boxes().is_some() {
                self.search(&mut child, true, round, individual, breed);
            }
            if self.swaps.get() == before {
                break;
            }
        }
        child
    }

    fn contestant(&self, individual: usize, index: u32) -> usize {
        let [word, ..] = self.draw(individual, Site::Tournament, index);
        bounded(word, self.people.len() as u32) as usize
    }

    fn mutate(
        &self,
        child: &mut [u8],
        row: usize,
        [swap, reinitialise, one, two]: [u32; 4],
        individual: usize,
        breed: &BreedRows,
    ) {
        let free = free_columns(self.puzzle, row);
        let count = free.len() as u32;
        if breed.swap.hit(swap) && count >= 2 {
            let one = bounded(one, count);
            let two = (one + 1 + bounded(two, count - 1)) % count;
            let cell = |free_cell: u32| row * self.n() + free[free_cell as usize];
            child.swap(cell(one), cell(two));
        }
        if breed.reinitialise.hit(reinitialise) {
            self.shuffle(child, row, individual, Site::Reinitialise);
        }
    }

    /// First units ascending; partners and rows from random starts; then cells ascending.
    fn search(
        &self,
        grid: &mut [u8],
        boxes: bool,
        round: u32,
        individual: usize,
        breed: &BreedRows,
    ) {
        let n = self.n();
        let units = units(self.puzzle.geometry(), boxes);
        let row_of = |cell: usize| cell / n;
        let [partner, row, ..] = self.draw(individual, Site::Search, 2 * round + u32::from(boxes));
        for a in 0..n {
            // Units side by side share their rows.
            let band: Vec<usize> = (0..n)
                .filter(|&b| row_of(units[a][0]) == row_of(units[b][0]))
                .collect();
            let place = band.iter().position(|&b| b == a).unwrap();
            let others: Vec<usize> = (1..band.len())
                .map(|step| band[(place + step) % band.len()])
                .collect();
            let mut rows: Vec<usize> = units[a].iter().map(|&cell| row_of(cell)).collect();
            rows.dedup();
            let first_partner = bounded(partner, others.len() as u32) as usize;
            let first_row = bounded(row, rows.len() as u32) as usize;
            for k in 0..others.len().min(breed.partners as usize) {
                let b = others[(first_partner + k) % others.len()];
                for m in 0..rows.len() {
                    let row = rows[(first_row + m) % rows.len()];
                    for &x in units[a].iter().filter(|&&x| row_of(x) == row) {
                        for &y in units[b].iter().filter(|&&y| row_of(y) == row) {
                            let (a, b) = ((&*units[a], x), (&*units[b], y));
                            if swappable(self.puzzle, grid, breed.repeats, a, b) {
                                grid.swap(x, y);
                                self.swaps.set(self.swaps.get() + 1);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Who takes the place: the child, the one who has it, random others; the first of the best,
    /// but a strict child has to be better than all.
    fn survivor(&self, individual: usize, breed: &BreedRows) -> (Vec<u8>, u32) {
        let child = self.child(individual, breed);
        let fitness = self.faults(&child);
        let (size, strict) = breed.survivor.contest();
        let rivals = (1..size).map(|index| match index {
            1 => individual,
            // Beyond the draws of any tournament of parents.
            _ => self.contestant(individual, (1 << 16) + index),
        });
        let best = rivals.min_by_key(|&rival| self.fitness[rival]);
        match best {
            Some(rival)
                if self.fitness[rival] < fitness || (strict && self.fitness[rival] == fitness) =>
            {
                (self.people[rival].clone(), self.fitness[rival])
            }
            _ => (child, fitness),
        }
    }

    fn step(&mut self, plan: &Plan) -> Record {
        self.generation += 1;
        let Variation::BreedRows(breed) = &plan.vary else {
            panic!("this model breeds rows")
        };
        self.swaps.set(0);
        (self.people, self.fitness) = (0..self.people.len())
            .map(|individual| self.survivor(individual, breed))
            .unzip();
        let mut record = self.survey();
        if let (false, Some(Learn::Elite(elite))) = (record.solved(), &plan.learn) {
            self.learn(elite, &record);
            record.reinitialised = self.reinitialised;
            if self.fitness[record.worst_at as usize] == 0 {
                (record.best, record.best_at) = (0, record.worst_at);
            }
        }
        record
    }

    fn survey(&self) -> Record {
        let known = Record {
            generation: self.generation,
            reinitialised: self.reinitialised,
            swaps_low: self.swaps.get(),
            ..Record::default()
        };
        let people: Vec<&[u8]> = self.people.iter().map(Vec::as_slice).collect();
        survey_of(&known, &self.fitness, &people)
    }

    fn learn(&mut self, elite: &Elite, record: &Record) {
        let best = record.best_at as usize;
        if elite.admits == Admits::EveryBest || record.best < self.best_ever {
            let best = (self.people[best].clone(), record.best);
            if self.elites.len() < elite.size as usize {
                self.elites.push(best);
            } else {
                self.elites[self.oldest] = best;
                self.oldest = (self.oldest + 1) % self.elites.len();
            }
        }
        self.best_ever = self.best_ever.min(record.best);

        let worst = record.worst_at as usize;
        let [choice, coin, ..] = self.draw(worst, Site::Elite, 0);
        let (teacher, taught) = &self.elites[bounded(choice, self.elites.len() as u32) as usize];
        // With probability (F_worst - F_elite) / F_worst.
        let learns = bounded(coin, record.worst) < record.worst.saturating_sub(*taught);
        if learns {
            (self.people[worst], self.fitness[worst]) = (teacher.clone(), *taught);
        } else {
            let fresh = self.fresh(worst, Site::EliteInitialise);
            self.fitness[worst] = self.faults(&fresh);
            self.people[worst] = fresh;
            self.reinitialised += 1;
        }
    }
}

fn compare_with_model(puzzle: &Puzzle, plan: &Plan, pop: usize, seed: u64, generations: u32) {
    let mut engine = engine(puzzle, pop, seed, 2);
    let mut model = Model::new(puzzle, pop, seed);
    let mut record = initialise(&mut engine);
    let mut expected = model.survey();
    loop {
        let what = format!("{}, generation {}", puzzle.geometry(), model.generation);
        assert_eq!(record, expected, "{what}");
        let population = population(&mut engine);
        for individual in 0..pop {
            assert_eq!(
                population.cells(individual),
                model.people[individual],
                "{what}: individual {individual}, engine and model"
            );
        }
        assert_eq!(population.fitness(), model.fitness, "{what}: fitness");
        if record.solved() || model.generation == generations {
            break;
        }
        record = advance(&mut engine, plan, 1, 1)[0];
        expected = model.step(plan);
    }
}

proptest! {
    #![proptest_config(config(1000))]

    /// The fast code against the slow and obvious code, bit for bit.
    #[test]
    fn any_plan_equals_the_model(
        puzzle in puzzles(),
        plan in plans(),
        pop in 1usize..10,
        seed: u64,
    ) {
        compare_with_model(&puzzle, &plan, pop, seed, 3);
    }
}

#[test]
fn lsga_equals_the_model() {
    for (geometry, givens, pop, generations) in [
        (sudoku(2, 2), 0.1, 6, 3),
        (sudoku(2, 3), 0.2, 10, 5),
        (sudoku(3, 2), 0.2, 10, 5),
        (sudoku(3, 3), 0.3, 30, 6),
        (sudoku(2, 5), 0.2, 10, 3),
        (sudoku(3, 4), 0.3, 10, 3),
        (sudoku(4, 4), 0.4, 6, 3),
        (sudoku(5, 5), 0.5, 3, 3),
        (sudoku(6, 6), 0.6, 2, 2),
        (latin(7), 0.1, 10, 3),
        (latin(40), 0.6, 2, 2),
    ] {
        for seed in [1, 1 << 40] {
            let puzzle = puzzle(geometry, givens, seed);
            compare_with_model(&puzzle, &lsga(), pop, seed, generations);
        }
    }
}

/// Long enough for queues to fill and their oldest to leave.
#[test]
fn elite_learning_equals_the_model() {
    let breed = BreedRows {
        swap: rate(0.2),
        ..lsga_breed()
    };
    let weak = BreedRows {
        rounds: 0,
        survivor: Survivor::Child,
        ..breed
    };
    let puzzle = puzzle(sudoku(3, 3), 0.1, 48);
    for (size, admits) in [
        (1, Admits::Improvement),
        (3, Admits::EveryBest),
        (50, Admits::Improvement),
    ] {
        compare_with_model(&puzzle, &learning(weak, size, admits), 5, 49, 60);
    }
}
