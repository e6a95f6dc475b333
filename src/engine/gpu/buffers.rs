//! What lives on the device: buffers, and the chunks in which a population is dispatched.

use wgpu::util::DeviceExt as _;
use wgpu::{Buffer, BufferDescriptor, BufferUsages, Device};

use super::MAX_BATCH;
use super::layout::{self, Chunk, State};
use super::shaders::{Lanes, Variant};
use crate::engine::tables::Tables;
use crate::population::Record;

/// Cells that one dispatch may cover, so that it stays well below the two seconds after which
/// desktop drivers reset the device.
const fn cells_per_dispatch(lanes: Lanes) -> usize {
    match lanes {
        Lanes::One => 1 << 20,
        Lanes::Many => 1 << 22,
    }
}

/// What lives on the device. Generation g is in population g % 2.
pub struct Buffers {
    pub run: Buffer,
    pub puzzle: Buffer,
    pub state: Buffer,
    pub words: [Buffer; 2],
    pub fitness: [Buffer; 2],
    pub records: Buffer,
    /// Queue of elites, for as many as the size says.
    pub elites: (u32, Buffer),
    pub staging: Buffer,
}

impl Buffers {
    pub fn new(device: &Device, tables: &Tables, variant: Variant, pop: usize, seed: u64) -> Self {
        let (run, puzzle) = layout::pack_tables(tables, variant.mask_words(), pop, seed);
        let population = |label, words: usize| {
            [0, 1].map(|_| {
                let usage = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
                storage(device, label, 4 * pop * words, usage)
            })
        };
        Self {
            run: constant(
                device,
                "run",
                bytemuck::bytes_of(&run),
                BufferUsages::STORAGE,
            ),
            puzzle: constant(
                device,
                "puzzle",
                bytemuck::cast_slice(&puzzle),
                BufferUsages::STORAGE,
            ),
            state: storage(device, "state", size_of::<State>(), BufferUsages::COPY_DST),
            words: population("population", run.words as usize),
            fitness: population("fitness", 1),
            records: storage(
                device,
                "records",
                MAX_BATCH as usize * size_of::<Record>(),
                BufferUsages::COPY_SRC,
            ),
            elites: (0, storage(device, "elites", 4, BufferUsages::empty())),
            staging: device.create_buffer(&BufferDescriptor {
                label: Some("staging"),
                size: u64::from(MAX_BATCH) * size_of::<Record>() as u64,
                usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
                mapped_at_creation: false,
            }),
        }
    }
}

pub fn storage(device: &Device, label: &str, bytes: usize, usage: BufferUsages) -> Buffer {
    device.create_buffer(&BufferDescriptor {
        label: Some(label),
        size: bytes as u64,
        usage: BufferUsages::STORAGE | usage,
        mapped_at_creation: false,
    })
}

pub fn constant(device: &Device, label: &str, contents: &[u8], usage: BufferUsages) -> Buffer {
    device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some(label),
        contents,
        usage,
    })
}

/// The pieces of the population that are dispatched one after another.
pub fn chunks(device: &Device, variant: Variant, pop: usize) -> Vec<(u32, Buffer)> {
    let most = cells_per_dispatch(variant.lanes) / (variant.size * variant.size);
    chunk_ranges(pop as u32, most as u32)
        .map(|chunk| {
            let bytes = bytemuck::bytes_of(&chunk);
            let buffer = constant(device, "chunk", bytes, BufferUsages::UNIFORM);
            (chunk.end - chunk.first, buffer)
        })
        .collect()
}

/// A population in pieces of at most so many individuals.
fn chunk_ranges(pop: u32, most: u32) -> impl Iterator<Item = Chunk> {
    (0..pop).step_by(most as usize).map(move |first| Chunk {
        first,
        end: pop.min(first.saturating_add(most)),
        pad_0: 0,
        pad_1: 0,
    })
}

/// Workgroups in rows that a dimension of a dispatch can hold, with as few to spare as may be.
pub fn fold(workgroups: u32, most: u32) -> [u32; 2] {
    let rows = workgroups.div_ceil(most);
    [workgroups.div_ceil(rows), rows]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn chunks_cover_everybody_once(pop in 1u32..200_000, most in 1u32..70_000) {
            let mut next = 0;
            for chunk in chunk_ranges(pop, most) {
                prop_assert_eq!(chunk.first, next);
                prop_assert!(chunk.end > chunk.first && chunk.end - chunk.first <= most);
                next = chunk.end;
            }
            prop_assert_eq!(next, pop);
        }

        #[test]
        fn folds_hold_all_workgroups(workgroups in 1u32..1 << 24, most in 4096u32..=65_535) {
            let [x, y] = fold(workgroups, most);
            prop_assert!(x <= most && y <= most);
            prop_assert!(x * y >= workgroups);
            prop_assert!(x * y - workgroups < y, "less than one workgroup a row to spare");
        }
    }
}
