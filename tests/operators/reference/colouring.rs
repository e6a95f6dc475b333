//! The model of searches in which cells take their candidates: tabu searches, and what all share. [`packing`] has
//! those that keep partial grids.
//!
//! [`packing`]: super::packing

use gpusudoku::operators::Tabu;
use gpusudoku::population::{HOLE, Record};
use gpusudoku::problem::Reduction;
use gpusudoku::rng::{Key, Site, bounded, shuffle_index};

use super::grids::GridIndividual;
use super::packing::Steps;
use crate::support::*;

/// How often a rule was needed.
#[derive(Debug, Clone, Copy, Default)]
pub struct RulesMet {
    pub moves: u64,
    /// A tabu choice was made because it leads to fewer conflicts than ever.
    pub aspired: u64,
    /// One was made because all are tabu.
    pub cornered: u64,
    /// Nobody in conflict has another choice.
    pub stuck: u64,
    /// A tenure was cut to the longest.
    pub capped: u64,
    /// A choice was left again before its tabu was over, and comes back sooner than it would have.
    pub shortened: u64,
    /// A tabu was over within the generation.
    pub lifted: u64,
    /// The least change was not that of one vertex, or not that of one choice, alone.
    pub vertices_tied: u64,
    pub choices_tied: u64,
}

/// A population as nobody would write it for speed.
pub struct ColouringModel<'a> {
    pub(super) reduction: &'a Reduction,
    seed: u64,
    /// The cells of the vertices, their lists, and the vertices that each of them sees.
    pub(super) open: Vec<usize>,
    pub(super) lists: Vec<Vec<u8>>,
    sees: Vec<Vec<usize>>,
    pub generation: u32,
    pub individuals: Vec<GridIndividual>,
    pub fitness: Vec<u32>,
    /// Moves or steps of everybody in the last generation.
    pub moves: u64,
    pub met: RulesMet,
    /// All steps of packing searches.
    pub steps: Steps,
}

/// A move that could be made. The first in this order is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Choice {
    forbidden: bool,
    delta: i32,
    rank: i16,
    turns: usize,
    vertex: usize,
    place: usize,
    tabu: bool,
}

impl<'a> ColouringModel<'a> {
    pub fn new(reduction: &'a Reduction, pop: usize, seed: u64) -> Self {
        let geometry = reduction.puzzle().geometry();
        let n = geometry.size();
        let givens = reduction.puzzle().givens().cells();
        let open: Vec<usize> = (0..n * n).filter(|&cell| givens[cell] == 0).collect();
        let lists = open.iter().map(|&cell| {
            let bits = reduction.candidates()[cell];
            (0..n as u8).filter(move |digit| bits >> digit & 1 == 1)
        });
        let sees = |one: usize, two: usize| {
            let [[row, col], [other_row, other_col]] = [one, two].map(|cell| [cell / n, cell % n]);
            let boxed = geometry.boxes().is_some_and(|shape| {
                row / shape.rows == other_row / shape.rows
                    && col / shape.cols == other_col / shape.cols
            });
            one != two && (row == other_row || col == other_col || boxed)
        };
        let mut searches = Self {
            reduction,
            seed,
            lists: lists.map(Iterator::collect).collect(),
            sees: open
                .iter()
                .map(|&one| {
                    (0..open.len())
                        .filter(|&two| sees(one, open[two]))
                        .collect()
                })
                .collect(),
            open,
            generation: 0,
            individuals: Vec::new(),
            fitness: Vec::new(),
            moves: 0,
            met: RulesMet::default(),
            steps: Steps::default(),
        };
        searches.individuals = (0..pop).map(|i| searches.fresh(i)).collect();
        searches.evaluate();
        searches
    }

    pub(super) fn draw(&self, individual: usize, site: Site, index: u32) -> [u32; 4] {
        Key::new(self.seed, self.generation).draw(individual as u32, site.counter(index))
    }

    /// A random digit of its list in every open cell.
    fn fresh(&self, individual: usize) -> GridIndividual {
        let n = self.reduction.puzzle().geometry().size();
        let givens = self.reduction.puzzle().givens().cells().iter();
        let mut grid: GridIndividual = givens.map(|given| given.saturating_sub(1)).collect();
        for (&cell, list) in self.open.iter().zip(&self.lists) {
            let (row, col) = (cell / n, cell % n);
            let index = shuffle_index(row as u32, col as u32);
            let words = self.draw(individual, Site::Initialise, index);
            grid[cell] = list[bounded(words[col % 4], list.len() as u32) as usize];
        }
        grid
    }

    /// Another beginning for everybody, at the next generation.
    pub fn renew(&mut self) {
        self.generation += 1;
        self.moves = 0;
        self.individuals = (0..self.individuals.len()).map(|i| self.fresh(i)).collect();
        self.evaluate();
    }

    /// The digits of the vertices.
    pub(super) fn colours(&self, grid: &GridIndividual) -> Vec<u8> {
        self.open.iter().map(|&cell| grid[cell]).collect()
    }

    /// How many that a vertex sees have this digit.
    fn clashes(&self, colours: &[u8], vertex: usize, digit: u8) -> u32 {
        let seen = self.sees[vertex].iter();
        seen.filter(|&&other| colours[other] == digit).count() as u32
    }

    fn conflicts(&self, colours: &[u8]) -> u32 {
        let vertices = (0..colours.len()).filter(|&vertex| colours[vertex] != HOLE);
        let ends = vertices.map(|vertex| self.clashes(colours, vertex, colours[vertex]));
        ends.sum::<u32>() / 2
    }

    pub fn evaluate(&mut self) {
        let judged = self.individuals.iter().map(|one| {
            let colours = self.colours(one);
            let holes = colours.iter().filter(|&&colour| colour == HOLE).count();
            self.conflicts(&colours) + holes as u32
        });
        self.fitness = judged.collect();
    }

    /// A generation.
    pub fn step(&mut self, tabu: &Tabu) {
        self.generation += 1;
        self.moves = 0;
        for individual in 0..self.individuals.len() {
            let mut colours = self.colours(&self.individuals[individual]);
            self.fill(individual, &mut colours);
            self.moves += u64::from(self.search(tabu, individual, &mut colours));
            for (&cell, colour) in self.open.iter().zip(colours) {
                self.individuals[individual][cell] = colour;
            }
        }
        self.met.moves += self.moves;
        self.evaluate();
    }

    /// A random digit of its list for every hole.
    fn fill(&self, individual: usize, colours: &mut [u8]) {
        for (vertex, colour) in colours.iter_mut().enumerate() {
            if *colour == HOLE {
                let words = self.draw(individual, Site::Step, (1 << 27) + vertex as u32);
                let list = &self.lists[vertex];
                *colour = list[bounded(words[0], list.len() as u32) as usize];
            }
        }
    }

    /// The moves of one individual; says how many.
    fn search(&mut self, tabu: &Tabu, individual: usize, colours: &mut [u8]) -> u32 {
        // For each vertex and place in its list the move from which on it is allowed.
        let mut expiry: Vec<Vec<u32>> = self.lists.iter().map(|list| vec![0; list.len()]).collect();
        let mut fewest = self.conflicts(colours);
        for number in 1..=tabu.moves {
            let conflicts = self.conflicts(colours);
            fewest = fewest.min(conflicts);
            if conflicts == 0 {
                return number - 1;
            }
            let words = self.draw(individual, Site::Step, number);
            let mut troubled = 0;
            let mut choices = Vec::new();
            for vertex in 0..colours.len() {
                let now = self.clashes(colours, vertex, colours[vertex]);
                if now == 0 {
                    continue;
                }
                troubled += 1;
                let list = &self.lists[vertex];
                let first = bounded(words[1], list.len() as u32) as usize;
                for (place, &digit) in list.iter().enumerate() {
                    if digit == colours[vertex] {
                        continue;
                    }
                    let delta = self.clashes(colours, vertex, digit) as i32 - now as i32;
                    let tabu = expiry[vertex][place] > number;
                    let better = conflicts as i32 + delta < fewest as i32;
                    choices.push(Choice {
                        forbidden: tabu && !better,
                        delta,
                        rank: (vertex as u16).wrapping_mul(words[0] as u16 | 1) as i16,
                        turns: (place + list.len() - first) % list.len(),
                        vertex,
                        place,
                        tabu,
                    });
                }
            }
            let Some(&best) = choices.iter().min() else {
                self.met.stuck += 1;
                return number - 1;
            };
            self.note(&best, &choices);
            let Choice { vertex, place, .. } = best;
            let old = self.lists[vertex].iter();
            let old = { old }.position(|&digit| digit == colours[vertex]).unwrap();
            let until = number + 1 + self.tenure(tabu, individual, troubled, words[2]);
            self.met.shortened += u64::from(expiry[vertex][old] > until);
            self.met.lifted += u64::from(until < tabu.moves);
            expiry[vertex][old] = until;
            colours[vertex] = self.lists[vertex][place];
        }
        tabu.moves
    }

    fn note(&mut self, best: &Choice, choices: &[Choice]) {
        self.met.aspired += u64::from(best.tabu && !best.forbidden);
        self.met.cornered += u64::from(best.forbidden);
        let (mut vertices_tied, mut choices_tied) = (false, false);
        for other in choices {
            if (other.forbidden, other.delta) == (best.forbidden, best.delta) {
                vertices_tied |= other.vertex != best.vertex;
                choices_tied |= other.vertex == best.vertex && other.place != best.place;
            }
        }
        self.met.vertices_tied += u64::from(vertices_tied);
        self.met.choices_tied += u64::from(choices_tied);
    }

    fn tenure(&mut self, tabu: &Tabu, individual: usize, troubled: u64, word: u32) -> u32 {
        let factor = factor_of(tabu, self.generation, individual);
        let tenure = factor * troubled / 256 + u64::from(bounded(word, tabu.random));
        self.met.capped += u64::from(tenure > 4094);
        tenure.min(4094) as u32
    }

    pub fn survey(&self) -> Record {
        let known = Record {
            generation: self.generation,
            swaps_low: self.moves as u32,
            swaps_high: (self.moves >> 32) as u32,
            ..Record::default()
        };
        survey_of(&known, &self.fitness, &self.individuals)
    }
}

/// The tenure for each vertex in conflict, in 256ths.
pub fn factor_of(tabu: &Tabu, generation: u32, individual: usize) -> u64 {
    temperature(tabu.factors, tabu.period, generation, individual)
}

/// What falls from the most to the least again and again, in numbers that do not overflow.
pub fn temperature(range: [u32; 2], period: u32, generation: u32, individual: usize) -> u64 {
    let period = u64::from(period);
    let [least, most] = range.map(u64::from);
    let (mut begin, mut length) = (0, period);
    while u64::from(generation) >= begin + length && length < 16 * period {
        begin += length;
        length *= 2;
    }
    let passed = (u64::from(generation) - begin) % length * 65_536 / length;
    let phase = (passed + individual as u64 * 40_503) % 65_536;
    most - (most - least) * phase / 65_536
}
