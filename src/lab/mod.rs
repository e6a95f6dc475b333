//! Measurements of the engines and the algorithms.

pub mod bench;
