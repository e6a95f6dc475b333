//! WGSL to the assembly of a Radeon: naga with wgpu's options, then Mesa's RADV on null hardware.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char};

use ash::vk;
use naga::back::spv;
use naga::proc::BoundsCheckPolicy;
use naga::valid::{Capabilities, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};

/// RADV without hardware.
pub struct Compiler {
    /// Keeps the driver in memory.
    _entry: ash::Entry,
    instance: ash::Instance,
    device: ash::Device,
    executables: ash::khr::pipeline_executable_properties::Device,
    /// What the driver calls the device, and itself.
    pub name: String,
}

/// A kernel as RADV has compiled it.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// Lanes of a wave.
    pub wave: usize,
    /// What the driver counts, by its names.
    pub statistics: BTreeMap<String, u64>,
    /// ACO's assembly.
    pub assembly: String,
    /// Invocations of a workgroup.
    pub workgroup: usize,
    /// Whether it asks how many workgroups there are.
    pub reads_grid: bool,
    /// Whether it asks which workgroup it is.
    pub reads_workgroup: bool,
}

impl Compiled {
    /// A figure of the driver's; 0 if it does not tell.
    pub fn statistic(&self, name: &str) -> u64 {
        self.statistics.get(name).copied().unwrap_or(0)
    }
}

impl Compiler {
    /// Opens the first device of the driver that `VK_ICD_FILENAMES` names.
    pub fn open() -> Result<Self, String> {
        // SAFETY: the loader is that of the system, and no other thread changes the environment.
        let entry = unsafe { ash::Entry::load() };
        let entry = entry.map_err(|error| format!("there is no Vulkan loader: {error}"))?;
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&app);
        // SAFETY: the structures live until the calls return, and are as Vulkan wants them.
        unsafe {
            let instance = entry.create_instance(&info, None);
            let instance = instance.map_err(|error| format!("no Vulkan instance: {error}"))?;
            let devices = instance.enumerate_physical_devices();
            let physical = devices.ok().and_then(|devices| devices.first().copied());
            let Some(physical) = physical else {
                return Err("the driver has no device".to_owned());
            };
            let mut driver = vk::PhysicalDeviceDriverProperties::default();
            let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
            instance.get_physical_device_properties2(physical, &mut properties);
            let device_name = text(&properties.properties.device_name);
            let name = format!("{device_name}, {}", text(&driver.driver_info));
            if driver.driver_id != vk::DriverId::MESA_RADV {
                return Err(format!(
                    "the device is {name}, and not one of RADV's: VK_ICD_FILENAMES has to name its driver"
                ));
            }
            let device = create_device(&instance, physical)
                .map_err(|error| format!("{name}: no device: {error}"))?;
            let executables =
                ash::khr::pipeline_executable_properties::Device::new(&instance, &device);
            Ok(Self {
                _entry: entry,
                instance,
                device,
                executables,
                name,
            })
        }
    }

    /// Compiles a text that is plain WGSL and uses these bindings of group 0, with waves of so many lanes if that is
    /// asked for.
    pub fn compile(
        &self,
        wgsl: &str,
        bindings: &[u32],
        wave: Option<u32>,
    ) -> Result<Compiled, String> {
        let module = naga::front::wgsl::parse_str(wgsl).map_err(|e| e.emit_to_string(wgsl))?;
        let code = spirv(&module, wgsl)?;
        // SAFETY: the structures live until the calls return, and are as Vulkan wants them; what is
        // created is destroyed when nothing uses it any more.
        unsafe {
            let info = vk::ShaderModuleCreateInfo::default().code(&code);
            let shader = self.device.create_shader_module(&info, None);
            let shader = shader.map_err(|error| format!("no shader module: {error}"))?;
            let sets = set_layouts(&self.device, &module, bindings)
                .map_err(|error| format!("no layout: {error}"))?;
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
            let layout = self.device.create_pipeline_layout(&info, None);
            let layout = layout.map_err(|error| format!("no layout: {error}"))?;
            let mut size = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default()
                .required_subgroup_size(wave.unwrap_or(64));
            let mut stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(shader)
                .name(c"main");
            if wave.is_some() {
                stage = stage.push_next(&mut size);
            }
            let flags = vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR
                | vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR;
            let info = vk::ComputePipelineCreateInfo::default()
                .flags(flags)
                .stage(stage)
                .layout(layout);
            let pipelines =
                self.device
                    .create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            let pipeline = pipelines.map_err(|(_, error)| format!("no pipeline: {error}"))?[0];
            let compiled = self.read(pipeline, &module.entry_points[0]);
            self.device.destroy_pipeline(pipeline, None);
            self.device.destroy_pipeline_layout(layout, None);
            for set in sets {
                self.device.destroy_descriptor_set_layout(set, None);
            }
            self.device.destroy_shader_module(shader, None);
            compiled.map_err(|error| format!("the driver does not tell what it made: {error}"))
        }
    }

    /// What the driver tells of a pipeline.
    unsafe fn read(
        &self,
        pipeline: vk::Pipeline,
        entry: &naga::EntryPoint,
    ) -> Result<Compiled, vk::Result> {
        let reads = |wanted: naga::BuiltIn| {
            let mut arguments = entry.function.arguments.iter();
            let wanted = Some(naga::Binding::BuiltIn(wanted));
            arguments.any(|argument| argument.binding == wanted)
        };
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline);
        let of = vk::PipelineInfoKHR::default().pipeline(pipeline);
        // SAFETY: the pipeline was created with the flags that allow to ask for this.
        unsafe {
            let properties = self.executables.get_pipeline_executable_properties(&of)?;
            let statistics = self.executables.get_pipeline_executable_statistics(&info)?;
            // RADV counts with 64 bits, whatever it counts.
            let statistics = statistics
                .iter()
                .map(|it| (text(&it.name), it.value.u64))
                .collect();
            Ok(Compiled {
                wave: properties
                    .first()
                    .map_or(64, |it| it.subgroup_size as usize),
                statistics,
                assembly: self.assembly(&info)?,
                workgroup: entry.workgroup_size.iter().product::<u32>() as usize,
                reads_grid: reads(naga::BuiltIn::NumWorkGroups),
                reads_workgroup: reads(naga::BuiltIn::WorkGroupId),
            })
        }
    }

    /// The representation that is called so. ash has no wrapper for the two calls that this takes.
    unsafe fn assembly(
        &self,
        info: &vk::PipelineExecutableInfoKHR<'_>,
    ) -> Result<String, vk::Result> {
        let call = self
            .executables
            .fp()
            .get_pipeline_executable_internal_representations_khr;
        let device = self.device.handle();
        // SAFETY: the first two calls tell how many there are and how long, the third fills what was
        // made as long.
        unsafe {
            let mut count = 0;
            call(device, info, &mut count, std::ptr::null_mut()).result()?;
            let mut found =
                vec![vk::PipelineExecutableInternalRepresentationKHR::default(); count as usize];
            call(device, info, &mut count, found.as_mut_ptr()).result()?;
            let mut texts: Vec<Vec<u8>> = found.iter().map(|it| vec![0; it.data_size]).collect();
            for (it, text) in found.iter_mut().zip(&mut texts) {
                it.p_data = text.as_mut_ptr().cast();
            }
            call(device, info, &mut count, found.as_mut_ptr()).result()?;
            let wanted = found.iter().zip(texts);
            let mut wanted = wanted.filter(|(it, _)| text(&it.name).contains("Assembly"));
            let assembly = wanted.next().map(|(_, text)| text).unwrap_or_default();
            let assembly = String::from_utf8_lossy(&assembly);
            Ok(assembly.trim_end_matches('\0').to_owned())
        }
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        // SAFETY: nothing that was made of them is left.
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

/// A device with the features that wgpu asks for, and with those that tell what was compiled.
unsafe fn create_device(
    instance: &ash::Instance,
    physical: vk::PhysicalDevice,
) -> Result<ash::Device, vk::Result> {
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(0)
        .queue_priorities(&[1.0])];
    let extensions = [
        ash::khr::pipeline_executable_properties::NAME.as_ptr(),
        ash::ext::robustness2::NAME.as_ptr(),
    ];
    let mut executables = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default()
        .pipeline_executable_info(true);
    let mut memory_model = vk::PhysicalDeviceVulkanMemoryModelFeatures::default()
        .vulkan_memory_model(true)
        .vulkan_memory_model_device_scope(true);
    let mut size_control = vk::PhysicalDeviceSubgroupSizeControlFeatures::default()
        .subgroup_size_control(true)
        .compute_full_subgroups(true);
    let mut robustness =
        vk::PhysicalDeviceRobustness2FeaturesEXT::default().robust_buffer_access2(true);
    let features = vk::PhysicalDeviceFeatures::default().robust_buffer_access(true);
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&extensions)
        .enabled_features(&features)
        .push_next(&mut executables)
        .push_next(&mut memory_model)
        .push_next(&mut size_control)
        .push_next(&mut robustness);
    // SAFETY: the structures live until the call returns, and RADV has all of these.
    unsafe { instance.create_device(physical, &info, None) }
}

/// SPIR-V as wgpu has naga write it for a device with robust buffer accesses.
fn spirv(module: &naga::Module, wgsl: &str) -> Result<Vec<u32>, String> {
    let info = Validator::new(ValidationFlags::all(), Capabilities::SUBGROUP)
        .subgroup_stages(ShaderStages::COMPUTE)
        .subgroup_operations(SubgroupOperationSet::all())
        .validate(module)
        .map_err(|error| error.emit_to_string(wgsl))?;
    let mut options = spv::Options {
        lang_version: (1, 6),
        flags: spv::WriterFlags::empty(),
        // As the engine asks for: every working grid is written before it is read.
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: true,
        emit_int_div_checks: true,
        ..spv::Options::default()
    };
    // The driver checks the places in buffers, naga those in arrays.
    options.bounds_check_policies.index = BoundsCheckPolicy::Restrict;
    options.bounds_check_policies.buffer = BoundsCheckPolicy::Unchecked;
    spv::write_vec(module, &info, &options, None).map_err(|error| error.to_string())
}

/// The layouts of the groups of buffers, all of which are storage: as wgpu derives them, with those that are used.
unsafe fn set_layouts(
    device: &ash::Device,
    module: &naga::Module,
    used: &[u32],
) -> Result<Vec<vk::DescriptorSetLayout>, vk::Result> {
    let mut sets = vec![Vec::new(); 2];
    for (_, variable) in module.global_variables.iter() {
        if let Some(at) = &variable.binding
            && (at.group == 1 || used.contains(&at.binding))
        {
            let binding = vk::DescriptorSetLayoutBinding::default()
                .binding(at.binding)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE);
            sets[at.group as usize].push(binding);
        }
    }
    let layout = |mut bindings: Vec<vk::DescriptorSetLayoutBinding<'_>>| {
        bindings.sort_by_key(|binding| binding.binding);
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        // SAFETY: the bindings live until the call returns.
        unsafe { device.create_descriptor_set_layout(&info, None) }
    };
    sets.into_iter().map(layout).collect()
}

/// A string of Vulkan's.
fn text(chars: &[c_char]) -> String {
    // SAFETY: Vulkan ends its strings with 0.
    let text = unsafe { CStr::from_ptr(chars.as_ptr()) };
    text.to_string_lossy().into_owned()
}
