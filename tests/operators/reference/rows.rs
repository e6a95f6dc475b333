//! The model of LSGA: individuals whose rows are permutations, bred, searched and taught.

use std::cell::Cell;

use gpusudoku::operators::{Admits, BreedRows, Elite, MutationUnit, Parent, Repeats, Variation};
use gpusudoku::plan::{Learn, Plan};
use gpusudoku::population::Record;
use gpusudoku::problem::Puzzle;
use gpusudoku::rng::{Key, Site, bounded, shuffle_index};

use crate::common::*;
use crate::support::*;

/// A population as nobody would write it for speed. Random numbers come from the documented
/// sites; everything is counted anew whenever it is asked for.
pub struct RowModel<'a> {
    puzzle: &'a Puzzle,
    seed: u64,
    pub generation: u32,
    pub individuals: Vec<Vec<u8>>,
    pub fitness: Vec<u32>,
    /// A ring: once it is full, the oldest gives way.
    elites: Vec<(Vec<u8>, u32)>,
    oldest: usize,
    best_ever: u32,
    reinitialised: u32,
    /// Swaps of this generation's local search.
    swaps: Cell<u32>,
}

impl<'a> RowModel<'a> {
    pub fn new(puzzle: &'a Puzzle, pop: usize, seed: u64) -> Self {
        let mut model = Self {
            puzzle,
            seed,
            generation: 0,
            individuals: Vec::new(),
            fitness: Vec::new(),
            elites: Vec::new(),
            oldest: 0,
            best_ever: u32::MAX,
            reinitialised: 0,
            swaps: Cell::new(0),
        };
        for individual in 0..pop {
            let grid = model.fresh(individual, Site::Initialise);
            model.fitness.push(model.faults(&grid));
            model.individuals.push(grid);
        }
        model
    }

    fn n(&self) -> usize {
        self.puzzle.geometry().size()
    }

    fn faults(&self, grid: &[u8]) -> u32 {
        faults(self.puzzle.geometry(), grid)
    }

    fn draw(&self, individual: usize, site: Site, index: u32) -> [u32; 4] {
        Key::new(self.seed, self.generation).draw(individual as u32, site.counter(index))
    }

    /// The givens, the missing digits of each row in order, then every row shuffled.
    fn fresh(&self, individual: usize, site: Site) -> Vec<u8> {
        let n = self.n();
        let mut grid = Vec::new();
        for row in self.puzzle.givens().cells().chunks(n) {
            let mut missing = (1..=n as u8).filter(|digit| !row.contains(digit));
            let whole = row.iter().map(|&given| match given {
                0 => missing.next().unwrap() - 1,
                given => given - 1,
            });
            grid.extend(whole);
        }
        for row in 0..n {
            self.shuffle(&mut grid, row, individual, site);
        }
        grid
    }

    /// Fisher and Yates from the last free cell down, a word a step.
    fn shuffle(&self, grid: &mut [u8], row: usize, individual: usize, site: Site) {
        let free = free_columns(self.puzzle, row);
        let lasts = (1..free.len()).rev();
        for (step, last) in lasts.enumerate() {
            let words = self.draw(individual, site, shuffle_index(row as u32, step as u32));
            let other = bounded(words[step % 4], last as u32 + 1) as usize;
            grid.swap(row * self.n() + free[last], row * self.n() + free[other]);
        }
    }

    fn child(&self, individual: usize, breed: &BreedRows) -> Vec<u8> {
        let (n, pop) = (self.n(), self.individuals.len() as u32);
        let mut parent = individual;
        if let Parent::Tournament(size) = breed.parent {
            let contestants: Vec<usize> =
                (0..size).map(|k| self.contestant(individual, k)).collect();
            // The first of the best.
            if let Some(&best) = contestants.iter().min_by_key(|&&one| self.fitness[one]) {
                parent = best;
            }
        }
        let mut child = self.individuals[parent].clone();

        let [coin, mate, ..] = self.draw(individual, Site::Mate, 0);
        if breed.crossover.hit(coin) {
            let mate = &self.individuals[bounded(mate, pop) as usize];
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
        bounded(word, self.individuals.len() as u32) as usize
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
                (self.individuals[rival].clone(), self.fitness[rival])
            }
            _ => (child, fitness),
        }
    }

    pub fn step(&mut self, plan: &Plan) -> Record {
        self.generation += 1;
        let Variation::BreedRows(breed) = &plan.vary else {
            panic!("this model breeds rows")
        };
        self.swaps.set(0);
        (self.individuals, self.fitness) = (0..self.individuals.len())
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

    pub fn survey(&self) -> Record {
        let known = Record {
            generation: self.generation,
            reinitialised: self.reinitialised,
            swaps_low: self.swaps.get(),
            ..Record::default()
        };
        survey_of(&known, &self.fitness, &self.individuals)
    }

    fn learn(&mut self, elite: &Elite, record: &Record) {
        let best = record.best_at as usize;
        if elite.admits == Admits::EveryBest || record.best < self.best_ever {
            let best = (self.individuals[best].clone(), record.best);
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
            (self.individuals[worst], self.fitness[worst]) = (teacher.clone(), *taught);
        } else {
            let fresh = self.fresh(worst, Site::EliteInitialise);
            self.fitness[worst] = self.faults(&fresh);
            self.individuals[worst] = fresh;
            self.reinitialised += 1;
        }
    }
}

/// Whether the rule allows two cells of two units to be swapped: both free, the digit of either
/// repeated in its unit and absent from the other.
pub fn swappable(
    puzzle: &Puzzle,
    grid: &[u8],
    repeats: Repeats,
    (a, x): (&[usize], usize),
    (b, y): (&[usize], usize),
) -> bool {
    let free = |cell: usize| puzzle.givens().cells()[cell] == 0;
    let repeated = |unit: &[usize], cell: usize| {
        let mut others = unit.iter().filter(|&&other| match repeats {
            Repeats::Every => other != cell,
            Repeats::Later => other < cell,
        });
        others.any(|&other| grid[other] == grid[cell])
    };
    let absent = |unit: &[usize], digit: u8| unit.iter().all(|&cell| grid[cell] != digit);
    free(x)
        && free(y)
        && repeated(a, x)
        && repeated(b, y)
        && absent(b, grid[x])
        && absent(a, grid[y])
}
