//! Twin of `shaders/colourings/tabu.wgsl`: a tabu search for everybody.

use super::cooling::{MOST_PERIOD, cooled};
use crate::engine::cpu::Generation;
use crate::engine::cpu::colourings::{
    ColouringKernels, ColouringOperator, Graph, KernelResult, TabuState, Tally, Turn,
};
use crate::error::Error;
use crate::operators::kernel::{Auxiliary, Dispatch, KernelCall, Params, Shader, Steps};
use crate::operators::{Ancestry, Call, Operator};
use crate::plan::Representation;
use crate::rng::{Key, Site, bounded};

/// A tabu search for everybody (TabuCol, Hertz & de Werra 1987, on lists): again and again a cell in
/// conflict takes another of its candidates, the one that leaves the fewest conflicts. The candidate
/// that it leaves is tabu for a while, unless it leads to fewer conflicts than this generation has
/// seen. Nothing is tabu when a generation begins, and the last time that a candidate was left counts.
///
/// Tenure acts as a temperature: searches with too long ones stay far from solutions, those with too
/// short ones are trapped near them. So it falls from generation to generation, and begins anew ([`cooled`]).
///
/// Holes are filled with random candidates before the first move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tabu {
    /// Moves of an individual in a generation; it stops at a solution.
    pub moves: u32,
    /// The least and the most tenure for each cell in conflict, in 256ths.
    pub factors: [u32; 2],
    /// Generations of the first period.
    pub period: u32,
    /// The random part of a tenure is below this.
    pub random: u32,
}

impl Tabu {
    /// No tenure is longer.
    pub const LONGEST: u32 = 4094;

    /// Moves that a kernel can count in a generation, tenures included.
    pub const MOST_MOVES: u32 = 1 << 20;

    /// How many moves a candidate that is left stays tabu, where so many cells are in conflict.
    #[inline(always)]
    pub fn tenure(&self, factor: u32, troubled: u32, word: u32) -> u32 {
        let tenure = factor * troubled / 256 + bounded(word, self.random);
        tenure.min(Self::LONGEST)
    }
}

impl Operator for Tabu {
    fn suits(&self, representation: Representation) -> bool {
        representation == Representation::COLOURING
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        let [least, most] = self.factors;
        let longest = most.max(self.random);
        let counts = self.moves.min(self.period).min(self.random) > 0;
        let complete = least <= most
            && longest <= Self::LONGEST
            && self.period <= MOST_PERIOD
            && counts
            && self.moves <= Self::MOST_MOVES;
        assert!(complete, "{self:?} lacks what its kernel needs");
        Ok(())
    }

    fn evaluations(&self, pop: u64) -> u64 {
        pop * u64::from(self.moves)
    }

    fn counts_moves(&self) -> bool {
        true
    }

    fn auxiliary(&self, _: u32) -> Auxiliary {
        Auxiliary::Workspaces
    }

    fn ancestry(&self) -> Ancestry {
        Ancestry::Itself
    }

    fn kernels(&self, _: &Call) -> Vec<KernelCall> {
        let [least, most] = self.factors;
        let params = Params::new([
            ("moves", self.moves),
            ("least", least),
            ("most", most),
            ("period", self.period),
            ("random", self.random),
        ]);
        let kernel = KernelCall::new(Shader::builtin("colourings/tabu"));
        let moves = Dispatch::Steps(Steps::Moves(self.moves));
        vec![kernel.with(params).over(moves)]
    }
}

impl ColouringOperator for Tabu {
    #[cfg(test)]
    fn example() -> Self {
        Self {
            moves: 1,
            factors: [1, 2],
            period: 1,
            random: 1,
        }
    }

    fn run<T: Tally, const N: usize>(
        &self,
        kernels: &mut ColouringKernels<T, N>,
        generation: &mut Generation<'_>,
    ) -> u64 {
        kernels.search(generation, |puzzle, state, turn, cells| {
            self.search(&puzzle.graph, &mut state.tabu, turn, cells)
        })
    }
}

/// Moves for which numbers are drawn at once.
const DRAWS: usize = 8;

impl Tabu {
    /// Makes so many moves of an individual's search; it ends at a solution.
    pub(super) fn search<T: Tally, const N: usize>(
        &self,
        graph: &Graph<T, N>,
        state: &mut TabuState<T, N>,
        turn: Turn,
        cells: &mut [u8],
    ) -> KernelResult {
        let Turn {
            key,
            generation,
            individual,
        } = turn;
        graph.fill_holes(key, individual, cells);
        let search = Search {
            graph,
            state,
            tabu: self,
            key,
            factor: cooled(self.factors, self.period, generation, individual),
            individual,
            cells,
        };
        #[cfg(target_arch = "x86_64")]
        if let Some(simd) = pulp::x86::V3::try_new() {
            return simd.vectorize(search);
        }
        search.run()
    }
}

/// What is to be done, in one piece.
struct Search<'a, T, const N: usize> {
    graph: &'a Graph<T, N>,
    state: &'a mut TabuState<T, N>,
    tabu: &'a Tabu,
    key: Key,
    factor: u32,
    individual: u32,
    cells: &'a mut [u8],
}

/// The same, compiled for AVX2 and the bit operations that come with it: all that is called from here
/// has to be inlined.
#[cfg(target_arch = "x86_64")]
impl<T: Tally, const N: usize> pulp::NullaryFnOnce for Search<'_, T, N> {
    type Output = KernelResult;

    #[inline(always)]
    fn call(self) -> KernelResult {
        self.run()
    }
}

impl<T: Tally, const N: usize> Search<'_, T, N> {
    #[inline(always)]
    fn run(self) -> KernelResult {
        let Self { tabu, factor, .. } = self;
        let mut work = self.state.load(self.graph, self.cells);
        let mut fewest = work.conflicts();
        let mut draws = [[0; DRAWS]; 3];
        let mut moves = 0;
        while moves < tabu.moves && work.conflicts() > 0 {
            let lane = moves as usize % DRAWS;
            if lane == 0 {
                let [odds, turns, randoms] = &mut draws;
                let lanes = odds.iter_mut().zip(turns).zip(randoms);
                for (((odd, turn), random), number) in lanes.zip(moves + 1..) {
                    let counter = Site::Step.counter(number);
                    [*odd, *turn, *random, _] = self.key.draw(self.individual, counter);
                }
            }
            let [odd, turn, random] = draws.map(|words| words[lane]);
            let Some(step) = work.best_move(fewest, odd as u16 | 1, turn) else {
                break;
            };
            moves += 1;
            let tenure = tabu.tenure(factor, work.troubled(), random);
            work.make(step, moves, moves + 1 + tenure);
            fewest = fewest.min(work.conflicts());
        }
        work.store(self.cells);
        KernelResult {
            fitness: work.conflicts(),
            swaps: moves,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::colouring::Colouring;
    use crate::engine::cpu::colourings::most_rivals;
    use crate::problem::sudoku::propagate::Level;
    use crate::problem::{Geometry, Grid, Puzzle, Reduction};
    use crate::rng::bounded;

    /// Some cells of a pattern grid are given.
    fn puzzle(geometry: Geometry, share: u32, key: Key) -> Reduction {
        let n = geometry.size();
        let (height, width) = geometry.boxes().map_or((1, n), |b| (b.rows, b.cols));
        let digit = |cell: usize| (cell / n % height * width + cell / n / height + cell % n) % n;
        let cells = (0..n * n).map(|cell| {
            let [word, ..] = key.draw(0, Site::Host.counter(cell as u32));
            match bounded(word, 100) < share {
                true => digit(cell) as u8 + 1,
                false => 0,
            }
        });
        let grid = Grid::new(geometry, cells.collect()).unwrap();
        Reduction::new(&Puzzle::new(grid).unwrap(), Level::None).unwrap()
    }

    /// What becomes of an individual by the code for every machine, and by that for this one. The second
    /// search finds in the state what the first has left.
    fn both<T: Tally, const N: usize>(
        colouring: &Colouring,
        plan: &Tabu,
        key: Key,
        start: &[u8],
    ) -> [(u32, u32, Vec<u8>); 2] {
        let graph = Graph::<T, N>::new(colouring);
        let mut state = TabuState::new(&graph);
        let mut cells = [start.to_vec(), start.to_vec()];
        let [portable, fast] = &mut cells;
        let turn = Turn {
            key,
            generation: 1,
            individual: 2,
        };
        let search = Search {
            graph: &graph,
            state: &mut state,
            tabu: plan,
            key,
            factor: cooled(plan.factors, plan.period, 1, 2),
            individual: 2,
            cells: portable,
        };
        let made = [search.run(), plan.search(&graph, &mut state, turn, fast)];
        let [one, two] = made.map(|made| (made.fitness, made.swaps));
        let [portable, fast] = cells;
        [(one.0, one.1, portable), (two.0, two.1, fast)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// With and without AVX2, in bytes and in words, with lanes to spare: the same search.
        #[test]
        fn every_kind_of_code_makes_the_same_moves(
            geometry in prop_oneof![
                (2usize..=5, 2usize..=5).prop_map(|(rows, cols)| Geometry::sudoku(rows, cols).unwrap()),
                (2usize..=25).prop_map(|n| Geometry::latin(n).unwrap()),
            ],
            share in 0u32..80,
            seed: u64,
            moves in 1u32..400,
            most in 0u32..200,
        ) {
            let key = Key::new(seed, 5);
            let reduction = puzzle(geometry, share, key);
            let colouring = Colouring::new(&reduction);
            let mut start: Vec<u8> = reduction.puzzle().givens().cells().to_vec();
            for digit in &mut start {
                *digit = digit.wrapping_sub(1);
            }
            for (at, vertex) in (0..).zip(&colouring.vertices) {
                let [word, ..] = key.draw(1, Site::Host.counter(at));
                let choice = vertex.first + bounded(word, vertex.choices.into());
                start[usize::from(vertex.cell)] = colouring.digits[choice as usize];
            }
            let plan = Tabu { moves, factors: [most / 2, most], period: 3, random: 6 };
            let [portable, fast] = both::<i16, 128>(&colouring, &plan, key, &start);
            prop_assert_eq!(&portable, &fast);
            prop_assert!(most_rivals(&colouring) < usize::from(u8::COUNT));
            for other in [
                both::<u8, 32>(&colouring, &plan, key, &start),
                both::<u8, 64>(&colouring, &plan, key, &start),
                both::<u8, 128>(&colouring, &plan, key, &start),
                both::<i16, 64>(&colouring, &plan, key, &start),
            ]
            .concat()
            {
                prop_assert_eq!(&portable, &other);
            }
        }
    }
}
