//! Population-based search for Sudoku and N queens on GPUs, with a native engine that gives the same
//! populations to the bit.
//!
//! A [`problem::Problem`] and an [`algo::Algorithm`] go into [`controller::run`]. The algorithm
//! describes a generation as a [`plan::Plan`] of kernels; an [`engine::Engine`], native code or
//! WGSL compute shaders, carries it out on a [`population::Population`]; nothing is called
//! solved before [`problem::verify`] agrees.
//!
//! `docs/architecture.md` in the repository shows how it all fits together.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

// Words of populations, kernels' tables and checkpoints are seen as bytes without being swapped.
#[cfg(target_endian = "big")]
compile_error!(
    "gpusudoku needs a little-endian machine: the first of four packed cells is the lowest byte of its word"
);

pub mod agreement;
pub mod algo;
pub mod checkpoint;
pub mod codec;
pub mod controller;
pub mod engine;
pub mod error;
pub mod evaluator;
#[cfg(feature = "lab")]
pub mod lab;

pub mod observation;
pub mod operators;
pub mod plan;
pub mod population;
pub mod population_file;
pub mod problem;
pub mod rng;

pub use evaluator::Evaluator;
