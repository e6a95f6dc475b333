//! The GPU engine: the kernels of `shaders/` through wgpu. The only module that knows wgpu.
//!
//! The population stays on the device. Many generations go into one submission; a small record
//! of each comes back. When a generation is solved, the kernels of the rest of the submission
//! do nothing, so the population is that generation's whatever the size of the batch.

pub mod adapter;
mod buffers;
pub mod capture;
mod device_context;
mod kernel_set;
mod layout;
mod limits;
mod mapping;
mod observe;
mod profile;
mod readback;
mod room;
pub mod shaders;
pub(super) mod share;
mod snapshot;
mod work;

use std::ops::Range;

use wgpu::{Buffer, CommandEncoder};

use self::adapter::{AdapterChoice, AdapterInfo};
use self::buffers::Buffers;
use self::device_context::DeviceContext;
pub use self::device_context::Traffic;
use self::kernel_set::{KernelSet, Prepared};
use self::layout::State;
pub use self::limits::fitting_population;
use self::mapping::Mappings;
use self::observe::Watch;
pub use self::profile::KernelTime;
pub use self::readback::waits;
use self::shaders::{Counted, Lists, Mapping, Variant};
use super::colouring::Colouring;
use super::encoding::EncodingRules;
use super::tables::{faulty, segment_width};
use super::{Setup, best_of};
use crate::error::Error;
use crate::operators::kernel::{Auxiliary, Dispatch, KernelCall, Shader};
use crate::operators::{Operator, Start};
use crate::plan::{KernelFamily, Learn, Objective, Plan, Representation};
use crate::population::{Population, Record};
use crate::problem::Form;

/// Records that the device keeps, in a ring.
const RECORDS: u32 = 1024;

/// Surveys of a submission: each clears the way for the next one.
pub const MAX_BATCH: u32 = RECORDS - 1;

/// Submissions of a batch, at most: while the device works on one, the host encodes the next.
const SUBMISSIONS: u32 = 5;

/// Twin of `TRUNCATED` in `shaders/common/loop_guard.wgsl`.
const TRUNCATED: u32 = u32::MAX;

/// The GPU engine.
pub struct GpuEngine {
    context: DeviceContext,
    form: Form,
    representation: Representation,
    pop: usize,
    goal: u32,
    kernels: KernelSet,
    /// The kernels that look at a generation.
    surveyors: Vec<Prepared>,
    /// Where populations come down, made when the first one does.
    download: Option<Buffer>,
    /// What the host looks at after every generation.
    watch: Watch,
    /// Of the last generation.
    record: Record,
    surveys: u32,
    solved: bool,
    rules: EncodingRules,
}

/// A kernel of a plan, and the generation that it makes or works on: the first of those that run together, or the
/// last.
#[derive(Debug, Clone, Copy)]
enum Step {
    First(Prepared),
    Last(Prepared),
}

impl GpuEngine {
    /// An engine on an adapter. `mapping` overrides how individuals are mapped to threads, which is otherwise
    /// chosen for the adapter.
    pub async fn new(
        setup: &Setup<'_>,
        choice: &AdapterChoice,
        mapping: Option<Mapping>,
    ) -> Result<Self, Error> {
        Self::build(setup, choice, mapping, false).await
    }

    /// The same, with the adapter's timestamps if it has them, for [`GpuEngine::profile`].
    pub async fn timed(
        setup: &Setup<'_>,
        choice: &AdapterChoice,
        mapping: Option<Mapping>,
    ) -> Result<Self, Error> {
        Self::build(setup, choice, mapping, true).await
    }

    async fn build(
        setup: &Setup<'_>,
        choice: &AdapterChoice,
        mapping: Option<Mapping>,
        timed: bool,
    ) -> Result<Self, Error> {
        let context = DeviceContext::open(choice, timed).await?;
        let form = setup.instance.form();
        let colouring = Colouring::of(setup);
        let variant = variant_for(&context.info, setup, colouring.as_ref());
        let encoding = setup.representation.encoding;
        let mappings = Mappings::new(&context.info, encoding, setup.pop, mapping)?;
        limits::check_limits(&context.info, variant, form, setup.pop)?;
        let buffers = Buffers::new(&context.device, variant, setup, colouring.as_ref());
        let mut kernels = KernelSet::new(context.clone(), variant, mappings, buffers, setup.pop);
        let calls = survey_calls(setup).into_iter();
        let surveyors: Vec<_> = calls
            .map(|call| kernels.prepare(&call))
            .collect::<Result<_, _>>()?;
        let engine = Self {
            context,
            form,
            representation: setup.representation,
            pop: setup.pop,
            goal: setup.instance.goal(),
            kernels,
            surveyors,
            download: None,
            watch: Watch::default(),
            record: Record::default(),
            surveys: 0,
            solved: false,
            rules: EncodingRules::new(setup),
        };
        engine.check_fault()?;
        Ok(engine)
    }

    /// The adapter in use.
    pub fn info(&self) -> &AdapterInfo {
        &self.context.info
    }

    /// How the individuals of a kernel are mapped to threads.
    ///
    /// # Errors
    /// If there is no such kernel.
    pub fn mapping_of(&self, shader: &Shader) -> Result<Mapping, Error> {
        self.kernels.mapping_of(shader)
    }

    /// What the individuals are.
    pub fn representation(&self) -> Representation {
        self.representation
    }

    /// What holds of every individual.
    pub(super) fn rules(&self) -> &EncodingRules {
        &self.rules
    }

    /// How many individuals there are.
    pub fn pop(&self) -> usize {
        self.pop
    }

    /// Bytes on the device that grow with the population, per individual.
    pub fn bytes_per_individual(&self) -> usize {
        let buffers = &self.kernels.buffers;
        let bytes: u64 = buffers.populations.iter().map(Buffer::size).sum();
        bytes as usize / self.pop
    }

    /// Bytes that host and device have exchanged since the engine was set up.
    pub fn traffic(&self) -> Traffic {
        self.context.traffic()
    }

    /// Makes the initial population, generation 0.
    pub async fn initialise(&mut self, start: &Start) -> Result<Record, Error> {
        let buffers = &self.kernels.buffers;
        self.context
            .write(&buffers.state, 0, bytemuck::bytes_of(&State::START));
        let empty = [Record::default()];
        self.context
            .write(&buffers.records, 0, bytemuck::cast_slice(&empty));
        self.set_champion(None);
        (self.record, self.surveys) = (Record::default(), 0);
        self.watch.forget();
        let mut kernels = self.prepare_operator(start, 1)?;
        kernels.extend(&self.surveyors);
        let mut encoder = self.encoder();
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for kernel in kernels {
            self.kernels.dispatch(&mut pass, kernel, 0);
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
        let steps = self.prepare(plan, stride)?;
        // The device works on the first of them while the next are encoded; only the last are waited for.
        let mut pieces = pieces(epochs).into_iter();
        let mut encoder = self.encode(&steps, stride, pieces.next().unwrap_or_default());
        for piece in pieces {
            self.context.queue.submit([encoder.finish()]);
            encoder = self.encode(&steps, stride, piece);
        }
        let generation = self.record.generation.wrapping_add(stride);
        // What learning leaves behind is not what was surveyed.
        let watched = match (epochs, &plan.learn) {
            (1, None) => self.watch.groups(),
            _ => None,
        };
        let mut records = match watched {
            Some(groups) => self.submit_and_watch(encoder, generation, groups).await?,
            None => self.submit_for_records(encoder, epochs).await?,
        };
        let last = |record: &Record| record.solved() || record.best <= plan.target_fitness;
        if let Some(last) = records.iter().position(last) {
            records.truncate(last + 1);
        }
        self.check_records(generation, stride, &records)?;
        self.note(&records);
        Ok(records)
    }

    fn encoder(&self) -> CommandEncoder {
        let device = &self.context.device;
        device.create_command_encoder(&Default::default())
    }

    /// Encodes some of the epochs that follow the current generation.
    fn encode(&self, steps: &[Step], stride: u32, epochs: Range<u32>) -> CommandEncoder {
        let mut encoder = self.encoder();
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for epoch in epochs {
            for step in steps {
                let (kernel, generation) = self.at(*step, stride, epoch);
                self.kernels.dispatch(&mut pass, kernel, generation);
            }
        }
        drop(pass);
        encoder
    }

    /// A kernel of an epoch with the generation that it makes or works on.
    fn at(&self, step: Step, stride: u32, epoch: u32) -> (Prepared, u32) {
        let old = self.record.generation.wrapping_add(epoch * stride);
        match step {
            Step::First(kernel) => (kernel, old.wrapping_add(1)),
            Step::Last(kernel) => (kernel, old.wrapping_add(stride)),
        }
    }

    /// Prepares the kernels of a plan, in their order.
    fn prepare(&mut self, plan: &Plan, stride: u32) -> Result<Vec<Step>, Error> {
        self.watch.forget();
        // What the last generations ended with may not be where these end.
        let now = [stride, plan.target_fitness, 0];
        let at = std::mem::offset_of!(State, stride) as u64;
        self.context
            .write(&self.kernels.buffers.state, at, bytemuck::cast_slice(&now));
        let kernels = self.prepare_operator(plan.vary.operator(), stride)?;
        let mut steps: Vec<_> = kernels.into_iter().map(Step::First).collect();
        steps.extend(self.surveyors.iter().copied().map(Step::Last));
        if let Some(Learn::Elite(elite)) = &plan.learn {
            self.kernels.keep(Auxiliary::Elites(elite.size))?;
            steps.push(Step::Last(self.kernels.prepare(&elite.kernel())?));
        }
        Ok(steps)
    }

    /// Prepares the kernels of an operator. A population from nothing that the kernels of grids cannot judge
    /// is evaluated.
    fn prepare_operator(
        &mut self,
        operator: &dyn Operator,
        stride: u32,
    ) -> Result<Vec<Prepared>, Error> {
        let mut kernels = self.kernels.prepare_operator(operator, stride)?;
        if wants_evaluation(operator, self.representation) {
            kernels.push(self.prepare_evaluation()?);
        }
        Ok(kernels)
    }

    /// Prepares the kernel that evaluates.
    fn prepare_evaluation(&mut self) -> Result<Prepared, Error> {
        self.kernels.prepare(&evaluation_call(self.representation))
    }

    /// Evaluates the current population anew.
    pub async fn evaluate(&mut self) -> Result<(), Error> {
        let kernel = self.prepare_evaluation()?;
        self.watch.forget();
        let mut encoder = self.encoder();
        // No fitness from before is taken for a mark.
        let current = &self.kernels.buffers.populations[self.record.generation as usize % 2];
        encoder.clear_buffer(current, 0, Some(4 * self.pop as u64));
        let mut pass = encoder.begin_compute_pass(&Default::default());
        self.kernels
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
        let to = &self.kernels.buffers.populations[self.record.generation as usize % 2];
        let (words, fitness) = (population.words(), population.fitness());
        let (best, best_at) = best_of(population);
        self.context.write(to, 0, bytemuck::cast_slice(fitness));
        self.context
            .write(to, 8 * self.pop as u64, bytemuck::cast_slice(words));
        self.context.write(
            &self.kernels.buffers.state,
            std::mem::offset_of!(State, best_at) as u64,
            bytemuck::bytes_of(&best_at),
        );
        self.kernels.forget();
        self.watch.forget();
        self.set_champion(None);
        self.solved = best <= self.goal;
    }

    /// Refuses what kernels that ran as they should cannot have written.
    fn check_records(&self, first: u32, stride: u32, records: &[Record]) -> Result<(), Error> {
        if records.iter().any(|record| record.worst == TRUNCATED) {
            return Err(self.cuts_loops());
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

    fn cuts_loops(&self) -> Error {
        Error::DeviceUnsupported {
            adapter: self.context.info.name.clone(),
            reason: "its driver cuts long loops short; use --backend cpu".to_owned(),
        }
    }

    fn note(&mut self, records: &[Record]) {
        if let Some(last) = records.last() {
            self.record = *last;
            self.surveys = self.surveys.wrapping_add(records.len() as u32);
            self.solved = last.solved();
        }
    }
}

impl Drop for GpuEngine {
    fn drop(&mut self) {
        self.context.close();
    }
}

/// The kernels that look at a generation.
fn survey_calls(setup: &Setup<'_>) -> Vec<KernelCall> {
    let diversity = KernelCall::new(Shader::builtin("common/diversity"));
    let survey = KernelCall::new(Shader::builtin("common/survey"));
    let survey = survey.over(Dispatch::Once);
    match setup.diversity {
        true => vec![diversity.over(Dispatch::Cells), survey],
        false => vec![survey],
    }
}

/// The kernel that evaluates.
fn evaluation_call(representation: Representation) -> KernelCall {
    KernelCall::new(Shader::builtin(match representation.family() {
        KernelFamily::Grids => "grids/evaluate",
        KernelFamily::Permutations => "permutations/evaluate_permutations",
        KernelFamily::Colouring => "colourings/evaluate_colourings",
    }))
}

/// Whether a new population has to be evaluated: one from nothing that the kernels of grids cannot judge.
fn wants_evaluation(operator: &dyn Operator, representation: Representation) -> bool {
    operator.renews() && representation.family() != KernelFamily::Grids
}

/// What the texts of the kernels depend on, but for how they are mapped to threads.
fn variant_for(info: &AdapterInfo, setup: &Setup<'_>, colouring: Option<&Colouring>) -> Variant {
    let representation = setup.representation;
    match setup.instance.form() {
        Form::Grid(geometry) => {
            let variant = Variant::grid(geometry.size(), Mapping::Workgroup);
            Variant {
                block_width: geometry.boxes().map_or(0, |shape| shape.cols),
                segment_width: segment_width(geometry, representation.encoding),
                lists: colouring.map(|colouring| Lists {
                    elements: colouring.cover.elements.len(),
                    vertices: colouring.vertices.len(),
                    choices: colouring.digits.len(),
                    longest: colouring.longest_list(),
                }),
                counted: Counted::new(
                    representation.objective,
                    faulty(geometry.boxes().is_some(), representation.encoding),
                ),
                objective: match representation.objective {
                    Objective::Own(objective) => Some(objective),
                    _ => None,
                },
                // Small workgroups are shared out best among the cores of a software adapter.
                threads: if info.software { 16 } else { variant.threads },
                ..variant
            }
        }
        Form::Placement(queens) => Variant::board(queens),
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
