//! How kernels are mapped to the threads of an adapter: the one place that chooses, with its reasons.
//!
//! Instructions were counted by `tools/gpu-meter`; docs/performance/gpu.md has the figures.

use super::adapter::AdapterInfo;
use super::shaders::{LANES, Mapping, ProblemKind, Variant, admits};
use crate::error::Error;
use crate::operators::kernel::Shader;
use crate::plan::Encoding;

/// What the choice depends on besides the kernel.
#[derive(Debug, Clone)]
pub struct Mappings {
    /// What was asked for, for every kernel that can be mapped so.
    wanted: Option<Mapping>,
    /// How lanes vote on this adapter.
    lanes: Mapping,
    software: bool,
    browser: bool,
    rows: bool,
    pop: usize,
}

/// Kernels of grids that GPUs run with a thread for each individual: up to this size, and from this population on.
struct ByThread {
    kernel: &'static str,
    largest: usize,
    fewest: usize,
}

/// A thread takes fewer instructions wherever its state stays in registers, but a wave of 64 such individuals takes
/// longer than a wave with one: with few individuals most of a GPU would idle. From how many on a thread is faster
/// is what the model predicts for a GPU of 144 SIMDs (`benches/gpu.sh --rates`); smaller ones would gain earlier.
const BY_THREAD: [ByThread; 6] = [
    // 5 instructions an individual at 9x9, 275 at 49x49, without a spill.
    ByThread {
        kernel: "grids/evaluate",
        largest: 64,
        fewest: 1,
    },
    // A 24th to a 31st of the instructions by lanes; a wave takes three to four times as long.
    ByThread {
        kernel: "grids/sample",
        largest: 25,
        fewest: 8_192,
    },
    // 130 and 190 instructions for 1,020 and 1,100 by lanes at 9x9; a wave takes seven and ten times as long.
    ByThread {
        kernel: "grids/improvise",
        largest: 25,
        fewest: 8_192,
    },
    ByThread {
        kernel: "grids/pollinate",
        largest: 25,
        fewest: 16_384,
    },
    // 420 instructions for 1,510 by lanes; a wave takes eleven times as long. Larger grids need scratch memory.
    ByThread {
        kernel: "grids/breed_blocks",
        largest: 9,
        fewest: 16_384,
    },
    // 845 instructions for 2,905 by lanes; a wave takes 15 times as long, and registers leave room for two. So the model sees
    // no gain yet: 102 to 204 M a second for 176 to 214 M. Larger grids spill.
    ByThread {
        kernel: "grids/breed_rows",
        largest: 9,
        fewest: 16_384,
    },
];

impl Mappings {
    /// For individuals of an encoding on an adapter.
    ///
    /// # Errors
    /// If subgroups are wanted that the adapter does not have.
    pub fn new(
        info: &AdapterInfo,
        encoding: Encoding,
        pop: usize,
        wanted: Option<Mapping>,
    ) -> Result<Self, Error> {
        // Software drivers may cut loops short. Kernels of subgroups do not look for that.
        let has_subgroups = info.subgroup_lanes as usize >= LANES && !info.software;
        if wanted == Some(Mapping::Subgroup) && !has_subgroups {
            return Err(Error::DeviceUnsupported {
                adapter: info.name.clone(),
                reason: format!(
                    "a subgroup per individual needs subgroups of {LANES} lanes in hardware, and it has {}{}",
                    info.subgroup_lanes,
                    if info.software { " in software" } else { "" }
                ),
            });
        }
        Ok(Self {
            wanted,
            lanes: match has_subgroups {
                true => Mapping::Subgroup,
                false => Mapping::Workgroup,
            },
            software: info.software,
            browser: info.browser,
            rows: encoding == Encoding::Rows,
            pop,
        })
    }

    /// The variant of a kernel: what the problem says, mapped as suits kernel and adapter.
    pub fn variant_of(&self, shader: &Shader, variant: Variant) -> Result<Variant, Error> {
        let wanted = self.wanted.unwrap_or_else(|| self.choose(shader, variant));
        let admitted = admits(shader, wanted, variant.size).map_err(Error::Shader)?;
        Ok(Variant {
            mapping: if admitted { wanted } else { self.lanes },
            ..variant
        })
    }

    /// The mapping that should be fastest.
    fn choose(&self, shader: &Shader, variant: Variant) -> Mapping {
        if variant.kind == ProblemKind::Board {
            return self.lanes;
        }
        let by_thread = match self.software {
            true => variant.size <= self.largest_of_software(),
            false => BY_THREAD.iter().any(|rule| {
                // Tint takes seconds to compile a whole local search for one thread.
                let compiles = !(self.browser && rule.kernel == "grids/breed_rows");
                let suits = variant.size <= rule.largest && self.pop >= rule.fewest;
                rule.kernel == shader.path() && suits && compiles
            }),
        };
        match by_thread {
            true => Mapping::Thread,
            false => self.lanes,
        }
    }

    /// Software adapters run a thread per individual faster, but Mesa's ends all loops of a thread after
    /// 65,535 turns: in larger grids one thread could need more. At 25x25 the few kernels that work on rows
    /// need fewer than half of them with the usual five rounds of local search, and no layout is enough for
    /// a hundred.
    fn largest_of_software(&self) -> usize {
        if self.rows { 25 } else { 12 }
    }
}
