//! Makes one individual of rows that stay permutations from the old population: crossover, mutation, local
//! search, tournament (LSGA Algorithms 1 to 4). Twin of `shaders/grids/breed_rows.wgsl`.

#[cfg(target_arch = "x86_64")]
use pulp::x86::V3;

use crate::engine::cpu::Generation;
use crate::engine::cpu::grids::{
    GridKernels, GridOperator, KernelResult, Mask, MaskTables, Portable, Registers, Shape,
    WorkingGrid, crossover, mutate, search,
};
use crate::error::Error;
use crate::operators::kernel::{KernelCall, Params, Shader};
use crate::operators::{Ancestry, Call, Operator, Variation, check_tournament};
use crate::plan::{Encoding, KernelFamily, Representation};
use crate::population::Population;
use crate::rng::{Key, Rate, Site, bounded};

/// The operators of a row-permutation genetic algorithm, all of them optional.
///
/// [`BreedRows::IDLE`] copies the population; switch on what is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreedRows {
    /// Who is copied and varied.
    pub parent: Parent,
    /// Probability that an individual takes rows from a mate.
    pub crossover: Rate,
    /// Probability of each row to be taken, given a mate.
    pub crossover_row: Rate,
    /// Probability that two free cells of a row are swapped.
    pub swap: Rate,
    /// Probability that the free cells of a row are shuffled.
    pub reinitialise: Rate,
    /// Whether the two mutations strike each row, or one random row of the individual.
    pub mutation: MutationUnit,
    /// Search in illegal columns.
    pub column_search: bool,
    /// Search in illegal sub-blocks.
    pub block_search: bool,
    /// Rounds of column and sub-block search at the most; they end when one swaps nothing.
    pub rounds: u32,
    /// With how many other units an illegal column or sub-block is paired, at the most.
    pub partners: u32,
    /// Which of the cells with equal digits count as repeated.
    pub repeats: Repeats,
    /// Who takes the place in the new population.
    pub survivor: Survivor,
}

impl BreedRows {
    /// Copies every individual.
    pub const IDLE: Self = Self {
        parent: Parent::Own,
        crossover: Rate::NEVER,
        crossover_row: Rate::NEVER,
        swap: Rate::NEVER,
        reinitialise: Rate::NEVER,
        mutation: MutationUnit::Each,
        column_search: false,
        block_search: false,
        rounds: 0,
        partners: u32::MAX,
        repeats: Repeats::Every,
        survivor: Survivor::Child,
    };
}

/// Whose copy becomes the child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parent {
    /// The individual whose place it is.
    Own,
    /// The best of this many random individuals.
    Tournament(u32),
}

/// What a mutation rate is the rate of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MutationUnit {
    /// Every row or sub-block tosses its own coins.
    Each,
    /// The individual tosses them once, and one random row or sub-block is changed.
    Individual,
}

/// Which cells are marked as repeated when a digit stands in a unit more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// Every occurrence.
    Every,
    /// All but the first.
    Later,
}

/// Who takes the place in the new population.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survivor {
    /// The child, however bad.
    Child,
    /// The best of the child, the individual whose place it is, and random others up to this
    /// many contestants; the child wins ties.
    Tournament(u32),
    /// The same, but the child has to be strictly better.
    StrictTournament(u32),
}

impl Survivor {
    /// How many contend for the place, the child among them, and whether the child loses ties.
    pub fn contest(self) -> (u32, bool) {
        match self {
            Survivor::Child => (1, false),
            Survivor::Tournament(size) => (size, false),
            Survivor::StrictTournament(size) => (size, true),
        }
    }
}

impl Operator for BreedRows {
    fn suits(&self, representation: Representation) -> bool {
        representation.family() == KernelFamily::Grids && representation.encoding == Encoding::Rows
    }

    fn check(&self, _: usize) -> Result<(), Error> {
        if let Parent::Tournament(size) = self.parent {
            check_tournament(size)?;
        }
        check_tournament(self.survivor.contest().0)
    }

    fn steps(&self) -> Vec<(&'static str, Variation)> {
        let selection = Self {
            parent: self.parent,
            mutation: self.mutation,
            ..Self::IDLE
        };
        let crossover = Self {
            crossover: self.crossover,
            crossover_row: self.crossover_row,
            ..selection
        };
        let mutation = Self {
            swap: self.swap,
            reinitialise: self.reinitialise,
            ..crossover
        };
        let search = Self {
            survivor: Survivor::Child,
            ..*self
        };
        [
            ("selection", selection),
            ("crossover", crossover),
            ("mutation", mutation),
            ("local search", search),
            ("survival", *self),
        ]
        .map(|(name, step)| (name, step.into()))
        .into()
    }

    fn ancestry(&self) -> Ancestry {
        Ancestry::Anybody
    }

    fn kernels(&self, _: &Call) -> Vec<KernelCall> {
        let (contestants, strict) = self.survivor.contest();
        let parents = match self.parent {
            Parent::Own => 0,
            Parent::Tournament(size) => size,
        };
        let params = Params::new([
            ("crossover", self.crossover.threshold()),
            ("crossover_row", self.crossover_row.threshold()),
            ("swap", self.swap.threshold()),
            ("reinitialise", self.reinitialise.threshold()),
            (
                "mutation",
                u32::from(self.mutation == MutationUnit::Individual),
            ),
            ("column_search", u32::from(self.column_search)),
            ("block_search", u32::from(self.block_search)),
            ("rounds", self.rounds),
            ("partners", self.partners),
            ("repeats", u32::from(self.repeats == Repeats::Later)),
            ("parents", parents),
            ("contestants", contestants),
            ("strict", u32::from(strict)),
        ]);
        vec![KernelCall::new(Shader::builtin("grids/breed_rows")).with(params)]
    }
}

impl GridOperator for BreedRows {
    #[cfg(test)]
    fn example() -> Self {
        Self::IDLE
    }

    fn run<M: Mask, S: Shape, const C: usize>(
        &self,
        kernels: &mut GridKernels<M, S, C>,
        generation: &mut Generation<'_>,
    ) -> u64 {
        let (key, old) = (generation.key(), &*generation.old);
        kernels.each(
            generation.new,
            &generation.share,
            |tables, grid, individual, cells| {
                breed(tables, grid, self, key, individual, old, cells)
            },
        )
    }
}

/// Survivors draw their contestants beyond any tournament of parents.
const SURVIVOR_DRAWS: u32 = 1 << 16;

/// Makes one individual. Reads the old population only.
fn breed<M: Mask, S: Shape, const C: usize>(
    tables: &MaskTables<M, S, C>,
    grid: &mut WorkingGrid<M, C>,
    breed: &BreedRows,
    key: Key,
    individual: u32,
    old: &Population,
    cells: &mut [u8],
) -> KernelResult {
    let work = Breeding {
        tables,
        grid,
        breed,
        key,
        individual,
        old,
        cells,
    };
    #[cfg(target_arch = "x86_64")]
    if let Some(simd) = V3::try_new() {
        return simd.vectorize(ByAvx2 { simd, work });
    }
    work.run(M::Portable::from(Portable))
}

/// What is to be done, in one piece.
struct Breeding<'a, M, S, const C: usize> {
    tables: &'a MaskTables<M, S, C>,
    grid: &'a mut WorkingGrid<M, C>,
    breed: &'a BreedRows,
    key: Key,
    individual: u32,
    old: &'a Population,
    cells: &'a mut [u8],
}

/// The same, compiled for AVX2 and the bit operations that come with it: all that is called from here
/// has to be inlined.
#[cfg(target_arch = "x86_64")]
struct ByAvx2<'a, M, S, const C: usize> {
    simd: V3,
    work: Breeding<'a, M, S, C>,
}

#[cfg(target_arch = "x86_64")]
impl<M: Mask, S: Shape, const C: usize> pulp::NullaryFnOnce for ByAvx2<'_, M, S, C> {
    type Output = KernelResult;

    #[inline(always)]
    fn call(self) -> KernelResult {
        self.work.run(M::Avx2::from(self.simd))
    }
}

impl<M: Mask, S: Shape, const C: usize> Breeding<'_, M, S, C> {
    #[inline(always)]
    fn run(self, registers: impl Registers<M>) -> KernelResult {
        let Self {
            tables,
            grid,
            breed,
            key,
            individual,
            old,
            cells,
        } = self;
        let pop = old.len() as u32;
        let contestant = |index| {
            let [word, ..] = key.draw(individual, Site::Tournament.counter(index));
            bounded(word, pop)
        };
        let fitness_of = |other: u32| old.fitness()[other as usize];

        let parent = match breed.parent {
            Parent::Own => individual,
            Parent::Tournament(size) => (0..size)
                .map(contestant)
                .reduce(|best, next| {
                    if fitness_of(next) < fitness_of(best) {
                        next
                    } else {
                        best
                    }
                })
                .unwrap_or(individual),
        };
        grid.load(tables.shape, old.cells(parent as usize));
        crossover(grid, tables.shape, breed, key, individual, pop, |mate| {
            old.cells(mate as usize)
        });
        mutate(registers, grid, tables, breed, key, individual);
        grid.rows_changed(registers, tables);
        let swaps = search(registers, grid, tables, breed, key, individual);
        let child = grid.fitness(registers, tables, breed.repeats);

        let (contestants, strict) = breed.survivor.contest();
        // The child, the individual whose place it is, then random others.
        let mut survivor = None;
        let mut best = child;
        for index in 1..contestants {
            let rival = if index == 1 {
                individual
            } else {
                contestant(SURVIVOR_DRAWS + index)
            };
            let fitness = fitness_of(rival);
            if fitness < best || (strict && survivor.is_none() && fitness == best) {
                survivor = Some(rival);
                best = fitness;
            }
        }
        match survivor {
            None => grid.store(tables.shape, cells),
            Some(rival) => cells.copy_from_slice(old.cells(rival as usize)),
        }
        KernelResult {
            fitness: best,
            swaps,
        }
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::engine::cpu::grids::AnySize;
    use crate::engine::tables::Tables;
    use crate::operators::grids::initialise::initialise;
    use crate::plan::{Encoding, Objective};
    use crate::problem::sudoku::propagate::Level;
    use crate::problem::{Geometry, Grid, Puzzle, Reduction};
    use crate::rng::Rate;

    /// The code for every machine and its choice for this one, generation by generation.
    fn agree<M: Mask, const C: usize>(geometry: Geometry, repeats: Repeats, partners: u32) {
        let blank = Grid::new(geometry, vec![0; geometry.cells()]).unwrap();
        let reduction = Reduction::new(&Puzzle::new(blank).unwrap(), Level::None).unwrap();
        let representation = Representation {
            encoding: Encoding::Rows,
            objective: Objective::MissingDigits,
        };
        let tables = Tables::new(&reduction, representation);
        let (n, block_width) = (tables.size(), tables.block_width());
        let tables = MaskTables::<M, _, C>::new(&tables, AnySize { n, block_width });
        let rate = |p| Rate::new(p).unwrap();
        let plan = BreedRows {
            crossover: rate(0.5),
            crossover_row: rate(0.3),
            swap: rate(0.3),
            reinitialise: rate(0.1),
            mutation: MutationUnit::Each,
            column_search: true,
            block_search: true,
            rounds: 4,
            partners,
            repeats,
            survivor: Survivor::Tournament(2),
            ..BreedRows::IDLE
        };
        let mut old = Population::zeroed(geometry, 8);
        for at in 0..old.len() {
            initialise(&tables, Key::new(3, 0), at as u32, old.cells_mut(at));
        }
        let mut grids = [WorkingGrid::new(), WorkingGrid::new()];
        for generation in 1..6 {
            let key = Key::new(3, generation);
            let mut new = old.clone();
            for at in 0..old.len() {
                let individual = at as u32;
                let mut cells = new.cells(at).to_vec();
                let [here, everywhere] = &mut grids;
                let work = Breeding {
                    tables: &tables,
                    grid: everywhere,
                    breed: &plan,
                    key,
                    individual,
                    old: &old,
                    cells: &mut cells,
                };
                let portable = work.run(M::Portable::from(Portable));
                let cells_here = new.cells_mut(at);
                let made = breed(&tables, here, &plan, key, individual, &old, cells_here);
                assert_eq!(
                    (made.fitness, made.swaps, &*cells_here),
                    (portable.fitness, portable.swaps, &cells[..]),
                    "{geometry:?} {repeats:?} {partners}"
                );
            }
            old = new;
        }
    }

    #[test]
    fn every_machine_breeds_alike() {
        for repeats in [Repeats::Every, Repeats::Later] {
            for partners in [2, u32::MAX] {
                let boxes = |rows, cols| Geometry::sudoku(rows, cols).unwrap();
                agree::<u16, 16>(boxes(3, 3), repeats, partners);
                agree::<u16, 16>(boxes(3, 5), repeats, partners);
                agree::<u32, 32>(boxes(5, 5), repeats, partners);
                agree::<u64, 64>(boxes(5, 8), repeats, partners);
                agree::<u32, 32>(Geometry::latin(19).unwrap(), repeats, partners);
            }
        }
    }
}
