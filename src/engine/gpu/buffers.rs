//! What lives on the device: buffers, and the chunks in which a population is dispatched.

use std::ops::Range;

use wgpu::{Buffer, BufferDescriptor, BufferUsages, Device};

use super::RECORDS;
use super::layout::{self, Chunk, State};
use super::room::Rooms;
use super::shaders::{ProblemKind, Variant};
use crate::engine::Setup;
use crate::engine::colouring::Colouring;
use crate::population::{Record, words_of};

/// Cells that one dispatch may cover, so that it stays well below the two seconds after which desktop drivers reset the
/// device: on GPUs 200,000 individuals of 9x9, which fill the largest several times over and take an integrated one some
/// 50 ms (predicted).
const fn cells_per_dispatch(software: bool) -> usize {
    if software { 1 << 20 } else { 1 << 24 }
}

/// Words of the workspaces of a dispatch, for the same reason.
const WORKSPACE_WORDS_PER_DISPATCH: usize = 1 << 20;

/// Words of the searches of a dispatch, which makes a limited number of moves: room for a thousand
/// of them at 49x49, half of what every adapter can bind.
const SEARCH_WORDS_PER_DISPATCH: usize = 1 << 24;

/// What lives on the device. Generation g is in population g % 2.
pub struct Buffers {
    pub run: Buffer,
    pub puzzle: Buffer,
    pub state: Buffer,
    /// The fitness of everybody, the swaps of their local search, then their cells.
    pub populations: [Buffer; 2],
    pub records: Buffer,
    /// The best individual of the run so far: fitness, generation, cells.
    pub champion: Buffer,
    /// Individuals outside of the population (elites, harmonies, emigrants), or what those in it
    /// remember, and workspaces.
    pub auxiliary: Buffer,
    /// The table that a plan's kernel reads: a model to sample, chaotic or Levy numbers.
    pub table: Buffer,
    /// What the host observes of a generation besides its record.
    pub observation: Buffer,
    pub staging: Buffer,
    /// What the auxiliary buffer has room for.
    pub room: Rooms,
}

impl Buffers {
    pub fn new(
        device: &Device,
        variant: Variant,
        setup: &Setup<'_>,
        colouring: Option<&Colouring>,
    ) -> Self {
        let (run, puzzle) = layout::pack_problem(setup, variant, colouring);
        let words = words_of(setup.instance.form());
        let each = 2 + words;
        let both = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let constants = |label, bytes: &[u8]| constant(device, label, bytes);
        Self {
            room: Rooms::new(&run, words),
            run: constants("run", bytemuck::bytes_of(&run)),
            puzzle: constants("puzzle", bytemuck::cast_slice(&puzzle)),
            state: storage(device, "state", size_of::<State>(), both),
            populations: [0, 1].map(|_| storage(device, "population", 4 * setup.pop * each, both)),
            records: storage(
                device,
                "records",
                RECORDS as usize * size_of::<Record>(),
                both,
            ),
            champion: storage(device, "champion", 4 * each, both),
            auxiliary: storage(device, "auxiliary", 4, both),
            table: storage(device, "table", 4, BufferUsages::COPY_DST),
            observation: storage(device, "observation", 4, BufferUsages::COPY_SRC),
            staging: device.create_buffer(&BufferDescriptor {
                label: Some("staging"),
                size: u64::from(RECORDS) * size_of::<Record>() as u64,
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

pub fn constant(device: &Device, label: &str, contents: &[u8]) -> Buffer {
    let buffer = device.create_buffer(&BufferDescriptor {
        label: Some(label),
        size: contents.len().max(4) as u64,
        usage: BufferUsages::STORAGE | BufferUsages::COPY_DST,
        mapped_at_creation: true,
    });
    // A device that is lost or full has no room, and tells so elsewhere.
    if let Ok(mut room) = buffer.get_mapped_range_mut(..contents.len() as u64) {
        room.slice(..).copy_from_slice(contents);
    }
    buffer.unmap();
    buffer
}

/// Things in pieces that a dispatch can do in good time; each is so many
/// individuals.
pub fn chunks(
    software: bool,
    variant: Variant,
    items: Range<u32>,
    individuals: u32,
) -> impl Iterator<Item = Chunk> {
    let cells = match variant.kind {
        ProblemKind::Grid => variant.size * variant.size,
        ProblemKind::Board => variant.size,
    };
    let most = cells_per_dispatch(software) / (cells * individuals as usize);
    chunk_ranges(items, most.max(1) as u32)
}

/// A share of so many individuals in pieces for which there are enough workspaces.
pub fn workspace_chunks(
    software: bool,
    variant: Variant,
    pop: u32,
    share: Range<u32>,
) -> impl Iterator<Item = Chunk> {
    let most = match workspaces(variant, pop as usize) {
        0 => chunks(software, variant, 0..pop, 1)
            .next()
            .map_or(1, |chunk| chunk.end),
        workspaces => workspaces as u32,
    };
    chunk_ranges(share, most)
}

/// Workspaces in storage, for which a workgroup has no room, or searches that dispatches hand on.
pub fn workspaces(variant: Variant, pop: usize) -> usize {
    let words = match (variant.lists, variant.workspace_in_storage()) {
        (Some(_), _) => SEARCH_WORDS_PER_DISPATCH,
        (None, true) => WORKSPACE_WORDS_PER_DISPATCH,
        (None, false) => return 0,
    };
    (words / variant.spilled_words()).clamp(1, pop)
}

/// Items in pieces of at most so many.
fn chunk_ranges(items: Range<u32>, most: u32) -> impl Iterator<Item = Chunk> {
    let end = items.end;
    items.step_by(most as usize).map(move |first| Chunk {
        first,
        end: end.min(first.saturating_add(most)),
        before: 0,
        generations: 1,
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
        fn chunks_cover_everybody_once(first in 0u32..9, pop in 9u32..200_000, most in 1u32..70_000) {
            let mut next = first;
            for chunk in chunk_ranges(first..pop, most) {
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
