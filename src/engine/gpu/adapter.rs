//! Which adapters there are, and which one to take.

use wgpu::{Adapter, Backends, DeviceType, Instance, InstanceDescriptor};

use crate::engine::faults;
use crate::error::Error;

/// The backends in use. OpenGL is left out on purpose: where Vulkan has no driver, Mesa's GL
/// would silently step in.
const BACKENDS: Backends = Backends::VULKAN
    .union(Backends::METAL)
    .union(Backends::DX12)
    .union(Backends::BROWSER_WEBGPU);

/// The names of the backends that this build tries.
pub fn backends_tried() -> &'static str {
    if cfg!(target_arch = "wasm32") {
        "WebGPU"
    } else if cfg!(target_vendor = "apple") {
        "Metal"
    } else if cfg!(windows) {
        "Vulkan and DX12"
    } else {
        "Vulkan"
    }
}

/// An adapter and what it says of itself.
#[derive(Debug, Clone)]
pub struct AdapterInfo {
    /// Position in the list of adapters.
    pub index: usize,
    /// Name of the device.
    pub name: String,
    /// Discrete, integrated, virtual, software or other.
    pub kind: &'static str,
    /// Whether it is a program and not a GPU.
    pub software: bool,
    /// The API behind it.
    pub backend: String,
    /// Name and version of the driver.
    pub driver: String,
    /// Whether it can tell how long its kernels take.
    pub timestamps: bool,
    /// Largest part of a buffer that a kernel can see, in bytes.
    pub max_storage_binding: u64,
    /// Memory of a workgroup, in bytes.
    pub max_workgroup_memory: u32,
    /// Invocations of a workgroup.
    pub max_workgroup_size: u32,
    /// Workgroups in one dimension of a dispatch.
    pub max_workgroups: u32,
    /// Lanes that a subgroup has at least; 0 if kernels cannot use subgroups.
    pub subgroup_lanes: u32,
    /// Whether it is a browser's.
    pub browser: bool,
}

impl AdapterInfo {
    fn new(index: usize, adapter: &Adapter) -> Self {
        let info = adapter.get_info();
        let limits = adapter.limits();
        let driver = [info.driver, info.driver_info].join(" ").trim().to_owned();
        Self {
            index,
            name: info.name,
            kind: match info.device_type {
                DeviceType::DiscreteGpu => "discrete GPU",
                DeviceType::IntegratedGpu => "integrated GPU",
                DeviceType::VirtualGpu => "virtual GPU",
                DeviceType::Cpu => "software",
                DeviceType::Other => "other",
            },
            software: info.device_type == DeviceType::Cpu,
            backend: info.backend.to_string(),
            driver,
            timestamps: adapter.features().contains(wgpu::Features::TIMESTAMP_QUERY),
            // Kernels count words with 32 bits, and some backends the bytes of a binding.
            max_storage_binding: faults::binding(limits.max_storage_buffer_binding_size)
                .min(limits.max_buffer_size)
                .min(i32::MAX as u64),
            max_workgroup_memory: limits.max_compute_workgroup_storage_size,
            max_workgroup_size: limits.max_compute_invocations_per_workgroup,
            max_workgroups: limits.max_compute_workgroups_per_dimension,
            subgroup_lanes: match adapter.features().contains(wgpu::Features::SUBGROUP) {
                true => info.subgroup_min_size,
                false => 0,
            },
            browser: info.backend == wgpu::Backend::BrowserWebGpu,
        }
    }

    /// Real GPUs before software, the strongest kind first.
    fn rank(&self) -> usize {
        ["discrete GPU", "integrated GPU", "virtual GPU", "other"]
            .iter()
            .position(|&kind| kind == self.kind)
            .unwrap_or(usize::MAX)
    }
}

/// Which adapter is wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum AdapterChoice {
    /// The strongest; a software adapter only if there is no other.
    #[default]
    Best,
    /// The strongest real GPU, what `--backend auto` takes; never a software adapter.
    Automatic,
    /// By position in the list of adapters.
    Index(usize),
    /// By part of its name, in any case.
    Name(String),
}

impl From<&str> for AdapterChoice {
    fn from(text: &str) -> Self {
        match text.parse() {
            Ok(index) => Self::Index(index),
            Err(_) => Self::Name(text.to_owned()),
        }
    }
}

/// Every adapter of this machine.
pub async fn list() -> Vec<AdapterInfo> {
    infos(&enumerate().await)
}

fn infos(adapters: &[Adapter]) -> Vec<AdapterInfo> {
    let numbered = adapters.iter().enumerate();
    numbered
        .map(|(index, adapter)| AdapterInfo::new(index, adapter))
        .collect()
}

/// The adapter that `--backend auto` takes: the strongest real GPU, if there is one.
pub fn automatic(adapters: &[AdapterInfo]) -> Option<&AdapterInfo> {
    best(adapters).filter(|adapter| !adapter.software || faults::software_will_do())
}

fn best(adapters: &[AdapterInfo]) -> Option<&AdapterInfo> {
    adapters.iter().min_by_key(|adapter| adapter.rank())
}

/// What the adapter that is wanted says of itself.
pub async fn find(choice: &AdapterChoice) -> Result<AdapterInfo, Error> {
    choose(choice).await.map(|(_, info)| info)
}

/// Finds the adapter that is wanted.
pub(super) async fn choose(choice: &AdapterChoice) -> Result<(Adapter, AdapterInfo), Error> {
    let mut adapters = enumerate().await;
    let infos = infos(&adapters);
    let found = match choice {
        AdapterChoice::Best => best(&infos),
        AdapterChoice::Automatic => automatic(&infos),
        // A number may also be a part of a name.
        AdapterChoice::Index(index) => infos
            .get(*index)
            .or_else(|| by_name(&infos, &index.to_string())),
        AdapterChoice::Name(name) => by_name(&infos, name),
    };
    match found {
        Some(info) => Ok((adapters.swap_remove(info.index), info.clone())),
        None if infos.is_empty() => Err(Error::NoAdapter(format!(
            "tried {} and found no driver; install one (a software driver on Debian and Ubuntu: \
             apt-get install libvulkan1 mesa-vulkan-drivers) or use --backend cpu",
            backends_tried()
        ))),
        None => {
            let wanted = match choice {
                AdapterChoice::Index(index) => format!("number {index}, nor called so"),
                AdapterChoice::Name(name) => format!("called {name:?}"),
                AdapterChoice::Automatic => "that is a GPU".to_owned(),
                AdapterChoice::Best => "at all".to_owned(),
            };
            let known: Vec<_> = infos
                .iter()
                .map(|info| format!("{} ({})", info.index, info.name))
                .collect();
            Err(Error::NoAdapter(format!(
                "there is none {wanted}; there is {}",
                known.join(", ")
            )))
        }
    }
}

fn by_name<'a>(adapters: &'a [AdapterInfo], name: &str) -> Option<&'a AdapterInfo> {
    let name = name.to_lowercase();
    adapters
        .iter()
        .find(|adapter| adapter.name.to_lowercase().contains(&name))
}

async fn enumerate() -> Vec<Adapter> {
    let instance = Instance::new(InstanceDescriptor {
        backends: BACKENDS,
        ..InstanceDescriptor::new_without_display_handle()
    });
    instance.enumerate_adapters(BACKENDS).await
}
