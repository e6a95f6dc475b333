//! The colouring kernels, and their loop over individuals.

use super::machine::each;
use super::shared::slate::{Graph, Slate};
use super::{Made, desks_for, tabu};
use crate::engine::Setup;
use crate::engine::colouring::Colouring;
use crate::plan::Tabu;
use crate::population::Population;
use crate::rng::Key;

/// The puzzle and a slate for every piece of the population.
pub struct Colourings {
    graph: Graph,
    slates: Vec<Slate>,
}

impl Colourings {
    /// The kernels for a problem, if they can work on its individuals.
    pub fn new(setup: &Setup<'_>, threads: usize) -> Option<Self> {
        let graph = Graph::new(Colouring::of(setup)?);
        let slates = desks_for(threads, setup.pop);
        Some(Self {
            slates: (0..slates).map(|_| Slate::new(&graph)).collect(),
            graph,
        })
    }

    /// Counts conflicts: the twin of `shaders/clash.wgsl`.
    pub fn clash(&mut self, population: &mut Population) {
        self.each(population, |graph, slate, _, cells| {
            Made::new(slate.load(graph, cells).conflicts())
        });
    }

    /// Runs tabu searches. Returns the number of moves.
    pub fn tabu(
        &mut self,
        plan: &Tabu,
        key: Key,
        generation: u32,
        old: &Population,
        new: &mut Population,
    ) -> u64 {
        self.each(new, |graph, slate, individual, cells| {
            cells.copy_from_slice(old.cells(individual as usize));
            tabu::tabu(graph, slate, plan, key, generation, individual, cells)
        })
    }

    fn each(
        &mut self,
        population: &mut Population,
        kernel: impl Fn(&Graph, &mut Slate, u32, &mut [u8]) -> Made + Sync,
    ) -> u64 {
        let graph = &self.graph;
        let cells = population.form().cells();
        let nothing = &mut vec![(); population.len()];
        each(
            &mut self.slates,
            population,
            nothing,
            |slate, at, words, ()| {
                let cells = &mut bytemuck::cast_slice_mut(words)[..cells];
                kernel(graph, slate, at, cells)
            },
        )
    }
}
