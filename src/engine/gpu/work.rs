//! How the work of a kernel is cut into dispatches. Nothing here needs a device.

use std::ops::Range;

use super::adapter::AdapterInfo;
use super::buffers::{chunks, fold, workspace_chunks};
use super::layout::Chunk;
use super::shaders::{ProblemKind, Variant};
use crate::operators::kernel::{Dispatch, Steps};

/// The dispatches of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chunking {
    /// One workgroup.
    Once,
    /// A workgroup for every cell.
    Cells,
    /// Some things, in chunks.
    Chunks(Vec<Chunk>),
}

/// A kernel, as far as its dispatches depend on it.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// That of the problem.
    pub problem: Variant,
    /// That of the kernel, which is mapped in its own way.
    pub composed: Variant,
    /// Whether it works in a workspace.
    pub has_workspace: bool,
}

/// Individuals.
#[derive(Debug, Clone)]
pub struct Who {
    /// All of them.
    pub pop: u32,
    /// Those that this device makes.
    pub share: Range<u32>,
}

impl Who {
    /// All of a population.
    pub fn everybody(pop: u32) -> Self {
        Self { pop, share: 0..pop }
    }
}

/// The dispatches that some work on a population takes on an adapter.
pub fn chunking(info: &AdapterInfo, shape: Shape, who: &Who, dispatch: &Dispatch) -> Chunking {
    let Shape {
        problem, composed, ..
    } = shape;
    let software = info.software;
    let Who { pop, share } = who.clone();
    match dispatch {
        Dispatch::Once => Chunking::Once,
        Dispatch::Cells => Chunking::Cells,
        // As many at a time as there are workspaces.
        Dispatch::Individuals if shape.has_workspace => {
            Chunking::Chunks(workspace_chunks(software, problem, pop, share).collect())
        }
        Dispatch::Individuals => Chunking::Chunks(chunks(software, problem, share, 1).collect()),
        Dispatch::Items(count) => {
            Chunking::Chunks(chunks(software, problem, 0..*count, 1).collect())
        }
        Dispatch::Steps(Steps::Generations {
            size,
            generations,
            passes,
            turns,
        }) => {
            let child = composed.turns_per_grid() * *passes as usize + *turns as usize;
            let most = steps_per_dispatch(software, 1 << 18, child * *size as usize);
            let spans = (0..*generations).step_by(most as usize);
            // Islands are of one share each.
            let islands = share.start / size..share.end.div_ceil(*size);
            let dispatches = spans.flat_map(|before| {
                chunks(software, composed, islands.clone(), *size).map(move |chunk| Chunk {
                    before,
                    generations: most.min(generations - before),
                    ..chunk
                })
            });
            Chunking::Chunks(dispatches.collect())
        }
        Dispatch::Steps(steps @ (Steps::Moves(moves) | Steps::Draws(moves))) => {
            // A draw is one turn, but a long one: GPUs wait for memory several times, one after the other.
            let (each, on_gpus) = match steps {
                Steps::Draws(_) => (1, 1 << 16),
                _ => (composed.turns_per_move(), 1 << 20),
            };
            let most = steps_per_dispatch(software, on_gpus, each);
            let dispatches = workspace_chunks(software, problem, pop, share).flat_map(|chunk| {
                let spans = (0..*moves).step_by(most as usize);
                let steps = spans.map(move |before| Chunk {
                    before,
                    generations: most.min(moves - before),
                    ..chunk
                });
                let first = Chunk {
                    generations: 0,
                    ..chunk
                };
                std::iter::once(first).chain(steps)
            });
            Chunking::Chunks(dispatches.collect())
        }
    }
}

/// How many steps of so many turns a dispatch makes: it should not take long, and Mesa's software
/// driver ends all loops of a thread after 65,535 turns.
fn steps_per_dispatch(software: bool, on_gpus: usize, turns: usize) -> u32 {
    let most = if software { 1 << 15 } else { on_gpus };
    (most / turns).max(1) as u32
}

/// Workgroups of each dispatch, and the chunk that it works on.
pub fn workgroups(
    info: &AdapterInfo,
    shape: Shape,
    work: &Chunking,
) -> Vec<([u32; 2], Option<Chunk>)> {
    let most = info.max_workgroups;
    match work {
        Chunking::Once => vec![([1, 1], None)],
        Chunking::Cells => {
            let cells = match shape.problem.kind {
                ProblemKind::Grid => shape.problem.size * shape.problem.size,
                ProblemKind::Board => shape.problem.size,
            };
            vec![(fold(cells as u32, most), None)]
        }
        Chunking::Chunks(chunks) => {
            let each = shape.composed.individuals_of_a_workgroup() as u32;
            let dispatch = |chunk: &Chunk| {
                let workgroups = (chunk.end - chunk.first).div_ceil(each);
                (fold(workgroups, most), Some(*chunk))
            };
            chunks.iter().map(dispatch).collect()
        }
    }
}
