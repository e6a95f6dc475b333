//! Twin of `shaders/grids/evaluate.wgsl`: the fitness of whole grids.

#[cfg(target_arch = "x86_64")]
use pulp::x86::V3;

use super::mask::Mask;
#[cfg(target_arch = "x86_64")]
use super::pairs::{self, Count};
use super::score::score;
use super::working_grid::{MaskTables, Shape};
#[cfg(target_arch = "x86_64")]
use crate::plan::{Encoding, Objective};

/// The fitness of neighbouring individuals, who have `stride` bytes each. Behind them `grids` may
/// go on.
pub fn evaluate<M: Mask, S: Shape, const C: usize>(
    tables: &MaskTables<M, S, C>,
    grids: &[u8],
    stride: usize,
    fitness: &mut [u32],
) {
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = V3::try_new() {
        return simd.vectorize(ByAvx2 {
            simd,
            tables,
            grids,
            stride,
            fitness,
        });
    }
    one_by_one(tables, grids, stride, fitness);
}

/// The same, compiled for AVX2: all that is called from here has to be inlined.
#[cfg(target_arch = "x86_64")]
struct ByAvx2<'a, M, S, const C: usize> {
    simd: V3,
    tables: &'a MaskTables<M, S, C>,
    grids: &'a [u8],
    stride: usize,
    fitness: &'a mut [u32],
}

#[cfg(target_arch = "x86_64")]
impl<M: Mask, S: Shape, const C: usize> pulp::NullaryFnOnce for ByAvx2<'_, M, S, C> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self {
            simd,
            tables,
            grids,
            stride,
            fitness,
        } = self;
        match count_in_pairs(tables) {
            Some(count) => in_pairs(simd, tables, count, grids, stride, fitness),
            None => one_by_one(tables, grids, stride, fitness),
        }
    }
}

/// For every machine, shape, encoding and objective.
#[inline(always)]
fn one_by_one<M: Mask, S: Shape, const C: usize>(
    tables: &MaskTables<M, S, C>,
    grids: &[u8],
    stride: usize,
    fitness: &mut [u32],
) {
    let cells = tables.shape.n() * tables.shape.n();
    for (grid, fitness) in grids.chunks_exact(stride).zip(fitness) {
        *fitness = score(tables, &grid[..cells]);
    }
}

/// What is to be counted of two individuals at a time, if they are of the kind for it.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn count_in_pairs<M: Mask, S: Shape, const C: usize>(
    tables: &MaskTables<M, S, C>,
) -> Option<Count> {
    let representation = tables.representation;
    let suits = representation.encoding == Encoding::Rows && pairs::suits(tables.shape);
    match representation.objective {
        Objective::IllegalUnits if suits => Some(Count::IllegalUnits),
        Objective::MissingDigits if suits => Some(Count::MissingDigits),
        _ => None,
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn in_pairs<M: Mask, S: Shape, const C: usize>(
    simd: V3,
    tables: &MaskTables<M, S, C>,
    count: Count,
    grids: &[u8],
    stride: usize,
    fitness: &mut [u32],
) {
    let (shape, has_blocks) = (tables.shape, tables.has_blocks);
    let cells = shape.n() * shape.n();
    let reach = pairs::reach(cells);
    for (at, fitness) in fitness.chunks_mut(2).enumerate() {
        // An odd one is its own partner.
        let places = [2 * at, 2 * at + fitness.len() - 1].map(|at| at * stride);
        let pair = match places.map(|at| grids.get(at..at + reach)) {
            [Some(one), Some(two)] => pairs::fitness(simd, shape, has_blocks, count, [one, two]),
            _ => {
                let [one, two] = places.map(|at| padded(&grids[at..at + cells], reach));
                pairs::fitness(simd, shape, has_blocks, count, [&one, &two])
            }
        };
        fitness.copy_from_slice(&pair[..fitness.len()]);
    }
}

/// The last grid of a population has nothing behind it.
#[cfg(target_arch = "x86_64")]
#[cold]
fn padded(cells: &[u8], reach: usize) -> Vec<u8> {
    let mut padded = cells.to_vec();
    padded.resize(reach, 0);
    padded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::cpu::grids::kernels_for;
    use crate::engine::cpu::grids::working_grid::AnySize;
    use crate::engine::tables::Tables;
    use crate::plan::{Domain, Encoding, Objective, Representation};
    use crate::population::Population;
    use crate::problem::sudoku::propagate::Level;
    use crate::problem::{Geometry, Grid, Puzzle, Reduction};

    fn geometries() -> impl Strategy<Value = Geometry> {
        let boxes = (1usize..=18, 1usize..=18).prop_filter_map("too large", |(rows, cols)| {
            (rows * cols <= 64)
                .then(|| Geometry::sudoku(rows, cols).ok())
                .flatten()
        });
        let squares = (2usize..=8).prop_map(|side| Geometry::sudoku(side, side).unwrap());
        let latin = (2usize..=70).prop_map(|n| Geometry::latin(n).unwrap());
        prop_oneof![2 => boxes, 2 => squares, 1 => latin]
    }

    fn representation() -> impl Strategy<Value = Representation> {
        let encoding = prop_oneof![
            3 => Just(Encoding::Rows),
            1 => Just(Encoding::Blocks),
            1 => Just(Encoding::Cells(Domain::Any)),
        ];
        let objective = prop_oneof![
            Just(Objective::IllegalUnits),
            Just(Objective::MissingDigits),
            Just(Objective::SumDeviation),
        ];
        (encoding, objective).prop_map(|(encoding, objective)| Representation {
            encoding,
            objective,
        })
    }

    /// Solved grids in which some cells, often none, have changed places or got any digit.
    fn grids(geometry: Geometry) -> impl Strategy<Value = Vec<Vec<u8>>> {
        let n = geometry.size();
        let (height, width) = geometry.boxes().map_or((1, n), |b| (b.rows, b.cols));
        let cell =
            move |cell: usize| (cell / n % height * width + cell / n / height + cell % n) % n;
        let changes = prop::collection::vec((0..n * n, 0..n as u8), 0..8);
        let grid = changes.prop_map(move |changes| {
            let mut grid: Vec<u8> = (0..n * n).map(|at| cell(at) as u8).collect();
            for (cell, digit) in changes {
                grid[cell] = digit;
            }
            grid
        });
        prop::collection::vec(grid, 1..20)
    }

    /// Rows, columns and sub-blocks that may be faulty, unit by unit.
    fn recount(geometry: Geometry, faulty: [bool; 3], objective: Objective, grid: &[u8]) -> u32 {
        let n = geometry.size();
        let (mut illegal, mut missing, mut deviation) = (0, 0, 0);
        for (kind, _) in faulty.into_iter().enumerate().filter(|&(_, faulty)| faulty) {
            for unit in 0..n {
                let is_in = |cell: &usize| {
                    let (row, col) = (cell / n, cell % n);
                    [Some(col), geometry.box_of(row, col), Some(row)][kind] == Some(unit)
                };
                let mut digits: Vec<u8> = (0..n * n).filter(is_in).map(|cell| grid[cell]).collect();
                let sum: u32 = digits.iter().map(|&digit| u32::from(digit) + 1).sum();
                digits.sort_unstable();
                digits.dedup();
                illegal += u32::from(digits.len() < n);
                missing += (n - digits.len()) as u32;
                deviation += sum.abs_diff((n * (n + 1) / 2) as u32);
            }
        }
        match objective {
            Objective::IllegalUnits => illegal,
            Objective::MissingDigits => missing,
            _ if deviation == 0 && illegal > 0 => Objective::FALSE_ZERO,
            _ => deviation,
        }
    }

    /// The code for every machine, and its choice for this one.
    fn both<M: Mask, const C: usize>(tables: &Tables, population: &Population) -> [Vec<u32>; 2] {
        let (n, block_width) = (tables.size(), tables.block_width());
        let tables = MaskTables::<M, _, C>::new(tables, AnySize { n, block_width });
        let words = population.words();
        let stride = words.len() / population.len() * size_of::<u32>();
        let mut fitness = [vec![1234; population.len()], vec![5678; population.len()]];
        one_by_one(
            &tables,
            bytemuck::cast_slice(words),
            stride,
            &mut fitness[0],
        );
        evaluate(
            &tables,
            bytemuck::cast_slice(words),
            stride,
            &mut fitness[1],
        );
        fitness
    }

    proptest! {
        #[test]
        fn everybody_counts_alike(
            (geometry, grids) in geometries().prop_flat_map(|g| (Just(g), grids(g))),
            representation in representation(),
            threads in 1usize..=2,
        ) {
            let blank = Grid::new(geometry, vec![0; geometry.cells()]).unwrap();
            let reduction = Reduction::new(&Puzzle::new(blank).unwrap(), Level::None).unwrap();
            let tables = Tables::new(&reduction, representation);
            let expected: Vec<u32> = grids
                .iter()
                .map(|grid| recount(geometry, tables.faulty(), representation.objective, grid))
                .collect();
            let mut population = Population::zeroed(geometry, grids.len());
            for (at, grid) in grids.iter().enumerate() {
                population.cells_mut(at).copy_from_slice(grid);
            }
            let any_size = match geometry.size() {
                0..=16 => both::<u16, 16>(&tables, &population),
                17..=32 => both::<u32, 32>(&tables, &population),
                33..=64 => both::<u64, 64>(&tables, &population),
                _ => both::<u128, 128>(&tables, &population),
            };
            for fitness in any_size {
                prop_assert_eq!(&fitness, &expected);
            }
            let everybody = 0..population.len();
            kernels_for(&tables, threads).evaluate(&mut population, &everybody);
            prop_assert_eq!(population.fitness(), &expected);
        }
    }
}
