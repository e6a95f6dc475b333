//! The native colouring kernels: a puzzle as a graph and as an exact cover, and the states of searches. `tabu_state`
//! and `packing_state` are the twins of the files of that name in `shaders/colourings/`; `tally` has none and is for
//! SIMD.

mod packing_state;
mod tabu_state;
mod tally;

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

    /// Counts conflicts and holes: the twin of `shaders/colourings/evaluate_colourings.wgsl`.
    fn evaluate(&mut self, population: &mut Population);
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

/// Bytes that a state takes for a puzzle, or a little more.
pub fn state_bytes(reduction: &Reduction) -> usize {
    let n = reduction.puzzle().geometry().size();
    let givens = reduction.puzzle().givens().cells();
    let open = givens.iter().filter(|&&digit| digit == 0).count();
    // Every vertex has tallies and the ends of tabus, and perhaps two lines that nobody shares.
    8 * n.next_power_of_two().max(32) * (open + 3 * n)
}

/// The puzzle, and for every piece of the population the states that it needs.
pub(crate) struct ColouringKernels<T, const N: usize> {
    colouring: Colouring,
    graph: Graph<T, N>,
    states: Vec<TabuState<T, N>>,
    /// Made when a packing search asks for them.
    packing: Option<(PackingTables, Vec<PackingState>)>,
    alone: bool,
}

impl<T: Tally, const N: usize> ColouringKernels<T, N> {
    fn boxed(colouring: Colouring, states: usize) -> Box<dyn AnyColouringKernels> {
        let graph = Graph::new(&colouring);
        Box::new(Self {
            states: (0..states).map(|_| TabuState::new(&graph)).collect(),
            graph,
            colouring,
            packing: None,
            alone: false,
        })
    }

    /// Calls `kernel` for every individual; it writes the cells. Returns the number of moves.
    pub fn each(
        &mut self,
        population: &mut Population,
        kernel: impl Fn(&Graph<T, N>, &mut TabuState<T, N>, u32, &mut [u8]) -> KernelResult + Sync,
    ) -> u64 {
        let graph = &self.graph;
        let states = in_use(&mut self.states, self.alone);
        each_cells(states, population, |state, at, cells| {
            kernel(graph, state, at, cells)
        })
    }

    /// The same with packings.
    pub fn each_packing(
        &mut self,
        population: &mut Population,
        kernel: impl Fn(&PackingTables, &mut PackingState, u32, &mut [u8]) -> KernelResult + Sync,
    ) -> u64 {
        let (tables, states) = self.packing.get_or_insert_with(|| {
            let states = self.states.iter().map(|_| PackingState::new());
            (PackingTables::new(&self.colouring), states.collect())
        });
        let tables = &*tables;
        let states = in_use(states, self.alone);
        each_cells(states, population, |state, at, cells| {
            kernel(tables, state, at, cells)
        })
    }
}

/// Calls `kernel` for every individual with its cells, in as many pieces as there are states.
fn each_cells<S: Send>(
    states: &mut [S],
    population: &mut Population,
    kernel: impl Fn(&mut S, u32, &mut [u8]) -> KernelResult + Sync,
) -> u64 {
    let cells = population.form().cells();
    let nothing = &mut vec![(); population.len()];
    each(states, population, nothing, |state, at, words, ()| {
        kernel(state, at, &mut bytemuck::cast_slice_mut(words)[..cells])
    })
}

impl<T: Tally, const N: usize> AnyColouringKernels for ColouringKernels<T, N> {
    fn vary(&mut self, operator: &Variation, generation: &mut Generation<'_>) -> u64 {
        operator.on_colourings(self, generation)
    }

    fn work_alone(&mut self, alone: bool) {
        self.alone = alone;
    }

    fn evaluate(&mut self, population: &mut Population) {
        self.each(population, |graph, state, _, cells| {
            KernelResult::new(state.conflicts_and_holes(graph, cells))
        });
    }
}
