//! The operators that keep sub-blocks permutations: sampling, breeding and islands.

use std::ops::Range;

use gpusudoku::operators::{BreedBlocks, Islands, MutationUnit, Order, Sample};
use gpusudoku::rng::{Site, bounded};

use super::grids::*;
use crate::common::*;
use crate::support::*;

impl GridModel<'_> {
    /// Blocks in random order, each as often as it takes, or the retries allow.
    pub fn sampled(&self, sample: &Sample, individual: usize) -> GridIndividual {
        let n = self.n();
        let mut grid = self.givens();
        // Which cells stand: givens, and blocks that are filled.
        let givens = self.puzzle.givens().cells();
        let mut stands: Vec<bool> = givens.iter().map(|&given| given != 0).collect();
        let mut left: Vec<usize> = (0..n).collect();
        for step in 0..n {
            let [word, ..] = self.draw(individual, Site::Sample, step);
            let block = left.remove(bounded(word, left.len() as u32) as usize);
            let filled = (0..=sample.retries as usize)
                .find_map(|attempt| self.fill(sample, individual, block, attempt, &grid, &stands));
            let filled = filled.expect("the last attempt always succeeds");
            for (cell, digit) in filled {
                grid[cell] = digit;
            }
            for &cell in &self.blocks[block] {
                stands[cell] = true;
            }
        }
        grid
    }

    /// The digits of a block's free cells, or nothing if the model has none left for one of them.
    fn fill(
        &self,
        sample: &Sample,
        individual: usize,
        block: usize,
        attempt: usize,
        grid: &[u8],
        stands: &[bool],
    ) -> Option<Vec<(usize, u8)>> {
        let n = self.n();
        let cells = &self.blocks[block];
        let free = free_of(self.puzzle, cells);
        let mut needed = self.needed(cells);
        let mut left: Vec<usize> = (0..free.len()).collect();
        let mut filled = Vec::new();
        for step in 0..free.len() {
            let at = n + (attempt * n + block) * n + step;
            let [which, choice, any, _] = self.draw(individual, Site::Sample, at);
            let index = match sample.order {
                Order::Given => sample.model[n * n * n + n * block + step] as usize,
                Order::Random => left[bounded(which, left.len() as u32) as usize],
            };
            left.retain(|&other| other != index);
            let cell = free[index];
            let mut allowed = needed.clone();
            if sample.neighbours {
                let line = (0..n * n)
                    .filter(|&peer| stands[peer] && (peer / n == cell / n || peer % n == cell % n));
                let taken: Vec<u8> = line.map(|peer| grid[peer]).collect();
                allowed.retain(|digit| !taken.contains(digit));
            }
            let weight = |digit: u8| sample.model[cell * n + usize::from(digit)];
            let total: u32 = allowed.iter().map(|&digit| weight(digit)).sum();
            let digit = if total > 0 {
                // A ball for every unit of weight, digits ascending.
                let mut ball = bounded(choice, total);
                let mut drawn = None;
                for &digit in &allowed {
                    if drawn.is_none() && ball < weight(digit) {
                        drawn = Some(digit);
                    }
                    ball = ball.saturating_sub(weight(digit));
                }
                drawn.expect("one of the balls")
            } else if attempt < sample.retries as usize {
                return None;
            } else {
                needed[bounded(any, needed.len() as u32) as usize]
            };
            needed.retain(|&other| other != digit);
            filled.push((cell, digit));
        }
        Some(filled)
    }

    /// A generation on islands of this size; an island with a solution stays as it is.
    pub fn breed(&mut self, breed: &BreedBlocks, size: usize) {
        let (mut individuals, mut fitness, mut swaps) = (Vec::new(), Vec::new(), 0);
        for island in self.islands(size) {
            let solved = self.fitness[island.clone()].contains(&0);
            for individual in island.clone() {
                if solved {
                    individuals.push(self.individuals[individual].clone());
                    fitness.push(self.fitness[individual]);
                } else {
                    let (grid, score, swapped) = self.child(breed, individual, &island);
                    individuals.push(grid);
                    fitness.push(score);
                    swaps += swapped;
                }
            }
        }
        (self.individuals, self.fitness, self.swaps) = (individuals, fitness, swaps);
    }

    fn islands(&self, size: usize) -> Vec<Range<usize>> {
        let firsts = (0..self.pop()).step_by(size);
        firsts
            .map(|first| first..self.pop().min(first + size))
            .collect()
    }

    /// After an epoch the best of each island replaces the worst of the next one, all at once.
    pub fn migrate(&mut self, islands: &Islands) {
        if self.generation == 0 || !self.generation.is_multiple_of(islands.epoch) {
            return;
        }
        let shores = self.islands(islands.size as usize);
        let leaving: Vec<(GridIndividual, u32)> = shores
            .iter()
            .map(|island| {
                let best = island.start + first_lowest(&self.fitness[island.clone()]);
                (self.individuals[best].clone(), self.fitness[best])
            })
            .collect();
        for (at, island) in shores.iter().enumerate() {
            let worst = island.start + first_highest(&self.fitness[island.clone()]);
            let from = if at == 0 { shores.len() - 1 } else { at - 1 };
            (self.individuals[worst], self.fitness[worst]) = leaving[from].clone();
        }
    }

    /// A child, its fitness and the swaps that it has from its parents.
    fn child(
        &self,
        breed: &BreedBlocks,
        individual: usize,
        island: &Range<usize>,
    ) -> (GridIndividual, u32, u32) {
        let n = self.n();
        // Neighbours are the two children of a pair.
        let second = (individual - island.start) % 2 == 1;
        let pair = individual - usize::from(second);
        let parents = [0, 1].map(|which| {
            let contestants: Vec<usize> = (0..breed.tournament as usize)
                .map(|k| {
                    let index = which * breed.tournament as usize + k;
                    let [word, ..] = self.draw(pair, Site::Tournament, index);
                    island.start + bounded(word, island.len() as u32) as usize
                })
                .collect();
            let fitness: Vec<u32> = contestants.iter().map(|&one| self.fitness[one]).collect();
            &self.individuals[contestants[first_lowest(&fitness)]]
        });
        let [coin, ..] = self.draw(pair, Site::Mate, 0);
        let child = match (breed.crossover.hit(coin), second) {
            (true, false) => self.crossed(parents, row_units(self.puzzle.geometry())),
            (true, true) => self.crossed(parents, units(self.puzzle.geometry(), false)),
            (false, _) => parents[usize::from(second)].clone(),
        };

        let mut best: Option<(GridIndividual, u32, u32)> = None;
        for mutant in 0..breed.mutants as usize {
            let mut grid = child.clone();
            let mut swaps = 0;
            let draw = |index| self.draw(individual, Site::MutateRow, mutant * (n + 1) + index);
            let mut swap = |block: usize, [coin, _, one, two]: [u32; 4]| {
                let free = free_of(self.puzzle, &self.blocks[block]);
                let count = free.len() as u32;
                if breed.swap.hit(coin) && count >= 2 {
                    let one = bounded(one, count);
                    let two = (one + 1 + bounded(two, count - 1)) % count;
                    grid.swap(free[one as usize], free[two as usize]);
                    swaps += 1;
                }
            };
            match breed.mutation {
                MutationUnit::Each => (0..n).for_each(|block| swap(block, draw(block))),
                MutationUnit::Individual => {
                    let [block, ..] = draw(n);
                    swap(bounded(block, n as u32) as usize, draw(0));
                }
            }
            let fitness = self.fitness_of(&grid);
            if best.as_ref().is_none_or(|&(_, best, _)| fitness < best) {
                best = Some((grid, fitness, swaps));
            }
        }
        let (grid, fitness, swaps) = best.expect("there is a mutant at least");
        // The best of one is no search.
        let swaps = if breed.mutants > 1 { swaps } else { 0 };
        (grid, fitness, swaps)
    }

    /// Each band of lines that blocks share from the parent whose lines miss fewer digits there;
    /// of equals from the first.
    fn crossed(&self, [one, two]: [&GridIndividual; 2], lines: Vec<Vec<usize>>) -> GridIndividual {
        let mut child = one.clone();
        let crossed: Vec<Vec<usize>> = lines.iter().map(|line| self.crosses(line)).collect();
        for line in 0..lines.len() {
            let band = (0..lines.len()).filter(|&other| crossed[other] == crossed[line]);
            let missing = |grid: &[u8]| -> u32 {
                band.clone()
                    .map(|line| missing_in(&lines[line], grid))
                    .sum()
            };
            if missing(two) < missing(one) {
                lines[line].iter().for_each(|&cell| child[cell] = two[cell]);
            }
        }
        child
    }

    /// The blocks to which the cells of a line belong.
    fn crosses(&self, line: &[usize]) -> Vec<usize> {
        let crossed = |&block: &usize| line.iter().any(|cell| self.blocks[block].contains(cell));
        (0..self.n()).filter(crossed).collect()
    }
}
