//! What is on the device as the host and the other engine know it, and back.

use wgpu::{Buffer, BufferDescriptor, BufferUsages};

use super::GpuEngine;
use super::layout::State;
use crate::engine::snapshot::{Champion, Emigrants, Memory, Queue, SavedAuxiliary, Snapshot};
use crate::error::Error;
use crate::operators::kernel::Auxiliary;
use crate::population::{Population, Record};

impl GpuEngine {
    /// All that another engine would have to know to go on.
    pub async fn snapshot(&mut self) -> Result<Snapshot, Error> {
        Ok(Snapshot {
            population: self.population().await?,
            record: self.record,
            champion: self.champion().await?,
            auxiliary: match self.kernels.auxiliary() {
                Auxiliary::Elites(size) => self.elites(size).await?,
                Auxiliary::Emigrants(islands) => self.emigrants(islands).await?,
                Auxiliary::Memories => self.memories().await?,
                // Harmonies come anew with each generation.
                Auxiliary::Workspaces | Auxiliary::Harmonies(_) | Auxiliary::Unused => {
                    SavedAuxiliary::Empty
                }
            },
        })
    }

    /// Goes on from there. The population is taken as it is: [`crate::engine::Engine::restore`] checks
    /// it.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        let record = snapshot.record;
        // The next survey is the second, and it finds its place empty.
        let second = size_of::<Record>() as u64;
        self.record = record;
        self.surveys = 1;
        self.load(&snapshot.population);
        let state = State {
            generation: record.generation,
            best_at: record.best_at,
            surveys: 1,
            done: u32::from(record.solved()),
            reinitialised: record.reinitialised,
            ..State::START
        };
        let buffers = &self.kernels.buffers;
        self.context
            .write(&buffers.state, 0, bytemuck::bytes_of(&state));
        let empty = Record::default();
        self.context
            .write(&buffers.records, second, bytemuck::bytes_of(&empty));
        self.solved = record.solved();
        self.set_champion(snapshot.champion.as_ref());
        match &snapshot.auxiliary {
            SavedAuxiliary::Empty => self.kernels.vacate(),
            SavedAuxiliary::Elites(queue) => {
                self.kernels.keep(Auxiliary::Elites(queue.size()))?;
                let queued = [queue.len, queue.next, queue.best_ever];
                self.context.write(
                    &self.kernels.buffers.state,
                    std::mem::offset_of!(State, elite_count) as u64,
                    bytemuck::cast_slice(&queued),
                );
                let (words, fitness) = (queue.members.words(), queue.members.fitness());
                self.write_auxiliary(0, &[fitness, words].concat());
            }
            SavedAuxiliary::Emigrants(emigrants) => {
                let count = emigrants.best.len();
                self.kernels.keep(Auxiliary::Emigrants(count as u32))?;
                // After one survey those of the last epoch are in the first half.
                let (words, fitness) = (emigrants.best.words(), emigrants.best.fitness());
                self.write_auxiliary(0, fitness);
                self.write_auxiliary(2 * count, &vec![emigrants.departure; count]);
                self.write_auxiliary(4 * count, words);
            }
            SavedAuxiliary::Memories(memories) => {
                self.kernels.keep(Auxiliary::Memories)?;
                let mut words = Vec::new();
                for memory in memories {
                    words.push(memory.fitness.map_or(0, |fitness| fitness.wrapping_add(1)));
                    words.extend_from_slice(&memory.best);
                    words.extend(memory.velocity.iter().map(|target| target.wrapping_add(1)));
                }
                self.write_auxiliary(self.kernels.buffers.memories_at as usize, &words);
            }
        }
        Ok(())
    }

    /// The best individual of the run so far; nothing before the first survey.
    pub async fn champion(&self) -> Result<Option<Champion>, Error> {
        let mut words: Vec<u32> = self.read(&self.kernels.buffers.champion).await?;
        let cells = words.split_off(2);
        let [fitness, generation] = words[..] else {
            return Err(self.failed("its copy of the best individual is cut short".to_owned()));
        };
        Ok((fitness != u32::MAX).then(|| Champion {
            individual: Population::from_parts(self.form, cells, vec![fitness]),
            generation,
        }))
    }

    /// Goes on with another one.
    pub(super) fn set_champion(&self, champion: Option<&Champion>) {
        let words = match champion {
            None => vec![u32::MAX, 0],
            Some(champion) => {
                let individual = &champion.individual;
                let head = [individual.fitness()[0], champion.generation];
                [&head, individual.words()].concat()
            }
        };
        let to = &self.kernels.buffers.champion;
        self.context.write(to, 0, bytemuck::cast_slice(&words));
    }

    /// The fitness of every elite, then their cells; how many there are is in the state.
    async fn elites(&self, size: u32) -> Result<SavedAuxiliary, Error> {
        let buffers = &self.kernels.buffers;
        let state: Vec<State> = self.read(&buffers.state).await?;
        let State {
            elite_count: len,
            elite_next: next,
            best_ever,
            ..
        } = state[0];
        if len == 0 {
            return Ok(SavedAuxiliary::Empty);
        }
        let mut fitness: Vec<u32> = self.read(&buffers.auxiliary).await?;
        let words = fitness.split_off(size as usize);
        Ok(SavedAuxiliary::Elites(Queue {
            members: Population::from_parts(self.form, words, fitness),
            len,
            next,
            best_ever,
        }))
    }

    /// Two halves that take turns: fitness, when they left, then cells.
    async fn emigrants(&self, islands: u32) -> Result<SavedAuxiliary, Error> {
        let words: Vec<u32> = self.read(&self.kernels.buffers.auxiliary).await?;
        let islands = islands as usize;
        let half = self.surveys.wrapping_sub(1) as usize % 2 * islands;
        let stride = self.kernels.buffers.cell_words as usize;
        let departure = words[2 * islands + half];
        if departure != self.record.generation || departure == 0 {
            return Ok(SavedAuxiliary::Empty);
        }
        let fitness = words[half..][..islands].to_vec();
        let cells = words[4 * islands + half * stride..][..islands * stride].to_vec();
        Ok(SavedAuxiliary::Emigrants(Emigrants {
            best: Population::from_parts(self.form, cells, fitness),
            departure,
        }))
    }

    /// For each individual its best fitness and 1, or 0; its genes then; its velocity, and 1.
    async fn memories(&self) -> Result<SavedAuxiliary, Error> {
        let words: Vec<u32> = self.read(&self.kernels.buffers.auxiliary).await?;
        let each = self.kernels.buffers.memory_words as usize;
        let memories = words[self.kernels.buffers.memories_at as usize..].chunks_exact(each);
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
        Ok(SavedAuxiliary::Memories(memories.map(memory).collect()))
    }

    fn write_auxiliary(&self, word: usize, words: &[u32]) {
        let at = 4 * word as u64;
        self.context.write(
            &self.kernels.buffers.auxiliary,
            at,
            bytemuck::cast_slice(words),
        );
    }

    /// All of a buffer.
    async fn read<T: bytemuck::Pod>(&self, buffer: &Buffer) -> Result<Vec<T>, Error> {
        let staging = self.context.device.create_buffer(&BufferDescriptor {
            label: Some("snapshot"),
            size: buffer.size(),
            usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = self
            .context
            .device
            .create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
        self.read_staging(encoder, &staging, buffer.size()).await
    }
}
