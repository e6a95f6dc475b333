//! The algorithms, a file each: parameters and plan. Adding one touches its file and [`ALL`].

pub mod lsga;
mod settings;

pub use settings::{Kind, Param, Settings, Value};

use crate::error::Error;
use crate::plan::Plan;

/// A population algorithm: what a generation does.
///
/// Operators are kernels that both engines have; an algorithm combines them. See
/// `examples/own_algorithm.rs`.
pub trait Algorithm {
    /// The kernels of a generation and their parameters.
    fn plan(&self) -> Plan;
}

/// An algorithm that can be asked for by name.
#[derive(Debug)]
pub struct Info {
    /// What `--algo` takes.
    pub name: &'static str,
    /// One line on what it is.
    pub title: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// Population of the publication.
    pub pop: usize,
    /// Generations after which the publication gives up.
    pub max_generations: u32,
    /// What `--set` takes.
    pub params: &'static [Param],
    /// Makes the algorithm from its settings.
    pub build: fn(&Settings) -> Box<dyn Algorithm>,
}

/// Every algorithm.
pub const ALL: &[Info] = &[lsga::INFO];

/// The algorithm of that name.
pub fn find(name: &str) -> Result<&'static Info, Error> {
    ALL.iter()
        .find(|info| info.name == name)
        .ok_or_else(|| Error::UnknownAlgorithm {
            name: name.to_owned(),
            known: ALL
                .iter()
                .map(|info| info.name)
                .collect::<Vec<_>>()
                .join(", "),
        })
}
