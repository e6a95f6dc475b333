//! What host and kernels share in buffers: each struct has a twin in the shaders, and a test
//! compares their offsets with naga's.

use bytemuck::{Pod, Zeroable};

use crate::engine::tables::{FAMILIES, Tables};
use crate::plan::{
    Admits, Breed, BreedBlocks, Elite, Encoding, Improvise, Individuals, MutationUnit, Objective,
    Order, Parent, Pollinate, Repeats, Sample,
};
use crate::population::words_for;

/// Twin of `Run` in `shaders/shared/run.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Run {
    pub size: u32,
    pub block_width: u32,
    pub brick_width: u32,
    pub free_digits: u32,
    pub faulty: u32,
    pub objective: u32,
    pub words: u32,
    pub row_words: u32,
    pub population: u32,
    pub seed_low: u32,
    pub seed_high: u32,
    pub free_counts_at: u32,
    pub free_cells_at: u32,
    pub free_positions_at: u32,
    pub domains_at: u32,
}

/// Twin of `State` in `shaders/shared/run.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct State {
    pub generation: u32,
    pub best_at: u32,
    pub surveys: u32,
    pub stride: u32,
    pub solved: u32,
    pub reinitialised: u32,
    pub elite_count: u32,
    pub elite_next: u32,
    pub best_ever: u32,
}

impl State {
    /// Before the initial population: its survey makes generation 0 of it.
    pub const START: Self = Self {
        generation: u32::MAX,
        best_at: 0,
        surveys: 0,
        stride: 1,
        solved: 0,
        reinitialised: 0,
        elite_count: 0,
        elite_next: 0,
        best_ever: u32::MAX,
    };
}

/// Twin of `Chunk` in `shaders/shared/chunk.wgsl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Chunk {
    pub first: u32,
    pub end: u32,
    pub before: u32,
    pub generations: u32,
}

/// Twin of `Breed` in `shaders/breed.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct BreedParams {
    pub crossover: u32,
    pub crossover_row: u32,
    pub swap: u32,
    pub reinitialise: u32,
    pub mutation: u32,
    pub column_search: u32,
    pub block_search: u32,
    pub rounds: u32,
    pub partners: u32,
    pub repeats: u32,
    pub parents: u32,
    pub contestants: u32,
    pub strict: u32,
}

impl From<&Breed> for BreedParams {
    fn from(breed: &Breed) -> Self {
        let (contestants, strict) = breed.survivor.contest();
        Self {
            crossover: breed.crossover.threshold(),
            crossover_row: breed.crossover_row.threshold(),
            swap: breed.swap.threshold(),
            reinitialise: breed.reinitialise.threshold(),
            mutation: u32::from(breed.mutation == MutationUnit::Individual),
            column_search: u32::from(breed.column_search),
            block_search: u32::from(breed.block_search),
            rounds: breed.rounds,
            partners: breed.partners,
            repeats: u32::from(breed.repeats == Repeats::Later),
            parents: match breed.parent {
                Parent::Own => 0,
                Parent::Tournament(size) => size,
            },
            contestants,
            strict: u32::from(strict),
        }
    }
}

/// Twin of `Elite` in `shaders/elite.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct EliteParams {
    pub size: u32,
    pub every_best: u32,
}

impl From<&Elite> for EliteParams {
    fn from(elite: &Elite) -> Self {
        Self {
            size: elite.size,
            every_best: u32::from(elite.admits == Admits::EveryBest),
        }
    }
}

/// Twin of `Blocks` in `shaders/shared/block_child.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct BlocksParams {
    pub tournament: u32,
    pub crossover: u32,
    pub swap: u32,
    pub mutation: u32,
    pub mutants: u32,
    pub island: u32,
    pub epoch: u32,
}

impl BlocksParams {
    pub fn new(breed: &BreedBlocks, island: u32, epoch: u32) -> Self {
        Self {
            tournament: breed.tournament,
            crossover: breed.crossover.threshold(),
            swap: breed.swap.threshold(),
            mutation: u32::from(breed.mutation == MutationUnit::Individual),
            mutants: breed.mutants,
            island,
            epoch,
        }
    }
}

/// Twin of `Sample` in `shaders/sample.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct SampleParams {
    pub neighbours: u32,
    pub given_order: u32,
    pub retries: u32,
}

impl From<&Sample> for SampleParams {
    fn from(sample: &Sample) -> Self {
        Self {
            neighbours: u32::from(sample.neighbours),
            given_order: u32::from(sample.order == Order::Given),
            retries: sample.retries,
        }
    }
}

/// Twin of `Improvise` in `shaders/shared/harmonies.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ImproviseParams {
    pub batch: u32,
    pub pitches: u32,
    pub distinct: u32,
}

impl From<&Improvise> for ImproviseParams {
    fn from(improvise: &Improvise) -> Self {
        Self {
            batch: improvise.batch,
            pitches: (improvise.pitches.len() / 3) as u32,
            distinct: u32::from(improvise.distinct),
        }
    }
}

/// Twin of `Pollinate` in `shaders/pollinate.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct PollinateParams {
    pub switch_rate: u32,
    pub steps: u32,
    pub distinct: u32,
}

impl From<&Pollinate> for PollinateParams {
    fn from(pollinate: &Pollinate) -> Self {
        Self {
            switch_rate: pollinate.switch.threshold(),
            steps: pollinate.levy.len() as u32,
            distinct: u32::from(pollinate.distinct),
        }
    }
}

/// The puzzle's tables as one array of words, and where its parts start: the template, the number
/// of free cells of each brick, their positions, the free cells of each unit, the domains.
pub fn pack_tables(tables: &Tables, mask_words: usize, pop: usize, seed: u64) -> (Run, Vec<u32>) {
    let n = tables.size();
    let row_words = words_for(n);
    let mask = |set: u128| (0..mask_words).map(move |word| (set >> (32 * word)) as u32);
    let mut words = pack(&tables.template);
    let free_counts_at = words.len();
    words.extend(tables.free.iter().map(|positions| positions.len() as u32));
    let free_cells_at = words.len();
    for positions in &tables.free {
        let start = words.len();
        words.extend(pack(positions));
        words.resize(start + row_words, 0);
    }
    let free_positions_at = words.len();
    for family in 0..FAMILIES {
        words.extend(
            tables.free_positions[family]
                .iter()
                .flat_map(|&set| mask(set)),
        );
    }
    let domains_at = words.len();
    words.extend(tables.domains.iter().flat_map(|&set| mask(set)));
    let Individuals {
        encoding,
        objective,
    } = tables.individuals();
    let faulty = tables.faulty().into_iter().enumerate();
    let run = Run {
        size: n as u32,
        block_width: if tables.has_blocks() {
            tables.block_width() as u32
        } else {
            0
        },
        brick_width: tables.brick_width() as u32,
        free_digits: u32::from(matches!(encoding, Encoding::Cells(_))),
        faulty: faulty.map(|(family, may)| u32::from(may) << family).sum(),
        objective: match objective {
            Objective::IllegalUnits => 0,
            Objective::MissingDigits => 1,
            Objective::SumDeviation => 2,
        },
        words: words_for(n * n) as u32,
        row_words: row_words as u32,
        population: pop as u32,
        seed_low: seed as u32,
        seed_high: (seed >> 32) as u32,
        free_counts_at: free_counts_at as u32,
        free_cells_at: free_cells_at as u32,
        free_positions_at: free_positions_at as u32,
        domains_at: domains_at as u32,
    };
    (run, words)
}

fn pack(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks(4)
        .map(|four| {
            let mut word = [0; 4];
            word[..four.len()].copy_from_slice(four);
            u32::from_le_bytes(word)
        })
        .collect()
}
