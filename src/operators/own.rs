//! Operators and objectives from outside of the crate: WGSL and a native twin that gives the same bits.
//!
//! Open are operators on grids (rows, sub-blocks or cells as encoding) and objectives of grids. Closed are the
//! encodings, the permutation and colouring kernels, what is kept beside the population, and kernels of several
//! dispatches.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::kernel::KernelCall;
use super::{Call, Operator};
use crate::engine::cpu::Generation;
use crate::engine::cpu::grids::{GridKernels, GridOperator, KernelResult, Mask, Shape, score};
use crate::error::Error;
use crate::plan::{KernelFamily, Representation};
use crate::population::Population;
use crate::rng::Key;

/// An operator on grids from outside of the crate.
///
/// Its shader has `#entry child` at its top and defines `fn vary(individual: u32, lane: u32) -> Child`; it may
/// import whatever `shaders/` has. [`OwnOperator::vary`] is its twin: both engines have to make the same child,
/// which `engine::parity` checks. See `examples/own_kernel.rs`.
pub trait OwnOperator: Operator + Send + Sync {
    /// Makes one child from the old population. Writes its cells, digits from zero, and returns its fitness and
    /// the swaps of its local search. Randomness may come from `view.key` only, so that it depends on seed,
    /// generation and individual.
    fn vary(&self, view: &GridView<'_>, individual: u32, child: &mut [u8]) -> KernelResult;
}

/// What a native twin sees.
pub struct GridView<'a> {
    /// Randomness of the generation.
    pub key: Key,
    /// The generation that is made.
    pub generation: u32,
    /// The best individual of the old population.
    pub best_at: u32,
    /// The old population.
    pub old: &'a Population,
    /// N.
    pub size: usize,
    /// The grid with the givens in place and every segment completed in ascending order, digits from zero.
    pub template: &'a [u8],
    /// The free cells of each segment: of each row, or sub-block.
    pub free_cells: &'a [Vec<u16>],
    pub(super) fitness: &'a (dyn Fn(&[u8]) -> u32 + Sync),
}

impl GridView<'_> {
    /// The fitness of cells, by the objective of the run.
    pub fn fitness(&self, cells: &[u8]) -> u32 {
        (self.fitness)(cells)
    }
}

/// An [`OwnOperator`] in a plan.
#[derive(Clone)]
pub struct OwnVariation(Arc<dyn OwnOperator>);

impl OwnVariation {
    /// Wraps it.
    pub fn new(operator: impl OwnOperator + 'static) -> Self {
        Self(Arc::new(operator))
    }
}

impl fmt::Debug for OwnVariation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The same if it is one value.
impl PartialEq for OwnVariation {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for OwnVariation {}

impl Operator for OwnVariation {
    fn suits(&self, representation: Representation) -> bool {
        representation.family() == KernelFamily::Grids && self.0.suits(representation)
    }

    fn check(&self, pop: usize) -> Result<(), Error> {
        self.0.check(pop)
    }

    fn evaluations(&self, pop: u64) -> u64 {
        self.0.evaluations(pop)
    }

    fn kernels(&self, call: &Call) -> Vec<KernelCall> {
        self.0.kernels(call)
    }
}

impl GridOperator for OwnVariation {
    #[cfg(test)]
    fn example() -> Self {
        unreachable!("operators of others are no examples of ours")
    }

    fn run<M: Mask, S: Shape, const C: usize>(
        &self,
        kernels: &mut GridKernels<M, S, C>,
        generation: &mut Generation<'_>,
    ) -> u64 {
        let Generation {
            first,
            best_at,
            ref old,
            ref mut new,
            ref share,
            seed,
            ..
        } = *generation;
        let key = Key::new(seed, first);
        kernels.each(new, share, |tables, _, individual, cells| {
            let view = GridView {
                key,
                generation: first,
                best_at,
                old,
                size: tables.shape.n(),
                template: &tables.template,
                free_cells: &tables.free_cells,
                fitness: &|cells| score(tables, cells),
            };
            self.0.vary(&view, individual, cells)
        })
    }
}

/// A fitness of grids from outside of the crate: less is better, and 0 is for solutions only, which the verifier
/// checks.
///
/// See `examples/own_fitness.rs`.
#[derive(Debug, Clone, Copy)]
pub struct OwnObjective {
    /// What it is called; two objectives of one name are the same.
    pub name: &'static str,
    /// WGSL that defines `fn own_fitness(lane: u32) -> u32` of the working grid, whose lanes have met; all lanes
    /// get the same value. It may import whatever `shaders/` has.
    pub wgsl: &'static str,
    /// Its twin, of a grid of size N, digits from zero.
    pub native: fn(size: usize, cells: &[u8]) -> u32,
}

impl PartialEq for OwnObjective {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for OwnObjective {}

impl Hash for OwnObjective {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
