//! A device and the kernels that were compiled for it. Both take long to make, so that they go from one
//! engine to the next, but never serve two at a time: what goes wrong with one is no other's fault.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use wgpu::{Buffer, ComputePipeline, Device, Queue};

use super::adapter::{self, AdapterChoice, AdapterInfo};
use super::buffers;
use super::shaders::{Composed, Interface, Variant, compose, reflect};
use super::work::Shape;
use crate::engine::faults;
use crate::error::Error;
use crate::operators::kernel::Shader;

/// Kernels that are kept: of some variants, not of every puzzle that was ever seen.
const MOST_KERNELS: usize = 64;

/// A device with its tools.
#[derive(Clone)]
pub struct DeviceContext {
    #[cfg_attr(
        target_arch = "wasm32",
        expect(dead_code, reason = "contexts are not kept there")
    )]
    choice: AdapterChoice,
    /// Whether timestamps were asked for.
    #[cfg_attr(
        target_arch = "wasm32",
        expect(dead_code, reason = "contexts are not kept there")
    )]
    timed: bool,
    pub info: AdapterInfo,
    pub device: Device,
    pub queue: Queue,
    /// The first error that the device reported outside of a call that could return it.
    fault: Arc<Mutex<Option<String>>>,
    /// Whether the device was lost, or did not answer in time.
    gone: Arc<AtomicBool>,
    kernels: Arc<Mutex<HashMap<(Shader, Variant), Kernel>>>,
    /// The kernel that is being compiled: what goes wrong meanwhile is wrong with it.
    compiling: Arc<Mutex<Option<Composed>>>,
    /// What is wrong with a kernel.
    wrong: Arc<Mutex<Option<String>>>,
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

impl DeviceContext {
    /// One that stands idle, or a new one. `timed` asks for timestamps, if the adapter has them.
    pub async fn open(choice: &AdapterChoice, timed: bool) -> Result<Self, Error> {
        match idle::take(choice, timed) {
            Some(context) => Ok(Self {
                uploaded: Arc::default(),
                downloaded: Arc::default(),
                ..context
            }),
            None => Self::build(choice, timed).await,
        }
    }

    async fn build(choice: &AdapterChoice, timed: bool) -> Result<Self, Error> {
        let (adapter, info) = adapter::choose(choice).await?;
        let wanted = match timed {
            true => wgpu::Features::SUBGROUP | wgpu::Features::TIMESTAMP_QUERY,
            false => wgpu::Features::SUBGROUP,
        };
        let features = adapter.features() & wanted;
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("gpusudoku"),
                required_features: features,
                required_limits: adapter.limits(),
                ..Default::default()
            })
            .await
            .map_err(|error| Error::DeviceFailed {
                adapter: info.name.clone(),
                reason: error.to_string(),
            })?;
        let context = Self {
            choice: choice.clone(),
            timed,
            info,
            device,
            queue,
            fault: Arc::default(),
            gone: Arc::default(),
            kernels: Arc::default(),
            compiling: Arc::default(),
            wrong: Arc::default(),
            uploaded: Arc::default(),
            downloaded: Arc::default(),
        };
        let (on_error, on_loss) = (context.fault.clone(), context.fault.clone());
        let (compiling, wrong) = (context.compiling.clone(), context.wrong.clone());
        let gone = context.gone.clone();
        context
            .device
            .on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
                let message = error.to_string();
                let of_memory = matches!(error, wgpu::Error::OutOfMemory { .. });
                match &*locked(&compiling) {
                    Some(composed) if !of_memory && !message.contains("lost") => {
                        locked(&wrong).get_or_insert(composed.translate(&message));
                    }
                    _ => {
                        locked(&on_error).get_or_insert(message);
                    }
                }
            }));
        context
            .device
            .set_device_lost_callback(move |reason, message| {
                gone.store(true, Ordering::Relaxed);
                // Dropping the device at the end is reported as well.
                if reason != wgpu::DeviceLostReason::Destroyed {
                    let lost = format!("the device was lost: {message}");
                    locked(&on_loss).get_or_insert(lost);
                }
            });
        Ok(context)
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

    /// A kernel, compiled once. One that does not compile is a fault of ours, not of the device.
    pub fn kernel(&self, shader: &Shader, variant: Variant) -> Result<Kernel, Error> {
        let key = (shader.clone(), variant);
        if let Some(kernel) = locked(&self.kernels).get(&key) {
            return Ok(kernel.clone());
        }
        let kernel = self.compile(shader, variant).map_err(Error::Shader)?;
        let mut kernels = locked(&self.kernels);
        if kernels.len() >= MOST_KERNELS {
            kernels.clear();
        }
        Ok(kernels.entry(key).or_insert(kernel).clone())
    }

    fn compile(&self, shader: &Shader, variant: Variant) -> Result<Kernel, String> {
        let mut composed = compose(shader, variant)?;
        composed.text = faults::corrupt(composed.text);
        let interface = reflect(&composed)?;
        let name = shader.name().to_owned();
        let (variant, has_workspace) = (composed.variant, composed.has_workspace);
        let source = wgpu::ShaderSource::Wgsl(composed.text.clone().into());
        *locked(&self.compiling) = Some(composed);
        let module = self
            .device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(&name),
                source,
            });
        let pipeline = self
            .device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(&name),
                layout: None,
                module: &module,
                entry_point: None,
                compilation_options: wgpu::PipelineCompilationOptions {
                    // Every working grid is written before it is read.
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            });
        *locked(&self.compiling) = None;
        match locked(&self.wrong).take() {
            Some(what) => Err(format!("{}: {what}", shader.path())),
            None => Ok(Kernel {
                name,
                pipeline,
                interface,
                variant,
                has_workspace,
            }),
        }
    }
}

/// A kernel on a device.
#[derive(Debug, Clone)]
pub struct Kernel {
    pub name: String,
    pub pipeline: ComputePipeline,
    pub interface: Interface,
    /// How it was composed: not always as was asked for.
    pub variant: Variant,
    /// Whether it works in a workspace, a workgroup for each individual.
    pub has_workspace: bool,
}

impl Kernel {
    /// What its dispatches depend on, for a problem of this variant.
    pub fn shape(&self, problem: Variant) -> Shape {
        Shape {
            problem,
            composed: self.variant,
            has_workspace: self.has_workspace,
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|error| error.into_inner())
}

/// Contexts in which nobody works.
#[cfg(not(target_arch = "wasm32"))]
mod idle {
    use std::sync::Mutex;

    use super::{AdapterChoice, DeviceContext, locked};

    /// More than these are not kept.
    const MOST: usize = 2;

    static IDLE: Mutex<Vec<DeviceContext>> = Mutex::new(Vec::new());

    pub fn take(choice: &AdapterChoice, timed: bool) -> Option<DeviceContext> {
        let mut idle = locked(&IDLE);
        let suits = |it: &DeviceContext| it.choice == *choice && it.timed == timed;
        let at = idle.iter().position(suits)?;
        // It may have been lost meanwhile.
        Some(idle.swap_remove(at)).filter(DeviceContext::answers)
    }

    pub fn put(context: DeviceContext) {
        let mut idle = locked(&IDLE);
        if idle.len() < MOST {
            idle.push(context);
        }
    }
}

/// A browser's devices cannot go from thread to thread.
#[cfg(target_arch = "wasm32")]
mod idle {
    use super::{AdapterChoice, DeviceContext};

    pub fn take(_: &AdapterChoice, _: bool) -> Option<DeviceContext> {
        None
    }

    pub fn put(_: DeviceContext) {}
}
