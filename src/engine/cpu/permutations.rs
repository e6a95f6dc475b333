//! The permutation kernels for one kind of genome, and their loop over individuals. A workshop has
//! desks, on which one individual each is worked on, and a bench that all of them share.

use super::gravitate::{Attractor, gravitate, strength};
use super::machine::each;
use super::shared::desk::Desk;
use super::swarm::swarm;
use super::{Made, desks_for};
use super::{anneal, place, recombine, resolve};
use crate::engine::Setup;
use crate::engine::genes::{BoardGenes, Genome, GridGenes};
use crate::engine::snapshot::Memory;
use crate::engine::tables::Tables;
use crate::plan::{Accept, Anneal, Gravitate, Objective, Recombine, Resolve, Swarm, Who};
use crate::population::Population;
use crate::problem::Instance;
use crate::rng::Key;

/// The kernels. Those that search return the number of swaps that they made.
pub trait Permutations: Send {
    fn place(&mut self, tries: u32, key: Key, population: &mut Population);
    fn count(&mut self, population: &mut Population);
    fn memories(&self, pop: usize) -> Vec<Memory>;
    fn recombine(
        &mut self,
        recombine: &Recombine,
        key: Key,
        old: &Population,
        new: &mut Population,
    );
    fn swarm(
        &mut self,
        swarm: &Swarm,
        key: Key,
        generation: u32,
        old: &Population,
        new: &mut Population,
        memories: &mut [Memory],
    );
    fn gravitate(
        &mut self,
        gravitate: &Gravitate,
        key: Key,
        generation: u32,
        old: &Population,
        new: &mut Population,
        memories: &mut [Memory],
    );
    fn anneal(
        &mut self,
        anneal: &Anneal,
        key: Key,
        generation: u32,
        old: &Population,
        new: &mut Population,
    ) -> u64;
    fn resolve(
        &mut self,
        resolve: &Resolve,
        key: Key,
        old: &Population,
        new: &mut Population,
    ) -> u64;
}

/// The kernels for a problem, if they can work on its individuals.
pub fn permutations_for(
    setup: &Setup<'_>,
    tables: Option<&Tables>,
    threads: usize,
) -> Option<Box<dyn Permutations>> {
    if !setup.representation.are_permutations() {
        return None;
    }
    match (setup.instance, tables) {
        (Instance::Queens(queens), _) => {
            Some(Workshop::boxed(BoardGenes::new(*queens), setup, threads))
        }
        (_, Some(tables)) => Some(Workshop::boxed(GridGenes::new(tables), setup, threads)),
        (_, None) => None,
    }
}

/// What every desk stands on.
pub struct Bench<G> {
    pub genome: G,
    pub objective: Objective,
    pub goal: u32,
}

/// The problem and a desk for every piece of the population.
struct Workshop<G> {
    bench: Bench<G>,
    desks: Vec<Desk>,
}

impl<G: Genome + 'static> Workshop<G> {
    fn boxed(genome: G, setup: &Setup<'_>, threads: usize) -> Box<dyn Permutations> {
        let desks = desks_for(threads, setup.pop);
        Box::new(Self {
            desks: (0..desks).map(|_| Desk::new(&genome)).collect(),
            bench: Bench {
                genome,
                objective: setup.representation.objective,
                goal: setup.instance.goal(),
            },
        })
    }

    /// Calls `kernel` for every individual, with its genes on a desk. `None` keeps the individual
    /// as it was; otherwise the genes on the desk take its place. Returns the number of swaps.
    fn each<X: Send>(
        &mut self,
        old: &Population,
        new: &mut Population,
        extras: &mut [X],
        kernel: impl Fn(&Bench<G>, &mut Desk, u32, &mut X) -> Option<Made> + Sync,
    ) -> u64 {
        let bench = &self.bench;
        each(&mut self.desks, new, extras, |desk, at, words, extra| {
            let before = old.words_at(at as usize);
            bench.genome.load(before, &mut desk.genes);
            match kernel(bench, desk, at, extra) {
                Some(made) => {
                    bench.genome.store(&desk.genes, words);
                    made
                }
                None => {
                    words.copy_from_slice(before);
                    Made::new(old.fitness()[at as usize])
                }
            }
        })
    }

    fn genes_of(&self, individual: u32, population: &Population) -> Vec<u32> {
        let mut genes = vec![0; self.bench.genome.genes()];
        let words = population.words_at(individual as usize);
        self.bench.genome.load(words, &mut genes);
        genes
    }
}

/// The individuals from the best to the worst, the lowest of equals first.
fn order(population: &Population) -> Vec<u32> {
    let mut order: Vec<u32> = (0..population.len() as u32).collect();
    order.sort_by_key(|&at| population.fitness()[at as usize]);
    order
}

/// The rank of each individual.
fn ranks(population: &Population) -> Vec<u32> {
    let mut ranks = vec![0; population.len()];
    for (rank, at) in (0..).zip(order(population)) {
        ranks[at as usize] = rank;
    }
    ranks
}

/// Who leads a swarm into a generation: the best, and of equals another one every time.
fn leader(population: &Population, generation: u32) -> u32 {
    let pop = population.len() as u32;
    let turn = pop - generation % pop;
    let everybody = (0..pop).zip(population.fitness());
    everybody
        .min_by_key(|&(at, fitness)| (fitness, (at + turn) % pop))
        .map_or(0, |(at, _)| at)
}

/// One of nothing for everybody.
fn nothing(population: &Population) -> Vec<()> {
    vec![(); population.len()]
}

impl<G: Genome + 'static> Permutations for Workshop<G> {
    fn place(&mut self, tries: u32, key: Key, population: &mut Population) {
        let (bench, extras) = (&self.bench, &mut nothing(population));
        each(
            &mut self.desks,
            population,
            extras,
            |desk, at, words, ()| {
                match tries {
                    0 => place::shuffle(desk, key, at),
                    tries => place::greedy(&bench.genome, desk, tries, key, at),
                }
                bench.genome.store(&desk.genes, words);
                Made::new(0)
            },
        );
    }

    fn count(&mut self, population: &mut Population) {
        let (bench, extras) = (&self.bench, &mut nothing(population));
        each(&mut self.desks, population, extras, |desk, _, words, ()| {
            bench.genome.load(words, &mut desk.genes);
            let conflicts = desk.count(&bench.genome);
            Made::new(desk.fitness(&bench.genome, bench.objective, conflicts))
        });
    }

    fn memories(&self, pop: usize) -> Vec<Memory> {
        vec![Memory::new(self.bench.genome.genes()); pop]
    }

    fn recombine(
        &mut self,
        recombine: &Recombine,
        key: Key,
        old: &Population,
        new: &mut Population,
    ) {
        let (ranks, extras) = (ranks(old), &mut nothing(old));
        let stay = (old.len() as u32).saturating_sub(recombine.offspring);
        let best = old.best().map_or(0, |(fitness, _)| fitness);
        self.each(old, new, extras, |bench, desk, at, ()| {
            if ranks[at as usize] < stay {
                return None;
            }
            let child = recombine::recombine(bench, desk, recombine, key, at, old, best);
            let mine = old.fitness()[at as usize];
            let accepted = match recombine.accept {
                Accept::Always => true,
                Accept::NotWorse => child <= mine,
                Accept::Better => child < mine,
            };
            accepted.then(|| Made::new(child))
        });
    }

    fn swarm(
        &mut self,
        plan: &Swarm,
        key: Key,
        generation: u32,
        old: &Population,
        new: &mut Population,
        memories: &mut [Memory],
    ) {
        let best = leader(old, generation);
        let leader = self.genes_of(best, old);
        self.each(old, new, memories, |bench, desk, at, memory| {
            memory.remember(old.fitness()[at as usize], &desk.genes);
            (at != best).then(|| Made::new(swarm(bench, desk, plan, key, at, &leader, memory)))
        });
    }

    fn gravitate(
        &mut self,
        plan: &Gravitate,
        key: Key,
        generation: u32,
        old: &Population,
        new: &mut Population,
        memories: &mut [Memory],
    ) {
        let (g, kbest) = plan.at(generation);
        let order = order(old);
        let fitness_of = |at: u32| old.fitness()[at as usize];
        let (best, worst) = (fitness_of(order[0]), fitness_of(order[order.len() - 1]));
        let attractor = |&at: &u32| Attractor {
            genes: self.genes_of(at, old),
            strength: strength(g, fitness_of(at), best, worst),
        };
        let attractors: Vec<_> = order.iter().take(kbest as usize).map(attractor).collect();
        self.each(old, new, memories, |bench, desk, at, memory| {
            if at == order[0] {
                return None;
            }
            let moved = gravitate(bench, desk, plan, &attractors, key, at, memory);
            Some(Made::new(moved))
        });
    }

    fn anneal(
        &mut self,
        plan: &Anneal,
        key: Key,
        generation: u32,
        old: &Population,
        new: &mut Population,
    ) -> u64 {
        let temperature = plan.at(generation);
        let extras = &mut nothing(old);
        self.each(old, new, extras, |bench, desk, at, ()| {
            (plan.who == Who::Everybody || plan.who == Who::One(at))
                .then(|| anneal::anneal(bench, desk, plan, temperature, key, at))
        })
    }

    fn resolve(&mut self, plan: &Resolve, key: Key, old: &Population, new: &mut Population) -> u64 {
        let extras = &mut nothing(old);
        self.each(old, new, extras, |bench, desk, at, ()| {
            Some(resolve::resolve(bench, desk, plan, key, at))
        })
    }
}
