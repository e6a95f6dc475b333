//! The native colouring kernels: a puzzle as a graph and as an exact cover, and the states of searches. `tabu_state`
//! and `packing_state` are the twins of the files of that name in `shaders/colourings/`; `tally` has none and is for
//! SIMD.

mod packing_state;
mod tabu_state;
mod tally;

use std::ops::Range;

pub(crate) use self::packing_state::{PackingState, PackingTables};
pub(crate) use self::tabu_state::{Graph, TabuState, most_rivals};
pub(crate) use self::tally::Tally;
pub(crate) use super::individuals::KernelResult;
use super::individuals::{each, in_use};
use super::{Generation, workspaces_for};
use crate::engine::Setup;
use crate::engine::colouring::Colouring;
use crate::operators::Variation;
use crate::population::Population;
use crate::problem::Reduction;
use crate::rng::Key;

/// An operator that the colouring kernels run.
pub(crate) trait ColouringOperator {
    /// One with whatever parameters, for tests of all operators.
    #[cfg(test)]
    fn example() -> Self
    where
        Self: Sized;

    /// Makes the new population. Returns the number of moves.
    fn run<T: Tally, const N: usize>(
        &self,
        kernels: &mut ColouringKernels<T, N>,
        generation: &mut Generation<'_>,
    ) -> u64;
}

/// The kernels for whatever width of tallies and number of digits.
pub(crate) trait AnyColouringKernels: Send {
    /// Runs an operator. Returns the number of moves.
    fn vary(&mut self, operator: &Variation, generation: &mut Generation<'_>) -> u64;

    /// Has one thread do all that follows, or all of them.
    fn work_alone(&mut self, alone: bool);

    /// Counts the conflicts and holes of a share: the twin of `shaders/colourings/evaluate_colourings.wgsl`.
    fn evaluate(&mut self, population: &mut Population, share: &Range<usize>);
}

/// The kernels for a problem, if they can work on its individuals.
pub(crate) fn kernels_for(
    setup: &Setup<'_>,
    threads: usize,
) -> Option<Box<dyn AnyColouringKernels>> {
    let colouring = Colouring::of(setup)?;
    let states = workspaces_for(threads, setup.pop);
    let in_bytes = most_rivals(&colouring) < usize::from(u8::COUNT);
    Some(match colouring.geometry().size() {
        ..=32 if in_bytes => ColouringKernels::<u8, 32>::boxed(colouring, states),
        ..=64 if in_bytes => ColouringKernels::<u8, 64>::boxed(colouring, states),
        _ if in_bytes => ColouringKernels::<u8, 128>::boxed(colouring, states),
        ..=64 => ColouringKernels::<i16, 64>::boxed(colouring, states),
        _ => ColouringKernels::<i16, 128>::boxed(colouring, states),
    })
}

/// Bytes that the states of both searches take for a puzzle, or a little more.
pub fn state_bytes(reduction: &Reduction) -> usize {
    let n = reduction.puzzle().geometry().size();
    let givens = reduction.puzzle().givens().cells();
    let open = givens.iter().filter(|&&digit| digit == 0).count();
    // Every vertex has tallies and the ends of tabus, and perhaps two lines that nobody shares.
    8 * n.next_power_of_two().max(32) * (open + 3 * n) + PackingState::BYTES
}

/// The puzzle in both forms, and for every piece of the population the state of a search of each kind.
pub(crate) struct ColouringKernels<T, const N: usize> {
    puzzle: SearchTables<T, N>,
    states: Vec<SearchState<T, N>>,
    alone: bool,
}

/// Whose search goes on, in which generation, with which random numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    pub key: Key,
    pub generation: u32,
    pub individual: u32,
}

/// The puzzle as a graph and as an exact cover.
pub(crate) struct SearchTables<T, const N: usize> {
    pub graph: Graph<T, N>,
    pub cover: PackingTables,
}

/// Room for a search of either kind. What is not used takes no memory.
pub(crate) struct SearchState<T, const N: usize> {
    pub tabu: TabuState<T, N>,
    pub packing: PackingState,
}

impl<T: Tally, const N: usize> ColouringKernels<T, N> {
    fn boxed(colouring: Colouring, states: usize) -> Box<dyn AnyColouringKernels> {
        let graph = Graph::new(&colouring);
        let state = |_| SearchState {
            tabu: TabuState::new(&graph),
            packing: PackingState::new(),
        };
        Box::new(Self {
            states: (0..states).map(state).collect(),
            puzzle: SearchTables {
                graph,
                cover: PackingTables::new(colouring),
            },
            alone: false,
        })
    }

    /// Has `kernel` go on from every individual of the share of the old population. Returns the number of moves.
    pub fn search(
        &mut self,
        generation: &mut Generation<'_>,
        kernel: impl Fn(&SearchTables<T, N>, &mut SearchState<T, N>, Turn, &mut [u8]) -> KernelResult
        + Sync,
    ) -> u64 {
        let (key, number, old) = (generation.key(), generation.first, &*generation.old);
        generation.auxiliary.make_room();
        let share = &generation.share;
        self.each(generation.new, share, |puzzle, state, individual, cells| {
            cells.copy_from_slice(old.cells(individual as usize));
            let turn = Turn {
                key,
                generation: number,
                individual,
            };
            kernel(puzzle, state, turn, cells)
        })
    }

    /// Calls `kernel` for every individual of a share; it writes the cells. Returns the number of moves.
    fn each(
        &mut self,
        population: &mut Population,
        share: &Range<usize>,
        kernel: impl Fn(&SearchTables<T, N>, &mut SearchState<T, N>, u32, &mut [u8]) -> KernelResult
        + Sync,
    ) -> u64 {
        let puzzle = &self.puzzle;
        let cells = population.form().cells();
        let nothing = &mut vec![(); population.len()];
        each(
            in_use(&mut self.states, self.alone),
            population,
            share,
            nothing,
            |state, at, words, ()| {
                let cells = &mut bytemuck::cast_slice_mut(words)[..cells];
                kernel(puzzle, state, at, cells)
            },
        )
    }
}

impl<T: Tally, const N: usize> AnyColouringKernels for ColouringKernels<T, N> {
    fn vary(&mut self, operator: &Variation, generation: &mut Generation<'_>) -> u64 {
        operator.on_colourings(self, generation)
    }

    fn work_alone(&mut self, alone: bool) {
        self.alone = alone;
    }

    fn evaluate(&mut self, population: &mut Population, share: &Range<usize>) {
        self.each(population, share, |puzzle, state, _, cells| {
            KernelResult::new(state.tabu.conflicts_and_holes(&puzzle.graph, cells))
        });
    }
}
