//! Twin of `shaders/recombine.wgsl`: a child of two parents.

use super::permutations::Bench;
use super::shared::desk::{Desk, NONE};
use super::shared::swaps::partner;
use crate::engine::genes::Genome;
use crate::plan::{Cut, More, Mutations, Recombine};
use crate::population::Population;
use crate::rng::{Key, Site, bounded};

/// Makes a child on the desk. Returns its fitness. `best` is the fitness of the best of the old
/// population.
pub fn recombine<G: Genome>(
    bench: &Bench<G>,
    desk: &mut Desk,
    recombine: &Recombine,
    key: Key,
    individual: u32,
    old: &Population,
    best: u32,
) -> u32 {
    let genome = &bench.genome;
    let [one, two] = parents(recombine, key, individual, old);
    let [coin, cut, count, _] = key.draw(individual, Site::Mate.counter(0));
    let genes = genome.genes();
    if recombine.crossover.hit(coin) && genes > 1 {
        let cut = match recombine.cut {
            Cut::Uniform => cut,
            Cut::Gaussian => {
                let words = key.draw(individual, Site::Mate.counter(1));
                words.into_iter().map(|word| word / 4).sum()
            }
        };
        let cut = 1 + bounded(cut, genes as u32 - 1) as usize;
        genome.load(old.words_at(one), &mut desk.wishes);
        desk.wishes[cut..].fill(NONE);
        genome.load(old.words_at(two), &mut desk.genes);
        desk.grant(genome);
    } else {
        genome.load(old.words_at(one), &mut desk.genes);
    }
    let conflicts = bench.objective.conflicts(best, genes);
    let left = conflicts.saturating_sub(bench.goal);
    let children = recombine.offspring.min(old.len() as u32);
    let mutations = mutations(&recombine.mutations, left, children, count);
    let conflicts = if recombine.tries > 0 {
        influence(bench, desk, mutations, recombine.tries, key, individual)
    } else {
        for mutation in 0..mutations {
            let [gene, other, ..] = key.draw(individual, Site::MutateRow.counter(mutation));
            if genes > 0 {
                let gene = bounded(gene, genes as u32) as usize;
                desk.genes.swap(gene, partner(genome, gene, other));
            }
        }
        desk.count(genome)
    };
    desk.fitness(genome, bench.objective, conflicts)
}

/// The best two of a tournament; of equals, those drawn first.
fn parents(recombine: &Recombine, key: Key, individual: u32, old: &Population) -> [usize; 2] {
    let contestant = |index| {
        let [word, ..] = key.draw(individual, Site::Tournament.counter(index));
        bounded(word, old.len() as u32) as usize
    };
    let fitness = old.fitness();
    let first = contestant(0);
    let (mut one, mut two) = (first, None);
    for index in 1..recombine.tournament {
        let next = contestant(index);
        if fitness[next] < fitness[one] {
            (one, two) = (next, Some(one));
        } else if two.is_none_or(|two: usize| fitness[next] < fitness[two]) {
            two = Some(next);
        }
    }
    [one, two.unwrap_or(one)]
}

/// How many genes are mutated, where the best has so many conflicts left.
fn mutations(mutations: &Mutations, left: u32, children: u32, word: u32) -> u32 {
    let m = left.div_ceil(mutations.per).min(mutations.most);
    mutations.always
        + match mutations.more {
            More::None => 0,
            More::Each => m,
            More::UpTo => bounded(word, m) + u32::from(m > 0),
            More::Shared => m / children + u32::from(bounded(word, children) < m % children),
        }
}

/// Mutates as the influence function wants it: a gene takes over the value of a partner with
/// which it is in no conflict, if it finds one. Returns the conflicts of the child.
fn influence<G: Genome>(
    bench: &Bench<G>,
    desk: &mut Desk,
    mutations: u32,
    tries: u32,
    key: Key,
    individual: u32,
) -> u32 {
    let genome = &bench.genome;
    let genes = genome.genes() as u32;
    let mut conflicts = desk.count(genome);
    if genes == 0 {
        return conflicts;
    }
    for mutation in 0..mutations {
        let draw = |attempt: u32| {
            let index = mutation.wrapping_mul(tries).wrapping_add(attempt);
            key.draw(individual, Site::MutateRow.counter(index))
        };
        let gene = bounded(draw(0)[0], genes) as usize;
        let mut partners = (0..tries).map(|attempt| partner(genome, gene, draw(attempt)[1]));
        let free = |&other: &usize| other != gene && desk.would_be_free(genome, gene, other);
        if let Some(other) = partners.find(free) {
            conflicts = conflicts.wrapping_add_signed(desk.delta(genome, gene, other));
            desk.swap(genome, gene, other);
        }
    }
    conflicts
}
