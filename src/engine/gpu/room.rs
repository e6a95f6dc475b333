//! The auxiliary buffer: how large it is for each kind of contents, and those as a snapshot knows them.
//! Nothing here needs a device.

use super::layout::{RunParams, State};
use crate::engine::snapshot::{Emigrants, Memory, Queue, SavedAuxiliary};
use crate::operators::kernel::Auxiliary;
use crate::population::Population;
use crate::problem::Form;

/// What the sizes of a run's auxiliary buffers depend on, in words.
#[derive(Debug, Clone, Copy)]
pub struct Rooms {
    pop: u32,
    /// Of an individual's cells.
    cells: u64,
    /// Before what individuals remember.
    memories_at: u64,
    /// Of the memory of one.
    memory: u64,
}

/// Words for each of some things, and before them.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// What users call the number of things.
    pub key: &'static str,
    pub count: u32,
    pub each: u64,
    pub before: u64,
}

impl Room {
    /// All words.
    pub fn words(self) -> u64 {
        self.before + u64::from(self.count) * self.each
    }
}

/// What a buffer has to hold, and words with their places in it.
#[derive(Debug, Default)]
pub struct Packed {
    pub contents: Auxiliary,
    pub words: Vec<(usize, Vec<u32>)>,
}

/// Whether a buffer with some contents has what is wanted. Memories have room for workspaces, too.
pub fn holds(contents: Auxiliary, wanted: Auxiliary) -> bool {
    match wanted {
        Auxiliary::Unused => true,
        Auxiliary::Workspaces => matches!(contents, Auxiliary::Workspaces | Auxiliary::Memories),
        other => contents == other,
    }
}

impl Rooms {
    /// For a run whose individuals have so many words of cells.
    pub fn new(run: &RunParams, cells: usize) -> Self {
        Self {
            pop: run.population,
            cells: cells as u64,
            memories_at: u64::from(run.memories_at),
            memory: 1 + 2 * u64::from(run.genes),
        }
    }

    /// Individuals.
    pub fn pop(&self) -> usize {
        self.pop as usize
    }

    /// The room that some contents need.
    pub fn of(&self, wanted: Auxiliary) -> Room {
        let (key, count, each, before) = match wanted {
            // A buffer has a word at least.
            Auxiliary::Unused => ("pop", 0, 0, 1),
            Auxiliary::Elites(size) => ("elite", size, 1 + self.cells, 0),
            Auxiliary::Harmonies(batch) => ("batch", batch, 2 + self.cells, 0),
            Auxiliary::Emigrants(islands) => ("islands", islands, 4 + 2 * self.cells, 0),
            Auxiliary::Workspaces => ("pop", self.pop, 0, self.memories_at),
            Auxiliary::Memories => ("pop", self.pop, self.memory, self.memories_at),
        };
        Room {
            key,
            count,
            each,
            before,
        }
    }

    /// What a snapshot keeps outside of the population, as kernels find it after one survey.
    pub fn pack(&self, saved: &SavedAuxiliary) -> Option<Packed> {
        let (contents, words) = match saved {
            SavedAuxiliary::Empty => return None,
            SavedAuxiliary::Elites(queue) => {
                let words = [queue.members.fitness(), queue.members.words()].concat();
                (Auxiliary::Elites(queue.size()), vec![(0, words)])
            }
            SavedAuxiliary::Emigrants(emigrants) => {
                let count = emigrants.best.len();
                // After one survey those of the last epoch are in the first half.
                let words = vec![
                    (0, emigrants.best.fitness().to_vec()),
                    (2 * count, vec![emigrants.departure; count]),
                    (4 * count, emigrants.best.words().to_vec()),
                ];
                (Auxiliary::Emigrants(count as u32), words)
            }
            SavedAuxiliary::Memories(memories) => {
                let mut words = Vec::new();
                for memory in memories {
                    words.push(memory.fitness.map_or(0, |fitness| fitness.wrapping_add(1)));
                    words.extend_from_slice(&memory.best);
                    words.extend(memory.velocity.iter().map(|target| target.wrapping_add(1)));
                }
                (
                    Auxiliary::Memories,
                    vec![(self.memories_at as usize, words)],
                )
            }
        };
        Some(Packed { contents, words })
    }

    /// The words of a buffer as a snapshot knows them, when the last survey was that of the state.
    pub fn unpack(
        &self,
        form: Form,
        contents: Auxiliary,
        words: &[u32],
        state: &State,
    ) -> SavedAuxiliary {
        match contents {
            Auxiliary::Elites(size) => self.elites(form, size as usize, words, state),
            Auxiliary::Emigrants(islands) => self.emigrants(form, islands as usize, words, state),
            Auxiliary::Memories => self.memories(words),
            // Harmonies come anew with each generation.
            Auxiliary::Workspaces | Auxiliary::Harmonies(_) | Auxiliary::Unused => {
                SavedAuxiliary::Empty
            }
        }
    }

    /// The fitness of every elite, then their cells; how many there are is in the state.
    fn elites(&self, form: Form, size: usize, words: &[u32], state: &State) -> SavedAuxiliary {
        if state.elite_count == 0 {
            return SavedAuxiliary::Empty;
        }
        let (fitness, cells) = words.split_at(size);
        SavedAuxiliary::Elites(Queue {
            members: Population::from_parts(form, cells.to_vec(), fitness.to_vec()),
            len: state.elite_count,
            next: state.elite_next,
            best_ever: state.best_ever,
        })
    }

    /// Two halves that take turns: fitness, when they left, then cells.
    fn emigrants(&self, form: Form, count: usize, words: &[u32], state: &State) -> SavedAuxiliary {
        let half = state.surveys.wrapping_sub(1) as usize % 2 * count;
        let stride = self.cells as usize;
        let departure = words[2 * count + half];
        if departure != state.generation || departure == 0 {
            return SavedAuxiliary::Empty;
        }
        let fitness = words[half..][..count].to_vec();
        let cells = words[4 * count + half * stride..][..count * stride].to_vec();
        SavedAuxiliary::Emigrants(Emigrants {
            best: Population::from_parts(form, cells, fitness),
            departure,
        })
    }

    /// For each individual its best fitness and 1, or 0; its genes then; its velocity, and 1.
    fn memories(&self, words: &[u32]) -> SavedAuxiliary {
        let each = self.memory as usize;
        let memory = |words: &[u32]| {
            let (best, velocity) = words[1..].split_at((each - 1) / 2);
            Memory {
                fitness: words[0].checked_sub(1),
                best: best.to_vec(),
                velocity: velocity
                    .iter()
                    .map(|target| target.wrapping_sub(1))
                    .collect(),
            }
        };
        let memories = words[self.memories_at as usize..].chunks_exact(each);
        SavedAuxiliary::Memories(memories.map(memory).collect())
    }
}
