//! Slow and obvious kernels, written from the documentation in `src/plan/` and `src/rng.rs` and never
//! from the kernels themselves. Random numbers come from the documented sites; everything else is
//! counted anew whenever it is asked for. The native engine must equal these models to the bit, which
//! [`properties`] tests.
//!
//! | model | file | what it models |
//! |---|---|---|
//! | `RowModel` | [`rows`] | LSGA: breeding of rows, local search, elite learning |
//! | `GridModel` | [`grids`] | grids under any other encoding: start, steps and survey |
//! | | [`blocks`] | its sub-blocks: sampling, breeding, islands |
//! | | [`cells`] | its cells: harmonies and flowers |
//! | `PermutationModel` | [`permutations`] | queens and grids as permutations: starts, recombination, chains |
//! | | [`swarm_and_gravity`] | its swarm and its gravity |
//! | `ColouringModel` | [`colouring`] | cells that take their candidates: tabu searches |
//! | | [`packing`] | its searches that keep partial grids |
//!
//! [`properties`]: crate::properties

pub mod blocks;
pub mod cells;
pub mod colouring;
pub mod grids;
pub mod packing;
pub mod permutations;
pub mod rows;
pub mod swarm_and_gravity;
