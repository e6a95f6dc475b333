//! The GPU engine: the kernels of `shaders/` through wgpu. The only module that knows wgpu.
//!
//! The population stays on the device. Many generations go into one submission; a small record
//! of each comes back. When a generation is solved, the kernels of the rest of the submission
//! do nothing, so the population is that generation's whatever the size of the batch.

pub mod adapter;
mod buffers;
mod layout;
pub mod shaders;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_channel::oneshot;
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, Buffer, BufferDescriptor, BufferUsages,
    CommandEncoder, ComputePass, ComputePipeline, Device, MapMode, Queue,
};

use self::adapter::{AdapterChoice, AdapterInfo};
use self::buffers::{Buffers, chunks, constant, fold, storage};
use self::layout::{BreedParams, EliteParams, State};
use self::shaders::{Kernel, Lanes, Variant};
use super::tables::Tables;
use crate::error::Error;
use crate::plan::{Learn, Plan, Vary};
use crate::population::{Population, Record, words_for};
use crate::problem::{Geometry, Puzzle};

/// Records that the device keeps, and so generations of a submission.
pub const MAX_BATCH: u32 = 1024;

/// Twin of `CUT_SHORT` in `shaders/shared/tile.wgsl`.
const CUT_SHORT: u32 = u32::MAX;

/// No submission takes this long unless the device hangs; compilation at first use included.
const PATIENCE: Duration = Duration::from_secs(120);

/// The GPU engine.
pub struct GpuEngine {
    info: AdapterInfo,
    variant: Variant,
    geometry: Geometry,
    pop: usize,
    device: Device,
    queue: Queue,
    /// The first error that the device reported outside of a call that could return it.
    fault: Arc<Mutex<Option<String>>>,
    buffers: Buffers,
    chunks: Vec<(u32, Buffer)>,
    pipelines: Vec<(Kernel, ComputePipeline)>,
    program: Option<Program>,
    generation: u32,
    solved: bool,
}

/// A plan with everything bound, for even and odd generations.
struct Program {
    plan: Plan,
    steps: [Vec<Step>; 2],
}

/// One kernel to dispatch: once, or once for every chunk of the population.
struct Step {
    kernel: Kernel,
    bindings: BindGroup,
    /// Workgroups in x and y, and the chunk's bindings.
    chunks: Vec<([u32; 2], BindGroup)>,
}

impl GpuEngine {
    /// An engine for a puzzle on an adapter. `lanes` overrides the layout of the work, which is
    /// otherwise chosen for the adapter.
    pub async fn new(
        puzzle: &Puzzle,
        pop: usize,
        seed: u64,
        choice: &AdapterChoice,
        lanes: Option<Lanes>,
    ) -> Result<Self, Error> {
        let (adapter, info) = adapter::choose(choice).await?;
        let geometry = puzzle.geometry();
        let lanes = lanes.unwrap_or_else(|| layout_for(&info, geometry));
        let variant = Variant {
            size: geometry.size(),
            lanes,
        };
        check_limits(&info, variant, geometry, pop)?;

        let failed = |reason: String| Error::Device {
            adapter: info.name.clone(),
            reason,
        };
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("gpusudoku"),
                required_limits: adapter.limits(),
                ..Default::default()
            })
            .await
            .map_err(|error| failed(error.to_string()))?;
        let fault = Arc::new(Mutex::new(None));
        let note = {
            let fault = fault.clone();
            move |reason: String| {
                fault
                    .lock()
                    .unwrap_or_else(|e| e.into_inner())
                    .get_or_insert(reason);
            }
        };
        let lost = note.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| note(error.to_string())));
        device.set_device_lost_callback(move |reason, message| {
            // Dropping the device at the end of a run is reported as well.
            if reason != wgpu::DeviceLostReason::Destroyed {
                lost(format!("the device was lost: {message}"));
            }
        });

        let tables = Tables::new(puzzle);
        let buffers = Buffers::new(&device, &tables, variant, pop, seed);
        let chunks = chunks(&device, variant, pop);
        let mut engine = Self {
            info,
            variant,
            geometry,
            pop,
            device,
            queue,
            fault,
            buffers,
            chunks,
            pipelines: Vec::new(),
            program: None,
            generation: 0,
            solved: false,
        };
        engine.compile(Kernel::Initialise);
        engine.compile(Kernel::Survey);
        engine.check_fault()?;
        Ok(engine)
    }

    /// The adapter in use.
    pub fn info(&self) -> &AdapterInfo {
        &self.info
    }

    /// The layout of the work in use.
    pub fn lanes(&self) -> Lanes {
        self.variant.lanes
    }

    /// Bytes on the device that grow with the population, per individual.
    pub fn bytes_per_individual(&self) -> usize {
        let buffers = &self.buffers;
        let bytes: u64 = buffers
            .words
            .iter()
            .chain(&buffers.fitness)
            .map(Buffer::size)
            .sum();
        bytes as usize / self.pop
    }

    /// Makes the initial population, generation 0.
    pub async fn initialise(&mut self) -> Result<Record, Error> {
        self.queue
            .write_buffer(&self.buffers.state, 0, bytemuck::bytes_of(&State::START));
        let steps = [
            self.bind(Kernel::Initialise, 0, None),
            self.bind(Kernel::Survey, 0, None),
        ];
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for step in &steps {
            self.dispatch(&mut pass, step);
        }
        drop(pass);
        let records = self.submit_for_records(encoder, 0, 1).await?;
        self.check_records(0, &records)?;
        self.note(&records);
        Ok(records[0])
    }

    /// Runs generations until one is solved, at most so many and at most [`MAX_BATCH`].
    pub async fn advance(&mut self, plan: &Plan, generations: u32) -> Result<Vec<Record>, Error> {
        let generations = generations.min(MAX_BATCH);
        if self.solved || generations == 0 {
            return Ok(Vec::new());
        }
        self.prepare(plan)?;
        let program = self.program.as_ref().expect("prepared above");
        let first = self.generation.wrapping_add(1);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for at in 0..generations {
            for step in &program.steps[first.wrapping_add(at) as usize % 2] {
                self.dispatch(&mut pass, step);
            }
        }
        drop(pass);
        let mut records = self.submit_for_records(encoder, first, generations).await?;
        if let Some(solved) = records.iter().position(Record::solved) {
            records.truncate(solved + 1);
        }
        self.check_records(first, &records)?;
        self.note(&records);
        Ok(records)
    }

    /// Evaluates the current population anew.
    pub async fn evaluate(&mut self) -> Result<(), Error> {
        self.compile(Kernel::Evaluate);
        let step = self.bind(Kernel::Evaluate, self.generation, None);
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        self.dispatch(&mut pass, &step);
        drop(pass);
        self.submit_for_records(encoder, self.generation, 1).await?;
        Ok(())
    }

    /// Puts another population in place of the current one.
    ///
    /// # Panics
    /// If it has another size or geometry.
    pub fn load(&mut self, population: &Population) {
        assert_eq!(population.geometry(), self.geometry);
        assert_eq!(population.len(), self.pop);
        let current = self.generation as usize % 2;
        let (words, fitness) = (population.words(), population.fitness());
        let to = &self.buffers;
        self.queue
            .write_buffer(&to.words[current], 0, bytemuck::cast_slice(words));
        self.queue
            .write_buffer(&to.fitness[current], 0, bytemuck::cast_slice(fitness));
    }

    /// The current population, copied from the device.
    pub async fn population(&mut self) -> Result<Population, Error> {
        let current = self.generation as usize % 2;
        let words = self.download(&self.buffers.words[current]).await?;
        let fitness = self.download(&self.buffers.fitness[current]).await?;
        Ok(Population::from_parts(self.geometry, words, fitness))
    }

    /// Refuses what kernels that ran as they should cannot have written.
    fn check_records(&self, first: u32, records: &[Record]) -> Result<(), Error> {
        if records.iter().any(|record| record.worst == CUT_SHORT) {
            let reason = "its driver cuts long loops short; use --backend cpu";
            return Err(self.failed(reason.to_owned()));
        }
        let pop = self.pop as u32;
        for (at, record) in (0..).zip(records) {
            let known = record.generation == first.wrapping_add(at);
            if !known || record.best_at >= pop || record.worst_at >= pop {
                return Err(self.failed(format!("it returned nonsense: {record:?}")));
            }
        }
        Ok(())
    }

    fn note(&mut self, records: &[Record]) {
        if let Some(last) = records.last() {
            self.generation = last.generation;
            self.solved = last.solved();
        }
    }

    /// Binds a plan, unless it is the one already bound.
    fn prepare(&mut self, plan: &Plan) -> Result<(), Error> {
        if self
            .program
            .as_ref()
            .is_some_and(|program| program.plan == *plan)
        {
            return Ok(());
        }
        let mut steps = [Vec::new(), Vec::new()];
        let Vary::Breed(breed) = &plan.vary;
        let params = self.params(Kernel::Breed, bytemuck::bytes_of(&BreedParams::from(breed)));
        self.compile(Kernel::Breed);
        for (parity, steps) in (0..).zip(&mut steps) {
            steps.push(self.bind(Kernel::Breed, parity, Some(&params)));
            steps.push(self.bind(Kernel::Survey, parity, None));
        }
        if let Some(Learn::Elite(elite)) = &plan.learn {
            self.make_room_for_elites(elite.size)?;
            let params = self.params(Kernel::Elite, bytemuck::bytes_of(&EliteParams::from(elite)));
            self.compile(Kernel::Elite);
            for (parity, steps) in (0..).zip(&mut steps) {
                steps.push(self.bind(Kernel::Elite, parity, Some(&params)));
            }
        }
        self.program = Some(Program {
            plan: plan.clone(),
            steps,
        });
        Ok(())
    }

    /// A queue of another length starts empty.
    fn make_room_for_elites(&mut self, size: u32) -> Result<(), Error> {
        if self.buffers.elites.0 == size {
            return Ok(());
        }
        let words_each = 1 + words_for(self.geometry.cells());
        let fits = self.info.max_storage_binding as usize / (4 * words_each);
        if size as usize > fits {
            return Err(Error::BadValue {
                key: "elite".to_owned(),
                value: size.to_string(),
                expected: format!("at most {fits} on the adapter {}", self.info.name),
            });
        }
        let words = size as usize * words_each;
        let elites = storage(&self.device, "elites", 4 * words, BufferUsages::empty());
        self.buffers.elites = (size, elites);
        let empty = [
            State::START.elite_count,
            State::START.elite_next,
            State::START.best_ever,
        ];
        self.queue.write_buffer(
            &self.buffers.state,
            std::mem::offset_of!(State, elite_count) as u64,
            bytemuck::cast_slice(&empty),
        );
        Ok(())
    }

    fn compile(&mut self, kernel: Kernel) {
        if self.pipelines.iter().any(|(known, _)| *known == kernel) {
            return;
        }
        let module = self
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(kernel.name()),
                source: wgpu::ShaderSource::Wgsl(kernel.source(self.variant).into()),
            });
        let pipeline = self
            .device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(kernel.name()),
                layout: None,
                module: &module,
                entry_point: None,
                compilation_options: wgpu::PipelineCompilationOptions {
                    // Every tile is written before it is read.
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            });
        self.pipelines.push((kernel, pipeline));
    }

    fn pipeline(&self, kernel: Kernel) -> &ComputePipeline {
        let found = self.pipelines.iter().find(|(known, _)| *known == kernel);
        &found.expect("kernels are compiled before they are bound").1
    }

    /// The buffers of a kernel for a generation, by the binding numbers of the shaders.
    fn bind(&self, kernel: Kernel, generation: u32, params: Option<&Buffer>) -> Step {
        let buffers = &self.buffers;
        let new = generation as usize % 2;
        let old = match kernel {
            Kernel::Evaluate => new,
            _ => 1 - new,
        };
        let buffer = |binding| match binding {
            0 => &buffers.run,
            1 => &buffers.puzzle,
            2 => &buffers.state,
            3 => &buffers.words[old],
            4 => &buffers.fitness[old],
            5 => &buffers.words[new],
            6 => &buffers.fitness[new],
            7 => params.expect("this kernel has parameters"),
            8 => &buffers.records,
            9 => &buffers.elites.1,
            _ => unreachable!("no kernel has more bindings"),
        };
        let bindings: &[u32] = match kernel {
            Kernel::Initialise => &[0, 1, 5, 6],
            Kernel::Breed => &[0, 1, 2, 3, 4, 5, 6, 7],
            Kernel::Evaluate => &[0, 3, 6],
            Kernel::Survey => &[0, 2, 6, 8],
            Kernel::Elite => &[0, 1, 2, 5, 6, 7, 8, 9],
        };
        let entries: Vec<_> = bindings
            .iter()
            .map(|&binding| BindGroupEntry {
                binding,
                resource: buffer(binding).as_entire_binding(),
            })
            .collect();
        let bindings = self.device.create_bind_group(&BindGroupDescriptor {
            label: Some(kernel.name()),
            layout: &self.pipeline(kernel).get_bind_group_layout(0),
            entries: &entries,
        });
        let chunks = match kernel {
            Kernel::Survey | Kernel::Elite => Vec::new(),
            _ => self
                .chunks
                .iter()
                .map(|chunk| self.bind_chunk(kernel, chunk))
                .collect(),
        };
        Step {
            kernel,
            bindings,
            chunks,
        }
    }

    fn bind_chunk(
        &self,
        kernel: Kernel,
        (individuals, chunk): &(u32, Buffer),
    ) -> ([u32; 2], BindGroup) {
        let workgroups = individuals.div_ceil(self.variant.individuals() as u32);
        let bindings = self.device.create_bind_group(&BindGroupDescriptor {
            label: Some("chunk"),
            layout: &self.pipeline(kernel).get_bind_group_layout(1),
            entries: &[BindGroupEntry {
                binding: 0,
                resource: chunk.as_entire_binding(),
            }],
        });
        (fold(workgroups, self.info.max_workgroups), bindings)
    }

    fn dispatch(&self, pass: &mut ComputePass<'_>, step: &Step) {
        pass.set_pipeline(self.pipeline(step.kernel));
        pass.set_bind_group(0, &step.bindings, &[]);
        if step.chunks.is_empty() {
            pass.dispatch_workgroups(1, 1, 1);
        }
        for ([x, y], bindings) in &step.chunks {
            pass.set_bind_group(1, bindings, &[]);
            pass.dispatch_workgroups(*x, *y, 1);
        }
    }

    /// Submits work and returns the records of these generations.
    async fn submit_for_records(
        &self,
        mut encoder: CommandEncoder,
        first: u32,
        count: u32,
    ) -> Result<Vec<Record>, Error> {
        const SIZE: u64 = size_of::<Record>() as u64;
        let staging = &self.buffers.staging;
        // The records stand in a ring: to its end, then from its start.
        let start = first % MAX_BATCH;
        let before_end = count.min(MAX_BATCH - start);
        for (from, to, count) in [(start, 0, before_end), (0, before_end, count - before_end)] {
            if count > 0 {
                encoder.copy_buffer_to_buffer(
                    &self.buffers.records,
                    u64::from(from) * SIZE,
                    staging,
                    u64::from(to) * SIZE,
                    u64::from(count) * SIZE,
                );
            }
        }
        self.read_staging(encoder, staging, u64::from(count) * SIZE)
            .await
    }

    async fn download(&self, buffer: &Buffer) -> Result<Vec<u32>, Error> {
        let staging = self.device.create_buffer(&BufferDescriptor {
            label: Some("download"),
            size: buffer.size(),
            usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &staging, 0, buffer.size());
        self.read_staging(encoder, &staging, buffer.size()).await
    }

    /// Submits, waits at most [`PATIENCE`], and reads what arrived.
    async fn read_staging<T: bytemuck::Pod>(
        &self,
        encoder: CommandEncoder,
        staging: &Buffer,
        bytes: u64,
    ) -> Result<Vec<T>, Error> {
        let submission = self.queue.submit([encoder.finish()]);
        let (send, receive) = oneshot::channel();
        staging.map_async(MapMode::Read, 0..bytes, move |result| {
            // Nobody listens any more if the wait below was given up.
            let _ = send.send(result);
        });
        // In a browser the page's event loop does this.
        let polled = self.device.poll(wgpu::PollType::Wait {
            submission_index: Some(submission),
            timeout: Some(PATIENCE),
        });
        // What went wrong before says more than that the wait failed.
        self.check_fault()?;
        polled.map_err(|error| self.failed(error.to_string()))?;
        receive
            .await
            .map_err(|_| self.failed("it dropped a request".to_owned()))?
            .map_err(|error| self.failed(error.to_string()))?;
        let values = {
            let view = staging
                .get_mapped_range(0..bytes)
                .map_err(|error| self.failed(error.to_string()))?;
            bytemuck::pod_collect_to_vec(&view)
        };
        staging.unmap();
        Ok(values)
    }

    fn check_fault(&self) -> Result<(), Error> {
        let fault = self.fault.lock().unwrap_or_else(|e| e.into_inner());
        match &*fault {
            Some(reason) => Err(self.failed(reason.clone())),
            None => Ok(()),
        }
    }

    fn failed(&self, reason: String) -> Error {
        Error::Device {
            adapter: self.info.name.clone(),
            // wgpu writes a tree of causes; users get one sentence.
            reason: reason.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }

    fn params(&self, kernel: Kernel, contents: &[u8]) -> Buffer {
        constant(&self.device, kernel.name(), contents, BufferUsages::STORAGE)
    }
}

/// Software adapters run a thread per individual faster, but Mesa's ends all loops of a thread
/// after 65,535 turns: beyond 12x12 one thread could need more.
fn layout_for(info: &AdapterInfo, geometry: Geometry) -> Lanes {
    if info.software && geometry.size() <= 12 {
        Lanes::One
    } else {
        Lanes::Many
    }
}

fn check_limits(
    info: &AdapterInfo,
    variant: Variant,
    geometry: Geometry,
    pop: usize,
) -> Result<(), Error> {
    let bytes = 4 * words_for(geometry.cells());
    let fits = usize::try_from(info.max_storage_binding).unwrap_or(usize::MAX) / bytes;
    if pop > fits {
        return Err(Error::PopulationTooLarge {
            pop,
            fits,
            cells: geometry.cells(),
            place: format!("the adapter {}", info.name),
        });
    }
    let memory = variant.workgroup_memory();
    if memory > info.max_workgroup_memory as usize {
        return Err(Error::Device {
            adapter: info.name.clone(),
            reason: format!(
                "a {geometry} needs {memory} bytes of workgroup memory and it has {}; use --backend cpu",
                info.max_workgroup_memory
            ),
        });
    }
    Ok(())
}
