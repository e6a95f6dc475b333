//! What the tests of operators share. Engines, populations, recounts, checks and statistics stand
//! here by their own names; strategies and search spaces are named by their modules.

mod checks;
mod engines;
mod fitness;
pub mod grid_runs;
pub mod permutation_runs;
mod populations;
pub mod search_space;
mod statistics;
pub mod strategies;
mod survey;
mod units;

pub use checks::*;
pub use engines::*;
pub use fitness::*;
pub use populations::*;
pub use statistics::*;
pub use survey::*;
pub use units::*;
