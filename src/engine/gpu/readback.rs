//! What comes back from the device: submissions, waiting for them, and what is done about devices that fail.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

use futures_channel::oneshot;
use wgpu::{Buffer, BufferDescriptor, BufferUsages, CommandEncoder, MapMode};

use super::{GpuEngine, RECORDS, buffers};
use crate::engine::faults::{self, Fault};
use crate::error::Error;
use crate::population::{Population, Record};

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

impl GpuEngine {
    /// The current population, copied from the device.
    pub async fn population(&mut self) -> Result<Population, Error> {
        let staging = self.download();
        let current = &self.kernels.buffers.populations[self.record.generation as usize % 2];
        let mut encoder = self
            .context
            .device
            .create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(current, 0, &staging, 0, current.size());
        let bytes = current.size();
        let mut fitness: Vec<u32> = self.read_staging(encoder, &staging, bytes).await?;
        let words = fitness.split_off(2 * self.pop);
        fitness.truncate(self.pop);
        Ok(Population::from_parts(self.form, words, fitness))
    }

    /// Where populations come down.
    pub(super) fn download(&mut self) -> Buffer {
        let size = self.kernels.buffers.populations[0].size();
        let room = self.download.get_or_insert_with(|| {
            self.context.device.create_buffer(&BufferDescriptor {
                label: Some("download"),
                size,
                usage: BufferUsages::COPY_DST | BufferUsages::MAP_READ,
                mapped_at_creation: false,
            })
        });
        room.clone()
    }

    /// Submits work and returns the records of so many surveys.
    pub(super) async fn submit_for_records(
        &self,
        mut encoder: CommandEncoder,
        count: u32,
    ) -> Result<Vec<Record>, Error> {
        const SIZE: u64 = size_of::<Record>() as u64;
        let buffers = &self.kernels.buffers;
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
    pub(super) async fn read_staging<T: bytemuck::Pod>(
        &self,
        encoder: CommandEncoder,
        staging: &Buffer,
        bytes: u64,
    ) -> Result<Vec<T>, Error> {
        let fault = faults::at_submission();
        if let Some(fault) = fault {
            self.suffer(fault);
        }
        let submission = self.context.queue.submit([encoder.finish()]);
        self.context.count_download(bytes);
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
            self.context.device.destroy();
        }
        Ok(values)
    }

    /// Waits for a submission, not for ever.
    fn wait(&self, submission: wgpu::SubmissionIndex, fault: Option<Fault>) -> Result<(), Error> {
        let patience = match self.context.info.software {
            true => PATIENCE_WITH_SOFTWARE,
            false => PATIENCE,
        };
        let wait = || match fault {
            Some(Fault::Silent) => Err(wgpu::PollError::Timeout),
            Some(Fault::Panic) => panic!("the device is lost"),
            _ => self.context.device.poll(wgpu::PollType::Wait {
                submission_index: Some(submission),
                timeout: Some(patience),
            }),
        };
        // wgpu 30 panics if it finds out here that the device is lost.
        WAITING.set(true);
        let polled = panic::catch_unwind(AssertUnwindSafe(wait));
        WAITING.set(false);
        if matches!(polled, Err(_) | Ok(Err(wgpu::PollError::Timeout))) {
            self.context.give_up();
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
            Fault::Lost => self.context.device.destroy(),
            Fault::OutOfMemory => self.context.note("out of memory"),
            Fault::Invalid => {
                let usage = BufferUsages::MAP_READ | BufferUsages::STORAGE;
                buffers::storage(&self.context.device, "not valid", 4, usage);
            }
            Fault::Silent | Fault::Vanished | Fault::Panic => {}
        }
    }

    /// Gives up an engine that has failed, so that nobody else gets its device. One that does not answer
    /// is not waited for.
    pub fn abandon(self) {
        self.context.note("it has failed before");
        if !self.context.answers() {
            std::mem::forget(self);
        }
    }

    pub(super) fn check_fault(&self) -> Result<(), Error> {
        match self.context.fault() {
            Some(reason) => Err(self.failed(reason)),
            None => Ok(()),
        }
    }

    pub(super) fn failed(&self, reason: String) -> Error {
        self.context.note(&reason);
        Error::DeviceFailed {
            adapter: self.context.info.name.clone(),
            // wgpu writes a tree of causes; users get one sentence.
            reason: reason.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
}
