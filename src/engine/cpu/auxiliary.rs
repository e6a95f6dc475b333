//! What the native engine keeps beside the population.

use super::permutations::blank_memories;
use crate::engine::snapshot::{Memory, Queue, SavedAuxiliary};
use crate::operators::grids::islands::Migration;
use crate::population::Population;

/// Individuals beside the population. There is room for one kind, as on the GPU: who needs
/// another finds it empty.
pub(crate) enum AuxiliaryStore {
    /// Nobody.
    Empty,
    /// Elites that teach.
    Elites(Queue),
    /// Improvisations that want a place in the memory.
    Harmonies(Population),
    /// The best of each island.
    Emigrants(Migration),
    /// What particles and agents remember.
    Memories(Vec<Memory>),
}

impl AuxiliaryStore {
    pub fn elites(&mut self, like: &Population, size: u32) -> &mut Queue {
        if !matches!(self, Self::Elites(queue) if queue.size() == size) {
            *self = Self::Elites(Queue::new(like.form(), size));
        }
        match self {
            Self::Elites(queue) => queue,
            _ => unreachable!("made above"),
        }
    }

    pub fn harmonies(&mut self, like: &Population, batch: usize) -> &mut Population {
        if !matches!(self, Self::Harmonies(harmonies) if harmonies.len() == batch) {
            *self = Self::Harmonies(Population::zeroed(like.form(), batch));
        }
        match self {
            Self::Harmonies(harmonies) => harmonies,
            _ => unreachable!("made above"),
        }
    }

    pub fn migration(&mut self) -> &mut Migration {
        if !matches!(self, Self::Emigrants(_)) {
            *self = Self::Emigrants(Migration::default());
        }
        match self {
            Self::Emigrants(migration) => migration,
            _ => unreachable!("made above"),
        }
    }

    /// On a GPU the workspaces of permutation kernels may need the room; memories stay beside them.
    pub fn make_room(&mut self) {
        if !matches!(self, Self::Memories(_)) {
            *self = Self::Empty;
        }
    }

    /// Who is new remembers nothing.
    pub fn forget(&mut self) {
        if let Self::Memories(_) = self {
            *self = Self::Empty;
        }
    }

    /// What the generation after this one will find of it. Harmonies come anew with each, and emigrants
    /// have to be there at once.
    pub fn lasting(&self, generation: u32) -> SavedAuxiliary {
        match self {
            Self::Elites(queue) => SavedAuxiliary::Elites(queue.clone()),
            Self::Emigrants(Migration {
                last: Some(emigrants),
                ..
            }) if emigrants.departure == generation => SavedAuxiliary::Emigrants(emigrants.clone()),
            Self::Memories(memories) => SavedAuxiliary::Memories(memories.clone()),
            Self::Empty | Self::Harmonies(_) | Self::Emigrants(_) => SavedAuxiliary::Empty,
        }
    }

    pub fn memories(&mut self, genes: usize, pop: usize) -> &mut Vec<Memory> {
        if !matches!(self, Self::Memories(_)) {
            *self = Self::Memories(blank_memories(genes, pop));
        }
        match self {
            Self::Memories(memories) => memories,
            _ => unreachable!("made above"),
        }
    }
}

impl From<&SavedAuxiliary> for AuxiliaryStore {
    fn from(saved: &SavedAuxiliary) -> Self {
        match saved {
            SavedAuxiliary::Empty => Self::Empty,
            SavedAuxiliary::Elites(queue) => Self::Elites(queue.clone()),
            SavedAuxiliary::Emigrants(emigrants) => {
                Self::Emigrants(Migration::bringing(emigrants.clone()))
            }
            SavedAuxiliary::Memories(memories) => Self::Memories(memories.clone()),
        }
    }
}
