//! The colouring kernels, and their loop over individuals.

use super::machine::each;
use super::shared::slate::{Graph, Slate, most_rivals};
use super::shared::tally::Tally;
use super::{Made, desks_for, tabu};
use crate::engine::Setup;
use crate::engine::colouring::Colouring;
use crate::plan::Tabu;
use crate::population::Population;
use crate::problem::Reduction;
use crate::rng::Key;

/// The kernels for colourings.
pub trait Colourings: Send {
    /// Counts conflicts: the twin of `shaders/clash.wgsl`.
    fn clash(&mut self, population: &mut Population);

    /// Runs tabu searches. Returns the number of moves.
    fn tabu(
        &mut self,
        plan: &Tabu,
        key: Key,
        generation: u32,
        old: &Population,
        new: &mut Population,
    ) -> u64;
}

/// The kernels for a problem, if they can work on its individuals.
pub fn colourings_for(setup: &Setup<'_>, threads: usize) -> Option<Box<dyn Colourings>> {
    let colouring = Colouring::of(setup)?;
    let slates = desks_for(threads, setup.pop);
    let in_bytes = most_rivals(&colouring) < usize::from(u8::COUNT);
    Some(match colouring.geometry().size() {
        ..=32 if in_bytes => Desks::<u8, 32>::boxed(colouring, slates),
        ..=64 if in_bytes => Desks::<u8, 64>::boxed(colouring, slates),
        _ if in_bytes => Desks::<u8, 128>::boxed(colouring, slates),
        ..=64 => Desks::<i16, 64>::boxed(colouring, slates),
        _ => Desks::<i16, 128>::boxed(colouring, slates),
    })
}

/// Bytes that a slate takes for a puzzle, or a little more.
pub fn slate_bytes(reduction: &Reduction) -> usize {
    let n = reduction.puzzle().geometry().size();
    let givens = reduction.puzzle().givens().cells();
    let open = givens.iter().filter(|&&digit| digit == 0).count();
    // Every vertex has tallies and the ends of tabus, and perhaps two lines that nobody shares.
    8 * n.next_power_of_two().max(32) * (open + 3 * n)
}

/// The puzzle and a slate for every piece of the population.
struct Desks<T, const N: usize> {
    graph: Graph<T, N>,
    slates: Vec<Slate<T, N>>,
}

impl<T: Tally, const N: usize> Colourings for Desks<T, N> {
    fn clash(&mut self, population: &mut Population) {
        self.each(population, |graph, slate, _, cells| {
            Made::new(slate.load(graph, cells).conflicts())
        });
    }

    fn tabu(
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
}

impl<T: Tally, const N: usize> Desks<T, N> {
    fn boxed(colouring: Colouring, slates: usize) -> Box<dyn Colourings> {
        let graph = Graph::new(colouring);
        Box::new(Self {
            slates: (0..slates).map(|_| Slate::new(&graph)).collect(),
            graph,
        })
    }

    fn each(
        &mut self,
        population: &mut Population,
        kernel: impl Fn(&Graph<T, N>, &mut Slate<T, N>, u32, &mut [u8]) -> Made + Sync,
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
