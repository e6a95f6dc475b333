//! The lab: experiments of many runs, and what can be learnt from them.
//!
//! An [`experiment::Experiment`] is data: contenders x problems x runs. [`runner`] carries its cases out,
//! several [`jobs`] at a time, [`results`] writes a line of JSON for each and reads them back, [`agreement`] compares
//! equal ones, [`summary`], [`statistics`] and [`friedman`] say what they mean, [`report`] shows it; [`papers`] has
//! the published tables. [`growth`] joins plans, [`trace`] writes a row for every generation, [`traces`] those of
//! all runs.
//! [`bench`](mod@bench) measures engines, [`selftest`] compares them. The lab knows nothing of kernels.

pub mod agreement;
pub mod bench;
pub mod experiment;
pub mod friedman;
pub mod growth;
pub mod jobs;
pub mod machine;
pub mod numbers;
pub mod papers;
// Figures need fonts from the system; a browser's page draws for itself.
#[cfg(not(target_arch = "wasm32"))]
pub mod report;
pub mod results;
pub mod runner;
pub mod selftest;
pub mod statistics;
pub mod store;
pub mod summary;
pub mod trace;
// Files of many runs.
#[cfg(not(target_arch = "wasm32"))]
pub mod traces;
