//! A device and the pipelines that were made for it. Both take long to make, so that they go from one
//! engine to the next, but never serve two at a time: what goes wrong with one is no other's fault.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use wgpu::{Buffer, ComputePipeline, Device, Queue};

use super::adapter::{self, AdapterChoice, AdapterInfo};
use super::buffers;
use super::shaders::{Kernel, Variant};
use crate::engine::faults;
use crate::error::Error;

/// Pipelines that are kept: of some variants, not of every puzzle that was ever seen.
const MOST_PIPELINES: usize = 64;

/// A device with its tools.
#[derive(Clone)]
pub struct Station {
    choice: AdapterChoice,
    /// Whether timestamps were asked for.
    timed: bool,
    pub info: AdapterInfo,
    pub device: Device,
    pub queue: Queue,
    /// The first error that the device reported outside of a call that could return it.
    fault: Arc<Mutex<Option<String>>>,
    /// Whether the device was lost, or did not answer in time.
    gone: Arc<AtomicBool>,
    pipelines: Arc<Mutex<HashMap<(Kernel, Variant), ComputePipeline>>>,
    uploaded: Arc<AtomicU64>,
    downloaded: Arc<AtomicU64>,
}

/// Bytes between host and device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// To the device.
    pub uploaded: u64,
    /// From the device.
    pub downloaded: u64,
}

impl Station {
    /// One that stands idle, or a new one. `timed` asks for timestamps, if the adapter has them.
    pub async fn open(choice: &AdapterChoice, timed: bool) -> Result<Self, Error> {
        match idle::take(choice, timed) {
            Some(station) => Ok(Self {
                uploaded: Arc::default(),
                downloaded: Arc::default(),
                ..station
            }),
            None => Self::build(choice, timed).await,
        }
    }

    async fn build(choice: &AdapterChoice, timed: bool) -> Result<Self, Error> {
        let (adapter, info) = adapter::choose(choice).await?;
        let features = match timed {
            true => adapter.features() & wgpu::Features::TIMESTAMP_QUERY,
            false => wgpu::Features::empty(),
        };
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("gpusudoku"),
                required_features: features,
                required_limits: adapter.limits(),
                ..Default::default()
            })
            .await
            .map_err(|error| Error::Fault {
                adapter: info.name.clone(),
                reason: error.to_string(),
            })?;
        let station = Self {
            choice: choice.clone(),
            timed,
            info,
            device,
            queue,
            fault: Arc::default(),
            gone: Arc::default(),
            pipelines: Arc::default(),
            uploaded: Arc::default(),
            downloaded: Arc::default(),
        };
        let (on_error, on_loss) = (station.fault.clone(), station.fault.clone());
        let gone = station.gone.clone();
        station
            .device
            .on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
                locked(&on_error).get_or_insert(error.to_string());
            }));
        station
            .device
            .set_device_lost_callback(move |reason, message| {
                gone.store(true, Ordering::Relaxed);
                // Dropping the device at the end is reported as well.
                if reason != wgpu::DeviceLostReason::Destroyed {
                    let lost = format!("the device was lost: {message}");
                    locked(&on_loss).get_or_insert(lost);
                }
            });
        Ok(station)
    }

    /// Leaves it to the next one, if it is in order.
    pub fn close(&self) {
        if self.answers() && self.fault().is_none() {
            idle::put(self.clone());
        }
    }

    /// What went wrong, if anything did.
    pub fn fault(&self) -> Option<String> {
        locked(&self.fault).clone()
    }

    /// Notes that something went wrong.
    pub fn note(&self, fault: &str) {
        locked(&self.fault).get_or_insert(fault.to_owned());
    }

    /// Whether the device is still there and has answered all that it was asked.
    pub fn answers(&self) -> bool {
        !self.gone.load(Ordering::Relaxed)
    }

    /// Notes that it has not.
    pub fn give_up(&self) {
        self.gone.store(true, Ordering::Relaxed);
    }

    /// Whether it has timestamps, and was opened to use them.
    pub fn has_timestamps(&self) -> bool {
        let features = self.device.features();
        features.contains(wgpu::Features::TIMESTAMP_QUERY)
    }

    /// Writes to a buffer before whatever is submitted next.
    pub fn write(&self, buffer: &Buffer, offset: u64, bytes: &[u8]) {
        self.count_upload(bytes);
        self.queue.write_buffer(buffer, offset, bytes);
    }

    /// A buffer that kernels read.
    pub fn constant(&self, label: &str, contents: &[u8]) -> Buffer {
        self.count_upload(contents);
        buffers::constant(&self.device, label, contents)
    }

    fn count_upload(&self, bytes: &[u8]) {
        self.uploaded
            .fetch_add(bytes.len() as u64, Ordering::Relaxed);
    }

    /// Notes that so many bytes come from the device.
    pub fn count_download(&self, bytes: u64) {
        self.downloaded.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes that went either way since it was opened.
    pub fn traffic(&self) -> Traffic {
        Traffic {
            uploaded: self.uploaded.load(Ordering::Relaxed),
            downloaded: self.downloaded.load(Ordering::Relaxed),
        }
    }

    /// A kernel, compiled once.
    pub fn pipeline(&self, kernel: Kernel, variant: Variant) -> ComputePipeline {
        let mut pipelines = locked(&self.pipelines);
        if pipelines.len() >= MOST_PIPELINES && !pipelines.contains_key(&(kernel, variant)) {
            pipelines.clear();
        }
        let made = pipelines.entry((kernel, variant));
        made.or_insert_with(|| compile(&self.device, kernel, variant))
            .clone()
    }
}

fn compile(device: &Device, kernel: Kernel, variant: Variant) -> ComputePipeline {
    let source = faults::corrupt(kernel.source(variant));
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(kernel.name()),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
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
    })
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|error| error.into_inner())
}

/// Stations in which nobody works.
#[cfg(not(target_arch = "wasm32"))]
mod idle {
    use std::sync::Mutex;

    use super::{AdapterChoice, Station, locked};

    /// More than these are not kept.
    const MOST: usize = 2;

    static IDLE: Mutex<Vec<Station>> = Mutex::new(Vec::new());

    pub fn take(choice: &AdapterChoice, timed: bool) -> Option<Station> {
        let mut idle = locked(&IDLE);
        let suits = |it: &Station| it.choice == *choice && it.timed == timed;
        let at = idle.iter().position(suits)?;
        // It may have been lost meanwhile.
        Some(idle.swap_remove(at)).filter(Station::answers)
    }

    pub fn put(station: Station) {
        let mut idle = locked(&IDLE);
        if idle.len() < MOST {
            idle.push(station);
        }
    }
}

/// A browser's devices cannot go from thread to thread.
#[cfg(target_arch = "wasm32")]
mod idle {
    use super::{AdapterChoice, Station};

    pub fn take(_: &AdapterChoice, _: bool) -> Option<Station> {
        None
    }

    pub fn put(_: Station) {}
}
