//! Sudoku of every box shape, and Latin squares (Sudoku without boxes).

pub mod builtin;
pub mod exact;
pub mod format;
pub mod generate;
mod geometry;
mod grid;
pub mod propagate;
mod reduction;
mod verdict;

pub use geometry::{BoxShape, Geometry, GeometryError};
pub use grid::{Grid, GridError, House, Puzzle};
pub use reduction::Reduction;
pub use verdict::Verdict;
