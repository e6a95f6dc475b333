//! The operators that kernels are made of; each file is the twin of `shaders/shared/<name>.wgsl`.

pub mod bricks;
pub mod crossover;
pub mod desk;
pub mod mask;
pub mod mutate;
pub mod score;
pub mod search;
pub mod slate;
pub mod swaps;
pub mod tile;
