//! Population-based search for Sudoku on GPUs, with a native engine that gives the same
//! populations to the bit.
//!
//! So far: the puzzles ([`problem`]), the random numbers ([`rng`]), and the two engines
//! ([`engine`]) that carry out a [`plan`] on a [`population`].

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod engine;
pub mod error;
pub mod plan;
pub mod population;
pub mod problem;
pub mod rng;
