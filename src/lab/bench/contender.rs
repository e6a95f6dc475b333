//! Who is measured.

use crate::engine::Backend;
use crate::engine::cpu::threads_for;
use crate::engine::gpu::adapter::{AdapterChoice, AdapterInfo};
use crate::engine::gpu::shaders::Mapping;

/// An engine that takes part.
#[derive(Debug, Clone)]
pub struct Contender {
    /// Its threads, or number and name of its adapter; software is marked as that.
    pub name: String,
    /// How it is set up.
    pub backend: Backend,
    /// The adapter, unless it is native code.
    pub adapter: Option<AdapterInfo>,
}

impl Contender {
    /// Native code on so many threads; 0 is one a core.
    pub fn native(threads: usize) -> Self {
        let threads = threads_for(threads);
        Self {
            name: match threads {
                1 => "1 thread".to_owned(),
                threads => format!("{threads} threads"),
            },
            backend: Backend::Cpu { threads },
            adapter: None,
        }
    }

    /// An adapter, with a mapping of individuals to threads if one is wanted.
    pub fn adapter(info: AdapterInfo, mapping: Option<Mapping>) -> Self {
        let wanted = mapping.map_or(String::new(), |mapping| format!(", {mapping}"));
        let mark = match info.software {
            true => " [software: says nothing of a GPU]",
            false => "",
        };
        Self {
            name: format!("adapter {}: {}{wanted}{mark}", info.index, info.name),
            backend: Backend::Gpu {
                adapter: AdapterChoice::Index(info.index),
                mapping,
            },
            adapter: Some(info),
        }
    }

    /// The threads of native code.
    pub fn threads(&self) -> Option<usize> {
        match self.backend {
            Backend::Cpu { threads } => Some(threads),
            _ => None,
        }
    }

    /// Whether it is an adapter that is no GPU.
    pub fn is_software(&self) -> bool {
        self.adapter.as_ref().is_some_and(|info| info.software)
    }

    /// Whether it is a GPU.
    pub(super) fn is_gpu(&self) -> bool {
        self.adapter.as_ref().is_some_and(|info| !info.software)
    }
}

/// One thread, all threads if the machine has more than one, and these adapters.
pub fn contenders(
    adapters: impl IntoIterator<Item = AdapterInfo>,
    mapping: Option<Mapping>,
) -> Vec<Contender> {
    let mut native = vec![Contender::native(1), Contender::native(0)];
    native.dedup_by_key(|contender| contender.threads());
    let adapters = adapters
        .into_iter()
        .map(|info| Contender::adapter(info, mapping));
    native.into_iter().chain(adapters).collect()
}
