//! GPU-GA: the [`ga`] on islands, one to a workgroup of the GPU.
//!
//! Sato, Hasegawa & Sato, "GPU Acceleration for Sudoku Solution with Genetic Operations" (IEEE CEC
//! 2011), as the LSGA paper describes it and compares with it.
//!
//! ```text
//! every island for itself: generations of the GA, parents from the same island
//! after every epoch: the best of each island replaces the worst of the next one in a ring
//! ```
//!
//! The original is not at hand: the size of the islands, the epoch and the ring are a reading. An
//! island that has found a solution waits for the others, so a run ends, and is counted, at the
//! end of an epoch. The trace has a row for each epoch.

use super::ga::{self, CROSSOVER, MUTANTS, MUTATION, TOURNAMENT, UNIT};
use super::settings::{READING, param, propagate};
use super::{Algorithm, AlgorithmState, Info, Kind, Param, Settings, Steady, Task, grids};
use crate::operators::{Islands, Variation};
use crate::plan::{Plan, Representation};
use crate::problem::Instance;

/// GPU-GA in the list of algorithms.
pub const INFO: Info = Info {
    name: "gpu-ga",
    title: "genetic algorithm that preserves building blocks, on islands",
    source: "Sato, Hasegawa & Sato, IEEE CEC 2011",
    pop: 512,
    max_generations: 100_000,
    params: PARAMS,
    build: |settings| Box::new(GpuGa::new(settings)),
};

const PARAMS: &[Param] = &[
    param(
        "island",
        Kind::Count(1, 4096),
        "64",
        "individuals of an island",
        READING,
    ),
    param(
        "epoch",
        Kind::Count(1, 1000),
        "100",
        "generations between migrations",
        READING,
    ),
    CROSSOVER,
    MUTATION,
    TOURNAMENT,
    MUTANTS,
    UNIT,
    propagate("none", "not in the paper"),
];

/// GPU-GA with its parameters.
#[derive(Debug, Clone)]
pub struct GpuGa {
    islands: Islands,
}

impl GpuGa {
    /// GPU-GA with these settings of [`INFO`].
    pub fn new(settings: &Settings) -> Self {
        Self {
            islands: Islands {
                breed: ga::breed(settings),
                size: settings.count("island"),
                epoch: settings.count("epoch"),
            },
        }
    }
}

impl Algorithm for GpuGa {
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        grids(instance, Representation::BLOCKS)
    }

    fn begin(&self, _: &Task<'_>) -> Box<dyn AlgorithmState> {
        Box::new(Steady {
            plan: Plan::from(Variation::Islands(self.islands)),
            operator: "islands",
        })
    }
}
