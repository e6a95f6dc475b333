//! The algorithms, a file each: parameters and plan. Adding one touches its file and [`ALL`].

pub mod ah_lsga;
pub mod cga;
pub mod fpchs;
pub mod ga;
pub mod ga_ii;
pub mod ga_iii;
pub mod gpu_ga;
pub mod hgasa;
pub mod hgsaga;
pub mod hpsoga;
pub mod hs;
mod hybrid;
pub mod lsga;
pub mod memetic;
pub mod min_conflicts;
mod model;
pub mod nb_coin;
pub mod packing;
pub mod reseda;
mod settings;
mod stagnation;
pub mod tabu;

pub use settings::{Kind, Param, Settings, Value};

use crate::codec::{Codec, DecodeError, Persist};
use crate::error::Error;
use crate::observation::{Observation, Observed};
use crate::operators::Start;
use crate::plan::{Plan, Representation};
use crate::population::Record;
use crate::problem::sudoku::propagate::Level;
use crate::problem::{Instance, NamedProblem, Problem};

/// A population algorithm.
///
/// Operators are kernels that both engines have; an algorithm combines them. See
/// `examples/own_algorithm.rs`.
pub trait Algorithm {
    /// What an individual is, and what makes one better than another; nothing if the algorithm is
    /// not for such problems.
    fn representation(&self, instance: &Instance) -> Option<Representation> {
        grids(instance, Representation::ROWS)
    }

    /// Begins a run.
    fn begin(&self, task: &Task<'_>) -> Box<dyn AlgorithmState>;
}

/// What individuals are, for algorithms that know nothing but grids.
fn grids(instance: &Instance, representation: Representation) -> Option<Representation> {
    match instance {
        Instance::Sudoku(_) => Some(representation),
        Instance::Queens(_) => None,
    }
}

/// What an algorithm is put to.
#[derive(Debug, Clone, Copy)]
pub struct Task<'a> {
    /// What propagation has left of the problem.
    pub instance: &'a Instance,
    /// Individuals.
    pub pop: usize,
    /// Seed of all random numbers.
    pub seed: u64,
}

/// A run of an algorithm, seen from the host: what to do next, in the light of what happened.
///
/// Feedback arrive in pieces of any size, so a state must not depend on where they are cut. It keeps
/// ([`Persist`]) all that feedback have changed: a state that begins anew and reads this goes on as the old
/// one would.
pub trait AlgorithmState: Persist {
    /// How the initial population is made.
    fn start(&self) -> Start {
        Start::Fresh
    }

    /// What to do next.
    fn stage(&self) -> Stage;

    /// Generations have run; the first call brings generation 0.
    fn observe(&mut self, feedback: &Feedback<'_>) {
        let _ = feedback;
    }

    /// What [`AlgorithmState::observe`] has to know of the last generation besides its record.
    fn observation(&self) -> Observation {
        Observation::Records
    }
}

/// What has happened since the last feedback.
#[derive(Debug, Clone, Copy)]
pub struct Feedback<'a> {
    /// The generations that have run.
    pub records: &'a [Record],
    /// What the state wanted to know of the last of them.
    pub observed: &'a Observed<'a>,
}

/// A part of a run in which all generations do the same.
#[derive(Debug, Clone)]
pub struct Stage {
    /// The kernels of a generation and their parameters.
    pub plan: Plan,
    /// For how many generations it holds at the most, unless feedback change it.
    pub generations: u32,
    /// What its main operator is called.
    pub operator: &'static str,
}

/// The state of an algorithm whose generations are all the same.
#[derive(Debug, Clone)]
pub struct Steady {
    /// What every generation does.
    pub plan: Plan,
    /// What that is called.
    pub operator: &'static str,
}

impl Persist for Steady {
    fn persist(&mut self, _: &mut Codec) -> Result<(), DecodeError> {
        Ok(())
    }
}

impl AlgorithmState for Steady {
    fn stage(&self) -> Stage {
        Stage {
            plan: self.plan.clone(),
            generations: u32::MAX,
            operator: self.operator,
        }
    }
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
pub const ALL: &[Info] = &[
    memetic::INFO,
    packing::INFO,
    tabu::INFO,
    lsga::INFO,
    nb_coin::INFO,
    reseda::INFO,
    ah_lsga::INFO,
    ga::INFO,
    ga_ii::INFO,
    ga_iii::INFO,
    gpu_ga::INFO,
    hs::INFO,
    fpchs::INFO,
    hpsoga::INFO,
    cga::INFO,
    hgsaga::INFO,
    hgasa::INFO,
    min_conflicts::INFO,
];

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

/// The names of those that are for a problem.
pub fn for_problem(problem: &Problem) -> Vec<&'static str> {
    let Ok(instance) = problem.reduce(Level::None) else {
        return Vec::new();
    };
    let can = |info: &&'static Info| {
        let algorithm = Settings::new(info).build();
        algorithm.representation(&instance).is_some()
    };
    let infos = ALL.iter().filter(can);
    infos.map(|info| info.name).collect()
}

/// The sentence about an algorithm that is not for queens, and what is.
pub fn not_for(info: &Info, problem: &NamedProblem) -> Error {
    Error::Input(format!(
        "{} is for Sudoku and Latin squares; for {} there is {}",
        info.name,
        problem.name,
        for_problem(&problem.problem).join(", ")
    ))
}
