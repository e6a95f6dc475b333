//! The operators that kernels are made of; each file is the twin of `shaders/shared/<name>.wgsl`. Three
//! have none and are for SIMD: `pairs`, which is `score` once more, `registers` and `tally`.

pub mod bricks;
pub mod crossover;
pub mod desk;
pub mod mask;
pub mod mutate;
#[cfg(target_arch = "x86_64")]
pub mod pairs;
pub mod registers;
pub mod score;
pub mod search;
pub mod slate;
pub mod swaps;
pub mod tally;
pub mod tile;
