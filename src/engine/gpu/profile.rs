//! How long kernels take on the device, by its own clock.

use wgpu::{
    BufferDescriptor, BufferUsages, ComputePassDescriptor, ComputePassTimestampWrites,
    QuerySetDescriptor, QueryType,
};

use super::kernel_set::Prepared;
use super::{GpuEngine, MAX_BATCH};
use crate::error::Error;
use crate::plan::Plan;

/// Timestamps of a profile: WebGPU has no room for more.
const MOST_TIMESTAMPS: usize = 4096;

/// What a kernel took.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelTime {
    /// Name of the kernel.
    pub kernel: String,
    /// Dispatches in which it works on a population.
    pub dispatches: usize,
    /// Seconds of a generation, one figure for each time that the kernel ran. The device may have
    /// told nonsense about some of them, or about all.
    pub seconds: Vec<f64>,
}

impl GpuEngine {
    /// Runs generations of a plan, or evaluates everybody without one, with every kernel in a pass of
    /// its own that the device times. Nothing if it cannot, or was not set up to
    /// ([`GpuEngine::timed`]). Some generations may be fewer than were asked for.
    pub async fn profile(
        &mut self,
        plan: Option<&Plan>,
        generations: u32,
    ) -> Result<Option<Vec<KernelTime>>, Error> {
        if !self.context.has_timestamps() || self.solved || generations == 0 {
            return Ok(None);
        }
        let stride = plan.map_or(1, Plan::stride);
        let mut epochs = (generations / stride).clamp(1, MAX_BATCH);
        let mut steps = Vec::new();
        match plan {
            Some(plan) => {
                let kernels = self.prepare(plan, stride)?;
                epochs = epochs.min((MOST_TIMESTAMPS / 2 / kernels.len()) as u32);
                for epoch in 0..epochs {
                    let at = |step| self.at(step, stride, epoch);
                    steps.extend(kernels.iter().copied().map(at));
                }
            }
            None => {
                let kernel = self.prepare_evaluation()?;
                epochs = epochs.min((MOST_TIMESTAMPS / 2) as u32);
                steps.extend((0..epochs).map(|_| (kernel, self.record.generation)));
            }
        }
        let ticks = self
            .run_timed(&steps, plan.map(|_| (epochs, stride)))
            .await?;
        let nanoseconds = f64::from(self.context.queue.get_timestamp_period());
        let seconds = ticks.chunks_exact(2).map(|pair| {
            let ticks = elapsed(pair[0], pair[1])?;
            Some(ticks as f64 * nanoseconds * 1e-9 / f64::from(stride))
        });
        let mut times: Vec<(Prepared, KernelTime)> = Vec::new();
        for ((kernel, _), seconds) in steps.into_iter().zip(seconds) {
            let at = match times.iter().position(|(known, _)| *known == kernel) {
                Some(at) => at,
                None => {
                    let time = KernelTime {
                        kernel: self.kernels.name(kernel).to_owned(),
                        dispatches: self.kernels.dispatches(kernel),
                        seconds: Vec::new(),
                    };
                    times.push((kernel, time));
                    times.len() - 1
                }
            };
            times[at].1.seconds.extend(seconds);
        }
        Ok(Some(times.into_iter().map(|(_, time)| time).collect()))
    }

    /// Runs these kernels and returns two timestamps for each. Generations are so many epochs of so
    /// many, and have records.
    async fn run_timed(
        &mut self,
        steps: &[(Prepared, u32)],
        generations: Option<(u32, u32)>,
    ) -> Result<Vec<u64>, Error> {
        let device = &self.context.device;
        let count = 2 * steps.len() as u32;
        let bytes = 8 * u64::from(count);
        let queries = device.create_query_set(&QuerySetDescriptor {
            label: Some("timestamps"),
            ty: QueryType::Timestamp,
            count,
        });
        let buffer = |label, usage| {
            device.create_buffer(&BufferDescriptor {
                label: Some(label),
                size: bytes,
                usage,
                mapped_at_creation: false,
            })
        };
        let resolve = BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC;
        let resolved = buffer("timestamps", resolve);
        let read = BufferUsages::COPY_DST | BufferUsages::MAP_READ;
        let staging = buffer("timestamps read", read);
        let mut encoder = device.create_command_encoder(&Default::default());
        for (at, &(kernel, generation)) in (0..).step_by(2).zip(steps) {
            let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor {
                label: Some(self.kernels.name(kernel)),
                timestamp_writes: Some(ComputePassTimestampWrites {
                    query_set: &queries,
                    beginning_of_pass_write_index: Some(at),
                    end_of_pass_write_index: Some(at + 1),
                }),
            });
            self.kernels.dispatch(&mut pass, kernel, generation);
        }
        encoder.resolve_query_set(&queries, 0..count, &resolved, 0);
        match generations {
            Some((epochs, stride)) => {
                let records = self.submit_for_records(encoder, epochs).await?;
                let first = self.record.generation.wrapping_add(stride);
                self.check_records(first, stride, &records)?;
                self.note(&records);
            }
            None => {
                self.submit_for_records(encoder, 1).await?;
            }
        }
        let device = &self.context.device;
        let mut encoder = device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&resolved, 0, &staging, 0, bytes);
        self.read_staging(encoder, &staging, bytes).await
    }
}

/// Ticks from one timestamp to the next; nothing if they were not written, or if the clock went back.
fn elapsed(begin: u64, end: u64) -> Option<u64> {
    match (begin, end) {
        (0, 0) => None,
        (begin, end) => end.checked_sub(begin),
    }
}

#[cfg(test)]
mod tests {
    use super::elapsed;

    #[test]
    fn nonsense_is_no_time() {
        assert_eq!(elapsed(5, 12), Some(7));
        assert_eq!(elapsed(5, 5), Some(0), "a clock may be coarse");
        assert_eq!(elapsed(12, 5), None, "no end is before the beginning");
        assert_eq!(elapsed(0, 0), None, "nothing was written");
        assert_eq!(elapsed(5, 0), None, "only the beginning was");
    }
}
