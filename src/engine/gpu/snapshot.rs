//! What is on the device as the host and the other engine know it, and back.

use wgpu::{Buffer, BufferDescriptor, BufferUsages};

use super::GpuEngine;
use super::layout::State;
use crate::engine::snapshot::{Champion, SavedAuxiliary, Snapshot};
use crate::error::Error;
use crate::operators::kernel::Auxiliary;
use crate::population::{Population, Record};
use crate::problem::Form;

impl GpuEngine {
    /// All that another engine would have to know to go on.
    pub async fn snapshot(&mut self) -> Result<Snapshot, Error> {
        Ok(Snapshot {
            population: self.population().await?,
            record: self.record,
            champion: self.champion().await?,
            auxiliary: self.saved_auxiliary().await?,
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
        let state = State::after(snapshot);
        let buffers = &self.kernels.buffers;
        self.context
            .write(&buffers.state, 0, bytemuck::bytes_of(&state));
        let empty = Record::default();
        self.context
            .write(&buffers.records, second, bytemuck::bytes_of(&empty));
        self.solved = record.solved();
        self.set_champion(snapshot.champion.as_ref());
        self.keep_beside(&snapshot.auxiliary)?;
        // New room has reset the queue.
        let buffers = &self.kernels.buffers;
        self.context
            .write(&buffers.state, 0, bytemuck::bytes_of(&state));
        Ok(())
    }

    /// Puts beside the population what is to be there.
    pub(super) fn keep_beside(&mut self, saved: &SavedAuxiliary) -> Result<(), Error> {
        let Some(packed) = self.kernels.buffers.room.pack(saved) else {
            self.kernels.vacate();
            return Ok(());
        };
        self.kernels.keep(packed.contents)?;
        let buffers = &self.kernels.buffers;
        for (at, words) in packed.words {
            let bytes = bytemuck::cast_slice(&words);
            self.context.write(&buffers.auxiliary, 4 * at as u64, bytes);
        }
        Ok(())
    }

    /// Goes on as if the population were of this generation, and not solved. It stays on the device, but moves to
    /// the other buffer if such generations are there.
    pub fn set_generation(&mut self, generation: u32) {
        let populations = &self.kernels.buffers.populations;
        let [from, to] = [self.record.generation, generation].map(|it| it as usize % 2);
        if from != to {
            let mut encoder = self
                .context
                .device
                .create_command_encoder(&Default::default());
            let (from, to) = (&populations[from], &populations[to]);
            encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size());
            self.context.queue.submit([encoder.finish()]);
        }
        let at = std::mem::offset_of!(State, generation) as u64;
        let state = &self.kernels.buffers.state;
        self.context
            .write(state, at, bytemuck::bytes_of(&generation));
        self.record.generation = generation;
        self.solved = false;
        self.watch.forget();
    }

    /// The best individual of the run so far; nothing before the first survey.
    pub async fn champion(&self) -> Result<Option<Champion>, Error> {
        let words: Vec<u32> = self.read(&self.kernels.buffers.champion).await?;
        match words.len() {
            0..2 => Err(self.failed("its copy of the best individual is cut short".to_owned())),
            _ => Ok(champion_of(self.form, &words)),
        }
    }

    /// Goes on with another one.
    pub(super) fn set_champion(&self, champion: Option<&Champion>) {
        let words = champion_words(champion);
        let to = &self.kernels.buffers.champion;
        self.context.write(to, 0, bytemuck::cast_slice(&words));
    }

    pub(super) async fn saved_auxiliary(&self) -> Result<SavedAuxiliary, Error> {
        let contents = self.kernels.auxiliary();
        let buffers = &self.kernels.buffers;
        if !matches!(
            contents,
            Auxiliary::Elites(_) | Auxiliary::Emigrants(_) | Auxiliary::Memories
        ) {
            return Ok(SavedAuxiliary::Empty);
        }
        let state: Vec<State> = self.read(&buffers.state).await?;
        let words: Vec<u32> = self.read(&buffers.auxiliary).await?;
        let state = State {
            generation: self.record.generation,
            surveys: self.surveys,
            ..state[0]
        };
        let unpacked = buffers.room.unpack(self.form, contents, &words, &state);
        Ok(unpacked)
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

impl State {
    /// After a snapshot, which counts as one survey.
    pub fn after(snapshot: &Snapshot) -> Self {
        let record = &snapshot.record;
        let state = Self {
            generation: record.generation,
            best_at: record.best_at,
            surveys: 1,
            done: u32::from(record.solved()),
            reinitialised: record.reinitialised,
            ..Self::START
        };
        match &snapshot.auxiliary {
            SavedAuxiliary::Elites(queue) => Self {
                elite_count: queue.len,
                elite_next: queue.next,
                best_ever: queue.best_ever,
                ..state
            },
            _ => state,
        }
    }
}

/// The best individual of a run as kernels know it: fitness, generation, cells.
pub fn champion_words(champion: Option<&Champion>) -> Vec<u32> {
    match champion {
        None => vec![u32::MAX, 0],
        Some(champion) => {
            let individual = &champion.individual;
            let head = [individual.fitness()[0], champion.generation];
            [&head, individual.words()].concat()
        }
    }
}

/// The same the other way round.
pub fn champion_of(form: Form, words: &[u32]) -> Option<Champion> {
    let (head, cells) = words.split_at(2);
    (head[0] != u32::MAX).then(|| Champion {
        individual: Population::from_parts(form, cells.to_vec(), vec![head[0]]),
        generation: head[1],
    })
}
