//! The targets, compiled once for all programs in `fuzz_targets`.

#[path = "../../tests/fuzzing/targets.rs"]
pub mod targets;
