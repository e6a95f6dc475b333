//! Population-based search for Sudoku on GPUs, with a native engine that gives the same
//! populations to the bit.
//!
//! So far: the puzzles ([`problem`]) and the random numbers ([`rng`]).

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod problem;
pub mod rng;
