//! The operators that pull at individuals: the swarm and gravity, and what they remember.

use gpusudoku::operators::{GravitationalSearch, ParticleSwarm};
use gpusudoku::rng::{Rate, Site, bounded};

use super::permutations::*;
use crate::support::search_space::Individual;

/// What a place of the population remembers.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// The best that a particle in this place has been, and where.
    best: Option<(u32, Individual)>,
    /// The value that each gene is about to take over.
    velocity: Vec<Option<u32>>,
}

impl Memory {
    pub fn new(genes: usize) -> Self {
        Self {
            best: None,
            velocity: vec![None; genes],
        }
    }
}

/// A part of a probability.
fn up_to(rate: Rate, word: u32) -> Rate {
    Rate::from_threshold(bounded(word, rate.threshold()))
}

impl PermutationModel<'_> {
    /// The first of the best, where counting begins with another one every generation.
    pub fn leader(&self) -> usize {
        let best = *self.fitness.iter().min().unwrap();
        let from = self.generation as usize;
        let mut turns = (0..self.pop()).map(|turn| (from + turn) % self.pop());
        turns.find(|&one| self.fitness[one] == best).unwrap()
    }

    pub fn swarm(&mut self, plan: &ParticleSwarm) {
        let leader = self.leader();
        let leads = self.genes_of(&self.individuals[leader]);
        let mut individuals = Vec::new();
        for at in 0..self.pop() {
            let (now, individual) = (self.fitness[at], self.individuals[at].clone());
            if self.memories[at]
                .best
                .as_ref()
                .is_none_or(|best| now <= best.0)
            {
                self.memories[at].best = Some((now, individual.clone()));
            }
            if at == leader {
                individuals.push(individual);
                continue;
            }
            let memory = self.memories[at].clone();
            let own_best = self.genes_of(&memory.best.expect("just remembered").1);
            let genes = self.genes_of(&individual);
            let [own, swarm, gene, other] = self.draw(at, Site::Pull, 0);
            let (own, swarm) = (up_to(plan.own, own), up_to(plan.swarm, swarm));
            let mut velocity = Vec::new();
            for gene in 0..genes.len() {
                let [keep, to_own, to_leader, _] = self.draw(at, Site::Pull, 1 + gene);
                let wish = if plan.inertia.hit(keep) {
                    memory.velocity[gene]
                } else if own.hit(to_own) {
                    Some(own_best[gene])
                } else if swarm.hit(to_leader) {
                    Some(leads[gene])
                } else {
                    None
                };
                // What it has already, it is not about to take over.
                velocity.push(wish.filter(|&value| value != genes[gene]));
            }
            individuals.push(if genes == leads && !genes.is_empty() {
                let gene = self.random_gene(gene);
                self.space
                    .swapped(&individual, gene, self.partner(gene, other))
            } else {
                self.grant(&individual, &velocity)
            });
            self.memories[at].velocity = velocity;
        }
        self.individuals = individuals;
        self.evaluate_all();
    }

    /// G and how many of the best attract in this generation.
    fn gravity(&self, plan: &GravitationalSearch) -> (u64, usize) {
        let rows: Vec<&[u32]> = plan.schedule.chunks(2).collect();
        let age = self.generation.saturating_sub(plan.begin + 1) as usize;
        let row = rows.get(age).unwrap_or(rows.last().unwrap());
        (u64::from(row[0]), row[1] as usize)
    }

    pub fn gravitate(&mut self, plan: &GravitationalSearch) {
        let (g, attracting) = self.gravity(plan);
        let ranking = ranking(&self.fitness);
        let attracting = attracting.min(self.pop());
        let [best, worst] = [ranking[0], ranking[self.pop() - 1]].map(|one| self.fitness[one]);
        let genes = self.space.genes.len();
        let always = u64::from(Rate::ALWAYS.threshold());
        let mut individuals = Vec::new();
        for at in 0..self.pop() {
            if at == ranking[0] {
                individuals.push(self.individuals[at].clone());
                continue;
            }
            let mine = self.genes_of(&self.individuals[at]);
            let heavy: Vec<Vec<u32>> = ranking[..attracting]
                .iter()
                .map(|&one| self.genes_of(&self.individuals[one]))
                .collect();
            // Four coins a draw: velocity first, then the attractors; their forces after all genes.
            let draws = (attracting + 1).div_ceil(4);
            let word = |at_gene: usize, number: usize| {
                self.draw(at, Site::Pull, 1 + at_gene * draws + number / 4)[number % 4]
            };
            let inertia = up_to(plan.inertia, self.draw(at, Site::Pull, 0)[0]);
            let pulls: Vec<Rate> = (0..attracting)
                .map(|k| {
                    let fitness = self.fitness[ranking[k]];
                    // Mass in parts of 2^16, rounded up; 1 if all are the same.
                    let mass = match worst - best {
                        0 => 1 << 16,
                        range => (u64::from(worst - fitness) << 16).div_ceil(u64::from(range)),
                    };
                    let strength = (g >> 16) * mass;
                    let force = u64::from(bounded(word(genes, k), strength as u32));
                    let pairs = heavy[k].iter().zip(&mine);
                    let distance = pairs.filter(|(theirs, mine)| theirs != mine).count() as u64;
                    let rate = match distance {
                        0 => 0,
                        _ if force / distance >= always / genes as u64 => always,
                        _ => force / distance * genes as u64,
                    };
                    Rate::from_threshold(rate as u32)
                })
                .collect();
            let mut velocity = Vec::new();
            for gene in 0..genes {
                let keeps = inertia.hit(word(gene, 0));
                let kept = self.memories[at].velocity[gene].filter(|_| keeps);
                let pulled = (0..attracting)
                    .filter(|&k| pulls[k].hit(word(gene, k + 1)))
                    .map(|k| heavy[k][gene]);
                let mut wishes = kept.into_iter().chain(pulled);
                velocity.push(wishes.find(|&value| value != mine[gene]));
            }
            individuals.push(self.grant(&self.individuals[at], &velocity));
            self.memories[at].velocity = velocity;
        }
        self.individuals = individuals;
        self.evaluate_all();
    }
}
