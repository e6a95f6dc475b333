//! The GPU engine makes the native engine's populations, to the bit: operator by operator, for
//! every size, mask width, layout and awkward population, and over whole runs.
//!
//! A machine without an adapter fails these tests unless GPUSUDOKU_SKIP_GPU_TESTS=1 says that
//! this is known.

#[path = "../common/mod.rs"]
mod common;

mod algorithms;
mod champion;
mod changes;
mod colouring;
mod cut_short;
mod hybrids;
mod kernels;
mod large;
mod limits;
mod observation;
mod observers;
mod operators;
mod packing;
mod permutation_plans;
mod permutations;
mod plans;
mod profile;
mod runs;
mod sequences;
mod sizes;
mod support;
