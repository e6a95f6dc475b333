//! The model of the permutation kernels and of the initial placements. [`swarm_and_gravity`] has what
//! pulls at individuals.
//!
//! [`swarm_and_gravity`]: super::swarm_and_gravity

use gpusudoku::operators::{
    Accept, Anneal, Cut, MinConflicts, More, Recombine, Start, Variation, Who,
};
use gpusudoku::plan::{Encoding, Plan};
use gpusudoku::population::Record;
use gpusudoku::problem::Instance;
use gpusudoku::rng::{Key, Rate, Site, bounded, shuffle_index};

use super::swarm_and_gravity::Memory;
use crate::support::search_space::*;
use crate::support::*;

/// A population as nobody would write it for speed.
pub struct PermutationModel<'a> {
    pub space: &'a SearchSpace,
    seed: u64,
    pub generation: u32,
    pub individuals: Vec<Individual>,
    pub fitness: Vec<u32>,
    /// What the places of the population remember.
    pub memories: Vec<Memory>,
    /// Swaps of the last generation's local search.
    swaps: u64,
}

/// The individuals from the best to the worst, the first of equals first.
pub fn ranking(fitness: &[u32]) -> Vec<usize> {
    let mut ranking: Vec<usize> = (0..fitness.len()).collect();
    ranking.sort_by_key(|&one| (fitness[one], one));
    ranking
}

impl<'a> PermutationModel<'a> {
    pub fn new(space: &'a SearchSpace, start: &Start, pop: usize, seed: u64) -> Self {
        let mut model = Self {
            space,
            seed,
            generation: 0,
            individuals: vec![Vec::new(); pop],
            fitness: vec![0; pop],
            memories: Vec::new(),
            swaps: 0,
        };
        model.renew(start);
        model
    }

    pub fn pop(&self) -> usize {
        self.individuals.len()
    }

    pub fn draw(&self, individual: usize, site: Site, index: usize) -> [u32; 4] {
        let key = Key::new(self.seed, self.generation);
        key.draw(individual as u32, site.counter(index as u32))
    }

    /// The values of the genes.
    pub fn genes_of(&self, individual: &[u32]) -> Vec<u32> {
        self.space
            .genes
            .iter()
            .map(|&cell| individual[cell])
            .collect()
    }

    /// The first of all genes whose draw this is.
    pub fn random_gene(&self, word: u32) -> usize {
        bounded(word, self.space.genes.len() as u32) as usize
    }

    /// Another gene of the segment: as many places further as the draw says, round and round.
    pub fn partner(&self, gene: usize, word: u32) -> usize {
        let segment = self.space.segment(gene);
        if segment.len() == 1 {
            return gene;
        }
        let at = segment.iter().position(|&other| other == gene).unwrap();
        let further = 1 + bounded(word, segment.len() as u32 - 1) as usize;
        segment[(at + further) % segment.len()]
    }

    /// One gene after the other that has a wish changes places with whoever has that value. Of two
    /// with the same wish the first gets it.
    pub fn grant(&self, individual: &[u32], wishes: &[Option<u32>]) -> Individual {
        let mut individual = individual.to_vec();
        let genes = &self.space.genes;
        for gene in 0..genes.len() {
            let segment = self.space.segment(gene);
            let Some(wish) = wishes[gene] else { continue };
            let first = segment.iter().find(|&&other| wishes[other] == Some(wish));
            if first != Some(&gene) {
                continue;
            }
            let holder = segment
                .iter()
                .find(|&&other| individual[genes[other]] == wish);
            individual.swap(
                genes[gene],
                genes[*holder.expect("segments have the same values")],
            );
        }
        individual
    }

    fn renew(&mut self, start: &Start) {
        let individuals = (0..self.pop()).map(|at| match (start, &self.space.instance) {
            (Start::Fresh, Instance::Queens(_)) => self.shuffled(at),
            (Start::Fresh, Instance::Sudoku(_)) => self.fresh_grid(at),
            (Start::Greedy(tries), Instance::Queens(_)) => self.greedy(at, *tries as usize),
            other => panic!("no start: {other:?}"),
        });
        self.individuals = individuals.collect();
        self.evaluate_all();
        self.memories = vec![Memory::new(self.space.genes.len()); self.pop()];
    }

    pub fn evaluate_all(&mut self) {
        let individuals = self.individuals.iter();
        self.fitness = individuals
            .map(|individual| self.space.fitness(individual))
            .collect();
    }

    /// Fisher and Yates from the last column down, a word a step.
    fn shuffled(&self, individual: usize) -> Individual {
        let n = self.space.genes.len();
        let mut values: Individual = (0..n as u32).collect();
        for (step, last) in (1..n).rev().enumerate() {
            let index = shuffle_index(0, step as u32) as usize;
            let words = self.draw(individual, Site::Initialise, index);
            values.swap(last, bounded(words[step % 4], last as u32 + 1) as usize);
        }
        values
    }

    /// Each segment completed in ascending order and shuffled as the placements are.
    fn fresh_grid(&self, individual: usize) -> Individual {
        let givens = self.space.instance.reduction().puzzle().givens();
        let n = givens.geometry().size() as u32;
        let cells = givens.cells().iter();
        let mut values: Individual = cells
            .map(|&given| u32::from(given).saturating_sub(1))
            .collect();
        let units = match self.space.representation.encoding {
            Encoding::Rows => row_units(givens.geometry()),
            _ => blocks(givens.geometry()),
        };
        for (at, segment) in self.space.segments.iter().enumerate() {
            let given = |digit: u32| {
                let mut unit = units[at].iter();
                unit.any(|&cell| u32::from(givens.cells()[cell]) == digit + 1)
            };
            let needed = (0..n).filter(|&digit| !given(digit));
            let free: Vec<usize> = segment.iter().map(|&gene| self.space.genes[gene]).collect();
            free.iter()
                .zip(needed)
                .for_each(|(&cell, digit)| values[cell] = digit);
            for (step, last) in (1..free.len()).rev().enumerate() {
                let index = shuffle_index(at as u32, step as u32) as usize;
                let words = self.draw(individual, Site::Initialise, index);
                let other = bounded(words[step % 4], last as u32 + 1) as usize;
                values.swap(free[last], free[other]);
            }
        }
        values
    }

    /// Queen by queen. The free rows are a list, in which the first takes the place of the one that
    /// is taken.
    fn greedy(&self, individual: usize, tries: usize) -> Individual {
        let n = self.space.genes.len();
        let mut free: Vec<u32> = (0..n as u32).collect();
        let mut placed: Individual = Vec::new();
        for column in 0..n {
            let mut choice = 0;
            for attempt in 0..tries {
                let index = column * tries.div_ceil(4) + attempt / 4;
                let words = self.draw(individual, Site::Initialise, index);
                choice = bounded(words[attempt % 4], free.len() as u32) as usize;
                // The board with those before it, and it.
                let mut here = placed.clone();
                here.push(free[choice]);
                if self.space.alone(&here, column) == [true, true] {
                    break;
                }
            }
            placed.push(free[choice]);
            free.swap(0, choice);
            free.remove(0);
        }
        placed
    }

    /// The next generation.
    pub fn step(&mut self, plan: &Plan) -> Record {
        self.generation += 1;
        self.swaps = 0;
        match &plan.vary {
            Variation::Renew(start) => self.renew(start),
            Variation::Recombine(recombine) => self.recombine(recombine),
            Variation::ParticleSwarm(swarm) => self.swarm(swarm),
            Variation::GravitationalSearch(gravitate) => self.gravitate(gravitate),
            Variation::Anneal(anneal) => self.anneal(anneal),
            Variation::MinConflicts(resolve) => self.resolve(resolve),
            other => panic!("no permutation kernel: {other:?}"),
        }
        self.survey()
    }

    pub fn survey(&self) -> Record {
        let known = Record {
            generation: self.generation,
            swaps_low: self.swaps as u32,
            swaps_high: (self.swaps >> 32) as u32,
            goal: self.space.goal(),
            ..Record::default()
        };
        survey_of(&known, &self.fitness, &self.individuals)
    }

    fn recombine(&mut self, plan: &Recombine) {
        let ranking = ranking(&self.fitness);
        let worst = &ranking[self.pop().saturating_sub(plan.offspring as usize)..];
        let mut individuals = self.individuals.clone();
        for &at in worst {
            let child = self.child(plan, at);
            let (new, old) = (self.space.fitness(&child), self.fitness[at]);
            let taken = match plan.accept {
                Accept::Always => true,
                Accept::NotWorse => new <= old,
                Accept::Better => new < old,
            };
            if taken {
                individuals[at] = child;
            }
        }
        self.individuals = individuals;
        self.evaluate_all();
    }

    fn child(&self, plan: &Recombine, at: usize) -> Individual {
        let genes = self.space.genes.len();
        // The two best of the contestants, in the order in which they were drawn.
        let contestants: Vec<usize> = (0..plan.tournament as usize)
            .map(|k| {
                let [word, ..] = self.draw(at, Site::Tournament, k);
                bounded(word, self.pop() as u32) as usize
            })
            .collect();
        let scores: Vec<u32> = contestants.iter().map(|&one| self.fitness[one]).collect();
        let order = ranking(&scores);
        let one = &self.individuals[contestants[order[0]]];
        let two = &self.individuals[contestants[*order.get(1).unwrap_or(&order[0])]];

        let [coin, cut, number, _] = self.draw(at, Site::Mate, 0);
        let mut child = one.clone();
        if plan.crossover.hit(coin) && genes > 1 {
            let word = match plan.cut {
                Cut::Uniform => cut,
                Cut::Gaussian => {
                    let words = self.draw(at, Site::Mate, 1);
                    words.iter().map(|word| word / 4).sum()
                }
            };
            // Somewhere between two genes.
            let cut = 1 + bounded(word, genes as u32 - 1) as usize;
            let mut wishes: Vec<Option<u32>> = self.genes_of(one).into_iter().map(Some).collect();
            wishes[cut..].fill(None);
            child = self.grant(two, &wishes);
        }

        let best = *self.fitness.iter().min().unwrap();
        let objective = self.space.representation.objective;
        let left = objective
            .conflicts(best, genes)
            .saturating_sub(self.space.goal());
        let m = left.div_ceil(plan.mutations.per).min(plan.mutations.most);
        let more = match plan.mutations.more {
            More::None => 0,
            More::Each => m,
            More::UpTo if m == 0 => 0,
            More::UpTo => 1 + bounded(number, m),
            More::Shared => {
                let children = plan.offspring.min(self.individuals.len() as u32);
                let luck = bounded(number, children) < m % children;
                m / children + u32::from(luck)
            }
        };
        for mutation in 0..(plan.mutations.always + more) as usize {
            if genes == 0 {
                break;
            }
            let tries = plan.tries as usize;
            let draw = |attempt| self.draw(at, Site::MutateRow, mutation * tries.max(1) + attempt);
            let gene = self.random_gene(draw(0)[0]);
            let partner = |attempt| self.partner(gene, draw(attempt)[1]);
            if tries == 0 {
                child = self.space.swapped(&child, gene, partner(0));
                continue;
            }
            let better = (0..tries).map(partner).find(|&other| {
                let swapped = self.space.swapped(&child, gene, other);
                other != gene && self.space.alone(&swapped, gene) == [true, true]
            });
            if let Some(other) = better {
                child = self.space.swapped(&child, gene, other);
            }
        }
        child
    }

    fn anneal(&mut self, plan: &Anneal) {
        let rows: Vec<&[u32]> = plan.schedule.chunks(Anneal::DELTAS).collect();
        let age = self.generation.saturating_sub(plan.begin + 1) / plan.hold;
        let row = match rows.len() {
            0 => &[][..],
            temperatures => rows[age as usize % temperatures],
        };
        let genes = self.space.genes.len();
        for at in 0..self.pop() {
            if plan.who != Who::Everybody && plan.who != Who::One(at as u32) {
                continue;
            }
            for proposal in 0..plan.proposals as usize {
                let individual = &self.individuals[at];
                let now = self.space.conflicts(individual);
                if now <= self.space.goal() || genes == 0 {
                    break;
                }
                let [one, two, coin, _] = self.draw(at, Site::Propose, proposal);
                let one = self.random_gene(one);
                let two = self.partner(one, two);
                if one == two {
                    continue;
                }
                let swapped = self.space.swapped(individual, one, two);
                let cost = i64::from(self.space.conflicts(&swapped)) - i64::from(now);
                let accepted = match cost {
                    ..=0 => true,
                    // What the table has no column for is refused.
                    cost => match row.get(cost as usize - 1) {
                        Some(&rate) => Rate::from_threshold(rate).hit(coin),
                        None => false,
                    },
                };
                if accepted {
                    self.individuals[at] = swapped;
                    self.swaps += 1;
                }
            }
        }
        self.evaluate_all();
    }

    fn resolve(&mut self, plan: &MinConflicts) {
        let tries = plan.tries as usize;
        for at in 0..self.pop() {
            for gene in 0..self.space.genes.len() {
                let individual = &self.individuals[at];
                let now = self.space.conflicts(individual);
                if now <= self.space.goal() {
                    break;
                }
                if self.space.alone(individual, gene) == [true, true] {
                    continue;
                }
                let partners = (0..tries).map(|attempt| {
                    let index = gene * tries.div_ceil(4) + attempt / 4;
                    self.partner(gene, self.draw(at, Site::Propose, index)[attempt % 4])
                });
                let found = partners
                    .filter(|&other| other != gene)
                    .map(|other| self.space.swapped(individual, gene, other))
                    .find(|swapped| {
                        let then = self.space.conflicts(swapped);
                        then < now || plan.sideways && then == now
                    });
                if let Some(swapped) = found {
                    self.individuals[at] = swapped;
                    self.swaps += 1;
                }
            }
        }
        self.evaluate_all();
    }
}
