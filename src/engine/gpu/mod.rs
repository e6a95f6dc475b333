//! The GPU engine: the kernels of `shaders/` through wgpu. The only module that knows wgpu.
//!
//! The population stays on the device. Many generations go into one submission; a small record
//! of each comes back. When a generation is solved, the kernels of the rest of the submission
//! do nothing, so the population is that generation's whatever the size of the batch.

pub mod adapter;
mod buffers;
mod layout;
mod profile;
mod program;
pub mod shaders;
mod snapshot;
mod station;

use std::cell::Cell;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

use futures_channel::oneshot;
use wgpu::{Buffer, BufferDescriptor, BufferUsages, CommandEncoder, MapMode};

use self::adapter::{AdapterChoice, AdapterInfo};
use self::buffers::Buffers;
use self::layout::State;
pub use self::profile::KernelTime;
use self::program::Program;
use self::shaders::{Kernel, Lanes, Lists, Variant};
use self::station::Station;
pub use self::station::Traffic;
use super::colouring::Colouring;
use super::faults::{self, Fault};
use super::tables::brick_width;
use super::{Setup, best_of};
use crate::error::Error;
use crate::plan::{Encoding, Family, Learn, Plan, Representation, Start, Variation};
use crate::population::{Population, Record, words_of};
use crate::problem::{Form, Geometry};

/// Records that the device keeps, in a ring.
const RECORDS: u32 = 1024;

/// Surveys of a submission: each clears the way for the next one.
pub const MAX_BATCH: u32 = RECORDS - 1;

/// Submissions of a batch, at most: while the device works on one, the host encodes the next.
const SUBMISSIONS: u32 = 5;

/// Twin of `CUT_SHORT` in `shaders/shared/loops.wgsl`.
const CUT_SHORT: u32 = u32::MAX;

/// No submission takes this long unless the device hangs; compilation at first use included. Software
/// does not hang as devices do, but shares its processors with whatever else there is.
const PATIENCE: Duration = Duration::from_secs(120);
const PATIENCE_WITH_SOFTWARE: Duration = Duration::from_secs(900);

thread_local! {
    static WAITING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread waits for a device: a panic is nothing but the news that it is lost, then, and
/// no hook needs to print it.
pub fn waits() -> bool {
    WAITING.get()
}

/// The GPU engine.
pub struct GpuEngine {
    station: Station,
    form: Form,
    representation: Representation,
    pop: usize,
    goal: u32,
    diversity: bool,
    program: Program,
    /// Where populations come down, made when the first one does.
    download: Option<Buffer>,
    /// Of the last generation.
    record: Record,
    surveys: u32,
    solved: bool,
}

impl GpuEngine {
    /// An engine on an adapter. `lanes` overrides the layout of the work, which is otherwise
    /// chosen for the adapter.
    pub async fn new(
        setup: &Setup<'_>,
        choice: &AdapterChoice,
        lanes: Option<Lanes>,
    ) -> Result<Self, Error> {
        Self::build(setup, choice, lanes, false).await
    }

    /// The same, with the adapter's timestamps if it has them, for [`GpuEngine::profile`].
    pub async fn timed(
        setup: &Setup<'_>,
        choice: &AdapterChoice,
        lanes: Option<Lanes>,
    ) -> Result<Self, Error> {
        Self::build(setup, choice, lanes, true).await
    }

    async fn build(
        setup: &Setup<'_>,
        choice: &AdapterChoice,
        lanes: Option<Lanes>,
        timed: bool,
    ) -> Result<Self, Error> {
        let station = Station::open(choice, timed).await?;
        let info = &station.info;
        let form = setup.instance.form();
        let colouring = Colouring::of(setup);
        let variant = match form {
            Form::Grid(geometry) => {
                let lanes =
                    lanes.unwrap_or_else(|| layout_for(info, geometry, setup.representation));
                let variant = Variant::grid(geometry.size(), lanes);
                Variant {
                    block_width: geometry.boxes().map_or(0, |shape| shape.cols),
                    brick_width: brick_width(geometry, setup.representation.encoding),
                    lists: colouring.as_ref().map(|colouring| Lists {
                        vertices: colouring.vertices.len(),
                        choices: colouring.digits.len(),
                        longest: colouring.longest_list(),
                    }),
                    ..variant
                }
            }
            Form::Placement(queens) => Variant::board(queens),
        };
        check_limits(info, variant, form, setup.pop)?;
        let buffers = Buffers::new(&station.device, variant, setup, colouring.as_ref());
        let mut program = Program::new(station.clone(), variant, buffers, setup.pop);
        if setup.diversity {
            program.arm(Kernel::Diversity);
        }
        let engine = Self {
            station,
            form,
            representation: setup.representation,
            pop: setup.pop,
            goal: setup.instance.goal(),
            diversity: setup.diversity,
            program,
            download: None,
            record: Record::default(),
            surveys: 0,
            solved: false,
        };
        engine.check_fault()?;
        Ok(engine)
    }

    /// The adapter in use.
    pub fn info(&self) -> &AdapterInfo {
        &self.station.info
    }

    /// The layout of the work in use.
    pub fn lanes(&self) -> Lanes {
        self.program.variant().lanes
    }

    /// What the individuals are.
    pub fn representation(&self) -> Representation {
        self.representation
    }

    /// How many individuals there are.
    pub fn pop(&self) -> usize {
        self.pop
    }

    /// Bytes on the device that grow with the population, per individual.
    pub fn bytes_per_individual(&self) -> usize {
        let buffers = &self.program.buffers;
        let bytes: u64 = buffers.populations.iter().map(Buffer::size).sum();
        bytes as usize / self.pop
    }

    /// Bytes that host and device have exchanged since the engine was set up.
    pub fn traffic(&self) -> Traffic {
        self.station.traffic()
    }

    /// Makes the initial population, generation 0.
    pub async fn initialise(&mut self, start: &Start) -> Result<Record, Error> {
        let buffers = &self.program.buffers;
        self.station
            .write(&buffers.state, 0, bytemuck::bytes_of(&State::START));
        let empty = [Record::default()];
        self.station
            .write(&buffers.records, 0, bytemuck::cast_slice(&empty));
        (self.record, self.surveys) = (Record::default(), 0);
        self.program.arm_start(start)?;
        self.arm_evaluation()?;
        let mut encoder = self
            .station
            .device
            .create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for kernel in self.renewal(start).iter().chain(self.surveyors()) {
            self.program.dispatch(&mut pass, *kernel, 0);
        }
        drop(pass);
        let records = self.submit_for_records(encoder, 1).await?;
        self.check_records(0, 1, &records)?;
        self.note(&records);
        Ok(records[0])
    }

    /// Runs generations until one is solved, at most so many and at most [`MAX_BATCH`] surveys.
    pub async fn advance(&mut self, plan: &Plan, generations: u32) -> Result<Vec<Record>, Error> {
        if self.solved || generations == 0 {
            return Ok(Vec::new());
        }
        // Epochs end at multiples of their length, wherever this one began.
        let stride = generations.min(plan.stride() - self.record.generation % plan.stride());
        let epochs = match stride == plan.stride() {
            true => (generations / stride).min(MAX_BATCH),
            false => 1,
        };
        self.prepare(plan, stride)?;
        // The device works on the first of them while the next are encoded; only the last are waited for.
        let mut pieces = pieces(epochs).into_iter();
        let mut encoder = self.encode(plan, stride, pieces.next().unwrap_or_default());
        for piece in pieces {
            self.station.queue.submit([encoder.finish()]);
            encoder = self.encode(plan, stride, piece);
        }
        let mut records = self.submit_for_records(encoder, epochs).await?;
        let last = |record: &Record| record.solved() || record.best <= plan.until;
        if let Some(last) = records.iter().position(last) {
            records.truncate(last + 1);
        }
        self.check_records(
            self.record.generation.wrapping_add(stride),
            stride,
            &records,
        )?;
        self.note(&records);
        Ok(records)
    }

    /// Encodes some of the epochs that follow the current generation.
    fn encode(&self, plan: &Plan, stride: u32, epochs: Range<u32>) -> CommandEncoder {
        let device = &self.station.device;
        let mut encoder = device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for epoch in epochs {
            for (kernel, generation) in self.steps(plan, stride, epoch) {
                self.program.dispatch(&mut pass, kernel, generation);
            }
        }
        drop(pass);
        encoder
    }

    /// The kernels of an epoch in their order, each with the generation that it makes or works on.
    fn steps(&self, plan: &Plan, stride: u32, epoch: u32) -> Vec<(Kernel, u32)> {
        let old = self.record.generation.wrapping_add(epoch * stride);
        let (first, last) = (old.wrapping_add(1), old.wrapping_add(stride));
        let kernels = match &plan.vary {
            Variation::Breed(_) => vec![Kernel::Breed],
            Variation::BreedBlocks(_) => vec![Kernel::BreedBlocks],
            Variation::Islands(_) => vec![Kernel::Islands],
            Variation::Renew(start) => self.renewal(start),
            Variation::Improvise(_) => vec![Kernel::Improvise, Kernel::Rank, Kernel::ReplaceWorst],
            Variation::Pollinate(_) => vec![Kernel::Pollinate],
            Variation::Recombine(_) => vec![Kernel::Recombine],
            Variation::Swarm(_) => vec![Kernel::Swarm],
            Variation::Gravitate(_) => vec![Kernel::Order, Kernel::Gravitate],
            Variation::Anneal(_) => vec![Kernel::Anneal],
            Variation::Resolve(_) => vec![Kernel::Resolve],
            Variation::Tabu(_) => vec![Kernel::Tabu],
        };
        let mut steps: Vec<_> = kernels.into_iter().map(|kernel| (kernel, first)).collect();
        steps.extend(self.surveyors().iter().map(|&kernel| (kernel, last)));
        if let Some(Learn::Elite(_)) = plan.learn {
            steps.push((Kernel::Elite, last));
        }
        steps
    }

    /// The kernels that make a population from nothing.
    fn renewal(&self, start: &Start) -> Vec<Kernel> {
        let mut kernels = vec![self.program.start_kernel(start)];
        if self.representation.family() != Family::Grids {
            kernels.push(self.evaluation());
        }
        kernels
    }

    /// The kernel that evaluates.
    fn evaluation(&self) -> Kernel {
        match self.representation.family() {
            Family::Grids => Kernel::Evaluate,
            Family::Permutations => Kernel::Count,
            Family::Colouring => Kernel::Clash,
        }
    }

    /// Readies it where a population from nothing has to be evaluated.
    fn arm_evaluation(&mut self) -> Result<(), Error> {
        match self.representation.family() {
            Family::Grids => Ok(()),
            _ => self.program.arm_evaluation(self.evaluation()),
        }
    }

    /// The kernels that look at a generation.
    fn surveyors(&self) -> &'static [Kernel] {
        match self.diversity {
            true => &[Kernel::Diversity, Kernel::Survey],
            false => &[Kernel::Survey],
        }
    }

    /// Evaluates the current population anew.
    pub async fn evaluate(&mut self) -> Result<(), Error> {
        let kernel = self.evaluation();
        self.program.arm_evaluation(kernel)?;
        let mut encoder = self
            .station
            .device
            .create_command_encoder(&Default::default());
        // No fitness from before is taken for a mark.
        let current = &self.program.buffers.populations[self.record.generation as usize % 2];
        encoder.clear_buffer(current, 0, Some(4 * self.pop as u64));
        let mut pass = encoder.begin_compute_pass(&Default::default());
        self.program
            .dispatch(&mut pass, kernel, self.record.generation);
        drop(pass);
        self.submit_for_records(encoder, 1).await?;
        Ok(())
    }

    /// Puts another population in place of the current one.
    ///
    /// # Panics
    /// If it has another size or form.
    pub fn load(&mut self, population: &Population) {
        assert_eq!(population.form(), self.form);
        assert_eq!(population.len(), self.pop);
        let to = &self.program.buffers.populations[self.record.generation as usize % 2];
        let (words, fitness) = (population.words(), population.fitness());
        let (best, best_at) = best_of(population);
        self.station.write(to, 0, bytemuck::cast_slice(fitness));
        self.station
            .write(to, 8 * self.pop as u64, bytemuck::cast_slice(words));
        self.station.write(
            &self.program.buffers.state,
            std::mem::offset_of!(State, best_at) as u64,
            bytemuck::bytes_of(&best_at),
        );
        self.program.forget();
        self.solved = best <= self.goal;
    }

    /// The current population, copied from the device.
    pub async fn population(&mut self) -> Result<Population, Error> {
        let current = &self.program.buffers.populations[self.record.generation as usize % 2];
        let staging = self.download.get_or_insert_with(|| {
            self.station.device.create_buffer(&BufferDescriptor {
                label: Some("download"),
                size: current.size(),
                usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
                mapped_at_creation: false,
            })
        });
        let mut encoder = self
            .station
            .device
            .create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(current, 0, staging, 0, current.size());
        let (staging, bytes) = (staging.clone(), current.size());
        let mut fitness: Vec<u32> = self.read_staging(encoder, &staging, bytes).await?;
        let words = fitness.split_off(2 * self.pop);
        fitness.truncate(self.pop);
        Ok(Population::from_parts(self.form, words, fitness))
    }

    /// Refuses what kernels that ran as they should cannot have written.
    fn check_records(&self, first: u32, stride: u32, records: &[Record]) -> Result<(), Error> {
        if records.iter().any(|record| record.worst == CUT_SHORT) {
            return Err(Error::Device {
                adapter: self.station.info.name.clone(),
                reason: "its driver cuts long loops short; use --backend cpu".to_owned(),
            });
        }
        let pop = self.pop as u32;
        for (at, record) in (0..).zip(records) {
            let known = record.generation == first.wrapping_add(at * stride);
            if !known || record.best_at >= pop || record.worst_at >= pop {
                return Err(self.failed(format!("it returned nonsense: {record:?}")));
            }
        }
        Ok(())
    }

    fn note(&mut self, records: &[Record]) {
        if let Some(last) = records.last() {
            self.record = *last;
            self.surveys = self.surveys.wrapping_add(records.len() as u32);
            self.solved = last.solved();
        }
    }

    /// Readies the kernels of a plan.
    fn prepare(&mut self, plan: &Plan, stride: u32) -> Result<(), Error> {
        // What the last generations ended with may not be where these end.
        let now = [stride, plan.until, 0];
        let at = std::mem::offset_of!(State, stride) as u64;
        self.station
            .write(&self.program.buffers.state, at, bytemuck::cast_slice(&now));
        self.program.arm_plan(plan, stride)?;
        match plan.vary {
            Variation::Renew(_) => self.arm_evaluation(),
            _ => Ok(()),
        }
    }

    /// Submits work and returns the records of so many surveys.
    async fn submit_for_records(
        &self,
        mut encoder: CommandEncoder,
        count: u32,
    ) -> Result<Vec<Record>, Error> {
        const SIZE: u64 = size_of::<Record>() as u64;
        let buffers = &self.program.buffers;
        let staging = &buffers.staging;
        // The records stand in a ring: to its end, then from its start.
        let start = self.surveys % RECORDS;
        let before_end = count.min(RECORDS - start);
        for (from, to, count) in [(start, 0, before_end), (0, before_end, count - before_end)] {
            if count > 0 {
                encoder.copy_buffer_to_buffer(
                    &buffers.records,
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

    /// Submits, waits, not for ever, and reads what arrived.
    async fn read_staging<T: bytemuck::Pod>(
        &self,
        encoder: CommandEncoder,
        staging: &Buffer,
        bytes: u64,
    ) -> Result<Vec<T>, Error> {
        let fault = faults::at_submission();
        if let Some(fault) = fault {
            self.suffer(fault);
        }
        let submission = self.station.queue.submit([encoder.finish()]);
        self.station.count_download(bytes);
        let (send, receive) = oneshot::channel();
        staging.map_async(MapMode::Read, 0..bytes, move |result| {
            // Nobody listens any more if the wait below was given up.
            let _ = send.send(result);
        });
        // In a browser the page's event loop does this.
        let polled = self.wait(submission, fault);
        // What went wrong before says more than that the wait failed.
        self.check_fault()?;
        polled?;
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
        if let Some(Fault::Vanished) = fault {
            self.station.device.destroy();
        }
        Ok(values)
    }

    /// Waits for a submission, not for ever.
    fn wait(&self, submission: wgpu::SubmissionIndex, fault: Option<Fault>) -> Result<(), Error> {
        let patience = match self.station.info.software {
            true => PATIENCE_WITH_SOFTWARE,
            false => PATIENCE,
        };
        let wait = || match fault {
            Some(Fault::Silent) => Err(wgpu::PollError::Timeout),
            Some(Fault::Panic) => panic!("the device is lost"),
            _ => self.station.device.poll(wgpu::PollType::Wait {
                submission_index: Some(submission),
                timeout: Some(patience),
            }),
        };
        // wgpu 30 panics if it finds out here that the device is lost.
        WAITING.set(true);
        let polled = panic::catch_unwind(AssertUnwindSafe(wait));
        WAITING.set(false);
        if matches!(polled, Err(_) | Ok(Err(wgpu::PollError::Timeout))) {
            self.station.give_up();
        }
        match polled {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(self.failed(error.to_string())),
            Err(_) => Err(self.failed("the device was lost while it was waited for".to_owned())),
        }
    }

    /// Lets the device fail at a submission, if not later.
    fn suffer(&self, fault: Fault) {
        match fault {
            Fault::Lost => self.station.device.destroy(),
            Fault::OutOfMemory => self.station.note("out of memory"),
            Fault::Invalid => {
                let usage = BufferUsages::MAP_READ | BufferUsages::STORAGE;
                buffers::storage(&self.station.device, "not valid", 4, usage);
            }
            Fault::Silent | Fault::Vanished | Fault::Panic => {}
        }
    }

    /// Gives up an engine that has failed, so that nobody else gets its device. One that does not answer
    /// is not waited for.
    pub fn abandon(self) {
        self.station.note("it has failed before");
        if !self.station.answers() {
            std::mem::forget(self);
        }
    }

    fn check_fault(&self) -> Result<(), Error> {
        match self.station.fault() {
            Some(reason) => Err(self.failed(reason)),
            None => Ok(()),
        }
    }

    fn failed(&self, reason: String) -> Error {
        self.station.note(&reason);
        Error::Fault {
            adapter: self.station.info.name.clone(),
            // wgpu writes a tree of causes; users get one sentence.
            reason: reason.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
}

impl Drop for GpuEngine {
    fn drop(&mut self) {
        self.station.close();
    }
}

/// The epochs of a batch in submissions, each at most twice as long as the one before: the first is
/// short, so that the device does not wait for its encoding.
fn pieces(epochs: u32) -> Vec<Range<u32>> {
    let mut pieces = Vec::new();
    let (mut first, mut length) = (0, epochs.div_ceil((1 << SUBMISSIONS) - 1));
    while first < epochs {
        let end = epochs.min(first + length);
        pieces.push(first..end);
        (first, length) = (end, 2 * length);
    }
    pieces
}

/// Software adapters run a thread per individual faster, but Mesa's ends all loops of a thread after
/// 65,535 turns: in larger grids one thread could need more. At 25x25 the few kernels that work on rows
/// need fewer than half of them with the usual five rounds of local search, and no layout is enough for
/// a hundred.
fn layout_for(info: &AdapterInfo, geometry: Geometry, representation: Representation) -> Lanes {
    let largest = match representation.encoding {
        Encoding::Rows => 25,
        _ => 12,
    };
    if info.software && geometry.size() <= largest {
        Lanes::One
    } else {
        Lanes::Many
    }
}

/// How many individuals an adapter can hold, with all that they may have to remember.
pub fn fitting_population(info: &AdapterInfo, setup: &Setup<'_>) -> usize {
    let form = setup.instance.form();
    let fits = bindable(info) / individual_bytes(form);
    if !setup.representation.are_permutations() {
        return fits;
    }
    // Their order and their memories are bound together with the desks.
    let variant = match form {
        Form::Grid(geometry) => Variant::grid(geometry.size(), Lanes::Many),
        Form::Placement(queens) => Variant::board(queens),
    };
    let desks = 4 * buffers::desks(variant, setup.pop) * variant.desk_words();
    let remembered = 4 * (2 + 2 * setup.instance.free_cells());
    fits.min(bindable(info).saturating_sub(desks) / remembered)
}

fn bindable(info: &AdapterInfo) -> usize {
    usize::try_from(info.max_storage_binding).unwrap_or(usize::MAX)
}

/// Of an individual: its fitness, its swaps, its cells.
fn individual_bytes(form: Form) -> usize {
    4 * (2 + words_of(form))
}

fn check_limits(info: &AdapterInfo, variant: Variant, form: Form, pop: usize) -> Result<(), Error> {
    let fits = bindable(info) / individual_bytes(form);
    if pop > fits {
        return Err(Error::PopulationTooLarge {
            pop,
            fits,
            cells: form.cells(),
            place: format!("the adapter {}", info.name),
        });
    }
    let memory = variant.workgroup_memory();
    if memory > info.max_workgroup_memory as usize {
        return Err(Error::Device {
            adapter: info.name.clone(),
            reason: format!(
                "it has {} bytes of workgroup memory and {memory} are needed; use --backend cpu",
                info.max_workgroup_memory
            ),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn submissions_begin_short_and_cover_every_epoch_once() {
        for epochs in 1..=MAX_BATCH {
            let pieces = pieces(epochs);
            assert!(pieces.len() <= SUBMISSIONS as usize, "{pieces:?}");
            assert!(
                pieces[0].len() <= epochs.div_ceil(31) as usize,
                "{pieces:?}"
            );
            assert!(pieces.iter().cloned().flatten().eq(0..epochs), "{pieces:?}");
            let grows = |pair: &[Range<u32>]| pair[1].len() <= 2 * pair[0].len();
            assert!(pieces.windows(2).all(grows), "{pieces:?}");
        }
    }
}
