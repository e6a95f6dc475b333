//! Twin of `shaders/tabu.wgsl`: a tabu search for everybody.

use super::Made;
use super::shared::slate::{Graph, Slate};
use super::shared::tally::Tally;
use crate::plan::Tabu;
use crate::rng::{Key, Site};

/// Moves for which numbers are drawn at once.
const DRAWS: usize = 8;

/// Makes so many moves of an individual's tabu search; it ends at a solution.
pub fn tabu<T: Tally, const N: usize>(
    graph: &Graph<T, N>,
    slate: &mut Slate<T, N>,
    tabu: &Tabu,
    key: Key,
    generation: u32,
    individual: u32,
    cells: &mut [u8],
) -> Made {
    let search = Search {
        graph,
        slate,
        tabu,
        key,
        factor: tabu.factor(generation, individual),
        individual,
        cells,
    };
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return simd.vectorize(search);
    }
    search.run()
}

/// What is to be done, in one piece.
struct Search<'a, T, const N: usize> {
    graph: &'a Graph<T, N>,
    slate: &'a mut Slate<T, N>,
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
    type Output = Made;

    #[inline(always)]
    fn call(self) -> Made {
        self.run()
    }
}

impl<T: Tally, const N: usize> Search<'_, T, N> {
    #[inline(always)]
    fn run(self) -> Made {
        let Self { tabu, factor, .. } = self;
        let mut work = self.slate.load(self.graph, self.cells);
        let mut fewest = work.conflicts();
        let mut draws = [[0; DRAWS]; 3];
        let mut moves = 0;
        while moves < tabu.moves && work.conflicts() > 0 {
            let lane = moves as usize % DRAWS;
            if lane == 0 {
                let [odds, turns, randoms] = &mut draws;
                let lanes = odds.iter_mut().zip(turns).zip(randoms);
                for (((odd, turn), random), number) in lanes.zip(moves + 1..) {
                    let counter = Site::Tabu.counter(number);
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
        Made {
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
    use crate::engine::cpu::shared::slate::most_rivals;
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
    /// search finds on the slate what the first has left.
    fn both<T: Tally, const N: usize>(
        colouring: &Colouring,
        plan: &Tabu,
        key: Key,
        start: &[u8],
    ) -> [(u32, u32, Vec<u8>); 2] {
        let graph = Graph::<T, N>::new(colouring.clone());
        let mut slate = Slate::new(&graph);
        let mut cells = [start.to_vec(), start.to_vec()];
        let [portable, fast] = &mut cells;
        let search = Search {
            graph: &graph,
            slate: &mut slate,
            tabu: plan,
            key,
            factor: plan.factor(1, 2),
            individual: 2,
            cells: portable,
        };
        let made = [
            search.run(),
            tabu(&graph, &mut slate, plan, key, 1, 2, fast),
        ];
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
