//! Operators that know nothing but genes in segments that stay permutations, and constraints. They serve grids
//! and queens alike. Each is the twin of `shaders/permutations/<name>.wgsl`.

pub mod anneal;
pub mod gravitational_search;
pub(crate) mod initialise_queens;
pub mod min_conflicts;
pub mod particle_swarm;
pub mod recombine;
