//! What host and kernels share in buffers: each struct has a twin in the shaders, and a test
//! compares their offsets with naga's.

use bytemuck::{Pod, Zeroable};

use crate::engine::tables::{FAMILIES, Tables};
use crate::plan::{Admits, Breed, Elite, MutationUnit, Parent, Repeats};
use crate::population::words_for;

/// Twin of `Run` in `shaders/shared/run.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Run {
    pub size: u32,
    pub block_width: u32,
    pub words: u32,
    pub row_words: u32,
    pub population: u32,
    pub seed_low: u32,
    pub seed_high: u32,
    pub free_counts_at: u32,
    pub free_columns_at: u32,
    pub free_positions_at: u32,
    pub pad_0: u32,
    pub pad_1: u32,
}

/// Twin of `State` in `shaders/shared/run.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct State {
    pub generation: u32,
    pub solved: u32,
    pub reinitialised: u32,
    pub elite_count: u32,
    pub elite_next: u32,
    pub best_ever: u32,
    pub pad_0: u32,
    pub pad_1: u32,
}

impl State {
    /// Before the initial population: its survey makes generation 0 of it.
    pub const START: Self = Self {
        generation: u32::MAX,
        solved: 0,
        reinitialised: 0,
        elite_count: 0,
        elite_next: 0,
        best_ever: u32::MAX,
        pad_0: 0,
        pad_1: 0,
    };
}

/// Twin of `Chunk` in `shaders/shared/chunk.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Chunk {
    pub first: u32,
    pub end: u32,
    pub pad_0: u32,
    pub pad_1: u32,
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
    pub pad_0: u32,
    pub pad_1: u32,
    pub pad_2: u32,
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
            pad_0: 0,
            pad_1: 0,
            pad_2: 0,
        }
    }
}

/// Twin of `Elite` in `shaders/elite.wgsl`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct EliteParams {
    pub size: u32,
    pub every_best: u32,
    pub pad_0: u32,
    pub pad_1: u32,
}

impl From<&Elite> for EliteParams {
    fn from(elite: &Elite) -> Self {
        Self {
            size: elite.size,
            every_best: u32::from(elite.admits == Admits::EveryBest),
            pad_0: 0,
            pad_1: 0,
        }
    }
}

/// The puzzle's tables as one array of words, and where its parts start: the template, then the
/// number of free cells of each row, their columns, and the free cells of each unit.
pub fn pack_tables(tables: &Tables, mask_words: usize, pop: usize, seed: u64) -> (Run, Vec<u32>) {
    let n = tables.size();
    let row_words = words_for(n);
    let mut words = pack(&tables.template);
    let free_counts_at = words.len();
    words.extend(tables.free.iter().map(|columns| columns.len() as u32));
    let free_columns_at = words.len();
    for columns in &tables.free {
        let start = words.len();
        words.extend(pack(columns));
        words.resize(start + row_words, 0);
    }
    let free_positions_at = words.len();
    for family in 0..FAMILIES {
        for &set in &tables.free_positions[family] {
            words.extend((0..mask_words).map(|word| (set >> (32 * word)) as u32));
        }
    }
    let run = Run {
        size: n as u32,
        block_width: if tables.has_blocks() {
            tables.block_width() as u32
        } else {
            0
        },
        words: words_for(n * n) as u32,
        row_words: row_words as u32,
        population: pop as u32,
        seed_low: seed as u32,
        seed_high: (seed >> 32) as u32,
        free_counts_at: free_counts_at as u32,
        free_columns_at: free_columns_at as u32,
        free_positions_at: free_positions_at as u32,
        pad_0: 0,
        pad_1: 0,
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
