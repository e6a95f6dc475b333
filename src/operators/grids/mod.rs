//! Operators that know rows, columns and sub-blocks. Each is the twin of `shaders/grids/<name>.wgsl`.

pub mod breed_blocks;
pub mod breed_rows;
pub mod elite;
pub mod improvise;
pub(crate) mod initialise;
pub mod islands;
pub mod pollinate;
mod replace_worst;
pub mod sample;
