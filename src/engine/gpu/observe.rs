//! What the host sees of a generation besides its record: counted on the device, so that what comes down does not
//! depend on how many individuals there are.

use std::borrow::Cow;

use bytemuck::{Pod, Zeroable};
use wgpu::{Buffer, BufferDescriptor, BufferUsages, CommandEncoder};

use super::kernel_set::Prepared;
use super::{GpuEngine, RECORDS};
use crate::error::Error;
use crate::observation::{DigitBalance, Observation, Observed};
use crate::operators::kernel::{Dispatch, KernelCall, Params, Shader};
use crate::plan::Encoding;
use crate::population::{Record, words_of};
use crate::problem::Form;

/// Twin of the header in `shaders/common/observation.wgsl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Header {
    pub best_at: u32,
    pub best_end: [u32; 2],
    pub worst_start: [u32; 2],
    pub cut_short: u32,
}

/// Words of a header.
const HEADER: usize = size_of::<Header>() / 4;

/// Bytes of a record.
const RECORD: u64 = size_of::<Record>() as u64;

/// Counts of digits that the host asks for: how many are the best, and how many are the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Groups {
    pub best: u32,
    pub worst: u32,
}

impl Groups {
    /// The kernels that count.
    pub fn calls(self) -> [KernelCall; 2] {
        let boundaries = KernelCall::new(Shader::builtin("common/rank_boundaries"))
            .with(Params::new([("best", self.best), ("worst", self.worst)]))
            .over(Dispatch::Once);
        let balance = KernelCall::new(Shader::builtin("grids/digit_balance"));
        [boundaries, balance.over(Dispatch::Cells)]
    }
}

/// Words that the kernels write: header, counts, the best individual.
pub(super) fn words_for(form: Form) -> usize {
    HEADER + form.cells() * form.values() + words_of(form)
}

/// What they have written.
pub(super) fn parse(form: Form, words: &[u32]) -> (Header, DigitBalance) {
    let (header, rest) = words.split_at(HEADER);
    let (cells, digits) = (form.cells(), form.values());
    let (counts, best) = rest.split_at(cells * digits);
    let counts = bytemuck::cast_slice(counts).to_vec();
    let best = bytemuck::cast_slice::<_, u8>(best)[..cells].to_vec();
    let balance = DigitBalance::from_parts(digits, counts, best);
    (
        bytemuck::pod_read_unaligned(bytemuck::cast_slice(header)),
        balance,
    )
}

/// What the host has asked for last.
#[derive(Default)]
pub(super) struct Watch {
    groups: Option<Groups>,
    /// The answer for the current generation, if it came with its record.
    counted: Option<DigitBalance>,
    /// Where records and counts come down, made when the first ones do.
    staging: Option<Buffer>,
}

impl Watch {
    /// The population is another one now.
    pub fn forget(&mut self) {
        self.counted = None;
    }

    /// What will be asked for once the next generation has run, as far as one can tell.
    pub fn groups(&self) -> Option<Groups> {
        self.groups
    }
}

impl GpuEngine {
    /// What there is to see in the current population.
    ///
    /// # Panics
    /// If digits are to be counted, and the individuals are placements.
    pub async fn observe(&mut self, observation: Observation) -> Result<Observed<'static>, Error> {
        match observation {
            Observation::Records => Ok(Observed::Records),
            Observation::Population => {
                let population = self.population().await?;
                Ok(Observed::Population(Cow::Owned(population)))
            }
            Observation::DigitBalance { best, worst } => {
                let is_grid = matches!(self.form, Form::Grid(_));
                assert!(is_grid, "queens stand in columns, not in cells");
                let groups = Groups { best, worst };
                let known = self.watch.groups == Some(groups);
                let counted = self.watch.counted.take().filter(|_| known);
                let balance = match counted {
                    Some(balance) => balance,
                    None => self.count(groups).await?,
                };
                self.watch.groups = Some(groups);
                Ok(Observed::DigitBalance(balance))
            }
        }
    }

    /// Counts the digits of the current population.
    async fn count(&mut self, groups: Groups) -> Result<DigitBalance, Error> {
        let encoder = self.encoder();
        let generation = self.record.generation;
        let (_, balance) = self.submit_for_counts(encoder, generation, groups).await?;
        Ok(balance)
    }

    /// Submits work that makes one generation. Its record comes back, and with it what the host will ask for: it
    /// waits once.
    pub(super) async fn submit_and_watch(
        &mut self,
        encoder: CommandEncoder,
        generation: u32,
        groups: Groups,
    ) -> Result<Vec<Record>, Error> {
        let (record, balance) = self.submit_for_counts(encoder, generation, groups).await?;
        self.watch.counted = Some(balance);
        Ok(vec![record])
    }

    /// Submits work, counts the digits of this generation behind it, and returns the next record as well.
    async fn submit_for_counts(
        &mut self,
        mut encoder: CommandEncoder,
        generation: u32,
        groups: Groups,
    ) -> Result<(Record, DigitBalance), Error> {
        let kernels = self.prepare_observers(groups)?;
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for kernel in kernels {
            self.kernels.dispatch(&mut pass, kernel, generation);
        }
        drop(pass);
        let buffers = &self.kernels.buffers;
        let bytes = RECORD + buffers.observation.size();
        let staging = self.watch.staging.get_or_insert_with(|| {
            self.context.device.create_buffer(&BufferDescriptor {
                label: Some("counts"),
                size: bytes,
                usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
                mapped_at_creation: false,
            })
        });
        let next = u64::from(self.surveys % RECORDS) * RECORD;
        encoder.copy_buffer_to_buffer(&buffers.records, next, staging, 0, RECORD);
        let counts = &buffers.observation;
        encoder.copy_buffer_to_buffer(counts, 0, staging, RECORD, counts.size());
        let staging = staging.clone();
        let words: Vec<u32> = self.read_staging(encoder, &staging, bytes).await?;
        let (record, counts) = words.split_at(RECORD as usize / 4);
        let record = bytemuck::pod_read_unaligned(bytemuck::cast_slice(record));
        Ok((record, self.balance(groups, counts)?))
    }

    /// Prepares the kernels that count.
    fn prepare_observers(&mut self, groups: Groups) -> Result<[Prepared; 2], Error> {
        self.kernels.make_observation_room(words_for(self.form));
        let [boundaries, balance] = groups.calls();
        Ok([
            self.kernels.prepare(&boundaries)?,
            self.kernels.prepare(&balance)?,
        ])
    }

    /// What the kernels have counted, unless they cannot have counted it.
    fn balance(&self, groups: Groups, words: &[u32]) -> Result<DigitBalance, Error> {
        let (header, counted) = parse(self.form, words);
        if header.cut_short != 0 {
            return Err(self.cuts_loops());
        }
        let digits = self.form.values();
        let [best_ones, worst_ones] =
            [groups.best, groups.worst].map(|count| i64::from(count.min(self.pop as u32)));
        let complete = |of_cell: &[i32]| {
            let sum: i64 = of_cell.iter().map(|&count| i64::from(count)).sum();
            sum == best_ones - worst_ones
        };
        // Cells may be empty in partial grids only.
        let whole = self.representation.encoding != Encoding::PartialCells;
        if whole && !(0..self.form.cells()).all(|cell| complete(counted.of_cell(cell))) {
            return Err(self.failed(format!("it returned wrong counts: {header:?}")));
        }
        if whole
            && counted
                .best()
                .iter()
                .any(|&digit| usize::from(digit) >= digits)
        {
            return Err(self.failed(format!("its best individual is none: {header:?}")));
        }
        Ok(counted)
    }
}
