//! What is to be solved: puzzles, their geometry and text forms, exact reasoning
//! about them, and the verifier that every claimed solution has to pass.
//!
//! Nothing here knows of populations, engines or algorithms.

pub mod sudoku;
pub mod verify;

pub use sudoku::{BoxShape, Geometry, Grid, Puzzle, Reduction};
