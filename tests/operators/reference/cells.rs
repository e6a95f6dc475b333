//! The operators that work on single cells: harmonies and flowers.

use gpusudoku::operators::{Improvise, Pollinate};
use gpusudoku::rng::{Rate, Site, bounded};

use super::grids::*;
use crate::support::*;

impl GridModel<'_> {
    /// The free cells with their domains.
    fn open(&self) -> Vec<(usize, Vec<u8>)> {
        let cells: Vec<usize> = (0..self.n() * self.n()).collect();
        let free = free_of(self.puzzle, &cells).into_iter();
        free.map(|cell| (cell, self.domains[cell].clone()))
            .collect()
    }

    fn harmony(&self, improvise: &Improvise, harmony: usize) -> GridIndividual {
        // Improvisations take their turns from the first generation on.
        let number = (self.generation - 1) as usize * improvise.batch as usize + harmony;
        let turns: Vec<&[u32]> = improvise.pitches.chunks(3).collect();
        let [considering, adjusting, bandwidth] = turns[number % turns.len()] else {
            panic!("three numbers each")
        };
        let hit = |threshold: u32, word| Rate::from_threshold(threshold).hit(word);
        let mut grid = self.givens();
        for (cell, digits) in self.open() {
            let words = self.draw(harmony, Site::Improvise, cell);
            let mut place = bounded(words[1], digits.len() as u32) as i64;
            if hit(*considering, words[0]) {
                let member = &self.individuals[bounded(words[1], self.pop() as u32) as usize];
                place = place_of(&digits, member[cell]);
                if hit(*adjusting, words[2]) {
                    // 16 bits: whether up, and how much of the bandwidth, in 65536ths.
                    let up = words[3] >= 1 << 31;
                    let share = i64::from(words[3] / (1 << 16) % (1 << 15)) * 2 + 1;
                    let step = f64::from(*bandwidth) / 256.0 * share as f64 / 65_536.0;
                    let step = (step + 0.5).floor() as i64;
                    place += if up { step } else { -step };
                    place = place.clamp(0, digits.len() as i64 - 1);
                }
            }
            grid[cell] = digits[place as usize];
        }
        grid
    }

    /// The best of the batch faces the worst of the memory, and so on.
    pub fn improvise(&mut self, improvise: &Improvise) {
        let batch: Vec<(GridIndividual, u32)> = (0..improvise.batch as usize)
            .map(|harmony| {
                let grid = self.harmony(improvise, harmony);
                let fitness = self.fitness_of(&grid);
                (grid, fitness)
            })
            .collect();
        let memory = self.individuals.clone();
        let (mut newcomers, mut members) = (batch.clone(), self.fitness.clone());
        let mut came: Vec<usize> = (0..batch.len()).collect();
        let mut places: Vec<usize> = (0..memory.len()).collect();
        for _ in 0..batch.len() {
            // Of equals in the batch the first is the better, of equals in the memory the first is
            // the worse.
            let scores: Vec<u32> = newcomers.iter().map(|&(_, fitness)| fitness).collect();
            let best = first_lowest(&scores);
            let ((grid, fitness), came) = (newcomers.remove(best), came.remove(best));
            let worst = first_highest(&members);
            let (facing, place) = (members.remove(worst), places.remove(worst));
            let before = batch[..came].iter().any(|(other, _)| *other == grid);
            let copy = improvise.distinct && (before || memory.contains(&grid));
            if fitness < facing && !copy {
                (self.individuals[place], self.fitness[place]) = (grid, fitness);
            }
        }
    }

    /// All flowers look at the same meadow.
    pub fn pollinate(&mut self, pollinate: &Pollinate) {
        let (old, old_fitness) = (self.individuals.clone(), self.fitness.clone());
        let best = &old[first_lowest(&old_fitness)];
        for flower in 0..old.len() {
            let [coin, one, two, uniform] = self.draw(flower, Site::Pollinate, 0);
            let [one, two] = [one, two].map(|word| &old[bounded(word, old.len() as u32) as usize]);
            let mut grid = old[flower].clone();
            for (cell, digits) in self.open() {
                let [step, fraction, ..] = self.draw(flower, Site::Pollinate, 1 + cell);
                let place = |grid: &GridIndividual| place_of(&digits, grid[cell]);
                // 65536ths of a place.
                let by = if pollinate.switch.hit(coin) {
                    let steps = &pollinate.levy;
                    let step = steps[bounded(step, steps.len() as u32) as usize] as i32;
                    i64::from(step) * (place(best) - place(&old[flower]))
                } else {
                    i64::from(uniform / 65_536) * (place(one) - place(two))
                };
                // The fraction is the chance of the place above.
                let up = by.rem_euclid(65_536) + i64::from(fraction / 65_536) >= 65_536;
                let to = place(&old[flower]) + by.div_euclid(65_536) + i64::from(up);
                grid[cell] = digits[to.clamp(0, digits.len() as i64 - 1) as usize];
            }
            let fitness = self.fitness_of(&grid);
            let taken = pollinate.distinct && old.contains(&grid);
            if fitness < old_fitness[flower] && !taken {
                (self.individuals[flower], self.fitness[flower]) = (grid, fitness);
            }
        }
    }
}

/// The place of a digit in the domain of its cell.
fn place_of(digits: &[u8], digit: u8) -> i64 {
    let place = digits.iter().position(|&other| other == digit);
    place.expect("cells hold digits of their domains") as i64
}
