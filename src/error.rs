//! The one error of the library.

use thiserror::Error;

use crate::problem::queens::QueensError;
use crate::problem::sudoku::format::FormatError;
use crate::problem::sudoku::propagate::Contradiction;
use crate::problem::sudoku::{GeometryError, GridError};
use crate::problem::verify::Violation;

/// Everything that can go wrong, each in one sentence for the user.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// What was given as a problem is none: where it is wrong, and why.
    #[error("{0}")]
    Input(String),
    /// A text is not a puzzle.
    #[error("{0}")]
    Format(#[from] FormatError),
    /// Cells do not make a grid, or givens contradict each other.
    #[error("{0}")]
    Grid(#[from] GridError),
    /// No grid has this size or shape.
    #[error("{0}")]
    Geometry(#[from] GeometryError),
    /// Propagation has found out that a puzzle cannot be solved.
    #[error("the puzzle has no solution: {0}")]
    NoSolution(#[from] Contradiction),
    /// An algorithm that knows nothing but grids.
    #[error("this algorithm is for Sudoku and Latin squares, not for queens")]
    NotForQueens,
    /// An objective whose best value nobody knows.
    #[error(
        "support and confidence are for problems that can be solved without conflict; here the \
         fewest attacks are {goal}, and fitness=conflicts counts them"
    )]
    UnknownOptimum {
        /// The fewest attacks.
        goal: u32,
    },
    /// There are no such queens.
    #[error("{0}")]
    Queens(#[from] QueensError),
    /// An unknown algorithm.
    #[error("there is no algorithm called {name:?}; there is {known}")]
    UnknownAlgorithm {
        /// What was asked for.
        name: String,
        /// The algorithms there are.
        known: String,
    },
    /// A parameter that the algorithm does not have.
    #[error("{algo} has no parameter {key:?}; its parameters are {known}")]
    UnknownParameter {
        /// The algorithm.
        algo: &'static str,
        /// What was asked for.
        key: String,
        /// The parameters there are.
        known: String,
    },
    /// A value that a parameter cannot have.
    #[error("{key} = {value:?} is not possible: expected {expected}")]
    BadValue {
        /// The parameter.
        key: String,
        /// What was asked for.
        value: String,
        /// What it can be.
        expected: String,
    },
    /// More individuals than fit.
    #[error(
        "a population of {pop} does not fit {place}: at most {fits} individuals of {cells} cells do (--pop auto takes as many as fit)"
    )]
    PopulationTooLarge {
        /// What was asked for.
        pop: usize,
        /// The largest population that fits.
        fits: usize,
        /// Cells of an individual.
        cells: usize,
        /// Where it does not fit.
        place: String,
    },
    /// More memory than there is.
    #[error("a population of {pop} needs {bytes} bytes of memory, more than there is")]
    Memory {
        /// What was asked for.
        pop: usize,
        /// What it takes.
        bytes: usize,
    },
    /// Threads could not be started.
    #[error("cannot start worker threads: {0}")]
    Threads(String),
    /// There is no adapter at all, or none as asked for.
    #[error("no usable GPU adapter: {0}")]
    NoAdapter(String),
    /// The adapter failed at work: lost, out of memory, or silent. It may do better next time.
    #[error("the GPU adapter {adapter} failed: {reason}")]
    DeviceFailed {
        /// Its name.
        adapter: String,
        /// What it said.
        reason: String,
    },
    /// The adapter cannot do what is asked of it.
    #[error("the GPU adapter {adapter} failed: {reason}")]
    DeviceUnsupported {
        /// Its name.
        adapter: String,
        /// What it said.
        reason: String,
    },
    /// Processes that share a population have lost each other.
    #[error("the processes that share the population cannot go on: {0}")]
    Team(String),
    /// An individual is not one of the encoding.
    #[error("individual {individual} is not one of the encoding: {encoding}; {reason}")]
    NotOfTheEncoding {
        /// Its place in the population, from zero.
        individual: usize,
        /// What holds of all that are.
        encoding: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// Somebody wanted an end.
    #[error("interrupted before everything was done")]
    Interrupted,
    /// A kernel does not compile, or does not fit its operator: a fault of its text, which no other device mends.
    #[error("the shader {0}")]
    Shader(String),
    /// What a run was saved as cannot be gone on from.
    #[error("the checkpoint cannot be used: {0}")]
    Checkpoint(String),
    /// Fitness called a grid solved that the verifier rejects. A fault of this program or of
    /// the device.
    #[error("the independent check rejected a claimed solution: {0}")]
    Rejected(Violation),
}

impl Error {
    /// The same of an individual so many places further on.
    pub(crate) fn of_later(mut self, places: usize) -> Self {
        if let Self::NotOfTheEncoding { individual, .. } = &mut self {
            *individual += places;
        }
        self
    }
}
