//! The operators that kernels are made of; each file is the twin of `shaders/shared/<name>.wgsl`. Two
//! have none: `pairs`, which is `score` once more, and `tally`, both for SIMD.

pub mod bricks;
pub mod crossover;
pub mod desk;
pub mod mask;
pub mod mutate;
#[cfg(target_arch = "x86_64")]
pub mod pairs;
pub mod score;
pub mod search;
pub mod slate;
pub mod swaps;
pub mod tally;
pub mod tile;
